# SPDX-License-Identifier: GPL-2.0-or-later
"""A build with a profile (scripts/train) gives the same output as another."""
import subprocess

import pytest

pytestmark = pytest.mark.all


@pytest.mark.parametrize("options", [("--format=ndjson", "--counts=connection"), ("--stats",), ("--print",)], ids=" ".join)
def test_same_reports(build, root, all_captures, options):
    trained = build.parent / "trained"
    if not trained.exists():
        pytest.skip("cmake --preset trained was not built")
    captures = sorted(path for folder in (*(root / "captures" / name for name in ("real", "roce", "ulp")), all_captures) for path in folder.rglob("*.pcap*"))
    said = [subprocess.run([folder / "conformance" / "iwarp-check", *options, *captures], capture_output=True, check=False) for folder in (build, trained)]
    assert said[0].returncode == said[1].returncode
    assert said[0].stdout == said[1].stdout and said[0].stderr == said[1].stderr and len(said[0].stdout) > 100_000
