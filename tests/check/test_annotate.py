# SPDX-License-Identifier: GPL-2.0-or-later
"""--annotate: the capture again, findings as packet comments. Wireshark's programs and our own block reader check it."""
import os
import pathlib
import shutil
import stat
import struct
import subprocess

import pytest

from reports import read_report

SECTION, INTERFACE, OLD_PACKET, SIMPLE, RESOLUTION, STATISTICS, PACKET, SECRETS, CUSTOM = (
    0x0A0D0D0A, 1, 2, 3, 4, 5, 6, 10, 0x0BAD)
COMMENT = 1


# ---- blocks: a writer and a reader ----

def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12)


def blocks(data):
    """(type, order, whole block) of each block."""
    at, order, found = 0, "<", []
    while at < len(data):
        if data[at:at + 4] == b"\n\r\r\n":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack_from(order + "II", data, at)
        assert length % 4 == 0 and length >= 12 and at + length <= len(data)
        assert struct.unpack_from(order + "I", data, at + length - 4) == (length,)
        found.append((kind, order, data[at:at + length]))
        at += length
    return found


def options(order, data):
    found = []
    while data:
        code, n = struct.unpack_from(order + "HH", data)
        if code == 0:
            assert data == bytes(4)
            break
        found.append((code, data[4:4 + n]))
        data = data[4 + n + -n % 4:]
    return found


def packet_parts(order, whole):
    """Fixed fields, padded octets, and options of a packet block."""
    captured, = struct.unpack_from(order + "I", whole, 20)
    end = 28 + captured + -captured % 4
    return whole[8:28], whole[28:end], options(order, whole[end:-4])


# ---- captures made from packets with findings ----

@pytest.fixture(scope="session")
def packets(bad):
    """[(ns, octets)] from a capture with one finding."""
    found = []
    for kind, order, whole in blocks(bad.read_bytes()):
        if kind == PACKET:
            high, low, captured = struct.unpack_from(order + "III", whole, 12)
            found.append(((high << 32 | low), whole[28:28 + captured]))
    found = [(1_700_000_000_000_000_000 + number * 1_234_567, octets) for number, (_, octets) in enumerate(found)]
    assert len(found) > 5
    return found


def write_pcap(path, packets, order, nanoseconds, snap_length=262144):
    unit = 1 if nanoseconds else 1000
    data = struct.pack(order + "IHHIIII", 0xA1B23C4D if nanoseconds else 0xA1B2C3D4, 2, 4, 0, 0, snap_length, 1)
    for time, octets in packets:
        data += struct.pack(order + "IIII", time // 10**9, time % 10**9 // unit, len(octets), len(octets)) + octets
    path.write_bytes(data)
    return path


def write_pcapng(path, packets, order, simple=()):
    """A capture with everything it may hold besides packets: all of it has to survive."""
    data = block(order, SECTION, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)
                 + option(order, COMMENT, "kept since 1997".encode()) + option(order, 2, b"a machine") + bytes(4))
    data += block(order, INTERFACE, struct.pack(order + "HHI", 1, 0, 65535) + option(order, 2, b"eth0")
                  + option(order, COMMENT, b"the first port") + option(order, 9, b"\x09") + bytes(4))
    data += block(order, INTERFACE, struct.pack(order + "HHI", 1, 0, 65535) + option(order, 2, b"eth1")
                  + option(order, 9, b"\x94") + bytes(4))  # 2**-20 s
    data += block(order, RESOLUTION, struct.pack(order + "HH", 1, 4 + 9) + bytes([192, 0, 2, 1]) + b"peer.lan\0" + bytes(3)
                  + bytes(4))
    for number, (time, octets) in enumerate(packets):
        padded = octets + bytes(-len(octets) % 4)
        port = number % 2
        ticks = time if port == 0 else (time << 20) // 10**9
        if number in simple:
            data += block(order, SIMPLE, struct.pack(order + "I", len(octets)) + padded)
        elif number % 5 == 4:
            data += block(order, OLD_PACKET, struct.pack(order + "HHIIII", port, 7, ticks >> 32, ticks & 0xFFFFFFFF,
                                                         len(octets), len(octets)) + padded)
        else:
            more = option(order, 2, struct.pack(order + "I", 1)) + option(order, COMMENT, f"number {number}".encode())
            data += block(order, PACKET, struct.pack(order + "IIIII", port, ticks >> 32, ticks & 0xFFFFFFFF, len(octets),
                                                     len(octets)) + padded + more + (bytes(4) if number % 2 else b""))
        if number == 3:
            data += block(order, CUSTOM, struct.pack(order + "I", 32473) + b"ours alone")
            data += block(order, SECRETS, struct.pack(order + "II", 0x544C534B, 4) + b"KEY\n")
            data += block(order, 0x7FFFFFF0, b"nobody knows this type")
    data += block(order, STATISTICS, struct.pack(order + "III", 0, 0, 5) + option(order, COMMENT, b"no drops") + bytes(4))
    path.write_bytes(data)
    return path


@pytest.fixture(params=["<", ">"], ids=["little", "big"])
def order(request):
    return request.param


@pytest.fixture
def annotate(check, tmp_path):
    """annotate(capture, *arguments) -> (path of the copy, {frame: [rule, ...]} from the JSON report)"""
    def run(capture, *arguments):
        out = tmp_path / "annotated.pcapng"
        result = check("--format=ndjson", f"--annotate={out}", *arguments, capture)
        assert result.returncode in (0, 1, 3) and (result.stderr == "" or "was checked" in result.stderr)
        found = {}
        for connection in read_report(result.stdout)["captures"][0]["connections"]:
            for finding in connection["findings"]:
                found.setdefault(finding["frame"], []).append(finding["rule"])
        return out, found
    return run


def tool(*arguments):
    if shutil.which(arguments[0]) is None:
        pytest.skip(f"{arguments[0]} is not installed")
    result = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False,
                            env=os.environ | {"TZ": "UTC", "LC_ALL": "C.UTF-8"})
    assert result.returncode == 0, result.stderr
    return result.stdout


def shape(capture, interfaces=False):
    """Fields that identify each packet of a capture; a pcap file has no interfaces."""
    port = ["-e", "frame.interface_name"] if interfaces else []
    return tool("tshark", "-n", "-r", capture, "-T", "fields", "-e", "frame.number", "-e", "frame.time_epoch", "-e", "frame.len",
                "-e", "frame.cap_len", "-e", "frame.md5_hash", *port, "-o", "frame.generate_md5_hash:TRUE")


def comments(capture):
    rows = tool("tshark", "-n", "-r", capture, "-Y", "frame.comment", "-T", "fields", "-E", "aggregator=\x1f", "-e", "frame.number",
                "-e", "frame.comment")
    rows = rows.replace("\\\\", "\\")  # Wireshark 4.4 doubles it, 4.0 does not
    return {int(number): text.split("\x1f") for number, text in (row.split("\t") for row in rows.splitlines())}


# ---- the tests ----

def test_pcap_becomes_pcapng(annotate, packets, order, tmp_path):
    for nanoseconds in (False, True):
        capture = write_pcap(tmp_path / "in.pcap", packets, order, nanoseconds)
        out, found = annotate(capture)
        assert found and shape(out) == shape(capture)
        assert {frame: [text.split()[0] for text in texts] for frame, texts in comments(out).items()} == found
        assert ("nanoseconds" if nanoseconds else "microseconds") in tool("capinfos", "-I", out)
        back = tmp_path / "back.pcap"
        tool("editcap", "-F", "nsecpcap" if nanoseconds else "pcap", out, back)
        assert packets_of_pcap(back) == packets_of_pcap(capture)


@pytest.mark.parametrize("version", [(2, 2), (543, 0), (2, 3)])
def test_pcap_of_old(annotate, packets, order, tmp_path, version):
    """Up to version 2.3, and in 543.0, the two lengths of a packet may be swapped."""
    fields = [0xA1B2C3D4, *version, 0, 0, 65535, 1]
    data = struct.pack(order + "IHHIIII", *fields)
    for time, octets in packets:
        data += struct.pack(order + "IIII", time // 10**9, time % 10**9 // 1000, len(octets) + 6, len(octets)) + octets
    capture = tmp_path / "old.pcap"
    capture.write_bytes(data)
    out, found = annotate(capture)
    assert found and shape(out) == shape(capture)
    assert {frame: [text.split()[0] for text in texts] for frame, texts in comments(out).items()} == found


def test_length_of_the_fcs(annotate, packets, order, tmp_path):
    """pcap keeps it in the upper bits of the link type, in words of 16 bits; pcapng has an option, in octets."""
    with_fcs = [(time, octets + bytes(4)) for time, octets in packets]
    capture = write_pcap(tmp_path / "in.pcap", with_fcs, order, False)
    data = bytearray(capture.read_bytes())
    struct.pack_into(order + "I", data, 20, 2 << 28 | 1 << 26 | 1)
    capture.write_bytes(data)
    out, found = annotate(capture)
    assert found
    interface, = [(own, whole) for kind, own, whole in blocks(out.read_bytes()) if kind == INTERFACE]
    assert struct.unpack_from(interface[0] + "H", interface[1], 8) == (1,)
    assert (13, b"\x04") in options(interface[0], interface[1][16:-4])
    assert shape(out) == shape(capture)


def packets_of_pcap(path):
    data, found, at = path.read_bytes(), [], 24
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    while at < len(data):
        head = struct.unpack_from(order + "IIII", data, at)
        found.append((head, data[at + 16:at + 16 + head[2]]))
        at += 16 + head[2]
    return found


def test_every_block_survives(annotate, packets, order, tmp_path):
    capture = write_pcapng(tmp_path / "in.pcapng", packets, order)
    out, found = annotate(capture)
    before, after = blocks(capture.read_bytes()), blocks(out.read_bytes())
    assert found and [kind for kind, _, _ in before] == [kind for kind, _, _ in after]
    frame = 0
    for (kind, _, old), (_, new_order, new) in zip(before, after):
        assert new_order == order
        frame += kind in (PACKET, OLD_PACKET)
        if kind == SECTION:
            assert old[8:24] == new[8:24]
            added = options(order, new[24:-4])
            assert added[:-1] == options(order, old[24:-4]) and added[-1][0] == COMMENT
            assert added[-1][1].startswith(b"iwarp-check ") and b"FAIL: 1 error in 1 connection" in added[-1][1]
        elif kind in (PACKET, OLD_PACKET) and frame in found:
            (fixed, octets, kept), (new_fixed, new_octets, added) = packet_parts(order, old), packet_parts(order, new)
            assert (fixed, octets, kept) == (new_fixed, new_octets, added[:len(kept)])
            assert [text.split()[0].decode() for code, text in added[len(kept):] if code == COMMENT] == found[frame]
        else:
            assert old == new
    assert shape(out, True) == shape(capture, True)
    names = tool("capinfos", out)
    assert "kept since 1997" in names and "eth0" in names and "eth1" in names and "the first port" in names


def test_simple_packets(annotate, packets, order, tmp_path):
    capture = write_pcapng(tmp_path / "in.pcapng", packets, order, simple=range(len(packets)))
    out, found = annotate(capture)
    before, after = blocks(capture.read_bytes()), blocks(out.read_bytes())
    frame = 0
    for (kind, _, old), (new_kind, _, new) in zip(before, after):
        frame += kind == SIMPLE
        if kind == SIMPLE and frame in found:
            fixed, octets, added = packet_parts(order, new)
            assert new_kind == PACKET and octets == old[12:-4] and fixed[:12] == bytes(12)
            assert [text.split()[0].decode() for _, text in added] == found[frame]
        elif kind != SECTION:
            assert old == new
    # Wireshark numbers custom blocks as well, so its frame number differs.
    assert found and [[text.split()[0] for text in texts] for texts in comments(out).values()] == list(found.values())


def test_two_sections_of_different_byte_order(check, packets, tmp_path):
    """libpcap stops at the second section; findings in the first are reported, and the second is kept."""
    first = write_pcapng(tmp_path / "a.pcapng", packets, "<").read_bytes()
    second = write_pcapng(tmp_path / "b.pcapng", packets[:2], ">").read_bytes()
    capture, out = tmp_path / "both.pcapng", tmp_path / "annotated.pcapng"
    capture.write_bytes(first + second)
    result = check(f"--annotate={out}", capture)
    assert result.returncode == 2 and "corrupt after packet" in result.stderr
    before, after = blocks(first + second), blocks(out.read_bytes())
    assert [(kind, order) for kind, order, _ in before] == [(kind, order) for kind, order, _ in after]
    assert [whole for _, _, whole in after][len(blocks(first)):] == [whole for _, _, whole in blocks(second)]
    assert any(b"MPA-4.1-05 error" in whole for _, _, whole in after)


def test_several_findings_at_a_frame(annotate, root):
    out, found = annotate(root / "captures" / "real" / "basic" / "ucmatose.pcap")
    assert any(len(rules) > 1 for rules in found.values())
    told = comments(out)
    assert {frame: [text.split()[0] for text in texts] for frame, texts in told.items()} == found
    assert all("RFC " in text and "connection " in text for texts in told.values() for text in texts)
    filtered = tool("tshark", "-n", "-r", out, "-Y", 'frame.comment contains "MPA-"', "-T", "fields", "-e", "frame.number")
    assert [int(line) for line in filtered.split()] == sorted(frame for frame, rules in found.items()
                                                              if any(rule.startswith("MPA-") for rule in rules))


def test_real_captures(annotate, root):
    """A comment for each finding. Lines of what happened are comments of their frames, too."""
    happened = 0
    for capture in sorted((root / "captures" / "real").rglob("*.pcap"))[::6]:
        out, found = annotate(capture)
        assert shape(out) == shape(capture), capture
        told = {frame: [text for text in texts if not text.startswith("what happened: ")] for frame, texts in comments(out).items()}
        happened += sum(len(texts) for texts in comments(out).values()) - sum(len(texts) for texts in told.values())
        assert {frame: len(texts) for frame, texts in told.items() if texts} == {f: len(r) for f, r in found.items()}
    assert happened > 0


def test_waived_findings_say_so(annotate, bad, fault):
    out, _ = annotate(bad, f"--waive={fault}:old firmware\x1b")
    text, = (text for texts in comments(out).values() for text in texts)
    assert text.startswith(f"{fault} waived error: ") and text.endswith("[waived: old firmware\\x1b]")


def test_annotating_the_copy_adds_to_it(check, annotate, bad, tmp_path):
    out, found = annotate(bad)
    again = tmp_path / "again.pcapng"
    assert check(f"--annotate={again}", out).returncode == 1
    assert {frame: len(texts) for frame, texts in comments(again).items()} == {f: 2 * len(r) for f, r in found.items()}


def test_records_longer_than_promised(annotate, packets, tmp_path):
    """libpcap cuts them; no octets may be lost, and the copy must be readable."""
    capture = write_pcap(tmp_path / "in.pcap", packets, "<", True, snap_length=60)
    out, _ = annotate(capture)
    kinds = blocks(out.read_bytes())
    assert [packet_parts("<", whole)[1][:len(octets)] for (_, octets), (kind, _, whole) in
            zip(packets, (b for b in kinds if b[0] == PACKET))] == [octets for _, octets in packets]
    assert f"{len(packets)}" in tool("capinfos", "-c", out)


def test_truncated_capture(check, packets, tmp_path):
    for capture in (write_pcap(tmp_path / "in.pcap", packets, "<", False), write_pcapng(tmp_path / "in.pcapng", packets, ">")):
        whole = capture.read_bytes()
        capture.write_bytes(whole[:-70])
        out = tmp_path / "annotated.pcapng"
        check(f"--annotate={out}", capture)
        kept = [b for b in blocks(out.read_bytes()) if b[0] in (PACKET, OLD_PACKET)]
        assert 0 < len(kept) <= len(packets)
        assert [packet_parts(o, w)[1][:len(octets)] for (_, o, w), (_, octets) in zip(kept, packets)] == [
            octets for _, octets in packets[:len(kept)]]


def test_nothing_to_check(annotate, no_mpa):
    out, found = annotate(no_mpa)
    assert not found and "NOTHING TO CHECK" in tool("capinfos", "-k", out)


def test_usage(check, bad, good, tmp_path):
    out = tmp_path / "out.pcapng"
    for arguments, hint in (([bad, good], "one capture"), (["-"], "one capture"), (["-i", "lo"], "one capture")):
        result = check(f"--annotate={out}", *arguments)
        assert result.returncode == 2 and hint in result.stderr and not out.exists()
    assert "standard output" in check("--annotate=-", bad).stderr


def test_what_must_not_be_replaced(check, bad, tmp_path):
    copy = tmp_path / "copy.pcapng"
    shutil.copy(bad, copy)
    link = tmp_path / "link.pcapng"
    link.symlink_to(copy)
    for out in (copy, link):
        result = check(f"--annotate={out}", copy)
        assert result.returncode == 2 and "is one of the captures to check" in result.stderr
    assert copy.read_bytes() == bad.read_bytes()
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for out in (fifo, tmp_path, pathlib.Path("/dev/null")):
        result = check(f"--annotate={out}", bad)
        assert result.returncode == 2 and "not a regular file" in result.stderr
    assert stat.S_ISFIFO(fifo.stat().st_mode) and not pathlib.Path("/dev/null").is_file()


def test_the_file_is_replaced_wholly_or_not_at_all(check, bad, tmp_path):
    target, link = tmp_path / "target.pcapng", tmp_path / "link.pcapng"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert check(f"--annotate={link}", bad).returncode == 1
    assert link.is_symlink() and len(blocks(target.read_bytes())) > 2 and stat.S_IMODE(target.stat().st_mode) == 0o640
    broken = tmp_path / "broken.pcapng"
    data = bad.read_bytes()
    broken.write_bytes(data + b"\x06\0\0\0\x0d\0\0\0" + bytes(8))  # a invalid length of 13 octets
    before = target.read_bytes()
    result = check(f"--annotate={target}", broken)
    assert result.returncode == 2 and "invalid length of 13 octets" in result.stderr and target.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken.pcapng", "link.pcapng", "target.pcapng"]
    assert "No such file" in check(f"--annotate={tmp_path}/no/such/out.pcapng", bad).stderr


def test_a_fixed_amount_of_memory(build, packets, tmp_path):
    """A capture of 60 MB is copied in less memory than its size."""
    capture, out = tmp_path / "big.pcap", tmp_path / "out.pcapng"
    filler = bytes(12) + b"\x88\xb5" + bytes(1400)
    with open(write_pcap(capture, packets, "<", False), "ab") as f:
        record = struct.pack("<IIII", 1_700_000_001, 0, len(filler), len(filler)) + filler
        for _ in range(100):
            f.write(record * 430)
    result = subprocess.run(["time", "-q", "-f", "%M", build / "conformance" / "iwarp-check", f"--annotate={out}", capture],
                            capture_output=True, text=True, check=False)
    if "AddressSanitizer" in subprocess.run(["ldd", build / "conformance" / "iwarp-check"], capture_output=True, text=True,
                                            check=True).stdout:
        pytest.skip("memory is the sanitizer's")
    assert result.returncode == 1 and out.stat().st_size > capture.stat().st_size
    assert int(result.stderr.split()[-1]) < 40_000
