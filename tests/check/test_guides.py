# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/howto/add-a-*.md print is added to a copy of the tree, which must then pass what the guides say.

A block ```diff is a patch, ```tsv a row that comes after the row with the number before its own. In ./test the copy is read by the scripts
and generators, and the changed C files by the compiler; with IWARP_ALL the copy is built, and the commands of the guides are run."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from test_howto import commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOWTO = ROOT / "docs" / "howto"
GUIDES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(HOWTO.glob("add-a*.md"))}
RULE, SCENARIO = "MPA-4.1-13", "write-and-announce"
LEFT_OUT = shutil.ignore_patterns("build", ".git", "__pycache__")


def blocks(guide, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", GUIDES[guide], re.S | re.M)


def run(tree, *command, **options):
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    return done.returncode, done.stdout


def must(tree, *command, **options):
    status, said = run(tree, *command, **options)
    assert status == 0, f"{' '.join(map(str, command))}\n{said[-6000:]}"
    return said


def add(tree, guide):
    for row in blocks(guide, "tsv"):
        name = row.split("\t")[0]
        previous = f"{name[:-2]}{int(name[-2:]) - 1:02}\t"
        table, = (path for path in (tree / "rules").glob("*.tsv") if f"\n{previous}" in path.read_text(encoding="utf-8"))
        lines = table.read_text(encoding="utf-8").splitlines(True)
        lines.insert(1 + next(n for n, line in enumerate(lines) if line.startswith(previous)), row)
        table.write_text("".join(lines), encoding="utf-8")
    for patch in blocks(guide, "diff"):
        must(tree, "patch", "-p1", "--no-backup-if-mismatch", input=patch)


def add_scenario(tree, build):
    """As the page says: the file is made by the first command, played, and copied; the corpus has its capture."""
    first = next(command for _, command, _ in commands(GUIDES["add-a-scenario"]) if f"> {SCENARIO}.scenario" in command)
    must(tree, "bash", "-c", first)
    file = tree / f"{SCENARIO}.scenario"
    must(tree, build / "traffic-gen" / "iwarp-gen", "play", file, "-o", tree / f"captures/generated/conforming/{SCENARIO}.pcapng")
    assert f"`traffic-gen/scenarios/{file.name}`" in GUIDES["add-a-scenario"]
    file.rename(tree / "traffic-gen" / "scenarios" / file.name)


@pytest.fixture(scope="module")
def tree(tmp_path_factory, build):
    """A copy with a repository of its own, in which the branch main is what was copied, and everything printed is added."""
    copy = tmp_path_factory.mktemp("guides") / "tree"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    git = ("git", "-c", "user.name=guide", "-c", "user.email=guide@example.org")
    for command in (("init", "-q", "-b", "main"), ("add", "--all"), ("commit", "-q", "-m", "the copy")):
        must(copy, *git, *command)
    for guide in GUIDES:
        add(copy, guide)
    add_scenario(copy, build)
    return copy


def test_every_guide_prints_something():
    assert set(GUIDES) == {"add-a-case", "add-a-rule", "add-a-scenario", "add-an-upper-layer"}
    for guide in ("add-a-case", "add-a-rule", "add-an-upper-layer"):
        assert blocks(guide, "diff"), guide
    assert blocks("add-a-rule", "tsv")[0].startswith(RULE + "\t")


def test_the_rule_lacks_only_what_is_made(tree):
    status, said = run(tree, sys.executable, "scripts/rule", RULE, "nothing-built")
    assert status == 1 and "missing: captures, page" in said, said
    assert f"RULE_{re.sub('[-.]', '_', RULE)}" in said


@pytest.mark.parametrize("script", ["directions", "comments", "names", "rooms", "dialect"])
def test_house_rules(tree, script):
    must(tree, "git", "add", "--all", "--intent-to-add", ".")
    must(tree, f"scripts/{script}")


def test_lint_changed(tree):
    if not shutil.which("clang-format"):
        pytest.skip("clang-format is not installed")
    must(tree, "scripts/lint", "--changed")
    file = tree / "engine" / "hello" / "hello_ulp.c"
    right = file.read_text(encoding="utf-8")
    for wrong, step in ((right.replace("    (void)state;", "  (void)state;"), "clang-format"), (right.replace("// SPDX", "// no"), "licence-lines"),
                        (right.replace('"engine/rdma/ulp_named.h"', '"conformance/run.h"'), "directions")):
        assert wrong != right
        file.write_text(wrong, encoding="utf-8")
        status, said = run(tree, "scripts/lint", "--changed")
        assert status == 1 and f"{step}: see above" in said, said
    file.write_text(right, encoding="utf-8")


def test_compiled(tree, build, tmp_path):
    """The catalogue and the rows of the suites are made, and the changed files of the engine compile with the new rule."""
    tables = sorted(map(str, (tree / "rules").glob("*.tsv")))
    must(tree, sys.executable, "rules/catalogue.py", tmp_path, *tables)
    assert "RULE_MPA_4_1_13" in (tmp_path / "rule_ids.h").read_text(encoding="utf-8")
    must(tree, sys.executable, "rules/cases.py", "faults", tmp_path / "faults.c", *sorted(map(str, (tree / "rules").glob("*.cases"))), *tables)
    assert RULE in (tmp_path / "faults.c").read_text(encoding="utf-8")
    changed = must(tree, "git", "diff", "--name-only", "--diff-filter=AM", "HEAD", "--", "engine/*.c").split()
    assert len(changed) == 3
    options = next(entry["command"] for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
                   if entry["file"].endswith("engine/srp/srp_ulp.c")).split()
    includes = ["-I", tmp_path, "-I", tree, *(word for word in options if word.startswith("-I"))]
    for file in changed:
        must(tree, "cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *includes, file)


def test_what_happened_stays(tree, build):
    """The golden file of test_happened.py does not change with a new scenario; a rule changes only numbers that the file lacks."""
    must(tree, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/check/test_happened.py", "-k", "golden or silent",
         env=os.environ | {"IWARP_BUILD": str(build)})
    assert "exercised" not in (tree / "tests/check/happened.txt").read_text(encoding="utf-8")


@pytest.mark.all
def test_built(tree):
    """A build of the copy, and the commands of the guides, as printed; then the tests that a new rule or scenario has broken before."""
    must(tree, "cmake", "--preset", "release")
    for guide, text in GUIDES.items():
        said = [command.split("  #")[0].strip() for command in re.findall(r"^    ((?:cmake --build|scripts/rule) .*)$", text, re.M)]
        for command in said:
            if command == f"scripts/rule {RULE}" or "--test" in command or "--build" in command:
                must(tree, "bash", "-c", command)
        for scenario in blocks(guide, "scenario"):
            (tree / "hello.scenario").write_text(scenario, encoding="utf-8")
            must(tree, "build/release/traffic-gen/iwarp-gen", "play", "hello.scenario", "-o", "hello.pcapng")
            assert "[hello: greeting " in must(tree, "build/release/conformance/iwarp-check", "--print", "hello.pcapng")
    must(tree, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/check/test_happened.py", "tests/check/test_catalogue.py",
         "tests/check/test_rule_files.py", "tests/check/test_rule_guide.py", "tests/corpus/test_kept.py",
         env=os.environ | {"IWARP_BUILD": str(tree / "build/release")})
