# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios in YAML: the library plays from its files as by name; mistakes are named with file, line, what is allowed."""
import pathlib
import random
import re

import pytest

LIBRARY = sorted((pathlib.Path(__file__).parents[2] / "traffic-gen" / "scenarios").glob("*.yaml"))
HEAD = "name: x\nsteps:\n"
WORK = ("name: x\nconnection: {mpa-revision: 2}\nmemory:\n  initiator: {mine: {octets: 64}}\n"
        "  responder: {yours: {octets: 64}}\nwork:\n")
NFS = "name: x\nconnection: {nfs: 3}\nwork:\n"
RPC = "name: x\nconnection: {rpc-over-rdma: true}\nsteps:\n"

MISTAKES = [
    ("", 1, "nothing is there"),
    ("name: x\n  y: [\n", 2, "this is not YAML"),
    ("- a\n", 1, "names with values were expected; allowed here: name, summary, about, mtu, connection, memory, steps"),
    ("steps: []\n", 1, "the name is missing"),
    ("name: x\n", 1, "the steps, or the work, are missing"),
    ("name: x\nsteps: []\nwork: []\n", 3, "there are steps or work, not both"),
    ("name: x\nname: y\nsteps: []\n", 2, "'name' is here twice"),
    ("name: x\nsteps: []\nspeed: 3\n", 3, "'speed' is not known; allowed here: name, summary"),
    ("name: x\nmtu: 12\nsteps: []\n", 2, "'12' is no such number; allowed here: a number from 128 to 65535"),
    ("name: x\nmtu: 0x10000000000000000\nsteps: []\n", 2, "no such number"),
    ("name: x\nconnection:\n  mpa-revision: 2\n  marker: true\nsteps: []\n", 4,
     "'marker' is nothing that a connection has; allowed here: mpa-revision, crc, markers"),
    ("name: x\nconnection:\n  initiator: {rtr: [send, sent]}\nsteps: []\n", 3, "allowed here: send, write, read"),
    ("name: x\nconnection:\n  initiator: {crc: no}\nsteps: []\n", 3, "'no' is neither true nor false"),
    ("name: x\nconnection: {rpc-over-rdma: true, mpa-revision: 0}\nsteps: []\n", 2, "allowed here: 1, 2"),
    ("name: x\nconnection: {inline-threshold: 8192}\nsteps: []\n", 2, "inline-threshold needs `rpc-over-rdma: true`"),
    ("name: x\nconnection:\n  initiator: {private-data: 9}\n  rpc-over-rdma: true\nsteps: []\n", 3,
     "private-data does not go with"),
    ("name: x\nmemory: {a: {stag: 1, size: 4}}\nsteps: []\n", 2, "allowed here: stag, to, length"),
    ("name: x\nsteps: 3\n", 2, "a list of steps was expected"),
    (HEAD + "  - initiator: send\n  - nobody: send\n", 4, "this is no step; allowed here: initiator (client)"),
    (HEAD + "  - initiator: sned\n", 3, "'sned' is nothing that a side can do; allowed here: send, write, read"),
    (HEAD + "  - initiator: {send: 1, solicited: true, octet: 3}\n", 3, "'octet' does not go with send; allowed here: octets"),
    (HEAD + "  - initiator:\n      send: 1\n      last: maybe\n", 5, "allowed here: true, false"),
    (HEAD + "  - initiator: {write: 5, to: buffer}\n", 3, "no region of `memory` is called 'buffer'; allowed here: numbers"),
    (HEAD + "  - initiator: {send: 16777217}\n", 3, "allowed here: a number from 0 to 16777216"),
    (HEAD + "  - initiator: {send: 16777216, times: 17}\n", 3, "all messages together have more than"),
    (HEAD + "  - repeat: 100000\n    steps: [{initiator: send}, {responder: send}]\n", 3, "more than 100000 steps"),
    (HEAD + "  - repeat: 3\n", 3, "repeat needs steps"),
    (HEAD + "  - &s {repeat: 2, steps: [*s]}\n", 3, "deep"),
    (HEAD + "  - wait: 5 min\n", 3, "allowed here: N ms, N s"),
    (HEAD + "  - initiator: terminate\n", 3, "terminate needs a value; allowed here: error"),
    (HEAD + "  - initiator: {terminate: 9}\n", 3, "allowed here: LAYER/TYPE/CODE"),
    (HEAD + "  - initiator: {call: nfs3.read}\n", 3, "call needs `rpc-over-rdma: true`"),
    (RPC + "  - client: {call: nfs3.reed}\n", 4, "no procedure is called 'nfs3.reed'; allowed here: nfs3.null"),
    (RPC + "  - client: {call: nfs9.read}\n", 4, "allowed here: nfs2, nfs3, nfs40, nfs41, nfs42, cb40, cb41, cb42, mount1"),
    (RPC + "  - client: {call: nfs3.read, cuont: 8192}\n", 4, "'cuont' does not go with call; allowed here: procedure, operations"),
    (RPC + "  - client: {call: nfs3.write, count: 8192, read-chunk: [4096, 4096]}\n", 4, "`len` sets both"),
    (RPC + "  - client: {call: nfs3.read, aclcnt: 8192}\n", 4, "'aclcnt=8192' cannot be carried out here; allowed here:"),
    (RPC + "  - client: {call: nfs3.read, write-chunk: 4096}\n", 4, "allowed here: whole, a list of segments"),
    (RPC + "  - client: {call: nfs41.compound, operations: [sequence, reed]}\n", 4, "no operation is called 'reed'; allowed here:"),
    (RPC + "  - client: {call: nfs3.null}\n  - server: reply\n  - server: reply\n", 6, "'reply' cannot be carried out here: no Call of the other side waits"),
    (RPC + "  - client: call-again\n", 4, "'again' cannot be carried out here: no Call of this side is without Reply"),
    (RPC + "  - server: pull\n", 4, "'pull' cannot be carried out here: no message of the other side has Read chunks"),
    (RPC + "  - server: {error: ERR_OTHER}\n", 4, "allowed here: ERR_CHUNK, ERR_VERS"),
    (HEAD + "  - initiator: {send: 5, mpa.rev: 3}\n", 3, "'mpa.rev' is no word about FPDUs; allowed here: mpa@OFFSET, mpa.len"),
    (HEAD + "  - initiator: {mpa-request: , mpa.pad: 3}\n", 3,
     "'mpa.pad' is no word about start-up frames; allowed here: mpa@OFFSET, mpa.flags, mpa.rev"),
    (HEAD + "  - initiator: {send: 5, mpa.len: five}\n", 3, "'five' is no value of mpa.len; allowed here: N, +N, -N"),
    (HEAD + "  - initiator: {send: 5, mpa.pad: ^1}\n", 3, "'^1' is no value of mpa.pad; allowed here: a number"),
    (HEAD + "  - initiator: {send: 5, mpa.padding: abc}\n", 3, "'abc' is no value of mpa.padding; allowed here: octets in"),
    (HEAD + "  - initiator: {send: 5, mpa.half: 1}\n", 3, "'1' is no value of mpa.half; allowed here: true, false"),
    (HEAD + "  - initiator: {send: 5, mpa@x: 1}\n", 3, "'mpa@x' is no word about FPDUs"),
    (HEAD + "  - initiator: [cork, {cork: , mpa.half: true}]\n", 3, "nothing is said here that words of MPA could change"),
    (HEAD + "  - initiator: {fpdu: 123}\n", 3, "'123' is none; allowed here: octets in hexadecimal"),
    (HEAD + "  - initiator: {segment: -x}\n", 3, "'-x' is no value of at; allowed here: a number, which may be negative"),
    ("name: x\nmemory: {both: {a: {size: 4}}}\nwork: []\n", 2, "allowed here: octets, to, stag, rights, invalidable, fill"),
    ("name: x\nmemory: {server: {a: {octets: 4}}}\nwork: []\n", 2, "allowed here: initiator, responder, both"),
    ("name: x\nmemory: {both: {a: {rights: [execute]}}}\nwork: []\n", 2, "allowed here: read, write, atomic"),
    ("name: x\nmemory: {both: {a: {stag: 7}, b: {stag: 7}}}\nwork: []\n", 2, "another region with this STag"),
    ("name: x\nmemory: {both: {a: {octets: 8, to: 0xFFFFFFFFFFFFFFF9}}}\nwork: []\n", 2, "past the last Tagged Offset"),
    ("name: x\nconnection: {speed: 3}\nwork: []\n", 2, "allowed here: initiator, responder, nfs, mpa-revision"),
    ("name: x\nconnection: {initiator: {opened-by: 3}}\nwork: []\n", 2, "allowed here: mpa-revision, also-revision-0"),
    (WORK + "  - nobody: send\n", 7, "'nobody' is nothing that happens; allowed here: initiator, responder"),
    (WORK + "  - sleep\n", 7, "this is nothing that happens; allowed here: initiator, responder"),
    (WORK + "  - client: {mkdir: a}\n", 7, "(NFS clients, with `nfs` in `connection`, have jobs of their own;"),
    ("name: x\nwork:\n  - initiator: {send: 5, from: mine}\n", 3, "has no region 'mine'; allowed here: regions of `memory`"),
    (HEAD + "  - initiator: send\n---\nname: y\n", 5, "a second document begins here; a file has one scenario"),
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
]


@pytest.mark.parametrize("text, line, message", MISTAKES)
def test_mistakes(gen, tmp_path, text, line, message):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    run = gen("play", path, "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr.startswith(f"iwarp-gen: {path}:{line}: "), run.stderr
    assert message in run.stderr and run.stderr.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x.yaml"]


def test_missing_file(gen, tmp_path):
    run = gen("play", tmp_path / "none.yaml", "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and "none.yaml" in run.stderr and "No such file" in run.stderr


def test_library(gen, tmp_path):
    """At least 60, all documented; each plays from its file as it does by its name."""
    listed = dict(line.split("\t") for line in gen("list", "scenarios").stdout.splitlines())
    assert len(LIBRARY) >= 60
    for path in LIBRARY:
        text = path.read_text()
        assert "\nabout: |\n" in text and f'\nsummary: "{listed[path.stem]}"\n' in text
        assert gen("play", path.stem, "-o", tmp_path / "a").returncode == 0
        assert gen("play", path, "-o", tmp_path / "b").returncode == 0
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes(), path.stem


def test_repetition_is_the_same_as_its_steps(gen, tmp_path):
    def play(steps):
        (tmp_path / "x.yaml").write_text(RPC + steps)
        run = gen("play", tmp_path / "x.yaml", "-o", tmp_path / "x")
        assert run.returncode == 0, run.stderr
        return (tmp_path / "x").read_bytes()

    call = "{client: {call: nfs3.read, count: 100}}, {server: reply}"
    assert play(f"  - {{repeat: 3, steps: [{call}]}}\n") == play(f"  [{call}, {call}, {call}]\n")
    assert play("  - client: [{call: nfs3.null}]\n") == play("  - initiator: {call: nfs3.null}\n")
    assert play("  - client: {send: 5, times: 2}\n") == play("  - client: [{send: {octets: 5}}, {send: 5}]\n")


SAME = [
    ("{fpdu: 4041000000000001000000000000000000}", "fpdu 4041000000000001000000000000000000"),
    ("{segment: -3, octets: 2, push: true, times: 2, step: 1}", "2* segment at=-3 len=2 push step=1"),
    ("{segment: {hex: 00ff, at: 4, acknowledges: -1, zero-window: true}}", "segment hex=00ff at=4 ack=-1 zero-window"),
    ("{send: 9, early: true, acknowledged: true}", "send len=9 early acked"),
    ("{send: 100, mpa@-1: ^1, mpa.before: 00ff, mpa.gap: 7, mpa.split: -9}",
     "send len=100 mpa@-1^1 mpa.before=00ff mpa.gap=7 mpa.split=-9"),
    ("{send: 100, mpa.ptr: '|1', mpa.first-marker: true, mpa.half: false}", "send len=100 mpa.ptr|1 mpa.first-marker"),
    # The words of scripts.
    ("{send: {len: 9}, acked: true, net: late}", "send len=9 acked net=late"),
    ("{read: {size: 10, src: 5, srcto: 4096, sink: 6, sinkto: 1}}", "read size=10 src=5 srcto=4096 sink=6 sinkto=1"),
    ("{imm: 5, se: true}", "imm-se data=5"),
    ("{fadd: {data: 3, astag: 4, ato: 8}}", "fadd data=3 astag=4 ato=8"),
    ("{cswap: {cdata: 1, cmask: 2, data: 3, mask: 4}}", "cswap cdata=1 cmask=2 data=3 mask=4"),
    ("{term: 0/1/02, back: 1}", "term 0/1/02 back=1"),
    ("{term: {error: 0/1/02, octets: ^3, into-offset: -7}}", "term 0/1/02 size^3 sinkto-7"),
    ("rst", "rst"),
]
# Settings by their own names, and by the words of scripts.
SETTINGS = [
    ("{mpa-revision: 2, super-segments: 9000, initiator: {private-data: 9, initial-sequence-number: 7}}",
     "{rev: 2, segments: 9000, initiator: {data: 9, isn: 7}}", "rev2 segments=9000 dataI=9 isnI=7"),
    ("{captured: false, opened-by: responder, responder: {mpa-revision: 0}}",
     "{unseen: true, responder-opens: true, responder: {rev: 0}}", "unseen responder-opens revR=0"),
    ("{opened-by: initiator, responder: {rejects: true}}", "{responder-opens: false, responder: {reject: true}}", "rejectR=1"),
]
VALUES = {"true, false": ["true"], "a number": ["0", "5", "600", "0x2000"], "octets in hexadecimal": ["00ff17"],
          "N, +N, -N, ^N, &N, |N": ["3", "+4", "-2", "'^0x41'", "'&0x7f'", "'|0x18'"]}


def play_both(gen, tmp_path, steps, statements):
    """The same as steps and as a script."""
    (tmp_path / "x.yaml").write_text("name: x\nconnection: {mpa-revision: 2, markers: true}\nsteps:\n" + steps)
    ways = [gen("play", tmp_path / "x.yaml", "-o", tmp_path / "a"),
            gen("play", "script", "--script=with rev2 markers; " + statements, "-o", tmp_path / "b")]
    assert [(way.returncode, way.stderr) for way in ways] == [(0, "")] * 2, (steps, statements)
    return (tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("action, statement", SAME)
def test_a_step_is_the_same_as_its_statement(gen, tmp_path, action, statement):
    a, b = play_both(gen, tmp_path, f"  - initiator: {{send: 90}}\n  - responder: {{send: 30}}\n  - initiator: {action}\n",
                     f"I send len=90; R send len=30; I {statement}")
    assert a == b


@pytest.mark.parametrize("own, words, script", SETTINGS)
def test_settings_have_the_words_of_scripts(gen, tmp_path, own, words, script):
    said = []
    for settings in own, words:
        steps = "  - initiator: [mpa-request, {capture: on}]\n  - responder: mpa-reply\n"
        (tmp_path / "x.yaml").write_text(f"name: x\nconnection: {settings}\nsteps:\n{steps}")
        assert gen("play", tmp_path / "x.yaml", "-o", tmp_path / "a").returncode == 0
        said.append((tmp_path / "a").read_bytes())
    script = f"--script=with {script}; I mpa-request; I show; R mpa-reply"
    assert gen("play", "script", script, "-o", tmp_path / "b").returncode == 0
    assert said == [(tmp_path / "b").read_bytes()] * 2


@pytest.mark.parametrize("action, statement", [("send: 701", "I send len=701"), ("mpa-request: ", "I mpa-request")])
def test_words_about_mpa(gen, tmp_path, action, statement):
    """Every word that the program lists, with every form of value that it allows: the same octets as in a script."""
    def allowed(word, value):
        (tmp_path / "x.yaml").write_text(f"{HEAD}  - initiator: {{{action}, {word}: {value}}}\n")
        return gen("play", tmp_path / "x.yaml", "-o", tmp_path / "a").stderr.strip().split("allowed here: ")[1]

    words = allowed("mpa.none", 1).replace("OFFSET", "7").split(", ")
    plain = play_both(gen, tmp_path, f"  - initiator: {{{action}}}\n", statement)
    changed = set()
    for word in words:
        for value in VALUES[allowed(word, "'%'")]:
            text = value.strip("'")
            end = "" if text == "true" else text if re.match("[-+^&|]", text) else "=" + text
            a, b = play_both(gen, tmp_path, f"  - initiator: {{{action}, {word}: {value}}}\n", f"{statement} {word}{end}")
            assert a == b, (word, value)
            changed |= {word} if a != plain[0] else set()
    # The others only say more of another word, or need something that this frame does not have.
    idle = {"mpa.first-marker", "mpa.later-markers", "mpa.gap", "mpa.acked", "mpa.grid-from", "mpa.early", "mpa.after-request",
            "mpa.right-crc", "mpa.old-crc", "mpa.filler", "mpa.enhanced-last", "mpa.crc-without-marker", "mpa.grid-of-peer"}
    assert set(words) - changed - idle == set() and len(words) > 12


def test_memory_regions(gen, check, tmp_path):
    path, capture = tmp_path / "x.yaml", tmp_path / "x.pcapng"
    path.write_text("name: x\nmemory:\n  buffer: {stag: 0xA1B2C301, to: 0x4000, length: 4096}\n"
                    "steps:\n  - initiator: {send: 20}\n  - responder: {write: {octets: 4096, to: buffer}}\n"
                    "  - initiator: {send: 20, invalidate: buffer}\n")
    assert gen("play", path, "-o", capture).returncode == 0
    shown = check("--print", capture).stdout
    assert "0xa1b2c301" in shown and check(capture).returncode == 0


@pytest.mark.parametrize("steps", [
    "  - next connection\n",
    "  - {client: {call: nfs41.compound, operations: [sequence, putfh, {write: 0}, getattr], read-chunk: whole}}\n",
    "  - {client: {capture: off}}\n  - {server: close}\n  - {client: {send: 5}}\n",
    "  []\n",
])
def test_odd_ones_end(gen, tmp_path, steps):
    (tmp_path / "x.yaml").write_text(RPC + steps)
    assert gen("play", tmp_path / "x.yaml", "-o", tmp_path / "x").returncode == 0


def test_mutilated_files(gen, tmp_path):
    """Whatever the file, it is played or refused."""
    r = random.Random(5)
    path = tmp_path / "x.yaml"
    for number in range(300):
        octets = bytearray(r.choice(LIBRARY).read_bytes())
        for _ in range(r.randint(1, 4)):
            at = r.randrange(len(octets))
            if r.random() < 0.5:
                octets[at] = r.choice(b"0123456789[]{}:,- \nx&*")
            else:
                other = r.randrange(len(octets))
                octets[at:at + r.randint(0, 6)] = octets[other:other + r.randint(0, 6)]
        path.write_bytes(octets)
        run = gen("play", path, "-o", tmp_path / "x")
        assert run.returncode in (0, 2), (number, run.returncode, octets.decode(errors="replace"))
        assert run.returncode == 0 or run.stderr.startswith(f"iwarp-gen: {path}:"), run.stderr
