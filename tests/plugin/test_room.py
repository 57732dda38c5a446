# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that only begin: the plugins limit the memory of each, and their number; those that make room say so."""
import struct

import pytest

from test_ended import SECOND, kibibytes, write

START_UPS, QUEUE_PAIRS = 16000, 20000
KIB_FOR_START_UP, KIB_FOR_QUEUE_PAIR = 2, 4  # each, above what the built-in dissectors take
BUILT_IN_TIMES = 1.3  # limit for all memory of tshark with endless start-up frames
TOO_MANY_STARTED = 30000  # 512 MiB suffice for about 12,000 with a complete start-up frame
KIB_KEPT, LIMIT_KIB = 6, 512 << 10  # for each completed one, for later passes; for all open ones
UNPAIRED_MAX = 16384
NOT_FOLLOWED = "[not followed]"
START = b"MPA ID Req Frame" + struct.pack(">BBH", 0, 1, 512)  # its private data never come
TOO_MUCH = b"MPA ID Req Frame" + struct.pack(">BBH", 0, 1, 513)
WHOLE = b"MPA ID Req Frame" + struct.pack(">BBH", 0, 1, 0)
SEND_ONLY, ICRC_LEN = 0x04, 4
ETHERNET = b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0"


def ipv4(source, protocol, payload):
    return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(payload), 0, 0x4000, 64, protocol, 0, source, 0x0A000002) + payload


def start_up(number, seq=1000, octets=START):
    tcp = struct.pack(">HHIIBBHHH", 1024 + number % 60000, 20049, seq, 5000, 0x50, 0x18, 0xFFFF, 0, 0) + octets
    return ETHERNET + ipv4(0x0A100000 + number // 60000, 6, tcp)


def send(number, psn=0):
    """The capture lacks its ICRC."""
    roce = struct.pack(">BBHII", SEND_ONLY, 0x40, 0xFFFF, 0x10000 + number, psn) + b"x" * 8 + bytes(ICRC_LEN)
    return (ETHERNET + ipv4(0x0A000001, 17, struct.pack(">HHHH", 49152, 4791, 8 + len(roce), 0) + roce))[:-ICRC_LEN]


def capture_of(path, frames, cut=0):
    write(path, [(1700000000 * SECOND + i * 1000, len(octets) + cut, octets) for i, octets in enumerate(frames)])
    return path


@pytest.fixture(scope="module")
def queue_pairs(tmp_path_factory):
    frames = [send(0), send(0, 1), *map(send, range(1, QUEUE_PAIRS))]
    return capture_of(tmp_path_factory.mktemp("room") / "queue-pairs.pcap", frames, ICRC_LEN)


def needs_real_memory(wireshark):
    if "LD_PRELOAD" in wireshark.environment:
        pytest.skip("the memory of a sanitizer is not ours")


def more_for_each(wireshark, capture, n):
    needs_real_memory(wireshark)
    return (kibibytes(wireshark, capture, True) - kibibytes(wireshark, capture, False)) / n


def test_memory_of_start_ups(wireshark, tmp_path):
    needs_real_memory(wireshark)
    capture = capture_of(tmp_path / "start-ups.pcap", map(start_up, range(START_UPS)))
    with_plugins, built_in = (kibibytes(wireshark, capture, plugins) for plugins in (True, False))
    assert with_plugins < built_in + KIB_FOR_START_UP * START_UPS and with_plugins < BUILT_IN_TIMES * built_in


def test_memory_above_mpa_counts(wireshark, tmp_path):
    """The layers above MPA take more than MPA once a start-up frame is complete."""
    n = TOO_MANY_STARTED
    capture = capture_of(tmp_path / "started.pcap", (start_up(number, octets=WHOLE) for number in range(n)))
    assert more_for_each(wireshark, capture, n) < LIMIT_KIB / n + KIB_KEPT


def test_memory_of_queue_pairs(wireshark, queue_pairs):
    assert more_for_each(wireshark, queue_pairs, QUEUE_PAIRS) < KIB_FOR_QUEUE_PAIR


@pytest.mark.parametrize("passes", [1, 2])
def test_start_ups_that_made_room(wireshark, tmp_path, passes):
    """The first connection continues after too many others, and so does the last."""
    needs_real_memory(wireshark)
    frames = [start_up(number, octets=WHOLE) for number in range(TOO_MANY_STARTED)]
    again = [start_up(number, 1000 + len(WHOLE)) for number in (0, TOO_MANY_STARTED - 1)]
    capture = capture_of(tmp_path / "too-many.pcap", [*frames, *again])
    rows = wireshark.fields(capture, ["mpa.unread", "_ws.expert.message", "_ws.col.Info"], *["-2"] * (passes - 1), "-Y",
                            f"mpa.unread or frame.number > {TOO_MANY_STARTED}")
    assert [row["frame"] for row in rows] == [TOO_MANY_STARTED + 1, TOO_MANY_STARTED + 2]
    assert rows[0]["_ws.col.Info"] == [NOT_FOLLOWED] and "too many connections" in rows[0]["_ws.expert.message"][0]
    assert not rows[1]["mpa.unread"] and rows[1]["_ws.col.Info"] != [NOT_FOLLOWED]


@pytest.mark.parametrize("passes", [1, 2])
def test_too_much_private_data_is_shown_at_once(wireshark, tmp_path, passes):
    """The frame may be the last of its connection: no other has to come."""
    capture = capture_of(tmp_path / "too-much.pcap", [start_up(0, octets=TOO_MUCH)])
    row, = wireshark.fields(capture, ["iwarp.finding"], *["-2"] * (passes - 1))
    assert row["iwarp.finding"] == ["MPA-7.1.1-34"]


def test_queue_pairs_that_made_room(wireshark, queue_pairs):
    """The first has two packets, and is followed; the oldest of those with a single packet are not."""
    rows = wireshark.fields(queue_pairs, ["rdma_ib.forgotten"], "-2", "-Y", "rdma_ib.forgotten")
    assert [row["frame"] for row in rows] == list(range(3, 3 + QUEUE_PAIRS - UNPAIRED_MAX - 1))
