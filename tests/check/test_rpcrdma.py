# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC-over-RDMA in the reports and in the lines of --print."""
import re
import subprocess

import jsonschema
import pytest

CHUNK = r"(?:empty|\d+x\d+)"
LINE = re.compile(
    r"\d+ \d+\.\d{6} [<>] \[rpcrdma: (?:RDMA_(?:MSG|NOMSG|MSGP|DONE|ERROR)|type \d+)(?: v\d+)? xid 0x[0-9a-f]+ credit \d+"
    r"(?: inv 0x[0-9a-f]+)?"
    rf"(?: read (?:-|{CHUNK}@\d+(?:,{CHUNK}@\d+)*) write (?:-|{CHUNK}(?:,{CHUNK})*) reply (?:-|{CHUNK}))?"
    r"(?: ERR_CHUNK| ERR_VERS \d+-\d+| error \d+)?"
    r"(?: (?:ends early|no such type|bad discriminator|list past the end|no such error) at \d+)?"
    r"(?: CALL[A-Za-z0-9_+. ]*| REPLY[A-Za-z0-9_ ]*| [A-Z_]+\d+ [A-Za-z0-9_ ]+)?"
    r"\](?: connection \d+)?")


def lines(check, *arguments):
    return [line for line in check("--print", *arguments).stdout.splitlines() if "[rpcrdma: " in line]


@pytest.fixture(scope="module")
def nfs3(capture):
    return capture("rpcrdma")


@pytest.fixture(scope="module")
def nfs41(capture):
    return capture("nfs41")


def connection(report, *arguments):
    return report(*arguments)[1]["captures"][0]["connections"][0]


def test_a_line_for_each_message(check, nfs3):
    found = [re.search(r"([<>]) \[rpcrdma: (\w+) .* credit \d+ (.*)\]", line).groups() for line in lines(check, nfs3)]
    assert found == [
        (">", "RDMA_MSG", "read - write - reply - CALL NFS3 NULL"),
        ("<", "RDMA_MSG", "read - write - reply - REPLY NFS3 NULL SUCCESS"),
        (">", "RDMA_MSG", "read - write 2x8192 reply - CALL NFS3 READ"),
        ("<", "RDMA_MSG", "read - write 2x8192 reply - REPLY NFS3 READ SUCCESS"),
        (">", "RDMA_MSG", "read 1x8192@136 write - reply - CALL NFS3 WRITE"),
        ("<", "RDMA_MSG", "read - write - reply - REPLY NFS3 WRITE SUCCESS"),
        (">", "RDMA_NOMSG", "read 1x156@0,1x1000@156 write - reply - CALL"),
        ("<", "RDMA_MSG", "read - write - reply - REPLY NFS3 SYMLINK SUCCESS"),
        (">", "RDMA_MSG", "read - write - reply 1x8192 CALL NFS3 READDIR"),
        ("<", "RDMA_NOMSG", "read - write - reply 1x228 REPLY NFS3 READDIR SUCCESS"),
    ]


def test_a_compound_names_its_operations(check, nfs41):
    assert any(line.endswith("CALL NFS4 COMPOUND SEQUENCE+PUTFH+READ+GETATTR]") for line in lines(check, nfs41))


def test_calls_by_procedure(report, nfs3):
    found = connection(report, nfs3)["rpcrdma"]
    assert found["client"] == "initiator" and found["other_calls"] == 0
    assert found["thresholds"] == [4096, 4096]
    calls = {call["name"]: call for call in found["calls"]}
    assert list(calls) == ["NFS3 NULL", "NFS3 READ", "NFS3 WRITE", "NFS3 SYMLINK", "NFS3 READDIR"]
    for call in calls.values():
        assert call["program"] == 100003 and call["version"] == 3 and call["direction"] == "forward"
        assert call["calls"] == call["replies"] == 1 and call["errors"] == 0 and call["octets"]["inline"] > 56
    assert {name: (call["octets"]["read"], call["octets"]["write"]) for name, call in calls.items()} == {
        "NFS3 NULL": (0, 0), "NFS3 READ": (0, 8192), "NFS3 WRITE": (8192, 0), "NFS3 SYMLINK": (1156, 0),
        "NFS3 READDIR": (0, 228)}


def test_the_text_report_says_the_same(check, report, nfs3):
    text = next(line for line in check(nfs3).stdout.splitlines() if "RPC-over-RDMA: " in line)
    calls = connection(report, nfs3)["rpcrdma"]["calls"]
    for call in calls:
        assert f"{call['calls']} {call['name']}" in text
    for way, words in (("inline", "inline"), ("read", "by Read"), ("write", "by Write")):
        assert f"{sum(call['octets'][way] for call in calls)} {words}" in text


def test_absent_where_there_is_none(check, report, good):
    assert "rpcrdma" not in connection(report, good)
    assert "RPC-over-RDMA" not in check(good).stdout.split("not exercised")[0]


def test_the_assumed_threshold(report, nfs3):
    assert connection(report, "--assume=inline=8192", nfs3)["rpcrdma"]["thresholds"] == [4096, 4096]


def test_old_rules_bind_with_their_profile_only(report, catalogue, nfs3):
    old = {row["id"] for row in catalogue if row["doc"] in ("RFC 5666", "RFC 5667")}
    for profile in ("ietf", "rdmac"):
        assert not old & set(connection(report, "--profile=" + profile, nfs3)["rules"])


def test_lines_and_reports_of_everything_generated(check, report, schema, build, capture):
    """Every fault of RPC-over-RDMA and NFS."""
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], check=True, capture_output=True,
                            text=True).stdout.splitlines()
    for rule, scenario, *_ in (line.split("\t") for line in listed):
        if not rule.startswith(("RPCR", "BIDI-", "CMPD-", "NFSULB-", "EXP-")):
            continue
        path = capture(scenario, "--inject=" + rule)
        for line in lines(check, path):
            assert LINE.fullmatch(line), line
        jsonschema.validate(report(path)[1], schema)
