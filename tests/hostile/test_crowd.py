# SPDX-License-Identifier: GPL-2.0-or-later
"""Very many connections, and foreign packets: crowding a capture hides no violation, and memory is bounded."""
import json
import os
import pathlib
import re
import struct
import subprocess
from xml.etree import ElementTree

import pytest

import adversary
import crowd
from reports import each, read_report, write_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUDGET = "conformance/check/check_budget.h"
ALL = os.environ.get("IWARP_ALL") == "1"
MANY = 1000000 if ALL else 20000  # successive connections
PART = 1 if ALL else 4  # of the connections that the documents promise, in that part of the memory


def run(build, capture, *options):
    """Status, file with the report and peak memory in MiB of one run."""
    measure, report = capture.with_suffix(".kb"), capture.with_suffix(".json")
    result = subprocess.run(["/usr/bin/time", "-o", measure, "-f", "%M", build / "conformance" / "iwarp-check", "--format=ndjson",
                             f"--output={report}", "--no-progress", *options, capture], capture_output=True, text=True, check=False, timeout=600)
    assert "Sanitizer" not in result.stderr
    return result.returncode, report, int(measure.read_text(encoding="utf-8").splitlines()[-1]) / 1024


def judge(build, capture, *options):
    """The same, with the report itself."""
    status, report, memory = run(build, capture, *options)
    return status, read_report(report.read_text(encoding="utf-8")), memory


def with_finding(report, rule):
    return sum(any(finding["rule"] == rule for finding in connection["findings"])
               for connection in report["captures"][0]["connections"])


def count_in_large(report, rule):
    """with_finding() for a file of hundreds of MB, line by line, and whether a connection was cut short."""
    rest = []
    with report.open(encoding="utf-8") as lines:
        found = sum(any(finding["rule"] == rule for finding in connection["findings"]) for connection in each(lines, "connections", rest))
    return found, "connections_cut_short" in rest[1]


@pytest.mark.parametrize("make, n, rule", [
    (crowd.crowd_of_tcp, 50000, "DDP-4.1-12"),
    (crowd.crowd_of_nfs, 50000, "DDP-3-08"),
    (crowd.crowd_of_roce, 10000, "RPCR-3.3.1-01"),
    (lambda path, n: crowd.crowd_of_roce(path, n, managed=False), 10000, "RPCR-3.3.1-01"),
], ids=["tcp", "nfs", "roce", "roce-unmanaged"])
def test_all_keep_their_findings(build, sanitized, tmp_path, make, n, rule):
    path, limit = tmp_path / "crowd.pcap", constant(ROOT, BUDGET, "BUDGET_DEFAULT") // PART
    make(path, n // PART)
    _, report, memory = run(build, path, f"--memory-limit={limit}")
    assert count_in_large(report, rule) == (n // PART, False)
    report.unlink()
    assert sanitized or memory < (limit >> 20) + (0 if ALL else 20)  # the program itself takes no fourth part


def test_connections_that_say_nothing(build, sanitized, tmp_path):
    """A SYN each: they take whole pages of memory before any data."""
    path = tmp_path / "syns.pcap"
    capture = adversary.Capture(path)
    for number in range(30000):
        capture.packet(struct.pack(">HHIIBBHHH", 1024 + number, 20049, number, 0, 0x50, 2, 65535, 0, 0), 0x0A100000 + number, 0x0A000002)
    capture.close()
    status, report, memory = judge(build, path)
    assert status == 3
    left_out, = (trouble["count"] for trouble in report["captures"][0]["trouble"] if trouble["kind"] == "left-out")
    assert left_out == 30000 - constant(ROOT, "conformance/trouble/trouble.c", "FACTS_KEPT_MAX") // 4
    assert sanitized or memory < constant(ROOT, BUDGET, "BUDGET_DEFAULT") >> 20


@pytest.mark.parametrize("make", [
    lambda path: crowd.crowd_of_tcp(path, 1000, last=adversary.tagged(adversary.WRITE, 1, 0, b"x")),
    lambda path: crowd.crowd_of_roce(path, 1000),
    lambda path: crowd.crowd_of_roce(path, 1000, managed=False),
], ids=["tcp", "roce", "roce-unmanaged"])
def test_whoever_makes_room_is_named(build, check, tmp_path, make):
    path = tmp_path / "crowd.pcap"
    make(path)
    status, report, _ = judge(build, path, "--memory-limit=2M")
    assert status == 2 and report["summary"]["verdict"] == "error"
    assert report["captures"][0]["connections_cut_short"] > 100
    assert "too many simultaneous connections" in report["captures"][0]["warning"]
    assert check("--memory-limit=2M", path).stdout.startswith("ERROR: some connections could not be judged completely")
    for jobs in ("-j3", "-j2"):  # for any threads
        assert judge(build, path, "--memory-limit=2M", jobs)[1] == report
    (tmp_path / "report.json").write_text(write_report(report), encoding="utf-8")
    merged = check("merge", tmp_path / "report.json")
    assert merged.returncode == 2
    assert check("--memory-limit=1G", path).returncode == 0


def test_what_was_found_stands(build, tmp_path):
    path = tmp_path / "crowd.pcap"
    capture = adversary.Capture(path)
    for number in range(1000):
        adversary.Connection(capture, client=0x0A100000 + number).fpdu(0, crowd.WRONG_VERSION)
    capture.close()
    status, report, _ = judge(build, path, "--memory-limit=2M")
    assert status == 1 and report["captures"][0]["connections_cut_short"] > 0
    capture = report["captures"][0]
    assert with_finding(report, "DDP-4.1-12") + capture["not_listed"]["with_findings"] == capture["rules"]["DDP-4.1-12"]["failed"] == 1000


def test_what_grows_counts(build, tmp_path):
    """150 connections fit while they are small."""
    for size, fits in ((64, True), (100000, False)):
        path = tmp_path / f"{size}.pcap"
        capture = adversary.Capture(path)
        connections = [adversary.Connection(capture, client=0x0A100000 + number) for number in range(150)]
        for connection in connections * 2:
            for _ in range(-(-size // 1400)):
                connection.octets(0, adversary.fpdu(adversary.tagged(adversary.WRITE, 1, 0, b"x" * min(size, 1400))))
        capture.close()
        status, report, _ = judge(build, path, "--memory-limit=2M")
        assert (status == 0) == fits and ("connections_cut_short" not in report["captures"][0]) == fits


def closed(capture, number, last):
    """A connection that ends. last: its last ULPDU."""
    connection = adversary.Connection(capture, client=0x0A200000 + number)
    connection.fpdu(0, adversary.tagged(adversary.WRITE, 1, 0, b"x"))
    late = connection.sequence[0]
    connection.sequence[0] += len(adversary.fpdu(last))
    for side in (0, 1):
        connection.segment(side, b"", 0x11)
        connection.sequence[side] += 1
    connection.segment(0, b"", 0x10)
    return lambda: connection.segment(0, adversary.fpdu(last), sequence=late)


def test_a_crowd_that_ends_takes_no_one_along(build, tmp_path):
    """A connection's last octets come after its end, and after the end of other connections."""
    path = tmp_path / "closed.pcap"
    capture = adversary.Capture(path)
    late = closed(capture, 0, crowd.WRONG_VERSION)
    for number in range(1, 1600):
        closed(capture, number, adversary.tagged(adversary.WRITE, 1, 0, b"x"))()
    late()
    capture.close()
    status, report, _ = judge(build, path)
    assert status == 1 and with_finding(report, "DDP-4.1-12") == 1


def holding(capture, number, octets):
    connection = adversary.Connection(capture, client=0x0A300000 + number)
    missing = adversary.fpdu(adversary.tagged(adversary.WRITE, 1, 0, b"x" * 64))
    start = connection.sequence[0]
    connection.sequence[0] += len(missing)
    while connection.sequence[0] < start + octets:
        connection.fpdu(0, adversary.tagged(adversary.WRITE, 1, 64, b"x" * 1400))
    return lambda: connection.segment(0, missing, sequence=start)


def test_whoever_holds_most_gives_up(build, sanitized, tmp_path):
    path = tmp_path / "held.pcap"
    capture = adversary.Capture(path)
    arrive = holding(capture, 0, 3000)
    for number in range(1, 101):
        holding(capture, number, 1 << 20)
    arrive()
    capture.close()
    _, report, memory = judge(build, path, "--memory-limit=32M")
    assert "the memory limit of 32 MiB was reached at frame" in report["captures"][0]["warning"]
    assert sanitized or memory < 64
    connections = report["captures"][0]["connections"]
    assert connections[0]["counts"]["fpdus"][0] == 4  # it could wait for late octets
    assert judge(build, path, "--memory-limit=32M", "-j3")[1] == report
    assert "warning" not in judge(build, path)[1]["captures"][0]


@pytest.mark.parametrize("jobs", ["-j1", "-j3"])
def test_a_flood_stays_flat(build, sanitized, tmp_path, jobs):
    """Each packet is for a queue pair that nobody else uses."""
    memory = {}
    for n in (40000, 160000):
        path = tmp_path / f"{n}.pcap"
        capture = crowd.Roce(path)
        for number in range(n):
            capture.packet((0x0A000001, 0x0A000002), 0x04, number + 2, number, b"x" * 32)
        capture.close()
        status, _, memory[n] = judge(build, path, "--memory-limit=64M", jobs)
        assert status == 2
    assert sanitized or memory[160000] < memory[40000] + 4, memory


NO_NOTES = ["--skip=MPA-A.3-04,MPA-A.5.1-01,DDP-3-08"]  # of each of these connections


def test_what_ended_has_a_limit(build, check, sanitized, tmp_path):
    """Unlisted connections are still counted, in every format, and connections with findings are listed."""
    memory = {}
    path = tmp_path / "ended.pcap"
    for n in (MANY // 4, MANY):
        crowd.one_after_the_other(path, n, lambda number: number % 1000 == 999)
        status, report, memory[n] = judge(build, path, "--memory-limit=4M", *NO_NOTES)
        capture = report["captures"][0]
        rest = capture["not_listed"]
        assert status == 1 and len(capture["connections"]) + rest["connections"] == report["summary"]["connections"] == n
        assert rest["with_findings"] == rest["troubled"] == rest["error"] == 0 and with_finding(report, "DDP-4.1-12") == n // 1000
        assert capture["rules"]["DDP-4.1-12"]["passed"] == n - n // 1000
    assert sanitized or memory[MANY] < memory[MANY // 4] + 24 * MANY / 1e6 + 4, memory  # 8 octets for each number
    assert judge(build, path, "--memory-limit=4M", *NO_NOTES, "-j3")[1] == report
    line = "more connections without findings are counted and not listed; --memory-limit=SIZE keeps more"
    assert f'{rest["connections"]} {line}' in capture["warning"]
    for form in ("text", "html", "markdown", "junit", "tap", "github", "sarif"):
        assert line in check("--memory-limit=4M", *NO_NOTES, f"--format={form}", path).stdout, form
    assert f"\t{MANY}\t" in check("--memory-limit=4M", *NO_NOTES, "--summary", path).stdout
    (tmp_path / "a.json").write_text(write_report(report), encoding="utf-8")
    merged = read_report(check("merge", "--format=ndjson", tmp_path / "a.json").stdout)
    assert merged["summary"]["connections"] == n and merged["captures"][0]["not_listed"] == rest
    assert line in check("merge", tmp_path / "a.json").stdout
    assert "not_listed" not in judge(build, path, "--memory-limit=60G", *NO_NOTES)[1]["captures"][0]


def test_findings_beyond_the_limit_still_fail(build, check, tmp_path):
    path = tmp_path / "ended.pcap"
    crowd.one_after_the_other(path, 8000, lambda number: True)
    status, report, _ = judge(build, path, "--memory-limit=1M", *NO_NOTES)
    rest = report["captures"][0]["not_listed"]
    assert status == 1 and rest["with_findings"] == rest["connections"] > 1000 and rest["error"] > 1000
    assert report["summary"]["connections"] == 8000
    assert report["captures"][0]["rules"]["DDP-4.1-12"]["failed"] == 8000
    assert "of them with findings, are counted and not listed" in check("--memory-limit=1M", *NO_NOTES, path).stdout


def test_only_what_is_not_listed_fails(build, check, tmp_path):
    """The first connections have notes and take all the room; errors on the others still fail in each format."""
    path, waivers = tmp_path / "ended.pcap", tmp_path / "waivers.yaml"
    crowd.one_after_the_other(path, 6000, lambda number: number >= 5000)
    status, report, _ = judge(build, path, "--memory-limit=1M")
    rest = report["captures"][0]["not_listed"]
    assert status == 1 and with_finding(report, "DDP-4.1-12") == 0 and rest["error"] == 1000 and rest["troubled"] == 0
    line = "1000 failing findings are on connections that are not listed"
    (tmp_path / "a.json").write_text(write_report(report), encoding="utf-8")
    for command in (["--memory-limit=1M", path], ["merge", tmp_path / "a.json"]):
        written = {form: check(command[0], f"--format={form}", *command[1:]).stdout for form in ("junit", "tap", "sarif", "github")}
        suites = ElementTree.fromstring(written["junit"])
        failed = suites.findall(".//failure")
        assert [failure.get("message") for failure in failed] == [line] and sum(int(suite.get("failures")) for suite in suites) == 1
        assert sum(int(suite.get("tests")) for suite in suites) == len(suites.findall(".//testcase"))
        assert written["tap"].count("\nnot ok ") == 1 and line in written["tap"]
        assert int(re.search(r"^1\.\.(\d+)$", written["tap"], re.M)[1]) == len(re.findall(r"^(?:not )?ok ", written["tap"], re.M))
        said = json.loads(written["sarif"])["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        assert [each["message"]["text"] for each in said if each["level"] == "error"] == [line]
        assert re.search(f"^::error [^:]*::{line}$", written["github"], re.M)
    check("--memory-limit=1M", f"--write-waivers={waivers}", path)
    assert f"{line}, and have no entry here." in waivers.read_text(encoding="utf-8")
    assert not any(line in check("--memory-limit=1M", "--fail-on=never", f"--format={form}", path).stdout for form in ("junit", "tap"))


def test_what_happened_on_connections_that_are_not_listed(build, check, tmp_path):
    """Each connection has notes, which do not fail, and a reset, which is trouble."""
    path = tmp_path / "reset.pcap"
    crowd.one_after_the_other(path, 6000, reset=True)
    status, report, _ = judge(build, path, "--memory-limit=1M")
    rest = report["captures"][0]["not_listed"]
    assert status == 2 and report["summary"]["verdict"] == "error" and rest["troubled"] == rest["with_findings"] == rest["connections"] > 1000
    (tmp_path / "a.json").write_text(write_report(report), encoding="utf-8")
    assert check("merge", tmp_path / "a.json").returncode == 2
    assert judge(build, path)[0] == 0


def test_parts_keep_the_limit(build, sanitized, tmp_path):
    """At the end of a part, idle connections take no more memory than before."""
    path = tmp_path / "crowd.pcap"
    crowd.crowd_of_nfs(path, 4000)
    status, _, memory = run(build, path, "--memory-limit=64M", "--rotate=0.1")
    assert status == 0
    assert sanitized or memory < 64 * 1.5


def constant(root, path, name):
    """An enum's value or a macro's, in the units of C."""
    text = (root / path).read_text(encoding="utf-8")
    found = re.search(rf"\b{name}(?: = | \(\(size_t\))(\d+)\)?(?: << (\d+))?", text)
    return int(found[1]) << int(found[2] or 0)


def test_the_threat_model_has_these_numbers(root):
    """The documentation has the numbers that the tests above check, as both come from the same constants."""
    page = (root / "docs" / "threat-model.md").read_text(encoding="utf-8")
    manual = (root / "docs" / "iwarp-check.1").read_text(encoding="utf-8")
    limit = constant(root, BUDGET, "BUDGET_DEFAULT")
    unpaired = constant(root, BUDGET, "BUDGET_UNPAIRED")
    assert f"`--memory-limit`, {limit >> 20} MiB by default" in page
    assert f"at most {limit // unpaired} RoCE queue pairs without counterpart" in page
    assert f"50,000 open connections, with a startup and a few FPDUs or two NFS Calls each, keep all their findings in {limit >> 20} MiB" in page
    assert f"{limit >> 20} MiB for 50,000 of them |" in (root / "docs" / "quality.md").read_text(encoding="utf-8")
    assert constant(root, BUDGET, "BUDGET_LISTED") == 4 and "Ended connections and their findings take a quarter of the limit" in page
    assert constant(root, BUDGET, "BUDGET_HELD") == 4 and "all together a quarter of `--memory-limit`" in page
    assert f"or {constant(root, 'engine/tcp/connections.c', 'LINGER_FRAMES_DEFAULT')} more packets have come" in page
    findings = constant(root, "conformance/check/check_watched.c", "FINDINGS_LISTED_MAX")
    assert f"At most {findings} findings are listed, the others are counted" in page
    held = [constant(root, path, name) >> 10 for path, name in (("engine/tcp/tcp_pair.h", "TCP_PAIR_LIMIT_DEFAULT"),
                                                                ("engine/ib/ib_rc.h", "IB_RC_LIMIT_DEFAULT"))]
    assert f"at most {held[0]} KiB after a hole (RoCE {held[1]} KiB)" in page
    assert f"a queue pair without known counterpart counts as {unpaired >> 10} KiB" in manual


def forged_request(pair):
    pair.request(struct.pack(">I", 0xDEAD), psn=77)


def forged_handshake(pair):
    forged_request(pair)
    pair.reply((struct.pack(">I", 0xBEEF), struct.pack(">I", 0xDEAD)), psn=99)


def forged_packet(pair):
    forged_handshake(pair)
    pair.capture.packet(pair.hosts(0), 0x04, pair.qp[1], 0x80000000 | 99, crowd.message(9, 0))


def forged_reject(pair):
    pair.manage(1, 0x12, [(0, pair.identity(1)), (4, pair.identity(0)), (10, struct.pack(">H", 28))])


@pytest.mark.parametrize("forge", [lambda pair: None, forged_request, forged_handshake, forged_packet, forged_reject,
                                   crowd.QueuePairs.disconnect],
                         ids=["control", "request", "handshake", "packet", "reject", "disconnect"])
def test_forged_management_ends_no_connection(build, tmp_path, forge):
    """A third party names queue pairs in use; the two ends continue, and then one of them answers a question that nobody asked."""
    path = tmp_path / "forged.pcap"
    capture = crowd.Roce(path)
    pair = crowd.QueuePairs(capture, 5)

    def call(xid, answer):
        pair.send(0, crowd.message(xid, 0))
        pair.acknowledge(1)
        pair.send(1, crowd.message(answer, 1))
        pair.acknowledge(0)

    for xid in range(1, 5):
        call(xid, xid)
    forge(pair)
    for xid in range(5, 9):
        call(xid, xid)
    call(9, 77)
    pair.send(1, crowd.message(9, 1))
    pair.acknowledge(0)
    capture.close()
    status, report, _ = judge(build, path)
    assert status == 1 and with_finding(report, "RPCR-2.2.2-02") == 1
