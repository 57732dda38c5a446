# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with iWARP and RoCE: each connection is judged as in a separate capture."""
import struct

import pytest

from reports import read_report
from views import packets, write


def read_pcap(path):
    """(time in ns, octets, length on the wire) of each packet of a pcap file with times in microseconds."""
    octets, at, out = path.read_bytes(), 24, []
    assert struct.unpack_from("<I", octets)[0] == 0xA1B2C3D4
    while at < len(octets):
        second, micro, captured, original = struct.unpack_from("<IIII", octets, at)
        out.append(((second * 1_000_000 + micro) * 1000, octets[at + 16:at + 16 + captured], original))
        at += 16 + captured
    return out


def interleaved(first, second):
    """Both, begun at the same time."""
    begin = first[0][0] - second[0][0]
    return sorted([*first, *((time + begin, *rest) for time, *rest in second)], key=lambda packet: packet[0])


def outcome(connection):
    rules = {name: tuple(n for kind, n in counts.items() if kind != "why") for name, counts in connection["rules"].items()}
    return (connection["transport"], connection["initiator"], connection["responder"], connection["counts"],
            sorted((f["rule"], f["severity"], f["direction"]) for f in connection["findings"]), rules)


@pytest.mark.parametrize("iwarp", ["conforming/nfs41.pcapng", "rpcrdma/RPCR-3.4.6-05.pcapng", "conforming/stack-nfs42-backchannel.pcapng"])
@pytest.mark.parametrize("roce", ["nfs42-mount-umount.pcap", "nfs41-recall.pcap"])
def test_mixed(check, root, all_captures, tmp_path, iwarp, roce):
    apart = [all_captures / iwarp, root / "captures" / "roce" / roce]
    together = tmp_path / "mixed.pcap"
    write(together, interleaved(packets(apart[0]), read_pcap(apart[1])))
    alone = [connection for path in apart for connection in read_report(check("--format=ndjson", "--counts=connection", path).stdout)["captures"][0]["connections"]]
    reports = [check("--format=ndjson", "--counts=connection", f"-j{threads}", together) for threads in (1, 2, 8)]
    assert len({report.stdout for report in reports}) == 1
    mixed = read_report(reports[0].stdout)["captures"][0]["connections"]
    assert {connection["transport"] for connection in mixed} == {"iwarp", "roce2"}
    assert sorted(map(outcome, mixed), key=str) == sorted(map(outcome, alone), key=str)
    # Every rule applies to one of them.
    assert "another transport" not in check(together).stdout
