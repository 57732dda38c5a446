# SPDX-License-Identifier: GPL-2.0-or-later
"""Every build of iwarp-check.html from one commit gives the same octets, in any directory."""
import subprocess

from browsed import ROOT


def test_two_builds_are_equal(web_build, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["cmake", "--preset", "web", "-B", elsewhere, "-DCMAKE_C_COMPILER_LAUNCHER="], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", elsewhere], cwd=ROOT, check=True)
    assert (elsewhere / "web" / "iwarp-check.html").read_bytes() == (web_build / "web" / "iwarp-check.html").read_bytes()
