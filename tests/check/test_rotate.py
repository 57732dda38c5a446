# SPDX-License-Identifier: GPL-2.0-or-later
"""--rotate: a report of each period. A part covers its period, and the merged parts equal the report of one run."""
import re
import struct
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

import spoiling
from reports import read_report, validate, write_report


@pytest.fixture
def rotate(check, tmp_path):
    """rotate(seconds, *arguments) -> (result, [path of each part])"""
    def run(seconds, *arguments, name="report.json", **options):
        for old in tmp_path.glob("report-*"):
            old.unlink()
        result = check("--format=ndjson", "--counts=connection", f"--rotate={seconds}", f"--output={tmp_path / name}", *arguments, **options)
        return result, sorted(tmp_path.glob("report-*"))
    return run


@pytest.fixture(scope="session")
def slow(capture):
    """Conversations whose packets are some milliseconds apart, with findings."""
    return [capture("operations", "--count=50", "--net=delay=3"), capture("rev1", "--inject=MPA-4.1-05", "--net=delay=3"),
            capture("marker-walk", "--inject=MPA-4.3-03", "--net=delay=3"), capture("nfs3", "--net=delay=3"), capture("nfs3", "--net=delay=2,capture-loss=0.05", "--seed=7")]


def load(path):
    return read_report(path.read_text(encoding="utf-8"))


def part(path):
    return load(path)["captures"][0]["part"]


def without_what_was_seen(capture):
    """Each part names other traffic instead of RDMA connections, or of FPDUs; the whole does not."""
    if "nothing_checked" not in capture:
        return capture
    return capture | {"nothing_checked": capture["nothing_checked"].partition(" (seen: ")[0].partition(": ")[0]}


def test_parts_of_an_older_version(check, rotate, slow):
    """Their statistics do not say whether a kernel tap recorded, because there was none."""
    _, parts = rotate(0.02, "--stats", slow[-2])
    merged = check("merge", *parts).stdout
    for path in parts:
        path.write_text(path.read_text(encoding="utf-8").replace('"tapped":false,', ""), encoding="utf-8")
    older = check("merge", *parts)
    assert len(parts) > 2 and '"tapped":false' in merged and (older.stdout, older.stderr) == (merged, "")
    parts[1].write_text(parts[1].read_text(encoding="utf-8").replace('"whole":true,"first"', '"first"').replace('"whole":false,"first"', '"first"'), encoding="utf-8")
    broken = check("merge", *parts)
    assert broken.returncode == 2 and "'whole' of the statistics should be true or false" in broken.stderr


@pytest.mark.parametrize("seconds, jobs", [("0.05", "-j3"), ("1", "-j1")])
def test_merged_parts_are_the_whole(check, report, rotate, schema, root, jobs, seconds):
    several = 0
    for path in sorted([*(root / "captures").glob("real/*/*.pcap"), *(root / "captures" / "roce").glob("*.pcap")]):
        status, whole = report(path)
        result, parts = rotate(seconds, jobs, path)
        several += len(parts) > 2
        for each in {parts[0], parts[-1]}:
            validate(load(each), schema)
        merged = check("merge", *reversed(parts))
        assert result.returncode == merged.returncode == status, result.stderr
        together = read_report(merged.stdout)
        if len(parts) > 1:
            for each in whole, together:
                each["captures"] = [without_what_was_seen(capture) for capture in each["captures"]]
        assert together == whole, path
    assert several > (10 if seconds == "0.05" else 0)


def test_with_findings(check, report, rotate, slow):
    for path in slow:
        for options in ([], ["--max-findings=0", "--fail-on=note"], ["--waive=MPA-4.1-05:known"], ["--rules=mpa"]):
            status, whole = report(*options, path)
            result, parts = rotate("0.004", *options, path)
            fails = [option for option in options if option.startswith("--fail-on")]
            assert result.returncode == status and len(parts) > 3
            assert read_report(check("merge", *fails, *parts).stdout) == whole


def test_what_a_part_holds(report, rotate, slow):
    _, parts = rotate("0.01", slow[0])
    whole = report(slow[0])[1]["captures"][0]["connections"][0]["counts"]["fpdus"]
    reports = [load(path)["captures"][0] for path in parts]
    assert [(r["part"]["first"], r["part"]["last"]) for r in reports] == [(n, n) for n in range(1, len(parts) + 1)]
    assert [path.name for path in parts] == [f"report-{n:05}.json" for n in range(1, len(parts) + 1)]
    assert [r["part"]["ended"] for r in reports] == [False] * (len(parts) - 1) + [True]
    assert len({r["part"]["series"] for r in reports}) == 1
    for before, after in zip(reports, reports[1:]):
        assert before["part"]["to"] == after["part"]["from"]
    first, *middle, last = [r["connections"][0] for r in reports]
    assert not first["continued"] and first["continues"] and last["continued"] and not last["continues"]
    assert all(c["continued"] and c["continues"] for c in middle)
    connections = [first, *middle, last]
    assert all(c["id"] == 1 and c["start_frame"] == 1 for c in connections)
    assert [sum(c["counts"]["fpdus"][side] for c in connections) for side in (0, 1)] == whole
    assert sum(sum(c["counts"]["fpdus"]) > 0 for c in connections) > 3
    assert last["mpa"]["complete"] and not first["mpa"]["complete"] and all(r["packets"] > 0 for r in reports)


def test_some_parts_only(check, rotate, slow, schema):
    _, parts = rotate("0.01", slow[0])
    merged = read_report(check("merge", *parts[1:3]).stdout)
    validate(merged, schema)
    kept = merged["captures"][0]
    assert (kept["part"]["first"], kept["part"]["last"], kept["part"]["ended"]) == (2, 3, False)
    assert kept["packets"] == sum(load(path)["captures"][0]["packets"] for path in parts[1:3])
    middle = parts[0].parent / "report-middle"
    middle.write_text(write_report(merged))
    again = read_report(check("merge", middle, parts[0], *parts[3:]).stdout)
    assert again == read_report(check("merge", *parts).stdout) and "part" not in again["captures"][0]


def test_cut_short_in_a_part(check, rotate, slow):
    """Connections of one part were judged early: no verdict on the whole is a pass."""
    _, parts = rotate("0.01", slow[0])
    assert read_report(check("merge", *parts).stdout)["captures"][0]["verdict"] == "pass"
    changed = load(parts[1])
    changed["captures"][0] |= {"connections_cut_short": 1, "verdict": "error"}
    parts[1].write_text(write_report(changed), encoding="utf-8")
    result = check("merge", *parts)
    merged = read_report(result.stdout)
    assert (result.returncode, merged["summary"]["verdict"], merged["captures"][0]["verdict"]) == (2, "error", "error")


def test_parts_that_do_not_follow(check, rotate, slow):
    _, parts = rotate("0.01", slow[0])
    for chosen, said in ((parts[:1] + parts[2:], "expected part 2 of a capture; found part 3"),
                         (parts[:2] + parts[1:], "expected part 3 of a capture; found part 2")):
        result = check("merge", *chosen)
        assert result.returncode == 2 and result.stdout == "" and said in result.stderr and len(result.stderr.splitlines()) == 1


def test_beside_other_captures(check, report, rotate, slow, good, tmp_path):
    whole = tmp_path / "whole.json"
    check("--format=ndjson", "--counts=connection", f"--output={whole}", good)
    _, parts = rotate("0.01", slow[0])
    assert read_report(check("merge", whole, *parts).stdout) == report(good, slow[0])[1]


def test_two_series(check, rotate, slow, tmp_path):
    """Two runs are two captures, whatever their names."""
    _, parts = rotate("0.01", slow[0])
    kept = []
    for path in parts:
        kept.append(tmp_path / f"first-{path.name}")
        path.rename(kept[-1])
    _, parts = rotate("0.02", slow[0])
    merged = read_report(check("merge", *parts, *kept).stdout)
    assert len(merged["captures"]) == 2 and merged["captures"][0] == merged["captures"][1] and merged["summary"]["connections"] == 2


def test_other_formats(check, slow, tmp_path):
    for kind, suffix in (("text", ".txt"), ("junit", ".xml"), ("html", ".html")):
        result = check(f"--format={kind}", "--rotate=0.01", "--output=" + str(tmp_path / f"r{suffix}"), "--summary", slow[1])
        parts = sorted(tmp_path.glob(f"r-*{suffix}"))
        assert result.returncode == 1 and len(parts) > 3 and len(result.stdout.splitlines()) == len(parts)
        texts = [path.read_text(encoding="utf-8") for path in parts]
        if kind == "junit":
            values = [{p.get("name"): p.get("value") for p in ElementTree.fromstring(t).iter("property")} for t in texts]
            assert [v["part"].split(",")[0] for v in values] == [f"part {n}" for n in range(1, len(parts) + 1)]
            assert values[0]["continued"] == "no" and values[1]["continued"] == "yes" and values[0]["continues"] == "yes"
        else:
            assert all(re.search(rf"part {n}\b", text) for n, text in enumerate(texts, 1)) and "the last one" in texts[-1]
            assert "goes on" in texts[0] and "continued, goes on" in texts[1]
        assert sum(text.startswith("FAIL") or "<failure" in text or "FAIL" in text for text in texts) >= 1


def test_ladders_of_a_part(check, slow, tmp_path):
    """Events around a finding are in its part; the connection's beginning is only in the first."""
    check("--format=html", "--rotate=0.01", f"--output={tmp_path / 'r.html'}", slow[1])
    texts = [path.read_text(encoding="utf-8") for path in sorted(tmp_path.glob("r-*.html"))]
    found = [text for text in texts if "MPA-4.1-05" in re.sub(r"<script.*?</script>", "", text, flags=re.S) and "<svg" in text]
    assert found and "MPA Request" in texts[0] and not any("MPA Request" in text for text in texts[2:])


def test_waivers(check, rotate, slow):
    """A waiver that no part used is in the last part."""
    _, parts = rotate("0.01", "--waive=MPA-4.1-05:known", "--waive=DDP-6.1-01:never", slow[1])
    unused = [load(path)["summary"]["unused_waivers"] for path in parts]
    assert unused == [[]] * (len(parts) - 1) + [["DDP-6.1-01"]]


def test_print_goes_on(check, slow, tmp_path):
    whole = check("--print", slow[0]).stdout
    result = check("--print", "--rotate=0.01", f"--output={tmp_path / 'r'}", slow[0])
    assert result.stdout and whole.startswith(result.stdout) and (tmp_path / "r-00001").exists()


def test_times_that_jump(check, packets_at, tmp_path):
    """Periods without a packet have no report, and neither have periods after a clock that went back."""
    path = packets_at([0, 1, 10 ** 6, 10 ** 6 + 0.5, 5, 2 ** 30])
    result = check("--rotate=2", "--format=ndjson", "--counts=connection", f"--output={tmp_path / 'report.json'}", path)
    parts = sorted(tmp_path.glob("report-*.json"))
    assert result.returncode == 3 and result.stderr.count("\n") == 2 and "the time jumps 3 times" in result.stderr
    assert [load(p)["captures"][0]["packets"] for p in parts] == [2, 3, 1]
    assert [load(p)["captures"][0]["nothing_checked"].partition("(seen: ")[2] for p in parts] == [
        "2 packets of other protocols)", "3 packets of other protocols)", "1 packet of another protocol)"]


@pytest.fixture
def packets_at(tmp_path):
    def make(times):
        path = tmp_path / "times.pcap"
        frame = bytes(12) + b"\x88\xb5" + bytes(50)
        path.write_bytes(bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000") + b"".join(
            struct.pack("<IIII", int(t), int(t % 1 * 1e6), len(frame), len(frame)) + frame for t in times))
        return path
    return make


def test_not_a_capture(check, tmp_path):
    path = tmp_path / "text"
    path.write_text("no capture")
    result = check("--rotate=1", "--format=ndjson", "--counts=connection", f"--output={tmp_path / 'r.json'}", path)
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1
    assert "error" in load(tmp_path / "r-00001.json")["captures"][0]


def test_interrupted_pipe(build, slow, tmp_path):
    """The packets from a pipe that never ends are reported."""
    with subprocess.Popen([build / "conformance" / "iwarp-check", "--rotate=0.01", "--format=ndjson", "--counts=connection", f"--output={tmp_path / 'r.json'}", "-"],
                          stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(slow[0].read_bytes())
        process.stdin.flush()
        second = tmp_path / "r-00002.json"
        limit = time.monotonic() + 120
        while not second.exists():
            assert process.poll() is None and time.monotonic() < limit
            time.sleep(0.01)
        process.terminate()
        assert process.wait(60) == 0 and process.stderr.read() == b""
        process.stdin.close()
    assert part(sorted(tmp_path.glob("r-*.json"))[-1])["ended"]


@pytest.mark.parametrize("arguments, hint", [
    (["--rotate=1", "x.pcap"], "--output"), (["--rotate=0", "-oX", "x.pcap"], "seconds"), (["--rotate=x", "-oX", "x.pcap"], "seconds"),
    (["--rotate=1", "-oX", "a", "b"], "single capture"), (["--rotate=1", "-oX", "--annotate=y", "a"], "annotate"),
    (["--capture-buffer=1M", "a"], "-i"), (["--capture-buffer=0", "-i", "lo"], "size"), (["--capture-buffer=2G", "-i", "lo"], "size")])
def test_usage(check, arguments, hint):
    result = check(*arguments)
    assert result.returncode == 2 and result.stdout == "" and hint in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("value", [None, -1, "x", [], {}, [1], {"x": 1}, 2 ** 62, spoiling.MISSING])
def test_hostile_parts(check, rotate, slow, tmp_path, value):
    """For any contents of a part: merged, or refused with one line."""
    _, parts = rotate("0.005", "--rules=MPA-3-01,MPA-4.1-05,RPCR-2.2.2-01", slow[3])
    good = load(parts[1])
    changed = tmp_path / "changed.json"
    for text in spoiling.spoiled_lines(good, value):
        changed.write_text(text)
        result = check("merge", parts[0], changed, *parts[2:])
        assert result.returncode in (0, 1, 2, 3) and len(result.stderr.splitlines()) <= 1
        assert result.stdout == "" if result.returncode == 2 and result.stderr else read_report(result.stdout)
