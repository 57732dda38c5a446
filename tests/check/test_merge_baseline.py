# SPDX-License-Identifier: GPL-2.0-or-later
"""merge --baseline=OLD.json: new, gone and unchanged findings since an earlier report; only new findings fail."""

import pytest

from reports import read_report, validate


@pytest.fixture
def written(check, tmp_path):
    """written(name, *captures) -> their JSON report."""
    def write(name, *arguments):
        path = tmp_path / name
        check("--format=ndjson", f"--output={path}", *arguments)
        return path
    return write


@pytest.fixture
def compare(check):
    """compare(old, new, *options) -> (exit status, verdict, new rules, gone rules, number of unchanged kinds)"""
    def run(old, new, *options):
        result = check("merge", f"--baseline={old}", *options, new)
        summary = read_report(result.stdout)["summary"]
        baseline = summary["baseline"]
        assert baseline["file"] == str(old)
        return (result.returncode, summary["verdict"], *([row["rule"] for row in baseline[key]] for key in ("new", "gone")), baseline["same"])
    return run


@pytest.fixture
def marker(capture):
    return capture("marker-walk", "--inject=MPA-4.3-09")


def test_the_same(written, compare, bad):
    report = written("a.json", bad)
    assert compare(report, report) == (0, "pass", [], [], 1)


def test_numbers_may_differ(written, compare, bad, capture):
    assert compare(written("a.json", bad), written("b.json", capture("rev1", "--inject=MPA-4.1-05", "--seed=7"))) == (0, "pass", [], [], 1)


def test_new(check, written, compare, bad, marker, schema):
    old, new = written("a.json", bad), written("b.json", bad, marker)
    assert compare(old, new) == (1, "fail", ["MPA-4.3-09"], [], 1)
    merged = read_report(check("merge", f"--baseline={old}", new).stdout)
    validate(merged, schema)
    row = merged["summary"]["baseline"]["new"][0]
    assert row["severity"] == "error" and row["role"] in ("initiator", "responder") and row["count"] == 1 and row["message"].startswith("expected")
    assert compare(old, new, "--fail-on=never") == (0, "pass", ["MPA-4.3-09"], [], 1)


def test_gone(written, compare, bad, good, marker):
    assert compare(written("a.json", bad, marker), written("b.json", bad)) == (0, "pass", [], ["MPA-4.3-09"], 1)
    assert compare(written("a.json", bad), written("b.json", good)) == (0, "pass", [], ["MPA-4.1-05"], 0)


def test_only_what_fails_makes_it_fail(written, compare, good, capture):
    old, new = written("a.json", good), written("b.json", good, capture("rpcrdma", "--inject=RPCR-4.5.4-03"))
    assert compare(old, new) == (0, "pass", ["RPCR-4.5.4-03"], [], 0)
    assert compare(old, new, "--fail-on=warning")[:2] == (1, "fail")


def test_another_operation_is_new(written, compare, capture):
    old = written("a.json", capture("rpcrdma", "--inject=RPCR-4.5.4-03/idle"))
    new = written("b.json", capture("rpcrdma", "--inject=RPCR-4.5.4-03/fault"))
    assert "RPCR-4.5.4-03" in compare(old, new, "--fail-on=warning")[2]


def test_waived_findings_are_not_compared(written, compare, bad, good):
    assert compare(written("a.json", good), written("b.json", "--waive=MPA-4.1-05", bad)) == (0, "pass", [], [], 0)


def test_text(check, written, bad, marker):
    """Unchanged findings are listed as waived, and do not fail; new and gone ones are at the end."""
    old, new = written("a.json", bad), written("b.json", bad, marker)
    text = check("merge", "--format=text", f"--baseline={old}", new).stdout
    assert text.startswith("FAIL: 1 error, 1 waived") and "already in the baseline" in text
    assert f"\ncompared with {old}: 1 new, 0 gone and 1 unchanged kinds of findings\n  new: MPA-4.3-09, error, by the " in text
    text = check("merge", "--format=text", f"--baseline={new}", old).stdout
    assert text.startswith("PASS: ") and "0 new, 1 gone and 1 unchanged kinds of findings\n  gone: MPA-4.3-09, error, " in text
    junit = check("merge", "--format=junit", f"--baseline={old}", new)
    assert junit.returncode == 1 and junit.stdout.count("<failure") == 1


def test_mistakes(check, written, tmp_path, bad, good):
    report = written("a.json", bad)
    for old, said in ((tmp_path / "none.json", "none.json: cannot be read"), (bad, f"{bad}:1: "),
                      (written("rdmac.json", "--profile=rdmac", good), "was judged with --profile=rdmac")):
        result = check("merge", f"--baseline={old}", report)
        assert result.returncode == 2 and said in result.stderr and result.stdout == "", result.stderr


def test_verdicts_of_captures(check, written, bad, marker):
    """A capture without new findings passes, whatever its own run said."""
    old, new = written("a.json", bad), written("b.json", bad, marker)
    merged = read_report(check("merge", f"--baseline={old}", new).stdout)
    assert [capture["verdict"] for capture in merged["captures"]] == ["pass", "fail"]
    merged = read_report(check("merge", f"--baseline={new}", new).stdout)
    assert merged["summary"]["verdict"] == "pass" and [capture["verdict"] for capture in merged["captures"]] == ["pass", "pass"]


def test_trouble(check, written, capture, good, schema):
    """Trouble of a kind that this client and server had before does not fail."""
    hang = capture("rpcrdma", "--inject=RPCR-4.5.4-03")
    old, quiet = written("a.json", hang), written("b.json", good)
    for before, status, verdict, level in ((old, 0, "pass", "warning"), (quiet, 1, "fail", "error")):
        result = check("merge", "--fail-on=error,trouble", f"--baseline={before}", old)
        merged = read_report(result.stdout)
        validate(merged, schema)
        assert result.returncode == status and merged["summary"]["verdict"] == verdict and merged["captures"][0]["verdict"] == verdict
        assert merged["summary"]["trouble"] and len(merged["summary"]["baseline"]["new_trouble"]) == status
        github = check("merge", "--fail-on=error,trouble", "--format=github", f"--baseline={before}", old).stdout
        assert f"::{level} file={hang},title=call-unanswered::" in github
        text = check("merge", "--fail-on=error,trouble", "--format=text", f"--baseline={before}", old).stdout
        assert text.count("\n  new trouble: call-unanswered, client ") == status


def test_new_trouble_is_the_reason(check, written, capture):
    """The verdict names new trouble rather than old, even if the old is worse."""
    hang, refused = capture("rpcrdma", "--inject=RPCR-4.5.4-03"), capture("ddp", "--inject=DDP-4.1-12")
    text = check("merge", "--format=text", "--fail-on=never,trouble", f"--baseline={written('a.json', hang)}", written("b.json", hang, refused)).stdout
    assert text.startswith("TROUBLE: 1 operation was refused; ") and "was never answered" not in text.splitlines()[0]
