# SPDX-License-Identifier: GPL-2.0-or-later
"""A segment from receive offload: more FPDUs in one frame than Wireshark allows calls in a row."""
import struct

import merge

ETHERNET = 14


def payload(octets):
    at = ETHERNET + (octets[ETHERNET] & 15) * 4
    return octets[at + (octets[at + 12] >> 4) * 4:ETHERNET + int.from_bytes(octets[ETHERNET + 2:ETHERNET + 4], "big")]


def joined(frames):
    """All payloads of successive frames after the headers of the first."""
    first, octets = frames[0], b"".join(map(payload, frames))
    headers = bytearray(first[:len(first) - len(payload(first))])
    headers[ETHERNET + 2:ETHERNET + 4] = struct.pack(">H", len(headers) - ETHERNET + len(octets))
    return bytes(headers) + octets


def test_each_fpdu_of_a_large_segment(wireshark, generated, tmp_path):
    source = [octets for *_, octets in merge.records(generated("bulk", "--ulpdu=64", "--size=100k", "--pcap"))]
    data = [octets for octets in source if payload(octets)]
    writer = data[2][26:30]
    together = [octets for octets in data[3:] if octets[26:30] == writer][:700]
    begin = source.index(together[0])
    capture = tmp_path / "large.pcap"
    with capture.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1))
        for octets in [*source[:begin], joined(together)]:
            out.write(struct.pack("<IIII", 1, 0, len(octets), len(octets)) + octets)
    shown = wireshark.fields(capture, ["mpa.fpdu.number", "rddp.to", "frame.protocols"], "-2", "-Y", "mpa.fpdu.number")
    assert len(shown[-1]["mpa.fpdu.number"]) == len(shown[-1]["rddp.to"]) == len(together) > 500
    assert shown[-1]["frame.protocols"][0].startswith("eth:ethertype:ip:tcp:mpa:")
    assert "Dissector bug" not in wireshark.tshark(capture, "-V")
