# SPDX-License-Identifier: GPL-2.0-or-later
"""A small RoCE v2 capture: InfiniBand's connection management, then NFS by RPC-over-RDMA."""
import struct
import zlib

CLIENT, SERVER = b"\xc0\x00\x02\x01", b"\xc0\x00\x02\x02"
QP = {CLIENT: 0x11, SERVER: 0x22}
CONNECT_REQUEST, CONNECT_REPLY, READY_TO_USE = 0x10, 0x13, 0x14
SEND_ONLY, WRITE_ONLY, UD_SEND_ONLY = 0x04, 0x0A, 0x64
SERVICE_NFS = 0x01064E51  # RDMA port space TCP, port 20049
PORT = 4791


def icrc(ip, udp, payload):
    """For IPv4 without options; payload: from the BTH to the ICRC."""
    masked = ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:] + udp[:6] + b"\xff\xff"
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked + payload[:4] + b"\xff" + payload[5:]))


def with_icrc(frame):
    """The Ethernet frame with the right ICRC for its octets."""
    return frame[:-4] + icrc(frame[14:34], frame[34:42], frame[42:-4])


def datagram(source, target, payload):
    """payload: from the BTH on; the ICRC follows it."""
    udp = struct.pack(">HHHH", 0xC000, PORT, 12 + len(payload), 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 32 + len(payload), 0, 0x4000, 64, 17, 0, source, target)
    return b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0" + ip + udp + payload + icrc(ip, udp, payload)


def base(opcode, qp, number, pad=0):
    return struct.pack(">BBHII", opcode, pad << 4, 0xFFFF, qp, number)


def management(source, target, attribute, body):
    header = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x1122334455667788, attribute, 0, 0)
    extended = struct.pack(">II", 0x80010000, 1)
    return datagram(source, target, base(UD_SEND_ONLY, 1, 0) + extended + header + body.ljust(232, b"\0"))


def connected(source, target, opcode, number, payload, extended=b"", qp=None):
    pad = -len(payload) % 4
    return datagram(source, target, base(opcode, qp or QP[target], number, pad) + extended + payload + bytes(pad))


def gid(address):
    return bytes(10) + b"\xff\xff" + address


def setup():
    request = struct.pack(">IIQQII", 0xA1, 0, SERVICE_NFS, 1, 0, 0)
    request += struct.pack(">IIII", QP[CLIENT] << 8 | 4, 4, 0, 0x200 << 8) + struct.pack(">HBBHH", 0xFFFF, 0x37, 0, 0, 0)
    request += gid(CLIENT) + gid(SERVER) + struct.pack(">IBBBB", 0, 0, 64, 0, 0)
    reply = struct.pack(">IIIIII", 0xB1, 0xA1, 0, QP[SERVER] << 8, 0, 0x100 << 8) + b"\4\4\0\0" + struct.pack(">Q", 2)
    return [management(CLIENT, SERVER, CONNECT_REQUEST, request), management(SERVER, CLIENT, CONNECT_REPLY, reply),
            management(CLIENT, SERVER, READY_TO_USE, struct.pack(">II", 0xA1, 0xB1))]


def words(*values):
    return struct.pack(f">{len(values)}I", *values)


def call(xid, procedure):
    return words(xid, 0, 2, 100003, 3, procedure, 0, 0, 0, 0)


def reply(xid):
    return words(xid, 1, 0, 0, 0, 0)


def conversation():
    empty = words(0, 0, 0)
    chunk = words(0, 1, 1, 0x77, 16) + struct.pack(">Q", 0x1000) + words(0, 0)
    read = call(0x1235, 6) + words(8) + b"filehand" + struct.pack(">QI", 0, 16)
    return [connected(CLIENT, SERVER, SEND_ONLY, 0x100, words(0x1234, 1, 32, 0) + empty + call(0x1234, 0)),
            connected(SERVER, CLIENT, SEND_ONLY, 0x200, words(0x1234, 1, 32, 0) + empty + reply(0x1234)),
            connected(CLIENT, SERVER, SEND_ONLY, 0x101, words(0x1235, 1, 32, 0) + chunk + read),
            connected(SERVER, CLIENT, WRITE_ONLY, 0x201, b"0123456789abcdef", struct.pack(">QII", 0x1000, 0x77, 16)),
            connected(SERVER, CLIENT, SEND_ONLY, 0x202,
                      words(0x1235, 1, 32, 0) + chunk + reply(0x1235) + words(0, 0, 16, 1, 16))]


# ---- other links ----

def crc(masked, payload):
    return struct.pack("<I", zlib.crc32(masked + payload[:4] + b"\xff" + payload[5:]))


def as_roce1(frame):
    payload = frame[42:-4]
    addresses = gid(frame[26:30]) + gid(frame[30:34])
    rest = struct.pack(">HB", len(payload) + 4, 0x1B)
    header = b"\x60\0\0\0" + rest + b"\x40" + addresses
    return frame[:12] + b"\x89\x15" + header + payload + crc(b"\xff" * 8 + b"\x6f\xff\xff\xff" + rest + b"\xff" + addresses, payload)


def as_infiniband(frame):
    """Puts the packet into an ERF record, because Wireshark has no other form."""
    payload = frame[42:-4]
    header = bytes([0, 2]) + b"\0" + frame[33:34] + struct.pack(">H", (12 + len(payload)) // 4) + b"\0" + frame[29:30]
    packet = header + payload + crc(b"\xf0" + header[1:], payload) + b"\0\0"
    return struct.pack(">QBBHHH", 0, 21, 0, 16 + len(packet), 0, len(packet)) + packet


def as_cooked(frame):
    return struct.pack(">HHH8sH", 0, 1, 6, frame[6:12], 0x0800) + frame[14:]


LINKS = {"Ethernet": (1, bytes), "RoCE v1": (1, as_roce1), "InfiniBand": (197, as_infiniband), "cooked": (113, as_cooked),
         "raw IP": (101, lambda frame: frame[14:])}


def write(path, before=(), link="Ethernet"):
    number, change = LINKS[link]
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, number))
        for second, frame in enumerate(map(change, [*before, *setup(), *conversation()])):
            out.write(struct.pack("<IIII", second, 0, len(frame), len(frame)) + frame)
