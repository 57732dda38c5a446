# SPDX-License-Identifier: GPL-2.0-or-later
"""Which cause explains what happened in a cell. lab/results/matrix/causes.tsv has the causes; ../known/captured.tsv has the words of their
findings, as the shipped waivers do. A finding belongs to a cause by its rule, the implementations on its side, and its words; a failed
operation by its own words, and by a finding of the cause in the same try if the cause has rules."""
import csv
import fnmatch
import functools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent / "guests"), str(HERE.parent)]
import cells  # noqa: E402 pylint: disable=wrong-import-position
import guests  # noqa: E402 pylint: disable=wrong-import-position
import waivers  # noqa: E402 pylint: disable=wrong-import-position

TABLE = ROOT / "lab" / "results" / "matrix" / "causes.tsv"
NONE = "-"
ROLES = {"client": "initiator", "server": "responder"}
# Words of an iwarp-check before 1.0.0, which judged results that are kept: the same observations as those of captured.tsv.
EARLIER = {"CMPD-4.1-03": "expected Sends without Invalidate, as not both sides announced support for it; found one that invalidates STag #",
           "RPCR-3.4.6.2-03": "expected the length of the result, # octets, in Write chunk #; found #"}
NUMBER = r"(?:[0-9a-f]{2}(?: [0-9a-f]{2})+|\S*\d\S*)"  # a word with a digit in it, or octets


@functools.cache
def load():
    """Causes by key. Lists are split: versions, rules, deviations; failures are (device, operation, words)."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        for column in ("versions", "rules", "deviations"):
            row[column] = [] if row[column] == NONE else row[column].split()
        row["failures"] = [] if row["failures"] == NONE else [one.strip().split(" ", 2) for one in row["failures"].split(";")]
        row["by chance"] = row["by chance"] == "yes"
    return {row["key"]: row for row in rows}


def paths(cause, suffix):
    """Its report (.md) or its patches (.patch): the files below lab/upstream/ that have its key as a name, KEY.patch and for another part of the
    project KEY.PART.patch; else as the table says."""
    said = load()[cause]["report" if suffix == ".md" else "patch"]
    named = [one for pattern in (f"*/{cause}{suffix}", f"*/{cause}.*{suffix}") for one in sorted((ROOT / "lab" / "upstream").glob(pattern))]
    return named or [ROOT / one for one in [said] if one != NONE and (ROOT / one).exists()]


def patch_name(cause):
    found = paths(cause, ".patch")
    return found[0].stem if found else None


RELEASES = functools.cache(guests.releases)
CAPTURED = functools.cache(lambda: list(waivers.captured()))


def on_side(cell, side):
    """(implementation, version) of what sends on this side of a cell."""
    who = getattr(cell, side)
    family, _, version = who.partition("-")
    kernel = RELEASES()[cells.release(who)]["linux"]
    ulp = {"linux": [("nfsd" if side == "server" else "xprtrdma", version)], "ganesha": [("ganesha", cells.GANESHA)]}
    return ulp.get(family, []) + ([(cell.device, kernel)] if cell.device != "soft" else [])


def concerned(cell, side):
    """Causes that can be on this side."""
    there = on_side(cell, side)
    return [row for row in load().values() if any((row["implementation"], version) in there for version in row["versions"])]


def words(pattern, text):
    """As for found in a waiver: * any text, # a number."""
    parts = [re.escape(part).replace(r"\*", ".*") for part in pattern.split("#")]
    return re.fullmatch(NUMBER.join(parts), text) is not None


def patterns(implementation, side, rule):
    """The words of the implementation's findings; empty: any words."""
    rows = [row for row in CAPTURED() if implementation in row["file"].split("-") and row["id"] == rule and
            row["role"] in ("", ROLES[side])]
    return [row["found"] for row in rows if row["found"]] + [EARLIER[rule] for _ in rows[:1] if rule in EARLIER]


def of_finding(cell, side, rule, message):
    """The key of the cause, or None."""
    for row in concerned(cell, side):
        if rule in row["rules"]:
            known = patterns(row["implementation"], side, rule)
            if not known or any(words(one, message) for one in known):
                return row["key"]
    return None


def of_failure(cell, operation, why, found):
    """(side, key) of the cause of a failed operation, when these causes were found in the same try; or None."""
    for side in ("server", "client"):
        for row in concerned(cell, side):
            said = any((cell.device, operation) == (device, name) and fnmatch.fnmatchcase(why, pattern) for device, name, pattern in row["failures"])
            if said and (not row["rules"] or row["key"] in found):
                return side, row["key"]
    return None
