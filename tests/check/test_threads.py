# SPDX-License-Identifier: GPL-2.0-or-later
"""The report does not depend on the number of threads. Run with a build of the preset tsan, this also looks for races."""
import subprocess

import pytest

FORMATS = ["text", "json", "junit"]


@pytest.fixture(autouse=True)
def visible_allocations(monkeypatch):
    """GLib's own allocator has locks that ThreadSanitizer does not see."""
    monkeypatch.setenv("G_SLICE", "always-malloc")


@pytest.fixture(scope="module")
def connections(build, tmp_path_factory):
    """Captures of many connections: sound ones, and ones through a network that loses, repeats and reorders."""
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


@pytest.mark.parametrize("form", FORMATS)
def test_one_capture_many_threads(check, connections, root, form):
    real = sorted((root / "captures" / "real").glob("**/*.pcap*"))[:12]
    for path in [*connections, *real]:
        alone = check(f"--format={form}", "-j1", path)
        assert alone.returncode in (0, 1, 3)
        for threads in (2, 4, 8):
            together = check(f"--format={form}", f"-j{threads}", path)
            assert (together.returncode, together.stdout, together.stderr) == (alone.returncode, alone.stdout, alone.stderr), (path, threads)


def test_corpus(check, root):
    """All of it at once: threads over captures and over the connections of each."""
    paths = sorted((root / "captures" / "generated").glob("**/*.pcap*"))
    reports = {check("--format=json", f"-j{threads}", *paths, timeout=600).stdout for threads in (1, 2, 4, 8)}
    assert len(reports) == 1


def test_concatenated_connections(check, build, tmp_path):
    """Addresses used again and again, in one capture: each connection keeps its number and its findings."""
    mergecap = subprocess.run(["sh", "-c", "command -v mergecap"], capture_output=True, check=False)
    if mergecap.returncode:
        pytest.skip("mergecap is missing")
    parts = []
    for i, arguments in enumerate((["rev1"], ["rev1", "--inject=MPA-4.1-05"], ["rev2"], ["many", "--connections=50"], ["rev2", "--ipv6"])):
        parts.append(tmp_path / f"{i}.pcapng")
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *arguments, "-o", parts[-1]], check=True, capture_output=True)
    whole = tmp_path / "whole.pcapng"
    subprocess.run(["mergecap", "-a", "-w", whole, *parts], check=True)
    reports = [check("--format=json", f"-j{threads}", whole).stdout for threads in (1, 2, 4, 8)]
    assert len(set(reports)) == 1
    assert reports[0].count('"initiator" :') >= 52
