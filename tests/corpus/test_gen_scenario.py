# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios in files: the library plays from its files as by name; messages about mistakes have file and line."""
import pathlib
import random
import re
import subprocess

import pytest

LIBRARY = sorted((pathlib.Path(__file__).parents[2] / "traffic-gen" / "scenarios").iterdir())
RPC = "with rpcrdma\n"
WORK = "with work rev2\nI memory mine len=64\nR memory yours len=64\n"
NFS = "with work nfs=3\n"

# How the executor's code contains the names of words and verbs.
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
    ("with work\nI sned\n", 2, "cannot read 'sned'; allowed here: write, read, answer, send"),
    ("with work=5\n", 1, "'with' cannot be carried out: either all connections are of real ends ('with work'), or none is"),
    ("with work speed=3\n", 1, "cannot read 'speed=3' (see: man iwarp-scenario)"),
    ("with work mtu=12\n", 1, "'mtu' cannot be carried out: it is not from 128 to 65535"),
    ("with work mtu=0x10000000000000000\n", 1, "cannot read '0x10000000000000000'"),
    ("with work mss=127\n", 1, "'mss' cannot be carried out: it is not from 128 to 65535"),
    ("with work rtrI=8\n", 1, "'rtrI' cannot be carried out: it is not from 0 to 7"),
    ("with work crcI=no\n", 1, "cannot read 'no'"),
    ("with work crcI=2\n", 1, "'crcI' cannot be carried out: it is not from 0 to 1"),
    ("with work rev3\n", 1, "cannot read 'rev3'"),
    ("with work revR=3\n", 1, "'revR' cannot be carried out: it is not from 0 to 2"),
    ("with work depth=0x4000\n", 1, "'depth' cannot be carried out: it is not from 0 to 16383"),
    ("with work isnI=0\n", 1, "'isnI' cannot be carried out: it is not from 1 to 4294967295"),
    ("with work private-data=0x\n", 1, "cannot read '0x'"),
    ("with work private-dataR=" + "00" * 257 + "\n", 1, "'private-dataR' cannot be carried out: more than 256 octets"),
    ("with work\nwith work\n", 2, "'with' cannot be carried out: the connection has begun; 'next with' begins another one"),
    ("with work\nnext with rev2\n", 2, "either all connections are of real ends"),
    ("with work\nnext with work mtu=1000\n", 2, "cannot read 'mtu=1000'"),
    ("with rev2\nnext with work\n", 2, "cannot read 'work'"),
    ("with work\n" + "next\n" * 1000, 1001, "'next' cannot be carried out: more than 1000 connections"),
    ("I send\nmemory a\n", 2, "'memory' cannot be carried out: it is for real ends, in a scenario that begins with 'with work'"),
    ("I mkdir a\n", 1, "'mkdir' cannot be carried out: it is for real ends"),
    ("with work\nmemory\n", 2, "'memory' cannot be carried out: the name of the region is missing"),
    ("with work\nmemory a size=4\n", 2, "cannot read 'size=4'"),
    ("with work\nmemory a rights=execute\n", 2, "'rights' cannot be carried out: allowed here: read, write, atomic"),
    ("with work\nmemory a stag=7; memory b stag=7\n", 2, "'b' cannot be carried out: this side has another region with this STag"),
    ("with work\nmemory a\nR memory a\n", 3, "'a' cannot be carried out: this side has another region of this name"),
    ("with work\nI 2* memory a\n", 2, "'memory' cannot be carried out: each region has a name of its own"),
    ("with work\nmemory 1st\n", 2, "the name of a region does not begin with a digit"),
    ("with work\nmemory a/b\n", 2, "the name of a region has letters, digits, '.', '_' and '-'"),
    ("with work\nmemory " + "a" * 65 + "\n", 2, "the name of a region has at most 64 characters"),
    ("with work\nmemory a len=8 to=0xFFFFFFFFFFFFFFF9\n", 2, "past the last Tagged Offset"),
    ("with work\nmemory a len=33554433\nI memory b len=33554432\n", 3, "the regions of a side have more than 64 MiB"),
    ("with work\n" + "".join(f"memory a{i}\n" for i in range(65)), 66, "a side has more than 64 regions"),
    ("with work\nI send from=mine\n", 2, "'from' cannot be carried out: the Initiator has no such region"),
    (WORK + "I call nfs3.null\n", 4, "'call' cannot be carried out: allowed here: send, send-se, send-inv, send-se-inv, write"),
    (WORK + "I mkdir a\n", 4, "'mkdir' cannot be carried out: allowed here: send"),
    (WORK + "I send len=1 octet=3\n", 4, "cannot read 'octet=3'"),
    (WORK + "I send len=1 to=yours\n", 4, "cannot read 'to=yours'"),
    (WORK + "I write\n", 4, "'write' cannot be carried out: the other side's region is missing"),
    (WORK + "I write len=8 to=mine\n", 4, "'to' cannot be carried out: the Responder has no such region"),
    (WORK + "I write len=8 to=yours+x\n", 4, "cannot read 'x'"),
    (WORK + "I write len=8 to=0x100000000\n", 4, "'to' cannot be carried out: it is not from 0 to 4294967295"),
    (WORK + "R write len=8 to=mine from=7\n", 4, "'from' cannot be carried out: the Responder has no such region"),
    (WORK + "R read len=8 from=mine\n", 4, "'read' cannot be carried out: a region of this side, 'into', is missing"),
    (WORK + "I send len=8 from=mine+60\n", 4, "'from' cannot be carried out: the region is shorter"),
    (WORK + "I read len=65 from=yours into=mine\n", 4, "'into' cannot be carried out: the region is shorter"),
    (WORK + "I fadd data=1\n", 4, "'fadd' cannot be carried out: the other side's region is missing"),
    (WORK + "I send-inv\n", 4, "'send-inv' cannot be carried out: the other side's region is missing"),
    (WORK + "I term\n", 4, "cannot read 'term'"),
    (WORK + "I term 10/0/00\n", 4, "'term' cannot be carried out: it is LAYER/TYPE/CODE"),
    (WORK + "I receives\n", 4, "cannot read 'receives'"),
    (WORK + "I receives 65537\n", 4, "'receives' cannot be carried out: it is not from 1 to 65536"),
    (WORK + "I close now\n", 4, "cannot read 'now'"),
    (WORK + "I send wait=3600001\n", 4, "'wait' cannot be carried out: it is not from 0 to 3600000"),
    (WORK + "repeat 100000 {\n I send\n R send\n}\n", 7, "more than 100000 statements"),
    (WORK + "I 100000* send len=0\n", 4, "more than 100000 statements"),
    (WORK + "I send len=16777217\n", 4, "'len' cannot be carried out: it is not from 0 to 16777216"),
    (WORK + "I 17* send len=16777216\n", 4, "'send' cannot be carried out: all messages together have more than 256 MiB"),
    (WORK + "R close\nI send\n", 5, "the initiator can do this no more: closed"),
    (WORK + "I write len=65 to=yours\nR send\n", 5, "the responder can do this no more: by the responder's Terminate 1/1/01"),
    ("with work nfs=5\n", 1, "'nfs' cannot be carried out: the versions are 2, 3, 4.0, 4.1, 4.2"),
    ("with work io=5\n", 1, "cannot read 'io=5'"),
    ("with work nfs=3 io=0\n", 1, "'io' cannot be carried out: it is not from 1 to 1048576"),
    ("with work nfs=3 calls=loud\n", 1, "'calls' cannot be carried out: Calls are as-needed, long, reduced or unreduced"),
    ("with work nfs=3 receives=5\n", 1, "cannot read 'receives=5'"),
    ("with work credits=5\n", 1, "cannot read 'credits=5'"),
    ("with work nfs=3 send-size=1000\n", 1, "sizes of messages are multiples of 1024"),
    (NFS + "I send\n", 2, "'send' cannot be carried out: allowed here: null, mkdir"),
    (NFS + "I mkdir\n", 2, "'mkdir' cannot be carried out: its 'path' is missing"),
    (NFS + "I write len=5\n", 2, "'write' cannot be carried out: its 'path' is missing"),
    (NFS + "I mkdir " + "x" * 257 + "\n", 2, "'mkdir' cannot be carried out: its 'path' is missing, or longer than 256 octets"),
    (NFS + "I rename x\n", 2, "'rename' cannot be carried out: its 'to' is missing"),
    (NFS + "I mkdir x len=4\n", 2, "cannot read 'len=4'"),
    (NFS + "I files x count=10001\n", 2, "'count' cannot be carried out: it is not from 0 to 10000"),
    (NFS + "I mkdir x expect=OOPS\n", 2, "'OOPS' cannot be carried out: it is no status: PERM, NOENT"),
    (NFS + "R mkdir x\n", 2, "'mkdir' cannot be carried out: allowed here: change"),
    (NFS + "I null wait=1000\n", 2, "cannot read 'wait=1000'"),
    (NFS + "I null\nI rmdir x\n", 3, "rmdir x: the server answered NOENT (2)"),
    ("with work nfs=3 rejectR=1\nI null\n", 2, "mounting: the connection has ended"),
]


def refused(gen, path, line, message):
    folder = path.parent
    run = gen("play", path, "-o", folder / "x.pcapng")
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr.startswith(f"iwarp-gen: {path}:{line}: "), run.stderr
    assert message in run.stderr and run.stderr.count("\n") == 1, run.stderr
    assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize("text, line, message", MISTAKES + WORK_MISTAKES)
def test_mistakes(gen, tmp_path, text, line, message):
    path = tmp_path / "x.scenario"
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


def test_missing_file(gen, tmp_path):
    run = gen("play", tmp_path / "none.scenario", "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and "none.scenario" in run.stderr and "No such file" in run.stderr


def test_library(gen, tmp_path):
    """All are documented; each plays from its file as by its name."""
    listed = dict(line.split("\t") for line in gen("list", "scenarios").stdout.splitlines())
    assert len(LIBRARY) >= 130
    for path in LIBRARY:
        _, summary, empty, about, *_ = path.read_text().splitlines()
        assert summary == "# " + listed[path.stem] and empty == "#" and about.startswith("# ")
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
    """The first statement decides, unless --mtu does."""
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
    path.write_text("with work mtu=9000\nI send len=30000\n")
    assert 8990 <= longest() <= 9000 and 990 <= longest("--mtu=1000") <= 1000
    path.write_text("I send len=30000\n")
    assert 1490 <= longest() <= 1500


def messages(build, gen, path, text):
    """(direction, message) in the order of the capture."""
    path.write_text(text)
    capture = path.with_suffix(".pcapng")
    assert gen("play", path, "-o", capture).returncode == 0
    printed = subprocess.run([build / "conformance" / "iwarp-check", "--print", capture], capture_output=True, text=True, check=False)
    return re.findall(r"([<>]) \[mpa.*rdmap: ([A-Z-]+)", printed.stdout)


@pytest.mark.parametrize("statements, expected", [
    ("I read len=9 from=yours into=mine; I send", [">READ-REQ", ">SEND", "<READ-RESP"]),
    ("I read len=9 from=yours into=mine; I send acked", [">READ-REQ", "<READ-RESP", ">SEND"]),
    ("I read len=9 from=yours into=mine; I send wait=0", [">READ-REQ", "<READ-RESP", ">SEND"]),
    ("I send; I read len=9 from=yours into=mine; R imm", [">SEND", ">READ-REQ", "<READ-RESP", "<IMM"]),
    ("I send; I read len=9 from=yours into=mine; R imm early", [">SEND", ">READ-REQ", "<IMM", "<READ-RESP"]),
], ids=["in-a-row", "acked", "wait", "the-other-side", "early"])
def test_what_work_waits_for(build, gen, tmp_path, statements, expected):
    assert ["".join(message) for message in messages(build, gen, tmp_path / "x.scenario", WORK + statements)] == expected


# Words of the start-up of real ends, and statements, each of which changes something.
WORK_WORDS = {
    "rev2": "rev1 rev0 revR=1 no-crc markers mss=400 port=99 responder-opens depth=3 enhanced=0 enhancedI=0 receives=0 receivesR=0 "
            "receive-size=9 receive-sizeR=9 private-data=00ff private-dataR=00ff crcI=0 markersR=1 rejectR=1 irdI=1 ordR=2 rtrI=1 "
            "isnI=5 isnR=7".split(),
    "rev2 receives=1": ["repost=0", "repostR=0"],
    "revI=0": ["also-rev0", "also-rev0R=1"],
    "nfs=4.1": "io=1000 list=512 inline-up-to=9 in-flight=3 chunk-segments=3 calls=long calls=reduced calls=unreduced backchannel "
               "link-chunks send-size=1024 receive-sizeR=1024 credits=2 creditsI=3 remote-invalidation=0 remote-invalidationR=0 "
               "markers depth=3 nfs=4.2".split(),
}
WORK_ITEMS = {
    "rev2": "I send; I send len=20; I 9* read from=yours into=mine len=9 acked; I write to=yours len=9; R close acked",
    "nfs": "I mkdir d; I write d/f len=5000; I read d/f len=5000; I read d/f len=100; I files d count=9; I list d count=9; I symlink d/l text=f; I readlink d/l text=f",
}


@pytest.mark.parametrize("start", WORK_WORDS)
def test_words_about_work(gen, tmp_path, start):
    nfs = start.startswith("nfs")
    memory = "" if nfs else "I memory mine len=64; R memory yours len=64; "

    def play(words):
        script = f"with work {words}; {memory}{WORK_ITEMS['nfs' if nfs else 'rev2']}"
        run = gen("play", "script", f"--script={script}", "-o", tmp_path / "x")
        assert "cannot" not in run.stderr
        return (tmp_path / "x").read_bytes() if run.returncode == 0 else run.stderr

    plain = play(start)
    said = {word: word if word.startswith(("rev0", "rev1", "nfs")) else f"{start} {word}" for word in WORK_WORDS[start]}
    assert [word for word, words in said.items() if play(words) == plain] == []


@pytest.mark.parametrize("statement", ["I receives 3", "R receives 3 early", "I term 0/0/00", "I rst", "I close", "I 2* send len=0", "I imm-se data=7",
                                       "R send-se-inv stag=mine", "I cswap at=yours+8 cdata=1 cmask=1 data=1 mask=1", "I read len=0"])
def test_work_that_is_done(build, gen, tmp_path, statement):
    """Every statement except those about Receive buffers changes the conversation."""
    plain, done = [messages(build, gen, tmp_path / "x.scenario", f"with work rev2\nmemory mine\nR memory yours\nI send\n{text}\n")
                   for text in ("", statement)]
    closes = "receives" in statement or statement.endswith(("rst", "close"))
    assert done[:len(plain)] == plain and (done == plain) == closes


def test_work_on_the_command_line(gen, tmp_path):
    def play(script):
        run = gen("play", "script", f"--script={script}", "-o", tmp_path / "x")
        return run.returncode, run.stderr

    assert play("with work rev2; I imm data=5; next with work nfs=3; I mkdir a-1") == (0, "")
    assert play("with work; R close; I send") == (2, "iwarp-gen: script, statement 3: the initiator can do this no more: closed\n")
    assert play("with work nfs=3; I null; I rmdir a-1")[1].startswith("iwarp-gen: script, statement 3: rmdir a-1: ")


def test_examples_of_the_page(gen, tmp_path):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "iwarp-scenario.5").read_text()
    examples = re.findall(r"^\.Bd -literal.*\n([^.]*?^(?:with|#)[\s\S]*?)^\.Ed$", page, re.M)
    assert len(examples) == 3
    for example in examples:
        (tmp_path / "x.scenario").write_text(example)
        run = gen("play", tmp_path / "x.scenario", "-o", tmp_path / "x")
        assert (run.returncode, run.stderr) == (0, "")


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
    """The manual has all names in the executor's tables and look-ups. (Names of carriers and deviations are not words of scenarios.)"""
    root = pathlib.Path(__file__).parents[2]
    page = set(re.findall(r"[A-Za-z@][\w.@-]*", (root / "docs" / "iwarp-scenario.5").read_text()))
    words = set()
    for path in [*(root / "traffic-gen" / "speak" / "say").glob("*.c"), *(root / "traffic-gen" / "scenario").glob("work_read*.c")]:
        if not path.name.startswith(("carrier", "deviation")):
            words |= {word for pattern in NAMES for word in re.findall(pattern, path.read_text())}
    assert len(words) > 200 and words - page == set()


def test_mutilated_files(gen, tmp_path):
    """Every file is either played or refused."""
    r = random.Random(5)
    for number in range(400):
        source = r.choice(LIBRARY)
        path = tmp_path / "x.scenario"
        octets = bytearray(source.read_bytes())
        for _ in range(r.randint(1, 4)):
            at = r.randrange(len(octets))
            if r.random() < 0.5:
                octets[at] = r.choice(b"0123456789{}:,- \nx&*;=+#IR")
            else:
                other = r.randrange(len(octets))
                octets[at:at + r.randint(0, 6)] = octets[other:other + r.randint(0, 6)]
        path.write_bytes(octets)
        run = gen("play", path, "-o", tmp_path / "x")
        assert run.returncode in (0, 2), (number, run.returncode, octets.decode(errors="replace"))
        assert run.returncode == 0 or run.stderr.startswith(f"iwarp-gen: {path}"), run.stderr
