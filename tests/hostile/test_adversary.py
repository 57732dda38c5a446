# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures made to exhaust the checker: time grows with their size and not faster, memory stays bounded, nothing crashes."""
import os
import re
import subprocess

import pytest

import adversary

SMALL = 8000 if os.environ.get("IWARP_ALL") != "1" else 100000
FACTOR = 4
SLACK_SECONDS = 0.25      # start of the program, and what a busy machine adds
MEMORY_MIB = 96           # whatever the size
OPEN_KIB = 24             # for each connection open at the same time, of which there are at most 65,536
WORSE_THAN_LINEAR = 2.5   # times; a square would be FACTOR


def judge(build, capture):
    """Status, CPU seconds and the most memory, in MiB, of one run. time(1) starts it, as what a large process starts counts
    as large itself."""
    report = capture.with_suffix(".time")
    result = subprocess.run(["/usr/bin/time", "-o", report, "-f", "%U %S %M", build / "conformance" / "iwarp-check",
                             "--summary", "--no-progress", capture], capture_output=True, text=True, check=False,
                            timeout=600)
    user, system, kilobytes = report.read_text(encoding="utf-8").splitlines()[-1].split()
    return result.returncode, float(user) + float(system), int(kilobytes) / 1024, result.stdout + result.stderr


@pytest.mark.parametrize("case", adversary.ALL, ids=lambda case: case.__name__)
def test_bounded(build, sanitized, tmp_path, case):
    seconds = {}
    for n in (SMALL, FACTOR * SMALL):
        path = tmp_path / f"{n}.pcap"
        capture = adversary.Capture(path)
        case(capture, n)
        capture.close()
        status, seconds[n], memory, said = judge(build, path)
        assert status in (0, 1, 3), (status, said)
        assert "Sanitizer" not in said
        if not sanitized:
            allowed = max(MEMORY_MIB, 16 + getattr(case, "open", lambda n: 0)(n) * OPEN_KIB / 1024)
            assert memory < allowed, f"{memory:.0f} MiB for {n}, allowed {allowed:.0f}"
        path.unlink()
    limit = WORSE_THAN_LINEAR * FACTOR * max(seconds[SMALL], 0.02) + SLACK_SECONDS
    assert seconds[FACTOR * SMALL] < limit, seconds


@pytest.mark.parametrize("text", [lambda n: "[" * n, lambda n: "a: {" * n, lambda n: "- " * n,
                                  lambda n: "".join(f"- &a{i} x\n" for i in range(n))],
                         ids=["brackets", "braces", "dashes", "anchors"])
def test_yaml_is_refused_early(build, tmp_path, text):
    """libyaml takes time that grows with the square of the depth, and of the number of anchors."""
    path = tmp_path / "deep.yaml"
    path.write_text(text(200000), encoding="utf-8")
    for command in ([build / "conformance" / "iwarp-check", f"--waivers={path}", path],
                    [build / "traffic-gen" / "iwarp-gen", "play", path, "-o", tmp_path / "out.pcapng"]):
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)  # it was half an hour
        assert run.returncode == 2
        assert re.search(f"{path}:[0-9]+: (nested too deeply|too many anchors|a waiver must be a mapping)|more than [0-9]+ octets",
                         run.stderr), run.stderr
