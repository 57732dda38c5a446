# SPDX-License-Identifier: GPL-2.0-or-later
"""The page, in any browser whose object has evaluate(expression)."""
import base64
import json
import pathlib
import re
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAILS = ROOT / "captures/real/errors/op-read-badstag.pcap"
PASSES = ROOT / "captures/real/nfs/nfs3-acl.pcap"


def drop(page, *files):
    """Files as pairs of a name and octets; with a number of times that the octets after the first 24 are there."""
    page.evaluate("window.transfer = new DataTransfer(), 0")
    for name, data, *times in files:
        page.evaluate(f"""(() => {{
            const octets = Uint8Array.from(atob({json.dumps(base64.b64encode(data).decode())}), (c) => c.charCodeAt(0));
            const rest = Array({times[0] if times else 1}).fill(octets.subarray(24));
            window.transfer.items.add(new File([octets.subarray(0, 24), ...rest], {json.dumps(name)}));
        }})()""")
    page.evaluate("document.dispatchEvent(new DragEvent('drop', {dataTransfer: window.transfer, cancelable: true})), 0")


def outcome(page, seconds=180):
    """Kind and words of the outcome, when there is one."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kind, words, busy = page.evaluate("((at) => [at('outcome').className, at('outcome').textContent, !at('working').hidden])"
                                          "((id) => document.getElementById(id))")
        if kind and not busy:
            return kind, words
        time.sleep(0.02)
    raise AssertionError(f"no outcome after {seconds} s")


def report(page):
    return page.evaluate("document.getElementById('report').srcdoc")


def said(page):
    return page.evaluate("document.getElementById('said').textContent")


def verdict(page):
    return re.search(r"<h1>([^<]*)</h1>", report(page))[1]


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def undated(text):
    return re.sub(r'\d{4}-\d\d-\d\d \d\d:\d\d UTC| (time|timestamp|hostname)="[^"]*"', "", text)


# ---- requests to a network ----

FREE = '<!DOCTYPE html><meta charset="utf-8"><title>no policy</title><body></body>'
IN_WORKER = """new Promise((done) => {
    const script = `addEventListener("securitypolicyviolation", (event) => postMessage(event.effectiveDirective));
        fetch("http://127.0.0.1:9/").then(() => postMessage("sent"), () => 0);`;
    new Worker(URL.createObjectURL(new Blob([script]))).onmessage = (event) => done(event.data);
    setTimeout(done, 30000, "nothing");
})"""
ASKS = {"fetch": "fetch(address, {mode: 'no-cors'})", "picture": "new Image().src = address", "socket": "new WebSocket(address.replace('http', 'ws'))",
        "beacon": "navigator.sendBeacon(address, 'x')", "script": "document.head.append(Object.assign(document.createElement('script'), {src: address}))",
        "form": "(() => { const form = Object.assign(document.createElement('form'), {action: address}); document.body.append(form); form.submit(); })()"}


def ask(page, way, address):
    page.evaluate(f"(() => {{ const address = '{address}'; try {{ Promise.resolve({ASKS[way]}).catch(() => 0); }} catch {{ }} }})()")


def arrives(listener, seconds):
    """The octets sent there; b"": a connection without octets. None: no connection."""
    listener.settimeout(seconds)
    try:
        with listener.accept()[0] as connection:
            connection.settimeout(seconds)
            return connection.recv(1000)
    except TimeoutError:
        return None
