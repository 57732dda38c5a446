# SPDX-License-Identifier: GPL-2.0-or-later
"""Input made to exhaust the checker: a tenth or less of `./test --all hostile`, which shows the cost of each row."""
import re
import subprocess

import pytest

import cost

# Packets; the stage has 25,000. A few milliseconds of processor time mean little on a busy machine: a row over a limit is measured again
# with more.
QUICK, MORE = 1500, 12000
IN_TSHARK = ("tshark_junk_requests", "tshark_crowd_of_tcp", "tshark_backwards", "tshark_flood_of_roce")  # slow to start


@pytest.mark.parametrize("row", [row for row in cost.rows() if not row.built_in or row.name in IN_TSHARK], ids=lambda row: row.name)
def test_bounded(build, sanitized, tmp_path, row):
    if row.built_in and (sanitized or not list((build / "plugins").glob("run/*/epan/iwarp.so"))):
        pytest.skip("no plugins whose memory and time are their own")
    found = cost.measure(row, build, tmp_path, QUICK, sanitized)
    if found.trouble:
        found = cost.measure(row, build, tmp_path, MORE, sanitized)
    assert not found.trouble, f"{cost.HEAD}\n{found.line(row.name)}"


@pytest.mark.parametrize("text", [lambda n: "[" * n, lambda n: "a: {" * n, lambda n: "- " * n,
                                  lambda n: "".join(f"- &a{i} x\n" for i in range(n))],
                         ids=["brackets", "braces", "dashes", "anchors"])
def test_yaml_is_refused_early(build, tmp_path, text):
    """libyaml's time grows with the square of the depth, and of the number of anchors."""
    path = tmp_path / "deep.yaml"
    path.write_text(text(200000), encoding="utf-8")
    run = subprocess.run([build / "conformance" / "iwarp-check", f"--waivers={path}", path], capture_output=True, text=True, check=False,
                         timeout=200)  # it once took half an hour
    assert run.returncode == 2
    assert re.search(f"{path}:[0-9]+: (nested too deeply|too many anchors|a waiver must be a mapping)", run.stderr), run.stderr
