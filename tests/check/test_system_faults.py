# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of the system: full disks, files that change while they are read, clocks that jump, killed, very many files."""
import fcntl
import os
import resource
import signal
import struct
import subprocess
import termios
import time

import pytest

from reports import each, read_report

OLD = "what was here before\n"
FORMATS = ["text", "ndjson", "junit", "html", "sarif", "github", "markdown", "tap"]


@pytest.fixture(scope="module")
def large(build, tmp_path_factory):
    """A capture of 40 MB with a finding in every few packets."""
    path = tmp_path_factory.mktemp("large") / "large.pcapng"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "bulk", "--size=40M", "-o", path], check=True,
                   capture_output=True)
    return path


@pytest.fixture(scope="module")
def checker(build):
    return build / "conformance" / "iwarp-check"


# ---- full disks ----

def in_small_disk(size, script, *arguments):
    """Runs the shell script in a directory on a disk of `size` KiB. Its status and output."""
    mount = f'mount -t tmpfs -o size={size}k none "$0" && cd "$0" || exit 99\n'
    result = subprocess.run(["unshare", "--mount", "sh", "-c", mount + script, *arguments], capture_output=True, text=True,
                            timeout=120, check=False)
    if result.returncode == 99 or "unshare" in result.stderr:
        pytest.skip("no disk of one's own here: " + result.stderr)
    return result


@pytest.mark.parametrize("form", FORMATS)
def test_disk_fills_in_the_middle_of_a_report(checker, build, tmp_path, form):
    capture = tmp_path / "many.pcapng"
    # GitHub's annotations are one line for each finding: many captures with one finding.
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "rev1", "--inject=MPA-4.1-05", "-o", capture], check=True)
    script = (f'printf "{OLD}" >report; "$1" --verbose --format={form} --output=report $(yes "$2" | head -n 400); '
              'echo "status $?"; ls; cat report')
    result = in_small_disk(40, script, tmp_path, checker, capture)
    assert result.stdout == f"status 2\nreport\n{OLD}", result.stderr[-500:]
    assert "No space left on device" in result.stderr.splitlines()[-1]


def test_disk_fills_in_the_middle_of_the_annotated_copy(checker, large, tmp_path):
    script = f'printf "{OLD}" >copy; "$1" --annotate=copy "$2"; echo "status $?"; ls; cat copy'
    result = in_small_disk(8192, script, tmp_path, checker, large)
    assert f"status 2\ncopy\n{OLD}" in result.stdout
    assert "No space left on device" in result.stderr.splitlines()[-1]


def test_disk_fills_while_parts_are_written(checker, large, tmp_path):
    """--rotate: complete reports stay, the rest is an error."""
    script = '"$1" --verbose --rotate=0.001 --format=ndjson --output=report "$2"; echo "status $?"; ls'
    result = in_small_disk(100, script, tmp_path, checker, large)
    lines = result.stdout.split()
    assert lines[:2] == ["status", "2"] and "No space left on device" in result.stderr
    assert lines[2:] and all(name.startswith("report-0") for name in lines[2:]), result.stdout


# ---- killed ----

@pytest.mark.parametrize("option", ["--annotate", "--output"])
def test_killed_while_writing_keeps_the_old_file(checker, build, large, tmp_path, option):
    target = tmp_path / "target"
    target.write_text(OLD)
    captures, options = [large], []
    if option == "--output":
        captures, options = [tmp_path / "many.pcapng"] * 2000, ["--format=ndjson", "--verbose"]
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs3", "-o", captures[0]], check=True)
    result = subprocess.run([checker, *options, f"{option}={target}", *captures], stdout=subprocess.DEVNULL, check=False,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    assert result.returncode == -signal.SIGXFSZ  # the kernel ends it at the write that exceeds the limit
    assert [path.stat().st_size for path in tmp_path.glob("target.*")] == [1 << 20]
    assert target.read_text() == OLD


# ---- captures that change while they are read ----

def waiting(pipe):
    """Octets in the pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def reading_stopped(checker, path):
    """iwarp-check --print in the middle of the capture: nobody reads its output."""
    ours, theirs = os.pipe()
    fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, 4096)  # while it is empty
    process = subprocess.Popen([checker, "--print", "--format=ndjson", "--output=/dev/fd/2", path], stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    process.stdout = os.fdopen(ours, "rb")
    while waiting(process.stdout) < 4096:  # until the pipe is full
        time.sleep(0.01)
    return process


def finish(process):
    with process:
        _, said = process.communicate(timeout=120)
    text = said.decode()
    report = "\n".join(line for line in text.split("\n") if line.startswith("{"))
    return process.returncode, read_report(report), text


@pytest.mark.parametrize("suffix", ["pcapng", "pcap"])
def test_file_is_truncated_while_it_is_read(checker, build, tmp_path, suffix):
    path = tmp_path / f"shrinks.{suffix}"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "bulk", "--size=10M", "-o", path,
                    *(["--pcap"] if suffix == "pcap" else [])], check=True)
    process = reading_stopped(checker, path)
    os.truncate(path, 5_000_001)
    status, report, said = finish(process)
    capture = report["captures"][0]
    assert status == 2 and capture["truncated"] is True and 1000 < capture["packets"] < 8000
    assert f"ends too early: the first {capture['packets']} packets were checked" in capture["error"], said


def test_file_is_emptied_while_it_is_read(checker, build, tmp_path):
    path = tmp_path / "vanishes.pcapng"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "bulk", "--size=10M", "-o", path], check=True)
    process = reading_stopped(checker, path)
    os.truncate(path, 0)
    status, report, _ = finish(process)
    assert status in (0, 2) and report["captures"][0]["packets"] > 10


def test_file_grows_while_it_is_read(checker, build, tmp_path):
    path, whole = tmp_path / "grows.pcapng", tmp_path / "whole.pcapng"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "bulk", "--size=6M", "-o", whole], check=True)
    octets = whole.read_bytes()
    path.write_bytes(octets[:3_000_001])
    process = reading_stopped(checker, path)
    with open(path, "ab") as file:
        file.write(octets[3_000_001:])
    status, report, _ = finish(process)
    _, expected, _ = finish(reading_stopped(checker, whole))
    assert status == 0 and report["captures"][0]["truncated"] is False
    assert report["captures"][0]["connections"] == expected["captures"][0]["connections"]


def test_growing_file_through_a_pipe(checker, build, tmp_path):
    """tail -f | iwarp-check -"""
    path, whole = tmp_path / "grows.pcapng", tmp_path / "whole.pcapng"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs3", "-o", whole], check=True)
    octets = whole.read_bytes()
    path.write_bytes(octets[:1001])
    with subprocess.Popen(["tail", "-c", "+1", "-s", "0.05", "-f", path], stdout=subprocess.PIPE) as tail:
        with subprocess.Popen([checker, "--format=ndjson", "-"], stdin=tail.stdout, stdout=subprocess.PIPE) as process:
            for at in range(1001, len(octets), 5000):
                with open(path, "ab") as file:
                    file.write(octets[at:at + 5000])
                time.sleep(0.05)
            while int(open(f"/proc/{process.pid}/io", encoding="ascii").read().split("rchar: ")[1].split()[0]) < len(octets):
                time.sleep(0.05)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)  # as by an impatient user
            report = read_report(process.communicate(timeout=60)[0])
        tail.kill()
    expected = read_report(subprocess.run([checker, "--format=ndjson", whole], capture_output=True, check=False).stdout)
    assert process.returncode == 0
    assert report["captures"][0]["connections"] == expected["captures"][0]["connections"]


# ---- clocks that jump ----

HOUR, DAY, YEAR = 3600 * 10**9, 24 * 3600 * 10**9, 365 * 24 * 3600 * 10**9


def records(octets):
    """[(ns, rest of the record)] of a pcap file with nanoseconds."""
    assert octets[:4] == struct.pack("<I", 0xA1B23C4D)
    at, found = 24, []
    while at < len(octets):
        seconds, fraction, captured = struct.unpack_from("<III", octets, at)
        found.append((seconds * 10**9 + fraction, octets[at + 8:at + 16 + captured]))
        at += 16 + captured
    return found


def findings(checker, path):
    result = subprocess.run([checker, "--format=ndjson", "--max-findings=0", path], capture_output=True, text=True, check=False,
                            timeout=60)
    report = read_report(result.stdout)
    capture = report["captures"][0]
    return {(found["rule"], found["frame"]) for connection in capture["connections"] for found in connection["findings"]}, capture


@pytest.mark.parametrize("scenario", ["rev2", "streaming-first", "rpcrdma-hole", "rpcrdma-again", "atomics", "nfs41-backchannel"])
def test_clock_jumps_blame_nobody(checker, build, tmp_path, scenario):
    original, changed = tmp_path / "original.pcap", tmp_path / "changed.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, "--pcap", "-o", original], check=True)
    octets = original.read_bytes()
    packets = records(octets)
    expected, whole = findings(checker, original)
    assert "warning" not in whole
    for jump in (-2 * HOUR, -10 * YEAR, DAY, 60 * YEAR):
        for at in range(1, len(packets), max(1, len(packets) // 6)):
            for for_good in (True, False):
                lines = [octets[:24]]
                for index, (stamp, rest) in enumerate(packets):
                    if index == at or (for_good and index > at):
                        stamp = min(max(stamp + jump, 0), 0xFFFFFFFF * 10**9)
                    lines.append(struct.pack("<II", stamp // 10**9, stamp % 10**9) + rest)
                changed.write_bytes(b"".join(lines))
                got, capture = findings(checker, changed)
                assert got <= expected, (jump, at, for_good)
                assert capture["packets"] == len(packets)
                assert f"{'back' if jump < 0 else 'forward'} by" in capture["warning"] and f"at frame {at + 1};" in capture["warning"]


def test_a_packet_captured_late_is_no_jump(checker, build, tmp_path):
    """The packet has the time at which it was sent; the next packet continues the earlier times."""
    original, changed = tmp_path / "original.pcap", tmp_path / "changed.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs3", "--pcap", "-o", original], check=True)
    octets = original.read_bytes()
    packets = records(octets)
    expected, _ = findings(checker, original)
    for late in (2, 1800):
        for at in range(1, len(packets) - 1, max(1, len(packets) // 6)):
            stamps = [stamp - late * 10**9 * (index == at) for index, (stamp, _) in enumerate(packets)]
            changed.write_bytes(octets[:24] + b"".join(struct.pack("<II", stamp // 10**9, stamp % 10**9) + rest
                                                       for stamp, (_, rest) in zip(stamps, packets)))
            got, capture = findings(checker, changed)
            assert got <= expected and "warning" not in capture, (late, at)


def test_times_at_their_limits(checker, build, tmp_path):
    original, changed = tmp_path / "original.pcap", tmp_path / "changed.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs3", "--pcap", "-o", original], check=True)
    octets = original.read_bytes()
    for seconds in (0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        changed.write_bytes(octets[:24] + b"".join(struct.pack("<II", seconds, 0xFFFFFFFF) + rest for _, rest in records(octets)))
        got, capture = findings(checker, changed)
        assert got == set() and capture["connections"] and "warning" not in capture


# ---- very many files ----

def test_ten_thousand_files(checker, build, tmp_path):
    """With 32 file descriptors, and 100 MiB."""
    first = tmp_path / "0.pcapng"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "rev1", "-o", first], check=True)
    for number in range(1, 10_000):
        os.link(first, tmp_path / f"{number}.pcapng")

    def limits():
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
    if "address" in (build / "CMakeCache.txt").read_text().split("IWARP_SANITIZE:STRING=")[1].split("\n")[0]:
        pytest.skip("the sanitizer reserves memory of its own")
    names = [f"{number}.pcapng" for number in range(10_000)]
    for options in (["-j2", "--summary"], ["--format=ndjson", "--output=report.json"], ["--format=html", "--output=report.html"]):
        result = subprocess.run([checker, *options, *names], capture_output=True, cwd=tmp_path, preexec_fn=limits, check=False,
                                timeout=300)
        assert result.returncode == 0 and result.stderr == b"", result.stderr[-300:]
    rest = []
    with (tmp_path / "report.json").open(encoding="utf-8") as file:
        assert sum(1 for _ in each(file, "captures", rest)) == 10_000
    assert read_report("".join(rest))["captures"] == []
