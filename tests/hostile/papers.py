# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports, waivers and scenarios: their readers take time that grows with their size, for deep, equal or different parts."""
import json
import pathlib
import struct

import adversary
import frames
import upper
from reports import write_report

CHECK, GEN = pathlib.Path("conformance", "iwarp-check"), pathlib.Path("traffic-gen", "iwarp-gen")
MPA = {"revision": 1, "markers_to_initiator": False, "markers_to_responder": False, "crc": False, "enhanced": False, "peer_to_peer": False, "rtr": [],
       "ird": None, "ord": None, "rejected": False, "midstream": False, "complete": False}
COUNTS = {"passed": 0, "failed": 1, "inconclusive": 0}


def wrong_calls(capture, n):
    """Calls that ask for no credits: a finding for each."""
    nfs = upper.Nfs(capture)
    for _ in range(n):
        nfs.xid += 1
        message = struct.pack(">17I", nfs.xid, 1, 0, 0, 0, 0, 0, nfs.xid, 0, 2, 100003, 3, 0, 0, 0, 0, 0)
        nfs.msn[0] += 1
        nfs.connection.fpdu(0, adversary.untagged(adversary.SEND, 0, nfs.msn[0], message))


# ---- reports of iwarp-check ----

def finding(number, rule="RPCR-3.3.1-01", said="nothing"):
    return {"rule": rule, "document": "RFC 8166", "section": "3.3.1", "severity": "error", "frame": number + 1, "frames": [number + 1],
            "related_frame": None, "time": 0.0, "at": "2023-11-14T22:13:20.000010Z", "direction": "initiator-to-responder", "stream_offset": number,
            "message": f"expected something; found {said}", "found": said, "expected": "something", "same_as": [], "judged_with": [], "waived": False}


def connection(number, findings):
    return {"id": number + 1, "initiator": f"10.0.{number >> 8 & 255}.{number & 255}:40000", "responder": "10.0.0.2:20049", "roles_known": True,
            "start_frame": 1, "end_frame": 8, "transport": "iwarp", "mpa": MPA, "counts": {"fpdus": [3, 0], "octets": [72, 0], "operations": {}},
            "findings": findings, "findings_not_listed": 0, "rules": {"RPCR-3.3.1-01": COUNTS}}


def captured(number, connections):
    return {"file": f"{number}.pcap", "verdict": "fail", "start": "2023-11-14T22:13:20.000010Z", "packets": 8, "bytes": 544, "dropped": 0,
            "truncated": False, "connections_without_mpa": 0, "calls": {"made": 0, "answered": 0, "whole": True}, "trouble": [],
            "rules": {"RPCR-3.3.1-01": COUNTS}, "connections": connections}


def write(path, captures):
    connections = [one for capture in captures for one in capture["connections"]]
    whole = {"tool": "iwarp-check", "format": 4, "version": "1.0.0", "profile": "ietf", "captures": captures,
             "summary": {"findings": {"error": sum(len(one["findings"]) for one in connections), "warning": 0, "note": 0}, "waived": 0,
                         "unused_waivers": [], "connections": len(connections), "rules_exercised": 1, "trouble": False, "verdict": "fail"}}
    pathlib.Path(path).write_text(write_report(whole), encoding="utf-8")


def alike(path, n):
    """The control: the same finding repeated."""
    write(path, [captured(0, [connection(0, [finding(number) for number in range(n // 8)])])])


def all_different(path, n):
    write(path, [captured(0, [connection(0, [finding(number, said=f"{number:b}".replace("1", "one ").replace("0", "nil ")) for number in range(n // 8)])])])


def rules_that_nobody_knows(path, n):
    write(path, [captured(0, [connection(0, [finding(number, rule=f"XYZ-{number}.1-01") for number in range(n // 8)])])])


def many_connections(path, n):
    write(path, [captured(0, [connection(number, [finding(number)]) for number in range(n // 8)])])


def many_captures(path, n):
    write(path, [captured(number, [connection(0, [finding(number)])]) for number in range(n // 8)])


def as_alike(path, _, n):
    alike(path, n)


def deep(path, n):
    """Deep nesting at the place of waivers."""
    write(path, [])
    text = pathlib.Path(path).read_text(encoding="utf-8")
    pathlib.Path(path).write_text(text.replace('"unused_waivers": [', '"unused_waivers": [' + "[" * 64 * n, 1), encoding="utf-8")


def flat(path, _, n):
    write(path, [])
    text = pathlib.Path(path).read_text(encoding="utf-8")
    pathlib.Path(path).write_text(text.replace('"unused_waivers": [', '"unused_waivers": [' + "0, " * (64 * n // 3) + "0", 1), encoding="utf-8")


def merge(*options):
    return lambda build, path: [build / CHECK, "merge", "--output=/dev/null", *options, path]


def baseline(build, path):
    return [build / CHECK, "merge", "--output=/dev/null", f"--baseline={path}", path]


# ---- reports of iwarp-gen test ----

def case(number, name):
    return {"id": name, "rule": "MPA-8-02", "aliases": [], "suite": "mpa", "document": "RFC 5044", "section": "8", "level": "MUST", "severity": "error",
            "requirement": "Error 2.", "stimulus": "an FPDU", "expected": "a close", "outcome": "failed", "actual": "nothing", "waived": None, "death": None,
            "shown": "refused", "rests_on": "", "runs": {}, "seconds": 0.1, "observations": [], "ports": [number & 0xFFFF], "frames": []}


def tested(path, cases):
    count = len(cases)
    pathlib.Path(path).write_text(json.dumps({
        "tool": "iwarp-gen test", "format": 2, "version": "1.0.0", "device": "x", "role": "responder", "started": "2026-11-27T05:47:55Z", "seconds": 0.1,
        "state": "alive", "start_up": "", "sign_of_life": "", "terminate_layout": None, "capture": None, "load": None, "soak": [],
        "reach": {"tests": count, "can_run": count, "missing": []}, "deaths": [], "tests": cases, "unused_waivers": [], "sections": [],
        "summary": {"passed": 0, "failed": count}}), encoding="utf-8")


def many_cases(path, n):
    tested(path, [case(number, f"MPA-8-02/{number}") for number in range(n // 8)])


def one_case_again(path, _, n):
    tested(path, [case(number, "MPA-8-02/crc") for number in range(n // 8)])


def report(build, path):
    """The same report twice: a matrix with two columns."""
    return [build / GEN, "report", "--output=/dev/null", path, path]


# ---- YAML ----

WAIVERS = 200


def write_waivers(path, rule, n):
    """Writes waivers, and a capture with findings. Time grows with the product of both numbers: the number of waivers is fixed."""
    entry = "- id: {}\n  why: it is\n  scope:\n    found: '*a*b*c*d*{}'\n"
    pathlib.Path(path).write_text("".join(entry.format(rule, number) for number in range(WAIVERS)), encoding="utf-8")
    write_calls(f"{path}.pcap", 4 * n)


def waivers_for_each(path, n):
    write_waivers(path, "RPCR-3.3.1-01", n)


def waivers_of_other_rules(path, _, n):
    write_waivers(path, "MPA-4.1-05", n)


def write_calls(path, n):
    capture = adversary.Capture(path)
    wrong_calls(capture, n // 8)
    capture.close()


def waived(build, path):
    return [build / CHECK, "--summary", "--no-progress", f"--waivers={path}", f"{path}.pcap"]


def rows(row):
    yield row("a_finding_in_each", lambda path, n: write_calls(path, 4 * n), 14, command=lambda build, path: [
        build / CHECK, "--no-progress", "--format=ndjson", "--max-findings=0", "--output=/dev/null", path], mib=lambda n: 96 + n / 128)
    for make, times in ((all_different, 3), (rules_that_nobody_knows, 3), (many_connections, 4), (many_captures, 9)):
        yield row(f"merge_{make.__name__}", make, times, control=as_alike, command=merge(), mib=lambda n: 96 + n / 64, statuses=(0, 1))
        yield row(f"baseline_{make.__name__}", make, times, control=as_alike, command=baseline, mib=lambda n: 96 + n / 32, statuses=(0, 1))
    yield row("merge_deep", deep, 4, control=flat, command=merge(), statuses=(2,))
    yield row("report_of_many_cases", many_cases, 4, control=one_case_again, command=report, mib=lambda n: 96 + n / 64, statuses=(0,))
    yield row("waivers_for_each", waivers_for_each, 30, control=waivers_of_other_rules, command=waived, share=0.25)
