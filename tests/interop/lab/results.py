#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""results.py REPORT.json...: the page docs/results-siw.md from reports of iwarp-gen test, with what was verified by hand."""
import collections
import json
import sys

TURNED = ("The first octet of the Terminate's payload holds Layer in its four high bits and Error Type in the low ones (RFC "
          "5040 section 4.8, Figure 10). siw has them the other way round, and M, D, R at the low end of their octet: what it "
          "means is right, what it says is another error.")
READABLE = ("The Read Response carries 64 octets of memory that was registered without remote read (`IBV_ACCESS_REMOTE_READ` "
            "is not among its rights in `guest/target.c`): they are the letters with which the region is filled.")
INVALIDATED = ("The Send names an STag that the device never told, or one of another Protection Domain. RFC 5040 section 5.3 "
               "demands a Terminate; the connection stays open without one.")
# Failures whose octets were held against the text of the standards.
VERIFIED = {
    "DDP-7.1-15": "A Write of 64 octets at 2^64 - 33. RFC 5041 section 7.1 wants the sum checked, section 7.2 the code 1/1/03. "
                  "siw tells code 0 of another type.",
    "DDP-7.2-09": TURNED,
    "DDP-7.2-12": "The message has more than 4096 octets for a Receive of 4096. The code for that is 0x05 (RFC 5041 section 7.2); "
                  "siw tells 0x02, no buffer, with Layer and Error Type turned around.",
    "DDP-7.2-13": TURNED,
    "MPA-4.3-01": "The same Request with M = 0 is accepted, with M = 1 it is not. RFC 5044 section 4.3 leaves it to a receiver "
                  "whether it asks for Markers, and to no sender whether it can insert them.",
    "MPA-7.1.2-42": "The rule binds the ULP, here `target`, which sets no time limit; siw has none of its own.",
    "MPA-8-05": TURNED,
    "MPA2-9.2-07": "Offered alone, an RTR by RDMA Read is agreed to; offered together with the others, the Reply names RDMA Write "
                   "alone. RFC 6581 section 9.2 wants each type named that the Responder can support.",
    "RDMAP-4.8-07": TURNED,
    "RDMAP-4.8-08": TURNED,
    "RDMAP-4.8-08/bounds": TURNED,
    "RDMAP-4.8-09": READABLE,
    "RDMAP-4.8-09/local": READABLE,
    "RDMAP-4.8-10": TURNED,
    "RDMAP-4.8-12": INVALIDATED,
    "RDMAP-4.8-14": TURNED,
    "RDMAP-4.8-15": TURNED,
    "RDMAP-7.1-10": TURNED,
    "RDMAP-7.2-04": INVALIDATED,
    "RDMAP-7.2-05": INVALIDATED,
    "RDMAPX-1.1-05": TURNED,
    "SEC-6.3.5-01": READABLE,
}
OCTETS_SHOWN = 80
FRAMES_SHOWN = 6


def frames(test):
    yield "```"
    for frame in test["frames"][-FRAMES_SHOWN:]:
        arrow = "test >    " if frame["from"] == "test" else "  < device"
        yield f"{frame['seconds']:8.3f} {arrow} {frame['what']}"
        octets = frame["octets"] or ""
        shown = octets[:2 * OCTETS_SHOWN]
        for at in range(0, len(shown), 64):
            yield " " * 20 + " ".join(shown[at:at + 64][word:word + 8] for word in range(0, len(shown[at:at + 64]), 8))
        if len(octets) > len(shown):
            yield " " * 20 + f"... {frame['length']} octets in all"
    yield "```"


def page(reports):
    tests = [test for report in reports for test in report["tests"]]
    failed = [test for test in tests if test["outcome"] == "failed"]
    count = collections.Counter((test["suite"], test["outcome"]) for test in tests)
    yield "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->"
    yield "# Linux soft-iWARP, tested"
    yield ""
    yield ("`iwarp-gen test` against siw of Linux 6.1.0-56-amd64 (Debian 6.1.192-2) in the guest of `tests/interop/lab`, its "
           "verbs program `target` as the device's service. `tests/interop/lab/test_lab.py` runs it again and fails for every "
           "failure that does not stand here; `results.py` there writes this page. Options: `--settle=0.3` (siw loses sight "
           "of FPDUs that arrive right behind its Reply), `--timeout=4 --start-timeout=20 --idle-timeout=130`.")
    yield ""
    outcomes = ["passed", "failed", "inconclusive", "not applicable"]
    yield "| suite | " + " | ".join(outcomes) + " |"
    yield "|---" * (len(outcomes) + 1) + "|"
    for suite in dict.fromkeys(test["suite"] for test in tests):
        yield f"| {suite} | " + " | ".join(str(count[suite, outcome]) for outcome in outcomes) + " |"
    yield ""
    yield ("Not applicable are Markers, which siw never asks for. Suite rdmapx is inconclusive because siw, which has neither "
           "Atomic Operations nor Immediate Data, says so in a Terminate that means something else (RDMAPX-1.1-05 below).")
    yield ""
    yield "## Failures"
    for test in failed:
        yield ""
        yield f"### {test['id']}"
        yield ""
        yield f"{test['requirement']} ({test['document']} section {test['section']}, {test['level']})"
        yield ""
        yield f"Stimulus: {test['stimulus']}. Expected: {test['expected']}. Found: {test['actual']}."
        yield ""
        yield VERIFIED.get(test["id"], "Not verified by hand yet.")
        yield ""
        yield from frames(test)


if __name__ == "__main__":
    loaded = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            loaded.append(json.load(file))
    print("\n".join(page(loaded)))
