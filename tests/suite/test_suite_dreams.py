# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices on which a bad tester would find anything: they answer at random, refuse every second connection, or never stop sending. For
each, the exact results."""
import contextlib
import math
import random
import socket
import struct
import threading
import time

import pytest

import devices
import scripted

TIMES = ["--timeout=0.2", "--start-timeout=0.6", "--idle-timeout=0.6", "--recover-timeout=10", "--confirm=3"]
# Cases for scripted.Device that require a close, and it closes.
START_UP = {"MPA-7.1.1-02/end", "MPA-7.1.1-02/middle", "MPA-7.1.1-30", "MPA-7.1.1-31", "MPA-7.1.2-04/key", "MPA-7.1.2-04/pd-length",
            "MPA-7.1.2-04/http", "MPA-7.1.2-26", "MPA-7.1.2-40", "MPA-8-09"}
# Cases that the start-up alone passes, if the device has time for it.
BY_REPLY = {"MPA-7.1.2-10/fin", "MPA-C.2.1-01"}
# A device that answers frames that it must refuse (any revision, S = 1 in revision 1), and waits forever.
WRONG = {"MPA-7.1.1-25", "MPA-7.1.2-35", "MPA-7.1.2-41/key", "MPA-7.1.2-42", "MPA2-6-04", "MPA-C.2.3-01"}


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


class AtRandom(scripted.Device):
    """Does one of a few things with each FPDU, chosen by a seed and the number of the connection."""

    def __init__(self, seed, sane=0):
        self.seed, self.sane, self.count, self.lock = seed, sane, 0, threading.Lock()
        super().__init__()

    def operate(self, connection, request):
        with self.lock:
            self.count += 1
            chance = random.Random(self.seed * 1000003 + self.count)
            sane = self.count <= self.sane
        if sane:
            super().operate(connection, request)
            return
        while True:
            head = self.exactly(connection, 2)
            length = struct.unpack(">H", head)[0]
            ulpdu = self.exactly(connection, length + -(length + 2) % 4 + 4)[:length]
            what = chance.choice(["answer", "nothing", "terminate", "fin", "reset", "octets"])
            if what == "answer" and len(ulpdu) >= 30:
                connection.sendall(scripted.fpdu(b"\xC1\x42" + ulpdu[18:30], request.crc))
            elif what == "terminate":
                word = bytes([chance.choice([0x01, 0x02, 0x11, 0x12, 0x20]), chance.randrange(10), 0, 0])
                connection.sendall(scripted.fpdu(bytes.fromhex("4147") + bytes(4) + struct.pack(">III", 2, 1, 0) + word, request.crc))
                return
            elif what == "octets":
                connection.sendall(chance.randbytes(chance.randrange(1, 60)))
            elif what in ("fin", "reset"):
                if what == "reset":
                    reset(connection)
                return


class EachSecondConnect(scripted.Device):
    """TCP accepts every second connection, up to the last of them, only to reset it: at once, or, if late(number), after the Request. One thread
    serves all, in their order."""

    def __init__(self, late, last=math.inf):
        self.count, self.late, self.last = 0, late, last
        super().__init__()

    def begin(self, connection):
        self.count += 1
        if self.count % 2 == 1 or self.count > self.last:
            super().begin(connection)
            return
        reset(connection)
        if self.late(self.count):
            with contextlib.suppress(OSError, scripted.Gone):
                connection.settimeout(1)
                self.hear_request(connection)
        connection.close()


class EachSecondRefused(scripted.Device):
    """After each connection nobody listens for a moment: TCP refuses the next connection, and accepts the one after."""

    def serve(self, connection):
        super().serve(connection)
        listener, self.listener = self.listener, None
        if listener:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            threading.Timer(0.1, self.listen).start()


class Flood(scripted.Device):
    """After the start-up it sends Writes as fast as possible, and reads nothing."""

    def operate(self, connection, request):
        frame = scripted.fpdu(bytes.fromhex("c140000000010000000000000000") + bytes(20000), request.crc)
        while True:
            connection.sendall(frame)
            time.sleep(0)


def run(device, *args, jobs=1):
    without_waits = "--skip=MPA-7.1.2-35,MPA-7.1.2-41,MPA-7.1.2-42"
    return devices.run_test([f"127.0.0.1:{device.port}", "--suite=mpa", without_waits, *TIMES, *args], jobs, False)


def cases(tested, outcome):
    return {name for name in tested.outcome(outcome) if not name.endswith("/seen")}


@pytest.mark.parametrize("seed", [1, 2])
def test_who_answers_at_random_passes_nothing_by_it(seed):
    with AtRandom(seed) as device:
        tested = run(device)
    # Passes are about the start-up, where it behaves. Its closes after wrong frames mean nothing: it closes others, too.
    assert cases(tested, "passed") <= BY_REPLY, tested.tell()
    # No failure comes from a comparison, whose other half might be different.
    failed = [test for test in tested.tests.values() if test["outcome"] == "failed"]
    assert not any("without the oddity" in test["actual"] for test in failed), tested.tell()
    # On a busy machine two of three runs may be too late to decide.
    seen = {name for name, test in tested.tests.items() if test["outcome"] == "failed" or "; failed: " in test["actual"]}
    assert {"MPA-7.1.1-25", "MPA2-6-04"} <= seen and not tested.report["deaths"], tested.tell()
    # Its random errors are real: invalid Terminates, octets that are not an FPDU.
    assert tested.status == 1 and "MPA-4.1-01/seen" in tested.outcome("failed"), tested.tell()


@pytest.mark.parametrize("late", [False, True], ids=["at-once", "late-too"])
def test_who_resets_each_second_connection_has_no_verdicts(late):
    with EachSecondConnect(lambda number: late and number % 4 == 0) as device:
        tested = run(device)
    assert cases(tested, "failed") == set() and not tested.report["deaths"], tested.tell()
    # These cases accept only answers, which no reset imitates.
    assert {test["shown"] for test in tested.tests.values() if test["outcome"] == "passed"} <= {"continues", "answer"}, tested.tell()
    assert cases(tested, "unstable") <= WRONG
    # The connections that are reset decide the effect.
    shown = ("at times it closes where it has to go on, too", "Connection reset by peer", "found RST")
    assert sum(any(words in test["actual"] for words in shown) for test in tested.tests.values()) >= 8, tested.tell()


def test_resets_of_cases_alone_are_no_refusal():
    """The device answers each check between the cases, and resets the last case after its Request."""
    with EachSecondConnect(lambda number: number == 12, last=12) as device:
        tested = run(device, "--rules=MPA-4.1-11,MPA-4.2-03,MPA-4.2-06,MPA-4.4-09,MPA-C.2.3-01", "--confirm=1",
                     "--timeout=5", "--start-timeout=10", "--idle-timeout=10")
    assert device.count == 15, device.count  # learning, five cases, and the checks
    assert tested.tests["MPA-C.2.3-01"]["outcome"] == "inconclusive", tested.tell()


def test_who_refuses_each_second_connection_is_not_blamed_for_it():
    with scripted.Device() as device:
        usual = run(device, "--timeout=1", jobs=8)
    with EachSecondRefused() as device:
        tested = run(device)
    assert cases(tested, "failed") <= cases(usual, "failed") and cases(tested, "passed") <= cases(usual, "passed"), tested.tell()
    assert not tested.report["deaths"] and len(cases(tested, "passed")) > 10, tested.tell()


def test_who_never_stops_sending_passes_what_it_refuses_before():
    with Flood() as device:
        tested = run(device, "--timeout=1")
    assert START_UP <= cases(tested, "passed") <= START_UP | BY_REPLY, tested.tell()
    assert not tested.report["deaths"], tested.errors
    # The device does not read messages either.
    assert cases(tested, "failed") <= WRONG | {"MPA-8-02/crc", "MPA-8-02/ulpdu", "MPA-8-05", "MPA-7.1.1-16/late", "MPA-8-14"}, tested.tell()


def test_a_first_fpdu_of_any_kind_needs_no_memory():
    """MPA2-9.2-20 is played with a zero-length Read, so a device without memory has to pass it."""
    with scripted.Device() as device:
        tested = run(device, "--suite=mpa2", "--rules=MPA2-9.2-20", "--timeout=5")
    assert tested.outcome("passed") == ["MPA2-9.2-20"], tested.tell()
