#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""waivers.py [--check]: writes waivers/FAMILY-VERSION-PART.yaml, or says which of them are not as it would write them. From what
captures prove (known/captured.tsv: the octets were held against the document) and from the cases that fail (the tables of
suites/expected, whose failures have a deviation each; the results of suites of lab/results/matrix, where a newer server says the same as one of these): a case
that fails is a stimulus of iwarp-gen test, so it waives that case and no finding. Failures that end
a device are never waived. Both tables may
have a column `fixed`, the version in which a deviation ends; the field is left out while there is none."""
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "waivers"
RESULTS = HERE.parents[1] / "lab" / "results" / "matrix"
sys.path[:0] = [str(HERE / "suites"), str(HERE / "matrix")]
import store  # noqa: E402
import table  # noqa: E402

SILENCE = "RPCR-4.5.4-03/seen"  # an unanswered Call, for any stimulus: never waived as such
SCOPE = ("role", "operation", "kind", "found")  # of captured.tsv
# Deviations of siw also appear in the tables of NFS over siw.
OF_SIW = {"terminate-layout", "terminate-length", "terminate-header", "fin-cuts-message"}
# File: the implementation, other text of its head, and the tables of roles in which the device has the waiver's role.
FILES = {
    "linux-6.1-siw": ("Linux's soft-iWARP (siw)", "measured with rdma-core 44 and perftest 4.5",
                      [("target", "responder"), ("rping", "responder"), ("initiator", "initiator")]),
    "linux-6.1-nfsd": ("Linux's NFS server", "over siw, linux-6.1-siw is wanted as well",
                       [("nfs-server", "responder"), ("rxe-nfs-server", "responder"), ("siw-nfs-server", "responder")]),
    "linux-6.1-xprtrdma": ("Linux's NFS client", "over siw, linux-6.1-siw is wanted as well",
                           [(f"{device}nfs{version}-client", "initiator") for device in ("", "rxe-", "siw-")
                            for version in ("", "3")]),
    "linux-6.12-nfsd": ("Linux's NFS server", "so far from captures alone", []),
    "linux-7.2-siw": ("Linux's soft-iWARP (siw)", "so far from captures alone", []),
    "linux-7.2-nfsd": ("Linux's NFS server", "measured over rdma_rxe", []),
    "ganesha-6.5": ("NFS-Ganesha", "with ntirpc 6.3, from captures alone", []),
}


def captured():
    with open(HERE / "known" / "captured.tsv", encoding="utf-8", newline="") as file:
        yield from csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)


def tables(name):
    """(case, deviation, role) of each failure that belongs to the file."""
    for role, side in FILES[name][2]:
        for case, row in table.load(role).items():
            if table.may_fail(row) and not row["deviation"].startswith("dies-") and \
                    (row["deviation"] not in OF_SIW) >= (not name.endswith("-siw")):
                yield case, row["deviation"], side


def suites(name):
    """From the suites on a server of the matrix: failures with the same words as a verified one; failures of a newer server are not
    deviations before they were checked with the document."""
    family, version, *part = name.split("-")
    server = family if family == "ganesha" else f"{family}-{version}"
    found = store.folder(RESULTS, "suites") if part in ([], ["nfsd"]) else {}
    for tests in (result["tests"] for name, result in found.items() if name.startswith(server + "+")):
        for case, test in tests.items():
            if test["outcome"] == "failed" and test.get("deviation"):
                yield case, test["deviation"], "responder"


def lower(title):
    return title[0].lower() + title[1:] if not title.startswith(("DDP", "RFC", "IRD", "R ")) else title


def entry(kind, name, why, fixed):
    return {kind: name, "why": why, **({"fixed": fixed} if fixed else {})}


def waivers(name):
    """({"id" or "case", "why", "fixed"}, scope), those for captures first. A waiver for all findings also waives the cases of its rule."""
    known = table.deviations()
    captures = [row for row in captured() if row["file"] == name]
    rules = {(row["id"], row["role"]) for row in captures if not any(row[key] for key in SCOPE[1:])}
    cases = {}
    for case, deviation, role in (*tables(name), *suites(name)):
        if case != SILENCE and not rules & {(case.split("/")[0], role), (case.split("/")[0], "")}:
            cases.setdefault(case, {}).setdefault(role, (lower(known[deviation]["title"]), known[deviation].get("fixed")))
    for row in captures:
        yield entry("id", row["id"], row["why"], row.get("fixed")), {key: row[key] for key in SCOPE if row[key]}
    for case, of_roles in cases.items():
        if len(of_roles) == 2 and len(set(of_roles.values())) == 1:
            of_roles = {"": next(iter(of_roles.values()))}
        for role, (why, fixed) in of_roles.items():
            yield entry("case", case, why, fixed), {"role": role} if role else {}


def scalar(text):
    return '"' + text.replace('"', "'") + '"' if ": " in text or " #" in text or text[0] in "`*&" else text


def text(name):
    about, more, _ = FILES[name]
    family, *rest = name.split("-")
    lines = ["# SPDX-License-Identifier: GPL-2.0-or-later",
             f"# Known deviations of {about}, {family.capitalize()} {rest[0]}; {more}.",
             "# lab/interop/waivers.py makes this file from captures and from the cases that fail. Deviations that crash a kernel are in",
             "# lab/results/siw-crashes.md instead.", "",
             f"about: {about}", "waivers:"]
    for waiver, scope in waivers(name):
        pairs = [f"{key}: {scalar(value)}" for key, value in waiver.items()]
        lines += ["- " + pairs[0], *("  " + pair for pair in pairs[1:])]
        lines += ["  scope:"] * bool(scope) + [f"    {key}: {scalar(value)}" for key, value in scope.items()] + [""]
    return "\n".join(lines)


def main():
    wrong = []
    for name in FILES:
        path, new = FOLDER / f"{name}.yaml", text(name)
        if "--check" in sys.argv and (not path.exists() or path.read_text(encoding="utf-8") != new):
            wrong.append(path.name)
        elif "--check" not in sys.argv:
            path.write_text(new, encoding="utf-8")
    if wrong:
        sys.exit(f"waivers.py: not as lab/interop/waivers.py writes them: {', '.join(wrong)}; run it without --check")


if __name__ == "__main__":
    main()
