# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by the corpus tests and their fixtures."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS), str(TESTS.parent / "rules")]  # docs/rules.py runs with another path
import catalogue  # noqa: E402
from reports import each  # noqa: E402

Fault = collections.namedtuple("Fault", "id scenario also summary")
Rule = collections.namedtuple("Rule", "id judged severity under")  # under: the rules that report its findings
Finding = collections.namedtuple("Finding", "rule severity frame message")

# Disturbances; their probabilities affect every conversation somewhere.
NETS = ("loss=0.08", "reorder=0.15", "dup=0.15", "resegment=0.1",
        "loss=0.04,reorder=0.1,dup=0.05,resegment=0.05")
ROCE_NETS = ("loss=0.08", "reorder=0.15", "dup=0.15", "rnr=0.2",
             "loss=0.04,reorder=0.1,dup=0.05,rnr=0.05,delay=1,jitter=2")
# Other properties of the path: a quarter of the seeds.
WAYS = ("window=2048,delay=2,jitter=3,loss=0.02", "tso=16000,reorder=0.05")


# Tables of rules by the beginning of their ids, and those in which every judged rule must have both kinds of traffic.
LAYERS = {"MPA": "mpa", "DDP": "ddp", "RDMAP": "rdmap", "SEC": "rdmap", "RPCR": "rpcrdma", "BIDI": "rpcrdma",
          "CMPD": "rpcrdma", "EXP": "rpcrdma", "RPC": "rpc", "NFSULB": "nfs", "NFS": "nfs"}
STRICT = {"mpa", "ddp", "rdmap", "rpcrdma", "rpc", "nfs"}


def layer(rule):
    """None for tables that this corpus does not cover."""
    return LAYERS.get(re.match("[A-Z]+?(?=(?:[0234]|41)?-|X-)", rule)[0])


def base(fault_id):
    """The rule of a fault, or of its stimulus: MPA-4.1-06+ok, MPA-7.1.1-28/short."""
    return re.split("[/+]", fault_id)[0]


def name(fault_id):
    return "fault-" + fault_id.replace("/", "_")


def profile(path):
    """The profile for a capture that is named after its fault, name(), or after its scenario."""
    file = os.path.basename(path)
    return catalogue.profile(file.removeprefix("fault-"), file)


def lines(gen, *arguments):
    return [line.split("\t") for line in gen("list", *arguments).stdout.splitlines()]


def listed_faults(*options):
    """Needed before there are fixtures; empty if nothing is built."""
    from tests.conftest import build_folder  # not in the path of docs/rules.py

    program = build_folder() / "traffic-gen" / "iwarp-gen"
    if not program.exists():
        return []
    run = subprocess.run([program, "list", "faults", *options], capture_output=True, text=True, check=True)
    return [Fault(i, s, set(also.split(",")) - {"-"}, text)
            for i, s, also, text in (line.split("\t") for line in run.stdout.splitlines())]


def judge(build, paths, by_name=True, rules="ietf", counts=True, options=()):
    """One call of iwarp-check for many captures; the JSON object of each, by file name without suffix or in order. Without counts: three
    of each kind of equal findings, and only failed or inconclusive rules."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as report:
        run = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", "--no-progress",
                              *(["--verbose"] if counts else []), *([] if rules == "ietf" else ["--profile=" + rules]), *options, *paths],
                             stdout=report, stderr=subprocess.PIPE, text=True, check=False)
        assert run.returncode in (0, 1, 3), run.stderr
        report.seek(0)
        captures = list(each(report, "captures"))
    return {os.path.basename(c["file"])[:-len(".pcapng")]: c for c in captures} if by_name else captures


def findings(capture):
    return [Finding(f["rule"], f["severity"], f["frame"], f["message"])
            for connection in capture["connections"] for f in connection["findings"]]


def outcomes(capture):
    """rule -> [passed, failed] over the capture's connections."""
    sums = collections.defaultdict(lambda: [0, 0])
    for connection in capture["connections"]:
        for rule, counts in connection["rules"].items():
            sums[rule][0] += counts["passed"]
            sums[rule][1] += counts["failed"]
    return sums
