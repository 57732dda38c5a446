# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios and work in files: the library plays from its files as by name; mistakes are named with file and line."""
import pathlib
import random
import re

import pytest

LIBRARY = sorted((pathlib.Path(__file__).parents[2] / "traffic-gen" / "scenarios").iterdir())
SCRIPTS = [path for path in LIBRARY if path.suffix == ".scenario"]
RPC = "with rpcrdma\n"
WORK = ("name: x\nconnection: {mpa-revision: 2}\nmemory:\n  initiator: {mine: {octets: 64}}\n"
        "  responder: {yours: {octets: 64}}\nwork:\n")
NFS = "name: x\nconnection: {nfs: 3}\nwork:\n"

# Where the executor has the names of words and verbs.
NAMES = [r'words_(?:have|given|value|number)\([^,]+, "([^"]+)"', r'(?:given|number|have)_of_side\(words, "([^"]+)"',
         r'FIELD\((?:prefix )?"([^"]+)"', r'(?:MESSAGE|RPC)\("([^"]+)"', r'\.name = "([^"]+)"',
         r'\{"([^"]+)", (?:&|MPA_FLAG|CHANGE|NUMBER|ALONE|OCTETS)']

MISTAKES = [
    ("I send\nI sned\n", 2, "cannot read 'sned'; allowed here: write, read, answer, send"),
    ("I sned", 1, "cannot read 'sned'"),
    ("I send\nwait 3\n", 2, "cannot read 'wait'; allowed here: I, R, repeat, with, next"),
    ("I send\nnobody send\n", 2, "cannot read 'nobody'; allowed here: I, R, repeat"),
    ("I with rev2\n", 1, "cannot read 'with'; allowed here: write, read"),
    ("# one\n\nI send\n    len=5\n  octet=3\n", 3, "cannot read 'octet=3' (see: man iwarp-scenario)"),
    ("with mpa-revision=2\nI send\n", 1, "cannot read 'mpa-revision=2'"),
    ("with mtu=127\n", 1, "'mtu' cannot be carried out: it is not from 128 to 65535"),
    ("with mtu=0x10000\n", 1, "'mtu' cannot be carried out: it is not from 128 to 65535"),
    ("I send\nnext with mtu=1000\n", 2, "cannot read 'mtu=1000'"),
    ("with rev2\nwith mtu=1000\n", 2, "cannot read 'mtu=1000'"),
    ("I send\nwith markers\n", 2, "'with' cannot be carried out: the connection has begun; 'next with' begins another one"),
    ("with mulpdu=31\nI send\n", 1, "'mulpdu' cannot be carried out: it is not from 32 to 64768"),
    ("with mss=65536\nI send\n", 1, "'mss' cannot be carried out: it is not from 64 to 65535"),
    ("with segments=65001\nI send\n", 1, "'segments' cannot be carried out: it is not from 0 to 65000"),
    ("I send wait=3600001\n", 1, "'wait' cannot be carried out: it is not from 0 to 3600000"),
    ("I silence wait=9223372036855\n", 1, "'wait' cannot be carried out: it is not from 0 to 3600000"),
    ("I send wait-us=0xffffffffffffffff\n", 1, "'wait-us' cannot be carried out: it is not from 0 to 3600000000"),
    ("I send zeros len=4097\n", 1, "'zeros' cannot be carried out: it is for at most 4096 octets"),
    ("I send ulpdu=31\n", 1, "'ulpdu' cannot be carried out: it is not from 32 to 65535"),
    ("I fpdu " + "00" * 64769 + "\n", 1, "'fpdu' cannot be carried out: a ULPDU has at most 64768 octets"),
    ("I segment hex=" + "00" * 65001 + "\n", 1, "'hex' cannot be carried out: a segment has at most 65000 octets"),
    ("I send" + " early" * 65 + "\n", 1, "a statement of more than 64 words"),
    ("I send\nI 0* send\n", 2, "cannot read '0*'"),
    ("I send;\n\n# no\n    R sned\n", 4, "cannot read 'sned'"),
    ("I term 9\n", 1, "cannot read '9'"),
    ("I send len=67108865\n", 1, "'send' cannot be carried out: a message has at most 64 MiB"),
    *[(f"{words}\n", words.count("\n") + 1, f"'{verb}' cannot be carried out: all messages together have more than 256 MiB")
      for verb, words in (("write", "I 5* write len=67108864"), ("send", "I 5* send len=67108864 @7=1"), ("segment", "I 5000* segment len=65000 value=1"),
                          ("write", "I cork\nI 5* write len=67108864"), ("reply", "with rpcrdma\nI 5* call nfs3.read count=67108000 write\nR 5* reply"),
                          ("call", "with rpcrdma\nI 5* call nfs3.write len=67108000 read"),
                          ("reply", "with rpcrdma\nI 5* call nfs3.read reply\nR 5* reply len=67108000 long nowrite"))],
    ("with late\nI send net=never\n", 2, "cannot read 'never'"),
    ("repeat 3\n", 1, "after 'repeat N' or 'repeat count' there is '{'"),
    ("I send; repeat 3 {\nI send\n", 1, "'{' without '}'"),
    ("I 60000* send\nI 60000* send\n", 2, "more than 100000 statements, repetitions included"),
    ("I send\n}\n", 2, "'}' without '{'"),
    ("repeat 100000 { I send; R send }\n", 1, "more than 100000 statements, repetitions included"),
    ("I send\nI \x1b[31m\n", 2, "cannot read '?[31m'"),
    (RPC + "I call nfs3.reed\n", 2, "'nfs3.reed' cannot be carried out: the procedure is missing or unknown; allowed here: nfs3.null, nfs3.getattr"),
    (RPC + "I call nfs9.read\n", 2, "'nfs9.read' cannot be carried out: the procedure is missing or unknown; allowed here: nfs2.null, nfs3.null"),
    (RPC + "I call\n", 2, "'call' cannot be carried out: the procedure is missing"),
    (RPC + "I call nfs3.read cuont=8192\n", 2, "cannot read 'cuont=8192'"),
    (RPC + "I call nfs41.compound ops=sequence,reed\n", 2, "cannot read 'reed'"),
    (RPC + "I call nfs41.compound ops=sequence,,getattr\n", 2, "cannot read 'ops'"),
    (RPC + "I call nfs41.compound ops=sequence" + ",getattr" * 64 + "\n", 2, "cannot read 'getattr'"),
    (RPC + "I call nfs3.null write=1" + "/1" * 16 + "\n", 2, "'write' cannot be carried out: more than 16 Write chunks"),
    (RPC + "I call nfs3.null write=1" + "+1" * 32 + "\n", 2, "cannot be carried out: a chunk does not have so many segments"),
    (RPC + "I call nfs3.null\nR reply\nR reply\n", 4, "'reply' cannot be carried out: no Call of the other side waits"),
    (RPC + "I again\n", 2, "'again' cannot be carried out: no Call of this side is without Reply"),
    (RPC + "R pull\n", 2, "'pull' cannot be carried out: no message of the other side has Read chunks"),
    ("I send mpa.rev=3\n", 1, "cannot read 'mpa.rev=3'"),
    ("I mpa-request mpa.pad=3\n", 1, "cannot read 'mpa.pad=3'"),
    ("I send mpa.len=five\n", 1, "cannot read 'mpa.len=five'"),
    ("I send mpa.padding=abc\n", 1, "cannot read 'mpa.padding=abc'"),
    ("I send mpa@x=1\n", 1, "cannot read 'mpa@x=1'"),
    ("I cork\nI cork mpa.half\n", 2, "nothing is said here that words of MPA could change"),
    ("I fpdu 123\n", 1, "cannot read '3'"),
    ("I send =5\n", 1, "cannot read '=5'"),
]
WORK_MISTAKES = [
    ("", 1, "nothing is there"),
    ("name: x\n  y: [\n", 2, "this is not YAML"),
    ("- a\n", 1, "names with values were expected; allowed here: name, summary, about, mtu, connection, memory, work"),
    ("work: []\n", 1, "the name is missing"),
    ("name: x\n", 1, "the work is missing"),
    ("name: x\nsteps: []\n", 2, "'steps' is not known; allowed here: name, summary"),
    ("name: x\nname: y\nwork: []\n", 2, "'name' is here twice"),
    ("name: x\nwork: []\nspeed: 3\n", 3, "'speed' is not known; allowed here: name, summary"),
    ("name: x\nmtu: 12\nwork: []\n", 2, "'12' is no such number; allowed here: a number from 128 to 65535"),
    ("name: x\nmtu: 0x10000000000000000\nwork: []\n", 2, "no such number"),
    ("name: x\nconnection:\n  initiator: {rtr: [send, sent]}\nwork: []\n", 3, "allowed here: send, write, read"),
    ("name: x\nconnection:\n  initiator: {crc: no}\nwork: []\n", 3, "'no' is neither true nor false"),
    ("name: x\nmemory: {both: {a: {size: 4}}}\nwork: []\n", 2, "allowed here: octets, to, stag, rights, invalidable, fill"),
    ("name: x\nmemory: {server: {a: {octets: 4}}}\nwork: []\n", 2, "allowed here: initiator, responder, both"),
    ("name: x\nmemory: {both: {a: {rights: [execute]}}}\nwork: []\n", 2, "allowed here: read, write, atomic"),
    ("name: x\nmemory: {both: {a: {stag: 7}, b: {stag: 7}}}\nwork: []\n", 2, "another region with this STag"),
    ("name: x\nmemory: {both: {a: {octets: 8, to: 0xFFFFFFFFFFFFFFF9}}}\nwork: []\n", 2, "past the last Tagged Offset"),
    ("name: x\nconnection: {speed: 3}\nwork: []\n", 2, "allowed here: initiator, responder, nfs, mpa-revision"),
    ("name: x\nconnection: {initiator: {opened-by: 3}}\nwork: []\n", 2, "allowed here: mpa-revision, also-revision-0"),
    (WORK + "  - nobody: send\n", 7, "'nobody' is nothing that happens; allowed here: initiator, responder"),
    (WORK + "  - sleep\n", 7, "this is nothing that happens; allowed here: initiator, responder"),
    (WORK + "  - client: {mkdir: a}\n", 7,
     "(NFS clients, with `nfs` in `connection`, have jobs of their own; RPC Calls are statements, in a file .scenario)"),
    ("name: x\nwork:\n  - initiator: {send: 5, from: mine}\n", 3, "has no region 'mine'; allowed here: regions of `memory`"),
    (WORK + "  - initiator: sned\n", 7, "'sned' is nothing that a side can do; allowed here: send, write, read"),
    (WORK + "  - {initiator: send, client: send}\n", 7, "this side is here twice"),
    (WORK + "  - initiator: {send: 1, octet: 3}\n", 7, "'octet' does not go with send; allowed here: octets, from"),
    (WORK + "  - initiator: write\n", 7, "write needs a region of the peer"),
    (WORK + "  - initiator: {write: 8, to: mine}\n", 7, "the responder has no region 'mine'; allowed here: an STag, yours"),
    (WORK + "  - responder: {read: 8, from: mine}\n", 7, "read needs a region of its own"),
    (WORK + "  - initiator: {send: 8, from: mine, from-offset: 60}\n", 7, "region 'mine' has only 64 octets"),
    (WORK + "  - initiator: terminate\n", 7, "terminate needs a value; allowed here: error"),
    (WORK + "  - initiator: {close: now}\n", 7, "close takes no value"),
    (WORK + "  - {repeat: 2, work: [next connection]}\n", 7, "a connection cannot begin in a repetition"),
    (WORK + "  - {repeat: 100000, work: [{initiator: send}, {responder: send}]}\n", 7, "more than 100000 steps"),
    (WORK + "  - &s {repeat: 2, work: [*s]}\n", 7, "deep"),
    (WORK + "  - responder: close\n  - initiator: send\n", 8, "the initiator can do this no more: closed"),
    ("name: x\nconnection: {nfs: 5}\nwork: []\n", 2, "allowed here: 2, 3, 4.0, 4.1, 4.2"),
    ("name: x\nconnection: {nfs: {io: 5}}\nwork: []\n", 2, "the version is missing"),
    ("name: x\nconnection: {nfs: {version: 3, calls: loud}}\nwork: []\n", 2, "allowed here: as-needed, long, reduced"),
    ("name: x\nconnection: {nfs: 3, receives: 5}\nwork: []\n", 2, "receives does not go with `nfs`"),
    ("name: x\nconnection: {credits: 5}\nwork: []\n", 2, "credits needs `nfs`"),
    ("name: x\nconnection: {nfs: 3, send-size: 1000}\nwork: []\n", 2, "allowed here: multiples of 1024"),
    (NFS + "  - client: {reed: x}\n", 4, "'reed' is no job of an NFS client; allowed here: null, mkdir"),
    (NFS + "  - client: mkdir\n", 4, "mkdir needs a path"),
    (NFS + "  - client: {rename: x}\n", 4, "rename needs `to`; allowed here: path, to, expect"),
    (NFS + "  - client: {mkdir: x, octets: 4}\n", 4, "'octets' does not go with mkdir; allowed here: path, expect"),
    (NFS + "  - client: {mkdir: x, expect: OOPS}\n", 4, "allowed here: PERM, NOENT"),
    (NFS + "  - server: {mkdir: x}\n", 4, "'mkdir' is no job of an NFS server; allowed here: change"),
    (NFS + "  - {client: null, wait: 1 s}\n", 4, "nobody waits"),
    (NFS + "  - client: null\n  - client: {rmdir: x}\n", 5, "rmdir x: the server answered NOENT (2)"),
    ("name: x\nconnection: {nfs: 3, responder: {rejects: true}}\nwork:\n  - client: null\n", 4, "mounting: the connection is over"),
    (WORK + "  - initiator: {write: 65, to: yours}\n  - responder: send\n", 8,
     "the responder can do this no more: by the responder's Terminate 1/1/01"),
    (WORK + "  - wait: 5 min\n", 7, "allowed here: N ms, N s"),
    (WORK + "  - repeat: 3\n", 7, "repeat needs work; allowed here: repeat, work"),
    (WORK + "  - {initiator: {send: 16777217}}\n", 7, "allowed here: a number from 0 to 16777216"),
    (WORK + "  - {initiator: {send: 16777216, times: 17}}\n", 7, "all messages together have more than"),
    ("name: x\nwork: []\n---\nname: y\n", 4, "a second document begins here; a file has one scenario"),
]


def refused(gen, path, line, message):
    folder = path.parent
    run = gen("play", path, "-o", folder / "x.pcapng")
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr.startswith(f"iwarp-gen: {path}:{line}: "), run.stderr
    assert message in run.stderr and run.stderr.count("\n") == 1, run.stderr
    assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize("text, line, message", MISTAKES)
def test_mistakes(gen, tmp_path, text, line, message):
    path = tmp_path / "x.scenario"
    path.write_text(text)
    refused(gen, path, line, message)


@pytest.mark.parametrize("text, line, message", WORK_MISTAKES)
def test_mistakes_of_work(gen, tmp_path, text, line, message):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    refused(gen, path, line, message)


@pytest.mark.parametrize("octets, message", [
    (b"I send\n\0I sned\n", "a null octet is no text"),
    (b"# " + b"x" * (1 << 20), "more than 1048576 octets"),
], ids=["null", "long"])
def test_files_that_are_too_much(gen, tmp_path, octets, message):
    path = tmp_path / "x.scenario"
    path.write_bytes(octets)
    run = gen("play", path, "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and run.stderr == f"iwarp-gen: {path}: {message}\n"


@pytest.mark.parametrize("name", ["none.scenario", "none.yaml"])
def test_missing_file(gen, tmp_path, name):
    run = gen("play", tmp_path / name, "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and name in run.stderr and "No such file" in run.stderr


def test_library(gen, tmp_path):
    """All documented; each plays from its file as it does by its name."""
    listed = dict(line.split("\t") for line in gen("list", "scenarios").stdout.splitlines())
    assert len(SCRIPTS) >= 110 and len(LIBRARY) >= 130
    for path in LIBRARY:
        text = path.read_text()
        if path in SCRIPTS:
            _, summary, empty, about, *_ = text.splitlines()
            assert summary == "# " + listed[path.stem] and empty == "#" and about.startswith("# ")
        else:
            assert "\nabout: |\n" in text and f'\nsummary: "{listed[path.stem]}"\n' in text
        assert gen("play", path.stem, "-o", tmp_path / "a").returncode == 0
        assert gen("play", path, "-o", tmp_path / "b").returncode == 0
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes(), path.stem


SAME = [
    ("repeat 3 {\n  I call nfs3.read count=100\n  R reply\n}\n",
     "I call nfs3.read count=100; R reply; I call nfs3.read count=100; R reply; I call nfs3.read count=100; R reply"),
    ("# Two.\nI 2* send len=5\n", "I send len=5\nI send len=5\n"),
    ("I call nfs3.read\n    count=8192\n  write=4096+4096\n\n# between\n\nR reply\n",
     "I call nfs3.read count=8192 write=4096+4096; R reply"),
]


@pytest.mark.parametrize("text, script", SAME)
def test_a_file_is_the_same_as_a_script(gen, tmp_path, text, script):
    path = tmp_path / "x.scenario"
    path.write_text(RPC + text)
    ways = [gen("play", path, "-o", tmp_path / "a"),
            gen("play", "script", f"--script={RPC}{script}", "-o", tmp_path / "b")]
    assert [(way.returncode, way.stderr) for way in ways] == [(0, "")] * 2
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_mtu(gen, tmp_path):
    """What the first statement says, unless --mtu does."""
    path, capture = tmp_path / "x.scenario", tmp_path / "x.pcap"

    def longest(*options):
        assert gen("play", path, "--pcap", *options, "-o", capture).returncode == 0
        octets, at, found = capture.read_bytes(), 24, 0
        while at < len(octets):
            size = int.from_bytes(octets[at + 8:at + 12], "little")
            found, at = max(found, size), at + 16 + size
        return found - 14

    path.write_text("with mtu=9000\nI send len=30000\n")
    assert 8990 <= longest() <= 9000 and 990 <= longest("--mtu=1000") <= 1000
    path.write_text("I send len=30000\n")
    assert 1490 <= longest() <= 1500


# Words of MPA on an FPDU and on a start-up frame, each of which changes something.
MPA_WORDS = {
    "I send len=701": "mpa@7^1 mpa.len+4 mpa.ulpdu=9 mpa.ulpdu0^1 mpa.ulpdu1=5 mpa.twice mpa.pad=2 mpa.padding=00ff17 mpa.crc=5 mpa.no-crc "
                      "bad-crc mpa.crc-of-ethernet mpa.crc-swapped mpa.crc-after-length mpa.crc-before-pad mpa.crc-without-length "
                      "mpa.crc-without-leading-marker mpa.crc-without-last-marker mpa.crc-with-next-marker mpa.ptr+4 mpa.ptr-swapped "
                      "mpa.reserved=3 mpa.markers=0 mpa.grid=600 mpa.no-inner-markers mpa.marker-late=4 mpa.half mpa.cut=3 mpa.split=20 "
                      "mpa.split-half mpa.marker-alone mpa.lost-fragments mpa.before=00ff17",
    "I mpa-request": "mpa@7^1 mpa.flags|0x18 mpa.rev=7 mpa.len+4 mpa.data=00ff17 mpa.enhanced=0 mpa.a=1 mpa.rtr=7 mpa.ird=5 mpa.ord=5 "
                     "mpa.before=00ff17 mpa.after=00ff17 mpa.cut=5 mpa.fill=600 mpa.crc mpa.len-swapped",
}


@pytest.mark.parametrize("statement", MPA_WORDS)
def test_words_about_mpa(gen, tmp_path, statement):
    def play(words):
        run = gen("play", "script", f"--script=with rev2 markers; {statement} {words}", "-o", tmp_path / "x")
        assert run.returncode == 0, run.stderr
        return (tmp_path / "x").read_bytes()

    plain = play("")
    assert [word for word in MPA_WORDS[statement].split() if play(word) == plain] == []


@pytest.mark.parametrize("statements", [
    "next\n",
    "I call nfs41.compound ops=sequence,putfh,write:0,getattr read\n",
    "I call nfs3.write pz=@9223372036854775807+rest read\n",
    "I hide\nR close\nI send len=5\n",
    "repeat 3 {\n}\n",
    "# nothing",
    "",
])
def test_odd_ones_end(gen, tmp_path, statements):
    (tmp_path / "x.scenario").write_text(RPC + statements)
    assert gen("play", tmp_path / "x.scenario", "-o", tmp_path / "x").returncode == 0


def test_the_page_has_every_word():
    """Names in the tables of the executor and in its look-ups. (Those of carriers and deviations are no words of scenarios.)"""
    root = pathlib.Path(__file__).parents[2]
    page = set(re.findall(r"[A-Za-z@][\w.@-]*", (root / "docs" / "iwarp-scenario.5").read_text()))
    words = set()
    for path in (root / "traffic-gen" / "say").glob("*.c"):
        if not path.name.startswith(("carrier", "deviation")):
            words |= {word for pattern in NAMES for word in re.findall(pattern, path.read_text())}
    assert len(words) > 200 and words - page == set()


def test_mutilated_files(gen, tmp_path):
    """Whatever the file, it is played or refused."""
    r = random.Random(5)
    for number in range(400):
        source = r.choice(LIBRARY)
        path = tmp_path / f"x{source.suffix}"
        octets = bytearray(source.read_bytes())
        for _ in range(r.randint(1, 4)):
            at = r.randrange(len(octets))
            if r.random() < 0.5:
                octets[at] = r.choice(b"0123456789[]{}:,- \nx&*;=+#IR")
            else:
                other = r.randrange(len(octets))
                octets[at:at + r.randint(0, 6)] = octets[other:other + r.randint(0, 6)]
        path.write_bytes(octets)
        run = gen("play", path, "-o", tmp_path / "x")
        assert run.returncode in (0, 2), (number, run.returncode, octets.decode(errors="replace"))
        assert run.returncode == 0 or run.stderr.startswith(f"iwarp-gen: {path}"), run.stderr
