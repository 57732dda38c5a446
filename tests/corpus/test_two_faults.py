# SPDX-License-Identifier: GPL-2.0-or-later
"""Two independent faults in one message give two findings. Every change below is one fault; all pairs in one message are applied
together, and each must be reported as it is alone. The CRC of two patches is the exclusive or of all three, so combined frames need
no new CRC."""
import itertools
import struct

import pytest

import captures
from generated import findings, judge

BEFORE, AFTER = "with rpcrdma; I call nfs3.null; R reply", "I call nfs3.null; R reply"

# A scene: the statement that is changed, statements before and after it, and the changes.
SCENES = {
    "call": ("I call nfs3.getattr cred=none{}", "", "R reply", ["credit=0", "h.xid+100", "@m8=3", "@m32=1"]),
    "call with a name": ("I call nfs3.lookup name=abcde cred=none{}", "", "R reply",
                         ["credit=0", "h.xid+100", "@p80=0x65000001", "@m32=1"]),
    "call with a Read chunk": ("I call nfs3.symlink name=abcde cred=none len=1000 read{}", "", "R pull; R reply",
                               ["credit=0", "h.xid+100", "read0.pos-4", "@p80=0x65000001", "@m32=1"]),
    "call with an odd Position": ("I call nfs3.symlink name=abcde cred=none len=1000 read{}", "", "R pull; R reply",
                                  ["credit=0", "h.xid+100", "read0.pos+2", "@p80=0x65000001", "@m32=1"]),
    "call without room": ("I call nfs3.readdir cred=none count=4096 reply=4200{}", "", "R reply",
                          ["credit=0", "h.xid+100", "@m32=1", "p.count=9000"]),
    "call that cannot be read": ("I call nfs3.getattr cred=none{}", "", "R error chunk", ["credit=0", "@h16=2"]),
    "reply": ("R reply{}", "I call nfs3.getattr cred=none", "", ["credit=0", "rpc.xid+1", "@m12=1"]),
    "reply with two XIDs": ("R reply{}", "I call nfs3.getattr cred=none", "", ["credit=0", "h.xid+100", "@m12=1"]),
    "reply to no Call": ("R reply{}", "I call nfs3.getattr cred=none", "R reply back=0", ["credit=0", "xid=0x77"]),
    "reply of a COMPOUND": ("R reply{}", "I call nfs40.compound cred=none ops=putrootfh,getfh", "",
                            ["credit=0", "rpc.xid+1", "@m12=1", "@m24=5"]),
    "reply that cannot be read": ("R reply{}", "I call nfs3.getattr cred=none", "", ["credit=0", "@h16=2"]),
    "reply with a Write list": ("R reply{}", "I call nfs3.read cred=none count=4096 write=2048+2048", "",
                                ["credit=0", "rpc.xid+1", "write0.seg0.handle+1", "write0.seg1.len=2052", "@m12=1"]),
    "reply with both": ("R reply{}", "I call nfs3.read cred=none count=4096 write=2048+2048 reply=8192+8192", "",
                        ["credit=0", "rpc.xid+1", "write0.seg0.handle+1", "reply.seg1.handle+1", "reply.seg0.len=8", "@m12=1"]),
    "long reply": ("R reply entries=100 long{}", "I call nfs3.readdir cred=none count=4096 reply=8192+8192", "",
                   ["credit=0", "reply.seg1.handle+1"]),
    "refusal": ("R error vers=1..1{}", "I call nfs3.getattr h.vers=3", "", ["h.vers=1", "@h24=3"]),
}

# (scene, unreported change, change beside it): why the fault follows from the other, or is in doubt.
SWALLOWED = {
    ("call", "@m32=1", "@m8=3"): "another version of RPC may have another header",
}


def tcp_sum(octets):
    """The frame with its TCP segment's right checksum; other frames are unchanged."""
    kind, ip = captures.ip_header(octets)
    if kind != captures.IPV4 or octets[ip + 9] != 6:
        return octets
    tcp, end = captures.udp_of(octets, kind, ip), ip + int.from_bytes(octets[ip + 2:ip + 4], "big")
    segment = octets[tcp:tcp + 16] + bytes(2) + octets[tcp + 18:end]
    pseudo = octets[ip + 12:ip + 20] + struct.pack(">HH", 6, len(segment)) + segment + bytes(len(segment) % 2)
    total = sum(struct.unpack(f">{len(pseudo) // 2}H", pseudo))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return octets[:tcp + 16] + struct.pack(">H", 0xFFFF - total) + octets[tcp + 18:]


def combined(first, second, base):
    """Both changes in the frame."""
    return tcp_sum(bytes(a ^ b ^ c for a, b, c in zip(first, second, base)))


def write(path, frames):
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, captures.ETHERNET))
        for time, length, octets in frames:
            file.write(struct.pack("<IIII", *divmod(time, 10**9), len(octets), length) + octets)
    return path


def frames_of(gen, folder, scene, change, transport):
    said, before, after, _ = SCENES[scene]
    statement = said.format(f" {change}" if change else "")
    script = "; ".join(part for part in (BEFORE, before, statement, after, AFTER) if part)
    path = folder / "said.pcap"
    run = gen("play", "script", "--script=" + script, "--transport=" + transport, "--pcap", "-o", path)
    assert run.returncode == 0, run.stderr
    return captures.records(path)


def changed(base, frames, what):
    """The only frame that differs."""
    differing = [i for i, (a, b) in enumerate(zip(base, frames)) if a[2] != b[2]]
    assert len(base) == len(frames) and len(differing) == 1, f"{what}: more than one frame is changed"
    assert len(base[differing[0]][2]) == len(frames[differing[0]][2]), f"{what}: not the same length"
    return differing[0]


def rules_at(capture, frame, reactions):
    """The rules that the message itself breaks."""
    return {f.rule for f in findings(capture) if f.frame == frame + 1} - reactions


@pytest.fixture(scope="module", params=["iwarp", "roce"])
def reports(request, build, gen, catalogue, tmp_path_factory):
    """(scene, changes) -> the rules that the changed message breaks; one change, or two."""
    folder, jobs = tmp_path_factory.mktemp("two"), []
    reactions = {row["id"] for row in catalogue if row["observe"] == "reaction"}
    for scene, (_, _, _, changes) in SCENES.items():
        base = frames_of(gen, folder, scene, "", request.param)
        single = {change: frames_of(gen, folder, scene, change, request.param) for change in changes}
        places = {changed(base, frames, f"{scene}, {change}") for change, frames in single.items()}
        assert len(places) == 1, f"{scene}: not all changes are of one message"
        at = places.pop()
        for pair in [(c,) for c in changes] + list(itertools.combinations(changes, 2)):
            frames, octets = list(base), base[at][2]
            for change in pair:
                octets = combined(octets, single[change][at][2], base[at][2])
            frames[at] = (base[at][0], base[at][1], octets)
            jobs.append(((scene, pair), at, write(folder / f"{len(jobs)}.pcap", frames)))
    found = judge(build, [path for _, _, path in jobs], by_name=False, counts=False)
    return {key: rules_at(capture, at, reactions) for (key, at, _), capture in zip(jobs, found)}


def test_each_fault_is_found(reports):
    assert [key for key, rules in reports.items() if len(key[1]) == 1 and not rules] == []


def test_one_fault_does_not_hide_another(reports):
    lacking = []
    for (scene, changes), rules in reports.items():
        if len(changes) == 1:
            continue
        for change, beside in (changes, changes[::-1]):
            lost = reports[scene, (change,)] - rules
            if lost and (scene, change, beside) not in SWALLOWED:
                lacking.append(f"{scene}: {', '.join(sorted(lost))} of {change} beside {beside}, found {', '.join(sorted(rules))}")
    assert not lacking, "\n".join(lacking)


def test_two_faults_are_no_third(reports):
    more = [f"{scene}, {changes}: {', '.join(sorted(extra))}" for (scene, changes), rules in reports.items() if len(changes) == 2
            and (extra := rules - reports[scene, changes[:1]] - reports[scene, changes[1:]])]
    assert not more, "\n".join(more)
