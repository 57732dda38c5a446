# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen over real sockets on the loopback interface. Every process ends with its test."""
import os
import re
import select
import subprocess
import threading
import time

import pytest

from reports import read_report

DEADLINE = 300  # seconds for any process: one that has not ended by then hangs


class Peer:
    """An iwarp-gen in the background of the test. It listens on `port`."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.poll = select.poll()  # select() cannot handle a descriptor above 1023
        self.poll.register(self.process.stderr, select.POLLIN)
        self.errors = ""
        self.lock = threading.Lock()
        self._unread = ""  # rest of standard error after the lines read

    def wait_for(self, pattern, seconds=DEADLINE):
        """The match in a line of standard error."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if "\n" in self._unread:
                line, self._unread = self._unread.split("\n", 1)
                self.errors += line + "\n"
                match = re.search(pattern, line)
                if match:
                    return match
            elif self.poll.poll(100):
                octets = os.read(self.process.stderr.fileno(), 4096)  # bypasses the buffer, which select does not see
                self._unread += octets.decode()
                if not octets:
                    break
        raise AssertionError(f"no '{pattern}' in: {self.errors}{self._unread}")

    @property
    def port(self):
        with self.lock:
            if not hasattr(self, "_port"):
                self._port = int(self.wait_for(r"listening on port (\d+)").group(1))
            return self._port

    def end(self, number=None):
        """Waits for the exit status; `errors` then has all of standard error. number: a signal to send first."""
        if number is not None:
            self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=DEADLINE)
        self.errors += self._unread + errors
        self._unread = ""
        self.out = out
        return self.process.returncode


@pytest.fixture
def start(build):
    """start(ARGUMENT...) runs iwarp-gen in the background of the test."""
    peers = []

    def run(*arguments):
        peers.append(Peer([build / "traffic-gen" / "iwarp-gen", *map(str, arguments)]))
        return peers[-1]
    yield run
    for peer in peers:
        if peer.process.poll() is None:
            peer.process.kill()
        if not peer.process.stderr.closed:
            peer.process.communicate()


@pytest.fixture(scope="session")
def gen(build):
    def run(*arguments):
        return subprocess.run([build / "traffic-gen" / "iwarp-gen", *map(str, arguments)], capture_output=True,
                              text=True, check=False, timeout=DEADLINE, stdin=subprocess.DEVNULL)
    return run


@pytest.fixture(scope="session")
def judge(check):
    """The rules of findings at error or warning in a recording, and its connections. Findings about the tests' ports do not
    count."""
    def run(path, profile="ietf"):
        report = check("--format=ndjson", f"--profile={profile}", "--skip=NFSULB-6.3-01", path)
        assert report.returncode in (0, 1, 3), report.stderr
        connections = read_report(report.stdout)["captures"][0]["connections"]
        return [f["rule"] for c in connections for f in c["findings"] if f["severity"] != "note"], connections
    return run
