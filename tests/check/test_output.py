# SPDX-License-Identifier: GPL-2.0-or-later
"""--output: places of reports, and files that they must not replace."""
import os
import re
import shutil
import stat

import pytest

from reports import read_report


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
    assert result.returncode == 2 and "also the file for --annotate" in result.stderr
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
    assert check("--format=ndjson", "--output=a.json", "trace.pcapng", cwd=folder).returncode == 1
    assert check("merge", "--output=a.json", "a.json", cwd=folder).returncode == 1
    assert '"type":"capture"' in (folder / "a.json").read_text()
    result = check("merge", "--output=a.json", "a.json", "trace.pcapng", cwd=folder)
    assert result.returncode == 2 and '"type":"capture"' in (folder / "a.json").read_text()


@pytest.mark.parametrize("options", [["-o", "trace.pcapng"], ["--format=html", "-o", "trace.pcapng"], ["-w", "trace.pcapng"],
                                     ["--format=ndjson", "-o", "new", "--format=tap", "-o", "link.pcapng"]])
def test_never_over_standard_input(check, folder, options):
    before = (folder / "trace.pcapng").read_bytes()
    (folder / "link.pcapng").symlink_to("trace.pcapng")
    with open(folder / "trace.pcapng", "rb") as stdin:
        result = check(*options, "-", cwd=folder, stdin=stdin)
    assert result.returncode == 2 and "is the capture on standard input; give another name" in result.stderr
    assert (folder / "trace.pcapng").read_bytes() == before and not (folder / "new").exists()


@pytest.mark.parametrize("option", ["--annotate", "-w"])
def test_copies_are_never_over_a_capture(check, folder, option):
    before = (folder / "trace.pcapng").read_bytes()
    result = check(f"{option}=trace.pcapng" if option.startswith("--") else f"{option}trace.pcapng", "trace.pcapng", cwd=folder)
    assert result.returncode == 2 and "is one of the captures to check; give another name" in result.stderr
    assert (folder / "trace.pcapng").read_bytes() == before


def test_never_appended_to_a_capture(check, folder):
    before = (folder / "trace.pcapng").read_bytes()
    with open(folder / "trace.pcapng", "ab") as stdout:
        result = check("trace.pcapng", cwd=folder, stdout=stdout)
    assert result.returncode == 2 and "standard output is one of the captures to check" in result.stderr
    assert (folder / "trace.pcapng").read_bytes() == before


FORMATS = ["text", "ndjson", "junit", "html", "sarif", "github", "markdown", "tap"]


def without_times(text):
    return re.sub(r' time="[0-9.]*"|(commandLine|Command)[^\n]*', "", text)


def test_several_reports_of_one_run(check, folder):
    """Each is the same as a separate run's report; the last format without a file goes to standard output."""
    def alone(name):
        return check(f"--format={name}", "trace.pcapng", cwd=folder, env=environment).stdout
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1"}
    pairs = [word for name in FORMATS for word in (f"--format={name}", "-o", f"report.{name}")]
    result = check(*pairs, "--format=markdown", "trace.pcapng", cwd=folder, env=environment)
    assert result.returncode == 1 and result.stdout == alone("markdown")
    for name in FORMATS:
        written = (folder / f"report.{name}").read_text()
        assert without_times(written) == without_times(alone(name)), name


def test_pairs_of_format_and_output(check, folder):
    def begins(name):
        return (folder / name).read_text()[:5]
    assert check("-o", "a", "--format=junit", "trace.pcapng", cwd=folder).stdout == "" and begins("a") == "<?xml"
    assert check("-o", "b", "--format=junit", "-oc", "trace.pcapng", cwd=folder).stdout == ""
    assert begins("b") == "FAIL:" and begins("c") == "<?xml"
    assert check("--format=junit", "-o", "d", "--format=tap", "trace.pcapng", cwd=folder).stdout.startswith("TAP ") and begins("d") == "<?xml"
    assert check("--format=ndjson", "--format=tap", "-o", "e", "trace.pcapng", cwd=folder).stdout == "" and begins("e") == "TAP v"
    for options in (["-o", "f", "-o", "./f"], ["--format=ndjson", "-o", "-", "--format=tap"]):
        result = check(*options, "trace.pcapng", cwd=folder)
        assert result.returncode == 2 and "two reports would go to" in result.stderr and not (folder / "f").exists()
    assert check("-o", "/dev/null", "-o", "/dev/null", "trace.pcapng", cwd=folder).returncode == 1


def test_quiet(check, folder, good):
    verdict = check("trace.pcapng", cwd=folder).stdout.splitlines()[0]
    result = check("-q", "--format=ndjson", "-o", "r.json", "trace.pcapng", cwd=folder)
    assert result.returncode == 1 and result.stdout == verdict + "\n" and read_report((folder / "r.json").read_text())["summary"]
    assert len(check("--quiet", good, "trace.pcapng", cwd=folder).stdout.splitlines()) == 1


def test_count(check, report, folder):
    for options in (["-c5"], ["-c", "5"], ["--count=5"]):
        assert report(*options, "trace.pcapng", cwd=folder)[1]["captures"][0]["packets"] == 5
    whole = report("trace.pcapng", cwd=folder)[1]["captures"][0]["packets"]
    assert report("-c", "100000", "trace.pcapng", cwd=folder)[1]["captures"][0]["packets"] == whole
    with open(folder / "trace.pcapng", "rb") as stdin:
        assert report("-c", "3", "-j2", "-", cwd=folder, stdin=stdin)[1]["captures"][0]["packets"] == 3
    assert check("-c", "-1", "trace.pcapng", cwd=folder).returncode == 2
