# SPDX-License-Identifier: GPL-2.0-or-later
"""One fault per stimulus: our side of each case breaks the declared rules (rules/*.cases), and no others. Cases that need our own TCP
(--wire) are not played here."""
import functools
import pathlib
import re
import subprocess
import sys

import pytest

import devices

RULES = pathlib.Path(__file__).resolve().parents[2] / "rules"
sys.path.insert(0, str(RULES))
import cases  # noqa: E402
from reports import read_report  # noqa: E402

RUNNERS = {"responder": devices.run_responder, "initiator": devices.run_initiator}
PATIENT = ["--timeout=2", "--start-timeout=4", "--idle-timeout=4"]
RUNS = {
    "responder": ("responder", [], [*PATIENT, "--skip=rpcrdma,nfs"], 16),
    "responder-rev1": ("responder", ["rev1"], [*PATIENT, "--suite=mpa"], 16),
    "responder-markers": ("responder", ["markers"], [*PATIENT, "--suite=mpa"], 16),
    "responder-no-crc": ("responder", ["no-crc"], [*PATIENT, "--suite=mpa"], 16),
    "initiator": ("initiator", [], [*PATIENT, "--skip=rpcrdma,nfs"], 16),
    "initiator-p2p": ("initiator", ["p2p"], [*PATIENT, "--suite=mpa2"], 16),
    "server": ("responder", ["rpc"], ["--service=nfs", "--timeout=1", "--suite=rpcrdma", "--suite=nfs"], 4),
    "client": ("initiator", ["rpc"], ["--service=nfs", "--timeout=1", "--suite=rpcrdma", "--skip=NFSULB-6.4.2-08"], 4),
    "client-v4": ("initiator", ["rpc", "v4"], ["--service=nfs", "--timeout=1", "--rules=NFSULB-6.4.2-08"], 1),
}
# Not about a stimulus: the device's port is not NFS's; each of its connections has a server with the same session IDs.
ENVIRONMENT = {"NFSULB-6.3-01", "NFS41-2.10.6.2-02"}


@functools.cache
def written():
    read = (case for path in sorted(RULES.glob("*.cases")) for case in cases.Reader(path).cases)
    return [case for case in read if case.kind == "case"]


@functools.cache
def declared():
    """By case: the rule that it breaks, or alternatives, and other broken rules."""
    return {case.id: (set(case.items("breaks")), set(case.items("also"))) for case in written()}


def ours(connection, role):
    return {finding["rule"] for finding in connection["findings"]
            if not finding["direction"].startswith(role) and finding["severity"] != "note"} - ENVIRONMENT


@functools.cache
def broken(which):
    """By case and port: the rules that our side breaks on each connection, from iwarp-check on the recording. A port has several
    connections if the host has reused it for other cases."""
    role, device, options, jobs = RUNS[which]
    run = RUNNERS[role](device, options, jobs=jobs, record=True)
    assert run.status == 0, run.errors + run.tell()
    command = [devices.CHECK, "--format=ndjson", "--fail-on=never", run.capture]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    connections = {}
    for connection in read_report(done.stdout)["captures"][0]["connections"]:
        opener = connection["initiator"] if role == "responder" else connection["responder"]
        for end in {opener, connection["initiator"], connection["responder"]}:
            connections.setdefault(int(end.rsplit(":", 1)[1]), []).append(connection)
    return {name: [[ours(connection, role) for connection in connections.get(port, [])] for port in test["ports"]]
            for name, test in run.tests.items()}


@pytest.mark.parametrize("which", RUNS)
def test_no_other_fault(which):
    undeclared = {}
    for name, found in broken(which).items():
        own = {name.split("/")[0]}
        breaks, also = declared().get(name, (set(), set()))
        for rules in (there[0] for there in found if len(there) == 1):
            faults = rules - own - also
            if not faults <= breaks or len(faults) > 1:
                undeclared[name] = sorted(faults)
    assert undeclared == {}


def test_what_is_declared_is_broken():
    """In one of three runs: a sample device waits 0.6 s for our start-up frame, which may be late on a busy machine, and whether a
    Write after the Reply breaks RPCR-2.3.2-02 depends on the time of the client's next Call."""
    found = {}
    for _ in range(3):
        for which in RUNS:
            for name, ports in broken(which).items():
                found.setdefault(name, set()).update(*(rules for there in ports for rules in there))
        missing = {name: sorted((breaks | also) - found[name]) for name, (breaks, also) in declared().items()
                   if name in found and not breaks | also <= found[name]}
        if not missing:
            break
        broken.cache_clear()
    assert missing == {}


def test_short_ulpdus_have_version_1():
    """If a ULPDU is too short for its header, iwarp-check reports only that."""
    ulpdus = {(case.id, octets) for case in written() for octets in re.findall(r"\bfpdu ([0-9a-f]+)", case.words.get("say", ""))}
    assert len(ulpdus) >= 3
    assert {(name, octets) for name, octets in ulpdus if int(octets[:2], 16) & 3 != 1} == set()
