# SPDX-License-Identifier: GPL-2.0-or-later
"""A device is asked for its known sign of life; signs that it never gave do not count."""
import struct
import time

import pytest

import devices
import scripted
from crc32c import crc32c

TIMES = ["--timeout=0.4", "--start-timeout=1.5", "--idle-timeout=1.5"]


def run(device, *args):
    return devices.run_test([f"127.0.0.1:{device.port}", *TIMES, *args], 4, False)


def ulpdu_of(connection, request):
    """The next ULPDU, as scripted.Device reads it."""
    head = scripted.Device.exactly(connection, 2)
    length = struct.unpack(">H", head)[0]
    rest = scripted.Device.exactly(connection, length + -(length + 2) % 4 + 4)
    octets = head + rest[:-4]
    if request.crc and crc32c(octets) != struct.unpack("<I", rest[-4:])[0]:
        raise scripted.Gone
    return octets[2:2 + length]


class Mute(scripted.Device):
    """Accepts everything valid, and sends nothing."""

    def operate(self, connection, request):
        while True:
            ulpdu_of(connection, request)


class Rpc(scripted.Device):
    """Answers only a NULL Call with the expected MSN."""

    def operate(self, connection, request):
        msn = 0
        while True:
            ulpdu = ulpdu_of(connection, request)
            if len(ulpdu) > 18 and ulpdu[1] & 0x0F == 3:
                msn += 1
                words = list(struct.unpack(">10I", ulpdu[18:58]))
                reply = struct.pack(">13I", words[0], 1, 8, 0, 0, 0, 0, words[0], 1, 0, 0, 0, 0)
                connection.sendall(scripted.fpdu(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, msn, 0) + reply, request.crc))


class Late(scripted.Device):
    """Messages within 100 ms of the Reply wait until another comes."""

    def operate(self, connection, request):
        soon, waiting = time.monotonic() + 0.1, []
        while True:
            ulpdu = ulpdu_of(connection, request)
            if time.monotonic() < soon:
                waiting.append(ulpdu)
                continue
            for one in [*waiting, ulpdu]:
                if one[1] & 0x0F == 1:
                    connection.sendall(scripted.fpdu(b"\xC1\x42" + one[18:30], request.crc))
            waiting = []


class Picky(scripted.Device):
    """Closes silently if variant(ulpdu) finds an oddity: a PAD, or reserved bits. It answers Reads."""

    def __init__(self, odd):
        super().__init__()
        self.odd = odd

    def operate(self, connection, request):
        while True:
            ulpdu = ulpdu_of(connection, request)
            if self.odd(ulpdu):
                raise scripted.Gone
            if ulpdu[1] & 0x0F == 1:
                connection.sendall(scripted.fpdu(b"\xC1\x42" + ulpdu[18:30], request.crc))


def test_a_device_that_never_answers_is_not_failed_for_it():
    with Mute() as device:
        tested = run(device, "--suite=mpa,mpa2,ddp,rdmap,rdmapx", "--skip=MPA-7.1.2-35,MPA-7.1.2-41,MPA-7.1.2-42")
    # Its real errors: it continues whatever the headers are, never sends a Terminate, and copies Rev and S.
    silent = {"DDP-6.2.2-03", "RDMAP-5.2.2-06", "RDMAPX-5.2.2-12", "RDMAP-7.2-07"}
    copies = {"MPA-7.1.1-25", "MPA2-6-04", "MPA-C.2.3-01"}
    failed = {name.split("/")[0] for name in tested.outcome("failed") if not name.endswith("/seen")}
    assert failed <= silent | copies, tested.tell()
    passed = tested.outcome("passed")
    assert {"MPA-5.1-06", "MPA-5.1-06/crc", "MPA-7.1.1-22"} <= set(passed), tested.tell()
    # The device refuses a wrong CRC, but nothing in DDP, where an accepted odd segment means nothing.
    assert "refuse only what is below" in tested.tests["DDP-5.2-16"]["actual"]
    # Cases that need an answer have no proof.
    for name in ("MPA-6-06", "MPA-4.4-19", "MPA-7.1.2-12", "DDP-5.4-03/read"):
        assert tested.tests[name]["outcome"] == "not applicable", tested.tell()
    assert tested.tests["MPA-4.3-01"]["outcome"] == "inconclusive"
    assert tested.tests["RDMAP-5.2.1-17"]["outcome"] == "inconclusive"


def test_a_server_of_rpc_is_asked_by_a_call():
    with Rpc() as device:
        tested = run(device, "--service=rpc", "--rules=MPA-5.1-06,MPA-6-06,MPA-4.4-19,MPA-7.1.1-22,MPA-7.1.2-12")
    assert tested.status == 0, tested.tell()
    assert "MPA-6-06" in tested.outcome("passed") and "Send QN 0" in tested.tests["MPA-6-06"]["actual"]


def test_a_device_that_is_late_is_found_once():
    with Late() as device:
        tested = run(device, "--suite=mpa", "--rules=MPA-5.1-06,MPA-6-06,MPA-4.4-19,MPA-7.1.2-12,MPA-7.1.1-22,MPA-8-12")
    assert tested.outcome("failed") == ["MPA-7.1.2-12", "MPA-7.1.2-12/cut"], tested.tell()
    assert "MPA-5.1-06" in tested.outcome("passed")


@pytest.mark.parametrize("case,odd", [("DDP-5.2-16", lambda ulpdu: ulpdu[0] & 0x80 and ulpdu[2:6] == bytes(4)),
                                      ("RDMAP-5.2.1-17", lambda ulpdu: ulpdu[34:38] == bytes.fromhex("12345678"))])
def test_a_close_without_a_word_is_compared(case, odd):
    with Picky(odd) as device:
        tested = run(device, f"--rules={case}")
    assert case in tested.outcome("failed"), tested.tell()
    assert "without the oddity it continues" in tested.tests[case]["actual"]


def test_a_close_that_is_not_about_what_is_odd():
    with Picky(lambda ulpdu: ulpdu[0] & 0x80) as device:  # it refuses every Write
        tested = run(device, "--rules=MPA-5.1-06,MPA-4.1-11")
    assert tested.outcome("failed") == [], tested.tell()
