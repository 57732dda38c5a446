# SPDX-License-Identifier: GPL-2.0-or-later
"""Maintainer, homepage and issue tracker: set in packaging/origin, and nowhere else."""
import re
import shutil
import subprocess

import pytest


@pytest.fixture
def tree(root, tmp_path):
    for name in ("scripts", "packaging", "docs"):
        (tmp_path / name).mkdir()
    for name in ("scripts/origin", "packaging/origin", "packaging/iwarp-kit.spec", "docs/SECURITY.md"):
        shutil.copy(root / name, tmp_path / name)
    shutil.copytree(root / "debian", tmp_path / "debian")
    return tmp_path


def origin(folder, *arguments):
    return subprocess.run([folder / "scripts" / "origin", *arguments], capture_output=True, text=True, check=False)


def test_debian_is_as_it_says(root):
    result = origin(root, "--check")
    assert result.returncode == 0, result.stdout


def test_set_in_one_place(tree):
    values = {"maintainer": "Ada & Co. <ada@rnic.test>", "homepage": "https://rnic.test/a|b", "security": "safe@rnic.test", "issues": "https://rnic.test/i",
              "releases": "https://rnic.test/r/"}
    text = (tree / "packaging" / "origin").read_text()
    for key, value in values.items():
        text = re.sub(rf"^{key}: .*$", lambda _, key=key, value=value: f"{key}: {value}", text, flags=re.M)
    (tree / "packaging" / "origin").write_text(text)
    assert origin(tree, "--check").returncode == 1
    assert origin(tree).returncode == 0 and origin(tree, "--check").returncode == 0
    control = (tree / "debian" / "control").read_text()
    assert f"Maintainer: {values['maintainer']}\n" in control and f"Homepage: {values['homepage']}\n" in control
    assert f"Bug-Database: {values['issues']}\n" in (tree / "debian" / "upstream" / "metadata").read_text()
    assert f"\n{values['releases']} iwarp-kit-" in (tree / "debian" / "watch").read_text()
    spec = (tree / "packaging" / "iwarp-kit.spec").read_text()
    assert re.search(rf"^URL: +{re.escape(values['homepage'])}$", spec, re.M) and f" {values['maintainer']} - 1.0.0-1\n" in spec
    assert f"\n    {values['security']}\n" in (tree / "docs/SECURITY.md").read_text()
    left = [path for path in tree.rglob("*") if path.is_file() and path.name != "origin" and ".invalid" in path.read_text()]
    assert not left


def test_a_key_that_is_missing(tree):
    (tree / "packaging" / "origin").write_text("maintainer: x <x@y.test>\n")
    result = origin(tree)
    assert result.returncode == 2 and "no homepage" in result.stderr
    assert origin(tree, "--chek").returncode == 2


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@rnic.test", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("placeholder", ["maintainer", "homepage", "security", "issues", "releases"])
def test_no_release_with_a_placeholder(tree, root, placeholder):
    """The script makes neither a commit nor a message about a tag."""
    for name in ("scripts/release", "CMakeLists.txt", "docs/CHANGELOG.md"):
        shutil.copy(root / name, tree / name)
    said = (tree / "packaging" / "origin").read_text()
    kept = re.search(rf"^{placeholder}: .*$", said, re.M)[0]
    real = re.sub(r"^(\w+: .*)\.invalid", r"\1.test", said, flags=re.M).replace("These are placeholders", "These were placeholders")
    release = [tree / "scripts" / "release", "--dry-run"]
    git(tree, "init", "-q")
    for text, status in ((re.sub(rf"^{placeholder}: .*$", lambda _: kept, real, flags=re.M), 1), (real, 0)):
        (tree / "packaging" / "origin").write_text(text)
        assert origin(tree).returncode == 0
        git(tree, "add", "-A")
        git(tree, "commit", "-q", "-m", "x")
        result = subprocess.run(release, capture_output=True, text=True, check=False)
        assert result.returncode == status, result.stderr
        assert status == 0 or ("placeholders" in result.stderr and result.stdout == "")


def test_nowhere_else(root):
    """Everything that names a host of the project reads it from there."""
    for name in ("CMakeLists.txt", "packaging/CMakeLists.txt", "packaging/Containerfile", "scripts/release", "scripts/package"):
        assert not re.search(r"iwarp-kit@|https?://[a-z.-]*iwarp-kit", (root / name).read_text(encoding="utf-8")), name
