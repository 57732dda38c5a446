# SPDX-License-Identifier: GPL-2.0-or-later
"""--print: the lines of each operation and layer."""
import re

import pytest


@pytest.fixture
def lines(check):
    return lambda path: check("--print", path).stdout.split("\n\n")[0].splitlines()


def test_atomics(lines, capture):
    asked, answered = {}, {}
    for line in lines(capture("atomics")):
        if match := re.search(r"ATOMIC-REQ (FetchAdd|CmpSwap) id (\S+) stag 0x\w+ to 0x\w+ data (\S+) mask (\S+)( compare (\S+) mask (\S+))?\]", line):
            assert (match[1] == "CmpSwap") == bool(match[5])
            asked[match[2]] = match[1]
        elif match := re.search(r"ATOMIC-RESP id (\S+) original (\S+)\]", line):
            answered[match[1]] = match[2]
        else:
            assert "ATOMIC" not in line
    assert asked and asked.keys() == answered.keys() and set(asked.values()) == {"FetchAdd", "CmpSwap"}


def test_immediate_data(lines, capture):
    found = [line for line in lines(capture("immediate")) if "rdmap: IMM" in line]
    assert found and all(re.search(r"rdmap: IMM(-SE)? data 0x[0-9a-f]{16}\]$", line) for line in found)


def test_terminate(lines, root):
    """The driver's Terminate, read as in the RFC."""
    line, = [line for line in lines(root / "captures" / "real" / "params" / "crc-good.pcap") if "TERMINATE" in line]
    assert line.endswith("rdmap: TERMINATE layer 1 etype 1 code 0x01]")


def test_private_data_of_rpcrdma(lines, root):
    request, reply, *rest = lines(root / "captures" / "real" / "nfs" / "nfs41-acl.pcap")
    assert request.endswith("start-req pdlen 12 mpav2: enhanced ird 128 ord 0 rpcrdma: v1 R send 4096 receive 4096]")
    assert reply.endswith("start-rep pdlen 12 mpav2: enhanced ird 0 ord 128 rpcrdma: v1 send 4096 receive 4096]")
    assert not any("receive" in line for line in rest)


def test_every_layer_of_an_nfs_mount(lines, root):
    text = "\n".join(lines(root / "captures" / "real" / "nfs" / "nfs41-acl.pcap"))
    for part in ("ddp: v1 UL qn 0", "rdmap: SEND-INV stag 0x", "[rpcrdma: RDMA_MSG xid 0x", "CALL NFS4 COMPOUND SEQUENCE+PUTFH",
                 "REPLY NFS4 COMPOUND SUCCESS", "rdmap: WRITE"):
        assert part in text, part
