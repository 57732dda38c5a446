# SPDX-License-Identifier: GPL-2.0-or-later
"""--print=ndjson: flat objects with the same keys and types, consistent with the report."""
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

from reports import read_report


@pytest.fixture
def objects(check, root, tmp_path):
    """objects(*arguments) -> (the objects, the JSON report of the same run)"""
    schema = json.loads((root / "docs" / "iwarp-check-print.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)

    def run(*arguments):
        path = tmp_path / "report.json"
        result = check("--print=ndjson", "--max-findings=0", "-v", "--format=ndjson", "-o", path, *arguments)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        for line in lines:
            validator.validate(line)
            assert list(line) == schema["required"] and not any(isinstance(value, (list, dict)) for value in line.values())
        assert result.stderr.splitlines()[-1].startswith(("PASS", "FAIL"))
        return lines, read_report(path.read_text(encoding="utf-8"))
    return run


@pytest.mark.parametrize("name", ["real/nfslong/nfs42-long-setxattr.pcap", "real/nfs/nfs41-acl.pcap"])
def test_agrees_with_the_report(objects, root, name):
    path = root / "captures" / name
    lines, parsed = objects(path)
    capture, = parsed["captures"]
    connection = capture["connections"][0]
    found = sorted((f["frame"], f["rule"], f["severity"], f["message"]) for c in capture["connections"] for f in c["findings"])
    assert found == sorted((o["frame"], o["rule"], o["severity"], o["text"]) for o in lines if o["type"] == "finding")
    calls = [o for o in lines if o["type"] == "call"]
    assert len(calls) == capture["calls"]["answered"] > 10
    assert all(o["latency"] >= 0 and (o["status"] == "SUCCESS" or o["status"].startswith("NFS4ERR_")) and o["operation"] and o["xid"] is not None for o in calls)
    assert any(o["operations"] for o in calls) and {o["capture"] for o in lines} == {str(path)}
    sends = [o for o in lines if o["type"] == "message" and o["layer"] == "rdmap" and o["operation"].startswith("SEND") and o["connection"] == 1]
    operations = connection["counts"]["operations"]
    assert len(sends) == sum(n for key, n in operations.items() if key.startswith("send"))
    messages = [o for o in lines if o["layer"] == "rpcrdma" and o["type"] == "message"]
    by_frame = {(o["frame"], o["octets"]) for o in sends}
    assert all((o["frame"], o["octets"]) in by_frame for o in messages if o["connection"] == 1)
    assert lines[0]["seconds"] <= 0.1 and lines[0]["time"].endswith("Z") and len(lines[0]["time"]) == 30


@pytest.mark.parametrize("transport", [[], ["--transport=roce"]])
def test_octets_by_chunk(objects, capture, transport):
    """A Call's chunks moved the same octets as the RDMA messages between its Sends."""
    lines, _ = objects(capture("nfs3", *transport))
    moved = {name: sum(o["octets"] for o in lines if o["type"] == "message" and o["operation"] == name) for name in ("WRITE", "READ-RESP")}
    calls = [o for o in lines if o["type"] == "call"]
    assert calls and sum(o["octets_read"] for o in calls) == moved["READ-RESP"] > 0
    assert sum((o["octets_write"] or 0) + (o["octets_reply"] or 0) for o in calls) == moved["WRITE"] > 0


def test_a_fault_is_an_object(objects, bad, fault):
    lines, _ = objects(bad)
    finding, = (o for o in lines if o["type"] == "finding")
    assert finding["rule"] == fault and finding["severity"] == "error" and finding["layer"] == "mpa"


def test_what_only_counts_is_there_as_well(check, root):
    path = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    n = [sum('"type" : "finding"' in line for line in check("--print=ndjson", *options, path).stdout.splitlines()) for options in ([], ["--max-findings=1"])]
    assert n[0] == n[1] > 3


def test_lines_of_a_pipe_come_at_once(build, bad):
    """The writer of the pipe waits for the first line before it sends more."""
    octets = pathlib.Path(bad).read_bytes()
    with subprocess.Popen([build / "conformance" / "iwarp-check", "--print=ndjson", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        os.write(process.stdin.fileno(), octets[:-200])
        assert json.loads(process.stdout.readline())["operation"] == "MPA-REQ"
        process.stdin.write(octets[-200:])
        process.stdin.close()
        assert all(json.loads(line) for line in process.stdout)
        assert process.wait() == 1


def test_misuse(check, good):
    result = check("--print=xml", good)
    assert result.returncode == 2 and "--print=xml: choose ndjson" in result.stderr
    assert check("--print=ndjson", "--summary", good).returncode == 2


def test_pandas(check, good):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: it is large, and no program needs it")
    import io
    frame = pandas.read_json(io.StringIO(check("--print=ndjson", good).stdout), lines=True)
    assert set(frame.type) >= {"message"} and frame.time.notna().all()
