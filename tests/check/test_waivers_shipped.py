# SPDX-License-Identifier: GPL-2.0-or-later
"""The waivers that are shipped: they cover what was measured on Linux, and nothing is in them that was not."""
import json
import re

import pytest

NAMES = ("linux-siw", "linux-nfsrdma")
OTHERWISE = {"MPA-7.1.2-10"}  # of a conversation in which the application never answers: no fault of Linux


@pytest.fixture(scope="module")
def captures(root):
    return sorted((root / "captures" / "real").rglob("*.pcap"))


@pytest.fixture(scope="module")
def waivers(root):
    return [f"--waivers={root}/waivers/{name}.yaml" for name in NAMES]


def test_all_that_linux_does_is_waived(check, captures, waivers):
    result = check("--format=json", "--allow-empty", *waivers, *captures)
    parsed = json.loads(result.stdout)
    assert result.returncode == 0 and parsed["summary"]["findings"]["error"] == parsed["summary"]["findings"]["warning"] == 0
    assert parsed["summary"]["waived"] > 50
    left = {f["rule"] for c in parsed["captures"] for k in c["connections"] for f in k["findings"] if not f["waived"]}
    assert left == OTHERWISE
    assert all(f["waived_why"] for c in parsed["captures"] for k in c["connections"] for f in k["findings"] if f["waived"])


def test_each_waiver_is_needed(check, captures, waivers):
    assert json.loads(check("--format=json", "--allow-empty", *waivers, *captures).stdout)["summary"]["unused_waivers"] == []
    assert check("--strict-waivers", "--allow-empty", *waivers, *captures).returncode == 0


def test_unused_ones_are_named(check, captures, root):
    """A capture of NFS has nothing of what siw alone does."""
    nfs = next(path for path in captures if path.name == "nfs41-acl.pcap")
    nothing = f"--waivers={root}/waivers/linux-siw.yaml"
    result = check(nothing, "--waive=CMPD-4.1-03", nfs)
    assert result.returncode == 0
    unused = re.findall(r"unused waiver: (\S+) \((.*):(\d+)\)", result.stdout)
    lines = (root / "waivers" / "linux-siw.yaml").read_text(encoding="utf-8").splitlines()
    assert len(unused) > 5 and all(lines[int(line) - 1] == f"- id: {rule}" for rule, _, line in unused)
    assert check(nothing, "--waive=CMPD-4.1-03", "--strict-waivers", nfs).returncode == 1


def test_each_has_its_reason_in_the_manifest(captures, root):
    told = (root / "captures" / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        for rule in re.findall(r"^- id: (\S+)", (root / "waivers" / f"{name}.yaml").read_text(encoding="utf-8"), re.M):
            assert f"| {rule} |" in told or rule == "DDP-3-08", rule  # a note: the README has errors and warnings
