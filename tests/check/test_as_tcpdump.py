# SPDX-License-Identifier: GPL-2.0-or-later
"""The options shared with tcpdump: -r FILE, a filter, -w FILE, -D; and -i, as root."""
import os
import signal
import subprocess
import time

import pytest

from reports import read_report


@pytest.fixture(scope="module")
def two(build, tmp_path_factory):
    """Two clients in one capture; one of them breaks a rule."""
    path = tmp_path_factory.mktemp("two") / "two.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "rev1", "--inject=MPA-4.1-05", "--connections=2", "--pcap", "-o", path],
                   check=True)
    return path


def judged(check, *arguments, **options):
    result = check("--format=ndjson", *arguments, **options)
    return result.returncode, read_report(result.stdout)["captures"][0]


def test_read(check, two):
    assert check("-r", two).stdout == check(f"-r{two}").stdout == check("--read", two).stdout == check(two).stdout


def test_filter_of_a_file(check, two, tmp_path):
    """Frames keep the file's numbers, so that Wireshark shows the same."""
    status, whole = judged(check, two)
    ports = [connection["initiator"].rpartition(":")[2] for connection in whole["connections"]]
    assert status == 1 and len(ports) == 2
    statuses = []
    for port, connection in zip(ports, whole["connections"]):
        for words in (["port", port], [f"port {port}"]):
            status, one = judged(check, "-r", two, *words)
            assert one["connections"][0] | {"id": 0} == connection | {"id": 0} and one["packets"] < whole["packets"]
        statuses.append(status)
    assert sorted(statuses) == [0, 1]
    packed = tmp_path / "two.pcap.gz"
    packed.write_bytes(subprocess.run(["gzip", "-c", two], check=True, capture_output=True).stdout)
    assert judged(check, "-r", packed, "port", ports[0])[1]["connections"] == judged(check, "-r", two, "port", ports[0])[1]["connections"]


def test_nothing_matches(check, two):
    assert check("-r", two, "port 9").returncode == 3


@pytest.mark.parametrize("arguments", [["-r"], ["-i", "lo"]])
def test_no_filter(check, two, arguments):
    if arguments == ["-r"]:
        arguments = ["-r", two]
    result = check(*arguments, "prt 9")
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1
    if os.geteuid() == 0:
        assert 'filter "prt 9": ' in result.stderr


def test_write(check, two, tmp_path):
    """The written packets give the same report."""
    kept, again = tmp_path / "kept.pcap", tmp_path / "again.pcap"
    status, whole = judged(check, "-w", kept, two)
    assert judged(check, kept) == (status, whole | {"file": str(kept)})
    assert check("-r", two, "-w", kept, "port 40001").returncode in (0, 1)
    one = judged(check, kept)[1]
    assert len(one["connections"]) == 1 and 0 < one["packets"] < whole["packets"]
    with open(two, "rb") as file:
        assert check("-w", again, "-", stdin=file).returncode == status
    assert judged(check, again)[1]["connections"] == whole["connections"]


@pytest.mark.parametrize("arguments, why", [
    (["-w", "-", "IN"], "-w: give a file; standard output is for the report"), (["-w", "x", "IN", "IN"], "-w: give an interface or a single capture"),
    (["-w", "x", "-o", "x", "IN"], "--output: x is also the file for -w"), (["-w", "IN", "IN"], "is one of the captures to check"),
    (["-r", "IN", "IN"], "give captures without -r"), (["-w", "/no/such/folder/x", "IN"], "cannot write /no/such/folder/x"), (["-i", "lo", "-r", "IN"], "-i captures live and -r reads")])
def test_misuse(check, two, tmp_path, arguments, why):
    before = two.read_bytes()
    result = check(*[str(two) if word == "IN" else word for word in arguments], cwd=tmp_path)
    assert result.returncode == 2 and why in result.stderr and not list(tmp_path.iterdir()) and two.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_no_room_to_keep(check, two):
    result = check("-w", "/dev/full", two)
    assert result.returncode == 2 and "cannot write /dev/full: No space left on device" in result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="takes rights")
def test_interfaces(check):
    result = check("-D")
    assert result.returncode == 0 and check("--list-interfaces").stdout == result.stdout
    assert {"lo", "any"} <= {line.split("\t")[0] for line in result.stdout.splitlines()}


@pytest.mark.skipif(os.geteuid() != 0, reason="live capture needs rights")
def test_live(build, check, tmp_path):
    """The filter selects one of two connections, and this one is kept."""
    kept, report = tmp_path / "kept.pcap", tmp_path / "report.json"
    gen = build / "traffic-gen" / "iwarp-gen"
    servers = [subprocess.Popen([gen, "serve", "127.0.0.1:0", "--service=rping", "--once"], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ports = [server.stderr.readline().split()[-1] for server in servers]
    process = subprocess.Popen([build / "conformance" / "iwarp-check", "-i", "lo", "--format=ndjson", "-o", report, "-w", kept, "--no-progress",
                                "port", ports[0]], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not (kept.exists() and kept.stat().st_size):
        if process.poll() is not None:
            pytest.skip("no live capture on this machine: " + process.stderr.read())
        assert time.monotonic() < end
        time.sleep(0.05)
    for port in ports:
        subprocess.run([gen, "connect", f"127.0.0.1:{port}", "--rping", "--count=3"], check=True, capture_output=True, timeout=60)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    for opened in [process, *servers]:
        opened.wait(60)
        opened.stderr.close()
    connections = read_report(report.read_text(encoding="utf-8"))["captures"][0]["connections"]
    assert [connection["responder"] for connection in connections] == [f"127.0.0.1:{ports[0]}"]
    assert judged(check, kept)[1]["connections"][0]["counts"] == connections[0]["counts"]
