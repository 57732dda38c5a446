#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/proofs/prove.py [PROOF...]: proves the claims of tests/proofs with CBMC 6 or later, and shows that each false claim beside them fails.

Prints a line for each proof, with the number of properties, seconds of processor time, and the bound. Exit status 1: a claim fails, or a false claim holds.
docs/proofs.md says what is proved, and what is not.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = HERE / "proofs.tsv"
# Beyond what C leaves undefined, nothing is checked: conversions that lose bits are meant unless a claim says otherwise.
CHECKS = ["--no-standard-checks", "--bounds-check", "--pointer-check", "--pointer-overflow-check", "--pointer-primitive-check",
          "--signed-overflow-check", "--undefined-shift-check", "--div-by-zero-check", "--unwinding-assertions",
          "--malloc-may-fail", "--malloc-fail-null", "--drop-unused-functions",
          "--max-field-sensitivity-array-size", "256",  # above, an array is slow
          "--object-bits", "12"]
ANY = re.compile(r"^no body for callee any_\w+$")  # such a function may return anything; another without a body is a file that is missing
MEMORY = 6 << 30  # of one CBMC


class Proof:
    def __init__(self, row):
        self.file, self.name = row["proof"].split("/")
        self.sources, self.loops, self.bound = row["sources"].split(), row["loops"], row["bound"]
        self.open = self.bound.startswith("not proved")  # it runs only when it is named

    @property
    def harness(self):
        return HERE / f"{self.file}.c"

    def files(self):
        """The files of the product whose functions it has: those that it names, and those that its harness includes."""
        included = re.findall(r'^#include "(.*\.c)"', self.harness.read_text(encoding="utf-8"), re.M)
        return [*self.sources, *included]


def proofs():
    with open(TABLE, encoding="utf-8", newline="") as file:
        return [Proof(row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def unproved():
    """Source files of wire/ that no row of the table has."""
    known = {name for proof in proofs() for name in proof.files()}
    return [f"wire/{path.name}" for path in sorted((ROOT / "wire").glob("*.c")) if f"wire/{path.name}" not in known]


def make_tables(folder):
    """The files that the build generates for wire/nfs.c."""
    subprocess.run([sys.executable, ROOT / "wire/nfs_types.py", f"{folder}/nfs_tables.h", ROOT / "wire/nfs_types.txt", ROOT / "wire/nfs.h"], check=True)


def place(one):
    return ":".join(one.get("sourceLocation", {}).get(key, "") for key in ("file", "line"))


def properties(proof, generated, seconds):
    """All properties that CBMC checked (status, description, place), its seconds, and why it has no result, if so."""
    first, *rest = proof.loops.split()  # the bound of all loops, then those of single loops: FUNCTION.NUMBER:BOUND
    command = ["prlimit", f"--as={MEMORY}", f"--cpu={seconds}:{seconds + 1}", "cbmc", "--json-ui", *CHECKS, "--unwind", first, *(word for loop in rest for word in ("--unwindset", loop)), "-I", str(ROOT), "-I", generated,
               "--function", f"proof_{proof.name}", str(proof.harness), *(str(ROOT / source) for source in proof.sources)]
    with tempfile.TemporaryFile() as out:
        run = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    spent = usage.ru_utime + usage.ru_stime
    if run.returncode == -signal.SIGXCPU:
        return [], spent, f"no result after {seconds} s"
    try:
        said = json.loads(text)
    except json.JSONDecodeError:
        return [], spent, f"{' '.join(command)}: {text[-2000:]}"
    for part in said:
        if "result" in part:
            return [(one["status"], one["description"], place(one)) for one in part["result"] if not ANY.search(one["description"])], spent, None
    return [], spent, "; ".join(part["messageText"] for part in said if part.get("messageType") == "ERROR")


def prove(proof, generated, seconds):
    """The number of properties, seconds of processor time, and what is wrong."""
    found, spent, trouble = properties(proof, generated, seconds)
    if trouble is not None:
        return 0, spent, [trouble]
    false = [one for one in found if one[1].startswith("false: ")]
    wrong = [f"{where}: {status}: {what}" for status, what, where in found if status != "SUCCESS" and not what.startswith("false: ")]
    wrong = [line for line in wrong if ": FAILURE: " in line] or wrong  # what comes after undefined behaviour is unknown
    wrong += [f"{where}: {status}, but must fail: {what}" for status, what, where in false if status != "FAILURE"]
    if not false:
        wrong.append("the proof has no false claim")
    return len(found) - len(false), spent, wrong


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--junit", metavar="FILE")
    options.add_argument("--seconds", type=int, default=600, help="of processor time, for one proof; default: 600")
    options.add_argument("names", nargs="*", help="proofs; default: all except those that the table calls not proved")
    options = options.parse_args()
    chosen = [proof for proof in proofs() if (proof.name in options.names if options.names else not proof.open)]
    missing = set(options.names) - {proof.name for proof in chosen}
    if missing:
        sys.exit(f"no proof {', '.join(sorted(missing))}")
    cases, failed = [], 0
    with tempfile.TemporaryDirectory() as generated, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        make_tables(generated)
        for proof, (count, seconds, wrong) in zip(chosen, pool.map(lambda proof: prove(proof, generated, options.seconds), chosen)):
            failed += bool(wrong)
            print(f"{'FAILED' if wrong else 'proved'} {proof.name:28} {count:5} properties {seconds:6.1f} s   {proof.bound}", flush=True)
            print("".join(f"    {line}\n" for line in wrong), end="", flush=True)
            inside = f"<failure message={quoteattr(wrong[0])}/>" if wrong else ""
            cases.append(f'<testcase classname="proofs" name={quoteattr(proof.name)} time="{seconds:.1f}">{inside}</testcase>')
    if options.junit:
        pathlib.Path(options.junit).write_text(f'<testsuite name="proofs">{"".join(cases)}</testsuite>\n', encoding="utf-8")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
