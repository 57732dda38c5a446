# SPDX-License-Identifier: GPL-2.0-or-later
"""When iwarp-check reads packets it can open no other file and start no program; these tests make it try."""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from reports import read_report

HERE = pathlib.Path(__file__).parent
EVERYTHING = {"read", "write", "create", "remove", "mode", "list", "program", "socket", "input", "thread-read"}
BY_SECCOMP = {"program", "socket", "mode"}


def landlock():
    return ctypes.CDLL(None, use_errno=True).syscall(444, None, ctypes.c_size_t(0), 1) >= 1


@pytest.fixture(scope="module")
def shim(build, tmp_path_factory):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    if "IWARP_SANITIZE:STRING=\n" not in cache or "IWARP_COVERAGE:BOOL=ON" in cache or "IWARP_TRAIN:BOOL=ON" in cache:
        pytest.skip("a build with sanitizers, coverage or training writes files of its own at the end, so it is not confined")
    if os.environ.get("IWARP_ARCH") or not shutil.which("cc"):
        pytest.skip("there is no compiler for the processor that the programs are for")
    path = tmp_path_factory.mktemp("shim") / "escape.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, HERE / "escape.c"], check=True)
    return path


@pytest.fixture
def tried(build, shim, tmp_path):
    """The names of the attempts that succeeded, and the run."""
    secret = tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")
    secret.chmod(0o644)
    environment = os.environ | {"LD_PRELOAD": str(shim), "ESCAPE_REPORT": str(tmp_path / "said"), "ESCAPE_FILE": str(secret),
                                "ESCAPE_NEW": str(tmp_path / "new")}

    def run(*arguments, given=None, **more):
        result = subprocess.run([build / "conformance" / "iwarp-check", *map(str, arguments)], env=environment | more, input=given, capture_output=True,
                                check=False, timeout=120)
        said = dict(line.split("=") for line in (tmp_path / "said").read_text(encoding="utf-8").splitlines())
        assert set(said) == EVERYTHING
        return {name for name, how in said.items() if how == "yes"}, result
    return run


def test_the_attempts_work(tried):
    """This fails nothing: without hostile input nothing is forbidden."""
    assert tried("--version")[0] == EVERYTHING


def left(*names):
    return set(names) | (set() if landlock() else EVERYTHING - BY_SECCOMP)


def test_nothing_goes(tried, good, bad):
    for arguments, given, status in (([good], None, 0), ([bad], None, 1), ([good, bad, "-j2"], None, 1), ([good, "-j4"], None, 0),
                                     (["-"], good.read_bytes(), 0), (["-r", good, "tcp"], None, 0), ([bad, "--stats", "--format=html"], None, 1)):
        went, result = tried(*arguments, given=given)
        assert went == left("input") and result.returncode == status and result.stderr == b"", (arguments, result.stderr)


def test_the_captures_may_be_opened(tried, good, bad, root):
    assert tried(good, bad, ESCAPE_INPUT=str(bad))[0] == left("input")
    assert tried(good, bad, ESCAPE_INPUT=str(root / "README.md"))[0] == left()


def test_reports_are_written(tried, bad, tmp_path):
    """The temporary file is made beside the report; nothing there can be read because of it."""
    there = tmp_path / "there"
    there.mkdir()
    (there / "old.json").write_text("old", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(there / "old.json")
    for name in (there / "new.json", there / "old.json", tmp_path / "link.json"):
        went, result = tried(bad, "--format=ndjson", f"--output={name}", f"--annotate={there / 'annotated.pcapng'}")
        assert result.returncode == 1 and result.stderr == b"", result.stderr
        assert read_report(name.read_text(encoding="utf-8"))["captures"]
        assert went == left("input")
    assert (tmp_path / "link.json").is_symlink() and (there / "annotated.pcapng").stat().st_size > bad.stat().st_size
    assert tried(bad, f"--output={there / 'x'}", ESCAPE_NEW=str(there / "y"))[0] == left("input", "create", "remove")
    assert tried(bad, "--output=/dev/stdout")[1].stdout.startswith(b"FAIL")
    assert tried(bad, f"--write={there / 'kept.pcap'}")[0] == left("input") and (there / "kept.pcap").exists()


def test_reports_of_periods_are_written(tried, bad, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    assert tried(bad, "--rotate=1", f"--output={there / 'part.txt'}")[1].stderr == b"" and (there / "part-00001.txt").exists()


def test_merge(tried, check, good, bad, tmp_path):
    parts = []
    for capture in (good, bad):
        parts.append(tmp_path / (capture.name + ".json"))
        check(capture, "--format=ndjson", f"--output={parts[-1]}")
    there = tmp_path / "there"
    there.mkdir()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as elsewhere:  # not below /tmp, where merge has its temporary files
        aims = {"ESCAPE_FILE": f"{elsewhere}/secret", "ESCAPE_NEW": f"{elsewhere}/new"}
        pathlib.Path(aims["ESCAPE_FILE"]).write_text("secret", encoding="utf-8")
        assert tried("merge", "--help", **aims)[0] == EVERYTHING
        for form in ("ndjson", "text"):
            went, result = tried("merge", *parts, f"--format={form}", f"--output={there / 'all'}", **aims)
            assert result.returncode == 1 and result.stderr == b"" and went == left("input")


def test_a_pipe_and_what_is_not_there(build, good):
    """Inputs without a name for Landlock; messages are unchanged."""
    program = build / "conformance" / "iwarp-check"
    result = subprocess.run(["bash", "-c", f"{program} <(cat {good}) {good}"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    for name, why in (("/no/such/file", "no such file"), ("/", "directory")):
        result = subprocess.run([program, good, name], env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True, check=False)
        assert result.returncode == 2 and why in result.stderr, result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can capture, and has rights to give up")
@pytest.mark.parametrize("user, uid", [(None, 65534), ("daemon", 1), ("root", 0)])
def test_root_is_given_up(build, shim, tmp_path, user, uid):
    """Like tcpdump -Z; root's reports are written."""
    folder = tmp_path / "only-root"
    folder.mkdir(mode=0o700)
    if user == "daemon":  # a named user has only that user's rights
        shutil.chown(folder, user)
        for parent in list(folder.parents)[:4]:
            parent.chmod(parent.stat().st_mode | 0o011)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUDO_")}
    secret = tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")
    environment |= {"LD_PRELOAD": str(shim), "ESCAPE_REPORT": str(tmp_path / "said"), "ESCAPE_FILE": str(secret), "ESCAPE_NEW": str(tmp_path / "new")}
    command = [build / "conformance" / "iwarp-check", "-i", "lo", "--allow-empty", "--no-progress", "--rotate=1", f"--output={folder}/report.txt",
               f"--write={folder}/kept.pcap", "host 127.0.0.99", *([f"-Z{user}"] if user else [])]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not (folder / "report-00002.txt").exists():
            assert process.poll() is None and time.monotonic() < end, process.stderr.read()
            time.sleep(0.05)
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        process.send_signal(signal.SIGINT)
        process.wait(60)
        assert process.stderr.read() == "" and process.returncode == 0
    rights = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert rights["Uid"].split() == [str(uid)] * 4
    assert int(rights["CapPrm"], 16) == (0 if user else 1 << 1)  # CAP_DAC_OVERRIDE, for reports that are still to be written
    assert (folder / "kept.pcap").exists()
    said = dict(line.split("=") for line in (tmp_path / "said").read_text(encoding="utf-8").splitlines())
    assert {name for name, how in said.items() if how == "yes"} == left("input")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can capture, and has rights to give up")
def test_no_such_user(check):
    result = check("-i", "lo", "-Z", "nobody-of-that-name")
    assert result.returncode == 2 and "-Z: there is no user 'nobody-of-that-name'" in result.stderr, result.stderr


def test_a_user_is_for_live_captures(check, good):
    assert "-Z needs -i" in check("-Z", "nobody", good).stderr
