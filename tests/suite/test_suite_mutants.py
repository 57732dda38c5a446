# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the suites: each case fails on its mutant, and none fails on the conforming devices."""
import concurrent.futures
import functools
import subprocess

import pytest

import agreement
import devices
import test_suite_wire
from reports import read_report

TESTS = {row[0]: row for row in devices.listed("tests")}
MUTANTS = [row for row in devices.listed("mutants") if row[0] in TESTS]  # the others: test_pairs.py
# Cases that no device can fail, and the reason; on the devices of test_suite_other_answers.py they do not pass.
NEVER_FAIL = {
    "MPA-8-03": "a receiver need not check the Markers of octets in order, and TCP sockets send no others",
    "NFSULB-5.1-01": "other services of the host answer; a fake rpcbind of test_suite_nfs.py fails this case",
    "MPA2-9.2-07": "RFC 6581 section 9.2 does not require a Responder to name all types",
}
# Cases that need our own TCP fail on faulty TCPs in test_suite_wire.py: as Responder, as the TCP is the same in both roles; simultaneous open as
# Initiator.
ON_WIRE = {test_suite_wire.CROSSED}.union(*(must for must, _ in test_suite_wire.FAULTS.values()))
# Mutants that depend on time: on a busy machine they may be in time when they should be late.
BY_CLOCK = {"MPA-7.1.1-24", "MPA-7.1.2-10/fin", "MPA-7.1.2-12", "MPA-7.1.2-12/cut", "MPA-7.1.5-04/late", "MPA-7.1.5-04/halves", "MPA-8-09"}
RUNNERS = {"responder": devices.run_responder, "initiator": devices.run_initiator}


def roles(row):
    return ["responder", "initiator"] if row == "both" else [row]


def device_for(name):
    """The device for a case, and the options of iwarp-gen test."""
    if name == "NFSULB-6.4.2-08":
        return ["rpc", "v4"], ["--service=nfs"]
    if name in ("MPA-7.1.5-04/late", "MPA-7.1.5-04/halves"):  # a mutant with several connections would give up those that wait
        return ["alone"], ["--start-timeout=3"]
    if TESTS[name][1] in ("rpcrdma", "nfs"):
        return ["rpc"], ["--service=nfs"]
    return [], []


class MutantRuns:
    """Runs mutants with their own cases, several in parallel, as they mostly wait."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(6)
        self.started = {}

    def start(self, name, role):
        kind, service = device_for(name)
        options = [f"--rules={name}", "--default-configuration", *service]
        self.started[name, role] = self.pool.submit(RUNNERS[role], [name, *kind], options, jobs=1, record=True)

    def __getitem__(self, what):
        if what not in self.started:
            self.start(*what)
        return self.started[what].result()

    def failing(self, name, role):
        """The run in which the case fails, of at most three: on a busy machine a late answer does not count. If the case passes, it has missed
        its mutant, unless the mutant depends on time."""
        again = {"inconclusive", "passed"} if name in BY_CLOCK else {"inconclusive"}
        for _ in range(2):
            if self[name, role].tests[name]["outcome"] not in again:
                break
            self.start(name, role)
        return self[name, role]


mutant_runs = MutantRuns()


@pytest.fixture(scope="module", autouse=True)
def chosen_mutants(request):
    """Starts all needed runs at once: with -k these are few."""
    for item in request.session.items:
        if getattr(item, "originalname", "") in ("test_mutant_fails", "test_checker_agrees_on_mutant"):
            what = item.callspec.params["name"], item.callspec.params["role"]
            if what not in mutant_runs.started:
                mutant_runs.start(*what)
    yield
    mutant_runs.pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name,role", [(row[0], role) for row in MUTANTS for role in roles(row[1])])
def test_mutant_fails(name, role):
    run = mutant_runs.failing(name, role)
    # Some die in their case.
    assert run.status == (3 if run.report["deaths"] else 1) and name in run.outcome("failed"), run.errors + run.tell()


def test_every_test_has_its_mutant():
    have = {(row[0], role) for row in MUTANTS for role in roles(row[1])}
    want = {(name, role) for name, row in TESTS.items() if name not in NEVER_FAIL.keys() | ON_WIRE for role in roles(row[2])}
    assert sorted(want - have) == []


@functools.cache
def rpc_run(role):
    # This client speaks version 3: test_conforming_client_of_version_4_passes() has a client of version 4. NFSULB-5.1-01 is about other
    # services: test_suite_nfs.py.
    suites = ["--suite=rpcrdma", "--suite=nfs", "--skip=NFSULB-5.1-01"] if role == "responder" else ["--suite=rpcrdma", "--skip=NFSULB-6.4.2-08"]
    return RUNNERS[role](["rpc"], ["--service=nfs", "--timeout=1", *suites], jobs=4, record=True)


@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_conforming_rpc_device_passes(role):
    run = rpc_run(role)
    assert run.status == 0, run.errors + run.tell()
    assert len(run.outcome("passed")) == len(run.tests), run.tell()


def test_conforming_client_of_version_4_passes():
    run = devices.run_initiator(["rpc", "v4"], ["--service=nfs", "--timeout=1", "--rules=NFSULB-6.4.2-08"], jobs=1)
    assert run.outcome("passed") == ["NFSULB-6.4.2-08"], run.errors + run.tell()


@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_checker_agrees_on_rpc_devices(role):
    found = found_of_device(rpc_run(role), role)
    assert {(name, rule) for name, rule in found if rule.split("-")[0] in ("RPCR", "BIDI", "CMPD", "EXP", "NFSULB")} == set()


DEVICES = {
    "responder": [[], ["markers"], ["no-crc"], ["markers", "no-crc"], ["rev1"]],
    "initiator": [[], ["markers"], ["no-crc"], ["plain"], ["plain", "rev1"], ["p2p"], ["p2p", "no-rtr-send", "markers"]],
}


@functools.cache
def conforming_runs():
    # Enough time for a busy machine: hardly any case waits until it is over.
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
def test_nothing_else_is_seen_of_conforming_devices(role):
    """Other findings of the engine are failures as well: they must not be false."""
    seen = {(name, observation) for args in DEVICES[role] for name, test in conforming_run(role, tuple(args)).tests.items()
            for observation in test["observations"]}
    assert seen == set()


@pytest.mark.parametrize("role", DEVICES)
def test_every_test_passes_on_some_device(role):
    """A case that is never applicable would test nothing."""
    passed = set().union(*(conforming_run(role, tuple(args)).outcome("passed") for args in DEVICES[role]))
    wanted = {name for name, row in TESTS.items() if role in roles(row[2]) and row[1] not in ("rpcrdma", "nfs")}
    # Cases for devices without Atomic Operations, which ours has.
    assert sorted(wanted - passed - ON_WIRE - {"RDMAPX-1.1-05"}) == []


def checked(run, *options):
    """The connections of a recording as iwarp-check sees them, by the opener's port."""
    command = [devices.CHECK, "--format=ndjson", "--counts=connection", "--fail-on=never", *options, run.capture]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    connections = {}
    for connection in read_report(done.stdout)["captures"][0]["connections"]:
        for end in ("initiator", "responder"):
            connections.setdefault(int(connection[end].rsplit(":", 1)[1]), []).append(connection)
    return connections


def found_of_device(run, role):
    """Pairs of case and rule that the device breaks, from iwarp-check on the recording of each case."""
    seen, found = checked(run), set()
    for name, test in run.tests.items():
        for connection in (one for port in test["ports"] for one in seen.get(port, [])):
            found |= {(name, finding["rule"]) for finding in connection["findings"]
                      if finding["direction"].startswith(role)}
    return found


@pytest.mark.parametrize("role,device", [(role, tuple(args)) for role, devs in DEVICES.items() for args in devs],
                         ids=lambda value: value if isinstance(value, str) else "-".join(value) or "default")
def test_checker_agrees_on_conforming_devices(role, device):
    run = conforming_run(role, device)
    assert [name for name, rule in found_of_device(run, role) if name.split("/")[0] == rule] == []


# Times of a device for iwarp-check: shorter than the suites' times in devices.TIMES.
TIMERS = "--timers=react=0.2,close=0.2,reply=0.4,start=0.6,idle=0.6"


def connections_of(run, name, *options):
    seen = checked(run, *options)
    return [connection for port in run.tests[name]["ports"] for connection in seen.get(port, [])]


@functools.cache
def verdict_on(name, role):
    """iwarp-check's result for the mutant's recording: named; the other rule; kept, if it counts as passed; open."""
    connections = connections_of(mutant_runs[(name, role)], name, TIMERS)
    counts = [connection["rules"].get(name.split("/")[0]) for connection in connections]
    found = {finding["rule"] for connection in connections for finding in connection["findings"]
             if finding["direction"].startswith(role) and finding["severity"] != "note"}
    if any(count["failed"] for count in counts if count):
        return "named"
    if agreement.TOLD.get(name) in found:
        return agreement.TOLD[name]
    return "kept" if any(count["passed"] for count in counts if count) else "open"


def carriers_fail(name, role, carriers):
    """Whether rules fail that this rule is judged with."""
    return any(connection["rules"].get(rule, {"failed": 0})["failed"] for rule in carriers
               for connection in connections_of(mutant_runs[(name, role)], name, TIMERS))


@pytest.mark.parametrize("name,role", [(row[0], role) for row in MUTANTS for role in roles(row[1])])
def test_checker_agrees_on_mutant(name, role, catalogue):
    """If iwarp-check can judge the recording of a failed case, it finds the same, or there is a reason."""
    verdict = verdict_on(name, role)
    rule = next(row for row in catalogue if row["id"] == name.split("/")[0])
    if rule["judged"] in ("no", "permission"):
        assert verdict in ("open", "named")
    elif verdict in ("kept", "open") and not (rule["judged"] == "with" and carriers_fail(name, role, rule["with"])):
        assert name in agreement.OPEN


def test_checker_names_most_mutants():
    verdicts = [verdict_on(row[0], role) for row in MUTANTS for role in roles(row[1])]
    assert sum(verdict not in ("open", "kept") for verdict in verdicts) >= 180


def test_reasons_are_of_mutants(catalogue):
    judged = {row["id"]: row["judged"] for row in catalogue}
    names = {row[0] for row in MUTANTS}
    assert (agreement.TOLD.keys() | agreement.OPEN.keys()) - names == set()
    assert [name for name in agreement.TOLD.keys() | agreement.OPEN.keys() if judged[name.split("/")[0]] == "no"] == []


# Mutants whose fault also shows in another rule's stimulus. A fault on the next connection is reported for that connection's case.
NOT_ALONE = {"MPA-7.1.2-10/fin"}
PARTS = {f"MPA-5.1-06/{part}" for part in ("length", "header", "pad", "crc", "octets")}
ALSO = {("MPA-4.4-01", "initiator"): {"MPA2-9.1-16"}, ("MPA-7.1.2-12", "responder"): {"MPA-7.1.2-12/cut"},
        ("MPA-7.1.2-22/octet", "initiator"): {"MPA-7.1.2-42"}, ("MPA-7.1.2-16", "initiator"): {"MPA-7.1.5-04/octets"}}
ALSO |= {(name, "initiator"): {"RPCR-4.3.1-04", "RPCR-4.3.1-04/pending"} for name in ("RPCR-4.3.1-04", "RPCR-4.3.1-04/pending")}
ALSO |= {("MPA-5.1-06", role): PARTS | {"MPA-6-06"} for role in RUNNERS}
ALSO |= {(part, role): {"MPA-5.1-06/octets", "MPA-5.1-06"} for part in PARTS for role in RUNNERS}


@pytest.mark.all
@pytest.mark.parametrize("suites,role", [("mpa,mpa2", "responder"), ("mpa,mpa2", "initiator"),
                                         ("rpcrdma,nfs", "responder"), ("rpcrdma", "initiator")])
def test_mutant_fails_no_other_test(suites, role):
    """Runs the whole suites against each mutant: only its own case fails."""
    wanted = [row[0] for row in MUTANTS if role in roles(row[1]) and TESTS[row[0]][1] in suites.split(",")
              and row[0] not in NOT_ALONE]

    def run(name):
        kind, service = device_for(name)
        options = [f"--suite={suites}", *service] + (["--default-configuration"] if name == "MPA-4.4-03" else [])
        return RUNNERS[role]([name, *kind], options, jobs=4 if service else 16)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = dict(zip(wanted, pool.map(run, wanted)))
    failed = {name: {one for one in run.outcome("failed") if not one.endswith("/seen")} - (ALSO.get((name, role), set()) - {name})
              for name, run in runs.items()}
    assert failed == {name: {name} for name in wanted}
