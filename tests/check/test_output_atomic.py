# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports get their names when they are complete: nobody finds half of one, and an old one stays when writing fails."""
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess

import pytest

OLD = "the report of yesterday\n"


@pytest.fixture
def writers(build, check, bad, tmp_path):
    """[(command that writes a report, normal status)]; {} stands for the place."""
    program, generator = build / "conformance" / "iwarp-check", build / "traffic-gen" / "iwarp-gen"
    one, tested = tmp_path / "one.json", tmp_path / "tested.json"
    check("--format=ndjson", f"--output={one}", bad)
    with subprocess.Popen([build / "tests" / "suite" / "sample-device", "responder", "127.0.0.1", "0"], stdout=subprocess.PIPE,
                          text=True) as device:
        test = [generator, "test", f"127.0.0.1:{device.stdout.readline().strip()}", "--rules=MPA-4.1-06", "--format=json"]
        subprocess.run([*test, f"--output={tested}"], check=True, timeout=60, stderr=subprocess.DEVNULL)
        yield [*(([program, f"--format={kind}", "--output={}", bad], 1) for kind in ("text", "ndjson", "junit", "html")),
               ([program, "merge", "--output={}", one], 1), ([*test, "--output={}"], 0), ([generator, "report", "--output={}", tested], 0)]
        device.kill()


def run(command, path, **options):
    return subprocess.run([str(part).replace("{}", str(path)) for part in command], capture_output=True, text=True, check=False,
                          timeout=60, stdin=subprocess.DEVNULL, **options)


def small_files():
    """A full disk for this program only."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def test_all_or_nothing(writers, tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    for command, status in writers:
        path = folder / "report"
        path.write_text(OLD)
        failed = run(command, path, preexec_fn=small_files)
        said = [line for line in failed.stderr.splitlines() if not line.startswith("libgcov")]  # it meets the same limit
        assert failed.returncode == 2 and "File too large" in said[-1], command
        assert path.read_text() == OLD and os.listdir(folder) == ["report"]
        assert run(command, path).returncode == status
        assert path.read_text() != OLD and os.listdir(folder) == ["report"]


def test_mode_and_links_stay(writers, tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    for command, status in writers:
        target, link = folder / "target", folder / "link"
        target.write_text(OLD)
        target.chmod(0o640)
        link.symlink_to(target)
        assert run(command, link).returncode == status
        assert link.is_symlink() and target.read_text() != OLD and stat.S_IMODE(target.stat().st_mode) == 0o640
        fresh = folder / "fresh"
        assert run(command, fresh, umask=0o027).returncode == status
        assert stat.S_IMODE(fresh.stat().st_mode) == 0o640
        for path in (link, target, fresh):
            path.unlink()


def timeless(page):
    """A report without its date, command line and duration."""
    return re.sub(r"<dt>(Written|Command)</dt><dd>.*?</dd>| time=\"[\d.]+\"", "", page, flags=re.S)


def test_devices_and_pipes_are_written_as_they_are(writers, tmp_path):
    for command, status in writers:
        plain = tmp_path / "plain"
        assert run(command, plain).returncode == status
        again = "test" not in command[1:2]  # its reports contain times
        printed = run(command, "/dev/stdout").stdout
        assert timeless(printed) == timeless(plain.read_text(encoding="utf-8")) if again else json.loads(printed)
        full = run(command, "/dev/full")
        assert full.returncode == 2 and "No space left" in full.stderr
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        copied = tmp_path / "copied"
        with subprocess.Popen(["cp", "--copy-contents", fifo, copied]) as reader:
            assert run(command, fifo).returncode == status and reader.wait(60) == 0
        said = copied.read_text(encoding="utf-8")
        assert timeless(said) == timeless(plain.read_text(encoding="utf-8")) if again else said.startswith("{")
        fifo.unlink()
        plain.unlink()


@pytest.mark.parametrize("name", ["no/such/folder/report", "."])
def test_told_before_the_work(build, tmp_path, name):
    """The message must not come after reading a capture that takes all night."""
    with subprocess.Popen([build / "conformance" / "iwarp-check", f"--output={tmp_path / name}", "-"], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        assert process.wait(60) == 2
        assert "cannot write" in process.stderr.read()
        process.stdin.close()
    result = run([build / "traffic-gen" / "iwarp-gen", "test", "192.0.2.1:1", "--output={}"], tmp_path / name)
    assert result.returncode == 2 and ("No such file" in result.stderr or "directory" in result.stderr)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run the program as another user")
def test_where_names_belong_to_others(build, good, tmp_path):
    """In a directory like /tmp another user's file cannot be replaced: the message comes before the work, not after it."""
    for parent in [tmp_path, *list(tmp_path.parents)[:3]]:
        parent.chmod(parent.stat().st_mode | 0o055)
    program = shutil.copy(build / "conformance" / "iwarp-check", tmp_path)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    theirs, mine = shared / "theirs.txt", shared / "mine.txt"
    for path, owner in ((theirs, 0), (mine, 65534)):
        path.write_text("old", encoding="utf-8")
        path.chmod(0o666)
        os.chown(path, owner, owner)
    packets = good.read_bytes()
    for path, status in ((theirs, 2), (mine, 0)):
        result = subprocess.run([program, "-", f"--output={path}"], input=packets, capture_output=True, user=65534, group=65534, extra_groups=[], check=False)
        assert result.returncode == status, result.stderr
        assert (b"Operation not permitted" in result.stderr) == (status == 2)
    assert theirs.read_text(encoding="utf-8") == "old" and mine.read_text(encoding="utf-8").startswith("PASS")
