# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/rule: where the parts of a rule are, and which are missing."""
import shutil
import subprocess
import sys

import pytest

RULE = "MPA-4.1-05"


def guide(tree, rule=RULE):
    return subprocess.run([sys.executable, tree / "scripts/rule", rule, tree / "nothing-built"], capture_output=True, text=True, check=False)


@pytest.fixture
def tree(root, tmp_path):
    for part in ("rules", "docs/rules", "engine/mpa"):
        shutil.copytree(root / part, tmp_path / part)
    for file in ("scripts/rule", "captures/generated/manifest.tsv"):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(root / file, tmp_path / file)
    return tmp_path


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_rule_that_lacks_nothing(tree):
    run = guide(tree)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "captures captures/generated/mpa/MPA-4.1-05.pcapng" in run.stdout  # it is kept
    assert "check    engine/mpa/mpa_content_rules.c:" in run.stdout and "fault    rules/mpa.cases:" in run.stdout and "missing" not in run.stdout


@pytest.mark.parametrize("what,path,old,new", [
    ("check", "engine/mpa/mpa_content_rules.c", "RULE_MPA_4_1_05", "RULE_MPA_4_1_06"),
    ("fault", "rules/mpa.cases", "  violates rev1: PAD octets 01 02 03", "  holds rev1: PAD octets 01 02 03"),
    ("captures", "captures/generated/manifest.tsv", "--inject=MPA-4.1-05 ", "--inject=MPA-4.1-99 "),
    ("captures", "rules/mpa.cases", "PAD octets 01 02 03,", "PAD octets 01 02 04,"),
    ("page", "rules/mpa.tsv", "All PAD octets are zero.", "All PAD octets are one."),
    ("page", "docs/rules/mpa.md", "| MPA-4.1-05 |", "| MPA-4.1-99 |")])
def test_what_is_missing_is_said(tree, what, path, old, new):
    if what == "check":
        for file in (tree / "engine/mpa").glob("*.c"):
            file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    else:
        change(tree / path, old, new)
    run = guide(tree)
    assert run.returncode == 1 and f"missing: {what}" in run.stdout, run.stdout + run.stderr


def test_no_such_rule(tree):
    run = guide(tree, "MPA-4.1-999")
    assert run.returncode == 1 and "no row of rules/*.tsv is of MPA-4.1-999" in run.stderr
    for told in ("row      MISSING: the nearest is MPA-4.1-", "rules/mpa.tsv:", "id, doc, section", "block    MISSING: rules/mpa.cases: a line MPA-4.1-999"):
        assert told in run.stdout


def test_unjudged(tree):
    run = guide(tree, "MPA-7.1.2-33")
    assert run.returncode == 0 and "judged   no; with `yes` in the row" in run.stdout, run.stdout + run.stderr
    change(tree / "rules/mpa.tsv", "MPA-7.1.2-33\tRFC 5044\t7.1.2\tSTATED\tboth\tiwarp\twire\tnote\tno\t", "MPA-7.1.2-33\tRFC 5044\t7.1.2\tSTATED\tboth\tiwarp\twire\tnote\tyes\t")
    assert "missing: check, fault" in guide(tree, "MPA-7.1.2-33").stdout
