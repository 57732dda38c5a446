# SPDX-License-Identifier: GPL-2.0-or-later
"""Conforming captures with one changed field, and iwarp-check's results."""
import collections
import csv
import hashlib
import pathlib
import re
import subprocess

import ib_fields
import mpa_fields
from pcap import Capture
from reports import read_report

HERE = pathlib.Path(__file__).parent
TOGETHER = 200  # captures per call of iwarp-check

Mutant = collections.namedtuple("Mutant", "capture field number value places octets")


def table(name):
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def rows():
    return {(row["layer"], row["field"]): row for row in table("fields.tsv")}


def values(row, old, width, neighbour):
    """Name -> value; unchanged values are left out."""
    top, out = (1 << width) - 1, {}
    for kind in row["values"].split():
        if kind == "bits":
            for bit in range(width):
                if int(row["bits"] or hex(top), 16) >> bit & 1:
                    out[f"{'clear' if old >> bit & 1 else 'set'} {bit}"] = old ^ 1 << bit
        elif kind == "neighbour":
            if neighbour is not None:
                out["neighbour"] = neighbour
        else:
            out[kind] = {"0": 0, "+1": old + 1 & top, "-1": old - 1 & top, "max": top}[kind]
    seen = {old}
    return {name: value for name, value in out.items() if value not in seen and not seen.add(value)}


def chosen(fields, most):
    """The first and the last of each kind, and some between them."""
    kinds = collections.defaultdict(list)
    for field in fields:
        kinds[field.layer, field.name, field.of].append(field)
    for every in kinds.values():
        step = max(1, (len(every) - 1) / max(1, most - 1))
        picked = sorted({min(len(every) - 1, round(step * number)) for number in range(most)})
        for number in picked:
            yield number, every[number], every[(number + 1) % len(every)]


def mutants(name, path, transport, most):
    capture, known = Capture(path), rows()
    fields = (ib_fields if transport == "roce" else mpa_fields).locate(capture)
    for number, field, next_ in chosen(fields, most):
        row = known[field.layer, field.name]
        old, other = (int.from_bytes(capture.at(f.places), "big") for f in (field, next_))
        size = len(field.places)
        same = len(next_.places) == size
        for value, new in values(row, old, 8 * size, other if same else None).items():
            yield Mutant(name, field, number, value, list(field.places), new.to_bytes(size, "big")), capture


def findings(build, paths, rules):
    run = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", "--no-progress", "--max-findings=0",
                          f"--profile={rules}", *paths], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1, 3), run.stderr
    return [collections.Counter(f["rule"] for connection in capture["connections"] for f in connection["findings"])
            for capture in read_report(run.stdout)["captures"]]


def sample(mutant, share):
    key = f"{mutant.capture} {mutant.field.layer} {mutant.field.name} {mutant.field.of} {mutant.number} {mutant.value}"
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") < share * 2**32


def judge(build, name, path, transport, folder, most=3, share=1.0, rules="ietf"):
    """(mutant, whether a finding names it) of each mutant of a conforming capture."""
    base, = findings(build, [path], rules)
    part = []

    def flush():
        for (mutant, file), found in zip(part, findings(build, [file for _, file in part], rules)):
            file.unlink()
            yield mutant, dict(found - base)
        part.clear()

    for mutant, capture in mutants(name, path, transport, most):
        if not sample(mutant, share):
            continue
        file = folder.with_name(f"{folder.name}-{len(part)}.pcap")
        file.write_bytes(capture.changed(mutant.places, mutant.octets))
        part.append((mutant, file))
        if len(part) == TOGETHER:
            yield from flush()
    if part:
        yield from flush()


def explain(explanations, transport, mutant):
    """The first row whose patterns match, or None."""
    field = mutant.field
    facts = {"transport": transport, "layer": field.layer, "field": field.name, "of": field.of, "value": mutant.value,
             "capture": mutant.capture}
    return next((row for row in explanations
                 if all(re.fullmatch(row[key], fact) for key, fact in facts.items())), None)
