# SPDX-License-Identifier: GPL-2.0-or-later
"""serve, and connect as a client of services; both recordings are judged."""
import concurrent.futures
import resource
import signal
import socket
import subprocess
import time

import pytest


@pytest.fixture
def use(start, gen, tmp_path):
    """Runs a service for one client: both statuses, the client's output, the recordings."""
    def run(service, client, *serve_options):
        files = tmp_path / "server.pcapng", tmp_path / "client.pcapng"
        server = start("serve", "127.0.0.1:0", f"--service={service}", "--once", "-w", files[0], *serve_options)
        run = gen("connect", f"127.0.0.1:{server.port}", *client, "-w", files[1])
        return (server.end(), run.returncode), run.stdout + run.stderr + server.errors, files
    return run


CONNECTIONS = {
    "default": ((), ()),
    "revision 1": (("--revision=1",), ()),
    "server of revision 1": (("--revision=1",), ("--revision=1",)),
    "plain": (("--plain",), ()),
    "peer-to-peer": (("--peer-to-peer",), ()),
    "no CRC": (("--no-crc",), ("--no-crc",)),
    "Markers to both": (("--markers",), ("--markers",)),
    "revision 0": (("--revision=0",), ("--revision=0",)),
    "late first FPDU": (("--first-delay=0.2",), ()),
}


@pytest.mark.parametrize("client, server", CONNECTIONS.values(), ids=CONNECTIONS)
def test_rping(use, judge, client, server):
    statuses, said, files = use("rping", ("--rping", "--count=5", "--verify", *client), *server)
    assert statuses == (0, 0) and "5 pings of 64 octets, verified" in said, said
    for file in files:
        rules, connections = judge(file)
        operations = connections[0]["counts"]["operations"]
        assert not rules
        assert (operations["read_request"], operations["send"]) in ((5, 20), (6, 20), (5, 21))
        assert operations["write"] in (5, 6)  # an RTR may be added


def test_rping_sends_what_rping_sends(use):
    _, said, _ = use("rping", ("--rping", "--count=3", "-v"))
    assert said.splitlines()[:2] == [
        "ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
        "ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs"]


def test_rping_in_large(use, judge):
    statuses, said, files = use("rping", ("--rping", "--count=2", "--size=3000000", "--verify"))
    assert statuses == (0, 0), said
    assert [judge(file)[0] for file in files] == [[], []]


@pytest.mark.parametrize("service, kind", [("sink", "write"), ("sink", "read"), ("sink", "send"), ("echo", "write"),
                                           ("echo", "read")])
def test_moving_octets(use, judge, kind, service):
    statuses, said, files = use(service, (f"--{kind}", "--count=100", "--size=50000"))
    assert statuses == (0, 0) and "100 messages of 50000 octets" in said and "Gbit/s" in said, said
    for file in files:
        rules, connections = judge(file)
        assert not rules
        operation = {"write": "write", "read": "read_response", "send": "send"}[kind]
        assert connections[0]["counts"]["operations"][operation] in (100, 101)


def test_too_large_for_the_sink(use):
    statuses, said, _ = use("sink", ("--write", "--size=2000000"))
    assert statuses == (0, 1) and "has only 1048576 octets" in said
    statuses, said, _ = use("sink", ("--write", "--size=2000000", "--count=3"), "--size=2000000")
    assert statuses == (0, 0), said


def test_a_client_of_another_service(use):
    statuses, said, _ = use("rping", ("--write",))
    assert statuses == (0, 1) and "advertises no memory" in said


def test_many_clients_at_once(start, gen, judge, tmp_path):
    file = tmp_path / "x.pcapng"
    server = start("serve", "127.0.0.1:0", "--service=rping", "--exit-after=20", "-w", file)
    address = f"127.0.0.1:{server.port}"
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        runs = list(pool.map(lambda i: gen("connect", address, "--rping", "--count=20", "--verify",
                                           f"--size={64 + 1000 * i}"), range(20)))
    assert [run.returncode for run in runs] == [0] * 20
    assert server.end() == 0
    rules, connections = judge(file)
    assert not rules and len(connections) == 20


REQUEST = b"MPA ID Req Frame\x40\x01\x00\x00"


@pytest.fixture
def descriptors():
    """Allows this process more descriptors than the usual 1024; iwarp-gen raises its own limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def memory_kib(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@pytest.mark.parametrize("service", ["rping", "echo", "sink"])
def test_a_thousand_connections(start, gen, descriptors, service):
    """All are in full operation at once, in less than 500 MB, and another client is still served."""
    server = start("serve", "127.0.0.1:0", f"--service={service}", "--idle-timeout=300")
    before = time.monotonic()
    peers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1000)]
    for peer in peers:
        peer.sendall(REQUEST)
    for peer in peers:
        assert peer.recv(20, socket.MSG_WAITALL)[:16] == b"MPA ID Rep Frame"
    if service == "rping":
        assert gen("connect", f"127.0.0.1:{server.port}", "--rping", "--count=1").returncode == 0
    assert memory_kib(server.process) < 500 * 1000
    assert time.monotonic() - before < 200  # usually 1
    for peer in peers:
        peer.close()
    assert server.end(signal.SIGINT) == 0


def test_one_at_a_time(start, gen):
    server = start("serve", "127.0.0.1:0", "--service=rping", "--at-once=1")
    with socket.create_connection(("127.0.0.1", server.port)) as first:
        first.sendall(REQUEST)
        assert first.recv(20, socket.MSG_WAITALL)[:16] == b"MPA ID Rep Frame"
        with socket.create_connection(("127.0.0.1", server.port)) as second:
            second.sendall(REQUEST)
            second.settimeout(0.3)
            with pytest.raises(TimeoutError):
                second.recv(20)
            first.close()
            second.settimeout(60)
            assert second.recv(20, socket.MSG_WAITALL)[:16] == b"MPA ID Rep Frame"
    assert gen("connect", f"127.0.0.1:{server.port}", "--rping", "--count=1").returncode == 0


def test_a_signal_closes_connections(start, judge, tmp_path):
    file = tmp_path / "x.pcapng"
    server = start("serve", "127.0.0.1:0", "--service=rping", "-w", file)
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(REQUEST)
        assert peer.recv(20, socket.MSG_WAITALL)[:16] == b"MPA ID Rep Frame"
        server.process.send_signal(signal.SIGTERM)
        assert peer.recv(20) == b""  # its FIN
    assert server.end() == 0
    rules, connections = judge(file)
    assert not rules and len(connections) == 1


def test_an_rpc_device(start, gen):
    server = start("serve", "127.0.0.1:0", "--service=rpc")
    run = gen("test", f"127.0.0.1:{server.port}", "--rules=RPCR-4.5", "--timeout=1", "--service=rpc")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("127.0.0.1") and "\npassed " in run.stdout
    run = gen("test", f"127.0.0.1:{server.port}", "--rules=RPCR-4.5")
    assert run.returncode == 2 and "nothing was tested" in run.stderr


@pytest.mark.parametrize("service", ["echo", "rpc", "nfs", "rping", "sink"])
def test_services_do_not_wait_for_ever(start, gen, service):
    """RFC 5044 section 7.1.2: reasonable timeouts. The client sends half an FPDU."""
    server = start("serve", "127.0.0.1:0", f"--service={service}", "--idle-timeout=0.3")
    run = gen("test", f"127.0.0.1:{server.port}", "--rules=MPA-7.1.2-42", "--idle-timeout=20")
    assert run.returncode == 0 and "1 passed" in run.stdout, run.stdout + run.stderr


def test_a_mutant_and_the_suite(start, gen):
    """The device of the suites, conforming and as a mutant, behind real sockets."""
    conforming = start("serve", "127.0.0.1:0", "--service=echo")
    run = gen("test", f"127.0.0.1:{conforming.port}", "--rules=MPA-8-02", "--timeout=1")
    assert run.returncode == 0, run.stdout + run.stderr
    mutant = next(line.split("\t")[0] for line in gen("list", "tests").stdout.splitlines() if line.startswith("MPA-8-02"))
    wrong = start("serve", "127.0.0.1:0", "--service=echo", f"--misbehave={mutant}")
    run = gen("test", f"127.0.0.1:{wrong.port}", f"--rules={mutant}", "--timeout=1")
    assert run.returncode == 1 and mutant in run.stdout


@pytest.mark.parametrize("arguments, message", [
    (("serve", "127.0.0.1:0"), "--service"),
    (("serve", "127.0.0.1:0", "--service=teapot"), "'teapot' is not one of rping, echo, rpc, sink, nfs"),
    (("serve", "127.0.0.1:0"), "expected --service=NAME, one of rping, echo"),
    (("serve", "127.0.0.1:0", "--service=echo", "--export=/"), "options of the service nfs cannot be used with --service=echo"),
    (("serve", "127.0.0.1:0", "--service=rping", "--size=5"), "--size is only for the service sink"),
    (("serve", "127.0.0.1:0", "--service=rping", "--idle-timeout=0"), "--idle-timeout: 0 is not from"),
    (("connect", "127.0.0.1:1", "rdmap", "--markers"), "--markers is only for clients"),
    (("connect", "127.0.0.1:1", "rdmap", "--count=5"), "--count is only for"),
    (("connect", "127.0.0.1:1", "--write", "--verify"), "--verify is only for --rping"),
    (("connect", "127.0.0.1:1", "--rping", "--inject=MPA-3-01"), "--inject is only for scenarios"),
    (("serve", "127.0.0.1:0", "--service=rping", "--misbehave=X"), "--misbehave is only for"),
    (("serve", "127.0.0.1:0", "--service=echo", "--misbehave=X"), "no mutant 'X'"),
    (("serve", "127.0.0.1:0", "--service=rping", "--revision=3"), "--revision"),
    (("serve", "127.0.0.1:0", "--service=rping", "--crc", "--no-crc"), "contradict"),
    (("serve", "--service=rping"), "expected"),
    (("connect", "127.0.0.1:1", "--rping", "--write"), "exclude each other"),
    (("connect", "127.0.0.1:1", "--rping", "--size=0"), "--size"),
    (("connect", "127.0.0.1:1"), "expected"),
    (("connect", "127.0.0.1:1", "rev1", "--rping"), "expected"),
    (("connect", "127.0.0.1:1", "--rping"), "Connection refused"),
])
def test_service_usage(gen, arguments, message):
    run = gen(*arguments)
    assert run.returncode == 2
    assert run.stderr.startswith("iwarp-gen: ") and message in run.stderr and run.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("serve", "{address}", "--service=echo"), ("listen", "{address}", "rdmap")], ids=lambda a: a[0])
def test_the_capture_is_created_once_it_listens(gen, start, tmp_path, arguments):
    """If the port is in use, the capture of an earlier run stays."""
    file = tmp_path / "kept.pcapng"
    file.write_bytes(b"an earlier run")
    server = start("serve", "127.0.0.1:0", "--service=echo")
    run = gen(*(a.format(address=f"127.0.0.1:{server.port}") for a in arguments), "-w", file)
    assert run.returncode == 2 and "cannot listen on" in run.stderr and file.read_bytes() == b"an earlier run"
    server.end(signal.SIGTERM)


@pytest.mark.parametrize("arguments", [("serve", "127.0.0.1:0", "--service=echo"), ("listen", "127.0.0.1:0", "rdmap"),
                                       ("connect", "127.0.0.1:1", "rdmap"), ("connect", "127.0.0.1:1", "--rping")],
                         ids=lambda a: " ".join((a[0], a[-1])))
def test_a_capture_that_cannot_be_created(gen, tmp_path, arguments):
    run = gen(*arguments, "-w", tmp_path / "no" / "x")
    assert run.returncode == 2 and run.stderr == f"iwarp-gen: {tmp_path / 'no' / 'x'}: No such file or directory\n"


@pytest.mark.all
def test_a_long_timeout_is_for_the_start_up_as_well(build):
    """--timeout above the usual 10 s also applies to the peer's start-up frame."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        began = time.monotonic()
        done = subprocess.run([build / "traffic-gen" / "iwarp-gen", "connect", f"127.0.0.1:{listener.getsockname()[1]}", "--rping",
                               "--count=1", "--timeout=12"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and 11.5 < time.monotonic() - began < 20, done.stderr
