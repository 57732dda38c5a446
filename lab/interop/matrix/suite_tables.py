# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the page about servers under the suites: results of server_suites.py, suites/ in the archive."""
import pathlib
import sys

import cells
import store

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "suites"))
import table  # noqa: E402 pylint: disable=wrong-import-position

OUTCOMES = ["passed", "failed", "unstable", "died", "inconclusive", "not applicable"]
FAILS = ("failed", "died")
UNKNOWN = "Failures that nobody has held against the document yet"


def suites(docs):
    """Results by server and device; those of Linux 6.1 are the tables of ../lab/expected."""
    found = {}
    for device in ("siw", "rxe"):
        rows = table.load(f"{device}-nfs-server")
        found["linux-6.1", device] = {"server": "linux-6.1", "device": device, "kernel": "6.1", "state": "alive", "options": [],
                                      "tests": {case: {"outcome": table.alternatives(row)[0][0], "deviation": row["deviation"]}
                                                for case, row in rows.items() if not case.endswith("/seen")}}
    for one in store.folder(docs, "suites").values():
        found[one["server"], one["device"]] = one
    return dict(sorted(found.items()))


def outcome_rows(found):
    for (server, device), one in found.items():
        outcomes = [test["outcome"] for test in one["tests"].values()]
        yield [cells.TITLES[server], device, one["kernel"], *(str(outcomes.count(outcome)) for outcome in OUTCOMES),
               "; ".join([one["state"] + " at the end", *one["options"]] + ([f"started {one['starts']} times"] if one.get("starts", 1) > 1 else []))]


def deviations(found):
    """Key or None, title, its cases, and for each server and device: yes with the failing cases, gone if all of them pass, or open."""
    known, cases_of = table.deviations(), {}
    for one in found.values():
        for case, test in one["tests"].items():
            if test["outcome"] in FAILS:
                cases_of.setdefault(test.get("deviation") or None, set()).add(case)
    for deviation, its_cases in sorted(cases_of.items(), key=lambda each: (each[0] is None, each[0])):
        texts = []
        for one in found.values():
            outcomes = [one["tests"][case]["outcome"] for case in its_cases if case in one["tests"]]
            failed_here = [case for case in its_cases if one["tests"].get(case, {}).get("outcome") in FAILS and
                           (one["tests"][case].get("deviation") or None) == deviation]
            texts.append(f"yes ({len(failed_here)})" if failed_here else "gone" if outcomes and set(outcomes) == {"passed"} else
                         "otherwise" if set(FAILS) & set(outcomes) else "open")
        yield deviation, known[deviation]["title"] if deviation in known else UNKNOWN, sorted(its_cases), texts


def markdown(docs, causes):
    found = suites(docs)
    cause_of = {deviation: row["key"] for row in causes.values() for deviation in row["deviations"]}
    yield "## Servers under the suites\n"
    yield ("`iwarp-gen test --suite=rpcrdma,nfs` through an RDMA device of a guest (`server_suites.py`); Linux 6.1 as in "
           "[linux-nfs-rdma.md](../linux-nfs-rdma.md).\n")
    yield "| server | device | kernel | " + " | ".join(OUTCOMES) + " | |\n" + "|---" * (len(OUTCOMES) + 4) + "|"
    for row in outcome_rows(found):
        yield "| " + " | ".join(row) + " |"
    yield ""
    heads = [f"{cells.TITLES[server]}, {device}" for server, device in found]
    yield "Deviations: yes (cases that fail in this way), gone (all of its cases pass), otherwise (they fail in another way), open (neither).\n"
    yield "| deviation | cases | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 2) + "|"
    for deviation, title, its_cases, texts in deviations(found):
        name = f"[{title}](#{cause_of[deviation]})" if deviation in cause_of else title
        yield f"| {name} | {', '.join(its_cases)} | " + " | ".join(texts) + " |"
    yield ""
