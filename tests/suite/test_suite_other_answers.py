# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices with answers that a case does not expect: any frame is an answer, and a Terminate from a layer that could not have found the fault
proves nothing. Each is a conforming device with a proxy before the suites."""
import contextlib
import struct
import subprocess

import pytest

import between
import devices
import scripted

TIMES = ["--timeout=0.6", "--start-timeout=1.2", "--idle-timeout=1.2", "--recover-timeout=3", "--confirm=1", "--mpa=crc=on,markers=off"]


def run(role, kind, options, device=()):
    if role == "responder":
        served = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0", *device], stdout=subprocess.PIPE, text=True)
        proxy = between.Proxy(int(served.stdout.readline()), kind, True)
        try:
            return devices.run_test([f"127.0.0.1:{proxy.port}", *TIMES, *options], 4, False)
        finally:
            proxy.close()
            served.kill()
            served.wait()
    proxies = []

    def connect(port):
        proxies.append(between.Proxy(int(port), kind, False))
        return [devices.SAMPLE_DEVICE, "initiator", "127.0.0.1", str(proxies[0].port), *device]

    output = f"{devices.work_folder()}/report.json"
    command = [devices.GEN, "test", "--listen", "127.0.0.1:0", "--format=json", f"--output={output}", "--jobs=2", "--accept-timeout=10", *TIMES,
               *options]
    try:
        return devices.listen(command, connect, output)
    finally:
        proxies[0].close()


# ---- Terminates of other layers ----

class OtherLayer(between.Between):
    """MPA reports errors of DDP and RDMAP, and DDP those of MPA."""

    def said(self, segment):
        if segment.says(between.TERMINATE) and len(segment.ulpdu) > between.UNTAGGED + 1:
            layer = segment.ulpdu[between.UNTAGGED] >> 4
            segment.ulpdu[between.UNTAGGED:between.UNTAGGED + 2] = b"\x11\x00" if layer == 2 else b"\x20\x02"
        return [segment]


class DdpForRdmap(between.Between):
    """DDP reports RDMAP's errors in a Read Request."""

    def said(self, segment):
        if segment.says(between.TERMINATE) and segment.ulpdu[between.UNTAGGED] >> 4 == 0:
            segment.ulpdu[between.UNTAGGED] |= 0x10
        return [segment]


# Cases decided by memory, or by whether the device continues, whatever it sends.
WHATEVER = {"MPA2-12-01/rtr-read", "MPA2-12-01/rtr-send", "MPA-7.1.2-22/segment", "MPA-7.1.2-22/octet", "MPA-7.1.2-42", "MPA-8-14", "RDMAP-7-01",
            "DDP-7.1-17", "MPA-4.4-19/memory", "RDMAPX-5.1.1-06", "RDMAPX-5.1.2-09", "MPA2-8-01"}
WHATEVER |= {"DDP-6.2.2-03/zero"}  # MPA or DDP may find it


def by_terminate(tested):
    return {name for name, test in tested.tests.items() if test["outcome"] == "passed" and "Terminate" in test["actual"]}


@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_a_terminate_of_a_layer_that_cannot_see_the_fault(role):
    suites = ["--suite=mpa,mpa2,ddp,rdmap,rdmapx"]
    right, wrong = run(role, between.Between, suites), run(role, OtherLayer, suites)
    assert len(by_terminate(right)) > 60, right.tell()
    assert by_terminate(wrong) <= WHATEVER, wrong.tell()


@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_ddp_cannot_find_what_is_wrong_in_a_read(role):
    rules = ["--rules=RDMAP-4.8,RDMAP-7.2-08,RDMAP-7.2-09,RDMAP-7.2-10,RDMAP-7.2-11,RDMAP-7.2-12,SEC-6.3.5-01"]
    right, wrong = run(role, between.Between, rules), run(role, DdpForRdmap, rules)
    assert len(by_terminate(right)) > 8, right.tell()
    assert by_terminate(wrong) == set(), wrong.tell()


class BadCrc(between.Between):
    """Its Terminates have a wrong CRC."""

    def said(self, segment):
        if segment.says(between.TERMINATE):
            octets = bytearray(between.fpdu(bytes(segment.ulpdu)))
            octets[-1] ^= 0x10
            return [bytes(octets)]
        return [segment]


@pytest.mark.parametrize("role,rules", [
    ("responder", "MPA-8-05,MPA2-12-01,DDP-4.1-03,DDP-7.1-20,RDMAP-6.2.1-01,RDMAP-7.1-05"),
    ("initiator", "MPA2-8-01,MPA2-9.1-16,MPA2-9.1-17,MPA2-9.1-18,MPA2-9.3-04,RDMAP-7.1-05"),
])
def test_a_damaged_terminate_is_none(role, rules):
    right, wrong = run(role, between.Between, [f"--rules={rules}"]), run(role, BadCrc, [f"--rules={rules}"])
    assert len(by_terminate(right)) > 3, right.tell()
    assert by_terminate(wrong) == set(), wrong.tell()


# ---- cases that no device can fail (NEVER_FAIL of test_suite_mutants.py) ----

class OtherLayerWithMarkers(OtherLayer):
    """The suite's stream has Markers: its FPDUs are not parsed."""

    def pass_on(self, source, target, take):
        if source is self.device:
            super().pass_on(source, target, take)
            return
        with contextlib.suppress(OSError):
            while octets := source.recv(65536):
                target.sendall(octets)


@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_a_wrong_marker_is_not_for_ddp(role):
    tested = run(role, OtherLayerWithMarkers, ["--rules=MPA-8-03"], ("markers",))
    assert tested.outcome("inconclusive") == ["MPA-8-03"] and "not by MPA" in tested.tests["MPA-8-03"]["actual"], tested.tell()


def test_who_does_not_name_all_types():
    """Of all offered RTR types it names Send, but each type works alone."""
    with scripted.Device(takes=lambda request: {"rtr": 1 if request.rtr == 7 else request.rtr}) as device:
        tested = devices.run_test([f"127.0.0.1:{device.port}", "--rules=MPA2-9.2-07", *TIMES], 1, False)
    assert tested.outcome("inconclusive") == ["MPA2-9.2-07"] and "offered alone" in tested.tests["MPA2-9.2-07"]["actual"], tested.tell()


# ---- answers beside a refusal ----

class Beside(between.Between):
    """Adds a message to each Terminate, and sends one instead of silence."""

    what = None

    def said(self, segment):
        return [*self.what(), segment] if segment.says(between.TERMINATE) else [segment]


class AfterTerminate(Beside):
    def said(self, segment):
        return [segment, *self.what()] if segment.says(between.TERMINATE) else [segment]


def extra_send():
    return [between.send(b"something else")]


def send_in_pieces():
    return [between.send(b"a first segment", last=False)]


def part_of_an_fpdu():
    return [between.fpdu(bytes(40))[:9]]


def read_response_in_pieces():
    return [between.Segment(bytes([0x81, 0x42]) + struct.pack(">IQ", 0x51A0, 0x1000) + bytes(8), True)]


# Cases that allow no answer and require an end of the connection.
UNANSWERED = ["MPA-4.4-19", "MPA-8-12/crc", "MPA-8-12/length", "DDP-7.1-20", "RDMAP-7-01", "RDMAP-7.1-05"]
AFTER = {"RDMAP-7.1-05"}  # is about the first message


@pytest.mark.parametrize("what", [extra_send, send_in_pieces, part_of_an_fpdu, read_response_in_pieces])
@pytest.mark.parametrize("kind,but", [(Beside, set()), (AfterTerminate, AFTER)])
@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_any_frame_beside_a_refusal_is_an_answer(role, kind, but, what):
    tested = run(role, type("Fake", (kind,), {"what": staticmethod(what)}), [f"--rules={','.join(UNANSWERED)}", "--skip=MPA-4.4-19/memory"])
    assert set(tested.outcome("passed")) <= but, tested.tell()


# ---- answers to messages that are to be discarded ----

def rdma_error(xid):
    return struct.pack(">IIIIIII", xid, 1, 8, 4, 2, 0, 0)[:20]


class Discards(between.Between):
    """Answers messages that it should discard; is_stimulus() knows the suite's other messages."""

    what = None

    def __init__(self, *how):
        self.calls = set()  # XIDs of a client's Calls
        super().__init__(*how)

    def said(self, segment):
        if segment.opcode in between.SENDS and len(segment.payload) >= 36:
            self.calls.add(segment.payload[:4])
        return [segment]

    def asked(self, segment):
        return self.what(segment.payload) if segment.says(between.SEND) and self.is_stimulus(segment.payload) else []

    def is_stimulus(self, payload):
        """The stimulus is a message that is neither a Call nor a Reply to a Call."""
        if len(payload) < 36 or payload[4:8] != b"\0\0\0\1" or payload[12:28] != bytes(16):
            return True
        kind = struct.unpack(">I", payload[32:36])[0]
        return kind == 1 and payload[:4] not in self.calls


ANSWERS = {
    "wrong-xid": lambda payload: [between.send(struct.pack(">I", 0x12345678) + rdma_error(0)[4:])],
    "xid-0": lambda payload: [between.send(rdma_error(0))],
    "rdma-error": lambda payload: [between.send((payload[:4] + rdma_error(0)[4:]) if len(payload) >= 4 else rdma_error(7))],
    "extra-send": lambda payload: [between.send(b"nonsense")],
    "in-pieces": lambda payload: [between.send(rdma_error(0), last=False)],
    "part-of-an-fpdu": lambda payload: [between.fpdu(bytes(40))[:9]],
    "read": lambda payload: [between.Segment(bytes([0x41, 0x41]) + bytes(4) + struct.pack(">III", 1, 1, 0) +
                                             struct.pack(">IQIIQ", 1, 0, 16, 0x7777, 0), True)],
}
DISCARDED = ["RPCR-2.2.2-05", "RPCR-4.2.4-08", "RPCR-4.3.1-04", "RPCR-4.5-01", "RPCR-4.5-03/version", "RPCR-4.5-03/list", "RPCR-4.5-10",
             "RPCR-4.6.1-03", "RPCR-4.6.2-02"]


def discarding(role, kind):
    return run(role, kind, [f"--rules={','.join(DISCARDED)}", "--service=nfs"], ("rpc",))


@pytest.mark.parametrize("role,least", [("responder", 6), ("initiator", 10)])
def test_who_discards_passes(role, least):
    tested = discarding(role, between.Between)
    assert len(tested.outcome("passed")) == len(tested.tests) >= least, tested.tell()


@pytest.mark.parametrize("what", ANSWERS)
@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_any_message_is_an_answer(role, what):
    tested = discarding(role, type("Fake", (Discards,), {"what": staticmethod(ANSWERS[what])}))
    assert tested.tests and tested.outcome("passed") == [], tested.tell()


# ---- unexpected answers ----

ERR_VERS, ERR_CHUNK = 1, 2
STIMULUS = 1  # low bits of a stimulus's XID


def error(xid, which):
    return struct.pack(">IIIII", xid, 1, 8, 4, which) + (struct.pack(">II", 1, 1) if which == ERR_VERS else b"")


class AnswersOtherwise(between.Between):
    """Replaces the Reply, or error, for a stimulus by another message; other answers stay."""

    what = None

    def said(self, segment):
        payload = segment.payload
        is_answer = segment.opcode in between.SENDS and len(payload) >= 16 and struct.unpack(">I", payload[:4])[0] & 0xFFF == STIMULUS
        return self.what(segment, payload) if is_answer else [segment]


def with_xid(xid):
    def change(segment, payload):
        return [between.send(struct.pack(">I", xid) + payload[4:])]
    return change


def first_piece(segment, payload):
    return [between.send(payload[:12], last=False)]


def other_error(segment, payload):
    which = struct.unpack(">I", payload[16:20])[0] if payload[12:16] == struct.pack(">I", 4) and len(payload) >= 20 else ERR_CHUNK
    return [between.send(error(struct.unpack(">I", payload[:4])[0], ERR_VERS if which == ERR_CHUNK else ERR_CHUNK))]


# Each is answered by its own message only.
ANSWERED = ["RPCR-4.5.1-01", "RPCR-4.5.2-01", "RPCR-4.5.2-02", "RPCR-4.5.2-03", "RPCR-4.5.2-05", "RPCR-4.6.1-02", "RPCR-3.5.3-15", "RPCR-3.5.3-16",
            "RPCR-4.3.2.2-08", "RPCR-3.3.1-13"]
OTHERS = {"wrong-xid": with_xid(0x12345678), "xid-0": with_xid(0), "in-pieces": first_piece, "other-error": other_error,
          "no-message": lambda segment, payload: [between.send(b"nonsense")]}


@pytest.mark.parametrize("what", [None, *OTHERS])
def test_another_message_is_not_the_answer(what):
    kind = type("Fake", (AnswersOtherwise,), {"what": staticmethod(OTHERS[what])}) if what else between.Between
    tested = run("responder", kind, [f"--rules={','.join(ANSWERED)}", "--service=nfs"], ("rpc",))
    assert len(tested.tests) > 15
    assert len(tested.outcome("passed")) == (0 if what else len(tested.tests)), tested.tell()
    if what in ("wrong-xid", "xid-0"):  # and no verdict says "no answer"
        assert any("with another XID" in test["actual"] for test in tested.tests.values()), tested.tell()
        assert not any("found no answer" in test["actual"] for test in tested.tests.values()), tested.tell()


SEQUENCE, PUTFH, LOOKUP, READLINK, DELAY = 53, 22, 15, 27, 10008


class IsBusy(between.Between):
    """If a READLINK fails in a COMPOUND with Write chunks, makes an earlier READLINK fail with NFS4ERR_DELAY."""

    def said(self, segment):
        payload = segment.payload
        words = [int.from_bytes(payload[at:at + 4], "big") for at in range(0, len(payload) - 3, 4)]
        if segment.opcode not in between.SENDS or len(words) < 7 or words[3] != 0 or words[5] != 1:
            return [segment]
        at = 5
        while words[at] == 1:  # its Write chunks are empty, too
            n = words[at + 1]
            words[at + 3:at + 2 + 4 * n:4] = [0] * n
            at += 2 + 4 * n
        at += 2
        status, results = at + 6, at + 9
        if words[status] == 0:
            return [segment]
        before = words[results:results + 11] if words[results] == SEQUENCE else []
        answers = [*before, PUTFH, 0, LOOKUP, 0, READLINK, DELAY]
        words = [*words[:status], DELAY, 0, 4 if before else 3, *answers]
        return [between.send(struct.pack(f">{len(words)}I", *words))]


def test_a_busy_server_does_not_break_the_rule():
    tested = run("responder", IsBusy, ["--rules=NFSULB-6.4.1-05/second", "--service=nfs"], ("rpc",))
    assert tested.outcome("inconclusive") == ["NFSULB-6.4.1-05/second"], tested.tell()
    assert "10008 (DELAY)" in tested.tests["NFSULB-6.4.1-05/second"]["actual"], tested.tell()


class ReadsChunks(between.Between):
    """Fetches a COMPOUND's two Read chunks, and keeps the Reply."""

    reads = 0

    def said(self, segment):
        self.reads += segment.opcode == between.READ_REQUEST
        return [] if self.reads == 2 and segment.opcode in between.SENDS else [segment]


def test_reads_of_the_chunks_of_a_call_are_no_answer():
    """A device that answered the start-up has not answered the Call, either."""
    tested = run("responder", ReadsChunks, ["--rules=NFSULB-6.4.2-07", "--service=nfs"], ("rpc",))
    assert tested.outcome("failed") == ["NFSULB-6.4.2-07"], tested.tell()
    assert "found no answer" in tested.tests["NFSULB-6.4.2-07"]["actual"], tested.tell()


# ---- devices that answer everything with a Terminate ----

class TerminatesAll(between.Between):
    """For the suite's first FPDU that is not zero-length; then the device sends nothing."""

    word = None

    def __init__(self, *how):
        self.is_over = False
        super().__init__(*how)

    def asked(self, segment):
        if self.is_over or not segment.payload:
            return []
        self.is_over = True
        return [between.Segment(bytes([0x41, 0x47]) + bytes(4) + struct.pack(">III", 2, 1, 0) + self.word, True)]

    def said(self, segment):
        return [] if self.is_over else [segment]


# The Terminate is right for a device without Atomics, and memory is unchanged.
TO_IT = {"RDMAPX-1.1-05", "DDP-7.1-17"}
# The fake lets empty segments pass, so the device handles these; and the comparison without a message.
TO_IT |= {"DDP-6.2.2-03", "DDP-6.2.2-03/cut", "DDP-6.2.2-03/two", "DDP-6.2.2-03/zero", "RDMAP-5.2.2-06", "RDMAP-5.2.2-06/empty",
          "RDMAP-5.2.2-06/local", "RDMAP-5.2.2-06/writable", "RDMAP-7.2-07"}


@pytest.mark.parametrize("word", ["12060000", "02060000"])
@pytest.mark.parametrize("role", ["responder", "initiator"])
def test_who_terminates_everything_passes_nothing_by_it(role, word):
    kind = type("Fake", (TerminatesAll,), {"word": bytes.fromhex(word)})
    tested = run(role, kind, ["--suite=ddp,rdmap,rdmapx"])
    assert by_terminate(tested) <= TO_IT, tested.tell()
