# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of ./test: its progress and its total. scripts/packages waits for another apt."""
import collections
import os
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest

JUNIT = """<testsuites><testsuite>
<testcase classname="a" name="good"/><testcase classname="a" name="kept" status="run"/>
<testcase classname="a" name="left"><skipped message="no browser"/></testcase><testcase name="unit" status="disabled"/>
{}</testsuite></testsuites>"""
BAD = '<testcase classname="a" name="bad"><failure/></testcase>'


@pytest.mark.parametrize("more, last", [("", ["2 passed, 0 failed"]), (BAD, ["FAILED: a::bad", "2 passed, 1 failed"])], ids=["passed", "failed"])
def test_skips_have_a_reason(root, tmp_path, more, last):
    path = tmp_path / "one.xml"
    path.write_text(JUNIT.format(more), encoding="utf-8")
    done = subprocess.run([root / "scripts" / "total", path], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["skipped: a::left: no browser", "skipped: unit: disabled", "2 skipped", *last]
    assert done.returncode == bool(more)


def test_no_result_is_a_failure(root, tmp_path):
    done = subprocess.run([root / "scripts" / "total", tmp_path / "none.xml"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == "0 passed, 1 failed"


def test_progress(root, tmp_path):
    """For a build, ctest, and parts of pytest, while a process runs."""
    for name, text in (("build.log", "[1/30] a\n[12/30] b\n"), ("unit.log", "  1/3 Test #1: a .... Passed\n      Start 2: b\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name, text in (("build", tmp_path / "build.log"), ("unit", tmp_path / "unit.log"), ("check", "7 0 900"), ("suite", "8 2 50"), ("lives", "")):
        (tmp_path / f"{name}.now").write_text(f"{text}\n", encoding="utf-8")
    ours, theirs = pty.openpty()
    with subprocess.Popen(["sleep", "100"]) as watched, subprocess.Popen([root / "scripts" / "progress", tmp_path, str(watched.pid)],
                                                                         stdout=theirs, env=os.environ | {"COLUMNS": "200"}) as progress:
        os.close(theirs)
        line = b""
        while not line.endswith(b"\x1b[K"):
            line += os.read(ours, 1000)
        watched.kill()
        watched.wait()
        assert progress.wait(60) == 0
    os.close(ours)
    assert line.startswith(b"\r== 0:") and b": build 12/30, check 7/900, lives, suite 8/50 (2 failed), unit 1/3\x1b[K" in line


def test_counts_of_pytest(root, tmp_path):
    """tests/conftest.py counts what scripts/progress shows."""
    (tmp_path / "test_one.py").write_text("import pytest\ndef test_a(): pass\ndef test_b(): assert False\ndef test_c(): pytest.skip('no')\n",
                                          encoding="utf-8")
    (tmp_path / "conftest.py").write_bytes((root / "tests" / "conftest.py").read_bytes())
    subprocess.run(["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path], capture_output=True, check=False,
                   cwd=tmp_path, env=os.environ | {"IWARP_PROGRESS": str(tmp_path / "one.now")})
    assert (tmp_path / "one.now").read_text(encoding="ascii") == "1 1 3\n"


def copy_of_test(root, folder, lint):
    """./test in a folder of its own, whose only stage with work is lint: a script of ours."""
    (folder / "scripts").mkdir()
    shutil.copy(root / "test", folder / "test")
    for name, text in (("packages", "touch installed"), ("lint", lint)):
        (folder / "scripts" / name).write_text(f"#!/bin/bash\n{text}\n", encoding="ascii")
        (folder / "scripts" / name).chmod(0o755)
    for name in ("progress", "total"):
        shutil.copy(root / "scripts" / name, folder / "scripts" / name)
    return folder / "test"


@pytest.mark.parametrize("word, status", [("--help", 0), ("-h", 0), ("rubbish", 2)])
def test_words_are_checked_first(root, tmp_path, word, status):
    """Before anything is installed or deleted. The help names each stage."""
    done = subprocess.run([copy_of_test(root, tmp_path, "true"), word], capture_output=True, text=True, check=False)
    assert done.returncode == status and not (tmp_path / "installed").exists() and not (tmp_path / "build").exists()
    if status:
        assert "no stage 'rubbish'" in done.stderr
    else:
        stages = re.findall(r"^stage_(\w+)\(\)", (root / "test").read_text(encoding="utf-8"), re.M)
        assert len(stages) > 20 and all(re.search(rf"\b{stage}\b", done.stdout) for stage in stages)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_that_was_started(root, tmp_path, by):
    """Ends also processes that ignore Ctrl-C, as a shell's background processes do."""
    lint = "trap '' INT; sleep 987 & echo $! >one; (trap '' INT; sleep 986 & echo $! >two; wait) & wait"
    with subprocess.Popen([copy_of_test(root, tmp_path, lint), "lint"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          start_new_session=True) as running:
        while not all((tmp_path / name).exists() and (tmp_path / name).read_text(encoding="ascii") for name in ("one", "two")):
            time.sleep(0.05)
        running.send_signal(by)
        assert running.wait(60) == 128 + by and b"stopped" in running.stderr.read()
    for name in ("one", "two"):
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / name).read_text(encoding="ascii")), 0)


APT = """#!/bin/sh
cd "${0%/*}"
echo "$*" >>asked
case " $* " in
    *" update "*) [ -e free ] || { touch free; echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt)" >&2; exit 100; } ;;
    *" nowhere "*) echo "E: Unable to locate package nowhere" >&2; exit 100 ;;
esac
"""


@pytest.mark.parametrize("package, status", [("there", 0), ("nowhere", 1)])
def test_waits_for_another_apt(root, tmp_path, package, status):
    for name, text in (("apt-get", APT), ("dpkg-query", "#!/bin/sh\nexit 1\n"), ("sudo", '#!/bin/sh\nexec "$@"\n')):
        (tmp_path / name).write_text(text, encoding="ascii")
        (tmp_path / name).chmod(0o755)
    begun = time.monotonic()
    done = subprocess.run([root / "scripts" / "packages", package], capture_output=True, text=True, check=False,
                          env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == status and "another apt is at work" in done.stdout and ("nowhere" in done.stderr) == bool(status)
    assert time.monotonic() > begun + 4
    asked = (tmp_path / "asked").read_text(encoding="ascii").splitlines()
    assert [next(word for word in line.split() if word in ("update", "install")) for line in asked] == ["update", "update", "install"]


def test_each_test_module_has_a_name_of_its_own(root):
    """One run of pytest collects all folders, and two modules of one name end the collection."""
    names = collections.Counter(path.name for folder in ("tests", "lab") for path in (root / folder).rglob("test_*.py"))
    assert sum(names.values()) > 100 and [name for name, n in names.items() if n > 1] == []
