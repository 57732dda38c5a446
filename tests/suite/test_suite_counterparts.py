# SPDX-License-Identifier: GPL-2.0-or-later
"""A pass means something if the run has seen that the device can do both: a device that accepts everything, or closes at random, passes
nothing."""
import collections
import json
import threading

import pytest

import devices
import scripted

SUITES = "--suite=mpa,mpa2,ddp,rdmap"


class EverySecond(scripted.Device):
    """Conforms, but resets every second connection with its first FPDU."""

    def __init__(self):
        self.count, self.lock = 0, threading.Lock()
        super().__init__()

    def operate(self, connection, request):
        with self.lock:
            self.count += 1
            unlucky = self.count > 8 and self.count % 2 == 0 # not while it is learned
        if unlucky:
            self.exactly(connection, 2)
            connection.setsockopt(scripted.socket.SOL_SOCKET, scripted.socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return
        super().operate(connection, request)


def run(device, *args, jobs=8):
    return devices.run_test([f"127.0.0.1:{device.port}", "--timeout=0.2", *args], jobs, False)


def kinds(tested):
    return collections.Counter((test["outcome"], test["shown"]) for test in tested.tests.values())


def test_who_takes_everything_passes_nothing_by_it():
    with scripted.Device(bad_crc=lambda device: False, answers_reads=False) as device:
        tested = run(device, SUITES)
    found = kinds(tested)
    assert found["passed", "stays"] == found["passed", "continues"] == 0, tested.tell()
    assert len([test for test in tested.tests.values() if "never seen to refuse" in test["actual"]]) > 10
    # The lines of the run had reported these as passed.
    assert tested.errors.count(": inconclusive after all\n") > 10


def test_who_has_refused_passes():
    """The same, but it refuses a wrong CRC: its silence has a meaning."""
    with scripted.Device(answers_reads=False) as device:
        tested = run(device, "--suite=mpa")
    assert kinds(tested)["passed", "stays"] > 5, tested.tell()
    assert not any("never seen to refuse" in test["actual"] for test in tested.tests.values())
    assert {test["rests_on"] for test in tested.tests.values() if (test["outcome"], test["shown"]) == ("passed", "stays")} <= set(tested.tests)


def test_a_refusal_counts_for_its_layer_and_below():
    """The device refuses a wrong CRC, and accepts everything in DDP, where its silence means nothing."""
    with scripted.Device(answers_reads=False) as device:
        tested = run(device, "--suite=mpa,ddp")
    passed = collections.Counter(test["suite"] for test in tested.tests.values() if (test["outcome"], test["shown"]) == ("passed", "stays"))
    open_ = [test for test in tested.tests.values() if "refuse only what is below" in test["actual"]]
    assert passed["mpa"] > 5 and passed["ddp"] == 0 and open_ and {test["suite"] for test in open_} == {"ddp"}, tested.tell()


def test_resumed_with_what_was_missing(tmp_path):
    """A run without the counterpart shows nothing: the case is repeated beside it."""
    report = tmp_path / "first.json"
    with scripted.Device(answers_reads=False) as device:
        first = run(device, "--rules=MPA-4.1-11")
        report.write_text(json.dumps(first.report))
        second = run(device, "--rules=MPA-4.1-11,MPA-8-02/crc", f"--resume={report}")
    assert first.status == 3 and first.outcome("inconclusive") == ["MPA-4.1-11"], first.tell()
    assert second.tests["MPA-4.1-11"]["rests_on"] == "MPA-8-02/crc" and len(second.outcome("passed")) == 2, second.tell()


def test_who_closes_at_random_passes_nothing_by_it():
    with EverySecond() as device:
        tested = run(device, "--suite=mpa", "--confirm=3", jobs=1)
    assert tested.outcome("failed") + tested.outcome("unstable"), tested.tell()
    found = kinds(tested)
    assert found["passed", "refused"] == 0 and found["inconclusive", "refused"] > 0, tested.tell()
    assert any("it was never seen to go on" in test["actual"] or "at times it closes" in test["actual"] for test in tested.tests.values())


@pytest.mark.parametrize("role", [devices.run_responder, devices.run_initiator], ids=["responder", "initiator"])
def test_a_device_that_can_tell(role):
    tested = role((), (SUITES,))
    assert tested.status == 0 and not tested.outcome("inconclusive"), tested.tell()
    for test in tested.tests.values():
        rests_on = test["rests_on"]
        assert (rests_on is not None) == (test["outcome"] == "passed")
        if test["shown"] == "continues" and rests_on:
            assert tested.tests[rests_on]["shown"] == "refused"
        if test["shown"] == "refused" and rests_on:
            assert tested.tests[rests_on]["shown"] == "continues"
