# SPDX-License-Identifier: GPL-2.0-or-later
"""Live connections over loopback: the cost of a gigabyte, compared with iperf3, and the memory of a thousand connections."""
import json
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess

MESSAGE = 65536
COUNT = 30000
GIGABYTES = MESSAGE * COUNT / 1e9
REQUEST = b"MPA ID Req Frame\x40\x01\x00\x00"


def spent(usage):
    return usage.ru_utime + usage.ru_stime


class Served:
    """iwarp-gen serve, on a free port."""

    def __init__(self, build, *options):
        self.process = subprocess.Popen([build / "traffic-gen" / "iwarp-gen", "serve", "127.0.0.1:0", "--service=sink",
                                         *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.address = "127.0.0.1", int(re.search(r"port (\d+)", self.process.stderr.readline()).group(1))
        self.cpu = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stderr.close()
        self.cpu = spent(usage)

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def run(arguments):
    """Its output, and its CPU seconds, user and system."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return said, spent(usage)


def ours(build, kind):
    """(Gbit/s, CPU seconds of both ends for each gigabyte) of one connection with CRC, messages of 64 KiB."""
    with Served(build) as served:
        said, cpu = run([build / "traffic-gen" / "iwarp-gen", "connect", "%s:%d" % served.address, f"--{kind}",
                         f"--size={MESSAGE}", f"--count={COUNT}"])
    return float(re.search(r"([\d.]+) Gbit/s", said).group(1)), (cpu + served.cpu) / GIGABYTES


def iperf3():
    """The same of iperf3, with writes of that size."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    server = subprocess.Popen(["iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port, "--forceflush"], text=True,
                              stdout=subprocess.PIPE)
    for line in server.stdout:
        if "listening" in line:
            break
    said, cpu = run(["iperf3", "-c", "127.0.0.1", "-p", port, "-n", str(MESSAGE * COUNT), "-l", str(MESSAGE), "-J"])
    server.stdout.read()
    server.stdout.close()
    _, status, usage = os.wait4(server.pid, 0)
    server.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(said)["end"]["sum_received"]["bits_per_second"] / 1e9, (cpu + spent(usage)) / GIGABYTES


def thousand_connections(build):
    """MiB of a server with as many connections in full operation."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with Served(build) as served:
        peers = [socket.create_connection(served.address) for _ in range(1000)]
        for peer in peers:
            peer.sendall(REQUEST)
        for peer in peers:
            assert peer.recv(20, socket.MSG_WAITALL).startswith(b"MPA ID Rep Frame")
        memory = served.memory_mib()
        for peer in peers:
            peer.close()
    return memory


def live(build, runs):
    """Lines to print, and limits: for CPU seconds for each gigabyte, mostly the kernel's, which depend less on other work
    than the rate. The runs alternate."""
    limits = [("iwarp-gen serve: memory with 1,000 connections", thousand_connections(build), 500, "MiB")]
    if not shutil.which("iperf3"):
        return ["live: no iperf3 here, so nothing to compare with"], limits
    measured = {"iperf3": [], "write": [], "read": []}
    for _ in range(runs):
        measured["iperf3"].append(iperf3())
        for kind in ("write", "read"):
            measured[kind].append(ours(build, kind))
    cpu = {name: statistics.median(cost for _, cost in values) for name, values in measured.items()}
    lines = [f"live, {name}, {runs} runs: best {max(rate for rate, _ in values):.2f} Gbit/s, median {cpu[name]:.3f} CPU s/GB"
             for name, values in measured.items()]
    limits += [(f"live {kind} of 64 KiB, one connection, CRC on: CPU seconds for each gigabyte against iperf3's",
                cpu[kind] / cpu["iperf3"], 1.3, "x") for kind in ("write", "read")]
    return lines, limits
