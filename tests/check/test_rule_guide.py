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
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts/rule", tmp_path / "scripts/rule")
    return tmp_path


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_rule_that_lacks_nothing(tree):
    run = guide(tree)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "check    engine/mpa/mpa_content_rules.c:" in run.stdout and "fault    rules/mpa.cases:" in run.stdout and "missing" not in run.stdout


@pytest.mark.parametrize("what,path,old,new", [
    ("check", "engine/mpa/mpa_content_rules.c", "RULE_MPA_4_1_05", "RULE_MPA_4_1_06"),
    ("fault", "rules/mpa.cases", "  violates rev1: PAD octets 01 02 03", "  holds rev1: PAD octets 01 02 03"),
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
