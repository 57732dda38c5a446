#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tools cost, on a generated capture: CPU time (user + system) and peak memory.

iwarp-check against tcpdump -r FILE -w /dev/null, which only reads and copies, on RDMA Writes of 1400 and of 64 octets, on NFS, on NFS metadata of one client and of 250, and on NFS over RoCE; tshark with our plugins,
judging and not, against tshark with its built-in dissectors; merging reports; iwarp-gen writing as much as tcpdump reads; 100,000 operations against 10,000; a million connections against a
tenth of them, and what each of them takes; what a gigabyte of a live connection costs, against iperf3; live capture of as much as
iwarp-gen sends; with --only=large, captures of 2 GB and, through a pipe, of 20. Median of several runs, the compared commands alternating, so that a busy machine is fair to both. Prints a table
and, with --json, writes the numbers, with which --compare puts them side by side; --junit writes the limits as test cases. Exit status 1: over a limit.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from xml.sax.saxutils import quoteattr

from large import large
from live_capture import live_capture
from live_rate import live
import roce_bulk

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534
LARGE_FILE_MB = 2000
METADATA_MB = 50


class Command:
    """A command to measure."""

    def __init__(self, name, *arguments, environment=None, expect=(0,)):
        self.name, self.arguments, self.environment, self.expect = name, [str(a) for a in arguments], environment, expect
        self.cpu, self.memory = [], []

    def run(self):
        # Peak memory as GNU time sees it: wait4() includes this interpreter before it became the command.
        with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as memory:
            process = subprocess.Popen(["time", "-q", "-f", "%M", "-o", memory.name, *self.arguments],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
            _, status, usage = os.wait4(process.pid, 0)
            self.memory.append(int(memory.read()) / 1024)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in self.expect:
            sys.exit(f"{' '.join(self.arguments)}: exit status {process.returncode}")
        self.cpu.append(usage.ru_utime + usage.ru_stime)

    def result(self):
        return {"name": self.name, "cpu_s": round(statistics.median(self.cpu), 3), "peak_mib": round(max(self.memory), 1)}


def measure(commands, runs):
    for command in commands:
        command.run()  # warms the page cache
        command.cpu.clear()
    for _ in range(runs):
        for command in commands:
            command.run()
    return [command.result() for command in commands]


def tshark(name, folder, capture, plugins, options):
    """As root, tshark only loads installed plugins, so root runs it as an unprivileged user."""
    drop = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    command = ["setpriv", *drop, "tshark"] if os.geteuid() == 0 else ["tshark"]
    environment = dict(os.environ, HOME=str(folder), WIRESHARK_PLUGIN_DIR=str(plugins))
    return Command(name, *command, "-r", capture, *options, environment=environment)


def play(build, path, size, scenario="bulk", *options):
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--size={size}M", *options, "-o", path],
                   check=True, stdout=subprocess.DEVNULL)


def against_tcpdump(build, capture, what, runs):
    """iwarp-check and, as the measure of the machine, a program that only reads and copies."""
    return measure([Command(f"iwarp-check, {what}", build / "conformance" / "iwarp-check", capture),
                    Command(f"tcpdump -r FILE -w /dev/null, {what}", "tcpdump", "-r", capture, "-w", "/dev/null")], runs)


def writing(build, folder, size, runs):
    """iwarp-gen writes captures; the measure is tcpdump, which reads and copies the same amount. 4: 500 MB/s where tcpdump has 2 GB/s."""
    results, limits = [], []
    for scenario, what in (("bulk", "RDMA Writes"), ("nfs-bulk", "NFS")):
        capture = folder / "written.pcapng"
        play(build, capture, size, scenario)
        gen, tcpdump = measure([Command(f"iwarp-gen play {scenario}", build / "traffic-gen" / "iwarp-gen", "play", scenario,
                                        f"--size={size}M", "--ulpdu=1400", "-o", folder / "again.pcapng"),
                                Command(f"tcpdump -r FILE -w /dev/null, {what}", "tcpdump", "-r", capture, "-w", "/dev/null")],
                               runs)
        results.append(gen)
        limits += [(f"iwarp-gen play {scenario}: CPU time against tcpdump", gen["cpu_s"] / tcpdump["cpu_s"], 4, "x"),
                   (f"iwarp-gen play {scenario}: peak memory", gen["peak_mib"], 16, "MiB")]
        print(f"iwarp-gen play {scenario}: {size / gen['cpu_s']:.0f} MB/s; tcpdump: {size / tcpdump['cpu_s']:.0f} MB/s")
    return results, limits


def operations(build, folder, plugins, runs):
    """Reads and Atomics with 16 in flight: ten times the operations may take ten times the time, but no more memory."""
    checks, sharks = [], []
    for count in (10000, 100000):
        capture = folder / f"operations-{count}.pcapng"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "operations", f"--count={count}", "-o", capture],
                       check=True, stdout=subprocess.DEVNULL)
        capture.chmod(0o644)
        checks += measure([Command(f"iwarp-check, {count} operations", build / "conformance" / "iwarp-check", capture)], runs)
        if plugins is not None:
            sharks += measure([tshark(f"tshark, {count} operations, our plugins", folder, capture, plugins, [])], 2)
    # Above 10: the program's start weighs less in the longer run. Twice 10 is neither linear nor noise.
    limits = [("iwarp-check: CPU time of 100,000 operations against 10,000", checks[1]["cpu_s"] / checks[0]["cpu_s"], 15, "x"),
              ("iwarp-check: peak memory of 100,000 operations against 10,000",
               checks[1]["peak_mib"] / checks[0]["peak_mib"], 1.5, "x")]
    if sharks:
        limits.append(("tshark: CPU time of 100,000 operations against 10,000", sharks[1]["cpu_s"] / sharks[0]["cpu_s"], 15, "x"))
    return checks + sharks, limits


def connections(build, folder, count):
    """Short connections, one in twenty left open: ten times as many may take ten times the time and memory."""
    results = []
    for number in (count // 10, count):
        capture = folder / "connections.pcapng"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "many", f"--connections={number}", "-o", capture],
                       check=True, stdout=subprocess.DEVNULL)
        command = Command(f"iwarp-check, {number} connections", build / "conformance" / "iwarp-check", capture)
        command.run()
        results.append(command.result())
        capture.unlink()
    each = results[1]["peak_mib"] * 1024 * 1024 / count
    return results, [("iwarp-check: memory per connection", each, 1400, "octets"),
                     ("iwarp-check: CPU time of ten times the connections", results[1]["cpu_s"] / results[0]["cpu_s"], 12, "x")]


def reading(arguments, folder, size=None):
    """What iwarp-check costs, on captures of one connection."""
    results, limits = [], []
    capture = folder / "bulk.pcapng"
    for scenario, ulpdu, what, limit in (("bulk", 1400, "RDMA Writes", 1.7),
                                         ("bulk-whole", 1400, "RDMA Writes of a segment", 2.0), ("bulk", 64, "64-octet RDMA Writes", 2.5),
                                         ("nfs-bulk", 1400, "NFS", 2.0)):
        play(arguments.build, capture, size or arguments.size, scenario, f"--ulpdu={ulpdu}")
        check, tcpdump = against_tcpdump(arguments.build, capture, what, arguments.runs)
        results += [check, tcpdump]
        limits += [(f"iwarp-check, {what}: CPU time against tcpdump", check["cpu_s"] / tcpdump["cpu_s"], limit, "x"),
                   (f"iwarp-check, {what}: peak memory", check["peak_mib"], 64, "MiB")]
        capture.unlink()
    return results, limits


def metadata(arguments, folder):
    """NFS metadata, from one client and from 250 in parallel, on both transports."""
    results, limits = [], []
    capture = folder / "metadata.pcapng"
    for transport, bounds in (("iwarp", ((1, 7, 24), (250, 28, 135))), ("roce", ((1, 5.5, 24), (250, 18, 92)))):
        for connections, limit, memory in bounds:
            play(arguments.build, capture, METADATA_MB, "nfs-metadata", f"--connections={connections}", f"--transport={transport}")
            capture.chmod(0o644)
            what = f"NFS metadata, {connections} client{'s' if connections > 1 else ''}, {transport}"
            check, tcpdump = against_tcpdump(arguments.build, capture, what, arguments.runs)
            results += [check, tcpdump]
            limits += [(f"iwarp-check, {what}: CPU time against tcpdump", check["cpu_s"] / tcpdump["cpu_s"], limit, "x"),
                       (f"iwarp-check, {what}: peak memory", check["peak_mib"], memory, "MiB")]
    capture.unlink()
    return results, limits


def merging(arguments, folder):
    """Large reports, and 10,000 reports: memory does not depend on either."""
    report, capture, merged = folder / "report.json", folder / "many.pcapng", folder / "all.json"
    check, gen = arguments.build / "conformance" / "iwarp-check", arguments.build / "traffic-gen" / "iwarp-gen"
    results, limits = [], []
    for what, connections, copies in (("large reports", 2000, 10), ("10,000 reports", 1, 10000)):
        subprocess.run([gen, "play", "many", f"--connections={connections}", "-o", capture], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([check, "--no-progress", "--format=ndjson", "--counts=connection", "-o", report, capture], check=True)
        merge, = measure([Command(f"iwarp-check merge, {what}", check, "merge", *[report] * copies, "-o", merged)], max(3, arguments.runs // 2))
        results.append(merge)
        limits += [(f"iwarp-check merge, {what}: CPU time for 100 MB", merge["cpu_s"] * 1e8 / (report.stat().st_size * copies), 6, "s"),
                   (f"iwarp-check merge, {what}: peak memory", merge["peak_mib"], 64, "MiB")]
    for path in (report, capture, merged):
        path.unlink()
    return results, limits


def reading_roce(arguments, folder):
    """The same of NFS over RoCE v2, with the ICRC of each packet and without."""
    results, limits = [], []
    capture = folder / "roce.pcap"
    for mtu in (1024, 4096):
        for icrc, what in ((False, f"NFS over RoCE v2, MTU {mtu}"), (True, f"NFS over RoCE v2, MTU {mtu}, ICRC verified")):
            roce_bulk.play(capture, arguments.size * 1_000_000, mtu, icrc)
            check, tcpdump = against_tcpdump(arguments.build, capture, what, arguments.runs)
            results += [check, tcpdump]
            limits += [(f"iwarp-check, {what}: CPU time against tcpdump", check["cpu_s"] / tcpdump["cpu_s"], 2.5, "x"),
                       (f"iwarp-check, {what}: peak memory", check["peak_mib"], 64, "MiB")]
    capture.unlink()
    return results, limits


def install_plugins(arguments, folder):
    """A place that an unprivileged user can read; None: not built, or not wanted."""
    built, plugins = arguments.build / "plugins" / "run", folder / "plugins"
    if not arguments.tshark_size or not built.is_dir():
        return None
    if not plugins.exists():
        shutil.copytree(built, plugins)
        (folder / "none").mkdir()
        for folder_ in folder.glob("**/"):
            folder_.chmod(0o755)
    return plugins


# Captures for tshark: the requested size, divided. 64-octet ULPDUs are mostly headers, and for NFS the plugins keep the moved data (docs/wireshark.md, What it
# costs).
SHARK_CAPTURES = (("RDMA Writes", "bulk", 1400, 1, 0.8), ("NFS", "nfs-bulk", 1400, 1, 0.8),
                  ("64-octet RDMA Writes", "bulk", 64, 8, math.inf))
# (description, options with our plugins, options with the built-in, divisor of the size, whether the limit applies). If trees are built, ours show fields that
# the built-in does not dissect: reported without a limit.
SHARK_MODES = (("summary", [], [], 1, True), ("two passes", ["-2"], ["-2"], 1, True),
               ("filter", ["-Y", "mpa"], ["-Y", "iwarp_mpa"], 1, False), ("details (-V)", ["-V"], ["-V"], 8, False))


def dissecting(arguments, folder):
    """tshark with our plugins against its built-in dissectors."""
    results, limits = [], []
    plugins, path = install_plugins(arguments, folder), folder / "shark.pcapng"
    if plugins is None:
        return results, limits
    for capture, scenario, ulpdu, divisor, limit in SHARK_CAPTURES:
        for mode, ours, theirs, part, limited in SHARK_MODES:
            play(arguments.build, path, max(1, arguments.tshark_size // divisor // part), scenario, f"--ulpdu={ulpdu}")
            path.chmod(0o644)
            what = f"tshark, {capture}, {mode}"
            results += measure([tshark(f"{what}, our plugins", folder, path, plugins, ours),
                                tshark(f"{what}, built-in", folder, path, folder / "none", theirs)],
                               max(3, arguments.runs // 2))
            limits.append((f"{what}: CPU time against the built-in", results[-2]["cpu_s"] / results[-1]["cpu_s"],
                           limit if limited else math.inf, "x"))
    return results, limits


# name, arguments of iwarp-gen play; limits against the built-in: time and memory with all rules judged, time and memory of dissection only
SIDE_BY_SIDE = (("RDMA Writes", ["bulk", "--size={size}M", "--ulpdu=1400"], (1.0, 1.1, 1.0, 1.1)),
                ("NFS READs and WRITEs", ["nfs-bulk", "--size={size}M"], (1.1, 1.1, 1.1, 1.1)),
                ("NFS metadata, 1 client", ["nfs-metadata", "--size={metadata}M", "--connections=1"], (1.4, 1.2, 1.2, 1.2)),
                ("NFS metadata, 250 clients", ["nfs-metadata", "--size={metadata}M", "--connections=250"], (1.8, 1.4, 1.5, 1.4)),
                ("a whole stack, 250 clients", ["stack-nfs42", "--connections=250"], (1.8, 1.4, 1.5, 1.4)),
                ("NFS metadata, 250 clients, RoCE", ["nfs-metadata", "--size={metadata}M", "--connections=250", "--transport=roce"], (1.8, 1.6, 1.6, 1.6)))


# No dissector takes the payload of TCP, InfiniBand or RoCE: what is left is the part of Wireshark alone.
NEITHER = ["--disable-protocol", "iwarp_mpa", "--disable-protocol", "rpcordma"]


def side_by_side(arguments, folder):
    """tshark with our plugins, judging and not, and with neither, against its built-in dissectors: a table."""
    results, limits, rows = [], [], []
    plugins, path = install_plugins(arguments, folder), folder / "shark.pcapng"
    if plugins is None:
        return results, limits
    for what, scenario, most in SIDE_BY_SIDE:
        options = [option.format(size=arguments.tshark_size, metadata=METADATA_MB) for option in scenario]
        subprocess.run([arguments.build / "traffic-gen" / "iwarp-gen", "play", *options, "-o", path], check=True, stdout=subprocess.DEVNULL)
        path.chmod(0o644)
        found = measure([tshark(f"tshark, {what}, plugins, all rules judged", folder, path, plugins, []),
                         tshark(f"tshark, {what}, plugins, dissection only", folder, path, plugins, ["-o", "iwarp.check:FALSE"]),
                         tshark(f"tshark, {what}, neither", folder, path, folder / "none", NEITHER),
                         tshark(f"tshark, {what}, built-in", folder, path, folder / "none", [])], max(3, arguments.runs // 2))
        ratios = [[one[figure] / found[-1][figure] for figure in ("cpu_s", "peak_mib")] for one in found[:-1]]
        rows.append(f"{what:<34}" + "".join(f"{time:12.2f} {memory:8.2f}" for time, memory in ratios))
        results += found
        named = [f"tshark, {what}, {how}: {figure} against the built-in" for how in ("judged", "dissection only", "neither") for figure in ("CPU time", "memory")]
        limits += zip(named, sum(ratios, []), (*most, math.inf, math.inf), itertools.repeat("x"))
    print(f"{'against the built-in dissectors':<34}" + "".join(f"{how:>8}{'time':>4} {'memory':>8}" for how in ("judged:", "only:", "none:")), *rows, sep="\n")
    return results, limits


def moving(arguments, folder):
    del folder
    lines, limits = live(arguments.build, max(3, arguments.runs // 2))
    print("\n".join(lines))
    return [], limits


def capturing(arguments, folder):
    lines, limits = live_capture(arguments.build, folder, 3)
    print("\n".join(lines))
    return [], limits


def at_large(arguments, folder):
    """Captures of 2 GB against tcpdump, and of 20 GB through a pipe."""
    results, limits = reading(arguments, folder, LARGE_FILE_MB)
    return results, limits + large(arguments.build, arguments.large_size)


PARTS = {"reading": reading, "metadata": metadata, "merging": merging, "roce": reading_roce, "tshark": dissecting, "plugins": side_by_side, "writing": lambda a, folder: writing(a.build, folder, a.size, a.runs),
         "operations": lambda a, folder: operations(a.build, folder, install_plugins(a, folder), max(3, a.runs // 2)),
         "connections": lambda a, folder: connections(a.build, folder, a.connections) if a.connections else ([], []),
         "live": moving, "capture": capturing, "large": at_large}
USUAL = [name for name in PARTS if name != "large"]


def compare(before, limits):
    """The figures beside those of an earlier run, which should be from the same machine."""
    known = {limit["name"]: limit["value"] for limit in json.loads(before.read_text(encoding="utf-8"))["limits"]}
    for name, value, _, unit in limits:
        if name in known:
            print(f"{name:<78} {known[name]:8.2f} -> {value:8.2f} {unit:<6} {100 * (value / known[name] - 1):+6.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--size", type=int, default=200, metavar="MB", help="of the capture for iwarp-check (200)")
    parser.add_argument("--tshark-size", type=int, default=200, metavar="MB", help="of the captures for tshark (200; 0: without)")
    parser.add_argument("--connections", type=int, default=1000000, metavar="N", help="0: without (1000000)")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", default=",".join(USUAL), metavar="PART,...",
                        help=f"of {', '.join(PARTS)} (all but large, which takes ten minutes and 3 GB of disk)")
    parser.add_argument("--large-size", type=int, default=20, metavar="GB", help="of the capture through a pipe (20)")
    parser.add_argument("--compare", type=pathlib.Path, metavar="FILE", help="written by --json before")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--junit", type=pathlib.Path)
    arguments = parser.parse_args()
    unknown = set(arguments.only.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"--only: there is {', '.join(PARTS)}, but no {', '.join(unknown)}")
    results, limits = [], []

    with tempfile.TemporaryDirectory(prefix="iwarp-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        for part in arguments.only.split(","):
            more, bounds = PARTS[part](arguments, folder)
            results += more
            limits += bounds

    for result in results:
        print(f"{result['name']:<58} {result['cpu_s']:8.3f} s CPU {result['peak_mib']:8.1f} MiB")
    for name, value, limit, unit in limits:
        print(f"{name:<78} {value:6.2f} {unit}{'' if limit == math.inf else f' (at most {limit} {unit})'}"
              f"{'' if value <= limit else '   OVER'}")
    if arguments.compare:
        compare(arguments.compare, limits)
    numbers = {"capture_mb": arguments.size, "tshark_capture_mb": arguments.tshark_size, "runs": arguments.runs,
               "results": results,
               "limits": [{"name": name, "value": round(value, 3), "limit": None if limit == math.inf else limit, "unit": unit}
                          for name, value, limit, unit in limits]}
    if arguments.json:
        arguments.json.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    if arguments.junit:
        cases = "".join(f"<testcase classname=\"bench\" name={quoteattr(name)}>"
                        f"{'' if value <= limit else '<failure/>'}</testcase>" for name, value, limit, _ in limits)
        arguments.junit.write_text(f"<testsuite name=\"bench\">{cases}</testsuite>\n", encoding="utf-8")
    return any(value > limit for _, value, limit, _ in limits)


if __name__ == "__main__":
    sys.exit(main())
