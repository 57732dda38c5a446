# SPDX-License-Identifier: GPL-2.0-or-later
"""lab/upstream/: each report is shown by its command, and a report that is no longer true is noticed."""
import os
import re
import shutil
import subprocess

import pytest


@pytest.fixture(name="reproduce")
def fixture_reproduce(root, build):
    def run(*arguments, script=root / "lab" / "upstream" / "reproduce"):
        return subprocess.run(["/usr/bin/python3", script, *arguments], capture_output=True, text=True, check=False,
                              env=os.environ | {"IWARP_BUILD": str(build)})
    return run


def test_each_is_shown(reproduce):
    done = reproduce()
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    version = re.search(r"TShark \(Wireshark\) (\d+\.\d+)", subprocess.run(["tshark", "--version"], capture_output=True, text=True,
                                                                       check=True).stdout)[1]
    if version != "4.0":
        pytest.skip(f"the reports quote Wireshark 4.0, this is {version}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": shown") >= 11


def test_what_is_not_true_is_noticed(reproduce, root, tmp_path):
    copy = tmp_path / "lab" / "upstream"
    shutil.copytree(root / "lab" / "upstream", copy)
    report = copy / "siw" / "siw-pad.md"
    report.write_text(report.read_text(encoding="utf-8").replace("PAD octets 30", "PAD octets 31"), encoding="utf-8")
    done = reproduce("siw-pad", script=copy / "reproduce")
    assert done.returncode == 1 and "siw-pad: NOT SHOWN" in done.stdout


def test_every_report_says_what_is_needed(root):
    reports = sorted((root / "lab" / "upstream").glob("*/*.md"))
    assert len(reports) >= 14
    for path in reports:
        text = path.read_text(encoding="utf-8")
        for part in ("# ", "- **component**: ", "- **seen with**: ", "## What the document says", "## How to see it"):
            assert part in text, (path, part)
    used = {name for path in reports for name in re.findall(r"lab/upstream/captures/(\S+\.pcap)", path.read_text(encoding="utf-8"))}
    assert used == {path.name for path in (root / "lab" / "upstream" / "captures").iterdir()}


def test_unknown(reproduce):
    done = reproduce("nothing")
    assert done.returncode == 1 and "no report 'nothing'" in done.stderr
