# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen learn: the machines of known devices, with faults that only a sequence shows."""
import contextlib
import json
import re
import socket
import subprocess
import threading
import time

import pytest

import devices
import scripted
from crc32c import crc32c

FEW = "--inputs=request,request-p2p,write,send,garbage,fin"


def learn(port, *args, timeout=devices.DEADLINE):
    command = [devices.GEN, "learn", f"127.0.0.1:{port}", "--quiet=0.05", "-j", "16", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def take_up(file, *args):
    """An earlier machine."""
    command = [devices.GEN, "learn", f"--machine={file}", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=20)


def machine(port, *args):
    run = learn(port, "--format=json", *args)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def says(machine, *word):
    """The outputs for these inputs."""
    state, outputs = 0, []
    for name in word:
        edge = machine["states"][state]["edges"][machine["inputs"].index(name)]
        state = edge["next"]
        outputs.append(edge["output"])
    return outputs


def echoes(connection, ulpdu, msn):
    """A Send comes back."""
    if len(ulpdu) >= 18 and ulpdu[1] & 0x0F == 3 and not ulpdu[0] & 0x80:
        connection.sendall(scripted.fpdu(bytes([0x41, 0x43]) + bytes(4) + bytes(4) + msn.to_bytes(4, "big") + bytes(4) + ulpdu[18:]))


class Echo(scripted.Device):
    """before(n, ulpdu) may handle the n-th FPDU: True: it is then ignored."""

    def __init__(self, before=lambda n, ulpdu, good: False, pause=0.0, **how):
        self.before, self.pause = before, pause
        super().__init__(**how)

    def operate(self, connection, request):
        n = sends = 0
        while True:
            head = scripted.Device.exactly(connection, 2)
            length = int.from_bytes(head, "big")
            rest = scripted.Device.exactly(connection, length + -(length + 2) % 4 + 4)
            good = crc32c(head + rest[:-4]) == int.from_bytes(rest[-4:], "little")
            ulpdu = (head + rest)[2:2 + length]
            n += 1
            if self.before(n, ulpdu, good):
                continue
            if not good:
                return
            time.sleep(self.pause)
            sends += 1
            echoes(connection, ulpdu, sends)


@pytest.fixture(scope="module")
def echo():
    device = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", "--service=echo"], stderr=subprocess.PIPE, text=True)
    line = device.stderr.readline()
    yield int(line.split("port ")[1].split()[0].rstrip(":,;"))
    device.kill()
    device.wait()


def test_our_own_device(echo, tmp_path):
    run = learn(echo, "--against=standard", "--format=json", f"--output={tmp_path}/first.json")
    assert run.returncode == 0 and "0 differences from the standard" in run.stderr, run.stderr
    assert re.search(r" words in [0-9.]+ s; .*\n.* s of silence, .* s to connect, ", run.stderr), run.stderr
    first = json.loads((tmp_path / "first.json").read_text())
    assert len(first["states"]) == 6
    assert says(first, "request", "send", "garbage") == ["Reply Rev 1 C", "Send", "Terminate 2/0/02, FIN"]
    # A Responder sends nothing, not even a Terminate, before it has received an FPDU (RFC 5044 section 7.1.2).
    assert says(first, "request", "garbage", "send") == ["Reply Rev 1 C", "FIN", "over"]
    assert says(first, "request-long") == ["FIN"]
    again = learn(echo, f"--compare={tmp_path}/first.json", "--seed=7", "--format=svg", f"--output={tmp_path}/it.svg")
    assert again.returncode == 0 and "the same machine as in" in again.stderr, again.stderr
    assert "<svg" in (tmp_path / "it.svg").read_text()
    taken_up = take_up(tmp_path / "first.json", "--against=standard", f"--compare={tmp_path}/first.json", "--format=svg")
    assert taken_up.returncode == 0 and "the same machine as in" in taken_up.stderr, taken_up.stderr
    assert "<svg" in taken_up.stdout


def test_table(echo):
    run = learn(echo, "--inputs=request,fin")
    assert run.returncode == 0
    assert "state 0, after nothing" in run.stdout and "request" in run.stdout and "-> Reply Rev 1 C; state 1" in run.stdout


def test_rpc_errors():
    device = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", "--service=nfs"], stderr=subprocess.PIPE, text=True)
    try:
        port = int(device.stderr.readline().split("port ")[1].split()[0].rstrip(":,;"))
        run = learn(port, "--alphabet=rpc", "--against=standard", "--format=json")
        assert run.returncode == 0, run.stderr
        found = json.loads(run.stdout)
        assert says(found, "version", "null", "done") == ["RDMA_ERROR with ERR_VERS", "a Reply with SUCCESS", "-"]
    finally:
        device.kill()
        device.wait()


def test_state_that_only_a_sequence_shows(tmp_path):
    """After a Send the second FPDU may have any CRC: single faults after a start-up never show this."""
    good, bad = Echo(), Echo()
    bad.before = None
    sent = threading.local()

    def forgets(n, ulpdu, right):
        if n == 1:
            sent.first = len(ulpdu) > 18
        return not right and n == 2 and sent.first

    bad.before = forgets
    with good, bad:
        assert learn(good.port, FEW, "--checks=50", "--format=json", f"--output={tmp_path}/good.json").returncode == 0
        run = learn(bad.port, FEW, "--checks=50", f"--compare={tmp_path}/good.json", "--against=standard")
    assert run.returncode == 1
    assert 'after "request, send, garbage": "-", in ' in run.stderr and '"FIN"' in run.stderr, run.stderr
    assert '; due: a Terminate of MPA, or a close: the CRC is wrong (MPA-4.4-19, RFC 5044 section 4.4)' in run.stderr, run.stderr


def test_request_that_is_too_long_is_taken():
    class Careless(Echo):
        def hear_request(self, connection):
            head = self.exactly(connection, 20)
            data = self.exactly(connection, int.from_bytes(head[18:20], "big"))
            return scripted.Request(False, True, False, 1, False, 0, 0, 0, data)

    with Careless() as device:
        run = learn(device.port, "--inputs=request,request-long,fin", "--against=standard")
    assert run.returncode == 1 and "(MPA-7.1.2-40, RFC 5044 section 7.1.2)" in run.stderr, run.stderr


@pytest.mark.parametrize("control, right", [((0x12, 0x06), False), ((0x20, 0x02), True), ((0x02, 0x02), True)])
def test_header_is_read_before_the_crc(control, right):
    """A message with a wrong CRC is answered according to the DDP header in it, as by siw. The Terminate about the CRC may be siw's."""
    class Eager(Echo):
        def operate(self, connection, request):
            head = scripted.Device.exactly(connection, 24)
            if b"no frame" in head:
                connection.sendall(scripted.fpdu(bytes([0x41, 0x47]) + bytes(4) + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(4)
                                                 + bytes(control) + bytes(2)))

    with Eager() as device:
        run = learn(device.port, "--inputs=request,garbage,fin", "--checks=5", "--against=standard")
    assert run.returncode == (0 if right else 1), run.stderr
    assert right or '"Terminate 1/2/06, FIN"; due: a Terminate of MPA, or a close: the CRC is wrong (MPA-4.4-19, ' in run.stderr, run.stderr


def test_slow_device_has_the_same_machine(tmp_path):
    with Echo() as quick, Echo(pause=0.12) as slow:
        few = ["--inputs=request,send,fin", "--checks=20"]
        assert learn(quick.port, *few, "--format=json", f"--output={tmp_path}/quick.json").returncode == 0
        run = learn(slow.port, *few, f"--compare={tmp_path}/quick.json")
    assert run.returncode == 0, run.stderr


def test_device_that_answers_at_random():
    count = iter(range(10**9))
    with Echo(before=lambda n, ulpdu, good: next(count) % 3 == 0) as device:
        run = learn(device.port, FEW)
    assert run.returncode == 1 and "the device's answers vary: to " in run.stderr, run.stderr


def dies_of_peer_to_peer():
    """This device has a bug in its close: a peer-to-peer start-up that ends before the RTR kills the device."""
    class Frail(Echo):
        def operate(self, connection, request):
            if not request.a:
                super().operate(connection, request)
            elif not connection.recv(1):
                self.die()

    return Frail()


def test_death_is_named():
    with dies_of_peer_to_peer() as device:
        run = learn(device.port, "--inputs=request,request-p2p,fin", "-j", "1", "--recover-timeout=0.3")
    assert run.returncode == 1
    assert 'the device died of "request-p2p' in run.stderr and "--reset-command revives it" in run.stderr, run.stderr


def test_death_is_an_output(tmp_path):
    with dies_of_peer_to_peer() as device:
        done = threading.Event()

        def revive():
            while not done.wait(0.05):
                if (tmp_path / "dead").exists():
                    device.revive()
                    (tmp_path / "dead").unlink()

        threading.Thread(target=revive, daemon=True).start()
        reset = f"touch {tmp_path}/dead; while [ -e {tmp_path}/dead ]; do sleep 0.02; done"
        run = learn(device.port, "--inputs=request,request-p2p,fin,rst", "--format=json", "--recover-timeout=0.3",
                    f"--reset-command={reset}", "--against=standard", "--checks=20")
        done.set()
    assert run.returncode == 1, run.stderr
    assert says(json.loads(run.stdout), "request-p2p", "fin")[1].endswith("dead")
    assert 'iwarp-gen: the device died of "request-p2p, fin": --reset-command' in run.stderr
    assert 'due: a device that survives' in run.stderr


class Initiator:
    """Connects repeatedly; a Reply with too much Private Data kills it."""

    def __init__(self, port, room):
        self.port, self.room, self.over, self.dead = port, room, threading.Event(), threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.over.is_set():
            with contextlib.suppress(OSError, scripted.Gone):
                if self.dead.is_set():
                    time.sleep(0.05)
                    continue
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                    self.operate(connection)

    def operate(self, connection):
        connection.sendall(b"MPA ID Req Frame" + bytes([0x40, 1, 0, 0]))
        head = scripted.Device.exactly(connection, 20)
        length = int.from_bytes(head[18:20], "big")
        if length > self.room:
            self.dead.set()
            return
        data = scripted.Device.exactly(connection, length)
        if not head.startswith(b"MPA ID Rep Frame") or head[16] & 0x20 or (head[16] & 0x10 and len(data) < 4):
            return
        connection.sendall(scripted.fpdu(bytes([0x41, 0x43]) + bytes(8) + (1).to_bytes(4, "big") + bytes(4)))
        connection.recv(1000)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def test_initiator_that_dies_of_a_reply(tmp_path):
    """A Reply with 257 octets of Private Data is legal: no case tests it, but some stacks crash."""
    port = free_port()
    device = Initiator(port, room=256)
    done = threading.Event()

    def revive():
        while not done.wait(0.02):
            if (tmp_path / "dead").exists():
                device.dead.clear()
                (tmp_path / "dead").unlink()

    threading.Thread(target=revive, daemon=True).start()
    reset = f"touch {tmp_path}/dead; while [ -e {tmp_path}/dead ]; do sleep 0.02; done"
    run = learn(port, "--listen", "--inputs=reply,reply-257,reply-empty,fin", "--checks=5", "-j", "1", "--format=json",
                "--recover-timeout=0.2", f"--reset-command={reset}", "--against=standard")
    done.set()
    device.over.set()
    assert run.returncode == 1 and 'after "reply-257": ' in run.stderr and "due: a device that survives" in run.stderr, run.stderr
    found = json.loads(run.stdout)
    assert says(found, "reply-257")[0].endswith("dead")
    assert says(found, "reply", "fin") == ["Send", "FIN"] and says(found, "reply-empty") == ["FIN"]


class Starved(Echo):
    """At the request with this number its machine is busy for this many seconds."""

    def __init__(self, at, seconds, **how):
        self.at, self.seconds, self.until, self.count = at, seconds, 0, 0
        super().__init__(**how)

    def hear_request(self, connection):
        self.count += 1
        if self.count == self.at:
            self.until = time.monotonic() + self.seconds
        time.sleep(max(0, self.until - time.monotonic()))
        return super().hear_request(connection)


@pytest.mark.parametrize("at", [1, 40])
def test_starved_device_is_not_dead(at, tmp_path):
    """This holds even if the first query meets the delay."""
    few = ["--inputs=request,send,fin", "--checks=30", "--format=json"]
    with Echo() as well, Starved(at, 1.5) as starved:
        assert learn(well.port, *few, f"--output={tmp_path}/well.json").returncode == 0
        run = learn(starved.port, *few, f"--compare={tmp_path}/well.json")
    assert run.returncode == 0 and starved.until > 0, run.stderr


def test_death_is_not_believed_at_once(tmp_path):
    """A device that is absent for a while, and is asked again alone after --reset-command, has not died."""
    class Away(Echo):
        count = 0

        def operate(self, connection, request):
            self.count += 1
            if self.count == 10:
                self.die(back_after=2)
            super().operate(connection, request)

    with Away() as device:
        run = learn(device.port, "--inputs=request,send,fin", "--checks=30", "--recover-timeout=0.3", "--format=json",
                    f"--reset-command=touch {tmp_path}/reset; sleep 2")
    assert run.returncode == 0 and (tmp_path / "reset").exists(), run.stderr
    assert "dead" not in run.stdout


@pytest.mark.parametrize("args, message", [
    (["--alphabet=x"], "--alphabet: 'x' is not startup, rpc or reply"),
    (["--alphabet=reply"], "--alphabet=reply is for an Initiator: it needs --listen"),
    (["--alphabet=rpc", "--listen"], "--alphabet=rpc is for a Responder: it cannot be used with --listen"),
    (["--inputs=request,foo"], "--inputs: 'foo' is not an input of startup"),
    (["--inputs=request,request"], "--inputs: 'request' is not an input of startup, or is repeated"),
    (["--format=x"], "--format: 'x' is not text, json or svg"),
    (["--against=x"], "--against: 'x' is not standard"),
    (["--compare=/dev/null"], "not a machine of 'iwarp-gen learn --format=json'"),
    (["--quiet=0"], "--quiet: 0 is not from 0.01 to 60"),
    (["--output=/nowhere/x"], "/nowhere/x: No such file or directory"),
])
def test_wrong_usage(args, message):
    run = learn(1, *args)
    assert run.returncode == 2 and message in run.stderr, run.stderr


def test_machine_that_differs(tmp_path):
    """Asks no device."""
    edge = {"output": "Reply Rev 1 C", "next": 1}
    dead = {"output": "dead", "next": 0}
    file = tmp_path / "it.json"
    file.write_text(json.dumps({"format": "iwarp-gen learn 1", "device": "x", "inputs": ["request", "fin"], "states": [
        {"after": [], "edges": [edge, dead]}, {"after": ["request"], "edges": [edge, dead]}]}))
    run = take_up(file, "--against=standard")
    assert run.returncode == 1 and 'after "fin": "dead"; due: a device that survives' in run.stderr, run.stderr


def test_neither_device_nor_machine(tmp_path):
    neither = subprocess.run([devices.GEN, "learn"], capture_output=True, text=True, timeout=20)
    both = take_up(tmp_path / "x.json", "127.0.0.1:1")
    for run in (neither, both):
        assert run.returncode == 2 and "expected: HOST:PORT, --listen, or --machine=FILE" in run.stderr, run.stderr
    wire = take_up(tmp_path / "x.json", "--wire=lo", "--wire-address=192.0.2.9/24")
    assert wire.returncode == 2 and "--wire: not with --machine" in wire.stderr, wire.stderr
    missing = take_up(tmp_path / "x.json")
    assert missing.returncode == 2 and "x.json" in missing.stderr and "No such file" in missing.stderr, missing.stderr


def test_nobody_there():
    run = learn(1, "--recover-timeout=0.2")
    assert run.returncode == 2 and "127.0.0.1:1: no connection" in run.stderr, run.stderr
