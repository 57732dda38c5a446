# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers that cannot take many connections: shared connections, the pace of new ones, and waiting for recovery. The device is that of
tests/rdma with few queue pairs (FAKE_RDMA_QPS), or one on a socket that counts its connections."""
import contextlib
import functools
import subprocess
import time

import pytest

import devices
import test_suite_rdma as rdma

THOUSAND = "RPCR-3.3.3-01/thousand"  # this case tests connections
OF_SUITES = ("rpcrdma", "nfs")
TESTS = {row[0]: row for row in devices.listed("tests")}
MUTANTS = [row[0] for row in devices.listed("mutants") if row[0] in TESTS and TESTS[row[0]][1] in OF_SUITES and row[1] in ("both", "responder")
           and row[0] != THOUSAND]
SUITES = "--suite=rpcrdma,nfs"
PATIENT = ["--timeout=1", "--start-timeout=4", "--idle-timeout=4", f"--skip={THOUSAND}"]


def outcomes(run):
    return {name: test["outcome"] for name, test in run.tests.items()}


def connections(run):
    """The connections of the cases."""
    return {port for test in run.tests.values() for port in test["ports"]}


@functools.cache
def over_socket(*options):
    return devices.run_responder(("rpc",), ["--service=nfs", SUITES, *PATIENT, *options], jobs=4)


def over_rdma(queue_pairs, *options, jobs=1):
    folder = devices.work_folder()
    output = f"{folder}/report.json"
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            if queue_pairs:
                patch.setenv("FAKE_RDMA_QPS", queue_pairs)
            address, _ = stack.enter_context(rdma.server("ib"))
        command = [devices.GEN, "test", address, "--format=json", f"--output={output}", f"--jobs={jobs}", *devices.TIMES, *PATIENT,
                   *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=rdma.environment("ib"))
    return devices.finish(done.returncode, output, done.stderr, None)


needs_fake = pytest.mark.skipif(not rdma.FAKE.exists(), reason="librdmacm and libibverbs are not installed")


# ---- a conforming device ----

def test_same_verdicts_on_a_socket():
    apart, shared = over_socket(), over_socket("--reuse")
    assert outcomes(shared) == outcomes(apart) and shared.status == apart.status == 0, shared.tell()
    assert len(shared.tests) > 70
    assert len(connections(shared)) < len(connections(apart)) / 3


@needs_fake
def test_same_verdicts_through_an_rdma_device():
    apart, shared = over_rdma(None, jobs=4), over_rdma(None, "--reuse", jobs=4)
    assert outcomes(shared) == outcomes(apart) and shared.status == apart.status == 0, shared.tell()
    assert len(connections(shared)) < len(connections(apart)) / 3


def test_transcript_says_it():
    [first, second] = devices.run_responder(("rpc",), ["--service=nfs", "--rules=RPCR-4.5.2-", "--reuse", "--transcript=full"],
                                            jobs=1).report["tests"][:2]
    assert first["ports"] == second["ports"]
    assert second["frames"][0]["what"] == "goes on with the connection of an earlier case"


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_fail_all_the_same(name):
    """Alone, and after cases that have passed."""
    for _ in range(3):  # on a busy machine a late answer may not count as a failure
        run = devices.run_responder((name, "rpc"), ["--service=nfs", f"--rules={name},RPCR-4.5.2-", "--reuse"], jobs=1)
        if run.tests[name]["outcome"] != "inconclusive":
            break
    assert run.tests[name]["outcome"] in ("failed", "unstable"), run.errors + run.tell()


# ---- devices with few connections ----

@needs_fake
def test_device_that_gives_nothing_back_dies_without_reuse():
    run = over_rdma("12", "--recover-timeout=0.6")
    assert run.status == 3 and len(run.tests) < 15, run.errors


@needs_fake
def test_it_has_verdicts_with_reuse():
    """As many queue pairs as cases need their own, and no more."""
    right = over_rdma(None, "--reuse")
    run = over_rdma(str(len(connections(right)) + 2), "--reuse", "--recover-timeout=0.6")
    assert outcomes(run) == outcomes(right) and run.status == 0, run.errors


@needs_fake
def test_device_that_recovers_is_waited_for():
    """Afterwards cases share a connection."""
    right = over_rdma(None)
    run = over_rdma("8:700")
    assert outcomes(run) == outcomes(right) and run.status == 0, run.errors + run.tell()
    assert run.errors.count("cases share one from here on (--reuse)") == 1
    assert len(connections(run)) < len(connections(right)) / 2


@needs_fake
def test_pace_keeps_it_from_tiring():
    run = over_rdma("4:200", "--rules=RPCR-4.5-", "--connections-per-second=10")
    assert run.status == 0 and "--reuse" not in run.errors, run.errors


# ---- pace ----

def test_pace():
    began = time.monotonic()
    run = devices.run_responder(("rpc",), ["--service=rpc", "--rules=RPCR-4.5.2-", "--connections-per-second=10"], jobs=4)
    spent = time.monotonic() - began
    assert run.status == 0 and spent > len(connections(run)) / 10


@pytest.mark.parametrize("options,words", [
    (["127.0.0.1:1", "--connections-per-second=0"], "--connections-per-second: 0 is not from 0.01 to 1000"),
    (["127.0.0.1:1", "--connections-per-second=nan"], None),
    (["--listen", "--connections-per-second=3"], "--connections-per-second: only for a Responder"),
    (["--listen", "--reuse"], "--reuse: only for a Responder")])
def test_what_is_refused(options, words):
    done = subprocess.run([devices.GEN, "test", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and (words or "127.0.0.1:1") in done.stderr and done.stdout == ""
