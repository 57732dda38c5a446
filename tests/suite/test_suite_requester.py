# SPDX-License-Identifier: GPL-2.0-or-later
"""The device as requester: it performs Atomics and sends Immediate Data with Solicited Event when a Send asks for them."""
import re
import subprocess

import pytest

import devices

RUNNERS = {"responder": devices.run_responder, "initiator": devices.run_initiator}
CASES = ["RDMAPX-4.1-03", "RDMAPX-4.1-03/atomic", "RDMAPX-4.1-10", "RDMAPX-4.1-11", "RDMAPX-4.2-01", "RDMAPX-5.2.1-01",
         "RDMAPX-5.2.1-01/cmpswap", "RDMAPX-5.2.1-02", "RDMAPX-5.2.1-12", "RDMAPX-5.2.1-14", "RDMAPX-5.2.2-10",
         "RDMAPX-5.2.2-12/identifier", "RDMAPX-8.1-03/response"]
RULES = "--rules=" + ",".join(CASES)


@pytest.mark.parametrize("role", RUNNERS)
@pytest.mark.parametrize("device", [[], ["rev1"], ["markers"]], ids=" ".join)
def test_what_is_asked_for_is_done(role, device):
    run = RUNNERS[role](device, [RULES])
    assert run.status == 0, run.errors + run.tell()
    assert set(CASES) <= set(run.outcome("passed")), run.tell()


@pytest.mark.parametrize("role", RUNNERS)
def test_a_device_that_echoes_the_words_is_not_accused(role):
    run = RUNNERS[role](["ignorant"], [RULES])
    assert run.status == 2, run.errors + run.tell()  # there was no result
    assert set(CASES) <= set(run.outcome("not applicable")), run.tell()


def test_no_request_where_the_start_up_allows_none():
    run = devices.run_responder([], ["--rules=RDMAPX-5.2.2-10", "--mpa=ird=0"])
    assert run.outcome("not applicable") == ["RDMAPX-5.2.2-10"], run.tell()


def test_requests_one_after_the_other():
    """A device with one request at a time waits for each Response: it needs one buffer."""
    run = devices.run_responder([], ["--rules=RDMAPX-5.2.2-10", "--mpa=ird=1"])
    assert run.outcome("passed") == ["RDMAPX-5.2.2-10"], run.tell()
    assert "at most 1 at once" in run.tests["RDMAPX-5.2.2-10"]["actual"], run.tell()


def test_our_answers_are_those_of_a_word():
    """Original values are the results of earlier operations: iwarp-check has no notes."""
    run = devices.run_responder([], ["--rules=RDMAPX-5.2.2-10"], record=True)
    done = subprocess.run([devices.CHECK, run.capture], capture_output=True, text=True)
    assert re.search(r"^PASS", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert "note:" not in done.stdout
