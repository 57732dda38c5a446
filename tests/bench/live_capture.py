# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check -i on a veth pair between two network namespaces: while iwarp-gen sends as fast as it can, and the rate of replayed
captures at which packets are lost."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from reports import read_report  # noqa: E402

COUNT = 40000  # messages of 64 KiB: 2.6 GB
REPLAYED = {1400: "600M", 64: "150M"}  # octets of a ULPDU, and of the replayed capture
REPLAYS = 6


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


class Capturing:
    """iwarp-check on the first namespace's end while it captures; its output is there after its end."""

    def __init__(self, wire, build, report):
        self.report, self.begin = report, time.monotonic()
        self.process = wire.start(0, build / "conformance" / "iwarp-check", "-i", "ba", "--no-progress", "--format=ndjson",
                                  f"--output={report}")
        while "NoNewPrivs:\t1" not in open(f"/proc/{self.process.pid}/status", encoding="ascii").read():
            if self.process.poll() is not None:
                raise OSError(self.process.stderr.read())
            time.sleep(0.05)

    def end(self):
        """(packets, dropped packets, iwarp-check's share of a processor, its exit status)"""
        self.process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(self.process.pid, 0)
        elapsed = time.monotonic() - self.begin
        self.process.returncode = os.waitstatus_to_exitcode(status)
        capture = read_report(self.report.read_text(encoding="utf-8"))["captures"][0]
        return capture["packets"], capture["dropped"], (usage.ru_utime + usage.ru_stime) / elapsed, self.process.returncode


def run(wire, build, report):
    """(Gbit/s, packets, dropped packets, iwarp-check's share of a processor)"""
    gen = build / "traffic-gen" / "iwarp-gen"
    server = wire.start(1, gen, "serve", "192.0.2.1:7174", "--service=sink")
    server.stderr.readline()
    check = Capturing(wire, build, report)
    client = wire.start(0, gen, "connect", "192.0.2.1:7174", "--write", "--size=65536", f"--count={COUNT}")
    said = client.communicate()[0]
    packets, dropped, share, status = check.end()
    server.send_signal(signal.SIGTERM)
    server.communicate()
    assert status == 0, check.process.stderr.read()
    return float(re.search(r"([\d.]+) Gbit/s", said).group(1)), packets, dropped, share


def replay(wire, build, path, mbit):
    """(Mbit/s on the wire, packets in a second, dropped packets): a capture at the requested speed, or as fast as tcpreplay can."""
    check = Capturing(wire, build, path.with_suffix(".json"))
    sender = wire.start(1, "tcpreplay", "-q", "--preload-pcap", "-i", "bb", *([f"--mbps={mbit}"] if mbit else ["--topspeed"]), path)
    said, errors = sender.communicate()
    assert sender.returncode == 0, errors
    time.sleep(0.3)  # until the kernel's packets are read
    rated = re.search(r"([\d.]+) Mbps, ([\d.]+) pps", said)
    return float(rated[1]), float(rated[2]), check.end()[1]


def drops_begin(wire, build, path):
    """(Mbit/s, packets in a second, whether the sender could send no faster) of the fastest replay without a dropped packet."""
    best = replay(wire, build, path, 0)
    if best[2] == 0:
        return *best[:2], True
    slow, fast, best = 0, best[0], None
    for _ in range(REPLAYS):
        middle = (slow + fast) / 2
        figures = replay(wire, build, path, round(middle))
        if figures[2] == 0:
            slow, best = middle, figures
        else:
            fast = middle
    return (*best[:2], False) if best else (0, 0, False)


def replays(wire, build, folder):
    if not shutil.which("tcpreplay"):
        return ["live capture, replayed: no tcpreplay here"]
    lines = []
    for ulpdu, size in REPLAYED.items():
        path = folder / "replayed.pcap"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "bulk", "--pcap", f"--ulpdu={ulpdu}", f"--size={size}", "-o", path],
                       check=True)
        mbit, packets, at_most = drops_begin(wire, build, path)
        lines.append(f"live capture, ULPDUs of {ulpdu} octets, replayed: no packet dropped at {mbit / 1000:.2f} Gbit/s, {packets:.0f} "
                     f"packets/s" + (", all that tcpreplay sends" if at_most else ""))
        path.unlink()
    return lines


def live_capture(build, folder, runs):
    """Lines to print, and limits. The run with the fewest losses counts: other work of the machine loses packets."""
    with Namespaces() as wire:
        if not wire.made:
            return ["live capture: no network namespaces here"], []
        figures = [run(wire, build, folder / "live.json") for _ in range(runs)]
        replayed = replays(wire, build, folder)
    rate, packets, dropped, share = min(figures, key=lambda f: f[2] / (f[1] + f[2]))
    lost = 100 * dropped / (packets + dropped)
    lines = [f"live capture, {COUNT * 65536 / 1e9:.1f} GB by RDMA Writes of 64 KiB, CRC on: {rate:.2f} Gbit/s, {packets} packets, "
             f"{dropped} dropped, {100 * share:.0f} % of a processor"]
    lines += replayed
    return lines, [("live capture: packets dropped", lost, 1, "%")]
