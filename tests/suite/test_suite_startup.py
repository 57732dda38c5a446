# SPDX-License-Identifier: GPL-2.0-or-later
"""The start-up of each device is found, and every case uses it; --mpa fixes another."""
import subprocess

import pytest

import devices
import scripted

CASES = "--rules=MPA-8-02/crc,MPA-5.1-06"


def run(device, *args):
    return devices.run_test([f"127.0.0.1:{device.port}", CASES, *args], 1, False)


def like_nfs(request):
    return request.revision == 2 and request.enhanced and request.ird >= 1 and request.ord >= 1


WANTED = {
    "anything": lambda request: True,
    "revision 2 with IRD and ORD, as Linux's NFS server": like_nfs,
    "no more than one Read": lambda request: like_nfs(request) and request.ird == request.ord == 1,
    "peer-to-peer": lambda request: request.a,
    "revision 1": lambda request: request.revision == 1 or "close",
    "revision 1, silent otherwise": lambda request: request.revision == 1 or "silent",
    "revision 2 without enhanced data": lambda request: request.revision == 2 and not request.enhanced,
    "no CRC": lambda request: not request.crc,
    "no CRC, revision 1": lambda request: (not request.crc and request.revision == 1) or "close",
    "no private data": lambda request: not request.data,
}


@pytest.mark.parametrize("name", [name for name in WANTED if name != "revision 1, silent otherwise"])
def test_every_case_says_what_the_device_takes(name):
    with scripted.Device(WANTED[name]) as device:
        tested = run(device)
    assert tested.status == 0 or "no CRC" in name, tested.errors + tested.tell()
    ok = [request for request in device.requests if WANTED[name](request) is True]
    # All Requests after the first accepted one.
    assert ok == device.requests[len(device.requests) - len(ok):]
    assert len(ok) >= 3
    outcomes = {test["outcome"] for test in tested.tests.values()}
    assert "passed" in outcomes and "failed" not in outcomes


def test_the_service_says_which_private_data():
    with scripted.Device() as device:
        run(device, "--service=nfs")
    assert device.requests and all(request.data.startswith(bytes.fromhex("f6ab0e1801")) for request in device.requests)


def test_a_device_that_takes_nothing():
    with scripted.Device(lambda request: False) as device:
        tested = run(device)
    assert tested.status == 2 and "accepts none of these start-ups" in tested.errors
    assert "MPA revision 1, CRC on" in tested.errors and "rejected: MPA Reply Rev 2" in tested.errors
    assert tested.report is None


def test_rejected_later_is_inconclusive(tmp_path):
    """The case is not the reason, but the start-up fails from the first case on."""
    begun = tmp_path / "begun"
    with scripted.Device(lambda request: not begun.exists()) as device:
        tested = devices.run_test([f"127.0.0.1:{device.port}", "--rules=MPA-8-02/crc", "--timeout=0.2", "--recover-timeout=0.3",
                                   f"--before-each=touch {begun}"], 1, False)
    assert tested.status == 3 and tested.report["state"] == "rejects", tested.errors
    assert tested.outcome("inconclusive") == ["MPA-8-02/crc"], tested.tell()
    assert "rejected" in tested.tests["MPA-8-02/crc"]["actual"]


@pytest.mark.parametrize("mpa,holds", [
    ("rev=1", lambda request: request.revision == 1 and not request.enhanced),
    ("rev=2,ird=4,ord=7", lambda request: request.enhanced and (request.ird, request.ord) == (4, 7)),
    ("ird=3", lambda request: request.enhanced and (request.ird, request.ord) == (3, 16)),
    ("crc=off", lambda request: not request.crc),
    ("rtr=write+read", lambda request: request.a and request.rtr == 6),
    ("data=none", lambda request: not request.data),
    ("data=rpc", lambda request: request.data.startswith(bytes.fromhex("f6ab0e18"))),
    ("markers=on", lambda request: request.markers),
])
def test_fixed_by_the_user(mpa, holds):
    with scripted.Device() as device:
        run(device, f"--mpa={mpa}", "--timeout=0.2")
    # With rev=1 one Request checks whether the device knows RFC 6581, too.
    assert sum(not holds(request) for request in device.requests) <= (mpa == "rev=1")
    assert len(device.requests) >= 3


@pytest.mark.parametrize("mpa,word", [
    ("x", "KEY=VALUE"), ("rev=3", "rev=1 or 2"), ("ird=16384", "ird=0 to 16383"), ("rtr=none+send", "rtr="),
    ("crc=maybe", "crc=on or off"), ("rev=1,ird=4", "not rev=1"), ("rev=2,", "KEY=VALUE"), ("rtr=", "rtr="),
])
def test_mistakes_are_told(mpa, word):
    done = subprocess.run([devices.GEN, "test", "127.0.0.1:9", f"--mpa={mpa}"], capture_output=True, text=True)
    assert done.returncode == 2 and word in done.stderr, done.stderr


class NoMoreReads(scripted.Device):
    """On a connection of revision 1 it answers that many Reads, then sends a Terminate: catastrophic error, localized to the stream."""

    def __init__(self, reads):
        super().__init__()
        self.reads = reads

    def operate(self, connection, request):
        if request.revision != 1:
            return super().operate(connection, request)
        for n in range(self.reads + 1):
            head = self.exactly(connection, 2 + 46 + 4)
            while head[3] & 15 != 1:  # the tester's first FPDU, an empty Write
                head = head[20:] + self.exactly(connection, 20)
            if n < self.reads:
                connection.sendall(scripted.fpdu(b"\xc1\x42" + head[20:32], request.crc))
        connection.sendall(scripted.fpdu(bytes.fromhex("4147 00000000 00000002 00000001 00000000 02070000"), request.crc))
        while connection.recv(1000):
            pass
        return None


@pytest.mark.parametrize("reads,outcome,words", [(0, "inconclusive", "the first Read is refused"), (1, "failed", "after 1 that were"),
                                                 (3, "passed", "3 Reads were answered")])
def test_reads_with_revision_1_are_between_the_upper_layers(reads, outcome, words):
    """RFC 5040 section 6.1: whether there are any Reads; one at a time is allowed."""
    with NoMoreReads(reads) as device:
        tested = devices.run_test([f"127.0.0.1:{device.port}", "--rules=MPA2-6-06", "--timeout=1"], 1, False)
    case = tested.tests["MPA2-6-06/read"]
    assert case["outcome"] == outcome and words in case["actual"], tested.tell()
