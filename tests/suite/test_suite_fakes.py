# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices without real RDMA: none passes without proof."""
import struct
import time

import pytest

import devices
import scripted
from crc32c import crc32c

TIMES = ["--timeout=0.4", "--start-timeout=1.2", "--idle-timeout=1.2", "--recover-timeout=3", "--confirm=3"]
# Cases that a silence or refusal passes, if the device is known to answer and to continue.
CASES = ["MPA-4.4-19", "MPA-8-02/crc", "MPA-8-12/crc", "MPA-8-12/length", "RDMAP-6.2.1-01", "DDP-7.1-20", "RDMAP-7.2-02",
         "MPA-7.1.2-24", "DDP-5.4-03/read", "DDP-7.2-13", "RDMAP-7-01", "RDMAP-7.1-05", "RDMAP-7.1-10", "RDMAPX-1.1-05"]


def terminate(word, crc):
    return scripted.fpdu(bytes.fromhex("4147") + bytes(4) + struct.pack(">III", 2, 1, 0) + word, crc)


class Fake(scripted.Device):
    """Accepts any start-up; react() has each FPDU, whatever its CRC."""

    def operate(self, connection, request):
        while True:
            head = self.exactly(connection, 2)
            length = struct.unpack(">H", head)[0]
            rest = self.exactly(connection, length + -(length + 2) % 4 + 4)
            if not self.react(connection, request, head + rest, rest[:length]):
                return

    def react(self, connection, request, octets, ulpdu):
        raise NotImplementedError


def answer(connection, request, ulpdu):
    """Answers a Read of no octets."""
    if len(ulpdu) >= 46 and ulpdu[1] & 15 == 1:
        connection.sendall(scripted.fpdu(b"\xC1\x42" + ulpdu[18:30], request.crc))


def is_whole(octets):
    return crc32c(octets[:-4]) == struct.unpack("<I", octets[-4:])[0]


class Mute(Fake):
    def react(self, connection, request, octets, ulpdu):
        return True


class Echo(Fake):
    """Answers correctly, and echoes other octets."""

    def react(self, connection, request, octets, ulpdu):
        if is_whole(octets):
            answer(connection, request, ulpdu)
        else:
            connection.sendall(octets)
        return True


class TerminatesAll(Fake):
    """Answers everything with a Terminate from one layer."""

    word = bytes.fromhex("12060000")

    def react(self, connection, request, octets, ulpdu):
        connection.sendall(terminate(self.word, request.crc))
        return False


class TerminatesAllOfMpa(TerminatesAll):
    word = bytes.fromhex("20020000")


class TerminatesAllOfRdmap(TerminatesAll):
    word = bytes.fromhex("02060000")


class LooksInside(TerminatesAll):
    """Answers correctly; for a wrong CRC it reports an invalid STag from DDP."""

    word = bytes.fromhex("11000000")

    def react(self, connection, request, octets, ulpdu):
        if not is_whole(octets):
            return super().react(connection, request, octets, ulpdu)
        answer(connection, request, ulpdu)
        return True


class Closes(Fake):
    """Closes at each FPDU."""

    def react(self, connection, request, octets, ulpdu):
        return False


class Slow(Fake):
    """Answers any Read, even with a wrong CRC, but later than --timeout."""

    def react(self, connection, request, octets, ulpdu):
        if not is_whole(octets):
            time.sleep(0.6)
        answer(connection, request, ulpdu)
        return True


def run(device):
    return devices.run_test([f"127.0.0.1:{device.port}", f"--rules={','.join(CASES)}", *TIMES], 1, False)


# After a wrong length it never finds the next FPDU, with or without CRC checks: nothing is answered.
PROVEN = {Slow: {"MPA-8-12/length"}}


@pytest.mark.parametrize("fake", [Mute, Echo, TerminatesAll, TerminatesAllOfMpa, TerminatesAllOfRdmap, LooksInside, Closes,
                                  Slow])
def test_no_pass_without_proof(fake):
    with fake() as device:
        tested = run(device)
    assert set(tested.outcome("passed")) <= PROVEN.get(fake, set()), tested.tell()
    # These cases have no false failures either: no failure comes from a comparison.
    failed = [test for test in tested.tests.values() if test["outcome"] == "failed"]
    assert not any("without the" in test["actual"] for test in failed), tested.tell()


def test_a_device_that_can_tell_passes():
    """The same cases can be passed."""
    with scripted.Device() as device:
        tested = run(device)
    assert {"MPA-4.4-19", "MPA-8-02/crc", "MPA-8-12/crc", "MPA-8-12/length"} <= set(tested.outcome("passed")), tested.tell()


def test_who_refuses_m_1_alone_says_nothing_about_revision_0():
    with scripted.Device(takes=lambda request: "close" if request.markers else True) as device:
        tested = devices.run_test([f"127.0.0.1:{device.port}", "--rules=MPA-C.2.1-01", *TIMES], 1, False)
    assert tested.outcome("inconclusive") == ["MPA-C.2.1-01"], tested.tell()
    assert "refuses M = 1 alone" in tested.tests["MPA-C.2.1-01"]["actual"]


def test_who_closes_for_revision_0_passes():
    with scripted.Device(takes=lambda request: "close" if request.revision == 0 else True) as device:
        tested = devices.run_test([f"127.0.0.1:{device.port}", "--rules=MPA-C.2.1-01", *TIMES], 1, False)
    assert tested.outcome("passed") == ["MPA-C.2.1-01"], tested.tell()
