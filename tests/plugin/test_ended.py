# SPDX-License-Identifier: GPL-2.0-or-later
"""Data that a connection needs in the first pass is freed after its end; displayed values stay, and later frames are recognised."""
import struct
import subprocess
import sys

import pytest

import captures

CONNECTIONS = 3000  # the plugins finish those followed by 128 other closed connections
MORE = 20  # KiB for each, above what the built-in dissectors take
MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); " \
          "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
SYN = 0x02
SECOND = 10**9
SHOWN = ["_ws.col.Protocol", "mpa.ulpdu_length", "mpa.repeated"]


def kibibytes(wireshark, capture, plugins):
    environment = wireshark.environment | ({} if plugins else {"WIRESHARK_PLUGIN_DIR": "/nonexistent"})
    result = subprocess.run([sys.executable, "-c", MEASURE, *wireshark.prefix, "env", *(f"{k}={v}" for k, v in environment.items()),
                             "tshark", "-r", str(wireshark.readable(capture))], capture_output=True, text=True, check=True)
    return int(result.stdout)


def test_memory(wireshark, generated):
    if "LD_PRELOAD" in wireshark.environment:
        pytest.skip("the memory of a sanitizer is not ours")
    capture = generated("many", f"--connections={CONNECTIONS}")
    assert (kibibytes(wireshark, capture, True) - kibibytes(wireshark, capture, False)) / CONNECTIONS < MORE


def write(path, frames):
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, captures.ETHERNET))
        for time, length, octets in frames:
            file.write(struct.pack("<IIII", time // SECOND, time % SECOND, len(octets), length) + octets)


def ports(octets):
    return struct.unpack_from(">HH", octets, 34)


def moved(octets, port, to):
    return octets[:34] + struct.pack(">HH", *(to if one == port else one for one in ports(octets))) + octets[38:]


def flags(octets):
    return octets[47]


def with_payload(octets):
    return struct.unpack_from(">H", octets, 16)[0] > 20 + 4 * (octets[46] >> 4)


@pytest.mark.parametrize("analysis", [True, False])
@pytest.mark.parametrize("passes", [1, 2])
def test_late_segments_and_the_next_connection(wireshark, generated, tmp_path, analysis, passes):
    """After 200 others: a repeated segment of the first, then another connection at its addresses, with other sequence numbers."""
    many = list(captures.records(generated("many", "--connections=201")))
    client, last = ports(many[0][2])[0], ports(many[-1][2])[0]
    assert flags(many[0][2]) & SYN and client != last
    late = next(octets for _, _, octets in many if client in ports(octets) and with_payload(octets))
    again = [(time, length, moved(octets, last, client)) for time, length, octets in many if last in ports(octets)]
    many = [record for record in many if last not in ports(record[2])]
    shift = many[-1][0] - again[0][0] + 2 * SECOND
    path, alone = tmp_path / "ended.pcap", tmp_path / "alone.pcap"
    write(alone, again)
    write(path, [*many, (many[-1][0] + SECOND, len(late), late), *((time + shift, length, octets) for time, length, octets in again)])
    mode = ["-o", f"tcp.analyze_sequence_numbers:{'TRUE' if analysis else 'FALSE'}",
            *["-2"] * (passes - 1)]
    with_others, by_itself = ([[row[name] for name in SHOWN] for row in wireshark.fields(capture, SHOWN, *mode)] for capture in (path, alone))
    assert len(with_others) == len(many) + 1 + len(again)
    # The TCP dissector withholds it, or the mpa plugin knows that it is old.
    assert with_others[len(many)] == ([["TCP"], [], []] if analysis else [["MPA"], [], ["1"]])
    assert with_others[-len(again):] == by_itself and any(protocol == ["RDMAP"] for protocol, *_ in by_itself)
