# SPDX-License-Identifier: GPL-2.0-or-later
"""Regular files are read directly, pipes by libpcap: with the same findings and errors."""
import json
import random
import re
import struct
import subprocess

import pytest

from reports import read_report

MUTATIONS = 60


def unnamed(text, path):
    return re.sub(r"(^|: )-:", r"\1NAME:", text.replace(str(path), "NAME").replace("standard input", "NAME"))


def both(build, path):
    """iwarp-check's output for a file and for the same octets from a pipe, without the names."""
    said = []
    for arguments, octets in (((path,), None), (("-",), path.read_bytes())):
        run = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", *arguments], input=octets,
                             stdin=subprocess.DEVNULL if octets is None else None, capture_output=True, check=False)
        error = unnamed(run.stderr.decode(errors="replace"), path)
        report = read_report(run.stdout)
        for capture in report["captures"]:
            capture["file"] = "NAME"
            for key in ("error", "warning"):
                if key in capture:
                    capture[key] = unnamed(capture[key], path)
        said.append((run.returncode, error, report))
    return said


@pytest.fixture(scope="module")
def originals(capture):
    return [capture("rev2"), capture("atomics"), capture("rev2", "--pcap", suffix="pcap"), capture("rev1", "--snaplen=80"),
            capture("rev1", "--snaplen=80", "--pcap", suffix="pcap")]


def test_whole_files(build, originals):
    for path in originals:
        direct, piped = both(build, path)
        assert direct == piped
        assert direct[0] == 0


def mutate(octets, source):
    """Cuts the file, or changes a few octets, mostly where formats have lengths."""
    if source.random() < 0.3:
        return octets[:source.randrange(len(octets))]
    changed = bytearray(octets)
    for _ in range(source.randrange(1, 4)):
        at = source.randrange(200) if source.random() < 0.5 else source.randrange(len(changed))
        if source.random() < 0.5:
            changed[at] = source.randrange(256)
        else:
            changed[at & ~3] ^= 1 << source.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(build, originals, tmp_path, seed):
    source = random.Random(seed)
    path = tmp_path / "damaged"
    for _ in range(MUTATIONS):
        path.write_bytes(mutate(source.choice(originals).read_bytes(), source))
        direct, piped = both(build, path)
        assert without_reason(direct) == without_reason(piped)


def without_reason(result):
    """libpcap's own words may differ, because the snap lengths of a stream are made equal before libpcap reads them."""
    status, errors, report = result
    return status, *(re.sub(r"(corrupt after packet \d+): [^\n\"]*", r"\1", text) for text in (errors, json.dumps(report)))


def records(octets):
    """[(header, octets)] from a pcap file of this byte order."""
    at, found = 24, []
    while at < len(octets):
        n = struct.unpack_from("<I", octets, at + 8)[0]
        found.append((octets[at:at + 16], octets[at + 16:at + 16 + n]))
        at += 16 + n
    return found


def pcap_of(file, original):
    """Packets of zeros up to 2 GiB, as holes, then the original packets."""
    size = 1 << 18  # the snapshot length
    file.write(original[:24])
    first = records(original)[0][0][:8]
    while file.tell() < 1 << 31:
        file.write(first + struct.pack("<II", size, size))
        file.seek(size, 1)
    file.write(original[24:])


def pcapng_of(file, original):
    """The same with blocks of a local type."""
    size = 1 << 24  # the longest block that libpcap accepts
    file.write(struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28))
    file.write(struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20))
    while file.tell() < 1 << 31:
        file.write(struct.pack("<II", 0x80000001, size))
        file.seek(size - 12, 1)
        file.write(struct.pack("<I", size))
    for header, octets in records(original):
        seconds, fraction, captured, length = struct.unpack("<IIII", header)
        stamp, n = seconds * 1000000 + fraction, 32 + (captured + 3) // 4 * 4
        file.write(struct.pack("<IIIIIII", 6, n, 0, stamp >> 32, stamp & 0xFFFFFFFF, captured, length))
        file.write(octets + bytes(n - 32 - captured) + struct.pack("<I", n))


@pytest.mark.parametrize("write", [pcap_of, pcapng_of])
def test_files_longer_than_2_gib(check, root, tmp_path, write):
    """This holds also with an off_t of 32 bits by default."""
    original = root / "captures" / "real" / "params" / "crc-rping.pcap"
    path = tmp_path / "long"
    with open(path, "wb") as file:
        write(file, original.read_bytes())
    try:
        long, short = (check("--no-progress", name, timeout=900) for name in (path, original))
    finally:
        path.unlink()
    assert long.returncode == short.returncode == 0, long.stderr
    assert long.stdout.splitlines()[0] == short.stdout.splitlines()[0]
    assert long.stdout.splitlines()[-1] == short.stdout.splitlines()[-1]
