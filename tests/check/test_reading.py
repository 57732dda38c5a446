# SPDX-License-Identifier: GPL-2.0-or-later
"""Regular files are read directly, pipes by libpcap: what is found, and what is wrong with the file, is the same."""
import json
import random
import re
import subprocess

import pytest

MUTATIONS = 60


def unnamed(text, path):
    return re.sub(r"(^|: )-:", r"\1NAME:", text.replace(str(path), "NAME").replace("standard input", "NAME"))


def both(build, path):
    """What iwarp-check says of a file and of the same octets from a pipe, the names apart."""
    said = []
    for arguments, octets in (((path,), None), (("-",), path.read_bytes())):
        run = subprocess.run([build / "conformance" / "iwarp-check", "--format=json", *arguments], input=octets,
                             stdin=subprocess.DEVNULL if octets is None else None, capture_output=True, check=False)
        error = unnamed(run.stderr.decode(errors="replace"), path)
        report = json.loads(run.stdout)
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
    """Cut off somewhere, or a few octets changed, most of them where formats keep their lengths."""
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
        assert direct == piped
