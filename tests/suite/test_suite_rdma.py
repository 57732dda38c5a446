# SPDX-License-Identifier: GPL-2.0-or-later
"""The suites through an RDMA device: that of tests/rdma, put before librdmacm and libibverbs. Its processes connect on the loopback; with FAKE_RDMA=iwarp it
is an RNIC, else an InfiniBand adapter."""
import contextlib
import functools
import json
import os
import re
import signal
import subprocess

import pytest

import devices

FAKE = devices.BUILD / "tests/rdma/libfake-rdma.so"
SUITES = ("rpcrdma", "nfs")
TESTS = {row[0]: row for row in devices.listed("tests")}
OF_SUITES = {name: row for name, row in TESTS.items() if row[1] in SUITES}
MUTANTS = [row for row in devices.listed("mutants") if row[0] in TESTS and TESTS[row[0]][1] in SUITES]
KINDS = ["ib", "iwarp"]

# A conforming device answers soon, and gets more time when the machine is busy.
PATIENT = ["--timeout=1", "--start-timeout=4", "--idle-timeout=4"]

pytestmark = pytest.mark.skipif(not FAKE.exists(), reason="librdmacm and libibverbs are not installed")


def environment(kind):
    """"ib late": Sends are acknowledged after the receiver's next message."""
    name, *late = kind.split()
    return os.environ | {"LD_PRELOAD": str(FAKE), "FAKE_RDMA": name} | dict.fromkeys(["FAKE_RDMA_LATE"] if late else [], "1")


@contextlib.contextmanager
def server(kind, *options):
    command = [devices.GEN, "serve", "rdma:127.0.0.1:0", "--service=rpc", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(kind)) as process:
        said = process.stderr.readline()
        found = re.search(r"port (\d+)", said)
        assert found, said
        try:
            yield f"rdma:127.0.0.1:{found[1]}", process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def run_responder(kind, device_options, *options, jobs=8):
    folder = devices.work_folder()
    output = f"{folder}/report.json"
    with server(kind, *device_options) as (address, _):
        command = [devices.GEN, "test", address, "--format=json", f"--output={output}", f"--jobs={jobs}", *devices.TIMES, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=devices.DEADLINE, env=environment(kind))
    return devices.finish(done.returncode, output, done.stderr, None)


def run_initiator(kind, device_options, *options):
    """The device connects repeatedly."""
    folder = devices.work_folder()
    output = f"{folder}/report.json"
    command = [devices.GEN, "test", "--listen", "rdma:127.0.0.1:0", "--format=json", f"--output={output}", *devices.TIMES, *options]
    return devices.listen(command, lambda port: [devices.GEN, "connect", f"rdma:127.0.0.1:{port}", "--as-device=rpc", *device_options],
                          output, env=environment(kind), stderr=subprocess.DEVNULL)


RUNNERS = {"responder": run_responder, "initiator": run_initiator}
# Cases that are not applicable to a conforming device, and why: there are no others.
NOT_APPLICABLE = {("initiator", "iwarp"): {"CMPD-3.2-03": "the device does not set R"},  # it has no memory windows
                  ("responder", "iwarp"): {"CMPD-4.1-02": "the device does not set R"}}


# Not tested here: the first case asks other services of this host; the second needs Calls of NFS version 4, which this client does not make (the client of
# test_suite_mutants.py does).
ELSEWHERE = {"NFSULB-5.1-01", "NFSULB-6.4.2-08"}


@functools.cache
def conforming(role, kind):
    return RUNNERS[role](kind, (), *PATIENT, f"--skip={','.join(ELSEWHERE)}")


@pytest.mark.parametrize("kind", KINDS)
def test_machine(kind):
    """iwarp-gen learn: inputs that end TCP connections are left out, as an RDMA device has no such messages."""
    with server(kind) as (address, _):
        command = [devices.GEN, "learn", address, "--alphabet=rpc", "--quiet=0.05", "--jobs=8", "--checks=10", "--against=standard"]
        done = subprocess.run([*command, "--inputs=null,version,no-body,fin"], capture_output=True, text=True, check=False,
                              timeout=devices.DEADLINE, env=environment(kind))
    assert done.returncode == 0 and "1 states, 3 inputs" in done.stdout and "0 differences from the standard" in done.stderr, done.stderr
    assert re.search(r"version +-> RDMA_ERROR with ERR_VERS", done.stdout) and "fin" not in done.stdout


@pytest.mark.parametrize("args, message", [
    ([], "--alphabet=startup: not for a device at rdma:HOST:PORT, as an RDMA device makes the octets; use --alphabet=rpc"),
    (["--alphabet=rpc", "--inputs=fin,rst"], "--inputs: fin,rst: not for a device at rdma:HOST:PORT, whose connections an RDMA device ends"),
])
def test_machine_of_octets(args, message):
    done = subprocess.run([devices.GEN, "learn", "rdma:127.0.0.1:1", *args], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def combine(kind, *device_options):
    run = run_responder(kind, device_options, "--strength=2", "--suite=chunks", "--timeout=1", "--confirm=2", jobs=4)
    return run, {test.get("reduced") for test in run.report["tests"]}


@pytest.mark.parametrize("kind", KINDS)
def test_combinations_of_chunks(kind):
    run, reduced = combine(kind)
    assert run.status == 0 and len(run.tests) > 30 and reduced == {None}, run.errors + run.tell()
    run, reduced = combine(kind, "--misbehave=chunks/call=long,seg=3")
    assert run.status == 1 and reduced == {None, "call=long,seg=3"}, run.errors + run.tell()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", RUNNERS)
def test_every_case_runs(role, kind):
    """All cases pass, as over sockets."""
    run = conforming(role, kind)
    wanted = {name for name, row in OF_SUITES.items() if row[2] in ("both", role)} - ELSEWHERE
    assert run.tests.keys() == wanted, run.errors
    assert run.outcome("failed") + run.outcome("inconclusive") == [], run.tell()
    assert {name: run.tests[name]["actual"] for name in run.outcome("not applicable")} == NOT_APPLICABLE.get((role, kind), {})
    assert run.status == 0, run.errors


def test_client_that_never_pauses():
    """There is always a Reply without an acknowledgement from the device."""
    run = RUNNERS["initiator"]("ib late", (), "--rules=CMPD-,RPCR-3.3.3-05,RPCR-6.3-02,BIDI-6-03")
    assert len(run.tests) > 8 and set(run.outcome("passed")) == run.tests.keys(), run.tell()


def test_says_once_that_the_wire_is_not_seen():
    run = conforming("responder", "ib")
    assert "the wire is not seen" in run.report["start_up"] and "fake0" in run.report["start_up"]
    assert run.errors.count("not seen") == 1
    assert not any(test["observations"] for test in run.tests.values())


def test_transcripts_have_messages():
    frames = conforming("responder", "ib").tests["RPCR-4.5.2-03"]["frames"]
    said = [(frame["from"], frame["what"]) for frame in frames]
    assert said[0] == ("test", "connects")
    assert any(who == "test" and re.fullmatch(r"Send of 28 octets: RDMA_NOMSG, XID 0x\w+", what) for who, what in said)
    assert any(who == "device" and re.fullmatch(r"Send of 20 octets: RDMA_ERROR, XID 0x\w+", what) for who, what in said)
    assert all(frame["octets"] for frame in frames if frame["what"].startswith("Send"))


def test_each_connection_has_a_port():
    for test in conforming("responder", "iwarp").tests.values():
        assert len(test["ports"]) == len(set(test["ports"])) >= 1 and min(test["ports"]) > 0


# Mutants of the software's queue pair that refuse segments: a device's queue pair cannot do this.
OF_SEGMENTS = {"RPCR-3.3.1-08", "EXP-4.5.1-01", "RPCR-3.3.3-01", "RPCR-3.3.3-05", "CMPD-4-12", "RPCR-3.3.1-09", "RPCR-3.4.5.1-03",
               "RPCR-4.4.1-01", "RPCR-8.1.3-02", "BIDI-4.3.1-01", "BIDI-6-03", "RPCR-4.5-03/many", "RPCR-4.5.4-03/memory",
               "NFSULB-3.1-05", "NFSULB-6.4.2-08"}
# Its mutant stops answering: the checks between cases, which are Calls here, find it dead.
DEAD = {"RPCR-3.3.3-01/thousand"}
# Mutants that depend on the length of the private data, which InfiniBand pads.
OF_LENGTHS = {"CMPD-4.2-03", "CMPD-5-01", "CMPD-5.2-03", "CMPD-5.2-04"}


@pytest.mark.parametrize("name,role", [(row[0], role) for row in MUTANTS if row[0] not in OF_SEGMENTS
                                       for role in (["responder", "initiator"] if row[1] == "both" else [row[1]])])
def test_mutant_fails(name, role):
    """As over sockets."""
    run = RUNNERS[role]("iwarp" if name in OF_LENGTHS else "ib", (f"--misbehave={name}",), f"--rules={name}")
    assert name in run.outcome("died" if name in DEAD else "failed"), run.errors + run.tell()


@pytest.mark.parametrize("options,words", [
    (["--suite=mpa"], "--suite: 'mpa' needs octets"), (["--rules=MPA-8-02"], "--rules: these cases need octets"),
    (["--mpa=rev=2"], "--mpa: not for a device"), (["-w", "x.pcapng"], "--write-capture: the octets of an RDMA device"),
    (["--service=echo"], "--service: a device at rdma:HOST:PORT is tested for rpc or nfs"),
    (["--listen", "-j", "2"], "-j: a device that connects")])
def test_what_is_refused(options, words):
    command = [devices.GEN, "test", "rdma:127.0.0.1:1", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment("ib"))
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""


def test_capture_is_named(tmp_path):
    """Every report has these, except with a socket, whose octets are recorded."""
    run = run_responder("ib", (), "--rules=RPCR-4.5.2-03", "--capture=beside.pcap")
    assert run.report["capture"] == "beside.pcap"
    done = subprocess.run([devices.GEN, "test", "127.0.0.1:1", "--capture=x"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--write-capture records every octet" in done.stderr


@pytest.mark.parametrize("role", RUNNERS)
def test_repeated(role):
    run = RUNNERS[role]("ib", (), "--rules=RPCR-4.5-10", "--repeat=3")
    assert run.tests["RPCR-4.5-10"]["runs"]["passed"] == 3 and len(run.tests["RPCR-4.5-10"]["ports"]) >= 1


def test_resumed(tmp_path):
    """Keeps the earlier report's results, and runs the other cases."""
    first = run_responder("ib", (), "--rules=RPCR-4.5-10")
    report = tmp_path / "first.json"
    first.report["tests"][0]["actual"] = "taken over"
    report.write_text(json.dumps(first.report), encoding="utf-8")
    rest = run_responder("ib", (), "--rules=RPCR-4.5-", f"--resume={report}")
    assert rest.tests["RPCR-4.5-10"]["actual"] == "taken over" and len(rest.tests) > 3
    assert set(rest.outcome("passed")) == rest.tests.keys()


def test_nobody_listens():
    done = subprocess.run([devices.GEN, "test", "rdma:127.0.0.1:1"], capture_output=True, text=True, check=False, env=environment("ib"))
    assert done.returncode == 2 and "nobody listens" in done.stderr


def test_death_is_seen_and_the_run_goes_on():
    """A server that dies of a case, and is restarted at its port."""
    folder = devices.work_folder()
    output = f"{folder}/report.json"
    with server("ib") as (address, pid):
        port = address.rsplit(":", 1)[1]
        again = (f"LD_PRELOAD={FAKE} {devices.GEN} serve rdma:127.0.0.1:{port} --service=rpc >/dev/null 2>{folder}/said & "
                 f"echo $! > {folder}/pid; until grep -q listening {folder}/said; do sleep 0.1; done")
        kill = f"[ $IWARP_CASE != RPCR-4.5.2-03 ] || kill {pid}"
        command = [devices.GEN, "test", address, "--rules=RPCR-4.5.2-0", "--format=json", f"--output={output}", *devices.TIMES,
                   "--recover-timeout=0.5", f"--before-each={kill}", f"--reset-command={again}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=devices.DEADLINE, env=environment("ib"))
    try:
        report = json.loads(open(output, encoding="utf-8").read())
        assert report["deaths"] and report["deaths"][0]["state"] in ("refuses", "vanished"), done.stderr
        assert all(death["revived"] for death in report["deaths"])
        assert {test["id"]: test["outcome"] for test in report["tests"]}["RPCR-4.5.2-04"] == "passed"
    finally:
        with contextlib.suppress(OSError, ValueError, ProcessLookupError):
            os.kill(int(open(f"{folder}/pid", encoding="utf-8").read()), signal.SIGKILL)


def test_a_frozen_server_does_not_refuse():
    """Its process is stopped: nobody answers, which is not a refusal."""
    folder = devices.work_folder()
    output = f"{folder}/report.json"
    with server("ib") as (address, pid):
        stop = f"[ $IWARP_CASE != RPCR-4.5.2-03 ] || kill -STOP {pid}"
        command = [devices.GEN, "test", address, "--rules=RPCR-4.5.2-0", "--format=json", f"--output={output}", *devices.TIMES,
                   "--accept-timeout=2", "--recover-timeout=0.5", f"--before-each={stop}", f"--reset-command=kill -CONT {pid}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=devices.DEADLINE, env=environment("ib"))
        finally:
            os.kill(pid, signal.SIGCONT)
    report = json.loads(open(output, encoding="utf-8").read())
    assert {death["state"] for death in report["deaths"]} == {"vanished"}, done.stderr
    assert all(death["revived"] for death in report["deaths"])
