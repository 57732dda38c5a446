# SPDX-License-Identifier: GPL-2.0-or-later
"""Allocation failures in the plugins and their engine: tshark continues, shows every frame, and no findings that a
complete run does not show."""
import concurrent.futures
import os
import re
import shutil

import pytest

SCENARIOS = ["markers", "atomics", "nfs41-backchannel", "rpcrdma-segments"]
RUNS = 12 if os.environ.get("IWARP_ALL") != "1" else 2000  # of each; spread over all allocations
OBJECTS = "iwarp.so"


@pytest.fixture(scope="module")
def shim(build, wireshark):
    path = build / "tests" / "failmalloc" / "failmalloc.so"
    if not path.exists():
        pytest.skip("the sanitizers have allocators of their own")
    copy = wireshark.folder / "failmalloc.so"
    shutil.copyfile(path, copy)
    copy.chmod(0o755)
    reports = wireshark.folder / "failmalloc"
    reports.mkdir()
    reports.chmod(0o777)
    return copy


@pytest.mark.parametrize("way", ["-V", "-2"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_allocation_may_fail(wireshark, shim, generated, scenario, way):
    capture = wireshark.readable(generated(scenario, "--net=loss=0.05,reorder=0.1"))

    def run(number):
        report = shim.parent / "failmalloc" / f"{scenario}{way}{number}"
        result = wireshark.run("env", f"LD_PRELOAD={shim}", f"FAILMALLOC={number}", f"FAILMALLOC_REPORT={report}",
                               f"FAILMALLOC_OBJECTS={OBJECTS}", "G_SLICE=always-malloc", "tshark", "-r", capture, way)
        return number, result, (report.exists() and report.read_text(encoding="utf-8")) or "gone"

    _, whole, counted = run(0)
    total = int(counted)
    assert whole.returncode == 0 and total > 20
    frames = count_frames(whole.stdout, way)
    assert frames > 10
    rules = rules_in(whole.stdout)
    numbers = sorted({1 + index * total // RUNS for index in range(RUNS)})
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, result, said in pool.map(run, numbers):
            where = f"allocation {number} of {total}: status {result.returncode}\n{result.stderr}"
            assert "failed" in said, where
            assert result.returncode == 0, where
            assert count_frames(result.stdout, way) == frames, where
            assert rules_in(result.stdout) <= rules, where
            assert "Dissector bug" not in result.stdout, where


def count_frames(output, way):
    lines = output.splitlines()
    return sum(line.startswith("Frame ") for line in lines) if way == "-V" else len(lines)


def rules_in(output):
    """Ids of rules that findings name, with the frames that have them (-V)."""
    found, frame = set(), None
    for line in output.splitlines():
        if line.startswith("Frame "):
            frame = line.split(":")[0]
        elif "Expert Info" in line:
            found |= {(frame, rule) for rule in re.findall(r"\b[A-Z]{3,}-[\d.]+-\d+", line)}
    return found
