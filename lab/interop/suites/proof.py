#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""proof.py ROLE...: from boot to report without a hand. Tests Linux in each role (roles.py; "sockets", "wire", "devices", "all"), boots it
again whenever a case has killed it, and holds the outcome of each case against expected/ROLE.tsv; over an RDMA device also against
what iwarp-check finds in a capture of the link (agree.py): both have to say the same of every case, or there is a reason why one of
them cannot say it.

    python3 lab/interop/suites/proof.py rping             # exit status 0: everything is as the table says
    python3 lab/interop/suites/proof.py --record target   # writes the table anew; failures are then to be verified
    python3 lab/interop/suites/proof.py --new target      # runs the cases that have no row, and adds their rows to the table
    python3 lab/interop/suites/proof.py --resume target   # keeps the report that is there, and runs the cases it lacks
    python3 lab/interop/suites/proof.py --compare target  # once more with the report that is there, without a guest

Reports, recordings and what the guest's kernel said are left in --out (default build/lab)."""
import argparse
import dataclasses
import json
import pathlib
import signal
import subprocess
import sys
import time

import agree
import bench
import guest as lab
import roles
import table

TOP = pathlib.Path(__file__).resolve().parents[3]
REPEATS = 2  # for unexpected results: under load a guest may be late


def showing(report, odd):
    """The cases to run again for these ids: the cases themselves, and for "RULE/seen" the first case that showed it."""
    rules = {case.removesuffix("/seen") for case in odd if case.endswith("/seen")}
    tests, first = [test for test in report["tests"] if test["suite"] != "seen"], {}
    for test in tests:
        for line in test["observations"]:
            first.setdefault(line.split(":")[0], test["id"])
    again = {*odd} | {case for rule, case in first.items() if rule in rules}
    return [test["id"] for test in tests if test["id"] in again]


def merged(report, again, cases):
    """The tests with these cases' repeated results, including other findings."""
    better = {test["id"]: test for test in again["tests"] if test["id"] in cases}
    tests = [better.get(test["id"], test) for test in report["tests"] if test["suite"] != "seen"]
    observed = {line.split(":")[0] for test in tests for line in test["observations"]}
    seen = {test["id"]: test for source in (report, again) for test in source["tests"] if test["suite"] == "seen"}
    told = {test["rule"] for test in tests if test["outcome"] in ("failed", "unstable")}
    return tests + [test for test in seen.values() if test["rule"] in observed - told]


def rows_of(tested, report):
    """Rows for the cases and other findings, including those in a capture of the link."""
    return table.rows({"tests": report["tests"] + agree.seen(report["tests"], tested.shown)})


def repeat(tested, role, folder, report, expected):
    """Repeats unexpected cases; new results replace the old. Expected other findings that are missing may appear beside any of the cases."""
    runs = report.setdefault("runs", {})
    table.count(runs, expected, rows_of(tested, report), True)
    for n in range(REPEATS):
        odd = table.differences(expected, rows_of(tested, report), runs)
        cases = [case for case in showing(report, odd) if case not in role.over_tap]  # decided on a wire
        all_cases = any(case.endswith("/seen") and table.lacks(expected[case], runs[case]) for case in odd if case in runs)
        if not cases and not all_cases:
            return
        tested.again()
        again = tested.suites(folder / f"{role.name}-again-{n + 1}.json", None if all_cases else cases)
        table.count(runs, expected, rows_of(tested, again), all_cases)
        report["tests"] = merged(report, again, set(cases))
        report.setdefault("repeated", []).extend(cases)


def wanted(build, role):
    """Every case of the suites for this role, in their order; cases that need our own TCP are for roles that have one."""
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "tests"], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in listed.splitlines()]
    cases = [row[0] for row in rows if row[1] in role.suites.split(",") and row[2] in ("both", role.side)]
    return [case for case in cases if (case.startswith(role.rules) if role.rules else case not in table.own_tcp())]


def add_new(build, role, folder):
    """Runs the cases without a row, and adds their rows. False: the run ended early."""
    old, order = table.load(role.name), wanted(build, role)
    cases, new = [case for case in order if case not in old], {}
    if cases:
        tested = bench.boot(build, role)
        try:
            report = tested.suites(folder / f"{role.name}-new.json", cases)
            decide_over_tap(build, role, folder, report)
        finally:
            tested.close()
        new = {case: row for case, row in table.rows(report).items() if case in cases}
        rows = {**old, **new}
        seen = [case for case in rows if case not in order]
        table.save(role.name, {case: rows[case] for case in [*order, *seen] if case in rows})
        table.recorded(role.name, new)
    for case in cases:
        words = f"{new[case]['outcome']}: {new[case]['found']}" if case in new else "was not run"
        print(f"{role.name}: {case}: {words}", flush=True)
    return len(new) == len(cases)


def decide_over_tap(build, role, folder, report):
    """Runs the cases that forwarded ports cannot decide over a TAP interface, and puts the results into the report."""
    cases = tuple(test["id"] for test in report["tests"] if test["id"] in role.over_tap)
    if not cases:
        return
    tested = bench.boot(build, dataclasses.replace(role, wire=True))
    try:
        again = tested.suites(folder / f"{role.name}-tap.json", cases)
    finally:
        tested.close()
    report["tests"] = merged(report, again, set(cases))


def test_role(build, role, folder, expected, resumed=False):
    """The report, its costs, and the findings in the captures of its runs."""
    began = time.monotonic()
    out = folder / f"{role.name}.json"
    before = folder / f"{role.name}-before.json"
    boots = 0
    if resumed:
        out.rename(before)
        earlier = json.loads(before.read_text(encoding="utf-8"))
        began -= earlier["from_boot_to_report"]
        boots = earlier["boots"]
    tested = bench.boot(build, role)
    try:
        report = tested.suites(out, resume=before if resumed else None)
        decide_over_tap(build, role, folder, report)
        if expected:
            repeat(tested, role, folder, report, expected)
        report.update(tested.figures())
        report["boots"] += boots
    finally:
        (folder / f"{role.name}-console.txt").write_text("\n==== boot ====\n".join(tested.consoles()), encoding="utf-8")
        tested.close()
    report["from_boot_to_report"] = time.monotonic() - began
    report["shown"] = tested.shown
    report["tests"] += agree.seen(report["tests"], tested.shown)
    out.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return report


def trouble(role, report, expected):
    """All deviations from the table, in words."""
    rows, runs = table.rows(report), report.get("runs", {})
    for case, what in table.differences(expected, rows, runs).items():
        # Other findings in a capture may appear by chance, unless the table requires them.
        if case in rows or not role.link or not case.endswith("/seen") or case in runs:
            yield f"{case} {what}"
    for case in table.unverified(expected):
        yield f"{case}: not verified by octets"
    if role.link:
        yield from agree.disagreements(report["tests"], report["shown"], role.side)


def verdict(role, report, expected):
    """Prints it; true: no deviations."""
    counts = {}
    for test in report["tests"]:
        counts[test["outcome"]] = counts.get(test["outcome"], 0) + 1
    print(f"{role.name}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) +
          f"; {report['boots']} boots, {report['from_boot_to_report']:.0f} s from boot to report", flush=True)
    lines = list(trouble(role, report, expected))
    for line in lines:
        print(f"  {line}")
    return not lines


def chosen(names):
    several = {"all": roles.ROLES.values(), "sockets": roles.BY_SOCKET, "wire": roles.BY_WIRE, "devices": roles.BY_DEVICE}
    return [role for name in names for role in several.get(name) or [roles.ROLES[name]]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roles", nargs="+", choices=[*roles.ROLES, "sockets", "wire", "devices", "all"], metavar="ROLE")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    folder = options.out or options.build / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    if not options.compare and lab.why_not():
        sys.exit(f"proof.py: {lab.why_not()}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("proof.py: stopped"))  # the guest ends, too
    good = True
    for role in chosen(options.roles):
        if options.new:
            good &= add_new(options.build, role, folder)
            continue
        expected = {} if options.record else table.load(role.name)
        if options.compare:
            report = json.loads((folder / f"{role.name}.json").read_text(encoding="utf-8"))
        else:
            report = test_role(options.build, role, folder, expected, options.resume)
        if options.record:
            table.save(role.name, table.rows(report))
            expected = table.load(role.name)
        good &= verdict(role, report, expected)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
