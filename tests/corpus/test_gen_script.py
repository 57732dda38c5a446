# SPDX-License-Identifier: GPL-2.0-or-later
"""The script language: the effect of its words on messages, as iwarp-check shows it."""
import random
import re

import pytest

from reports import read_report

CASES = [
    ("I call nfs3.null; R reply", ["RDMA_MSG xid 0x5a17c0de credit 32 read - write - reply - CALL NFS3 NULL",
                                   "RDMA_MSG xid 0x5a17c0de credit 32 read - write - reply - REPLY NFS3 NULL SUCCESS"]),
    ("I call nfs3.write len=100 read=60+rest xid=7 credit=5; R pull; R reply",
     ["RDMA_MSG xid 0x7 credit 5 read 2x100@136 write - reply - CALL NFS3 WRITE",
      "size 60", "size 40", "rdmap: READ-RESP", "REPLY NFS3 WRITE SUCCESS"]),
    ("I call nfs3.read count=100 write=64+64; R reply",
     ["write 2x128", "rdmap: WRITE", "rdmap: WRITE", "write 2x100"]),
    ("I call nfs3.read count=100 write reply=40+40; R reply status=5 h.credit+1",
     ["write 1x100 reply 2x80", "credit 33 read - write 1x0 reply 2x0"]),
    ("I call nfs3.setattr pz=50+rest; R pull; R reply", ["RDMA_NOMSG xid 0x5a17c0de credit 32 read 2x148@0"]),
    ("I call nfs3.readdir reply; R reply long", ["reply 1x65536", "RDMA_NOMSG xid 0x5a17c0de credit 32 read - write - reply 1x228 "]),
    ("I call nfs3.null h.vers=2; R error vers=1..1", ["RDMA_MSG v2", "RDMA_ERROR v2 xid 0x5a17c0de credit 32 ERR_VERS 1-1"]),
    ("I call nfs3.null; R error chunk credit=3", ["RDMA_ERROR xid 0x5a17c0de credit 3 ERR_CHUNK"]),
    ("I call nfs3.null; R reply; I done", ["RDMA_DONE xid 0x5a17c0de"]),
    ("I call nfs3.null; R reply; I call nfs3.null h.proc=2 h.align=4 h.thresh=8", ["RDMA_MSGP"]),
    ("I call nfs3.read count=8 write; R reply inv", ["inv 0x"]),
    ("R call cb41.cb_compound ops=cb_sequence,cb_recall xid=9; I reply", ["< [rpcrdma: RDMA_MSG xid 0x9", "> [rpcrdma"]),
    ("I call nfs3.null; R reply accept=4", ["GARBAGE_ARGS"]),
]


@pytest.mark.parametrize("script, lines", CASES)
def test_messages(gen, check, tmp_path, script, lines):
    path = tmp_path / "x.pcapng"
    run = gen("play", "script", "--script=with rpcrdma; " + script, "-o", path)
    assert run.returncode == 0, run.stderr
    shown = check("--print", path).stdout
    at = 0
    for line in lines:
        assert line in shown[at:], shown
        at = shown.index(line, at)


def test_data_travels(gen, tmp_path):
    """The RDMA Read gets the octets of the WRITE, in any number of segments and operations."""
    def payloads(script):
        path = tmp_path / "x.pcap"
        run = gen("play", "script", "--pcap", "--mtu=9000", "--script=with rpcrdma no-crc; I call nfs3.null; R reply; " + script,
                  "-o", path)
        assert run.returncode == 0, run.stderr
        return path.read_bytes()

    whole = payloads("I call nfs3.write len=3000 xid=5; R reply")
    data = bytes((i * 7 + (i >> 8) * 29 + 37 + 0x31) & 0xff for i in range(3000))
    assert data in whole
    assert data in payloads("I call nfs3.write len=3000 xid=5 read; R pull; R reply")
    parts = payloads("I call nfs3.write len=3000 xid=5 read=1000+rest; R pull parts=700; R reply")
    assert data not in parts
    for begin, end in ((0, 700), (700, 1000), (1000, 1700), (1700, 2400), (2400, 3000)):
        assert data[begin:end] in parts


@pytest.mark.parametrize("words", ["p.op1=3", "p.op=3", "p.op99999999999.x=1", "reduce=op1", "insert@0=xy", "seg9.len=1",
                                   "insert@m0=xy", "insert@mm0=00", "remove@m0=99999", "@m99999=1", "@mx=1"])
def test_words_that_nobody_understands(gen, tmp_path, words):
    run = gen("play", "script", f"--script=I call nfs3.create name=somename {words}", "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and "cannot read" in run.stderr and len(run.stderr.splitlines()) == 1


MPA_CASES = [
    ("I send; R send; I send bad-crc; R term 2/0/02", {"MPA-4.4-12"}),
    ("I send; R send; I send mpa.crc-swapped; R term 2/0/02", {"MPA-4.4-13"}),
    ("I send; R send; I send len=25 mpa.padding=01", {"MPA-4.1-05"}),
    ("with markers; I send; R send; I send len=600 mpa.reserved=1", {"MPA-4.2-02"}),
    ("with markers; I send; R send; I send len=600 mpa.ptr+4; R term 2/0/03", {"MPA-4.3-09"}),
    ("I mpa-request mpa.flags|1; R mpa-reply; I send; R send", {"MPA-7.1.1-21"}),
    ("I mpa-request mpa.rev=7; R close", {"MPA-7.1.1-23"}),
    ("I mpa-request mpa@7=0x72; R close", {"MPA-7.1.1-01"}),
    ("I send; R send; R segment ack=100; I send len=100 wait=1000", {"MPA-1.2-04"}),
    # Bits without A in a rejecting Reply; A = 0 without bits.
    ("with rev2 rejectR=1 rtrR=2 aR=0", {"MPA2-9.2-19"}),
    ("with rev2 rtrI=4 rejectR=1 rtrR=0 aR=0", set()),
    # MPA's error in a first FPDU may be doubtful, in a later one it is not.
    ("I send mpa.crc-swapped; R rst", {"MPA-4.4-13"}),
    ("I send dv=2 mpa.crc-swapped; R rst", {"MPA-4.4-13"}),
    ("I send dv=2; R rst", {"DDP-4.1-12", "RDMAP-6.2.1-01"}),
    # Terminates as the first FPDUs.
    ("I term 0/0/00; I term 0/0/00", {"RDMAP-5.4-06"}),
    ("I term 0/0/00; R term 0/0/00", set()),
    # Each direction's grid begins with its own Full Operation; both may coincide.
    ("with markers plain dataR=120; I send len=983 mpa.grid-of-peer; R send", {"MPA-4.3-17"}),
    ("with markers plain dataI=120; I send; R send len=983 mpa.grid-of-peer; I send", {"MPA-4.3-17"}),
    ("with markers plain dataI=4 dataR=4; I send; R send len=983 mpa.grid-of-peer; I send", set()),
    ("with markers plain; I send len=983 mpa.grid=512 mpa.grid-from=512; R send", {"MPA-4.3-04"}),
]

# Private Data shorter than PD_Length: who ends first, and the later connection.
CUT_REQUEST, CUT_REPLY = "with dataI=16; I mpa-request mpa.cut=4; ", "with dataR=16; I mpa-request; R mpa-reply mpa.cut=4; "
MPA_CASES += [
    (CUT_REQUEST + "I fin; R rst", {"MPA-7.1.1-28"}),
    (CUT_REQUEST + "I fin; R fin; I rst", {"MPA-7.1.1-28"}),
    (CUT_REQUEST + "R silence wait=20000; R rst", {"MPA-7.1.1-28"}),
    (CUT_REQUEST + "R rst", set()),
    (CUT_REQUEST + "R fin; I rst", set()),
    (CUT_REQUEST + "I rst", set()),
    (CUT_REPLY + "R fin; I rst", {"MPA-7.1.1-28"}),
    (CUT_REPLY + "R fin; R rst", {"MPA-7.1.1-28"}),
    (CUT_REPLY + "I silence wait=20000; I fin; R rst", {"MPA-7.1.1-28"}),
    (CUT_REPLY + "I fin; R rst", set()),
    (CUT_REPLY + "I rst", set()),
]


@pytest.mark.parametrize("script, rules", MPA_CASES)
def test_words_of_mpa(gen, check, tmp_path, script, rules):
    path = tmp_path / "x.pcapng"
    run = gen("play", "script", "--script=" + script, "-o", path)
    assert run.returncode == 0, run.stderr
    capture, = read_report(check("--format=ndjson", path).stdout)["captures"]
    assert {f["rule"] for c in capture["connections"] for f in c["findings"]} == rules


TWO_SECONDS_LATE, WRONG_KEY = "R silence wait=7000", "with plain; I mpa-request mpa@0=1; "
LATE_MARKER = "with plain markers; I send len=24; R send; "
LATER = "found the connection still open after 5 s, and closed later, in frame 7"
# The text of a finding.
WORDS = [
    # A close is late, or known to be late earlier; or missing.
    (WRONG_KEY + "R fin wait=7000; I fin", "MPA-8-09", 6, "found the connection closed later"),
    (WRONG_KEY + TWO_SECONDS_LATE + "; R fin; I fin", "MPA-7.1.2-26", 6, LATER),
    (WRONG_KEY + TWO_SECONDS_LATE + "; R rst", "MPA-7.1.2-26", 6, LATER),
    (WRONG_KEY + TWO_SECONDS_LATE + "; I hang", "MPA-7.1.2-26", 6, "found the connection still open"),
    # The late Marker, not the one after it.
    (LATE_MARKER + "I 4* send len=900 mpa.grid=512 mpa.grid-from=520; R send", "MPA-4.3-06", 8, "at octet 512 of"),
    (LATE_MARKER + "I 4* send len=900 mpa.grid=516; R send", "MPA-4.3-06", 8, "at octet 512 of"),
    (LATE_MARKER + "I send len=24; I 4* send len=1400 mpa.marker-late=8; R send", "MPA-4.3-06", 9, "at octet 512 of"),
    (LATE_MARKER + "I send len=700; I 4* send len=1400 mpa.grid=512 mpa.grid-from=8; R send", "MPA-4.3-06", 9, "at octet 1024 of"),
    # After an FPDU without a CRC field only the end follows.
    ("I send len=40 mpa.no-crc; I fin", "MPA-4.1-09", 6, "found the FIN right after ULPDU and PAD"),
    ("I send len=40 mpa.no-crc; I 2* send len=40 mpa.no-crc; I fin", "MPA-4.1-09", 6, "found the next FPDU right after ULPDU and PAD"),
]


@pytest.mark.parametrize("script, rule, frame, words", WORDS)
def test_what_is_found(gen, check, tmp_path, script, rule, frame, words):
    path = tmp_path / "x.pcapng"
    run = gen("play", "script", "--script=" + script, "-o", path)
    assert run.returncode == 0, run.stderr
    capture, = read_report(check("--format=ndjson", path).stdout)["captures"]
    found, = [f for c in capture["connections"] for f in c["findings"] if f["rule"] == rule]
    assert found["frame"] == frame and words in found["message"], found
    assert ("closed later" in found["message"]) == ("closed later" in words)


def test_words_of_mpa_where_nothing_is_said(gen, tmp_path):
    run = gen("play", "script", "--script=I send; I cork mpa@0=1; I uncork", "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and "statement 2: 'cork' cannot be carried out: nothing is said here" in run.stderr


def test_all_words_of_mpa_on_all_messages(gen, tmp_path):
    """For any words in any order, a capture is written or a word is refused."""
    alone = ("twice no-crc right-crc old-crc ptr-swapped first-marker later-markers early after-request "
             "crc-without-length crc-without-leading-marker crc-without-marker crc-without-last-marker "
             "crc-with-next-marker crc-of-ethernet crc-swapped crc-after-length crc-before-pad grid-of-peer no-inner-markers marker-alone "
             "half split-half acked lost-fragments crc len-swapped enhanced-last").split()
    numbers = "ulpdu pad crc markers grid grid-from marker-late split gap rev enhanced a rtr ird ord cut fill filler".split()
    fields = "len ulpdu0 ulpdu1 ptr reserved flags".split()
    values = ["0", "1", "3", "4", "7", "-1", "-4", "64", "512", "65535", "65536", "0xFFFFFFFFFFFFFFFF"]
    chance = random.Random(44)

    def words():
        for _ in range(chance.randint(1, 4)):
            kind = chance.random()
            if kind < 0.4:
                yield "mpa." + chance.choice(alone)
            elif kind < 0.65:
                yield f"mpa.{chance.choice(numbers)}={chance.choice(values)}"
            elif kind < 0.8:
                yield f"mpa.{chance.choice(fields)}{chance.choice('=+-^&|')}{chance.choice(values).lstrip('-')}"
            elif kind < 0.9:
                yield f"mpa@{chance.choice(values[:10])}={chance.choice(values[:5])}"
            else:
                yield f"mpa.{chance.choice(('padding', 'before', 'after', 'data'))}={'5a' * chance.randint(0, 40)}"

    played = 0
    for _ in range(150):
        verb = chance.choice(("send len=0", "send len=600", "write len=3000", "read", "mpa-request", "fpdu", "fpdu 00", "cork"))
        setup = chance.choice(("with rev1", "with markers", "with no-crc", "with rev2 dataI=20"))
        script = f"{setup}; I {verb} {' '.join(words())}; R send; I send"
        run = gen("play", "script", "--script=" + script, "-o", tmp_path / "x.pcapng")
        assert run.returncode == 0 or (run.returncode == 2 and re.search("cannot (read|be carried out)|waits for", run.stderr)), \
            (script, run.stderr)
        played += run.returncode == 0
    assert played > 40


@pytest.mark.parametrize("words", ["mpa.no-crc mpa.grid=64", "mpa.no-crc mpa.old-crc", "mpa.no-crc mpa.no-inner-markers",
                                   "mpa.grid=64 mpa.grid-from=-1", "mpa.split=1 mpa.gap=-1"])
def test_words_that_leave_little(gen, tmp_path, words):
    """An FPDU with only its length field has no CRC to copy or restore."""
    script = f"with markers; I send len=0 mpa.ulpdu=0 mpa.pad=0 {words}; R close"
    run = gen("play", "script", "--script=" + script, "-o", tmp_path / "x.pcapng")
    assert run.returncode == 0, run.stderr
