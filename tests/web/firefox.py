# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Firefox, controlled over TCP in its own protocol, Marionette: JSON messages, with their length in digits and a colon before each."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
PREFERENCES = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
               "app.update.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
               "services.settings.server": "http://127.0.0.1:9/"}


class Firefox:
    def __init__(self, folder):
        profile = pathlib.Path(folder)
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()),
                                         encoding="utf-8")
        self.process = subprocess.Popen([PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", profile],
                                        env={"HOME": str(profile), "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, end = profile / "MarionetteActivePort", time.monotonic() + 120
        while not (port.exists() and port.read_text(encoding="ascii").strip()):
            assert self.process.poll() is None and time.monotonic() < end, "Firefox does not start"
            time.sleep(0.1)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text(encoding="ascii"))), 300)
        self.rest, self.number = b"", 0
        self.message()  # who it is
        self.call("WebDriver:NewSession")

    def message(self):
        while (colon := self.rest.find(b":")) < 0 or len(self.rest) < colon + 1 + int(self.rest[:colon]):
            got = self.socket.recv(1 << 20)
            if not got:
                raise RuntimeError("the browser went away")
            self.rest += got
        end = colon + 1 + int(self.rest[:colon])
        text, self.rest = self.rest[colon + 1:end], self.rest[end:]
        return json.loads(text)

    def call(self, name, **parameters):
        self.number += 1
        data = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(data), data))
        _, number, error, result = self.message()
        assert number == self.number and not error, error
        return result

    def open(self, path):
        self.call("WebDriver:Navigate", url=path.resolve().as_uri())

    def evaluate(self, script):
        """The value of an expression; for a promise, its result."""
        return self.call("WebDriver:ExecuteScript", script=f"return ({script});", args=[])["value"]

    def choose(self, *paths, selector="#files"):
        """As if chosen in the dialog for files."""
        [element] = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"].values()
        self.call("WebDriver:ElementSendKeys", id=element, text="\n".join(str(path) for path in paths))

    def frame(self, selector=None):
        """From here on evaluates in that frame; None: in the page."""
        if selector is None:
            self.call("WebDriver:SwitchToFrame", id=None)
            return
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:SwitchToFrame", element=next(iter(found.values())))

    def picture(self, selector):
        """An element as painted: a PNG."""
        [element] = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"].values()
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", id=element, full=False, hash=False)["value"])

    def close(self):
        self.call("Marionette:Quit", flags=["eForceQuit"])
        self.process.wait(60)
        self.socket.close()
