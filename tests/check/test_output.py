# SPDX-License-Identifier: GPL-2.0-or-later
"""--output: where reports go, and what they must not take the place of."""
import os
import shutil
import stat

import pytest


@pytest.fixture
def folder(tmp_path, bad):
    shutil.copy(bad, tmp_path / "trace.pcapng")
    return tmp_path


@pytest.mark.parametrize("name", ["trace.pcapng", "./trace.pcapng", "link.pcapng", "hard.pcapng"])
def test_never_over_a_capture(check, folder, name):
    before = (folder / "trace.pcapng").read_bytes()
    (folder / "link.pcapng").symlink_to("trace.pcapng")
    os.link(folder / "trace.pcapng", folder / "hard.pcapng")
    result = check(f"--output={name}", "trace.pcapng", cwd=folder)
    assert result.returncode == 2 and "is one of the captures to check; give another name" in result.stderr
    assert (folder / "trace.pcapng").read_bytes() == before


def test_never_over_the_annotated_copy(check, folder):
    result = check("--output=new", "--annotate=new", "trace.pcapng", cwd=folder)
    assert result.returncode == 2 and "also the file of --annotate" in result.stderr
    assert not (folder / "new").exists()


def test_replaces_a_report_and_leaves_nothing_beside_it(check, folder):
    report = folder / "report.txt"
    report.write_text("old")
    report.chmod(0o640)
    assert check("--output=report.txt", "trace.pcapng", cwd=folder).returncode == 1
    assert report.read_text().startswith("FAIL: 1 error") and stat.S_IMODE(report.stat().st_mode) == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["report.txt", "trace.pcapng"]


def test_minus_and_devices_are_standard_output(check, folder):
    plain = check("trace.pcapng", cwd=folder).stdout
    assert check("--output=-", "trace.pcapng", cwd=folder).stdout == plain
    assert check("--output=/dev/stdout", "trace.pcapng", cwd=folder).stdout == plain
    assert [path.name for path in folder.iterdir()] == ["trace.pcapng"]


def test_nowhere_to_write(check, folder):
    result = check("--output=none/report.txt", "trace.pcapng", cwd=folder)
    assert result.returncode == 2
    assert "cannot write none/report.txt: No such file or directory" in result.stderr


def test_merging_into_one_of_the_reports(check, folder):
    assert check("--format=json", "--output=a.json", "trace.pcapng", cwd=folder).returncode == 1
    assert check("merge", "--output=a.json", "a.json", cwd=folder).returncode == 1
    assert '"captures"' in (folder / "a.json").read_text()
    result = check("merge", "--output=a.json", "a.json", "trace.pcapng", cwd=folder)
    assert result.returncode == 2 and '"captures"' in (folder / "a.json").read_text()
