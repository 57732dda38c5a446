# SPDX-License-Identifier: GPL-2.0-or-later
"""--format=tap: TAP 14 that KTAP's readers and prove accept, with the contents of the JSON report."""
import os
import re
import shutil
import subprocess

import pytest
import yaml

POINT = re.compile(r"(not )?ok (\d+) - ((?:[^#\\]|\\.)*?)(?: # (SKIP|TODO) (.*))?")


def read(text):
    """[(ok, description, directive, reason, YAML)]"""
    lines = text.splitlines()
    assert lines[0] == "TAP version 14"
    plan = int(re.fullmatch(r"1\.\.(\d+)(?: # SKIP .*)?", lines[1])[1])
    points, at = [], 2
    while at < len(lines):
        if lines[at] == "  ---":
            end = lines.index("  ...", at)
            points[-1][4] = yaml.safe_load("\n".join(line[2:] for line in lines[at + 1:end]))
            at = end
        elif not lines[at].startswith("# "):
            found = POINT.fullmatch(lines[at])
            assert found and int(found[2]) == len(points) + 1, lines[at]
            points.append([not found[1], found[3], found[4], found[5], None])
        at += 1
    assert len(points) == plan
    return points


@pytest.fixture
def tap(check, monkeypatch):
    monkeypatch.delenv("HARNESS_ACTIVE", raising=False)

    def run(*arguments):
        result = check("--format=tap", *arguments)
        return result.returncode, read(result.stdout)
    return run


def test_points_are_the_rules_exercised(tap, report, good, bad, fault):
    for path in (good, bad):
        status, points = tap(path)
        rules = report(path)[1]["captures"][0]["connections"][0]["rules"]
        assert [point[1].split()[-1] for point in points] == list(rules)
        assert status == (path == bad) and {point[1].split()[-1] for point in points if not point[0]} == ({fault} if path == bad else set())
        assert all((point[2] == "SKIP") == (not rules[point[1].split()[-1]]["passed"] and not rules[point[1].split()[-1]]["failed"])
                   for point in points)
    failed, = (point for point in points if not point[0])
    assert failed[4]["severity"] == "error" and "PAD octets 01 02 03; expected 3 zero" in failed[4]["message"] and failed[4]["source"].startswith("RFC 5044")


def test_waived_is_expected(tap, bad, fault):
    status, points = tap(f"--waive={fault}:it # is known\\", bad)
    point, = (point for point in points if point[2] == "TODO")
    assert status == 0 and not point[0] and point[3] == "it \\# is known\\\\"
    status, points = tap("--fail-on=never", bad)
    assert status == 0 and all(point[0] for point in points)


def test_no_empty_pass(tap, no_mpa, tmp_path):
    status, points = tap(no_mpa)
    assert status == 3 and [point[0] for point in points] == [False]
    status, points = tap("--allow-empty", no_mpa)
    assert status == 0 and points[0][0] and points[0][2] == "SKIP"
    status, points = tap(tmp_path / "missing # one")
    assert status == 2 and not points[0][0] and "no such file" in points[0][4]["message"] and "\\#" in points[0][1]


def test_strict_waivers(tap, good):
    assert all(point[0] for point in tap("--waive=MPA-4.1-05", good)[1])
    status, points = tap("--waive=MPA-4.1-05", "--strict-waivers", good)
    assert status == 1 and [point[1].split(":")[0] for point in points if not point[0]] == ["unused waiver"]


@pytest.mark.skipif(not shutil.which("prove"), reason="no prove")
def test_prove(build, good, bad, fault):
    environment = {key: value for key, value in os.environ.items() if key != "HARNESS_ACTIVE"}

    def prove(path, *options):
        return subprocess.run(["prove", "--exec", " ".join([str(build / "conformance" / "iwarp-check"), "--format=tap", *options]), path],
                              capture_output=True, text=True, check=False, env=environment, timeout=60)
    result = prove(good)
    assert result.returncode == 0 and "Result: PASS" in result.stdout, result.stdout + result.stderr
    result = prove(bad)
    assert result.returncode != 0 and "Failed: 1" in result.stdout and "Parse errors" not in result.stdout
    result = prove(bad, f"--waive={fault}")
    assert result.returncode == 0, result.stdout


@pytest.mark.skipif(not shutil.which("prove"), reason="no prove")
def test_prove_of_a_device(build):
    """iwarp-gen test; the device has a fault."""
    gen = build / "traffic-gen" / "iwarp-gen"
    with subprocess.Popen([gen, "serve", "127.0.0.1:0", "--service=echo", "--misbehave=MPA-4.2-03"], stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, text=True) as device:
        try:
            address = device.stderr.readline().split()[-1]
            address = address if ":" in address else f"127.0.0.1:{address}"
            said = subprocess.run([gen, "test", address, "--rules=MPA-4.2", "--format=tap"], capture_output=True, text=True, check=False, timeout=60)
            points = read(said.stdout)
            assert said.returncode == 1 and sorted(point[0] for point in points) == [False, True, True]
            failed, = (point for point in points if not point[0])
            assert failed[1] == "mpa MPA-4.2-03" and "a Marker" in failed[4]["stimulus"]
            result = subprocess.run(["prove", "--exec", f"{gen} test --rules=MPA-4.2 --format=tap --skip=MPA-4.2-03", address], capture_output=True,
                                    text=True, check=False, timeout=60)
            assert "Parse errors" not in result.stdout
        finally:
            device.kill()
