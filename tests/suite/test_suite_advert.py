# SPDX-License-Identifier: GPL-2.0-or-later
"""The device's memory in a Send, for private data without room: the suites have the same results, except for requests that
need private data."""
import devices
import scripted

SUITES = "--suite=ddp,rdmap,rdmapx"
WANT_WORDS = {"DDP-7.2-09", "RDMAP-3.2-03"}  # need a device without Receives


def test_memory_in_a_send():
    told = devices.run_responder([], [SUITES])
    asked = devices.run_responder([], [SUITES, "--advert=send"])
    assert asked.status == 0, asked.errors + asked.tell()
    missing = set(asked.outcome("not applicable")) - set(told.outcome("not applicable"))
    assert WANT_WORDS <= missing and len(missing) < 15
    assert set(told.outcome("passed")) - missing == set(asked.outcome("passed"))


def test_a_wrong_answer_is_seen_with_memory_in_a_send():
    run = devices.run_responder(["DDP-7.1-13"], ["--rules=DDP-7.1-13", "--advert=send"])
    assert run.status == 1 and "DDP-7.1-13" in run.outcome("failed"), run.tell()


def test_no_connection_for_cases_about_memory_that_is_not_there():
    with scripted.Device() as device:
        run = devices.run_test([f"127.0.0.1:{device.port}", "--suite=rdmapx"], 8, False)
    assert {test["actual"] for test in run.tests.values()} == {"the device advertises no memory and echo in its private data"}, run.tell()
    assert not any(test["ports"] for test in run.tests.values())
