# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures for the command-line tests, written by the conversation builder."""
import json
import pathlib
import subprocess

import pytest

FAULT = "MPA-4.1-05"  # PAD octets that are not zero: an error, sent by the Initiator


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
        result = check("--format=json", "--counts=connection", *arguments, **options)
        return result.returncode, json.loads(result.stdout)
    return run


@pytest.fixture(scope="session")
def schema(root):
    return json.loads(pathlib.Path(root / "docs" / "iwarp-check.schema.json").read_text(encoding="utf-8"))
