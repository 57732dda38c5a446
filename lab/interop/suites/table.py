# SPDX-License-Identifier: GPL-2.0-or-later
"""The recorded outcomes, expected/ROLE.tsv: case, outcome, what was found, and for a failure the deviation that it shows:
a key of expected/deviations.tsv, where it says what the octets say and what the document demands. A table is held
against a report case by case: nothing else passes, nothing may be missing or new."""
import csv
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "expected"
COLUMNS = ["case", "outcome", "found", "deviation"]
OR = " || "  # between alternatives: chance, or the time between two segments, decides
DEMAND = re.compile(r"([a-z ]+) (\d+)/(\d+)$")
DIES = "the device does not live on after this case"
WITH_REASON = {"failed", "died", "inconclusive", "not applicable", "unstable"}
# Parts that differ between runs: addresses and STags chosen by the device, times, ports, frame numbers.
CHANGING = [(re.compile(r"\bframes? \d+(?: \(see \d+\))?"), "frame N"), (re.compile(r"\b\d+\.\d+ s\b"), "N s"),
            (re.compile(r"(STag|TO|XID|stateid|handle) 0x[0-9a-f]+"), r"\1 N"), (re.compile(r"\b0x[0-9a-f]{5,}"), "N"),
            (re.compile(r"stream offset \d+"), "stream offset N"), (re.compile(r"\b127\.\d+\.\d+\.\d+:\d+"), "HOST"),
            (re.compile(r"(?<=announced; found a Send of )\d+"), "N"),
            (re.compile(r"(?<=changed from )[0-9a-f]{2}\b"), "N"), (re.compile(r"\s+"), " ")]


def steady(text):
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text or "")
    return text.strip()


def found(test):
    """The appearance of a dead device (refuses, rejects, hangs) depends on the time."""
    if test.get("death"):
        return DIES
    return steady(test["actual"]) if test["outcome"] in WITH_REASON else ""


def is_asked(test):
    """Roles without our own TCP skip cases that need it."""
    return test["outcome"] != "not applicable" or "(--wire)" not in test["actual"]


def rows(report):
    """A table from the report."""
    return {test["id"]: {"case": test["id"], "outcome": test["outcome"], "found": found(test), "deviation": ""}
            for test in report["tests"] if is_asked(test)}


def load(name):
    path = FOLDER / f"{name}.tsv"
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t",
                               quoting=csv.QUOTE_NONE)
        return {line["case"]: line for line in lines}


def own_tcp():
    """Cases that need our own TCP."""
    lines = (FOLDER / "own_tcp.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def unrecorded():
    """(role, case): new cases that have not run on a guest yet, and so have no row."""
    path = FOLDER / "unrecorded.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {tuple(line.split()) for line in lines if line and not line.startswith("#")}


def recorded(role, cases):
    """The cases that have a row now."""
    path = FOLDER / "unrecorded.txt"
    done = {f"{role} {case}" for case in cases}
    if path.exists():
        path.write_text("".join(line for line in path.read_text(encoding="utf-8").splitlines(True) if line.strip() not in done), encoding="utf-8")


def deviations():
    with open(FOLDER / "deviations.tsv", encoding="utf-8", newline="") as file:
        lines = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t",
                               quoting=csv.QUOTE_NONE)
        return {line["key"]: line for line in lines}


def alternatives(row):
    """Pairs of an outcome and its text."""
    outcomes, texts = ([part.strip() for part in (row[column] or "").split(OR.strip())] for column in ("outcome", "found"))
    outcomes[0] = DEMAND.sub(r"\1", outcomes[0])
    if len(outcomes) == 1:
        outcomes *= len(texts)
    if len(outcomes) != len(texts):
        raise ValueError(f"{row['case']}: {len(outcomes)} outcomes, {len(texts)} texts")
    return list(zip(outcomes, texts))


def demand(row):
    """(outcome, in at least this many, of this many runs); None: each run has the only outcome."""
    match = DEMAND.match(row["outcome"].split(OR)[0])
    return match and (match[1], int(match[2]), int(match[3]))


def is_as(row, seen):
    return (seen["outcome"], seen["found"]) in alternatives(row)


def may_fail(row):
    return any(outcome in ("failed", "died") for outcome, _ in alternatives(row))


ABSENT = {"outcome": "passed", "found": ""}  # other findings that appear by chance only


def may_lack(row):
    return row["case"].endswith("/seen") and is_as(row, ABSENT)


def shown_by(row):
    """A case in which the device died in one of several runs is reported as inconclusive or unstable; here it counts as died."""
    return "died" if row["found"] == DIES else row["outcome"]


def shows(outcome, wanted):
    """A case that failed in one of several runs is unstable; if a case fails, the device may also die."""
    return outcome == wanted or (wanted == "failed" and outcome in ("unstable", "died"))


def lacks(row, outcomes):
    """In words: runs whose outcomes do not satisfy the row; None: they do."""
    wanted = demand(row)
    if not wanted or sum(shows(outcome, wanted[0]) for outcome in outcomes) >= wanted[1]:
        return None
    return f"expected {wanted[0]} in at least {wanted[1]} of {wanted[2]} runs; found {', '.join(outcomes)}"


def count(runs, expected, seen, whole):
    """Adds the outcomes of one more run to runs, by case; whole: all cases ran, so other findings are complete."""
    for case, row in expected.items():
        if demand(row) and (case in seen or (whole and may_lack(row))):
            runs.setdefault(case, []).append(shown_by(seen.get(case, ABSENT)))


def differences(expected, seen, runs=None):
    """In words, by case: differences of the report from the table. runs: outcomes of all runs of a case (count()); None: of one."""
    trouble = {}
    for case in {**expected, **seen}:
        is_there = case in seen or may_lack(expected[case])
        one = seen.get(case, ABSENT)
        if not is_there:
            trouble[case] = "is in the table, and was not run"
        elif case not in expected:
            trouble[case] = f"is new: {one['outcome']} ({one['found']})"
        elif not is_as(expected[case], one):
            trouble[case] = (f"expected {expected[case]['outcome']} ({expected[case]['found']}); found "
                             f"{one['outcome']} ({one['found']})")
        else:
            trouble[case] = lacks(expected[case], (runs or {}).get(case, [shown_by(one)]))
    return {case: what for case, what in trouble.items() if what}


def unverified(expected):
    """Failures in the table that were not checked with the document."""
    known = deviations()
    return [case for case, row in expected.items() if may_fail(row) and row["deviation"] not in known]


def save(name, report_rows):
    """Keeps an unchanged failure with its deviation, and a row's alternatives."""
    before = load(name)
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / f"{name}.tsv", "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-2.0-or-later\n" + "\t".join(COLUMNS) + "\n")
        for case, row in report_rows.items():
            old = before.get(case)
            if old and (may_fail(old) or demand(old)) and is_as(old, row):
                row = old
            file.write("\t".join(row[column] or "" for column in COLUMNS) + "\n")
