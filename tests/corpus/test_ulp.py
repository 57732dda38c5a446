# SPDX-License-Identifier: GPL-2.0-or-later
"""Upper layers that are recognised, named and counted, but not judged: real captures."""
import collections
import csv
import struct
import subprocess

import pytest

from generated import findings, judge
from reports import read_report

FOLDER = "ulp"


@pytest.fixture(scope="module")
def manifest(root):
    with open(root / "captures" / FOLDER / "manifest.tsv", encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


@pytest.fixture(scope="module")
def paths(root, manifest):
    return {row["file"]: root / "captures" / FOLDER / row["file"] for row in manifest}


@pytest.fixture(scope="module")
def captures(build, paths):
    return dict(zip(paths, judge(build, list(paths.values()), by_name=False)))


@pytest.fixture(scope="module")
def check(build):
    def run(*arguments):
        return subprocess.run([build / "conformance" / "iwarp-check", *arguments], capture_output=True, text=True, check=False)
    return run


def counted(capture):
    return sum(sum(c["ulp"]["counts"].values()) for c in capture["connections"] if "ulp" in c)


def cut(path, out, first):
    """The packets of a capture from the first one on."""
    octets, at, number = path.read_bytes(), 24, 0
    with open(out, "wb") as f:
        f.write(octets[:at])
        while at < len(octets):
            end = at + 16 + struct.unpack_from("<I", octets, at + 8)[0]
            number += 1
            if number >= first:
                f.write(octets[at:end])
            at = end
    return out


def test_every_file_is_listed(root, manifest):
    assert sorted(p.name for p in (root / "captures" / FOLDER).glob("*.pcap")) == sorted(row["file"] for row in manifest)


def test_recognised(captures, manifest):
    for row in manifest:
        capture = captures[row["file"]]
        assert capture["packets"] == int(row["packets"]), row["file"]
        assert len(capture["connections"]) == int(row["connections"]), row["file"]
        assert {c["ulp"]["name"] for c in capture["connections"]} == {row["ulp"]}, row["file"]
        assert all("rpcrdma" not in c for c in capture["connections"]), row["file"]
        # Each Send is a message of a known kind.
        sends = sum(n for c in capture["connections"] for name, n in c["counts"]["operations"].items() if name.startswith("send"))
        assert counted(capture) == sends == int(row["messages"]), row["file"]
        assert all("other messages" not in c["ulp"]["counts"] for c in capture["connections"]), row["file"]


def test_findings(captures, manifest):
    for row in manifest:
        found = collections.Counter(f.rule for f in findings(captures[row["file"]]) if f.severity != "note")
        assert (",".join(f"{rule}:{n}" for rule, n in sorted(found.items())) or "-") == row["findings"], row["file"]


@pytest.mark.parametrize("file, first", [("nvme-siw-basic.pcap", 20), ("iser-siw-basic.pcap", 20), ("iser-rxe-basic.pcap", 20),
                                         ("srp-siw-basic.pcap", 20), ("srp-rxe-basic.pcap", 20), ("nvme-rxe-basic.pcap", 20)])
def test_start_missing(check, paths, tmp_path, file, first):
    """Several messages identify it; a well-known port shows who opened it."""
    path = cut(paths[file], tmp_path / file, first)
    capture = read_report(check("--format=ndjson", path).stdout)["captures"][0]
    connection = max(capture["connections"], key=lambda c: c["counts"]["octets"])
    assert connection["ulp"]["name"] == file.split("-")[0]
    assert not connection["roles_known"]
    if file in ("nvme-siw-basic.pcap", "iser-siw-basic.pcap"):
        assert connection["responder"].split(":")[-1] in ("4420", "3260")


def test_print(check, paths):
    lines = check("--print", paths["nvme-siw-basic.pcap"]).stdout.splitlines()
    assert "8 0.054689 > [nvme: command Connect cid 0x0000 1024 octets]" in lines
    assert sum("[nvme: " in line for line in lines) == 41
    lines = check("--print", paths["iser-rxe-basic.pcap"]).stdout.splitlines()
    assert sum("[iser: SCSI Command " in line for line in lines) == 29


@pytest.mark.parametrize("file, words", [
    ("nvme-rxe-basic.pcap", "NVMe over RDMA: 21 commands, 19 completions; its own rules are not checked"),
    ("iser-siw-basic.pcap", "iSER: 35 SCSI commands, 35 SCSI responses, 2 other PDUs; its own rules are not checked"),
    ("srp-siw-login-rejected.pcap", "SRP: no messages; its own rules are not checked"),
])
def test_reports(check, paths, file, words):
    counts = words.split(": ")[1].split(";")[0]
    assert words in check(paths[file]).stdout
    assert words in check("--format=html", paths[file]).stdout
    assert f'name="ulp.counts" value="{counts}"' in check("--format=junit", paths[file]).stdout


def test_roce_says_what_it_is(check, paths):
    run = check(paths["srp-rxe-basic.pcap"])
    assert run.stdout.startswith("NOTHING TO CHECK: SRP: recognised, but not checked; on RoCE and InfiniBand, nothing below it is checked either")


def test_merge(check, paths, tmp_path):
    for file in ("nvme-siw-basic.pcap", "srp-rxe-basic.pcap"):
        (tmp_path / (file + ".json")).write_text(check("--format=ndjson", paths[file]).stdout, encoding="utf-8")
    run = check("merge", *sorted(tmp_path.glob("*.json")))
    names = [c["ulp"]["name"] for capture in read_report(run.stdout)["captures"] for c in capture["connections"]]
    assert names == ["nvme", "nvme", "srp"]


def test_nfs_is_no_guest(build, root):
    """None of the other real captures is taken for another upper layer."""
    files = [p for folder in ("real", "roce") for p in sorted((root / "captures" / folder).rglob("*.pcap"))]
    for capture in judge(build, files, by_name=False):
        assert all("ulp" not in c for c in capture["connections"]), capture["file"]


@pytest.mark.parametrize("octets", [None, 96, 128])
@pytest.mark.parametrize("name", ["op-good-start", "ib-send-bw-start"])
def test_nobodys_sends(check, root, tmp_path, name, octets):
    """Counted, not judged, and not taken for a known upper layer, complete or with a snap length."""
    path = root / "captures" / "roce" / f"{name}.pcap"
    if octets:
        short = tmp_path / "short.pcap"
        run = subprocess.run(["editcap", "-F", "pcap", "-s", str(octets), path, short], check=False)
        assert run.returncode == 0
        path = short
    run = check("--format=ndjson", path)
    capture, = read_report(run.stdout)["captures"]
    assert not findings(capture) and run.returncode == 3
    assert all("rpcrdma" not in c and "ulp" not in c for c in capture["connections"])
    assert len(capture["connections"]) == (1 if name.startswith("op") else 2)
