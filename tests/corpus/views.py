# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad views of captures: packets are missing, repeated, cut, or in another order."""
import random
import struct

TCP, UDP, BTH, DETH, UD_SEND_ONLY = 6, 17, 12, 8, 0x64
FIN, RST = 0x01, 0x04
DREQ, DREP = 0x15, 0x16
LATEST_NS = 3_000_000  # largest distance of a capture's directions


def packets(path):
    """(time in ns, octets, length on the wire) of each packet in a pcapng from iwarp-gen."""
    octets, at, out = path.read_bytes(), 0, []
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        if kind == 6:
            high, low, captured, original = struct.unpack_from("<IIII", octets, at + 12)
            out.append((high << 32 | low, octets[at + 28:at + 28 + captured], original))
        at += length
    return out


def write(path, seen):
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, octets, original in seen:
            file.write(struct.pack("<IIII", *divmod(time, 10**9), len(octets), original) + octets)


def direction(packet):
    return packet[1][:6] < packet[1][6:12]


def syn(packet):
    """For IPv4 without options, as in most captures of the generator."""
    octets = packet[1]
    return len(octets) > 47 and octets[12:15] == b"\x08\x00\x45" and octets[23] == 6 and octets[47] & 0x12 == 0x02


def in_order_of_time(seen):
    return [(time, *rest) for time, (_, *rest) in zip(sorted(packet[0] for packet in seen), seen)]


def connections(whole):
    """Divided where a SYN may begin another connection at the same addresses."""
    parts = [[]]
    for packet in whole:
        if syn(packet) and parts[-1]:
            parts.append([])
        parts[-1].append(packet)
    return parts


def lossy(rate, one_way=False):
    def view(whole, rng):
        way = rng.random() < 0.5
        return [p for p in whole if (one_way and direction(p) != way) or rng.random() >= rate]
    return view


def gap(whole, rng):
    first = rng.randrange(len(whole))
    return whole[:first] + whole[first + rng.randint(1, max(1, len(whole) // 4)):]


def late(whole, rng):
    return whole[rng.randint(1, len(whole) - 1):]


def cut_off(whole, rng):
    return whole[:rng.randint(1, len(whole) - 1)]


def one_direction(whole, rng):
    way = rng.random() < 0.5
    return [p for p in whole if direction(p) == way]


def cut_short(whole, rng):
    return [(time, octets[:max(60, len(octets) - rng.randint(1, 40))] if rng.random() < 0.1 else octets, original)
            for time, octets, original in whole]


def repeated(whole, rng):
    return [p for packet in whole for p in [packet] * (1 + (rng.random() < 0.2))]


def swapped(whole, rng):
    seen, at = list(whole), 0
    while at + 1 < len(seen):
        if rng.random() < 0.2 and seen[at + 1][0] - seen[at][0] < LATEST_NS:
            seen[at], seen[at + 1] = seen[at + 1], seen[at]
            at += 1
        at += 1
    return in_order_of_time(seen)


def shifted(whole, rng):
    """One direction comes some places late, in its own order."""
    way, most, seen = rng.random() < 0.5, rng.randint(1, 8), []
    for part in connections(whole):
        waiting = []
        for packet in part:
            while waiting and packet[0] - waiting[0][0][0] > LATEST_NS:
                seen.append(waiting.pop(0)[0])
            if direction(packet) == way:
                waiting.append([packet, rng.randint(0, most)])
            else:
                seen.append(packet)
            for entry in waiting:
                entry[1] -= 1
            while waiting and waiting[0][1] < 0:
                seen.append(waiting.pop(0)[0])
        seen += [packet for packet, _ in waiting]
    return in_order_of_time(seen)


def apart(whole, rng):
    """One direction comes late by a constant time, but not after the next connection's SYN."""
    way, lag = rng.random() < 0.5, rng.randint(1, LATEST_NS)
    return in_order_of_time([
        packet for part in connections(whole)
        for packet in sorted(((time + (direction((time, octets)) == way) * lag, octets, original) for time, octets, original in part),
                             key=lambda packet: packet[0])])


def both(first, then):
    def view(whole, rng):
        seen = first(whole, rng)
        return then(seen, rng) if len(seen) > 1 else seen
    return view


def transport(octets):
    """(where the transport header begins, its protocol), through VLAN tags and IPv4 or IPv6 without extensions."""
    at = 12
    while octets[at:at + 2] == b"\x81\x00":
        at += 4
    if octets[at:at + 2] == b"\x86\xdd":
        return at + 42, octets[at + 8]
    return at + 2 + (octets[at + 2] & 15) * 4, octets[at + 11]


def closes(flag, attribute):
    """Whether a packet is the TCP segment with this flag, or the message of InfiniBand's connection management."""
    def is_one(packet):
        octets = packet[1]
        at, protocol = transport(octets)
        if protocol == TCP:
            return flag is not None and len(octets) > at + 13 and bool(octets[at + 13] & flag)  # otherwise a fragment
        mad = at + 8 + BTH + DETH
        return (attribute is not None and protocol == UDP and octets[at + 8] == UD_SEND_ONLY
                and octets[mad + 16:mad + 18] == attribute.to_bytes(2, "big"))
    return is_one


CLOSES = {"FIN": closes(FIN, None), "RST": closes(RST, None), "DREQ": closes(None, DREQ), "DREP": closes(None, DREP)}


def without(kind):
    """One packet of the close is lost, or all of them."""
    def view(whole, rng):
        there = [i for i, packet in enumerate(whole) if CLOSES[kind](packet)]
        lost = set(there) if rng.random() < 0.25 else set(rng.sample(there, min(1, len(there))))
        return [packet for i, packet in enumerate(whole) if i not in lost] if lost else []
    return view


def swapped_close(kind):
    """A close is swapped with a frame before or after it."""
    def view(whole, rng):
        pairs = [(i, i + 1) for i in range(len(whole) - 1)
                 if (CLOSES[kind](whole[i]) or CLOSES[kind](whole[i + 1])) and not syn(whole[i]) and not syn(whole[i + 1])
                 and whole[i + 1][0] - whole[i][0] < LATEST_NS]
        if not pairs:
            return []
        one, two = rng.choice(pairs)
        seen = list(whole)
        seen[one], seen[two] = seen[two], seen[one]
        return in_order_of_time(seen)
    return view


CLOSE_VIEWS = {**{f"{kind} lost": without(kind) for kind in CLOSES},
               **{f"{kind} swapped": swapped_close(kind) for kind in CLOSES}}
VIEWS = {
    "loss 1 %": lossy(0.01), "loss 5 %": lossy(0.05), "loss 30 %": lossy(0.3), "loss of one direction": lossy(0.2, True),
    "gap": gap, "late": late, "cut off": cut_off, "one direction": one_direction, "cut short": cut_short,
    "repeated": repeated, "swapped": swapped, "shifted": shifted, "shifted, loss": both(shifted, lossy(0.05)),
    "apart, loss": both(apart, lossy(0.05)), "late, loss": both(late, lossy(0.1)), "late, loss of one direction": both(late, lossy(0.4, True)),
    **CLOSE_VIEWS,
}


def seen_badly(whole, view, seed):
    return VIEWS[view](whole, random.Random(f"{view} {seed}"))
