# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices that are slow, die, or err at random: nothing passes without proof, and no finding is wrong."""
import concurrent.futures
import itertools
import random
import struct
import threading
import time

import pytest

import devices
import scripted

# Cases that such a device passes if it makes no error.
CASES = ["MPA-4.4-19", "MPA-8-02/crc", "MPA-8-02/ulpdu", "MPA-8-12/crc", "MPA-7.1.2-10/256", "MPA-5.1-06/header", "MPA-7.1.1-02/end", "MPA-7.1.1-22",
         "RDMAP-5.2.1-17"]
TIMES = ["--timeout=0.4", "--start-timeout=1.2", "--idle-timeout=1.2"]


class Reads(scripted.Device):
    """Answers Reads of no octets correctly; change() has each FPDU to send, and may return others, later, or none."""

    def __init__(self):
        self.count, self.lock, self.random = itertools.count(1), threading.Lock(), random.Random(51)
        super().__init__()

    def operate(self, connection, request):
        while True:
            head = self.exactly(connection, 2)
            length = struct.unpack(">H", head)[0]
            rest = self.exactly(connection, length + -(length + 2) % 4 + 4)
            if scripted.crc32c(head + rest[:-4]) != struct.unpack("<I", rest[-4:])[0]:
                self.refuse(connection, request)
                return
            ulpdu = rest[:length]
            if len(ulpdu) >= 46 and ulpdu[1] & 15 == 1:
                self.answer(connection, request, ulpdu)

    def refuse(self, connection, request):
        """Refuses a wrong CRC, then closes."""

    def answer(self, connection, request, ulpdu):
        connection.sendall(scripted.fpdu(b"\xC1\x42" + ulpdu[18:30], request.crc))


def run(device, *args, cases=CASES, jobs=8):
    return devices.run_test([f"127.0.0.1:{device.port}", f"--rules={','.join(cases)}", *TIMES, "--recover-timeout=3", "--confirm=3", *args],
                            jobs, False)


def rules(tested, *outcomes):
    return {test["rule"] for test in tested.tests.values() if test["outcome"] in outcomes}


def test_one_that_does_nothing_wrong():
    with Reads() as device:
        tested = run(device)
    assert tested.status == 0 and len(tested.outcome("passed")) >= len(CASES), tested.tell()
    assert set(tested.outcome("passed") + tested.outcome("not applicable")) == set(tested.tests), tested.tell()


class Slow(Reads):
    """A device that takes this long for each action."""

    def __init__(self, seconds):
        self.seconds = seconds
        super().__init__()
        self.pauses["Request"] = seconds

    def refuse(self, connection, request):
        time.sleep(self.seconds)

    def answer(self, connection, request, ulpdu):
        time.sleep(self.seconds)
        super().answer(connection, request, ulpdu)


class AtRandom(Reads):
    """Mistreats one of `every` FPDUs, but not on the first connections, which are for learning."""

    def __init__(self, every=8, first=12):
        self.every, self.connections, self.first = every, itertools.count(1), first
        super().__init__()

    def operate(self, connection, request):
        self.spared = next(self.connections) <= self.first
        super().operate(connection, request)

    def answer(self, connection, request, ulpdu):
        with self.lock:
            wrong = not self.spared and self.random.randrange(self.every) == 0
        if wrong:
            self.go_wrong(connection, request, ulpdu)
        else:
            super().answer(connection, request, ulpdu)

    def go_wrong(self, connection, request, ulpdu):
        raise NotImplementedError


class Closes(AtRandom):
    def go_wrong(self, connection, request, ulpdu):
        raise scripted.Gone


class Terminates(AtRandom):
    def go_wrong(self, connection, request, ulpdu):
        connection.sendall(scripted.fpdu(bytes.fromhex("4147") + bytes(4) + struct.pack(">III", 2, 1, 0) + bytes.fromhex("12060000"),
                                         request.crc))
        raise scripted.Gone


class TerminatesForAnything(Terminates):
    """Sends a Terminate for a wrong CRC, too."""

    def refuse(self, connection, request):
        with self.lock:
            wrong = self.random.randrange(self.every) == 0
        if wrong:
            self.go_wrong(connection, request, b"")


class Loses(AtRandom):
    def go_wrong(self, connection, request, ulpdu):
        """Sends nothing."""


class Corrupts(AtRandom):
    def go_wrong(self, connection, request, ulpdu):
        octets = bytearray(scripted.fpdu(b"\xC1\x42" + ulpdu[18:30], request.crc))
        octets[self.random.randrange(len(octets))] ^= 0x10
        connection.sendall(octets)


class Swaps(AtRandom):
    """Sends two answers instead of one: first for another Read, then the right one."""

    def go_wrong(self, connection, request, ulpdu):
        connection.sendall(scripted.fpdu(b"\xC1\x42" + ulpdu[18:22] + struct.pack(">Q", 0x7777), request.crc))
        Reads.answer(self, connection, request, ulpdu)


class Elsewhere(AtRandom):
    """Answers on another connection, if there is one."""

    def __init__(self, **how):
        self.others = []
        super().__init__(**how)

    def operate(self, connection, request):
        self.others.append(connection)
        super().operate(connection, request)

    def go_wrong(self, connection, request, ulpdu):
        for other in self.others[::-1]:
            if other is not connection:
                try:
                    super(AtRandom, self).answer(other, request, ulpdu)
                    return
                except OSError:
                    pass


class DiesAt(Reads):
    """Dies at one of its connections, whatever is sent."""

    def __init__(self, nth):
        self.nth, self.connections = nth, itertools.count(1)
        super().__init__()

    def operate(self, connection, request):
        if next(self.connections) == self.nth:
            self.die()
            raise scripted.Gone
        super().operate(connection, request)


class Stalls(AtRandom):
    """Stops reading, so that its window closes."""

    def listen(self):
        super().listen()
        self.listener.setsockopt(scripted.socket.SOL_SOCKET, scripted.socket.SO_RCVBUF, 1)

    def go_wrong(self, connection, request, ulpdu):
        self.over.wait(20)


# ---- slow devices are not dead ----

def together(function, values):
    """Runs them in parallel, as they mostly wait."""
    with concurrent.futures.ThreadPoolExecutor(len(values)) as pool:
        return dict(zip(values, pool.map(function, values)))


def run_slow(seconds):
    with Slow(seconds) as device:
        return run(device, cases=["MPA-8-02/crc", "MPA-7.1.2-10/256"])


def test_slow():
    """Like a fast device: its time is learned, whatever --timeout is."""
    for seconds, tested in together(run_slow, [0.5, 1.5, 3]).items():
        assert tested.status == 0 and len(tested.outcome("passed")) == len(tested.tests) == 2, f"{seconds}: {tested.tell()}"
        assert tested.report["deaths"] == [] and all(test["runs"] == {} for test in tested.tests.values())


# ---- devices that err at times fail by their errors ----

# The rules that the device then breaks; other rules must not be reported.
BREAKS = {
    Closes: set(),
    Terminates: set(),
    Loses: {"RDMAP-5.2.2-08"},
    Corrupts: {"MPA-4.4-12"},
    Swaps: {"RDMAP-4.4-03", "RDMAP-5.2-01", "RDMAP-5.2.1-17"},
    Elsewhere: {"RDMAP-5.2-01", "RDMAP-5.2.2-08", "MPA-7.1.2-23", "RDMAP-5.2.1-17"},  # the last by an answer for another connection
    Stalls: set(),
}


def run_half(fake):
    """Half of its answers are wrong, also on flawless connections."""
    with fake(every=2) as device:
        return run(device)


def test_at_random():
    for fake, tested in together(run_half, list(BREAKS)).items():
        if tested.status == 0 and not tested.outcome("inconclusive"):
            tested = run_half(fake)  # by chance, no answer was wrong where a case looks at it
        assert rules(tested, "failed") <= BREAKS[fake], f"{fake.__name__}\n{tested.tell()}"
        # Withdrawn verdicts are in the lines of the run, too; refusals show nothing if anything may be refused.
        taken_back = tested.errors.count(": inconclusive after all\n")
        assert taken_back == len([test for test in tested.tests.values() if "(several of the checks between cases" in test["actual"] or
                                  "; at times it closes" in test["actual"] or "; its TCP acknowledges, but" in test["actual"] or
                                  "it was never seen to go on" in test["actual"]]), tested.errors + tested.tell()
        if fake in (Closes, Terminates):
            assert not [test for test in tested.tests.values() if (test["outcome"], test["shown"]) == ("passed", "refused")], tested.tell()
        assert tested.status != 0 or tested.outcome("inconclusive"), f"{fake.__name__}\n{tested.tell()}"


def test_a_terminate_by_chance_is_no_wrong_code():
    """A case that requires a code may see a Terminate that this device also sends without an error."""
    with TerminatesForAnything(every=2) as device:
        tested = run(device, cases=[*CASES, "MPA-8-05"])
    assert tested.tests["MPA-8-05"]["outcome"] == "inconclusive", tested.tell()


class Misdirects(Reads):
    """In the case with much private data the first `times` answers go to a wrong address, and then also to the right one."""

    def __init__(self, times):
        self.left = times
        super().__init__()

    def answer(self, connection, request, ulpdu):
        if len(request.data) > 200 and self.left > 0:
            self.left -= 1
            connection.sendall(scripted.fpdu(b"\xC1\x42" + ulpdu[18:22] + struct.pack(">Q", 0x7777), request.crc))
        super().answer(connection, request, ulpdu)


@pytest.mark.parametrize("times,outcome", [(1, "inconclusive"), (100, "failed")])
def test_what_is_seen_once_is_inconclusive(times, outcome):
    with Misdirects(times) as device:
        tested = run(device, cases=["MPA-7.1.2-10/256", "RDMAP-4."])
    assert tested.tests["RDMAP-4.4-03/seen"]["outcome"] == outcome, tested.tell()
    assert tested.tests["MPA-7.1.2-10/256"]["outcome"] == "passed" and tested.status == (0 if times == 1 else 1), tested.tell()


# ---- death ----

def test_dies_at_its_20th_connection():
    """No case is the cause: the current case is inconclusive, and the death is reported."""
    with DiesAt(20) as device:
        tested = run(device, jobs=1)
    assert tested.status == 3 and not tested.outcome("failed") and not tested.outcome("died"), tested.tell()
    (death,) = tested.report["deaths"]
    assert death["state"] == "refuses" and set(death["tests"]) & set(tested.outcome("inconclusive")), tested.tell()
