# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of client and server, merged into one file: each packet is there twice, and is judged once."""
import struct

import pytest

from stats import packets

MS, US = 10**6, 10**3
START = 10**18


def write(target, timed):
    """timed: [(time in ns, octets)]"""
    with open(target, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, octets in sorted(timed, key=lambda packet: packet[0]):
            out.write(struct.pack("<IIII", *divmod(START + time, 10**9), len(octets), len(octets)) + octets)
    return target


def numbered(found):
    """Gives each packet an identification of its own, as hosts do. The ICRC covers it: iwarp-check ignores the ICRC here."""
    for number, (_, _, octets) in enumerate(found, 1):
        frame = bytearray(octets)
        frame[18:20] = struct.pack(">H", number)
        frame[24:26] = bytes(2)
        yield bytes(frame)


def both_ends(source, path, ahead, gap=100 * US):
    """([(time, octets)] at the client, at the server): packets wait for one another; the server's clock is `ahead`."""
    client, server, now, before = [], [], 0, None
    for octets in numbered(packets(source.read_bytes())[0]):
        from_client = octets[26:30] == bytes([192, 0, 2, 1])
        now += gap + (path if before is not None and before != from_client else 0)
        before = from_client
        client.append((now if from_client else now + path, octets))
        server.append((ahead + (now + path if from_client else now), octets))
    return client, server


@pytest.fixture(params=["iwarp", "roce"])
def ends(request, play):
    steps = ["I call nfs3.read count=9000 write=9000", "R reply", "I call nfs3.getattr", "R reply"] * 10
    source = play(steps, "--transport=" + request.param)

    def run(path, ahead):
        return both_ends(source, path, ahead)
    return run


@pytest.mark.parametrize("path, ahead", [(300 * US, 0), (300 * US, 40 * MS), (300 * US, -40 * MS), (20 * MS, 3 * MS), (300 * US, 3000 * MS)])
def test_merged_captures_are_judged_once(check, ends, tmp_path, path, ahead):
    client, server = ends(path, ahead)
    alone = check("--stats", "--assume=icrc=off", write(tmp_path / "client.pcap", client))
    merged = check("--stats", "--assume=icrc=off", write(tmp_path / "merged.pcap", client + server))
    assert alone.returncode == merged.returncode == 0
    assert f"captured at two points: {len(server)} of {2 * len(server)} packets are there twice" in merged.stdout
    assert "captured at two points" not in alone.stdout
    assert "retransmitted" not in merged.stdout.replace("nothing was retransmitted", "") and "PFC" not in merged.stdout


def test_a_packet_lost_between_the_points_is_no_copy(check, ends, tmp_path):
    """The packet was captured only at the client, and sent again: the path has lost it."""
    client, server = ends(300 * US, 0)
    lost = len(client) // 2
    server = server[:lost] + server[lost + 1:]
    said = check("--assume=icrc=off", write(tmp_path / "merged.pcap", client + server)).stdout
    assert f"captured at two points: {len(server)} of {2 * len(server) + 1} packets are there twice" in said


def test_retransmissions_are_no_second_point(check, ends, tmp_path):
    """Every packet of one direction is sent again with another identification, or with the same one."""
    client, _ = ends(300 * US, 0)
    for step in (0, 1):
        again = [(time + 2 * MS, octets[:18] + struct.pack(">H", 4000 * step + int.from_bytes(octets[18:20], "big")) + octets[20:])
                 for time, octets in client if octets[26:30] == bytes([192, 0, 2, 1])]
        said = check("--assume=icrc=off", write(tmp_path / "again.pcap", client + again)).stdout
        assert "captured at two points" not in said
