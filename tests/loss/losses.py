# SPDX-License-Identifier: GPL-2.0-or-later
"""Incomplete captures: packets are removed from a whole capture, or its later packets are delayed."""
import collections
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from captures import ETHERNET, ip_header, records  # noqa: E402

TCP, UDP = 6, 17
START_UP = (b"MPA ID Req Frame", b"MPA ID Rep Frame")
MANAGEMENT = 1  # the queue pair of connection management
CALL_SENDS = (*range(0, 6), 0x16, 0x17)  # opcodes of RC that are packets of a Send
WRITE_MIDDLE, ACKNOWLEDGE = 7, 17
DDP_TAGGED = 0x80
RDMAP_SENDS = (3, 4, 5, 6)

Packet = collections.namedtuple("Packet", "carrier client payload opcode queue")
NOTHING = Packet(None, None, b"", None, None)


def packet(octets, client):
    """The contents of a frame; `client` has the address of the opener."""
    kind, ip = ip_header(octets)
    if ip is None:
        return NOTHING
    v4 = kind == 0x0800
    above = ip + (octets[ip] & 15) * 4 if v4 else ip + 40
    end = ip + int.from_bytes(octets[ip + 2:ip + 4], "big") if v4 else above + int.from_bytes(octets[ip + 4:ip + 6], "big")
    protocol = octets[ip + (9 if v4 else 6)]
    source = bytes(octets[ip + 12:ip + 16] if v4 else octets[ip + 8:ip + 24])
    if protocol == TCP:
        return Packet(TCP, source == client, bytes(octets[above + (octets[above + 12] >> 4) * 4:end]), None, None)
    if protocol == UDP:
        bth = octets[above + 8:above + 20]
        return Packet(UDP, source == client, bytes(octets[above + 20:end]), bth[0], int.from_bytes(bth[5:8], "big"))
    return NOTHING


def first_source(octets):
    kind, ip = ip_header(octets)
    return None if ip is None else bytes(octets[ip + 12:ip + 16] if kind == 0x0800 else octets[ip + 8:ip + 24])


class Capture:
    """records: (time in ns, length, octets) each; places count from 0, frame numbers from 1."""

    def __init__(self, records):
        self.records = records
        client = first_source(records[0][2]) if records else None
        self.packets = [packet(octets, client) for _, _, octets in records]

    def startup(self):
        """The places of the start-up of the first connection."""
        last = -1
        for place, one in enumerate(self.packets):
            if one.carrier == TCP and one.payload:
                if not one.payload.startswith(START_UP):
                    break
                last = place
            elif one.carrier == UDP:
                if one.queue != MANAGEMENT:
                    break
                last = place
        return range(last + 1)

    def said(self, client):
        """The places of a side's messages after the start-up."""
        begun = len(self.startup())
        for place in range(begun, len(self.packets)):
            one = self.packets[place]
            if one.client == client and (one.payload if one.carrier == TCP else one.queue != MANAGEMENT):
                yield place

    def write_middle(self, client):
        """The second segment of the first RDMA Write, if this side begins with one; else None."""
        places = list(self.said(client))
        if places and self.packets[places[0]].carrier == UDP:
            return next((place for place in places if self.packets[place].opcode == WRITE_MIDDLE), None)
        # An empty Write may come before it.
        long = [place for place in places if len(self.packets[place].payload) > 150]
        return long[1] if len(long) > 1 else None

    def first_send(self, client):
        """The client's first message: a Call in one packet."""
        return next((place for place in self.said(client) if self.packets[place].opcode in (None, *CALL_SENDS)), None)

    def send(self, client, number, begun=0):
        """The place of a side's Send, counted from `begun` on: messages in one packet, without RDMA Writes and Acknowledges."""
        places = [place for place in self.said(client) if place >= begun and self.is_send(place)]
        return places[number] if number < len(places) else None

    def is_send(self, place):
        one = self.packets[place]
        if one.carrier == UDP:
            return one.opcode in CALL_SENDS
        return len(one.payload) > 20 and not one.payload[2] & DDP_TAGGED and one.payload[3] & 15 in RDMAP_SENDS

    def response_middle(self):
        """The second segment of the client's first Read Response."""
        places = [place for place in self.said(True) if not self.is_send(place) and len(self.packets[place].payload) > 150]
        return places[1] if len(places) > 1 else None

    def acknowledge(self):
        """The client's first Acknowledge after its first message, or on TCP its second message."""
        places = list(self.said(True))
        udp = places and self.packets[places[0]].carrier == UDP
        found = [place for place in places if self.packets[place].opcode == ACKNOWLEDGE] if udp else places[1:]
        return found[0] if found else None

    def said_last(self):
        """The number of packets up to the last message, without the end of the connection."""
        last = [place for client in (True, False) for place in self.said(client) if self.packets[place].opcode != ACKNOWLEDGE]
        return max(last) + 1 if last else None


def load(path):
    return Capture(records(pathlib.Path(path)) or [])


def without(records, places):
    gone = set(places)
    return [record for place, record in enumerate(records) if place not in gone]


def paused(records, places, nanoseconds):
    """Everything after each of these places comes later."""
    out, later, stops = [], 0, set(places)
    for place, (time, length, octets) in enumerate(records):
        later += nanoseconds if place in stops else 0
        out.append((time + later, length, octets))
    return out


def save(path, records):
    pathlib.Path(path).write_bytes(b"".join([
        struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, ETHERNET),
        *(struct.pack("<IIII", *divmod(time, 10**9), len(octets), length) + octets for time, length, octets in records)]))
