# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the suites and iwarp-check agree about a device: the suites see it as a requester through an RDMA device, iwarp-check
sees the wire. Connections of a case are found by the opener's port, which the connection manager's messages also have on RoCE."""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from reports import read_report  # noqa: E402

# A failure that the capture shows under another rule: a more specific rule, or one that sees the same octets first.
TOO_LONG = {"CMPD-4.2-05", "CMPD-5.1-01"}
TOLD = {
    **dict.fromkeys(("RPCR-4.5.3-02", "RPCR-4.5.3-02/getacl", "EXP-4.3-02", "NFSULB-3.1-01", "CMPD-4-03", "CMPD-5.2-02",
                     "CMPD-5.2-03", "CMPD-5.2-04"), TOO_LONG),
    **dict.fromkeys(("NFSULB-6.4.2-05/write", "NFSULB-6.4.2-05/write-segments"), {"RPCR-4.3.3-05"}),
    "NFSULB-6.4.2-07": {"RPCR-4.5.4-03"},
    "RPCR-6.1-08": {"RPCR-6.1-07"},
    "RPCR-4.5.2-04": {"RPCR-4.2.1-01"},
    "RPCR-4.5-01/0": {"RPCR-4.5-04"},  # a message without an XID is answered with one
    # The count is at the end of the text, and no chunk fits it.
    **dict.fromkeys(("NFSULB-6.4.1-02", "NFSULB-6.4.1-03", "NFSULB-6.4.1-05/second", "NFSULB-6.4.1-06"), {"RPCR-3.4.6.2-03"}),
}
# Failures that the capture leaves open, and why.
OPEN = {
    **{("responder", case): "an NFS error may have another cause than the chunks"
       for case in ("NFSULB-6.4.2-04/both", "RPCR-3.4.5-08/at", "RPCR-3.4.5-08/before", "RPCR-3.4.5-08/after")},
    **{("initiator", case): "what the client has taken for the Reply to a Call, nothing shows that it sends"
       for case in ("RPCR-4.3.1-04", "RPCR-4.3.1-04/pending", "RPCR-4.5-01", "RPCR-4.5-01/27", "RPCR-4.5-03/list", "RPCR-4.5-10",
                    "RPCR-4.6.1-03", "RPCR-4.6.2-02")},
}
# Rules that do not apply to connections of an RDMA device.
OVER_TCP = {"NFSULB-5.1-01"}
# Failures shown by a Reply that iwarp-check does not accept as evidence, because the Reply itself breaks this rule: Linux sends it
# with Invalidate, if memory can be invalidated (soft RoCE).
BY_REPLY = {"RPCR-6.1-07", "RPCR-6.1-08", "EXP-3.5.1-01"}
INVALIDATES = "CMPD-4.1-03"
# Shorter than the suites' own times (suites.PATIENCE), so that the capture shows that they are over.
TIMERS = "--timers=react=2,close=4,reply=4,answer=4"


def is_refused(connection):
    """One of the devices has refused the other's message, perhaps before it was complete."""
    naks = connection.get("ib", {}).get("naks", {})
    return bool(connection["counts"]["operations"].get("terminate") or
                any(naks.get("invalid_request", []) + naks.get("remote_operation", [])))


def judge(build, capture, report, dut):
    """By case: iwarp-check's findings about the device on the case's connections. {"failed": {rule: message}, "passed": [rule]}"""
    command = [build / "conformance" / "iwarp-check", "--format=ndjson", "--counts=connection", "--fail-on=never", TIMERS, capture]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    if done.returncode != 0:
        raise RuntimeError(f"iwarp-check ends with {done.returncode}: {done.stderr}")
    connections = {}
    for connection in read_report(done.stdout)["captures"][0]["connections"]:
        port = int(connection["initiator"].rsplit(":", 1)[1])
        connections.setdefault(port, []).append(connection)
    shown = {}
    for test in report["tests"]:
        found = {"failed": {}, "passed": [], "connections": 0, "refused": False}
        for connection in (one for port in test["ports"] for one in connections.get(port, [])):
            found["connections"] += 1
            found["refused"] |= is_refused(connection)
            for finding in connection["findings"]:
                if finding["direction"].startswith(dut) and finding["severity"] != "note":
                    found["failed"].setdefault(finding["rule"], finding["message"])
            found["passed"] += [rule for rule, count in connection["rules"].items()
                                if count["passed"] and rule not in found["passed"]]
        shown[test["id"]] = found
    return shown


def seen(tests, shown):
    """Rows as the suites write them for a device whose octets they see: broken rules besides those of the cases."""
    told = {test["rule"] for test in tests if test["outcome"] == "failed"}
    found = {}
    for test in tests:
        for rule, message in shown.get(test["id"], {"failed": {}})["failed"].items():
            if rule not in told:
                found.setdefault(rule, re.sub(r"\b(0x[0-9a-f]+|\d+)\b", "N", message))  # the first message varies
    return [{"id": f"{rule}/seen", "rule": rule, "suite": "seen", "outcome": "failed", "actual": message, "observations": [],
             "ports": []} for rule, message in sorted(found.items())]


def disagreements(tests, shown, dut):
    """In words: a verdict that the capture contradicts, or does not confirm without a reason."""
    for test in tests:
        if test["suite"] == "seen" or test["outcome"] in ("not applicable", "inconclusive") or test["id"] in OVER_TCP:
            continue
        found = shown[test["id"]]
        names = {test["rule"], *test.get("aliases", [])}
        if not found["connections"]:
            yield f"{test['id']}: no connection of it is in the capture ({test['ports']})"
        elif test["outcome"] == "passed" and names & found["failed"].keys():
            rule = (names & found["failed"].keys()).pop()
            yield f"{test['id']} passed, but iwarp-check finds {rule}: {found['failed'][rule]}"
        elif test["outcome"] == "failed" and TOLD.get(test["id"]) == TOO_LONG and found["refused"]:
            continue  # the capture shows no length for a Send that was refused in the middle
        elif test["outcome"] == "failed" and test["id"] in BY_REPLY and INVALIDATES in found["failed"]:
            continue
        elif test["outcome"] == "failed" and not names & found["failed"].keys() and \
                not TOLD.get(test["id"], set()) & found["failed"].keys() and (dut, test["id"]) not in OPEN:
            yield (f"{test['id']} failed ({test['actual']}), but iwarp-check does not find it"
                   + (f"; it finds {', '.join(sorted(found['failed']))}" if found["failed"] else ""))
