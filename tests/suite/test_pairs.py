# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen test --strength: the right device passes; failures that need two values together are found and reduced to them."""
import contextlib
import json
import pathlib
import re
import subprocess
import threading
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest

import devices
import scripted

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = [row for row in devices.listed("mutants") if row[0].split("/")[0] in {row[1] for row in devices.listed("pairs")}]
RESPONDERS, INITIATORS = ([(row[0], row[2]) for row in MUTANTS if row[1] != other] for other in ("initiator", "responder"))
AT_MOST = 80


# The service for a subject, and the options of iwarp-gen test.
SERVICES = {"startup": ("echo", []), "geometry": ("echo", []), "chunks": ("rpc", ["--service=nfs"])}


@contextlib.contextmanager
def serve(*args, service="echo"):
    device = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", f"--service={service}", *args], stderr=subprocess.PIPE, text=True)
    try:
        yield int(device.stderr.readline().split("port ")[1].split()[0].rstrip(":,;"))
    finally:
        device.kill()
        device.wait()


def run(port, *args, strength=2):
    command = [devices.GEN, "test", f"127.0.0.1:{port}", f"--strength={strength}", "--timeout=0.5", "--confirm=2", "-j", "4", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def report(port, *args, **how):
    done = run(port, "--format=json", *args, **how)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads((ROOT / "docs" / "iwarp-test.schema.json").read_text()))
    return done, found["tests"]


def values(text):
    return dict(pair.split("=") for pair in text.split("/")[-1].split(","))


@pytest.mark.parametrize("suite", ["startup", "geometry"])
@pytest.mark.parametrize("options", [[], ["--no-crc"], ["--markers"], ["--no-crc", "--markers"], ["--revision=1"]], ids=" ".join)
def test_right_device_passes(options, suite):
    with serve(*options) as port:
        done, tests = report(port, f"--suite={suite}")
    assert done.returncode == 0 and {test["outcome"] for test in tests} == {"passed"}, done.stderr
    assert 30 < len(tests) <= AT_MOST and all(test["suite"] == suite for test in tests)


def test_messages_of_several_segments():
    """A device may choose its segments."""
    with serve("--misbehave=MPA-4.5-07") as port:
        done, tests = report(port, "--suite=geometry")
    assert done.returncode == 0 and {test["outcome"] for test in tests} == {"passed"}, done.stderr


@pytest.mark.parametrize("service", ["rpc", "nfs"])
def test_right_server_passes(service):
    with serve(service=service) as port:
        done, tests = report(port, "--service=nfs")
    assert done.returncode == 0 and {test["outcome"] for test in tests} == {"passed"}, done.stderr
    assert {test["suite"] for test in tests} == {"startup", "chunks"}
    assert sum(test["suite"] == "chunks" for test in tests) <= AT_MOST
    assert {values(test["id"])["nfs"] for test in tests if test["suite"] == "chunks"} == {"3", "4.0", "4.1", "4.2"}


def test_versions_that_are_wanted():
    with serve(service="rpc") as port:
        _, tests = report(port, "--service=nfs", "--suite=chunks", "--nfs-version=3,4.1")
    assert {values(test["id"])["nfs"] for test in tests} == {"3", "4.1"}


def test_memory_that_is_not_advertised():
    with serve(service="sink") as port:
        done, tests = report(port, "--suite=geometry")
    assert done.returncode == 0 and {test["outcome"] for test in tests} == {"passed"}, done.stderr
    assert {values(test["id"])["memory"] for test in tests} == {"all", "unknown"}


def test_every_pair_is_there():
    with serve() as port:
        _, tests = report(port, "--suite=startup")
    vectors = [values(test["id"]) for test in tests]
    for a, b in ((("M", "1"), ("pd", "508")), (("ird", "0"), ("rtr", "read")), (("C", "0"), ("cut", "octets")), (("rev", "1"), ("pd", "512"))):
        assert any(vector.get(a[0]) == a[1] and vector.get(b[0]) == b[1] for vector in vectors), (a, b)
    assert not any(vector["rev"] == "1" and vector["S"] == "1" for vector in vectors)


def test_m_1_that_is_refused_alone_proves_nothing():
    """Beside a revision or private data that must be refused, M = 1 may be the reason of the refusal."""
    with scripted.Device(takes=lambda request: "close" if request.markers else True) as device:
        _, tests = report(device.port, "--suite=startup")
    with_m = [test for test in tests if values(test["id"])["M"] == "1"]
    assert any("refuses M = 1 alone" in test["actual"] for test in with_m), [test["actual"] for test in with_m]
    assert not any(test["outcome"] == "passed" for test in with_m), [test["id"] for test in with_m if test["outcome"] == "passed"]
    assert any(test["outcome"] == "passed" for test in tests)


def assert_reduced(status, tests, planted):
    failed = [test for test in tests if test["outcome"] == "failed"]
    assert status == 1 and failed
    for test in failed:
        found = values(test["reduced"])
        assert found.keys() == planted.keys(), test
        assert found.items() <= (values(test["id"]) | {"pd": found.get("pd")}).items(), test
    # If other values of the two fail too, these do as well.
    assert any(values(test["reduced"]) == planted for test in failed), [test["reduced"] for test in failed]


@pytest.mark.parametrize("name,what", RESPONDERS, ids=[name for name, _ in RESPONDERS])
def test_mutant_is_reduced_to_its_two_values(name, what):
    suite = name.split("/")[0]
    service, options = SERVICES[suite]
    with serve(f"--misbehave={name}", service=service) as port:
        done, tests = report(port, f"--suite={suite}", *options)
    assert_reduced(done.returncode, tests, values(name))


# ---- Initiators, which connect repeatedly ----

def run_initiator(options, suite):
    """calm, and --start-timeout: a start-up takes time if each octet is a segment."""
    return devices.run_initiator(["calm", *options], ["--strength=2", f"--suite={suite}", "--timeout=0.5", "--confirm=2", "--start-timeout=20"])


@pytest.mark.parametrize("options", [[], ["plain"], ["p2p"], ["p2p", "no-rtr-send"], ["no-crc", "markers"], ["rev1"]], ids=" ".join)
def test_right_initiator_passes(options):
    run = run_initiator(options, "reply")
    assert run.status == 0 and set(run.outcome("passed")) == set(run.tests), run.errors + run.tell()
    assert 30 < len(run.tests) <= AT_MOST
    parameters = {key for name in run.tests for key in values(name)}
    assert {"M", "C", "pd", "cut"} <= parameters and ("rtr" in parameters) == ("p2p" in options)
    assert ("ird" in parameters) == (not {"plain", "rev1"} & set(options))


def test_memory_of_an_initiator():
    run = run_initiator([], "geometry")
    assert run.status == 0 and set(run.outcome("passed")) == set(run.tests) and len(run.tests) > 40, run.errors + run.tell()


@pytest.mark.parametrize("name,what", INITIATORS, ids=[name for name, _ in INITIATORS])
def test_initiator_is_reduced_to_its_two_values(name, what):
    """A busy device reads many segments of one octet at once, and then does nothing wrong."""
    run = run_initiator([name], name.split("/")[0])
    for _ in range(3 if "cut=octets" in name else 0):
        if run.status == 1:
            break
        run = run_initiator([name], name.split("/")[0])
    assert_reduced(run.status, run.tests.values(), values(name))


def test_the_same_by_seed():
    with serve() as port:
        first, again, other = (report(port, "--suite=startup", *seed)[1] for seed in ([], ["--seed=1"], ["--seed=7"]))
    assert [test["id"] for test in first] == [test["id"] for test in again] != [test["id"] for test in other]


@pytest.mark.parametrize("suite", sorted(SERVICES))
def test_three_at_a_time(suite):
    service, options = SERVICES[suite]
    with serve(service=service) as port:
        done, tests = report(port, f"--suite={suite}", *options, strength=3)
    assert done.returncode == 0 and len(tests) > 200, done.stderr


def test_without_memory():
    with scripted.Device() as device:
        done, tests = report(device.port)
    assert "geometry is left out: the device advertises no memory" in done.stderr
    assert "chunks is left out: the device was not declared an NFS server (--service=nfs)" in done.stderr and {test["suite"] for test in tests} == {"startup"}


def test_formats():
    """Each format has the vector as the case's name, and the reduced values."""
    name = r"startup/rev=\d,S=\d,M=1,\S*cut=\w+"
    with serve("--misbehave=startup/M=1,C=0") as port:
        text, tap, junit = (run(port, "--suite=startup", f"--format={form}").stdout for form in ("text", "tap", "junit"))
    assert re.search(f"^failed +{name}", text, re.M) and "reduced to   M=1,C=0" in text
    assert re.search(f"^not ok \\d+ - startup {name}", tap, re.M) and "M=1,C=0" in tap
    failures = [case for case in ElementTree.fromstring(junit).iter("testcase") if case.find("failure") is not None]
    assert failures and all(re.fullmatch(name, case.get("name")) and "reduced to: M=1,C=0" in case.find("failure").text for case in failures)


def test_usual_values_fail():
    """No values are blamed if the usual values fail, too."""
    with serve("--misbehave=MPA-4.4-19") as port:  # answers Reads whose CRC is wrong
        done, tests = report(port, "--suite=startup")
    assert done.returncode == 1
    assert {test["reduced"] for test in tests if test["outcome"] == "failed" and test["rule"] == "MPA-7.1.1-16"} == {"the usual values"}


@contextlib.contextmanager
def mortal(wrong=False):
    """A device that dies of two values together. wrong: one of these values also gives a wrong A in its Reply."""
    def takes(request):
        if request.enhanced and request.ird == 0 and request.ord == 0:
            device.die()
            return "close"
        if wrong and request.enhanced and (request.ird, request.ord) == (0, 16):
            return {"a": not request.a}
        return "close" if request.revision > 2 else True

    with scripted.Device(takes) as device:
        yield device


def test_death():
    with mortal() as device:
        done, tests = report(device.port, "--suite=startup", "-j", "1", "--recover-timeout=0.2")
    deaths = [test for test in tests if test["death"]]
    assert done.returncode == 3 and len(deaths) == 1
    assert values(deaths[0]["id"])["ird"] == "0" and values(deaths[0]["id"])["ord"] == "0"
    assert "reduced" not in deaths[0]  # there was no device left to ask


def test_death_is_reduced(tmp_path):
    """Reduced to the values that kill the device, not to those that break a rule."""
    asked, done = tmp_path / "reset", threading.Event()

    def reviver(device):
        while not done.wait(0.02):
            if asked.exists():
                device.revive()
                asked.unlink()

    with mortal(wrong=True) as device:
        threading.Thread(target=reviver, args=(device,), daemon=True).start()
        _, tests = report(device.port, "--suite=startup", "-j", "1", "--recover-timeout=0.2",
                          f"--reset-command=touch {asked}; while test -e {asked}; do sleep 0.02; done")
        done.set()
    assert {test["reduced"] for test in tests if test["death"]} == {"ird=0,ord=0"}


def test_disliked_private_data_are_left_out():
    """The upper layer decides about them."""
    def takes(request):
        if request.revision > 2:
            return "close"
        return len(request.data) != 256 and (not request.markers or "close")

    with scripted.Device(takes) as device:
        done, tests = report(device.port, "--suite=startup")
    assert "pd=256 is left out" in done.stderr and not any(values(test["id"])["pd"] == "256" for test in tests)
    assert "M=1" in {test["reduced"] for test in tests if test["outcome"] == "failed"}


def test_startups_that_are_refused_are_left_out():
    """Another subject tests them: here every vector shows something about memory."""
    with serve("--misbehave=MPA-4.3-01") as port:
        done, tests = report(port, "--suite=geometry")
    assert "geometry: M=1 is left out: the device does not start with it" in done.stderr and done.returncode == 0
    assert {test["outcome"] for test in tests} == {"passed"} and {values(test["id"])["M"] for test in tests} == {"0"}
    assert {values(test["id"])["C"] for test in tests} == {"0", "1"}


# ---- known deviations ----

def takes_no_markers(request):
    """Refuses Markers and all undefined values; and A = 0 in the Reply if two values meet."""
    if request.revision > 2 or request.markers:
        return "close"
    return {"a": False} if request.a and request.rtr == 1 and not request.crc else True


def waiving(folder, *ids):
    path = folder / "known.yaml"
    path.write_text("".join(f"- id: {one}\n  why: known\n" for one in ids))
    return f"--waivers={path}"


def reduced(tests, rule):
    return {test["reduced"] for test in tests if test["rule"] == rule and "reduced" in test}


@pytest.mark.parametrize("waived", [[], ["startup/M=1"], ["MPA-7.1.2-10"]], ids=str)
def test_known_deviation_hides_no_other(tmp_path, waived):
    with scripted.Device(takes_no_markers) as device:
        done = run(device.port, "--format=json", "--suite=startup", waiving(tmp_path, *waived))
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads((ROOT / "docs" / "iwarp-test.schema.json").read_text()))
    tests, left_out = found["tests"], {row["values"]: row for row in found["left_out"]}
    assert done.returncode == 1 and reduced(tests, "MPA2-9.2-06") == {"C=0,rtr=send"}, done.stderr
    known = [test for test in tests if test.get("reduced") == "M=1"]
    assert known and {test["waived"] for test in known} == {"known" if waived else None}
    assert all(test["waived"] is None for test in tests if test["rule"] == "MPA2-9.2-06" and test["outcome"] == "failed")
    if waived == ["startup/M=1"]:
        assert len(known) == 1 and sum("M=1" in test["id"] for test in tests) == 1
    assert left_out["M=1"]["rule"] == "MPA-7.1.2-10" and left_out["M=1"]["waived"] == ("known" if waived else None)
    # Values without a part in a failure are in a passing vector, with everything they need.
    passed = [values(test["id"]) for test in tests if test["outcome"] == "passed"]
    for pair in ({"S": "0", "pd": "512"}, {"ird": "1", "rtr": "write"}, {"rev": "1", "cut": "octets"}, {"C": "0", "pd": "508"}):
        assert any(pair.items() <= vector.items() for vector in passed), pair
    assert found["unused_waivers"] == [] and found["reach"]["tests"] == len(tests)


def test_all_that_fails_is_waived(tmp_path):
    """In any order of the values."""
    with serve("--misbehave=startup/M=1,pd=257") as port:
        done, tests = report(port, "--suite=startup", "--strict-waivers", waiving(tmp_path, "startup/pd=257,M=1", "startup/M=1,pd=508"))
    assert done.returncode == 0 and {test["outcome"] for test in tests if not test["waived"]} == {"passed"}, done.stderr
    assert {test["reduced"] for test in tests if test["waived"]} == {"M=1,pd=257", "M=1,pd=508"}


def test_deviation_that_is_gone(tmp_path):
    """Its values are combined like any others, and the waiver is unused."""
    with serve() as port:
        done = run(port, "--format=json", "--suite=startup", "--strict-waivers", waiving(tmp_path, "startup/M=1"))
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["unused_waivers"] == ["startup/M=1"] and "left_out" not in found
    assert sum("M=1" in test["id"] for test in found["tests"]) > 10 and found["summary"]["passed"] == len(found["tests"])


def test_waiver_of_values_is_of_combinations_alone(tmp_path):
    with serve() as port:
        done = subprocess.run([devices.GEN, "test", f"127.0.0.1:{port}", "--rules=MPA-8-02", "--timeout=0.5", "--strict-waivers",
                               waiving(tmp_path, "startup/M=1")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_known_breach_of_each_reply_hides_nothing(tmp_path):
    """The Reply is as wrong as before: later steps are checked nevertheless."""
    def takes(request):
        if request.revision > 2 or request.markers:
            return "close"
        if request.ird == 1 and not request.crc:
            return "deaf"
        return {"a": True} if request.enhanced and not request.a else True

    with scripted.Device(takes) as device:
        _, before = report(device.port, "--suite=startup")
        done, tests = report(device.port, "--suite=startup", waiving(tmp_path, "MPA2-9.2-18", "MPA2-9.2-19"))
    breaches = [[test for test in run if test["rule"] == "MPA2-9.2-18" and test["outcome"] == "failed"] for run in (before, tests)]
    assert len(breaches[0]) > 5 and {test["reduced"] for test in breaches[0]} == {"the usual values"}
    assert [(test["reduced"], test["waived"]) for test in breaches[1]] == [("the usual values", "known")]
    # The device's other known errors.
    assert {test["reduced"] for test in tests if "reduced" in test} == {
        "C=0,ird=1", "M=1", "ird=16383", "ord=0,rtr=all", "ord=0,rtr=read", "the usual values"}, done.stderr


def test_left_out_in_each_format(tmp_path):
    with scripted.Device(takes_no_markers) as device:
        forms = {form: run(device.port, "--suite=startup", f"--format={form}", waiving(tmp_path, "startup/M=1")).stdout
                 for form in ("text", "tap", "junit", "json")}
    path = tmp_path / "report.json"
    path.write_text(forms["json"])
    page = subprocess.run([devices.GEN, "report", path], capture_output=True, text=True, check=True).stdout
    line = r"startup: \d+ combinations with M=1, which fails by itself: MPA-7\.1\.2-10, waived: known"
    assert re.search(r"^  left out +" + line, forms["text"], re.M)
    assert re.search(r"^# left out: " + line, forms["tap"], re.M)
    assert re.search(f'<property name="left-out" value="{line}"', forms["junit"])
    assert re.search(f"<li>{line}</li>", page)


@pytest.mark.parametrize("one,message", [
    ("startup/Q=1", "startup has no 'Q=1' (iwarp-gen list pairs has the values)"),
    ("startup/M=7", "startup has no 'M=7'"),
    ("startup/M=1,pd", "startup has no 'pd'"),
    ("startups/M=1", "'startups/M=1' is not SUBJECT/PARAMETER=VALUE,... (iwarp-gen list pairs)"),
])
def test_waivers_of_no_values(tmp_path, one, message):
    done = subprocess.run([devices.GEN, "test", "127.0.0.1:1", "--strength=2", waiving(tmp_path, one)], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and f"known.yaml:1: {message}" in done.stderr, done.stderr


@pytest.mark.parametrize("args,message", [
    (["127.0.0.1:1", "--strength=4"], "--strength: 4 is not from 0 to 3"),
    (["127.0.0.1:1", "--strength=2", "--suite=mpa"], "'mpa' is not one of startup, reply, geometry, chunks"),
    (["127.0.0.1:1", "--strength=2", "--suite=geometry,reply"], "--suite=reply: it is about Initiators (--listen)"),
    (["127.0.0.1:1", "--strength=2", "--rules=MPA-4"], "--strength: not with --rules"),
    (["127.0.0.1:1", "--strength=2", "--soak=1m"], "--strength: not with --soak"),
    (["rdma:127.0.0.1:1", "--strength=2", "--suite=startup"], "--suite=startup: it needs octets that an RDMA device makes by itself"),
    (["--listen", "rdma:127.0.0.1:0", "--strength=2"], "--strength: nothing is combined for a device that connects to rdma:HOST:PORT"),
    (["--listen", "--strength=2", "--suite=startup"], "--suite=startup: it is about Responders, at HOST:PORT"),
    (["--listen", "--strength=2", "--suite=chunks"], "--suite=chunks: it is about Responders, at HOST:PORT"),
])
def test_bad_input(args, message):
    done = subprocess.run([devices.GEN, "test", *args], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and message in done.stderr, done.stderr
