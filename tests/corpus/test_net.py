# SPDX-License-Identifier: GPL-2.0-or-later
"""The simulated network in captures: windows, delay, jitter, offload, several clients."""
import collections
import struct

import pytest

SCALE = 7
Packet = collections.namedtuple("Packet", "time source target flags sequence ack window length")


def packets(path):
    data, at = path.read_bytes(), 24
    while at + 16 <= len(data):
        seconds, fraction, captured = struct.unpack_from("<III", data, at)
        packet, at = data[at + 16:at + 16 + captured], at + 16 + captured
        tcp = 14 + (packet[14] & 15) * 4
        ports = struct.unpack_from(">HH", packet, tcp)
        sequence, ack, offset, flags, window = struct.unpack_from(">IIBBH", packet, tcp + 4)
        total, = struct.unpack_from(">H", packet, 16)
        yield Packet(seconds + fraction / 1e9, (packet[26:30], ports[0]), (packet[30:34], ports[1]), flags, sequence, ack,
                     window << (0 if flags & 2 else SCALE), 14 + total - tcp - (offset >> 4) * 4)


@pytest.fixture
def play(gen, tmp_path):
    def run(*arguments):
        path = tmp_path / "x.pcap"
        made = gen("play", *arguments, "--pcap", "-o", path)
        assert made.returncode == 0, made.stderr
        return list(packets(path))
    return run


@pytest.mark.parametrize("window", [256, 300, 1460, 2048, 5000, 65535, 200000])
@pytest.mark.parametrize("trouble", ["", ",loss=0.05,reorder=0.1,dup=0.05", ",resegment=0.2,delay=3,jitter=2", ",tso=20000"])
def test_nobody_sends_beyond_the_window(play, window, trouble):
    edges, offered, closed, data = {}, {}, 0, 0
    for p in play("stack", f"--net=window={window}{trouble}"):
        assert p.window <= window
        if p.flags & 0x02:  # the scale in the other side's SYN applies from this one on
            offered[p.source, p.target] = p.window
            edges[p.source, p.target] = p.sequence + 1 + offered.get((p.target, p.source), 0)
        if p.flags & 0x10 and not p.flags & 0x04:
            key = (p.target, p.source)
            edges[key] = max(edges.get(key, 0), p.ack + p.window)
            closed += p.window == 0
        if p.length > 0:
            assert p.sequence + p.length <= edges[p.source, p.target], p
            data += 1
    assert data > 100
    assert closed > 0 or window > 2048  # 150,000 octets: the applications cannot keep up


def test_delay(play):
    """The opener's SYN and its ACK are a round trip apart at the tap in the middle."""
    for delay in (0, 1, 40):
        times = [p.time for p in play("rev1", f"--net=delay={delay}")]
        assert delay / 1000 * 2 <= times[2] - times[0] < delay / 1000 * 2 + 0.001


def test_jitter_keeps_the_order(play):
    quiet, shaken = play("stack"), play("stack", "--net=jitter=20")
    for source in {p.source for p in quiet}:
        ends = [p.sequence + p.length for p in shaken if p.source == source and p.length]
        assert ends == sorted(ends)
        assert len({p.sequence for p in quiet if p.source == source}) == len({p.sequence for p in shaken if p.source == source})
    assert shaken[-1].time - shaken[0].time > quiet[-1].time - quiet[0].time


def test_offload(play):
    assert max(p.length for p in play("stack")) <= 1460
    longest = max(p.length for p in play("stack", "--net=tso=20000"))
    assert 1460 < longest <= 20000


def test_clients_at_the_same_time(play):
    """Each client says the same, and they overlap."""
    alone, many = play("stack"), play("stack", "--connections=5")
    hosts = {p.source[0] for p in many}
    assert len(hosts) == 6 and len(many) == 5 * len(alone)
    began = {h: next(p.time for p in many if p.source[0] == h) for h in hosts}
    assert max(began.values()) < many[-1].time - (alone[-1].time - alone[0].time) / 2


@pytest.mark.parametrize("value, message", [
    ("window=3", "'window=3' is not octets from 256 to"), ("delay=-1", "'delay=-1' is not milliseconds from 0 to 1000"),
    ("tso=9", "is not octets from 1000 to 65000"), ("loss=0.6", "is not a probability from 0 to 0.5"),
    ("wind=5", "'wind=5' is none of loss=, reorder="), ("loss", "is none of"), ("loss=nan", "is not a probability"),
])
def test_mistakes(gen, tmp_path, value, message):
    run = gen("play", "rev1", "-o", tmp_path / "x", "--net=" + value)
    assert run.returncode == 2 and message in run.stderr and run.stderr.count("\n") == 1
