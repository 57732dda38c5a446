# SPDX-License-Identifier: GPL-2.0-or-later
"""connect and listen: every scenario on a real connection, both sides by iwarp-gen, both recordings judged."""
import concurrent.futures
import os
import signal
import socket

import pytest

CAPTURES = {  # scenarios that only a capture can show, or that begin in the middle
    "keep-alive", "zero-window", "capture-loss", "duplicate", "fragments", "late", "loss", "midstream",
    "midstream-markers", "midstream-no-crc", "msn-wrap", "reorder", "reorder-inside", "rpcrdma-hole", "rpcrdma-late",
    "rpcrdma-late-reply", "bulk", "bulk-whole", "nfs-bulk", "many",
}
LONG = {"idle"}  # silences of 40 s
REFUSAL = "describes a capture, it cannot be played live"


@pytest.fixture
def talk(start, gen, tmp_path):
    """Plays a scenario between two processes: both statuses, standard errors and recordings."""
    def run(scenario, *options, at="127.0.0.1", connect=None):
        name = os.path.basename(str(scenario))
        files = tmp_path / f"{name}-listen.pcapng", tmp_path / f"{name}-connect.pcapng"
        listener = start("listen", f"{at}:0", scenario, "-w", files[0], *options)
        connecting = gen("connect", f"{at}:{listener.port}", connect or scenario, "-w", files[1], *options)
        return (listener.end(), connecting.returncode), (listener.errors, connecting.stderr), files
    return run


def test_every_scenario(gen, talk, judge):
    names = [line.split("\t")[0] for line in gen("list", "scenarios").stdout.splitlines()]
    refused = set()

    def play(name):
        if name in LONG and "IWARP_ALL" not in os.environ:
            return None
        run = gen("listen", "127.0.0.1:0", name, "--timeout=0.001") if name in CAPTURES else None
        if run:
            refused.add(name)
            return None if run.returncode == 2 and REFUSAL in run.stderr else (name, run.stderr)
        statuses, errors, files = talk(name)
        found = [judge(file, "rfc5666" if name.startswith("old-") else "ietf") for file in files]
        if statuses != (0, 0) or any(rules or not connections for rules, connections in found):
            return name, statuses, errors, [rules for rules, _ in found]
        return None

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        wrong = [result for result in pool.map(play, names) if result]
    assert not wrong
    assert refused == CAPTURES
    assert len(names) > 110


@pytest.mark.parametrize("fault", ["MPA-3-01", "MPA-4.1-02", "MPA-4.1-06", "MPA-4.1-06+ok", "MPA-3-01,MPA-4.1-05"])
def test_faults(talk, judge, fault):
    """Both sides know the fault; the recordings show the same as the file of `play`."""
    statuses, errors, files = talk("rev1", f"--inject={fault}")
    assert statuses == (0, 0), errors
    for file in files:
        rules, connections = judge(file)
        assert len(connections) == fault.count(",") + 1
        assert {id for id in fault.split(",") if "+" not in id} <= set(rules)


def test_recording_is_as_played(talk, check, gen, tmp_path):
    """The recordings of both ends and the file of `play` have the same octets."""
    _, _, files = talk("rdmap", "--mtu=1500")
    played = tmp_path / "played.pcapng"
    assert gen("play", "rdmap", "-o", played).returncode == 0
    for direction in "><":
        said = [[line.split(f" {direction} ", 1)[1] for line in check("--print", f).stdout.splitlines()
                 if f" {direction} [mpa" in line] for f in (*files, played)]
        assert said[0] == said[1] == said[2] and len(said[0]) > 10


def test_recording_says_what_it_is(talk):
    _, _, files = talk("rev1")
    for file in files:
        head = file.read_bytes()[:1000]
        assert b"Recorded by iwarp-gen" in head and b"synthetic" in head


def test_addresses_are_true(talk, judge, start, gen, tmp_path):
    listener = start("listen", "127.0.0.1:0", "rev1", "-w", tmp_path / "l")
    port = listener.port
    assert gen("connect", f"127.0.0.1:{port}", "rev1", "-w", tmp_path / "c").returncode == 0
    assert listener.end() == 0
    (_, at_listener), (_, at_connecting) = judge(tmp_path / "l"), judge(tmp_path / "c")
    assert at_listener[0]["responder"] == at_connecting[0]["responder"] == f"127.0.0.1:{port}"
    assert at_listener[0]["initiator"] == at_connecting[0]["initiator"]


def test_ipv6(talk, judge):
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 here")
    statuses, errors, files = talk("markers", at="[::1]")
    assert statuses == (0, 0), errors
    for file in files:
        rules, connections = judge(file)
        assert not rules and connections[0]["responder"].startswith("[::1]:")


@pytest.mark.parametrize("mine, other, expected", [
    ("rev1", "rev2-reject", "found rejecting Reply"),
    ("rev2-reject", "rev1", "rejecting Reply"),
])
def test_the_peer_does_something_else(talk, mine, other, expected):
    statuses, errors, _ = talk(other, "--timeout=2", connect=mine)
    assert statuses[1] == 1
    assert expected in errors[1] and errors[1].count("\n") == 1


def test_silent_peer(gen):
    with socket.create_server(("127.0.0.1", 0)) as server:
        run = gen("connect", f"127.0.0.1:{server.getsockname()[1]}", "rev1", "--timeout=0.3")
    assert run.returncode == 1
    assert "timed out after 0.3 s" in run.stderr and "its unit 1 (Reply)" in run.stderr


def test_peer_that_closes(gen):
    with socket.create_server(("127.0.0.1", 0)) as server:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            run = pool.submit(gen, "connect", f"127.0.0.1:{server.getsockname()[1]}", "rev1")
            connection, _ = server.accept()
            connection.recv(1000)
            connection.close()
            run = run.result()
    assert run.returncode == 1
    assert "closed the connection instead of sending its unit 1 (Reply)" in run.stderr


@pytest.mark.parametrize("arguments, message", [
    (("connect", "127.0.0.1", "rev1"), "HOST:PORT"),
    (("connect", "::1:7174", "rev1"), "brackets"),
    (("connect", "127.0.0.1:7174", "nothing-like-it"), "no scenario"),
    (("connect", "127.0.0.1:7174", "rev1", "--timeout=0"), "--timeout"),
    (("connect", "127.0.0.1:7174", "rev1", "--mtu=20"), "--mtu"),
    (("connect", "127.0.0.1:7174", "bulk"), REFUSAL),
    (("connect", "127.0.0.1:7174", "loss"), REFUSAL),
    (("connect", "127.0.0.1:7174"), "expected"),
    (("connect", "no.such.host.invalid:7174", "rev1"), "no.such.host.invalid"),
    (("listen", "192.0.2.1:7174", "rev1"), "cannot listen"),
    (("listen", "127.0.0.1:0", "rev1", "-w", "/no/such/folder/file"), "No such file"),
])
def test_usage(gen, arguments, message):
    run = gen(*arguments)
    assert run.returncode == 2
    assert run.stderr.startswith("iwarp-gen: ") and message in run.stderr and run.stderr.count("\n") == 1


def test_nobody_there(gen):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        run = gen("connect", f"127.0.0.1:{unused.getsockname()[1]}", "rev1")
    assert run.returncode == 2 and "Connection refused" in run.stderr


def test_port_is_taken(gen, start):
    listener = start("listen", "127.0.0.1:0", "rev1")
    run = gen("listen", f"127.0.0.1:{listener.port}", "rev1")
    assert run.returncode == 2 and "Address already in use" in run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_keep_the_recording(start, judge, tmp_path, number):
    file = tmp_path / "x.pcapng"
    listener = start("listen", "127.0.0.1:0", "rev1", "-w", file)
    with socket.create_connection(("127.0.0.1", listener.port)) as peer:
        peer.sendall(b"MPA ID Req Frame\x40\x01\x00\x00")
        assert peer.recv(16) == b"MPA ID Rep Frame"
        assert listener.end(number) == 1
    assert "stopped" in listener.errors
    rules, connections = judge(file)
    assert not rules and connections[0]["mpa"]["complete"]
