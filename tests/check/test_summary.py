# SPDX-License-Identifier: GPL-2.0-or-later
"""--summary: one line per capture, tab-separated, nothing else on standard output."""
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from reports import read_report, validate, write_report


def lines(result):
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_lines(check, good, bad, no_mpa):
    result = check("--summary", good, bad, no_mpa, "/no/such/file")
    assert result.returncode == 2
    assert lines(result) == [[str(good), "PASS", "1", "0", "0", "0", "0", "0"], [str(bad), "FAIL", "1", "1", "0", "0", "0", "0"],
                             [str(no_mpa), "NOTHING", "0", "0", "0", "0", "0", "0"],
                             ["/no/such/file", "ERROR", "0", "0", "0", "0", "0", "0"]]


def test_what_happened(check, root):
    trouble = root / "tests" / "check" / "trouble"
    found = lines(check("--summary", trouble / "g40-server-silent.pcap", trouble / "d3-delayed-ack-iwarp.pcap"))
    assert [line[1] for line in found] == ["TROUBLE", "PASS"]
    assert [line[8] for line in found] == ["2 Calls were never answered, on 2 connections", "slow: delayed ACKs cost 801 ms"]


def test_status_is_that_of_the_run(check, good, bad, no_mpa):
    assert [check("--summary", *paths).returncode for paths in ([good], [bad], [no_mpa], [good, no_mpa])] == [0, 1, 3, 3]


def test_waived_and_never(check, bad, fault):
    assert lines(check("--summary", f"--waive={fault}", bad)) == [[str(bad), "PASS", "1", "0", "0", "0", "1", "0"]]
    assert lines(check("--summary", "--fail-on=never", bad)) == [[str(bad), "PASS", "1", "1", "0", "0", "0", "0"]]


def test_counts_are_those_of_the_report(check, report, root):
    captures = sorted((root / "captures").glob("real/**/*.pcap*"))
    for path, line in zip(captures, lines(check("--summary", "--fail-on=note", *captures)), strict=True):
        status, parsed = report("--fail-on=note", path)
        found = parsed["summary"]["findings"]
        assert line[:8] == [str(path), ["PASS", "FAIL", "ERROR", "NOTHING"][status]] + [
            str(n) for n in (parsed["summary"]["connections"], found["error"], found["warning"], found["note"],
                             parsed["summary"]["waived"], parsed["captures"][0]["dropped"])]


def test_the_report_goes_to_output_only(check, bad, tmp_path):
    path = tmp_path / "report"
    alone = check("--summary", bad).stdout
    assert check("--summary", f"--output={path}", bad).stdout == alone
    assert path.read_text().startswith("FAIL: ")
    assert check("--summary", "--format=ndjson", f"--output={path}", bad).stdout == alone
    assert read_report(path.read_text())["summary"]["verdict"] == "fail"
    assert check("--summary", "--format=junit", f"--output={path}", bad).stdout == alone
    assert ElementTree.parse(path).getroot().tag == "testsuites"


def test_print_goes_to_standard_error(check, bad, tmp_path):
    for options in ([], [f"--output={tmp_path / 'report'}"]):
        result = check("--summary", "--print", *options, bad)
        assert len(lines(result)) == 1 and "[mpa:" in result.stderr


@pytest.mark.parametrize("name, shown", [("a\tb\nc.pcap", "a\\x09b\\x0ac.pcap"), ("\x1b[31m.pcap", "\\x1b[31m.pcap"),
                                         ("é.pcap", "é.pcap")])
def test_names_do_not_break_lines(check, bad, tmp_path, name, shown):
    path = tmp_path / name
    shutil.copy(bad, path)
    assert lines(check("--summary", path, env={"LC_ALL": "C.UTF-8"})) == [[str(tmp_path / shown), "FAIL"] +
                                                                          ["1", "1", "0", "0", "0", "0"]]


def test_standard_output_full(build, bad):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([build / "conformance" / "iwarp-check", "--summary", bad], stdout=full,
                                stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2 and b"No space left" in result.stderr


@pytest.mark.parametrize("options, words", [
    ([], ["pass", "fail", "nothing-to-check", "error", "pass"]), (["--fail-on=never"], ["pass", "pass", "nothing-to-check", "error", "pass"]),
    (["--fail-on=trouble"], ["pass", "fail", "nothing-to-check", "error", "fail"]), (["--waive=MPA-4.1-05"], ["pass", "pass", "nothing-to-check", "error", "pass"])])
def test_json_has_a_verdict_of_each_capture(check, report, schema, root, good, bad, no_mpa, tmp_path, options, words):
    """The same as in --summary; merge keeps them."""
    paths = [good, bad, no_mpa, "/no/such/file", root / "tests" / "check" / "trouble" / "c8-dead-server-stats-order-roce.pcap"]
    _, parsed = report(*options, *paths)
    validate(parsed, schema)
    assert [capture["verdict"] for capture in parsed["captures"]] == words
    lines = check("--summary", *options, *paths).stdout.splitlines()
    assert [line.split("\t")[1].lower() for line in lines] == [*(word.split("-")[0] for word in words[:-1]), "trouble"]
    saved = tmp_path / "saved.json"
    saved.write_text(write_report(parsed), encoding="utf-8")
    assert [capture["verdict"] for capture in read_report(check("merge", saved).stdout)["captures"]] == words
