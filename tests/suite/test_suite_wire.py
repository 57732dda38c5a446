# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen on its own TCP (--wire): two network namespaces and a veth pair. The suites have the same results as over the kernel's TCP, and
each case about TCP fails on a device with that error in its TCP."""
import contextlib
import os
import re
import shutil
import subprocess
import sys

import pytest

import devices

OWN = {4: "192.0.2.9/24", 6: "2001:db8::9/64"}
HOST = {4: "192.0.2.1", 6: "[2001:db8::1]"}
PORT = 7174

# An error of a TCP, the cases that must fail, and the cases that may fail besides.
FAULTS = {
    "order": ({"MPA-A.5.2-01", "MPA-A.5.2-01/late", "MPA-A.5.2-01/backwards"}, set()),
    "again": ({"MPA-A.3-02", "MPA-A.3-02/same", "MPA-A.3-01/urgent"},  # which also sends octets again
              {"MPA-A.3-02/cut", "MPA-A.5.2-01/late", "MPA-A.5.2-01/backwards", "MPA-A.3-01/window"}),
    "overlap": ({"MPA-A.3-02/overlap", "MPA-A.3-02/cut"}, set()),
    "keep-alive": ({"MPA-A.3-02/keep-alive", "MPA-A.3-01/urgent"}, {"MPA-A.3-02/same"}),  # an octet that was acknowledged
    "checksum": ({"MPA-A.3-01/checksum"}, set()),
    "window": ({"MPA-A.3-01/window"}, set()),
    "reset": ({"MPA-A.3-01/reset"}, set()),
    "syn": ({"MPA-A.3-01/syn"}, set()),
    "short": ({"MPA-5.1-06/segments"}, None),
    "congestion": ({"MPA-5.1-06/congestion"}, set()),
    "stall": ({"MPA-A.1-04/window", "MPA-A.1-04/path-within"}, set()),  # in both our window is closed for a while
    "path": ({"MPA-A.1-04/path", "MPA-A.1-04/path-within"}, set()),
    "shrink": ({"MPA-A.1-04/path-within"}, {"MPA-A.1-03/seen"}),  # an FPDU with an octet missing
    "urgent": ({"MPA-A.3-01/urgent"}, set()),
    "syn-data": ({"MPA-A.3-01/syn-data"}, set()),
    "wrap": ({"MPA-4.3-07"}, set()),
}
CROSSED = "MPA-A.3-01/crossed"  # only for Initiators: test_own_tcp_that_connects


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=30, check=False)


class Wire:
    """Namespace 0 is the tester's, where only our own TCP has an address, namespace 1 the device's."""

    def __init__(self):
        self.names = [f"iwarp-own-{os.getpid()}-{end}" for end in "ab"]
        self.processes = []

    def make(self):
        steps = [*(["netns", "add", name] for name in self.names),
                 ["link", "add", "wire0", "netns", self.names[0], "type", "veth", "peer", "name", "wire1", "netns", self.names[1]],
                 ["-n", self.names[1], "address", "add", "192.0.2.1/24", "dev", "wire1"],
                 ["-n", self.names[1], "address", "add", "2001:db8::1/64", "dev", "wire1", "nodad"],
                 *(["-n", name, "link", "set", link, "up"] for name, link in zip(self.names, ("wire0", "wire1"))),
                 ["-n", self.names[1], "link", "set", "lo", "up"]]
        for step in steps:
            done = ip(*step)
            if done.returncode != 0:
                pytest.skip(f"no network namespaces here: ip {' '.join(step)}: {done.stderr.strip()}")

    def remove(self):
        self.stop()
        for name in self.names:
            ip("netns", "del", name)

    def command(self, end, *command):
        return ["ip", "netns", "exec", self.names[end], *map(str, command)]

    def start(self, end, *command, pattern=r"(\d+)\s*$"):
        """A program in the background; the match of the pattern in its first line."""
        process = subprocess.Popen(self.command(end, *command), text=True, stderr=subprocess.STDOUT, stdout=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL)
        self.processes.append(process)
        line = process.stdout.readline()
        assert re.search(pattern, line), line
        return re.search(pattern, line).group(1)

    def gen(self, end, *arguments):
        return subprocess.run(self.command(end, devices.GEN, *arguments), capture_output=True, text=True, timeout=100, check=False)

    def test(self, *arguments, ip_version=4, jobs=4, own=True):
        output = f"{devices.work_folder()}/report.json"
        wire = ["--wire=wire0", f"--wire-address={OWN[ip_version]}"] if own else []
        done = self.gen(0 if own else 1, "test", "--format=json", f"--output={output}", f"--jobs={jobs}", *devices.TIMES, *wire, *arguments)
        return devices.finish(done.returncode, output, done.stderr, None)

    def stop(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.communicate()
        self.processes = []


@pytest.fixture(scope="module")
def made():
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("network namespaces need rights, and ip(8)")
    wire = Wire()
    try:
        wire.make()
        yield wire
    finally:
        wire.remove()


@pytest.fixture
def wire(made):
    yield made
    made.stop()


def outcomes(run):
    return {name: test["outcome"] for name, test in run.tests.items()}


@pytest.mark.parametrize("ip_version", (4, 6))
def test_suites_see_the_same(wire, ip_version):
    port = wire.start(1, devices.SAMPLE_DEVICE, "responder", HOST[ip_version].strip("[]"), 0)
    address = f"{HOST[ip_version]}:{port}"
    run, kernel = (wire.test(address, "--suite=mpa,ddp", own=own, ip_version=ip_version) for own in (True, False))
    only_own = {name for name, test in kernel.tests.items() if "own TCP" in test["actual"]}
    assert run.status == 0, run.errors + run.tell()
    assert len(only_own) > 10 and len(kernel.tests) > 100
    assert {name: each for name, each in outcomes(run).items() if name not in only_own} == {
        name: each for name, each in outcomes(kernel).items() if name not in only_own}
    needs_markers = {"MPA-4.3-07"}  # this device does not ask for them
    assert {run.tests[name]["outcome"] for name in only_own - needs_markers} == {"passed"}
    assert {kernel.tests[name]["outcome"] for name in only_own} == {"not applicable"}


def test_the_same_machine(wire, tmp_path):
    """iwarp-gen learn: our own TCP gives the same machine as the kernel's."""
    port = wire.start(1, devices.GEN, "serve", ":0", "--service=echo", pattern=r"port (\d+)")
    learn = ["learn", f"192.0.2.1:{port}", "--quiet=0.05", "--jobs=8", "--inputs=request,write,garbage,fin", "--checks=20"]
    done = wire.gen(1, *learn, "--format=json", "-o", tmp_path / "kernel.json")
    assert done.returncode == 0, done.stderr
    done = wire.gen(0, *learn, f"--compare={tmp_path}/kernel.json", "--wire=wire0", f"--wire-address={OWN[4]}")
    assert done.returncode == 0 and "the same machine" in done.stderr, done.stderr


def run_initiator(wire, *options, rules, timeout=0.4):
    output = f"{devices.work_folder()}/report.json"
    test = subprocess.Popen(wire.command(0, devices.GEN, "test", "--listen", "192.0.2.9:7175", "--format=json", f"--output={output}",
                                         "--wire=wire0", f"--wire-address={OWN[4]}", f"--rules={rules}", *devices.TIMES, f"--timeout={timeout}"),
                            stderr=subprocess.PIPE, text=True)
    wire.processes.append(test)
    line = test.stderr.readline()
    assert "listening on port 7175" in line
    device = subprocess.Popen(wire.command(1, devices.SAMPLE_DEVICE, "initiator", "192.0.2.9", "7175", *options))
    try:
        _, errors = test.communicate(timeout=100)
    finally:
        device.kill()
        device.wait()
    return devices.finish(test.returncode, output, line + errors, None)


def test_device_that_connects(wire):
    """With the kernel's TCP, also with simultaneous open."""
    run = run_initiator(wire, rules="MPA-5.1-06,MPA-A,DDP-4.1")
    assert run.status == 0, run.errors + run.tell()
    assert {"MPA-A.3-02/overlap", CROSSED, "MPA-A.3-01/urgent"} <= set(run.outcome("passed"))
    run = run_initiator(wire, "markers", rules="MPA-4.3-07")
    assert run.outcome("passed") == ["MPA-4.3-07"], run.errors + run.tell()


@pytest.mark.parametrize("fault", [None, "crossed"])
def test_own_tcp_that_connects(wire, fault):
    """Its stream begins an octet too late only after a simultaneous open."""
    own = "wire=wire1,192.0.2.77/24" + (f",{fault}" if fault else "")
    run = run_initiator(wire, own, rules="MPA-A.3-01")
    assert run.status == (1 if fault else 0) and run.outcome("failed") == ([CROSSED] if fault else []), run.errors + run.tell()
    assert "MPA-A.3-01/syn" in run.outcome("passed")


def test_own_tcp_that_connects_loses_where_numbers_wrap(wire):
    run = run_initiator(wire, "markers", "wire=wire1,192.0.2.77/24,wrap", rules="MPA-4.3-07", timeout=2) # its TCP may have to send again
    assert run.status == 1 and run.outcome("failed") == ["MPA-4.3-07"], run.errors + run.tell()


def last_message(frames, connection):
    """The segments of the last message: (from, to, what)."""
    segments, ended = [], False
    for frame in (frame for frame in frames if frame["connection"] == connection and frame["from"] == "test"):
        found = re.match(r"segment at (-?\d+): (.*)", frame["what"])
        if found and ended:
            segments = []
        if found:
            segments.append((int(found.group(1)), int(found.group(1)) + frame["length"], found.group(2)))
        ended = not found
    return segments


def cuts_of(segments):
    """Offsets where new octets begin or end, counted from the first; segments that the receiver has to drop do not count."""
    taken, places = set(), set()
    start = min(at for at, end, what in segments if end > at and "window" not in what and "past" not in what)
    for at, end, what in segments:
        new = set(range(at - start, end - start)) - taken
        if not new or re.search("checksum|window|past|keep-alive|other octets, although", what):
            continue
        places |= {min(new), max(new) + 1}
        taken |= new
    return places


BETWEEN_CUTS = 0.05


def gaps_of(frames, connection):
    """Seconds before each segment of a counterpart in two or three but the first: right after each other they could be one to the device."""
    sent = [frame["seconds"] for frame in frames if frame["connection"] == connection and "with nothing odd" in frame["what"]]
    last = sent[-len(last_message(frames, connection)):]
    return [after - before for before, after in zip(last, last[1:])] if len(last) <= 3 else []


def assert_same_cuts(test):
    """A counterpart differs from its case only in the oddity: the last message of the case has the same cuts as in its two counterparts."""
    last = test["frames"][-1]["connection"]
    odd, *plain = (last_message(test["frames"], connection) for connection in range(last - 2, last + 1))
    assert all(what == "with nothing odd" for each in plain for _, _, what in each), test["id"]
    assert not any(what == "with nothing odd" for _, _, what in odd) and cuts_of(odd), test["id"]
    for connection in (last - 1, last):
        assert all(gap >= BETWEEN_CUTS for gap in gaps_of(test["frames"], connection)), test["id"]
    for each in plain:
        if test["id"] != "MPA-5.1-06/segments": # which tests the cut itself
            assert cuts_of(each) == cuts_of(odd), (test["id"], odd, each)


# Cases without a message in odd segments: how the connection is opened, where its sequence numbers begin, and messages from the device.
NO_SEGMENTS = {"MPA-A.3-01/syn-data", CROSSED, "MPA-A.1-04/window", "MPA-A.1-04/path", "MPA-A.1-04/path-within", "MPA-4.3-07"}


@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_tcp_fails(wire, fault):
    must, may = FAULTS[fault]
    markers = ["--markers"] if fault == "wrap" else []
    wire.start(1, devices.GEN, "serve", f":{PORT}", "--service=echo", "--wire=wire1", "--wire-address=192.0.2.77/24", *markers,
               f"--wire-fault={fault}", pattern=r"port (\d+)")
    run = wire.test(f"192.0.2.77:{PORT}", "--rules=MPA-4.3-07,MPA-5.1-06/segments,MPA-5.1-06/congestion,MPA-A", "--transcript=full")
    failed = set(run.outcome("failed"))
    assert must <= run.shown_to_fail() and (may is None or failed <= must | may), run.errors + run.tell()
    assert run.status == (1 if failed else 0), run.errors + run.tell()
    for name in failed - NO_SEGMENTS:
        if not name.endswith("/seen"):
            assert_same_cuts(run.tests[name])


def test_own_tcp_on_both_sides(wire):
    wire.start(1, devices.GEN, "serve", f":{PORT}", "--service=echo", "--wire=wire1", "--wire-address=192.0.2.77/24", "--markers",
               pattern=r"port (\d+)")
    run = wire.test(f"192.0.2.77:{PORT}", "--rules=MPA-4.3-07,MPA-5.1-06,MPA-A")
    assert run.status == 0, run.errors + run.tell()
    assert "MPA-4.3-07" in run.outcome("passed")


@pytest.mark.parametrize("ip_version", (4, 6))
def test_transfer(wire, ip_version):
    port = wire.start(1, devices.GEN, "serve", ":0", "--service=sink", pattern=r"port (\d+)")
    own = ["--wire=wire0", f"--wire-address={OWN[ip_version]}"]
    for direction in ("--write", "--read"):
        done = wire.gen(0, "connect", f"{HOST[ip_version]}:{port}", direction, "--count=50", *own)
        assert done.returncode == 0 and "50 messages" in done.stdout, done.stdout + done.stderr


def test_clients_of_own_tcp(wire):
    wire.start(0, devices.GEN, "serve", f":{PORT}", "--service=sink", "--wire=wire0", f"--wire-address={OWN[4]}", pattern=r"port (\d+)")
    for direction in ("--write", "--read"):
        done = wire.gen(1, "connect", f"192.0.2.9:{PORT}", direction, "--count=50")
        assert done.returncode == 0 and "50 messages" in done.stdout, done.stdout + done.stderr
    assert "Connection refused" in wire.gen(1, "connect", "192.0.2.9:1", "--write").stderr


@pytest.mark.parametrize("scenario", ("ddp", "markers", "half-close", "reset"))
@pytest.mark.parametrize("listens", (0, 1))
def test_scenario(wire, scenario, listens):
    """listens: the listening end; end 0 has our own TCP."""
    own = ["--wire=wire0", f"--wire-address={OWN[4]}"]
    host = "192.0.2.9" if listens == 0 else "192.0.2.1"
    wire.start(listens, devices.GEN, "listen", f":{PORT}", scenario, *(own if listens == 0 else []), pattern=r"port (\d+)")
    listener = wire.processes[-1]
    done = wire.gen(1 - listens, "connect", f"{host}:{PORT}", scenario, *(own if listens == 1 else []))
    out, _ = listener.communicate(timeout=devices.DEADLINE)
    assert (done.returncode, listener.returncode) == (0, 0), done.stderr + out


def test_no_answer(wire):
    own = ["--wire=wire0", f"--wire-address={OWN[4]}"]
    assert "Connection refused" in wire.gen(0, "connect", "192.0.2.1:1", "--write", *own).stderr
    done = wire.gen(0, "connect", "192.0.2.200:1", "--write", "--timeout=1", *own)
    assert done.returncode == 2 and "no answer" in done.stderr
    done = wire.gen(0, "connect", "198.51.100.1:1", "--write", *own)
    assert done.returncode == 2 and "--wire-gateway" in done.stderr


# Rejects, and resets the connection at once.
REFUSES = """
import socket, struct
listener = socket.create_server(("192.0.2.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    client.recv(512)
    client.sendall(b"MPA ID Rep Frame" + bytes([0x60, 1, 0, 0]))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
"""


def test_octets_before_a_reset(wire):
    """They are read, as with the kernel's TCP."""
    port = wire.start(1, sys.executable, "-c", REFUSES)
    for _ in range(5):
        done = wire.gen(0, "connect", f"192.0.2.1:{port}", "--write", "--wire=wire0", f"--wire-address={OWN[4]}")
        assert done.returncode == 1 and "the connection was rejected" in done.stderr, done.stderr


def test_other_address(wire):
    done = wire.gen(0, "test", "--listen", "192.0.2.200:0", "--wire=wire0", f"--wire-address={OWN[4]}")
    assert done.returncode == 2 and "only at --wire-address" in done.stderr


def test_down(wire):
    ip("-n", wire.names[0], "link", "set", "wire0", "down")
    try:
        done = wire.gen(0, "test", "192.0.2.1:1", "--wire=wire0", f"--wire-address={OWN[4]}")
    finally:
        ip("-n", wire.names[0], "link", "set", "wire0", "up")
    assert done.returncode == 2 and "ip link set wire0 up" in done.stderr


def test_tap(wire):
    """On a TAP device the same machine's kernel is the peer."""
    if not os.path.exists("/dev/net/tun"):
        pytest.skip("no /dev/net/tun")
    name = wire.names[1]
    done = ip("-n", name, "tuntap", "add", "tap0", "mode", "tap")
    if done.returncode != 0:
        pytest.skip(f"no TAP device: {done.stderr.strip()}")
    try:
        ip("-n", name, "address", "add", "198.51.100.1/24", "dev", "tap0")
        ip("-n", name, "link", "set", "tap0", "up")
        port = wire.start(1, devices.GEN, "serve", ":0", "--service=sink", pattern=r"port (\d+)")
        done = wire.gen(1, "connect", f"198.51.100.1:{port}", "--write", "--count=20", "--wire=tap0", "--wire-address=198.51.100.2/24")
        assert done.returncode == 0 and "20 messages" in done.stdout, done.stdout + done.stderr
    finally:
        ip("-n", name, "link", "del", "tap0")


@pytest.mark.parametrize("arguments, message", [
    (("--wire-address=192.0.2.9/24",), "--wire-address: only with --wire=IF"),
    (("--wire=lo",), "needs --wire-address=ADDRESS/PREFIX"),
    (("--wire=lo", "--wire-address=192.0.2.9/24"), "not an Ethernet interface"),
    (("--wire=nowhere0", "--wire-address=192.0.2.9/24"), "no such network interface"),
    (("--wire=lo", "--wire-address=192.0.2.9"), "192.0.2.9/24"),
    (("--wire=lo", "--wire-address=224.0.0.1/24"), "not the address of a host"),
    (("--wire=lo", "--wire-address=192.0.2.9/24", "--wire-gateway=2001:db8::1"), "is not an IPv4 gateway address"),
])
@pytest.mark.parametrize("command", (("test", "127.0.0.1:1"), ("connect", "127.0.0.1:1", "--rping"), ("listen", ":0", "ddp"),
                                     ("serve", ":0", "--service=echo"), ("learn", "127.0.0.1:1"), ("learn", "--listen", ":0")),
                         ids=lambda command: command[0])
def test_usage(command, arguments, message):
    done = subprocess.run([devices.GEN, *command, *arguments], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_no_rights(wire):
    command = wire.command(0, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", devices.GEN, "test", "127.0.0.1:1", "--wire=wire0",
                           "--wire-address=192.0.2.9/24")
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2 and "setcap cap_net_raw,cap_net_admin+ep" in done.stderr, done.stderr
