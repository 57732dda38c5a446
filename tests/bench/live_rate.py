# SPDX-License-Identifier: GPL-2.0-or-later
"""Live connections over loopback: octets per second against iperf3, and the memory of a thousand connections."""
import json
import re
import resource
import shutil
import signal
import socket
import subprocess

SECONDS = 2  # of each run of iperf3; ours moves about as long
REQUEST = b"MPA ID Req Frame\x40\x01\x00\x00"


class Served:
    """iwarp-gen serve, on a free port."""

    def __init__(self, build, *options):
        self.process = subprocess.Popen([build / "traffic-gen" / "iwarp-gen", "serve", "127.0.0.1:0", "--service=sink",
                                         *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.address = "127.0.0.1", int(re.search(r"port (\d+)", self.process.stderr.readline()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def ours(build, kind, count):
    """Gbit/s of one connection with CRC, messages of 64 KiB."""
    with Served(build) as served:
        said = subprocess.run([build / "traffic-gen" / "iwarp-gen", "connect", "%s:%d" % served.address, f"--{kind}",
                               "--size=65536", f"--count={count}"], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) Gbit/s", said).group(1))


def iperf3():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with subprocess.Popen(["iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port, "--forceflush"], text=True,
                          stdout=subprocess.PIPE) as server:
        for line in server.stdout:
            if "listening" in line:
                break
        said = subprocess.run(["iperf3", "-c", "127.0.0.1", "-p", port, "-t", str(SECONDS), "-l", "64K", "-J"],
                              capture_output=True, text=True, check=True).stdout
        server.communicate(timeout=20)
    return json.loads(said)["end"]["sum_received"]["bits_per_second"] / 1e9


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
    """Lines to print, and limits. The best of several runs that alternate: what else the machine does slows both down."""
    lines, limits = [], [("iwarp-gen serve: memory with 1,000 connections", thousand_connections(build), 500, "MiB")]
    if not shutil.which("iperf3"):
        return ["live: no iperf3 here, so nothing to compare with"], limits
    rates = {"iperf3": [], "write": [], "read": []}
    for _ in range(runs):
        rates["iperf3"].append(iperf3())
        rates["write"].append(ours(build, "write", 30000))
        rates["read"].append(ours(build, "read", 30000))
    lines = [f"live, {name}, best of {runs}: {max(values):.2f} Gbit/s" for name, values in rates.items()]
    limits += [(f"live {kind} of 64 KiB, one connection, CRC on: iperf3 against it",
                max(rates["iperf3"]) / max(rates[kind]), 2, "x") for kind in ("write", "read")]
    return lines, limits
