# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/architecture.md, docs/CONTRIBUTING.md and other pages are right: the drawing of directions, files, directories, links."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files():
    """The project's files; without a repository (a release), all files except builds."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return set(listed.stdout.split("\n"))
    return {str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and path.relative_to(ROOT).parts[0] != "build"}


FILES = files()
PAGES = sorted(path for path in FILES if path.endswith(".md"))


def directions(*arguments):
    return subprocess.run([ROOT / "scripts" / "directions", *arguments], capture_output=True, text=True, cwd=ROOT)


def test_includes_keep_to_the_directions():
    assert directions().stdout == ""


@pytest.mark.parametrize("page", ["docs/CONTRIBUTING.md", "docs/architecture.md", "docs/howto/add-a-case.md", "docs/howto/add-a-rule.md"])
def test_named_files_are_there(page):
    """`engine/stack/stack.c` is a file, `engine/` a directory, `flow.c` a file in some directory."""
    names = {path.rsplit("/", 1)[-1] for path in FILES}
    for name in re.findall(r"`([\w./*-]+)`", (ROOT / page).read_text(encoding="utf-8")):
        if "*" in name:
            assert any(pathlib.PurePath(path).match(name) for path in FILES), name
        elif name.endswith("/"):
            assert any(path.startswith(name) for path in FILES), name
        elif re.search(r"\.(c|h|py|tsv|md|sh)$", name):
            assert name in FILES or name in names, name


def test_the_drawing_is_that_of_scripts_directions():
    assert directions("--drawing").stdout in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def defines(path, function):
    """A definition begins its line with the name right before the parenthesis; a static inline is defined in a header."""
    return re.search(rf"^\w.*\b{function}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def journeys():
    """(function, file or None) as in the walks of docs/architecture.md."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return re.findall(r"`(\w+)\(\)`(?:\s+in\s+`([\w./-]+)`)?", text)


@pytest.mark.parametrize("function,path", journeys())
def test_the_journeys_name_what_there_is(function, path):
    assert any(defines(name, function) for name in ([path] if path else FILES) if name.endswith((".c", ".h")))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8")):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), target
