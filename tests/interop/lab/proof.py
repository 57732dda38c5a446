#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""proof.py ROLE...: from boot to report without a hand. Tests Linux in each role (roles.py; "all"), boots it again
whenever a case has killed it, and holds the outcome of each case against expected/ROLE.tsv.

    python3 tests/interop/lab/proof.py rping             # exit status 0: everything is as the table says
    python3 tests/interop/lab/proof.py --record target   # writes the table anew; failures are then to be verified
    python3 tests/interop/lab/proof.py --resume target   # keeps the report that is there, and runs the cases it lacks
    python3 tests/interop/lab/proof.py --compare target  # once more with the report that is there, without a guest

Reports, recordings and what the guest's kernel said are left in --out (default build/lab)."""
import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time

import guest as lab
import roles
import table

TOP = pathlib.Path(__file__).resolve().parents[3]
REPEATS = 2  # of what is not as expected: under load a guest may be late


def run_suites(gen, role, where, guest, out, cases=None, resume=None):
    """The JSON report of a run. cases: ids; None: all of the role's suites. resume: a report whose cases are not run again."""
    out.unlink(missing_ok=True)
    command = [gen, "test", *where, f"--suite={role.suites}", f"--device={role.device}", "--format=json", f"--output={out}",
               f"--write-capture={out.with_suffix('.pcapng')}", f"--reset-command={guest.reset_command}", *roles.PATIENCE]
    if cases:
        command.append(f"--rules={','.join(cases)}")
    if resume:
        command.append(f"--resume={resume}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * role.minutes)
    except subprocess.TimeoutExpired as late:
        raise RuntimeError(f"{role.name}: no report after {role.minutes} minutes") from late
    if not out.exists() or out.stat().st_size == 0:
        raise RuntimeError(f"{role.name}: status {done.returncode}, no report: {done.stderr[-2000:]}")
    report = json.loads(out.read_text(encoding="utf-8"))
    report["status"] = done.returncode
    return report


def showing(report, odd):
    """The cases to run again for these ids: they themselves, and for "RULE/seen" those beside which it was seen."""
    rules = {case.removesuffix("/seen") for case in odd if case.endswith("/seen")}
    return [test["id"] for test in report["tests"] if test["suite"] != "seen" and
            (test["id"] in odd or rules & {line.split(":")[0] for line in test["observations"]})]


def merged(report, again, cases):
    """The tests with these cases as they were when they ran again, and what was seen during them."""
    better = {test["id"]: test for test in again["tests"] if test["id"] in cases}
    tests = [better.get(test["id"], test) for test in report["tests"] if test["suite"] != "seen"]
    observed = {line.split(":")[0] for test in tests for line in test["observations"]}
    seen = {test["id"]: test for source in (report, again) for test in source["tests"] if test["suite"] == "seen"}
    told = {test["rule"] for test in tests if test["outcome"] in ("failed", "unstable")}
    return tests + [test for test in seen.values() if test["rule"] in observed - told]


def repeat(gen, role, where, guest, folder, report, expected):
    """Runs again what is not as the table says; what is then takes the place of what was."""
    for n in range(REPEATS):
        odd = table.differences(expected, table.rows(report))
        cases = showing(report, odd)
        if not cases:
            return
        guest.reboot()
        again = run_suites(gen, role, where, guest, folder / f"{role.name}-again-{n + 1}.json", cases)
        report["tests"] = merged(report, again, set(cases))
        report.setdefault("repeated", []).extend(cases)


def test_role(gen, role, folder, expected, resumed=False):
    began = time.monotonic()
    out = folder / f"{role.name}.json"
    before = folder / f"{role.name}-before.json"
    boots = 0
    if resumed:
        out.rename(before)
        earlier = json.loads(before.read_text(encoding="utf-8"))
        began -= earlier["from_boot_to_report"]
        boots = earlier["boots"]
    guest, where = roles.boot(role)
    try:
        report = run_suites(gen, role, where, guest, out, resume=before if resumed else None)
        if expected:
            repeat(gen, role, where, guest, folder, report, expected)
        report["boots"] = boots + guest.boots
        report["boot_seconds"] = guest.boot_seconds
    finally:
        consoles = guest.consoles()
        guest.close()
        (folder / f"{role.name}-console.txt").write_text("\n==== boot ====\n".join(consoles), encoding="utf-8")
    report["from_boot_to_report"] = time.monotonic() - began
    out.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return report


def verdict(role, report, expected):
    """Prints it; true: all is as the table says, and each failure in it was verified."""
    trouble = table.differences(expected, table.rows(report))
    counts = {}
    for test in report["tests"]:
        counts[test["outcome"]] = counts.get(test["outcome"], 0) + 1
    print(f"{role.name}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) +
          f"; {report['boots']} boots, {report['from_boot_to_report']:.0f} s from boot to report", flush=True)
    for case, what in trouble.items():
        print(f"  {case} {what}")
    doubt = table.unverified(expected)
    if doubt:
        print(f"  not verified by octets: {', '.join(doubt)}")
    return not trouble and not doubt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roles", nargs="+", choices=[*roles.ROLES, "all"], metavar="ROLE")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    folder = options.out or options.build / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    if not options.compare and lab.why_not():
        sys.exit(f"proof.py: {lab.why_not()}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("proof.py: stopped"))  # the guest ends, too
    good = True
    for name in roles.ROLES if "all" in options.roles else options.roles:
        role = roles.ROLES[name]
        expected = {} if options.record else table.load(name)
        if options.compare:
            report = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        else:
            report = test_role(options.build / "traffic-gen" / "iwarp-gen", role, folder, expected,
                               options.resume)
        if options.record:
            table.save(name, table.rows(report))
            expected = table.load(name)
        good &= verdict(role, report, expected)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
