# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that conforms except for the layout of its Terminates, as soft-iWARP, or for their CRC: this is one mistake, and one
finding."""
import contextlib
import json
import re
import socket
import struct
import subprocess
import threading

import pytest

import devices
import scripted
from crc32c import crc32c


def low_bits_first(word):
    """Bit fields filled from the wrong end: Layer and EType swapped, M, D and R in the low bits of the third octet."""
    return bytes([(word[0] & 15) << 4 | word[0] >> 4, word[1], (word[2] >> 7) | (word[2] >> 5 & 2) | (word[2] >> 3 & 4), word[3]])


def nibbles_swapped(word):
    return bytes([(word[0] & 15) << 4 | word[0] >> 4, *word[1:]])


class Proxy:
    """Between the tester and a device: rewrites the control word of the device's Terminates."""

    def __init__(self, port, rewrite, crc=None):
        self.device, self.rewrite, self.crc, self.over = port, rewrite, crc, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while not self.over.is_set():
                threading.Thread(target=self.carry, args=(self.listener.accept()[0],), daemon=True).start()

    def close(self):
        self.over.set()
        self.listener.close()

    def carry(self, tester):
        device = socket.create_connection(("127.0.0.1", self.device))
        for one in (tester, device):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.pass_on, args=(tester, device), daemon=True).start()
        with contextlib.suppress(OSError, scripted.Gone):
            self.answers(device, tester)
        self.end(tester)

    @staticmethod
    def end(one):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_WR)

    def pass_on(self, tester, device):
        with contextlib.suppress(OSError):
            while octets := tester.recv(65536):
                device.sendall(octets)
        self.end(device)

    def answers(self, device, tester):
        exactly = scripted.Device.exactly
        head = exactly(device, 20)
        reply = head + exactly(device, struct.unpack(">H", head[18:])[0])
        tester.sendall(reply)
        while True:
            head = exactly(device, 2)
            length = struct.unpack(">H", head)[0]
            fpdu = head + exactly(device, length + -(length + 2) % 4 + 4)
            if length >= 22 and fpdu[2] & 0x80 == 0 and fpdu[3] & 15 == 7:
                crc = struct.unpack("<I", fpdu[-4:])[0]
                fpdu = fpdu[:20] + self.rewrite(fpdu[20:24]) + fpdu[24:-4]
                fpdu += struct.pack("<I", (crc32c(fpdu) if crc else 0) if self.crc is None else self.crc)
            tester.sendall(fpdu)


@pytest.fixture
def device():
    process = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0"], stdout=subprocess.PIPE, text=True)
    yield int(process.stdout.readline())
    process.kill()
    process.wait()


@pytest.mark.parametrize("rewrite", [low_bits_first, nibbles_swapped])
def test_one_mistake_is_one_finding(device, rewrite):
    proxy = Proxy(device, rewrite)
    try:
        run = devices.run_test([f"127.0.0.1:{proxy.port}", "--suite=mpa,mpa2,ddp,rdmap,rdmapx", "--skip=MPA-4.3-01,MPA-4.3-09",
                                "--timeout=1", "--start-timeout=2", "--idle-timeout=2"], 8, False)
    finally:
        proxy.close()
    assert set(run.outcome("failed")) == {"RDMAP-4.8-02/seen"}, run.tell()
    # The proxy hides what the device's TCP does.
    assert not run.outcome("unstable") and set(run.outcome("inconclusive")) <= {"MPA-4.5-07", "RDMAP-6.1-11"}, run.tell()
    # A case about the reason uses the intended one, and the report names it.
    code = run.tests["DDP-7.2-13"]
    assert code["outcome"] == "passed" and "layer 2 type 1 code 6 [meant: layer 1 type 2 code 6" in code["actual"]
    assert run.report["terminate_layout"]
    said = json.dumps(run.report)
    assert "Terminate layer 1 type 1 code 0 (Invalid STag)" in said and not re.search(r"Terminate ([^[]*) \[meant: \1,", said)


def test_another_reason_is_still_another(device):
    """Reading the words by their layout does not make a wrong code right."""
    proxy = Proxy(device, lambda word: bytes([(word[0] & 15) << 4 | word[0] >> 4, word[1] + 1, *low_bits_first(word)[2:]]))
    try:
        run = devices.run_test([f"127.0.0.1:{proxy.port}", "--rules=DDP-7.2-03,DDP-7.2-04", "--timeout=1"], 4, False)
    finally:
        proxy.close()
    assert "DDP-7.2-03" in run.outcome("failed"), run.tell()


def test_terminates_without_crc(device):
    """C = 1, and a CRC field of zero: the Terminate is recognised, and its missing CRC is a separate finding."""
    proxy = Proxy(device, lambda word: word, crc=0)
    try:
        run = devices.run_test([f"127.0.0.1:{proxy.port}", "--suite=mpa,ddp", "--skip=MPA-4.3-01,MPA-4.3-09", "--timeout=1"], 8, False)
    finally:
        proxy.close()
    # In the first FPDU, and after others with a CRC.
    assert run.outcome("failed") == ["MPA-4.4-07/seen", "MPA-7.1.1-15/seen"], run.tell()
    said = run.tests["MPA-8-05"]["actual"]
    assert "Terminate layer 2 type 0 code 2 (MPA CRC mismatch) in an FPDU whose CRC field is zero (C = 1)" in said


def test_terminates_with_a_wrong_crc(device):
    """Damaged octets count as nothing, but the report says what they would have been."""
    proxy = Proxy(device, lambda word: word, crc=0x12345678)
    try:
        run = devices.run_test([f"127.0.0.1:{proxy.port}", "--rules=DDP-7.2-13", "--timeout=1"], 4, False)
    finally:
        proxy.close()
    assert "DDP-7.2-13" in run.outcome("failed")
    assert "no FPDU with a correct CRC, but would be Terminate layer 1 type 2 code 6" in run.tests["DDP-7.2-13"]["actual"], run.tell()


@pytest.mark.parametrize("control,outcomes", [("0206", {"passed"}), ("02ff", {"passed"}), ("1000", {"passed"}),
                                              ("0101", {"failed", "inconclusive"})])
def test_any_error_surfaces_an_unsolicited_read_response(device, control, outcomes):
    """RFC 5040 section 5.2.2 names no code: unspecified, and DDP's local catastrophic error, are allowed as well; base or bounds of an
    access that nobody made is not."""
    proxy = Proxy(device, lambda word: bytes.fromhex(control) + word[2:])
    try:
        run = devices.run_test([f"127.0.0.1:{proxy.port}", "--rules=RDMAP-5.2.2-06", "--timeout=1"], 4, False)
    finally:
        proxy.close()
    judged = {name: test["outcome"] for name, test in run.tests.items() if test["suite"] != "seen"}
    assert set(judged) == {f"RDMAP-5.2.2-06{case}" for case in ("", "/writable", "/local", "/empty")}
    assert set(judged.values()) <= outcomes, run.tell()
