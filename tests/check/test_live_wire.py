# SPDX-License-Identifier: GPL-2.0-or-later
"""Live capture on its own wire: two network namespaces and a veth pair. Drops in the kernel are reported in every format, and make
rules inconclusive, never failed; reports of periods; orderly ends."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from reports import read_report

PORT = 7174
MESSAGE = 65536


def ip(*arguments, **options):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=30, check=False, **options)


class Wire:
    """A server's namespace and a client's; iwarp-check listens on the client's end."""

    def __init__(self, build, folder):
        self.build, self.folder, self.processes = build, folder, []
        self.names = [f"iwarp-test-{os.getpid()}-{end}" for end in "ab"]
        self.interface = f"ia{os.getpid()}"

    def make(self):
        other = f"ib{os.getpid()}"
        steps = [*(["netns", "add", name] for name in self.names),
                 ["link", "add", self.interface, "netns", self.names[0], "type", "veth", "peer", "name", other, "netns", self.names[1]],
                 ["-n", self.names[0], "address", "add", "192.0.2.2/24", "dev", self.interface],
                 ["-n", self.names[1], "address", "add", "192.0.2.1/24", "dev", other],
                 ["-n", self.names[0], "link", "set", self.interface, "up"], ["-n", self.names[1], "link", "set", other, "up"]]
        for step in steps:
            done = ip(*step)
            if done.returncode != 0:
                pytest.skip(f"no network namespaces here: ip {' '.join(step)}: {done.stderr.strip()}")

    def remove(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()
        for name in self.names:
            ip("netns", "del", name)

    def start(self, end, *command, **options):
        process = subprocess.Popen(["ip", "netns", "exec", self.names[end], *map(str, command)], text=True, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)
        self.processes.append(process)
        return process

    def serve(self, service):
        server = self.start(1, self.build / "traffic-gen" / "iwarp-gen", "serve", f"192.0.2.1:{PORT}", f"--service={service}")
        assert "port" in server.stderr.readline()

    def client(self, *options):
        return self.start(0, self.build / "traffic-gen" / "iwarp-gen", "connect", f"192.0.2.1:{PORT}", *options)

    def move(self, count):
        """Moves this many messages of 64 KiB by RDMA Writes, on their own connection."""
        client = self.client("--write", f"--size={MESSAGE}", f"--count={count}")
        said, errors = client.communicate(timeout=120)
        assert client.returncode == 0 and f"{count} messages" in said, errors

    def watch(self, *options):
        """iwarp-check while it captures: it gives up its rights when the interface is open."""
        watcher = self.start(0, self.build / "conformance" / "iwarp-check", "-i", self.interface, "--no-progress", *options)
        end = time.monotonic() + 60
        while not re.search(r"^NoNewPrivs:\s*1", pathlib.Path(f"/proc/{watcher.pid}/status").read_text(encoding="ascii"), re.M):
            if watcher.poll() is not None:
                pytest.skip(f"no live capture on this machine: {watcher.stderr.read()}")
            assert time.monotonic() < end
            time.sleep(0.02)
        return watcher

    def octets(self):
        done = ip("netns", "exec", self.names[0], "cat", f"/sys/class/net/{self.interface}/statistics/tx_bytes")
        return int(done.stdout)


@pytest.fixture
def wire(build, tmp_path):
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("network namespaces need rights, and ip(8)")
    made = Wire(build, tmp_path)
    try:
        made.make()
        yield made
    finally:
        made.remove()


def end(watcher, how=signal.SIGINT):
    watcher.send_signal(how)
    said, errors = watcher.communicate(timeout=120)
    return watcher.returncode, said, errors


def capture_of(path):
    return read_report(path.read_text(encoding="utf-8"))["captures"][0]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_all_that_came_before_the_end(wire, tmp_path, how):
    """As much as the buffer holds cannot be lost on any machine; packets that wait there at the signal count."""
    wire.serve("sink")
    watcher = wire.watch("--format=ndjson", "--counts=connection", f"--output={tmp_path / 'r.json'}", "--fail-on=warning")
    wire.move(500)
    status, said, errors = end(watcher, how)
    capture = capture_of(tmp_path / "r.json")
    [connection] = capture["connections"]
    assert (status, said, errors) == (0, "", "")
    assert capture["dropped"] == 0 and connection["counts"]["operations"]["write"] == 500 and connection["mpa"]["complete"]


def lossy(wire, *options):
    """A connection that continues while the checker is stopped until the buffer is full, three times."""
    wire.serve("rping")
    watcher = wire.watch("--capture-buffer=1M", *options)
    client = wire.client("--rping", f"--size={MESSAGE}")
    until(lambda: wire.octets() > 2 << 20)
    for _ in range(3):
        watcher.send_signal(signal.SIGSTOP)
        sent = wire.octets()
        until(lambda bound=sent + (8 << 20): wire.octets() > bound)
        watcher.send_signal(signal.SIGCONT)
        sent = wire.octets()
        until(lambda bound=sent + (2 << 20): wire.octets() > bound)
    said = end(client)  # at the end of a message: a kill would cause a finding
    assert "pings" in said[1], said
    return end(watcher)


def until(true):
    limit = time.monotonic() + 120
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.005)


def test_drops_make_inconclusive(wire, tmp_path):
    """After a very large hole the connection may look like another one at the same addresses without its start."""
    status, said, errors = lossy(wire, "--format=ndjson", "--counts=connection", f"--output={tmp_path / 'r.json'}", "--summary")
    capture = capture_of(tmp_path / "r.json")
    connections = capture["connections"]
    assert {frozenset((c["initiator"], c["responder"])) for c in connections} == {
        frozenset((connections[0]["initiator"], connections[0]["responder"]))}
    # The client may be stopped in the middle of a message: this is reported as a warning.
    found = {finding["rule"] for c in connections for finding in c["findings"]} - {"DDP-6.2.1-02"}
    assert (status, errors) == (0, "") and not found and capture["dropped"] > 1000
    fields = said.splitlines()[0].split("\t")
    assert fields[:4] == [wire.interface, "PASS", str(len(connections)), "0"] and fields[7] == str(capture["dropped"])
    rules = [rule for c in connections for rule in c["rules"].values()]
    assert sum(rule["inconclusive"] for rule in rules) > 0
    assert not any(c["mpa"]["complete"] for c in connections) and sum(sum(c["counts"]["fpdus"]) for c in connections) > 1000


@pytest.mark.parametrize("kind, pattern", [("text", r": \d+ packets \((\d+) dropped by the capture\)"),
                                           ("junit", r'<property name="packets_dropped" value="(\d+)"'),
                                           ("html", r"\((\d+) dropped by the capture\)")])
def test_drops_are_told_in(wire, tmp_path, kind, pattern):
    status, _, errors = lossy(wire, f"--format={kind}", f"--output={tmp_path / 'r'}")
    assert (status, errors) == (0, "")
    assert int(re.search(pattern, (tmp_path / "r").read_text(encoding="utf-8")).group(1)) > 1000


def test_a_report_each_second(wire, check, tmp_path):
    """Seconds without packets have a report, too. A visible report is complete."""
    def await_part(number):
        path = tmp_path / f"r-{number:05}.json"
        until(path.exists)
        return capture_of(path)

    wire.serve("sink")
    watcher = wire.watch("--format=ndjson", "--counts=connection", "--rotate=1", f"--output={tmp_path / 'r.json'}")
    await_part(1)
    wire.move(100)
    await_part(4)
    wire.move(200)
    status, said, errors = end(watcher)
    parts = sorted(tmp_path.glob("r-*.json"))
    assert (status, said, errors) == (0, "", "") and capture_of(parts[-1])["part"]["ended"]
    merged = check("merge", *parts)
    capture = read_report(merged.stdout)["captures"][0]
    assert merged.returncode == 0 and "part" not in capture and capture["dropped"] == 0
    assert [c["counts"]["operations"]["write"] for c in capture["connections"]] == [100, 200]
    assert all(c["mpa"]["complete"] for c in capture["connections"])


def test_the_interface_goes_away(wire, tmp_path):
    wire.serve("sink")
    watcher = wire.watch("--format=ndjson", "--counts=connection", f"--output={tmp_path / 'r.json'}")
    wire.move(20)
    time.sleep(0.3)  # longer than the kernel keeps packets back
    assert ip("-n", wire.names[0], "link", "del", wire.interface).returncode == 0
    errors = watcher.communicate(timeout=60)[1]
    capture = capture_of(tmp_path / "r.json")
    assert watcher.returncode == 2 and wire.interface in errors and len(errors.splitlines()) == 1
    assert wire.interface in capture["error"] and len(capture["connections"]) == 1


def test_nothing_to_watch(wire, tmp_path):
    watcher = wire.watch(f"--output={tmp_path / 'r'}")
    status, said, errors = end(watcher)
    assert (status, said) == (3, "") and "no RDMA connection" in errors and (tmp_path / "r").read_text().startswith("NOTHING")


def test_no_such_interface(check, tmp_path):
    result = check("-i", "no-such-thing", "--rotate=1", "--format=ndjson", "--counts=connection", f"--output={tmp_path / 'r.json'}")
    assert result.returncode == 2 and "no-such-thing" in result.stderr
    assert "error" in capture_of(tmp_path / "r-00001.json")
