# SPDX-License-Identifier: GPL-2.0-or-later
"""The walker against Wireshark's dissectors of NFS: operations, file data and ends of the same messages."""
import json
import random
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from nfs_random import BEFORE, DEFINITIONS, MARKS, capture, compound, message, rpc_call, rpc_reply

ROUNDS = 4
NFS, NFS_CB = 100003, 0x40000000
DATA = MARKS.index("DATA")
# (callback, operation, results) that Wireshark 4.0 does not dissect, or by another type than RFC 7863 has:
# GET_DIR_DELEGATION, SET_SSV, WANT_DELEGATION, WRITE_SAME, EXCHANGE_ID results with SSV; most callbacks.
NOT_BY_WIRESHARK = {(False, op, back) for op in (46, 54, 56, 70) for back in (False, True)} | {(False, 42, True)} \
    | {(True, op, False) for op in (6, 7, 8, 9, 10, 12, 14)}
ACL2_GETATTR = (100227, 2, 3)  # Wireshark takes the status of the Reply for the type of a file: only 0 is dissected to the end
# Fields of OPEN with the values that version 4.1 adds, whose arms Wireshark 4.0 lacks: CLAIM_DELEG_CUR_FH; OPEN_DELEGATE_NONE_EXT.
NEWER = {("nfs.open.claim_type", "5"), ("nfs.open.delegation_type", "3")}


def plain_messages(rng):
    """(program, version, procedure, [arguments, results]) of all procedures but COMPOUND."""
    for program, version, number, _, callback, arguments, results in DEFINITIONS.procedures:
        if program in (NFS, NFS_CB) and version in (4, 1) and number == 1 or callback:
            continue
        for _ in range(ROUNDS):
            status = 0 if (program, version, number) == ACL2_GETATTR else rng.choice((0, 0, 70))
            yield program, version, number, (message(rng, arguments, 0), message(rng, results, status))


def compounds(rng):
    for callback in (False, True):
        for number in DEFINITIONS.operations[callback]:
            for _ in range(ROUNDS):
                # One message after it, so that its end is visible.
                numbers = [number, 4 if callback else 24]
                yield callback, compound(rng, callback, numbers, 0)
            yield callback, compound(rng, callback, [number], 10025)


def dissect(path):
    """Packet by packet, as all of it takes 290 MB."""
    with subprocess.Popen(["tshark", "-r", path, "-T", "pdml", "-o", "tcp.check_checksum:FALSE"], stdout=subprocess.PIPE) as run:
        for _, node in ElementTree.iterparse(run.stdout):
            if node.tag == "packet":
                yield Dissected(node)
                node.clear()
    assert run.returncode == 0


class Dissected:
    def __init__(self, packet):
        fields = [field for proto in packet.findall("proto")
                  if proto.get("name") not in ("geninfo", "frame", "raw", "ip", "tcp", "rpc")
                  for field in proto.iter() if field.get("pos") is not None]
        self.malformed = any("malformed" in node.get("name", "") for node in packet.iter())
        self.end = max((int(f.get("pos")) + int(f.get("size")) for f in fields if int(f.get("size"))), default=BEFORE)
        self.operations = [int(f.get("show")) for f in fields
                           if f.get("name") in ("nfs.opcode", "nfs.cb.operation") and f.get("size") == "4"]
        self.newer = any((f.get("name"), f.get("show")) in NEWER for f in fields)
        self.data = {(int(f.get("pos")) - BEFORE, int(f.get("size"))) for f in fields if f.get("name") == "nfs.data"}


@pytest.fixture(scope="module")
def walk(build):
    def run(lines):
        out = subprocess.run([build / "lab" / "interop" / "nfs_walk"], input="".join(lines), capture_output=True,
                             text=True, check=True).stdout
        return [json.loads(line) for line in out.splitlines()]
    return run


def line(program, version, procedure, back, callback, octets):
    return (f"{program} {version} {procedure} {'reply' if back else 'call'} "
            f"{'reverse' if callback else 'forward'} {octets.hex() or '-'}\n")


@pytest.fixture(scope="module")
def seen(tmp_path_factory, walk):
    """(name, callback, back, header octets, what the walker saw, what Wireshark saw) of every message."""
    rng = random.Random(5)
    messages, lines, names = [], [], []

    def add(program, version, procedure, callback, pair, name):
        xid = 0x1000 + len(messages)
        for back in (False, True):
            rpc = rpc_reply(xid, pair[1]) if back else rpc_call(xid, program, version, procedure, pair[0])
            messages.append((back != callback, rpc))
            lines.append(line(program, version, procedure, back, callback, pair[back]))
            names.append((name, callback, back, 24 if back else 40))

    for program, version, number, pair in plain_messages(rng):
        add(program, version, number, False, pair, (program, version, number))
    for callback, pair in compounds(rng):
        add(NFS_CB if callback else NFS, 1 if callback else 4, 1, callback, pair, None)
    path = tmp_path_factory.mktemp("nfs") / "random.pcap"
    capture(path, messages)
    walked, dissected = walk(lines), list(dissect(path))
    assert len(walked) == len(dissected) == len(messages)
    return [(*name, w, d, len(m[1])) for name, w, d, m in zip(names, walked, dissected, messages)]


def known(callback, back, walked):
    return not {(callback, o["op"], back) for o in walked["operations"]} & NOT_BY_WIRESHARK


def test_walked_to_the_end(seen):
    wrong = [(name, back, walked) for name, _, back, _, walked, _, _ in seen
             if walked["status"] != "ok" or walked["left"]]
    assert not wrong, wrong[:3]


def ends_together(end, length, header):
    """Wireshark has no field for some roundup, and none for items without octets."""
    return length == header or length - 3 <= end <= length


def test_wireshark_agrees(seen):
    wrong, checked = [], 0
    for name, callback, back, header, walked, dissected, length in seen:
        if not known(callback, back, walked) or dissected.newer:
            continue
        checked += 1
        operations = [o["op"] for o in walked["operations"]]
        items = {(i["position"] + header, i["count"]) for i in walked["items"]}
        data = {(i["position"] + header, i["count"]) for i in walked["items"] if i["mark"] == DATA}
        if dissected.malformed or operations != dissected.operations or not data <= dissected.data <= items or \
                not ends_together(dissected.end - BEFORE, length, header):
            wrong.append((name, back, operations, dissected.operations, data, dissected.data, dissected.malformed,
                          dissected.end - BEFORE, length))
    assert checked > 1000
    assert not wrong, "\n".join(map(str, wrong[:40]))
