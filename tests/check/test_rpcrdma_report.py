# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC-over-RDMA in the reports and in the lines of --print."""
import collections
import re
import subprocess

import pytest

from reports import validate

CHUNK = r"(?:empty|\d+x\d+)"
LINE = re.compile(
    r"\d+ \d+\.\d{6} [<>] \[rpcrdma: (?:xid 0x[0-9a-f]+ \d+ octets by Read|\d+ octets|"
    r"(?:RDMA_(?:MSG|NOMSG|MSGP|DONE|ERROR)|type \d+)(?: v\d+)? xid 0x[0-9a-f]+ credit \d+"
    r"(?: inv 0x[0-9a-f]+)?"
    rf"(?: read (?:-|{CHUNK}@\d+(?:,{CHUNK}@\d+)*)(?: write (?:-|{CHUNK}(?:,{CHUNK})*)(?: reply (?:-|{CHUNK}))?)?)?"
    r"(?: ERR_CHUNK| ERR_VERS \d+-\d+| error \d+)?"
    r"(?: (?:ends early|no such type|bad discriminator|list past the end|no such error) at \d+)?)"
    r"(?: CALL[A-Za-z0-9_+. ]*| REPLY[A-Za-z0-9_ ]*| [A-Z_]+\d+ [A-Za-z0-9_ ]+)?"
    r"\](?: connection \d+)?")


def lines(check, *arguments):
    return [line for line in check("--print", *arguments).stdout.splitlines() if "[rpcrdma: " in line]


def script(capture, text):
    return capture("script", f"--script=with nfs; {text}")


@pytest.fixture(scope="module")
def nfs3(capture):
    return script(capture, "I call nfs3.null; R reply; I call nfs3.read count=8192 write=4096+4096; R reply; "
                  "I call nfs3.write len=8192 read; R pull; R reply; I call nfs3.symlink len=1000 pz read; R pull; R reply; "
                  "I call nfs3.readdir count=8192 reply; R reply entries=200")


@pytest.fixture(scope="module")
def nfs41(capture):
    return script(capture, "I call nfs41.compound ops=sequence,putfh,read:8192,getattr write; R reply")


def connection(report, *arguments):
    return report(*arguments)[1]["captures"][0]["connections"][0]


def test_a_line_for_each_message(check, nfs3):
    found = [re.search(r"([<>]) \[rpcrdma: (\w+) xid 0x[0-9a-f]+ (?:credit \d+ )?(.*)\]", line).groups()
             for line in lines(check, nfs3) if "octets by Read" not in line]
    assert found == [
        (">", "RDMA_MSG", "read - write - reply - CALL NFS3 NULL"),
        ("<", "RDMA_MSG", "read - write - reply - REPLY NFS3 NULL SUCCESS"),
        (">", "RDMA_MSG", "read - write 2x8192 reply - CALL NFS3 READ"),
        ("<", "RDMA_MSG", "read - write 2x8192 reply - REPLY NFS3 READ SUCCESS"),
        (">", "RDMA_MSG", "read 1x8192@136 write - reply - CALL NFS3 WRITE"),
        ("<", "RDMA_MSG", "read - write - reply - REPLY NFS3 WRITE SUCCESS"),
        (">", "RDMA_NOMSG", "read 1x156@0,1x1000@156 write - reply - CALL"),
        ("<", "RDMA_MSG", "read - write - reply - REPLY NFS3 SYMLINK SUCCESS"),
        (">", "RDMA_MSG", "read - write - reply 1x65536 CALL NFS3 READDIR"),
        ("<", "RDMA_NOMSG", "read - write - reply 1x6532 REPLY NFS3 READDIR SUCCESS"),
    ]


def test_a_long_call_has_a_line_when_it_is_whole(check, nfs3):
    assert [line.split("[rpcrdma: ")[1].split(" ", 2)[2] for line in lines(check, nfs3) if "octets by Read" in line] == \
        ["156 octets by Read CALL NFS3 SYMLINK]"]


def test_a_compound_names_its_operations(check, nfs41):
    assert any(line.endswith("CALL NFS4 COMPOUND SEQUENCE+PUTFH+READ+GETATTR]") for line in lines(check, nfs41))


@pytest.mark.parametrize("text, wanted", [
    ("I call nfs3.read write; R error chunk",
     ["RDMA_MSG read - write 1x4096 reply - CALL NFS3 READ", "RDMA_ERROR ERR_CHUNK NFS3 READ"]),
    ("I call nfs3.null h.vers=2; R error vers=1..1",
     ["RDMA_MSG v2 read - write - reply - CALL NFS3 NULL", "RDMA_ERROR v2 ERR_VERS 1-1 NFS3 NULL"]),
    ("I call nfs3.null; R reply accept=4; I call nfs3.null; R reply denied reject=1 auth=2",
     ["RDMA_MSG read - write - reply - CALL NFS3 NULL", "RDMA_MSG read - write - reply - REPLY NFS3 NULL GARBAGE_ARGS",
      "RDMA_MSG read - write - reply - CALL NFS3 NULL", "RDMA_MSG read - write - reply - REPLY NFS3 NULL AUTH_ERROR"]),
    ("I call nfs41.compound ops=sequence,putfh,read:8192,read:4096 write=4096+4096/100/-; R reply status=5",
     ["RDMA_MSG read - write 2x8192,1x100,empty reply - CALL NFS4 COMPOUND SEQUENCE+PUTFH+READ+READ",
      "RDMA_MSG read - write 2x8192,1x0,empty reply - REPLY NFS4 COMPOUND SUCCESS status 5"]),
    ("I call nfs3.null; I again; R call cb41.cb_compound; I call nfs3.null h.proc=5; I call nfs3.getattr cut=20",
     ["RDMA_MSG read - write - reply - CALL NFS3 NULL", "RDMA_MSG read - write - reply - CALL NFS3 NULL again",
      "RDMA_MSG read - write - reply - CALL NFS_CB1 CB_COMPOUND", "type 5 no such type at 12 CALL",
      "RDMA_MSG read - write - list past the end at 20"]),
    ("I call nfs3.null; I raw hex=00112233", ["RDMA_MSG read - write - reply - CALL NFS3 NULL", "4 octets"]),
])
def test_lines_of_other_messages(check, capture, text, wanted):
    found = lines(check, script(capture, text))
    assert all(LINE.fullmatch(line) for line in found)
    assert [re.sub(r".*\[rpcrdma: |\]$| xid 0x[0-9a-f]+| credit \d+", "", line) for line in found] == wanted


def test_errors_and_the_reverse_direction_are_counted(report, capture):
    found = connection(report, script(
        capture, "I call nfs3.null; R error chunk; R call cb41.null; I reply; I call nfs3.null h.proc=5"))
    assert [(call["name"], call["direction"], call["calls"], call["replies"], call["errors"]) for call in found["rpcrdma"]["calls"]] \
        == [("NFS3 NULL", "forward", 1, 0, 1), ("NFS_CB1 CB_NULL", "reverse", 1, 1, 0)]
    assert found["rpcrdma"]["other_calls"] == 1


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
        "NFS3 READDIR": (0, 6532)}


def test_the_text_report_says_the_same(check, report, nfs3):
    text = next(line for line in check(nfs3).stdout.splitlines() if "RPC-over-RDMA: " in line)
    calls = connection(report, nfs3)["rpcrdma"]["calls"]
    for call in calls:
        assert f"{call['calls']} {call['name']}" in text
    for way, words in (("inline", "inline"), ("read", "by Read"), ("write", "by Write")):
        assert f"{sum(call['octets'][way] for call in calls)} {words}" in text


def test_absent_where_there_is_none(check, report, good):
    assert "rpcrdma" not in connection(report, good)
    assert "RPC-over-RDMA" not in check(good).stdout


def test_the_assumed_threshold(report, capture, nfs3):
    late = capture("script", "--script=with nfs late; I call nfs3.null; R reply; I call nfs3.null; R reply")
    assert connection(report, late)["rpcrdma"]["thresholds"] == [None, None]
    assert connection(report, "--assume=inline=8192", late)["rpcrdma"]["thresholds"] == [8192, 8192]
    assert connection(report, "--assume=inline=8192", nfs3)["rpcrdma"]["thresholds"] == [4096, 4096]


def test_old_rules_bind_with_their_profile_only(report, catalogue, nfs3):
    old = {row["id"] for row in catalogue if row["doc"] in ("RFC 5666", "RFC 5667")}
    for profile in ("ietf", "rdmac"):
        assert not old & set(connection(report, "--profile=" + profile, nfs3)["rules"])
    assert old & set(connection(report, "--profile=rfc5666", nfs3)["rules"])


TOGETHER = 25  # faults in a capture, each in its own conversation


def test_lines_and_reports_of_everything_generated(check, report, schema, build, capture):
    """Every fault of RPC-over-RDMA and NFS."""
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], check=True, capture_output=True,
                            text=True).stdout.splitlines()
    listed = [line.split("\t")[:2] for line in listed if line.startswith(("RPC", "BIDI-", "CMPD-", "NFS", "EXP-"))]
    of = collections.defaultdict(list)
    for rule, scenario in listed:
        of[scenario].append(rule)
    assert len(listed) > 700
    for scenario, rules in of.items():
        for i in range(0, len(rules), TOGETHER):
            path = capture(scenario, "--inject=" + ",".join(rules[i:i + TOGETHER]))
            shown = lines(check, path)
            assert len(shown) >= len(rules[i:i + TOGETHER])
            for line in shown:
                assert LINE.fullmatch(line), line
            if i % (8 * TOGETHER) == 0:
                validate(report(path)[1], schema)


def test_the_capture_for_measurements(report, capture):
    status, parsed = report("--fail-on=note", capture("nfs-bulk", "--size=3M"))
    calls = parsed["captures"][0]["connections"][0]["rpcrdma"]["calls"]
    assert status == 0 and [call["name"] for call in calls] == ["NFS3 READ", "NFS3 WRITE"]
    for call, way in zip(calls, ("write", "read")):
        assert call["octets"][way] == call["calls"] << 20
