# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures for the command-line tests, written by the conversation builder."""
import json
import pathlib
import subprocess

import pytest
from reports import read_report
from stats import messages, retime

FAULT = "MPA-4.1-05"  # PAD octets that are not zero: an error of the Initiator


@pytest.fixture(scope="session")
def capture(build, tmp_path_factory):
    """capture(scenario, *options) -> path; the same arguments give the same file."""
    folder = tmp_path_factory.mktemp("captures")
    made = {}

    def make(scenario, *options, suffix="pcapng"):
        key = (scenario, options, suffix)
        if key not in made:
            made[key] = folder / f"{len(made)}-{scenario}.{suffix}"
            subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, *options, "-o", made[key]], check=True,
                           capture_output=True)
        return made[key]
    return make


@pytest.fixture(scope="session")
def good(capture):
    return capture("rev2")


@pytest.fixture(scope="session")
def bad(capture):
    return capture("rev1", "--inject=" + FAULT)


@pytest.fixture(scope="session")
def fault():
    return FAULT


@pytest.fixture(scope="session")
def no_mpa(tmp_path_factory):
    """A pcap file without a packet."""
    path = tmp_path_factory.mktemp("empty") / "no-packets.pcap"
    path.write_bytes(bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000"))
    return path


@pytest.fixture(scope="session")
def report(check):
    """report(*arguments) -> (exit status, parsed JSON)"""
    def run(*arguments, **options):
        result = check("--format=ndjson", "--counts=connection", *arguments, **options)
        return result.returncode, read_report(result.stdout)
    return run


@pytest.fixture(scope="session")
def schema(root):
    return json.loads(pathlib.Path(root / "docs" / "iwarp-check.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def play(build, tmp_path):
    """play([statement], *options) -> pcap, of a scenario (iwarp-scenario(5)) that begins with `start`."""
    def run(statements, *options, start="with rpcrdma"):
        (tmp_path / "timed.scenario").write_text("\n".join([start, *statements]) + "\n", encoding="utf-8")
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", tmp_path / "timed.scenario", *options, "--pcap", "-o", tmp_path / "timed.pcap"],
                       check=True, capture_output=True)
        return tmp_path / "timed.pcap"
    return run


@pytest.fixture
def timed(check, tmp_path):
    """timed(pcap, [time of each RPC-over-RDMA message, ns]) -> pcap. Packets before a message have the time of the message before."""
    def run(source, times):
        said = messages(check("--print", source).stdout)
        assert len(said) == len(times)
        at = dict(zip([message[0] for message in said], times))
        assert len(at) == len(times), "two messages in a frame"

        def time_of(frame):
            return max((time for message, time in at.items() if message <= frame), default=0)
        return retime(source, tmp_path / "retimed.pcap", time_of)
    return run
