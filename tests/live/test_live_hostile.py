# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile peers: whatever they send or leave unread, iwarp-gen does not crash, hang or grow, as server or client."""
import contextlib
import random
import signal
import socket
import struct
import threading
import time

import pytest

REQUEST = b"MPA ID Req Frame\x40\x01\x00\x00"
REPLY = b"MPA ID Rep Frame\x40\x01\x00\x00"
WANTS_ECHO = b"MPA ID Req Frame\x00\x01\x00\x10IWTQ" + struct.pack(">III", 4096, 4096, 1)
SERVICES = ["rping", "echo", "rpc", "sink"]
CLIENTS = {
    "rping": ("--rping", "--count=3"), "write": ("--write", "--count=3"), "enhanced": ("--read", "--peer-to-peer"),
    "plain": ("--send", "--plain"), "script": ("rdmap",), "work": ("stack",),
}
STUCK = {"stuck": ("--write", "--plain", "--count=1000", "--size=1000000")}
GROWTH = 60000  # KiB by which a peer may make the program grow, including the sanitizers' memory


def memory_kib(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def fpdu(ulpdu):
    """Without CRC."""
    return struct.pack(">H", len(ulpdu)) + ulpdu + bytes((2 - len(ulpdu)) % 4) + bytes(4)


def send_message(msn, payload):
    return fpdu(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, msn, 0) + payload)


@pytest.fixture
def server(start):
    """A server of some service, which at the end must still run, serve, and end with a signal."""
    @contextlib.contextmanager
    def run(service):
        peer = start("serve", "127.0.0.1:0", f"--service={service}", "--no-crc")
        address = "127.0.0.1", peer.port
        before = memory_kib(peer.process)
        yield peer, address
        assert memory_kib(peer.process) - before < GROWTH
        with socket.create_connection(address, timeout=10) as connection:
            connection.sendall(REQUEST)
            assert connection.recv(20, socket.MSG_WAITALL)[:16] == REPLY[:16]
        assert peer.end(signal.SIGTERM) == 0, peer.errors
    return run


def say(address, *pieces, pause=0.0, then=socket.socket.close):
    with contextlib.suppress(OSError):
        connection = socket.create_connection(address, timeout=10)
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        then(connection)


@pytest.mark.parametrize("service", SERVICES)
def test_random_octets(server, service):
    with server(service) as (_, address):
        for seed in range(100):
            source = random.Random(seed)
            noise = source.randbytes(source.choice([1, 20, 600, 70000]))
            say(address, *((noise,) if seed % 2 else (REQUEST, noise)))


@pytest.mark.parametrize("service", SERVICES)
def test_nearly_right_octets(server, service):
    """FPDUs with DDP headers of every kind before noise."""
    with server(service) as (_, address):
        for seed in range(200):
            source = random.Random(seed)
            pieces = [fpdu(bytes([source.choice([0x41, 0x01, 0x81, 0xC1]), 0x40 | source.randrange(16)]) +
                           struct.pack(">IIII", source.randrange(4), source.choice([0, 1, 2, 3]), 1, 0) +
                           source.randbytes(source.randrange(80))) for _ in range(5)]
            say(address, WANTS_ECHO if seed % 2 else REQUEST, *pieces)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("then", [socket.socket.close, reset], ids=["close", "reset"])
def test_close_at_every_octet_of_the_start(server, service, then):
    whole = WANTS_ECHO + send_message(1, b"x" * 10)
    with server(service) as (_, address):
        for n in range(len(whole) + 1):
            say(address, whole[:n], then=then)


@pytest.mark.parametrize("service", SERVICES)
def test_dribble(server, service):
    """An octet at a time is slow, not wrong."""
    with server(service) as (_, address):
        with socket.create_connection(address, timeout=10) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for octet in REQUEST:
                connection.sendall(bytes([octet]))
                time.sleep(0.01)
            assert connection.recv(20, socket.MSG_WAITALL)[:16] == REPLY[:16]


def flood(address, opening, make, seconds=3.0):
    """Sends without reading until the peer refuses or accepts no more."""
    connection = socket.create_connection(address, timeout=0.5)
    connection.sendall(opening)
    time.sleep(0.1)
    end, number = time.monotonic() + seconds, 1
    with contextlib.suppress(OSError):
        while time.monotonic() < end:
            connection.sendall(b"".join(make(number + i) for i in range(64)))
            number += 64
    return connection


@pytest.mark.parametrize("what", ["sends", "reads", "octets", "requests"])
@pytest.mark.parametrize("service", SERVICES)
def test_flood_that_reads_nothing(server, service, what):
    read = struct.pack(">IQIIQ", 1, 0, 0, 1, 0)
    makers = {
        "sends": lambda n: send_message(n, bytes(4000)),
        "reads": lambda n: fpdu(struct.pack(">BBIIII", 0x41, 0x41, 0, 1, n, 0) + read),
        "octets": lambda n: bytes(65536),
        "requests": lambda n: REQUEST,
    }
    with server(service) as (peer, address):
        before = memory_kib(peer.process)
        connections = [flood(address, WANTS_ECHO, makers[what], 0.5) for _ in range(2)]
        assert memory_kib(peer.process) - before < GROWTH
        for connection in connections:
            connection.close()


def test_many_that_say_nothing(server):
    with server("echo") as (_, address):
        connections = [socket.create_connection(address) for _ in range(300)]
        for connection in connections:
            connection.close()


# ---- as client ----


def serve_once(behave):
    """A listener that hands connections to behave(); its address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connection.settimeout(5)
                with contextlib.suppress(OSError):
                    behave(connection)
                connection.close()
    threading.Thread(target=run, daemon=True).start()
    return listener, f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def client(gen):
    """A client's message about a server; the client ends soon, by itself, with a sentence."""
    def run(kind, behave, status=(1,)):
        listener, address = serve_once(behave)
        before = time.monotonic()
        with listener:
            run = gen("connect", address, *(CLIENTS | STUCK)[kind], "--timeout=1")
        assert run.returncode in status and run.stderr.count("\n") == 1, run.stderr
        assert time.monotonic() - before < 10
        return run.stderr
    return run


@pytest.mark.parametrize("kind", CLIENTS)
def test_server_of_random_octets(client, kind):
    for seed in range(6):
        source = random.Random(seed)
        client(kind, lambda c, s=source, odd=seed % 2: c.sendall((b"" if odd else REPLY) + s.randbytes(5000)))


@pytest.mark.parametrize("kind", CLIENTS)
def test_server_that_closes_at_every_octet(client, kind):
    for n in range(0, len(REPLY) + 1, 3):
        client(kind, lambda c, n=n: (c.recv(1000), c.sendall(REPLY[:n])))
        client(kind, lambda c, n=n: (c.recv(1000), c.sendall(REPLY[:n]), reset(c)))


@pytest.mark.parametrize("kind", CLIENTS)
def test_server_that_says_nothing(client, kind):
    client(kind, lambda c: time.sleep(4))


def test_server_that_reads_nothing(client):
    """The Reply advertises memory, and then nothing is read."""
    advert = b"IWT1" + struct.pack(">IQII", 1, 0x1000, 5, 1 << 30)
    reply = b"MPA ID Rep Frame\x40\x02" + struct.pack(">H", len(advert)) + advert
    said = client("stuck", lambda c: (c.recv(1000), c.sendall(reply), time.sleep(4)))
    assert "did nothing for 1 s" in said


@pytest.mark.parametrize("kind", CLIENTS)
def test_server_that_floods(client, kind):
    def behave(connection):
        connection.recv(1000)
        connection.sendall(REPLY)
        while True:
            connection.sendall(bytes(65536))
    client(kind, behave)
