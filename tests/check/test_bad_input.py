# SPDX-License-Identifier: GPL-2.0-or-later
"""Input that is not a capture, or a broken capture: one line on standard error, status 2, and the other files are
checked."""
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

import pytest

PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)


def pcapng_block(kind, body, total=None):
    length = 12 + len(body) if total is None else total
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


SECTION = pcapng_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
INTERFACE = pcapng_block(1, struct.pack("<HHI", 1, 0, 262144))

BROKEN = {
    "empty": b"",
    "one-octet": b"\xd4",
    "text": b"This is not a capture file, whatever its name says.\n" * 3,
    "zeros": bytes(4096),
    "header-cut-in-magic": PCAP_HEADER[:3],
    "header-cut": PCAP_HEADER[:17],
    "pcapng-header-cut": SECTION[:10],
    "absurd-record-length": PCAP_HEADER + struct.pack("<IIII", 1, 0, 0xFFFFFFF0, 0xFFFFFFF0) + bytes(64),
    "absurd-block-length": SECTION + INTERFACE + struct.pack("<II", 6, 0x7FFFFFF0) + bytes(64),
    "block-length-zero": SECTION + INTERFACE + struct.pack("<II", 6, 0) + bytes(64),
    "absurd-section-length": struct.pack("<IIIHHq", 0x0A0D0D0A, 0xFFFFFFFF, 0x1A2B3C4D, 1, 0, -1) + bytes(64),
    "unknown-version": struct.pack("<IHHiIII", 0xA1B2C3D4, 99, 4, 0, 0, 262144, 1),
    "packet-without-interface": SECTION + pcapng_block(6, struct.pack("<IIIII", 7, 0, 0, 4, 4) + bytes(4)),
}


@pytest.fixture(params=sorted(BROKEN))
def broken(request, tmp_path):
    path = tmp_path / f"{request.param}.pcap"
    path.write_bytes(BROKEN[request.param])
    return path


def one_line_naming(result, path):
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr.startswith("iwarp-check: ") and str(path) in result.stderr


def test_alone(check, broken):
    result = check(broken)
    one_line_naming(result, broken)
    assert result.stdout.startswith("ERROR: ")


def test_among_others(check, report, broken, good, bad):
    one_line_naming(check(good, broken, bad), broken)
    status, parsed = report(good, broken, bad)
    _, without = report(good, bad)
    assert status == 2 and parsed["summary"]["verdict"] == "error"
    assert [parsed["captures"][0], parsed["captures"][2]] == without["captures"]
    assert "error" in parsed["captures"][1] and parsed["captures"][1]["connections"] == []
    assert parsed["summary"]["findings"] == without["summary"]["findings"]


def test_from_standard_input(check, broken):
    result = check("-", input=broken.read_bytes())
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1


def test_directory(check, good, tmp_path):
    one_line_naming(check(tmp_path, good), tmp_path)


def test_missing(check, good, tmp_path):
    one_line_naming(check(good, tmp_path / "missing.pcap"), tmp_path / "missing.pcap")


def test_unreadable(good, build):
    # Root can read everything, so it runs a copy as another user in an accessible directory.
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        program, secret = folder / "iwarp-check", folder / "secret.pcap"
        shutil.copy(build / "conformance" / "iwarp-check", program)
        program.chmod(0o755)
        secret.write_bytes(good.read_bytes())
        secret.chmod(0)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        result = subprocess.run([*as_nobody, program, secret], capture_output=True, text=True, check=False, timeout=60)
        one_line_naming(result, secret)


def test_missing_name_with_odd_octets(check):
    result = check(b"/no/such/\xff\nfile".decode("utf-8", "surrogateescape"))
    assert result.returncode == 2 and result.stderr.startswith("iwarp-check: ")


def test_corrupt_in_the_middle_keeps_what_was_before(report, capture, tmp_path):
    path = tmp_path / "tail.pcap"
    path.write_bytes(capture("rev2", "--pcap", suffix="pcap").read_bytes() +
                     struct.pack("<IIII", 1, 0, 0xFFFFFFF0, 0xFFFFFFF0) + bytes(64))
    status, parsed = report(path)
    _, whole = report(capture("rev2", "--pcap", suffix="pcap"))
    assert status == 2
    assert parsed["captures"][0]["connections"] == whole["captures"][0]["connections"]


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_cut_in_the_last_record_is_an_error(check, report, capture, tmp_path, cut):
    path = tmp_path / "cut.pcap"
    path.write_bytes(capture("rev2", "--pcap", suffix="pcap").read_bytes()[:-cut])
    status, parsed = report(path)
    found = parsed["captures"][0]
    words = f"cut.pcap ends too early: the first {found['packets']} packets were checked"
    assert status == 2 and found["truncated"] is True and found["error"].endswith(words)
    run = check(path)
    assert len(run.stderr.splitlines()) == 1 and run.stdout.startswith("ERROR: ") and words in run.stdout.splitlines()[0]


def test_unknown_blocks_are_passed_over(report, good, tmp_path):
    octets = good.read_bytes()
    length = struct.unpack_from("<I", octets, 4)[0]
    path = tmp_path / "unknown.pcapng"
    path.write_bytes(octets[:length] + pcapng_block(0x0BADF00D, b"whatever") + octets[length:] +
                     pcapng_block(0x40000BAD, bytes(400)))
    status, parsed = report(path)
    _, plain = report(good)
    assert status == 0
    assert parsed["captures"][0]["connections"] == plain["captures"][0]["connections"]
