#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of hostile input: processor time and memory per octet, compared with ordinary input of the same size.

Each row is a generator, which writes a file at two sizes, one four times the other, and a control: as many packets with as many octets of a
connection that is right, or as many octets of a file that is. For the plugins the control is the same capture, shown by Wireshark's own
dissectors. A row has three limits: how many times as much time an octet may take as one of the control, how much memory, and how many times
as long the larger size may take. Both times are taken with and without the kernel's part, and the smaller ratio counts: a page costs the kernel
2 to 50 us, depending on the machine and its load, and the program's own part of a short time is not measured well. The limit for memory bounds
the pages. Prints a table; --junit writes the rows as test cases. Exit status 1: over a limit.
"""
import argparse
import atexit
import dataclasses
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import typing
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "plugin")]
# pylint: disable=wrong-import-position
import adversary
import crowd
import frames
import papers
import shark
import upper

FACTOR = 4
GROWTH = 6        # the larger size may take this many times as long; a square takes FACTOR * FACTOR times
# Only the larger size reaches the memory limit, from where on connections are packed, which takes twice the time.
GROWTHS = {"refused_attempts": 11, "attempts_without_answer": 11}
LEAST = 0.004     # seconds; shorter times mean little
TRIES = 4         # the machine may be busy
MIB = 96          # for a row without another limit
OPEN_KIB = 44     # for each parallel connection, far from the memory limit of 512 MiB
ENDED_KIB = 6     # for each ended connection


@dataclasses.dataclass
class Row:
    name: str
    make: typing.Callable           # (path, n): writes the file
    times: float                    # at most, against the control
    control: typing.Callable = None # (path, the file, n); None: frames.ordinary()
    command: typing.Callable = None # (build, path): the reader; None: iwarp-check
    mib: typing.Callable = lambda n: MIB
    share: float = 1                # part of n: slow inputs are smaller
    statuses: tuple = (0, 1, 2, 3)
    built_in: bool = False          # the plugins, against the dissectors that are built in


def of_tcp(case):
    def make(path, n):
        capture = adversary.Capture(path)
        case(capture, n)
        capture.close()
    return make


def size_of(path):
    """Packets and octets of a pcap file."""
    packets = octets = 0
    with open(path, "rb") as file:
        file.seek(24)
        while head := file.read(16):
            length = struct.unpack_from("<I", head, 8)[0]
            file.seek(length, os.SEEK_CUR)
            packets, octets = packets + 1, octets + length
    return packets, octets


def as_ordinary(path, hostile, _):
    frames.ordinary(path, *size_of(hostile))


def of_octets(path, hostile, n):
    frames.ordinary(path, max(n, 1), hostile.stat().st_size)


def check(*options):
    return lambda build, path: [build / "conformance" / "iwarp-check", "--no-progress", *(options or ["--summary"]), path]


def memory_of(case):
    opened, ended = (getattr(case, name, lambda n: 0) for name in ("open", "ended"))
    return lambda n: max(MIB, 32 + min(512, (opened(n) * OPEN_KIB + ended(n) * ENDED_KIB) / 1024))


def flood_of_roce(path, n):
    """Each packet is for a queue pair that nobody else uses."""
    capture = crowd.Roce(path)
    for number in range(n):
        capture.packet((crowd.QueuePairs.A, crowd.QueuePairs.B), 0x04, number + 2, number, b"x" * 32)
    capture.close()


def requests_of_roce(path, n):
    """ConnectRequests without an answer."""
    capture = crowd.Roce(path)
    for number in range(n // 4):
        crowd.QueuePairs(capture, number, managed=False).request()
    capture.close()


def naks(path, n):
    """One queue pair acknowledges everything, and sends sequence errors."""
    capture = crowd.Roce(path)
    pair = crowd.QueuePairs(capture, 1)
    for number in range(n // 2):
        pair.send(0, crowd.message(number, 0))
        capture.packet(pair.hosts(1), 0x11, pair.qp[0], number * 7919 & 0xFFFFFF, struct.pack(">I", (0x60000001, 0x1F000001)[number % 2]))
    capture.close()


def packets_left_out(path, n):
    """A kernel tap says before each packet that 255 whole ones are not in the file (wire/tap_mark.h)."""
    capture = crowd.Roce(path)
    capture.addresses = struct.pack(">4sH2sBBH", b"\2tap", 20049, b"\2k", 0x10, 255, 20049)
    pair = crowd.QueuePairs(capture, 1)
    capture.packet(pair.hosts(0), 0x06, pair.qp[1], pair.psn[0], struct.pack(">QII", 0x1000, 7, 0xFFFFFFFF) + bytes(4096))
    for number in range(1, n):
        capture.packet(pair.hosts(0), 0x07, pair.qp[1], pair.psn[0] + 256 * number & 0xFFFFFF, b"x" * 8)
    capture.close()


# Rows that cost more than four times the control: the measured cost, doubled for a busy machine. Starting, ending and judging connections takes most of it.
TIMES = {
    "alike_connections": 18, "attempts_without_answer": 45, "connections_that_end_at_once": 13, "huge_counts": 8, "junk_requests": 20,
    "long_chunk_lists": 40, "long_compounds": 14, "one_stag_again": 7, "refused_attempts": 22, "rpcbind_pairs": 8, "terminates": 12,
    "unanswered_calls": 8, "one_block_again_and_again": 6, "writes_that_are_open": 8, "xids_of_one_bucket": 6,
    "huge_chunk_lists": 8, "many_files_written": 5, "written_and_read_back": 6,
}


# ---- tshark ----

SHARK = []


def tshark(build, path, **more):
    if not SHARK:
        SHARK.append(shark.Wireshark(build))
        atexit.register(shutil.rmtree, SHARK[0].folder)
    environment = SHARK[0].environment | more
    return [*SHARK[0].prefix, "env", *(f"{key}={value}" for key, value in environment.items()), "tshark", "-r", SHARK[0].readable(path)]


def plugins(build, path):
    return tshark(build, path)


def built_in(build, path):
    return tshark(build, path, WIRESHARK_PLUGIN_DIR="/nonexistent")


def the_same(path, hostile, _):
    path.write_bytes(hostile.read_bytes())


def in_tshark():
    for case in (adversary.junk_requests, adversary.many_stags, adversary.endless_send, adversary.unanswered_calls, adversary.long_chunk_lists,
                 adversary.shifted_overlaps, adversary.holes, adversary.alike_connections, frames.one_octet_a_segment, frames.backwards,
                 upper.written_and_read_back, upper.one_stag_again, upper.different_errors, upper.connections_that_end_at_once):
        yield f"tshark_{case.__name__}", of_tcp(case)
    yield "tshark_crowd_of_tcp", lambda path, n: crowd.crowd_of_tcp(path, n // 8)
    yield "tshark_crowd_of_roce", lambda path, n: crowd.crowd_of_roce(path, n // 8)
    yield "tshark_flood_of_roce", flood_of_roce


def rows():
    """All of iwarp-check, then the other programs."""
    for case in [*adversary.ALL, *frames.IN_TCP, *upper.ALL]:
        yield Row(case.__name__, of_tcp(case), TIMES.get(case.__name__, 4), mib=memory_of(case))
    for name, make, times in (("crowd_of_tcp", lambda path, n: crowd.crowd_of_tcp(path, n // 8), 30),
                              ("crowd_of_roce", lambda path, n: crowd.crowd_of_roce(path, n // 8), 30),
                              ("crowd_of_roce_unmanaged", lambda path, n: crowd.crowd_of_roce(path, n // 8, managed=False), 45)):
        yield Row(name, make, times, mib=lambda n: 32 + n // 8 * 44 / 1024)
    for name, make in (("flood_of_roce", flood_of_roce), ("requests_of_roce", requests_of_roce), ("naks", naks)):
        yield Row(name, make, 40, mib=lambda n: max(MIB, 16 + min(n, 16384) * 32 / 1024))
    yield Row("packets_left_out", packets_left_out, 100)
    for case in frames.FILES:
        unpacked = getattr(case, "unpacked", None)
        yield Row(case.__name__, case, 16 if unpacked else 4, control=(lambda path, _, n, make=unpacked: make(path, n)) if unpacked else of_octets, mib=lambda n: 160)
    yield from papers.rows(Row)
    for name, make in in_tshark():
        yield Row(name, make, TIMES.get(name, 6), control=the_same, command=plugins, share=0.25, built_in=True, statuses=(0,), mib=lambda n: 768)


def run(command):
    """Status, CPU seconds (all, and the user's), peak memory in MiB, and the output."""
    # time(1) measures the memory, as a large process's child also counts as large; and seconds to a hundredth only.
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as measured, tempfile.TemporaryFile() as errors:
        with subprocess.Popen(["/usr/bin/time", "-q", "-o", measured.name, "-f", "%M", *map(str, command)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=errors) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return (process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_utime, int(measured.read().splitlines()[-1]) / 1024,
                errors.read().decode(errors="replace"))


@dataclasses.dataclass
class Cost:
    octets: int
    seconds: float
    times: float
    growth: float
    mib: float
    mib_control: float
    limit_times: float
    limit_mib: float
    trouble: str = ""

    def line(self, name):
        return (f"{name:30} {self.octets:12} {self.seconds / self.octets * 1e6:9.4f} {self.times:8.2f} {self.limit_times:6.1f} {self.growth:7.2f}"
                f" {GROWTHS.get(name, GROWTH):4} {self.mib:8.1f} {self.mib_control:8.1f} {self.limit_mib:7.0f} {'  ' + self.trouble if self.trouble else ''}")


HEAD = (f"{'generator':30} {'octets':>12} {'s/MB':>9} {'x contr.':>8} {'limit':>6} {'growth':>7} {'lim.':>4} {'MiB':>8} {'control':>8} {'limit':>7}")


def judge(row, cost, sanitized):
    """Names values over their limits. With a sanitizer only growth counts. In tshark, time may grow as for the control of the same size: this growth is
    Wireshark's own, whose time for an endless message grows with the square, with or without the plugins."""
    over = []
    if cost.growth > GROWTHS.get(row.name, GROWTH) and not row.built_in:
        over.append("growth")
    if not sanitized and cost.times > cost.limit_times:
        over.append("time")
    if not sanitized and cost.mib > cost.limit_mib:
        over.append("memory")
    return ", ".join(over)


def measure(row, build, folder, n, sanitized=False):
    """One row: the sizes are n and FACTOR * n."""
    n = max(int(n * row.share), 8)
    paths = [folder / f"{row.name}-{size}" for size in (n, FACTOR * n)]
    for path, size in zip(paths, (n, FACTOR * n)):
        row.make(path, size)
    control = folder / f"{row.name}-control"
    (row.control or as_ordinary)(control, paths[1], FACTOR * n)
    command = row.command or check()
    commands = [command, command, built_in if row.built_in else command]
    best = None
    for _ in range(TRIES):
        seconds, users, mib = [], [], []
        for path, read in zip((*paths, control), commands):
            status, cpu, user, memory, said = run(read(build, path))
            assert status in row.statuses and "Sanitizer" not in said, (row.name, path.name, status, said[:2000])
            start = start_of(read, build, folder)
            seconds.append(max(cpu - start[0], 0))
            users.append(max(user - start[1], LEAST))
            mib.append(memory)
        octets = paths[1].stat().st_size
        cost = Cost(octets, seconds[1], min(users[1] / users[2], max(seconds[1], LEAST) / max(seconds[2], LEAST)),
                    min(max(users[1], LEAST * FACTOR) / users[0], max(seconds[1], LEAST * FACTOR) / max(seconds[0], LEAST)),
                    mib[1], mib[2], row.times, row.mib(FACTOR * n))
        cost.trouble = judge(row, cost, sanitized)
        if best is None or (cost.trouble == "") > (best.trouble == "") or (bool(cost.trouble) == bool(best.trouble) and cost.seconds < best.seconds):
            best = cost
        if not best.trouble:
            break
    for path in folder.glob(f"{row.name}-*"):
        if row.built_in:
            SHARK[0].forget(path)
        path.unlink()
    return best


START = {}  # seconds of a run without input


def start_of(command, build, folder):
    """The costs of tshark with and without the plugins, and of the other programs."""
    command = command if command in (plugins, built_in) else check("--summary", "--allow-empty")
    kind = command if command in (plugins, built_in) else None
    if kind not in START:
        path = folder / "nothing"
        adversary.Capture(path).close()
        START[kind] = min(run(command(build, path))[1:3] for _ in range(3))
    return START[kind]


def is_sanitized(build):
    said = subprocess.run(["ldd", build / "conformance" / "iwarp-check"], capture_output=True, text=True, check=True)
    return "libasan" in said.stdout


def write_junit(path, costs):
    with open(path, "w", encoding="utf-8") as file:
        print(f'<testsuite name="hostile" tests="{len(costs)}" failures="{sum(bool(cost.trouble) for _, cost in costs)}">', file=file)
        for name, cost in costs:
            print(f'<testcase classname="hostile" name={quoteattr(name)} time="{cost.seconds:.3f}">', file=file)
            if cost.trouble:
                print(f"<failure message={quoteattr('over its limit: ' + cost.trouble)}>{re.sub('[<&]', ' ', cost.line(name))}</failure>", file=file)
            print("</testcase>", file=file)
        print("</testsuite>", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build" / "release")
    parser.add_argument("--size", type=int, default=25000, help="packets, roughly, of the smaller file")
    parser.add_argument("--junit", type=pathlib.Path)
    parser.add_argument("--only", default="", help="part of the names of rows")
    arguments = parser.parse_args()
    costs = []
    with tempfile.TemporaryDirectory() as name:
        folder, sanitized = pathlib.Path(name), is_sanitized(arguments.build)
        print(HEAD, flush=True)
        for row in rows():
            if arguments.only not in row.name:
                continue
            cost = measure(row, arguments.build, folder, arguments.size, sanitized)
            costs.append((row.name, cost))
            print(cost.line(row.name), flush=True)
    if arguments.junit:
        write_junit(arguments.junit, costs)
    return any(cost.trouble for _, cost in costs)


if __name__ == "__main__":
    sys.exit(main())
