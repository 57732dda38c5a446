# SPDX-License-Identifier: GPL-2.0-or-later
"""The end of a capture: known from Interface Statistics Blocks, or not; and interfaces that differ."""
import gzip
import re
import struct
import subprocess
import sys
import threading

import pytest

SECOND = 1_000_000
# Standard input, a few octets at a time.
PIECES = "import os, sys; d = sys.stdin.buffer.read(); n = int(sys.argv[1]); [os.write(1, d[i:i + n]) for i in range(0, len(d), n)]"


def block(order, kind, body):
    length = 12 + len(body)
    return struct.pack(order + "II", kind, length) + body + struct.pack(order + "I", length)


def interface(order, link=1, snap=262144):
    return block(order, 1, struct.pack(order + "HHI", link, 0, snap))


def packet(order, number, time, octets):
    head = struct.pack(order + "IIIII", number, time >> 32, time & 0xFFFFFFFF, len(octets), len(octets))
    return block(order, 6, head + octets + bytes(-len(octets) % 4))


def statistics(order, time, received, ended=None):
    """isb_ifrecv, and isb_endtime unless the block's own time is the end."""
    options = struct.pack(order + "HHQ", 4, 8, received)
    if ended is not None:
        options += struct.pack(order + "HHII", 3, 8, ended >> 32, ended & 0xFFFFFFFF)
    return block(order, 5, struct.pack(order + "III", 0, time >> 32, time & 0xFFFFFFFF) + options + bytes(4))


def head(order):
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))



@pytest.fixture(name="hang")
def fixture_hang(capture):
    """The last Call has no Reply: its packets are cut away."""
    path = capture("nfs3", "--pcap", suffix="pcap")
    octets = path.read_bytes()
    at, found = 24, []
    while at < len(octets):
        seconds, fraction, length, _ = struct.unpack_from("<IIII", octets, at)
        found.append((seconds * SECOND + fraction, octets[at + 16:at + 16 + length]))
        at += 16 + length
    return found


def cut_at_a_call(report, tmp_path, hang):
    """The longest beginning of the capture that ends with one Call outstanding, as the checker sees it."""
    for n in range(len(hang) - 1, 10, -1):
        path = tmp_path / "begin.pcapng"
        path.write_bytes(head("<") + interface("<") + b"".join(packet("<", 0, *each) for each in hang[:n]))
        _, parsed = report(path)
        if [each["kind"] for each in parsed["captures"][0]["trouble"]] == ["call-outstanding"]:
            return hang[:n]
    raise AssertionError("no Call is ever outstanding")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("own_time", [False, True])
def test_end(report, check, hang, tmp_path, order, own_time):
    begin = cut_at_a_call(report, tmp_path, hang)
    end = begin[-1][0] + 120 * SECOND
    start = head(order) + interface(order) + b"".join(packet(order, 0, *each) for each in begin)
    path = tmp_path / "end.pcapng"

    path.write_bytes(start + (statistics(order, end, len(begin)) if own_time else statistics(order, begin[-1][0], len(begin), end)))
    known = check(path, "--fail-on=trouble")
    assert known.returncode == 1 and known.stdout.startswith("TROUBLE: ")
    assert "not answered when the capture ended, for 120 s" in known.stdout
    assert check(path).returncode == 0

    path.write_bytes(start)
    unknown = check(path, "--fail-on=trouble")
    assert unknown.returncode == 0 and unknown.stdout.startswith("PASS, but 1 Call was not answered when the capture ended")
    assert "the file does not say how long the capture went on" in unknown.stdout

    path.write_bytes(start + statistics(order, end, len(begin) + 50))  # an excerpt: the rest was cut away
    assert check(path, "--fail-on=trouble").stdout.startswith("PASS, but")


@pytest.mark.parametrize("link, snap, strip", [(101, 262144, 14), (1, 65535, 0)])
def test_interfaces_differ(report, hang, tmp_path, link, snap, strip):
    """Packets of two interfaces, as mergecap writes them: raw IP beside Ethernet, or another snap length."""
    both = head("<") + interface("<") + interface("<", link, snap)
    for number, (time, octets) in enumerate(hang):
        both += packet("<", number % 2, time, octets[strip:] if number % 2 else octets)
    alike = head("<") + interface("<") + b"".join(packet("<", 0, *each) for each in hang)
    found = []
    for name, octets in (("both", both), ("alike", alike)):
        path = tmp_path / (name + ".pcapng")
        path.write_bytes(octets)
        status, parsed = report(path)
        found.append((status, parsed["captures"][0]["packets"], parsed["captures"][0]["connections"]))
    assert found[0] == found[1] and found[0][1] == len(hang)
    filtered = report("-r", tmp_path / "both.pcapng", "tcp")[1]["captures"][0]
    assert filtered["connections"] == found[0][2]


def piped(check, octets, piece, *arguments):
    """From a pipe that gives a few octets at a time."""
    with subprocess.Popen([sys.executable, "-c", PIECES, str(piece)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        threading.Thread(target=lambda: (writer.stdin.write(octets), writer.stdin.close())).start()
        return check(*arguments, "-", stdin=writer.stdout).stdout


@pytest.mark.parametrize("links, snaps, strips", [((1, 101), (262144, 262144), (0, 14)), ((101, 1), (65535, 0), (14, 0)),
                                                  ((1, 1), (80, 65535), (0, 0)), ((1, 1), (65535, 96), (0, 0)), ((1, 1), (262144, 262144), (0, 0))])
@pytest.mark.parametrize("order", "<>")
def test_interfaces_of_a_stream_differ(check, hang, tmp_path, order, links, snaps, strips):
    """Compressed, or from a pipe: as a plain file."""
    octets = head(order) + interface(order, links[0], snaps[0]) + interface(order, links[1], snaps[1])
    packets = [(number % 2, time, frame[strips[number % 2]:]) for number, (time, frame) in enumerate(hang[:60])]
    if snaps[0] < 100:  # the packets of the first interface are small ones
        packets = [(len(frame) > snaps[0], time, frame) for _, time, frame in packets]
    if 0 < snaps[1] < 100:
        packets = [(len(frame) <= snaps[1], time, frame) for _, time, frame in packets]
    assert len({number for number, _, _ in packets}) == 2
    octets += b"".join(packet(order, *each) for each in packets)
    native = head("<") + interface("<", links[0], 0) + interface("<", links[1], 0) + b"".join(packet("<", *each) for each in packets)
    (tmp_path / "plain.pcapng").write_bytes(native)
    whole = check(tmp_path / "plain.pcapng").stdout.splitlines()
    assert whole[0].startswith("PASS"), whole
    (tmp_path / "packed.pcapng.gz").write_bytes(gzip.compress(octets))
    for said in (check(tmp_path / "packed.pcapng.gz").stdout, *(piped(check, octets, piece) for piece in (1, 7, 100000))):
        assert [re.sub(r"^(-|/\S+): ", "", line) for line in said.splitlines()] == [re.sub(r"^/\S+: ", "", line) for line in whole]


def test_an_interface_of_a_stream_with_an_unknown_link_type(check, hang):
    octets = head("<") + interface("<") + interface("<", 190) + b"".join(packet("<", number % 2, *each) for number, each in enumerate(hang))
    assert "link type 190" in check("-", input=octets).stderr
