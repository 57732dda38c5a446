# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that are cut or damaged: both programs read as far, and say the same."""
import pathlib
import random

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CAPTURES = [ROOT / "captures/real/errors/op-read-badstag.pcap", ROOT / "captures/generated/conforming/atomics.pcapng"]
TEXTS = ("text", "html")


def differences(result):
    return {name: pair for name, pair in result.items() if pair[0] != pair[1]}


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.suffix)
def test_cut(both, tmp_path, capture):
    data, bad = capture.read_bytes(), {}
    for length in [*range(0, 60, 5), *range(100, len(data), len(data) // 25)]:
        path = tmp_path / f"cut-{length}{capture.suffix}"
        path.write_bytes(data[:length])
        if found := differences(both([path], formats=TEXTS)):
            bad[path.name] = found
    assert not bad


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.suffix)
def test_damaged(both, tmp_path, capture):
    rng, bad = random.Random(1), {}
    for number in range(60):
        data = bytearray(capture.read_bytes())
        for _ in range(3):
            data[rng.randrange(24, 400)] = rng.choice((0, 1, 0x7f, 0xff, rng.randrange(256)))
        path = tmp_path / f"damaged-{number}{capture.suffix}"
        path.write_bytes(data)
        if found := differences(both([path], formats=TEXTS)):
            bad[path.name] = found
    assert not bad
