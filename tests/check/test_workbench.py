# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the developers' tools: scripts/tests-of, the page about debugging, and the files that editors, git and hosted services read."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "howto" / "debugging.md").read_text(encoding="utf-8")
REPOSITORY = (ROOT / ".git").exists()
needs_git = pytest.mark.skipif(not REPOSITORY, reason="no repository: an unpacked archive of the sources")


def asked(name):
    return subprocess.run([ROOT / "scripts" / "tests-of", ROOT / name], capture_output=True, text=True, check=False)


@needs_git
@pytest.mark.parametrize("name,expected", [
    ("engine/srp/srp_ulp.c", ["--target test_engine_srp_ulp ", "-R 'unit/(test_engine_srp_ulp)$'"]),
    ("engine/mpa/mpa_content_rules.c", ["test_engine_mpa_faults", "for rule in MPA-3-01 ", "scripts/rule --test MPA-4.1-05", "#   docs/howto/add-a-rule.md"]),
    ("conformance/trouble/trouble.c", ["tests/check/test_happened.py", "#   tests/check/happened.txt"]),
    ("tests/captures.py", ["tests/corpus/test_tunnels.py"]), # an import
    ("rules/mpa.cases", ["tests/unit/test_rules"]),
    ("docs/howto/add-a-rule.md", ["tests/check/test_howto.py"]),
    ("tests/check/happened.txt", ["tests/check/test_happened.py"])])
def test_tests_of(name, expected):
    done = asked(name)
    assert done.returncode == 0, done.stderr
    for words in expected:
        assert words in done.stdout
    for command in done.stdout.splitlines():
        files = re.findall(r"\btests/\S+\.py", command)
        assert all((ROOT / file).is_file() for file in files)


@needs_git
def test_tests_of_nothing():
    done = asked("captures/README.md")
    assert done.returncode == 0 or "no test names captures/README.md" in done.stdout
    done = asked("no-such-file.c")
    assert done.returncode == 1 and "is no file of this tree" in done.stderr


@needs_git
def test_captures_are_binary():
    """Git must not convert, compare or merge binary files, and all files that are declared binary are binary."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    said = subprocess.run(["git", "check-attr", "-z", "--stdin", "text"], cwd=ROOT, input=files, check=True, capture_output=True).stdout.decode().split("\0")
    of = dict(zip(said[0::3], said[2::3]))
    assert len(of) > 1000
    for name, text in of.items():
        if (ROOT / name).is_file():
            assert (text == "unset") == (b"\0" in (ROOT / name).read_bytes()), name


def test_workflow():
    """The workflow runs the same tests as ./test, on the release of Debian that the README names."""
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert flow[True] == ["push", "pull_request"]  # YAML 1.1 reads `on` as a truth
    job, = flow["jobs"].values()
    assert job["container"]["image"] == "debian:bookworm"
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs[-1] == "./test" and os.access(ROOT / "test", os.X_OK)
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])


def test_issue_templates():
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    yaml.safe_load((folder / "config.yml").read_text(encoding="utf-8"))
    templates = sorted(folder.glob("*.md"))
    assert len(templates) >= 3
    for path in templates:
        _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
        assert {"name", "about"} <= set(yaml.safe_load(front)), path.name
        for file in re.findall(r"\bdocs/\S+\.md", body):
            assert (ROOT / file).is_file(), file


def test_editor_files():
    folders = [part["CompileFlags"]["CompilationDatabase"] for part in yaml.safe_load_all((ROOT / ".clangd").read_text(encoding="utf-8"))]
    presets = (ROOT / "CMakePresets.json").read_text(encoding="utf-8")
    assert folders == ["build/debug", "build/web"] and all(f'"name": "{folder[6:]}"' in presets for folder in folders)
    limit = re.search(r"ColumnLimit: (\d+)", (ROOT / ".clang-format").read_text(encoding="utf-8"))[1]
    assert f"[*.{{c,h}}]\nmax_line_length = {limit}\n" in (ROOT / ".editorconfig").read_text(encoding="utf-8")


BREAKS = re.findall(r"^    \(gdb\) (break (\w+).*)$", PAGE, re.M)


def test_breakpoints_name_functions():
    assert len(BREAKS) >= 6
    sources = "\n".join(path.read_text(encoding="utf-8") for folder in ("engine", "conformance", "traffic-gen") for path in (ROOT / folder).rglob("*.[ch]"))
    for _, function in BREAKS:
        assert re.search(rf"^[\w *]*\b{function}\(", sources, re.M), function


@pytest.mark.parametrize("command,program", [(command, "traffic-gen/iwarp-gen" if function.startswith("script_") else "conformance/iwarp-check")
                                             for command, function in BREAKS if " if " in command and not function.startswith(("verdict_passed", "verdict_inc", "share_d"))])
def test_breakpoints_stop(build, tmp_path, command, program):
    """In a build for debugging: functions of a release build are merged with their callers."""
    if not shutil.which("gdb"):
        pytest.skip("gdb is not installed")
    if "CMAKE_BUILD_TYPE:STRING=Debug" not in (build / "CMakeCache.txt").read_text(encoding="utf-8"):
        pytest.skip("this build is not for debugging")
    bad, script = tmp_path / "bad.pcapng", tmp_path / "my.scenario"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "rev1", "--inject=MPA-4.1-05", "-o", bad], check=True, capture_output=True)
    script.write_text("with rev2\nI send len=16\nR send len=16\n", encoding="utf-8")
    arguments = ["-j", "1", bad] if program.startswith("conformance") else ["play", script, "-o", tmp_path / "out.pcapng"]
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", command, "-ex", "run", "-ex", "backtrace 1",
                           "--args", build / program, *arguments], capture_output=True, text=True, check=False, timeout=300)
    assert re.search(rf"^Breakpoint 1, {command.split()[1]} ", done.stdout, re.M), done.stdout + done.stderr
