# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen connect --chaos: a right server keeps every promise; errors of others are found, and the history is reduced."""
import contextlib
import random
import re
import socket
import subprocess
import threading
import time

import pytest

import devices


@contextlib.contextmanager
def serve(*args):
    server = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", "--service=nfs", *args], stderr=subprocess.PIPE, text=True)
    try:
        yield int(server.stderr.readline().split("port ")[1].split()[0].rstrip(":,;"))
    finally:
        server.kill()
        server.wait()


def chaos(port, seed, *args):
    command = [devices.GEN, "connect", f"127.0.0.1:{port}", f"--chaos={seed}", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=devices.DEADLINE)


def steps_of(run):
    """The reduced history."""
    return re.findall(r"^  \d+\. (.*)$", run.stdout, re.M)


@pytest.mark.parametrize("options", [[], ["--markers"], ["--no-crc"]], ids=" ".join)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_right_server(seed, options):
    with serve(*options) as port:
        run = chaos(port, seed, "--count=300")
    assert run.returncode == 0, run.stdout + run.stderr
    steps, faults, connections = map(int, re.fullmatch(r"--chaos=\d+: (\d+) steps, (\d+) faults, (\d+) connections\n", run.stdout).groups())
    assert steps == 305 and faults > 100 and connections > 80


def test_the_server_is_left_as_it_was():
    """A second run finds no remains of the first."""
    with serve() as port:
        for _ in range(2):
            assert chaos(port, 5).returncode == 0


@pytest.mark.parametrize("seed", [1, 2, 4, 9])
def test_acknowledged_write_that_is_lost(seed):
    with serve("--misbehave=write-lost") as port:
        run = chaos(port, seed)
    steps = steps_of(run)
    assert run.returncode == 1 and "expected the octets that were written and acknowledged" in run.stdout, run.stdout + run.stderr
    # Every fifth WRITE is lost: the shortest history has five, on a quiet connection.
    assert len(steps) == 5 and all(re.fullmatch(r"write 0x.. into block \d", step) for step in steps), run.stdout


@pytest.mark.parametrize("seed", [1, 3, 6, 8])
def test_operation_that_is_executed_twice(seed):
    with serve("--misbehave=executed-again") as port:
        run = chaos(port, seed)
    steps = steps_of(run)
    assert run.returncode == 1 and "it was executed twice" in run.stdout, run.stdout + run.stderr
    assert 1 <= len(steps) <= 2 and re.fullmatch(r"(make|remove) directory \d; (RST|FIN) after the Call", steps[-1]), run.stdout


@pytest.mark.parametrize("seed", [1, 2])
def test_server_that_delays(seed):
    """SEQUENCE asks for the same request again, another operation for a new one: neither breaks a promise."""
    with serve("--misbehave=delay") as port:
        run = chaos(port, seed, "--count=100")
    assert run.returncode == 0, run.stdout + run.stderr


class Cutting:
    """A relay that ends some connections before a Call's answer has passed, but not the first, on which the client learns about the server."""

    SPARED = 30

    def __init__(self, port, cuts=True):
        self.upstream, self.random, self.chance, self.count, self.cuts = port, random.Random(7), 0.5 if cuts else 0, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                self.count += 1
                answers = self.random.randint(4, 8) if self.count > self.SPARED and self.random.random() < self.chance else None
                server = socket.create_connection(("127.0.0.1", self.upstream))
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pump, args=(client, server, None), daemon=True).start()
                threading.Thread(target=self.pump, args=(server, client, answers), daemon=True).start()

    def close(self):
        """Stops listening."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def pump(self, one, other, left):
        with contextlib.suppress(OSError):
            while octets := one.recv(65536):
                if left is not None and (left := left - 1) < 0:
                    self.cuts += 1
                    break
                other.sendall(octets)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def test_connections_that_others_break():
    """The server, or the network, may end a connection at any time: this breaks no promise."""
    with serve() as port:
        relay = Cutting(port)
        run = chaos(relay.port, 1, "--count=400")
        relay.close()
    assert run.returncode == 0 and relay.cuts > 5, run.stdout + run.stderr + str(relay.cuts)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_server_that_breaks_connections(seed):
    """Both sides break connections; nothing is lost, as the server keeps its promises."""
    with serve(f"--chaos={seed}") as port:
        run = chaos(port, 4, "--count=300")
    with serve() as port:
        calm = chaos(port, 4, "--count=300")
    assert run.returncode == 0 and calm.returncode == 0, run.stdout + run.stderr
    both, alone = (int(re.search(r"(\d+) connections", one.stdout)[1]) for one in (run, calm))
    assert both > alone + 10, (both, alone)


def test_faults_of_a_server_that_breaks_connections():
    """A loss is found even while the client is idle."""
    with serve("--chaos=1", "--misbehave=executed-again") as port:
        run = chaos(port, 2)
    assert run.returncode == 1 and "it was executed twice" in run.stdout, run.stdout + run.stderr


@contextlib.contextmanager
def restartable(*args):
    """The server's port, and the command that restarts it."""
    server = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", "--service=nfs", *args], stderr=subprocess.PIPE, text=True)
    try:
        yield int(server.stderr.readline().split("port ")[1].split()[0].rstrip(":,;")), f"--restart-command=kill -HUP {server.pid}; sleep 0.2"
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_server_that_is_restarted(seed):
    """Its client makes a new session, reclaims open files, and waits for the end of the grace period."""
    with restartable() as (port, restart):
        run = chaos(port, seed, restart)
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(re.search(r"(\d+) restarts", run.stdout)[1]) >= 5, run.stdout


def test_acknowledged_write_that_a_restart_loses():
    with restartable("--misbehave=lost-at-restart") as (port, restart):
        run = chaos(port, 1, restart)
    steps = steps_of(run)
    assert run.returncode == 1 and "expected the octets that were written and acknowledged" in run.stdout, run.stdout + run.stderr
    assert 1 <= len(steps) <= 2 and steps[0].startswith("write 0x") and "the server is restarted" in steps[-1], run.stdout


@pytest.mark.parametrize("seed", [1, 2])
def test_verifier_that_hides_a_loss(seed):
    """WRITEs with UNSTABLE4 may be lost, but then the verifier has to change."""
    with restartable("--misbehave=verifier-kept") as (port, restart):
        run = chaos(port, seed, restart, "--count=80")
    steps = steps_of(run)
    assert run.returncode == 1 and "expected the octets that were written and acknowledged" in run.stdout, run.stdout + run.stderr
    assert 1 <= len(steps) <= 2 and ", unstable" in steps[0] and "the server is restarted" in steps[-1], run.stdout


def test_server_that_forgets_its_sessions():
    """No restart was requested: there is no excuse."""
    over = threading.Event()
    with restartable() as (port, restart):
        def restarts():
            while not over.wait(2):
                subprocess.run(restart.split("=")[1], shell=True, check=False)

        threading.Thread(target=restarts, daemon=True).start()
        run = chaos(port, 2, "--count=100000")
        over.set()
    assert run.returncode == 1 and "found 10052" in run.stdout, run.stdout + run.stderr


def test_restart_that_fails():
    with serve() as port:
        run = chaos(port, 1, "--restart-command=exit 3")
    assert run.returncode == 2 and "--restart-command: exit status 3" in run.stderr, run.stdout + run.stderr


def test_the_same_by_seed():
    with serve("--misbehave=executed-again") as port:
        first, again = chaos(port, 3), chaos(port, 3)
    assert steps_of(first) == steps_of(again)


@pytest.mark.parametrize("args,message", [
    (["--chaos=x"], "--chaos: 'x' is not from 0 to 4294967295"),
    (["--chaos=1", "--count=-1"], "--count: -1 is not from 1 to 100000"),
    (["--chaos=1", "--rping"], "--chaos: takes only HOST:PORT"),
    (["--chaos=1", "--markers"], "--markers"),
    (["--chaos=1", "--inject=MPA-4.1-05"], "--inject"),
    (["--rping", "--restart-command=true"], "--restart-command"),
    (["--chaos=1", "--restart-timeout=5"], "--restart-timeout"),
    (["--chaos=1", "--restart-command=true", "--restart-timeout=0"], "--restart-timeout: 0 is not from 0.1 to 3600 seconds"),
])
def test_bad_input(args, message):
    run = subprocess.run([devices.GEN, "connect", "127.0.0.1:1", *args], capture_output=True, text=True, timeout=20)
    assert run.returncode == 2 and message in run.stderr, run.stderr


def test_nobody_there():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    run = chaos(port, 1)
    assert run.returncode == 2 and "no connection" in run.stderr


def test_no_nfs_server():
    device = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", "--service=echo"], stderr=subprocess.PIPE, text=True)
    try:
        port = int(device.stderr.readline().split("port ")[1].split()[0].rstrip(":,;"))
        run = chaos(port, 1, "--timeout=1")
    finally:
        device.kill()
        device.wait()
    assert run.returncode == 2 and "127.0.0.1" in run.stderr, run.stdout + run.stderr


def test_server_that_vanishes():
    """In the middle of a history: this is an error, too."""
    with serve() as port:
        relay = Cutting(port, cuts=False)
        run = subprocess.Popen([devices.GEN, "connect", f"127.0.0.1:{relay.port}", "--chaos=1", "--count=100000", "--timeout=1"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while relay.count <= relay.SPARED and run.poll() is None:
            time.sleep(0.01)
        relay.close()
    output, errors = run.communicate(timeout=devices.DEADLINE)
    assert run.returncode == 1 and "broken at step" in output and "not reduced" in output, output + errors


def test_bad_seed_of_the_server():
    run = subprocess.run([devices.GEN, "serve", "127.0.0.1:0", "--service=nfs", "--chaos=x"], capture_output=True, text=True, timeout=20)
    assert run.returncode == 2 and "--chaos: 'x' is not from 0" in run.stderr


def test_unknown_fault_of_the_server():
    run = subprocess.run([devices.GEN, "serve", "127.0.0.1:0", "--service=nfs", "--misbehave=x"], capture_output=True, text=True, timeout=20)
    assert run.returncode == 2 and "write-lost, executed-again, lost-at-restart, verifier-kept and delay, not 'x'" in run.stderr
