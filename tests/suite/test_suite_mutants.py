# SPDX-License-Identifier: GPL-2.0-or-later
"""The suites themselves: each test fails on its mutant, and none fails on the conforming devices."""
import concurrent.futures
import functools
import json
import subprocess

import pytest

import devices

TESTS = {row[0]: row for row in devices.listed("tests")}
MUTANTS = devices.listed("mutants")
# What TCP sockets cannot provoke: nothing a device does with octets in order fails these.
NEVER_FAIL = {"MPA-8-03"}
RUNNERS = {"responder": devices.run_responder, "initiator": devices.run_initiator}


def roles(row):
    return ["responder", "initiator"] if row == "both" else [row]


def device_for(name):
    """What the device is to be, and what the test is told of it."""
    if TESTS[name][1] in ("rpcrdma", "nfs"):
        return ["rpc"], ["--service=nfs"]
    return [], []


@functools.cache
def mutant_runs():
    """Each mutant against its own test, some at the same time: they mostly wait."""
    wanted = [(row[0], role) for row in MUTANTS for role in roles(row[1])]

    def run(what):
        kind, service = device_for(what[0])
        options = [f"--rules={what[0]}", "--default-configuration", *service]
        return RUNNERS[what[1]]([what[0], *kind], options, jobs=1)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        return dict(zip(wanted, pool.map(run, wanted)))


@pytest.mark.parametrize("name,role", [(row[0], role) for row in MUTANTS for role in roles(row[1])])
def test_mutant_fails(name, role):
    run = mutant_runs()[(name, role)]
    assert run.status == 1 and name in run.outcome("failed"), run.errors + run.tell()


def test_every_test_has_its_mutant():
    have = {(row[0], role) for row in MUTANTS for role in roles(row[1])}
    want = {(name, role) for name, row in TESTS.items() if name not in NEVER_FAIL for role in roles(row[2])}
    assert sorted(want - have) == []


@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_conforming_rpc_device_passes(role):
    run = RUNNERS[role](["rpc"], ["--service=nfs", "--suite=rpcrdma", *(["--suite=nfs"] if role == "responder" else [])], jobs=4)
    assert run.status == 0, run.errors + run.tell()
    assert len(run.outcome("passed")) == len(run.tests), run.tell()


DEVICES = {
    "responder": [[], ["markers"], ["no-crc"], ["markers", "no-crc"], ["rev1"]],
    "initiator": [[], ["markers"], ["no-crc"], ["plain"], ["plain", "rev1"], ["p2p"], ["p2p", "no-rtr-send", "markers"]],
}


@functools.cache
def conforming_runs():
    # With time enough for a busy machine: hardly a test waits for it to pass.
    options = ["--skip=rpcrdma,nfs", "--timeout=2", "--start-timeout=4", "--idle-timeout=4"]
    wanted = [(role, tuple(args)) for role, devs in DEVICES.items() for args in devs]

    def run(what):
        return RUNNERS[what[0]](list(what[1]), options, jobs=16, record=True)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        return dict(zip(wanted, pool.map(run, wanted)))


def conforming_run(role, device):
    return conforming_runs()[(role, device)]


@pytest.mark.parametrize("role,device", [(role, tuple(args)) for role, devs in DEVICES.items() for args in devs],
                         ids=lambda value: value if isinstance(value, str) else "-".join(value) or "default")
def test_conforming_device_passes(role, device):
    run = conforming_run(role, device)
    assert run.status == 0, run.errors + run.tell()
    allowed = {"MPA-8-03"} if "markers" in device else set()
    assert set(run.outcome("failed") + run.outcome("inconclusive")) <= allowed, run.tell()
    assert run.outcome("passed")


@pytest.mark.parametrize("role", DEVICES)
def test_every_test_passes_on_some_device(role):
    """One that is never applicable would not be a test."""
    passed = set().union(*(conforming_run(role, tuple(args)).outcome("passed") for args in DEVICES[role]))
    wanted = {name for name, row in TESTS.items() if role in roles(row[2]) and row[1] not in ("rpcrdma", "nfs")}
    # About devices without Atomic Operations, which ours has.
    assert sorted(wanted - passed - {"RDMAPX-1.1-05"}) == []


def findings(capture):
    """(rule, sender's port): of the TCP connections, by their opener's port, as iwarp-check sees the recording."""
    done = subprocess.run([devices.CHECK, "--format=json", "--fail-on=never", capture], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    connections = {}
    for connection in json.loads(done.stdout)["captures"][0]["connections"]:
        ends = {end: int(connection[end].rsplit(":", 1)[1]) for end in ("initiator", "responder")}
        found = {(finding["rule"], ends[finding["direction"].split("-")[0]]) for finding in connection["findings"]}
        for port in ends.values():
            connections.setdefault(port, []).append((connection, found))
    return connections


def agreement(run, role):
    """What iwarp-check finds of the device in the recording of each test, as pairs of test and rule."""
    seen, found = findings(run.capture), set()
    for name, test in run.tests.items():
        for port in test["ports"]:
            for connection, broken in seen.get(port, []):
                device = port if role == "initiator" else None
                mine = {rule for rule, sender in broken if (sender == port) == (device is not None)}
                found |= {(name, rule) for rule in mine}
    return found


@pytest.mark.parametrize("role,device", [(role, tuple(args)) for role, devs in DEVICES.items() for args in devs],
                         ids=lambda value: value if isinstance(value, str) else "-".join(value) or "default")
def test_checker_agrees_on_conforming_devices(role, device):
    run = conforming_run(role, device)
    assert {rule for name, rule in agreement(run, role) if TESTS[name] and name.split("/")[0] == rule} == set()


# Mutants whose fault shows in another rule's stimulus as well.
ALSO = {("MPA-4.4-01", "initiator"): {"MPA2-9.1-16"}}


@pytest.mark.all
@pytest.mark.parametrize("suites,role", [("mpa,mpa2", "responder"), ("mpa,mpa2", "initiator")])
def test_mutant_fails_no_other_test(suites, role):
    """The whole suites against each mutant: only its own test fails."""
    wanted = [row[0] for row in MUTANTS if role in roles(row[1]) and TESTS[row[0]][1] in suites.split(",")]

    def run(name):
        options = [f"--suite={suites}"] + (["--default-configuration"] if name == "MPA-4.4-03" else [])
        return RUNNERS[role]([name, *device_for(name)[0]], options, jobs=16)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = dict(zip(wanted, pool.map(run, wanted)))
    failed = {name: set(run.outcome("failed")) - ALSO.get((name, role), set()) for name, run in runs.items()}
    assert failed == {name: {name} for name in wanted}
