# SPDX-License-Identifier: GPL-2.0-or-later
"""The report does not depend on the number of threads. Run with a build of the preset tsan, this also looks for races."""
import re
import struct
import subprocess

import pytest

from reports import read_report

FORMATS = ["text", "ndjson", "junit"]


@pytest.fixture(autouse=True)
def visible_allocations(monkeypatch):
    """GLib's own allocator has locks that ThreadSanitizer does not see."""
    monkeypatch.setenv("G_SLICE", "always-malloc")


@pytest.fixture(scope="module")
def connections(build, tmp_path_factory):
    """Captures of many connections: flawless, and through a network that loses, repeats and reorders."""
    folder = tmp_path_factory.mktemp("threads")
    plays = {"many": ["many", "--connections=400"], "operations": ["operations", "--count=2000"]}
    for seed in range(3):
        plays[f"trouble-{seed}"] = ["operations", "--count=300", f"--seed={seed}",
                                    "--net=loss=0.05,reorder=0.05,dup=0.05,resegment=0.1,capture-loss=0.02"]
    paths = []
    for name, arguments in plays.items():
        paths.append(folder / f"{name}.pcapng")
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *arguments, "-o", paths[-1]], check=True, capture_output=True)
    return paths


def timeless(report):
    """JUnit without the duration."""
    return re.sub(r' time="[\d.]+"', "", report)


@pytest.mark.parametrize("form", FORMATS)
def test_one_capture_many_threads(check, connections, root, form):
    real = sorted((root / "captures" / "real").glob("**/*.pcap*"))[:12]
    for path in [*connections, *real]:
        alone = check(f"--format={form}", "-j1", path)
        assert alone.returncode in (0, 1, 3)
        for threads in (2, 4, 8):
            together = check(f"--format={form}", f"-j{threads}", path)
            assert (together.returncode, timeless(together.stdout), together.stderr) == (
                alone.returncode, timeless(alone.stdout), alone.stderr), (path, threads)


@pytest.mark.parametrize("play", [["stack-nfs42", "--connections=40"], ["nfs-metadata", "--size=2M", "--connections=30"],
                                  ["nfs-metadata", "--size=2M", "--connections=30", "--transport=roce"], ["many", "--connections=300"]], ids=lambda play: "-".join(play))
def test_clients_whose_packets_alternate(check, build, tmp_path, play):
    """Packets are processed connection by connection; with --print, as they come."""
    capture, report = tmp_path / "clients.pcapng", tmp_path / "report.json"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *play, "-o", capture], check=True, capture_output=True)
    options = ["--format=ndjson", "--counts=connection", f"--output={report}", capture]
    reports = []
    for how in (["--print"], ["-j1"], ["-j3"]):
        assert check(*how, *options).returncode in (0, 1, 3)
        reports.append(report.read_text())
    assert reports[0] == reports[1] == reports[2]


def test_corpus(check, all_captures):
    """Everything at once: threads for captures and for the connections of each."""
    paths = sorted(all_captures.glob("**/*.pcap*"))
    reports = {check("--format=ndjson", f"-j{threads}", *paths, timeout=600).stdout for threads in (1, 2, 4, 8)}
    assert len(reports) == 1


def test_concatenated_connections(check, build, tmp_path):
    """Addresses reused many times in one capture: each connection keeps its number and its findings."""
    mergecap = subprocess.run(["sh", "-c", "command -v mergecap"], capture_output=True, check=False)
    if mergecap.returncode:
        pytest.skip("mergecap is missing")
    parts = []
    for i, arguments in enumerate((["rev1"], ["rev1", "--inject=MPA-4.1-05"], ["rev2"], ["many", "--connections=50"], ["rev2", "--ipv6"])):
        parts.append(tmp_path / f"{i}.pcapng")
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *arguments, "-o", parts[-1]], check=True, capture_output=True)
    whole = tmp_path / "whole.pcapng"
    subprocess.run(["mergecap", "-a", "-w", whole, *parts], check=True)
    reports = [check("--format=ndjson", f"-j{threads}", whole).stdout for threads in (1, 2, 4, 8)]
    assert len(set(reports)) == 1
    assert reports[0].count('"initiator":') >= 52


def with_own_ports(reused, capture):
    """Successive connections of one port get a port each, and so belong to several threads."""
    octets, at, port = bytearray(reused.read_bytes()), 24, 50000
    while at < len(octets):
        packet, captured = at + 16, struct.unpack_from("<I", octets, at + 8)[0]
        tcp = packet + 14 + 20
        source, destination = struct.unpack_from(">HH", octets, tcp)
        port += octets[tcp + 13] == 2  # SYN
        struct.pack_into(">HH", octets, tcp, *((source, port) if source == 7174 else (port, destination)))
        at = packet + captured
    capture.write_bytes(octets)


def test_layouts_of_terminates(check, build, tmp_path):
    """The layout proven by one connection applies to its host's later connections on any thread, but not to earlier ones."""
    bare = "I send; R send; I send op=12; R term 0/2/06 have-len=0 have-ddp=0 m=0 d=0 @18=0x20"
    proof = "I send; R send; I send dv=2; R term 1/2/06 @18=0x21 @20=0x03"
    before, after = 70, 24  # the checker reads fewer packets than these before it processes connections in groups
    reused, capture = tmp_path / "reused.pcap", tmp_path / "host.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "script", "--pcap", "--script=" + "; next; ".join([bare] * before + [proof] + [bare] * after),
                    "-o", reused], check=True)
    with_own_ports(reused, capture)
    reports = [read_report(check("--format=ndjson", f"-j{threads}", capture).stdout) for threads in (1, 2, 3, 4, 5, 6, 7, 8)]
    assert all(report == reports[0] for report in reports)
    connections = reports[0]["captures"][0]["connections"]
    read_as_meant = [any(finding["rule"] == "RDMAP-4.8-02" for finding in connection["findings"]) for connection in connections]
    assert read_as_meant == [False] * before + [True] * (1 + after)
