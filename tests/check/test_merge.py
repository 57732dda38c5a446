# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check merge: several JSON reports made one, as a run over all of their captures would have made it."""
import json
import re

import jsonschema
import pytest

import spoiling


@pytest.fixture
def save(check, tmp_path):
    def run(name, *arguments):
        path = tmp_path / name
        check("--format=json", "--counts=connection", f"--output={path}", *arguments)
        return path
    return run


@pytest.mark.parametrize("options", [[], ["--max-findings=1"], ["--waive=MPA-4.1-05:known"], ["--waive=MPA-4.3-03"]])
def test_as_one_run(check, report, save, schema, good, bad, no_mpa, options):
    for files in ([good, bad], [good], [no_mpa, good], [no_mpa, no_mpa], [bad, "/no/such/file"]):
        paths = [save(f"{i}.json", *options, path) for i, path in enumerate(files)]
        result = check("merge", *paths)
        status, expected = report(*options, *files)
        merged = json.loads(result.stdout)
        jsonschema.validate(merged, schema)
        assert result.returncode == status and merged == expected


def test_counts_by_capture(check, report, save, good, bad, fault, tmp_path):
    """By default what passed is counted by capture; the sums are those of a report by connection, and merged alike."""
    for files in ([good], [good, bad]):
        path = tmp_path / "counts.json"
        check("--format=json", f"--output={path}", *files)
        short, whole = json.loads(path.read_text(encoding="utf-8")), report(*files)[1]
        assert [c["rules"] for c in short["captures"]] == [c["rules"] for c in whole["captures"]]
        for capture in short["captures"]:
            for connection in capture["connections"]:
                assert all(n["failed"] or n["inconclusive"] for n in connection["rules"].values())
        assert fault in short["captures"][-1]["connections"][0]["rules"] or bad not in files
        assert short["summary"] == whole["summary"]
        assert json.loads(check("merge", path).stdout) == short
        text, merged = check("--verbose", *files).stdout, check("merge", "--format=markdown", path).stdout
        assert f"{whole['summary']['rules_exercised']} rules" in merged and str(whole["summary"]["rules_exercised"]) in text


@pytest.mark.parametrize("folder", ["real/params", "roce"])
def test_real_captures(check, report, save, schema, root, folder):
    files = sorted((root / "captures" / folder).glob("*.pcap*"))
    assert len(files) > 5
    paths = [save(f"{i}.json", path) for i, path in enumerate(files)]
    whole = report(*files)[1]
    jsonschema.validate(whole, schema)
    assert json.loads(check("merge", *paths).stdout) == whole


def test_output_and_levels(check, save, good, bad, tmp_path):
    paths = [save("a.json", good), save("b.json", bad)]
    result = check("merge", *paths, "--output=" + str(tmp_path / "c.json"))
    assert result.returncode == 1 and result.stdout == ""
    assert json.loads((tmp_path / "c.json").read_text())["summary"]["verdict"] == "fail"
    assert check("merge", "--fail-on=never", *paths).returncode == 0
    unused = save("d.json", "--waive=MPA-4.3-03", good)
    assert check("merge", unused).returncode == 0
    assert check("merge", "--strict-waivers", unused).returncode == 1
    assert check("merge", "-o", "/no/such/folder/x", *paths).returncode == 2


HOSTILE = {
    "empty": b"", "text": b"PASS: no findings\n", "number": b"1", "array": b"[]", "object": b"{}", "binary": bytes(range(256)),
    "deep": b"[" * 1000000, "deep-closed": b"[" * 100000 + b"]" * 100000, "comment": b'/* " */' + b"[" * 1000000,
    "quote": b"'\"'" + b"[" * 1000000, "foreign": b'{"tool": "other", "captures": [], "profile": "ietf"}',
    "cut": b'{"tool": "iwarp-check", "captures": [', "nul": b'{"tool": "iwarp\x00check"}', "latin": b'{"tool": "\xe9"}',
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile(check, save, good, tmp_path, name):
    path = tmp_path / "hostile.json"
    path.write_bytes(HOSTILE[name])
    refused(check("merge", save("a.json", good), path), path)


def refused(result, path):
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.startswith(f"iwarp-check: {path}: ") and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("value", [None, -1, "x", [], {}, [1], {"x": 1}, 2 ** 62, True])
def test_members_of_other_types(check, report, bad, fault, tmp_path, value):
    _, parsed = report(f"--rules={fault}", bad)
    path = tmp_path / "changed.json"
    for changed in spoiling.spoiled(parsed, value):
        path.write_text(json.dumps(changed))
        result = check("merge", path)
        assert result.returncode in (0, 1, 2, 3) and len(result.stderr.splitlines()) <= 1
        if result.returncode == 2 and not result.stdout:
            refused(result, path)
        else:
            json.loads(result.stdout)


def test_refused(check, save, good, bad, tmp_path):
    first, other = save("a.json", good), save("b.json", "--profile=rdmac", good)
    refused(check("merge", first, other), other)
    refused(check("merge", first, tmp_path / "none.json"), tmp_path / "none.json")
    changed = json.loads(save("c.json", bad).read_text())
    changed["summary"]["findings"]["error"] = 0
    (tmp_path / "c.json").write_text(json.dumps(changed))
    refused(check("merge", first, tmp_path / "c.json"), tmp_path / "c.json")


@pytest.mark.parametrize("arguments, hint", [([], "no report"), (["--fail-on=x", "a"], "never"), (["--nonsense"], "nonsense")])
def test_usage(check, arguments, hint):
    result = check("merge", *arguments)
    assert result.returncode == 2 and hint in result.stderr and len(result.stderr.splitlines()) == 1


def as_format_1(path):
    """The report at path as it was before captures had counts of rules; it did not always say its format."""
    report = json.loads(path.read_text(encoding="utf-8"))
    for capture in report["captures"]:
        del capture["rules"]
    return report | {"format": 1}


def test_format(check, save, good, bad, tmp_path):
    """Reports of the format before, and those without a number, are read like today's; of another one nothing is known."""
    path = save("one.json", good, bad)
    report = json.loads(path.read_text(encoding="utf-8"))
    assert report["format"] == 2
    other, old = tmp_path / "other.json", as_format_1(path)
    for first in (old, {name: value for name, value in old.items() if name != "format"}):
        other.write_text(json.dumps(first), encoding="utf-8")
        assert json.loads(check("merge", other).stdout) == report
        both = json.loads(check("merge", other, path).stdout)
        assert both["captures"] == 2 * report["captures"] and both["summary"]["connections"] == 2 * report["summary"]["connections"]
    for wrong in (3, "1", -1):
        other.write_text(json.dumps(report | {"format": wrong}), encoding="utf-8")
        result = check("merge", other)
        assert result.returncode == 2 and "'format' of the report" in result.stderr and result.stdout == ""


def test_help(check):
    result = check("merge", "--help")
    assert result.returncode == 0 and result.stdout.startswith("Usage: iwarp-check merge") and result.stderr == ""


# ---- other formats ----

def plain(text, form):
    """Without what only the run knows: its command line, times, upper layers' counts, ladders."""
    text = re.sub(r" (time|timestamp|hostname)=\"[^\"]*\"", "", text)
    text = re.sub(r"^    RPC-over-RDMA: .*\n|waived \((--waive|by the report)\)|^ +\"commandLine\".*\n", "", text, flags=re.M)
    return text if form != "junit" else re.sub(r"<property name=.*\n|</?properties/?>", "", text)


@pytest.mark.parametrize("form", ["text", "sarif", "github", "markdown", "tap"])
def test_formats_are_those_of_a_run(check, root, tmp_path, form):
    captures = [root / "captures" / "real" / name for name in ("basic/ucmatose.pcap", "nfslong/nfs42-long-setxattr.pcap", "params/crc-rping.pcap")]
    reports = []
    for number, path in enumerate(captures):
        reports.append(tmp_path / f"{number}.json")
        check("--format=json", "--counts=connection", f"--output={reports[-1]}", "--waive=RPCR-2.2.4.2-02:known", path)
    one, merged = check(f"--format={form}", "--waive=RPCR-2.2.4.2-02:known", *captures), check("merge", f"--format={form}", *reports)
    assert merged.returncode == one.returncode == 1 and merged.stderr == ""
    assert plain(merged.stdout, form) == plain(one.stdout, form)


def test_junit_and_html(check, root, tmp_path):
    path, json_report = root / "captures" / "real" / "basic" / "ucmatose.pcap", tmp_path / "a.json"
    check("--format=json", "--counts=connection", f"--output={json_report}", path)
    for form, pattern in (("junit", r"<testcase|<failure"), ("html", r"MPA-7\.1\.2-23|DDP-3-08")):
        one, merged = check(f"--format={form}", path), check("merge", f"--format={form}", json_report)
        assert merged.returncode == 1
        if form == "junit":
            assert len(re.findall(pattern, one.stdout)) == len(re.findall(pattern, merged.stdout)) > 50
        else:
            assert set(re.findall(pattern, merged.stdout)) == set(re.findall(pattern, one.stdout)) and "FAIL" in merged.stdout


@pytest.mark.parametrize("form", ["text", "junit", "html", "sarif", "github", "markdown", "tap"])
def test_statuses_in_other_formats(check, good, no_mpa, capture, tmp_path, form):
    roce = capture("nfs3", "--transport=roce")
    for name, paths, options in (("good", [good, roce], []), ("empty", [good, no_mpa], []), ("missing", [tmp_path / "none"], []),
                                 ("unused", [good], ["--waive=MPA-4.1-05"])):
        report = tmp_path / f"{name}.json"
        status = check("--format=json", "--counts=connection", f"--output={report}", *options, *paths).returncode
        merged = check("merge", f"--format={form}", report)
        assert merged.returncode == status and merged.stdout and merged.stderr == "", name
        if form == "text":
            assert merged.stdout.splitlines()[0] == check(*options, *paths).stdout.splitlines()[0]
    assert check("merge", "--format=xml", report).returncode == 2
