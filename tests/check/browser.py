# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Chromium, controlled over a pipe in its DevTools protocol: JSON messages that end with a zero octet."""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def family(pid):
    """A process and its descendants, each with its processor time in ticks, which includes that of children that have ended."""
    parents, times = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            parents[int(stat.parent.name)], times[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {one: times.get(one, 0) for one in found}


def spent(pid):
    """Processor time in seconds of a process and its children, including those that have ended."""
    return sum(family(pid).values()) / os.sysconf("SC_CLK_TCK")


def peak(pid):
    """The most memory that each of a process and its descendants had, all together, in octets."""
    total = 0
    for one in family(pid):
        with contextlib.suppress(OSError):
            total += int(re.search(r"VmHWM:\s+(\d+) kB|$", pathlib.Path(f"/proc/{one}/status").read_text(encoding="utf-8"))[1] or 0) << 10
    return total


class Browser:
    def __init__(self, folder):
        to_it, self.out = os.pipe()
        self.into, from_it = os.pipe()

        def descriptors():  # Chromium reads 3 and writes 4
            high = [os.dup(fd) for fd in (to_it, from_it)]
            while min(high) < 5:
                high = [os.dup(fd) for fd in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", f"--user-data-dir={folder}"], preexec_fn=descriptors,
            close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.number, self.session, self.rest, self.events = 0, None, b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            got = os.read(self.into, 1 << 20)
            if not got:
                raise RuntimeError("the browser went away")
            self.rest += got
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1200, height=900, phone=False, dark=False, fragment=""):
        """Returns after loading and layout: seconds of processor time. self.events has the reports until then."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="about:blank")
        before = spent(self.process.pid)
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        while self.evaluate("document.readyState + location.protocol") != "completefile:":
            time.sleep(0.01)
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return spent(self.process.pid) - before

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def picture(self, path, height=None):
        clip = {} if height is None else {"clip": {"x": 0, "y": 0, "width": self.evaluate("innerWidth"), "height": height, "scale": 1},
                                          "captureBeyondViewport": True}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"]))

    def paper(self, path):
        """Prints on A4."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"]))

    def complaints(self):
        """Errors of the page, and addresses that it requested besides its own."""
        found = []
        for event in self.events:
            method, told = event["method"], event["params"]
            if method == "Log.entryAdded" or method == "Runtime.exceptionThrown":
                found.append(told)
            elif method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(("file:", "about:")):
                found.append(told["request"]["url"])
        return found

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(60)
        os.close(self.out)
        os.close(self.into)
