# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures compressed with gzip, zstd or lz4: the same report as for the plain file, under any name."""
import gzip
import random
import resource
import subprocess

import pytest

from reports import read_report

PACK = {
    "gzip": lambda octets: gzip.compress(octets, mtime=0),
    "zstd": lambda octets: run_packer("zstd", "-qc", octets),
    "lz4": lambda octets: run_packer("lz4", "-qc", octets),
}
MUTATIONS = 60


def run_packer(*command):
    *command, octets = command
    return subprocess.run(command, input=octets, capture_output=True, check=True).stdout


def run(build, *arguments, octets=None, **more):
    return subprocess.run([build / "conformance" / "iwarp-check", *arguments], input=octets, capture_output=True,
                          stdin=subprocess.DEVNULL if octets is None else None, check=False, timeout=120, **more)


def judged(build, path, octets=None):
    """Status, report and errors, without the name."""
    result = run(build, "--format=ndjson", path, octets=octets)
    report = read_report(result.stdout)
    for capture in report["captures"]:
        capture["file"] = "NAME"
    said = result.stderr.decode().replace(str(path), "NAME")
    return result.returncode, report, said


@pytest.fixture(params=PACK)
def form(request):
    return request.param


@pytest.fixture(scope="module")
def plain(bad, capture):
    return [bad, capture("rev2", "--pcap", suffix="pcap"), capture("atomics")]


def test_same_report_as_plain(build, plain, form, tmp_path):
    for original in plain:
        packed = tmp_path / "no-suffix"
        packed.write_bytes(PACK[form](original.read_bytes()))
        expected = judged(build, original)
        assert judged(build, packed) == expected
        assert judged(build, "-", packed.read_bytes()) == expected
        assert expected[1]["captures"][0]["packets"] > 5


def test_many_frames_of_the_format(build, bad, form, tmp_path):
    octets = bad.read_bytes()
    packed = tmp_path / "frames"
    packed.write_bytes(b"".join(PACK[form](octets[at:at + 500]) for at in range(0, len(octets), 500)))
    assert judged(build, packed) == judged(build, bad)


def test_octets_come_slowly(build, bad, form):
    packed = PACK[form](bad.read_bytes())
    checker = subprocess.Popen([build / "conformance" / "iwarp-check", "--format=ndjson", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, bufsize=0)
    for octet in packed[:40]:
        checker.stdin.write(bytes([octet]))
    out, _ = checker.communicate(packed[40:], timeout=60)
    assert read_report(out)["captures"][0]["connections"] == judged(build, bad)[1]["captures"][0]["connections"]


def test_cut_is_judged_up_to_there(build, capture, form, tmp_path):
    original = capture("marker-walk")
    octets = original.read_bytes()
    # Two frames of the format, so that there is data before the cut with any block size.
    whole = PACK[form](octets[:len(octets) // 2])
    packed = tmp_path / "cut"
    packed.write_bytes(whole + PACK[form](octets[len(octets) // 2:])[:-9])
    status, report, said = judged(build, packed)
    found = report["captures"][0]
    assert status == 2 and found["truncated"] is True and 0 < found["packets"] < judged(build, original)[1]["captures"][0]["packets"] + 1
    assert f"cut ends too early: the first {found['packets']} packets were checked" in found["error"]
    assert len(said.splitlines()) == 1 and found["error"] in said.replace("NAME", str(packed))


def test_no_cut_passes(build, good, form, tmp_path):
    """An incomplete copy proves nothing, even if all packets are there."""
    octets = PACK[form](good.read_bytes())
    packed = tmp_path / "cut"
    for length in range(5, len(octets), max(1, len(octets) // 60)):
        packed.write_bytes(octets[:length])
        assert run(build, packed).returncode == 2, length
    for left in (1, 2, 4, 8):
        packed.write_bytes(octets[:-left])
        assert run(build, packed).returncode == 2, left


def test_damage_is_an_error_and_the_rest_is_judged(build, bad, form, tmp_path):
    octets = bad.read_bytes()
    packed = tmp_path / "damaged"
    packed.write_bytes(PACK[form](octets[:-100]) + b"no further frame of anything")
    status, report, said = judged(build, packed)
    found = report["captures"][0]
    assert status == 2 and found["connections"] and found["packets"] > 5
    assert f"cannot be decompressed past packet {found['packets']}: {form}: " in found["error"]
    assert len(said.splitlines()) == 1


def test_not_a_capture_inside(build, form, tmp_path):
    packed = tmp_path / "text.pcap"
    for content, what in ((b"This is a text.\nIt has lines.\n" * 9,
                           f"not a pcap or pcapng file after decompression with {form}"),
                          (b"", f"nothing after decompression with {form}")):
        packed.write_bytes(PACK[form](content))
        result = run(build, packed)
        assert result.returncode == 2
        assert result.stderr.decode() == f"iwarp-check: {packed}: {what}\n"
    packed.write_bytes(PACK[form](b"x" * 99)[:7])
    result = run(build, packed)
    assert result.returncode == 2 and result.stderr.decode().startswith(f"iwarp-check: {packed}: cannot be decompressed: {form}: ")


def test_annotated(build, bad, form, tmp_path):
    packed, copy, expected = tmp_path / "packed", tmp_path / "copy.pcapng", tmp_path / "expected.pcapng"
    packed.write_bytes(PACK[form](bad.read_bytes()))
    assert run(build, f"--annotate={expected}", bad).returncode == 1
    assert run(build, f"--annotate={copy}", packed).returncode == 1
    assert copy.read_bytes() == expected.read_bytes()


def test_annotate_refuses_what_is_damaged(build, bad, tmp_path):
    packed, copy = tmp_path / "packed", tmp_path / "copy.pcapng"
    packed.write_bytes(PACK["gzip"](bad.read_bytes()) + b"garbage")
    assert run(build, f"--annotate={copy}", packed).returncode == 2
    assert not copy.exists()


@pytest.mark.parametrize("seed", range(2))
def test_hostile(build, bad, form, tmp_path, seed):
    """Any octet changed: a status, one or two lines, never a signal."""
    source = random.Random(seed)
    octets = PACK[form](bad.read_bytes())
    path = tmp_path / "hostile"
    for _ in range(MUTATIONS):
        changed = bytearray(octets[:source.randrange(5, len(octets) + 1)])
        for _ in range(source.randrange(4)):
            changed[source.randrange(len(changed))] = source.randrange(256)
        path.write_bytes(changed)
        result = run(build, "--summary", path)
        assert result.returncode in (0, 1, 2, 3), result
        assert all(line.startswith(b"iwarp-check: ") for line in result.stderr.splitlines())


def test_memory_stays_while_the_content_grows(build, form, tmp_path):
    """A gigabyte of packets in a small file; no more memory than for a small one."""
    if (build / "CMakeCache.txt").read_text().split("IWARP_SANITIZE:STRING=")[1].split("\n")[0]:
        pytest.skip("sanitizers reserve memory of their own")
    record = bytes.fromhex("01000000 00000000 00000400 00000400") + bytes(1 << 18)
    header = bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000")
    piece = PACK[form](record * 16)
    path = tmp_path / "bomb"
    path.write_bytes(PACK[form](header) + piece * 64)
    result = run(build, "--summary", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20)))
    assert result.returncode == 3 and b"\t" in result.stdout, result
