#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page.py: writes docs/interop/index.md from the results in docs/interop/cells. A cell that was not run is grey, whatever other cells show."""
import json
import pathlib
import sys

import cells

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
import table  # noqa: E402 pylint: disable=wrong-import-position

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "interop"
GREEN, RED, GREY = "green", "red", "grey"


def results():
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((DOCS / "cells").glob("*.json"))}


def rules(result, side):
    return sorted(result["judged"]["findings"].get(side, {}))


def failed(result):
    return {name: one["why"] for name, one in result["operations"].items() if one["outcome"] == "failed"}


def colour(result):
    """Green: every operation succeeded, the capture was judged, and there is no finding on either side."""
    if result is None:
        return GREY
    good = not failed(result) and not any(result["judged"]["findings"].values()) and result["judged"]["rules_exercised"] > 0 and \
        not result["kernel"]
    return GREEN if good else RED


def in_short(result):
    parts = [f"{side}: {', '.join(rules(result, side))}" for side in ("client", "server") if rules(result, side)]
    if failed(result):
        parts.append("failed: " + ", ".join(failed(result)))
    if result["kernel"]:
        parts.append("kernel: " + ", ".join(f"{name}: {lines[0]}" for name, lines in result["kernel"].items()))
    if result["judged"]["rules_exercised"] == 0:
        parts.append("nothing judged: " + result["judged"]["verdict"])
    return "; ".join(parts) or f"{sum(one['outcome'] == 'ok' for one in result['operations'].values())} ok"


def reason(cell):
    return cells.why_never(cell) or "not run yet"


def command(cell):
    return f"tests/interop/matrix/run.py --again {cell.name}"


# ---- deviations by version ----

def deviations(found):
    """(side, rule) to implementation to [cells with the deviation, cells in which that side was judged]."""
    shown, judged = {}, {}
    for cell in cells.possible():
        result = found.get(cell.name)
        if result is None or result["judged"]["rules_exercised"] == 0:
            continue
        for side, who in (("client", cell.client), ("server", cell.server)):
            judged.setdefault((side, who, cell.device), []).append(cell.name)
            for rule in rules(result, side):
                shown.setdefault((side, rule, cell.device), {}).setdefault(who, []).append(cell.name)
    return shown, judged


def by_version(found):
    """Rows: rule, side, device, then a text for each implementation that can be on that side."""
    shown, judged = deviations(found)
    for side, rule, device in sorted(shown):
        row = []
        for who in cells.CLIENTS if side == "client" else cells.SERVERS:
            n, seen = len(judged.get((side, who, device), [])), shown[side, rule, device].get(who, [])
            row.append((who, f"yes ({len(seen)} of {n} cells)" if seen else f"not seen in {n} cells" if n else "not run yet"))
        yield rule, side, device, row


# ---- the suites on devices ----

def suites():
    """Results of suites.py on servers, by server and device; Linux 6.1's are the tables of ../lab/expected."""
    found = {}
    for device in ("siw", "rxe"):
        rows = table.load(f"{device}-nfs-server")
        found["linux-6.1", device] = {"server": "linux-6.1", "device": device, "kernel": "6.1", "state": "alive", "options": [],
                                      "tests": {case: {"outcome": table.alternatives(row)[0][0], "deviation": row["deviation"]}
                                                for case, row in rows.items() if not case.endswith("/seen")}}
    for path in sorted((DOCS / "suites").glob("*.json")):
        one = json.loads(path.read_text(encoding="utf-8"))
        found[one["server"], one["device"]] = one
    return dict(sorted(found.items()))


OUTCOMES = ["passed", "failed", "unstable", "died", "inconclusive", "not applicable"]
FAILS = ("failed", "died")


def suite_rows():
    for (server, device), one in suites().items():
        outcomes = [test["outcome"] for test in one["tests"].values()]
        yield [cells.TITLES[server], device, one["kernel"], *(str(outcomes.count(outcome)) for outcome in OUTCOMES),
               "; ".join([one["state"] + " at the end", *one["options"]] + ([f"started {one['starts']} times"] if one.get("starts", 1) > 1 else []))]


def suite_deviations():
    """Deviation, its cases, and for each server and device: yes with the failing cases, gone if all of them pass, or open."""
    known, found = table.deviations(), suites()
    cases_of = {}
    for one in found.values():
        for case, test in one["tests"].items():
            if test["outcome"] in FAILS:
                cases_of.setdefault(test.get("deviation") or "not verified", set()).add(case)
    for deviation, its_cases in sorted(cases_of.items(), key=lambda each: (each[0] == "not verified", each[0])):
        texts = []
        for one in found.values():
            outcomes = [one["tests"][case]["outcome"] for case in its_cases if case in one["tests"]]
            failed_here = [case for case in its_cases if one["tests"].get(case, {}).get("outcome") in FAILS and
                           (one["tests"][case].get("deviation") or "not verified") == deviation]
            texts.append(f"yes ({len(failed_here)})" if failed_here else "gone" if outcomes and set(outcomes) == {"passed"} else
                         "otherwise" if set(FAILS) & set(outcomes) else "open")
        yield known[deviation]["title"] if deviation in known else "Failures that nobody has held against the document yet", sorted(its_cases), texts


# ---- Markdown ----

def counts(found):
    colours = [colour(found.get(cell.name)) for cell in cells.possible()]
    return {one: colours.count(one) for one in (GREEN, RED, GREY)}


INTRODUCTION = ("Clients and servers of NFS over RDMA on each other: each cell mounts, does more than 20 kinds of operation with the data compared, is "
                "captured on the link, and the capture is judged by `iwarp-check` for each side, without waivers. Green: all operations "
                "did what they should, and nothing was found. Red: an operation failed, a side broke a rule, or a kernel complained. Grey: not "
                "run, and why.")


def markdown(found):
    n = counts(found)
    yield "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->"
    yield "# Implementations on each other\n"
    yield INTRODUCTION + "\n"
    yield f"**{n[GREEN]} green, {n[RED]} red, {n[GREY]} not run yet, of {sum(n.values())} cells.** Made by `tests/interop/matrix/run.py`. [Notes](notes.md).\n"
    for device in cells.DEVICES:
        yield f"## {cells.DEVICE_TITLES[device]}\n"
        yield "| client | server | " + " | ".join(f"NFS {version}" for version in cells.VERSIONS) + " |"
        yield "|---" * (2 + len(cells.VERSIONS)) + "|"
        for client in cells.CLIENTS:
            for server in cells.SERVERS:
                row = [cells.Cell(client, server, device, version) for version in cells.VERSIONS]
                if all(cells.why_never(cell) for cell in row):
                    continue
                texts = []
                for cell in row:
                    result = found.get(cell.name)
                    texts.append(f"[{colour(result)}](#{anchor(cell)})" if result and colour(result) == RED else
                                 GREEN if result else f"grey: {reason(cell)}")
                yield f"| {cells.TITLES[client]} | {cells.TITLES[server]} | " + " | ".join(texts) + " |"
        yield ""
    yield "## Deviations by version\n"
    yield "What captures of the cells show. `not seen` proves nothing: a cell may lack the traffic that provokes the deviation.\n"
    for side, whom in (("client", cells.CLIENTS), ("server", cells.SERVERS)):
        yield f"| rule | of the {side}, over | " + " | ".join(cells.TITLES[who] for who in whom) + " |"
        yield "|---" * (2 + len(whom)) + "|"
        for rule, its_side, device, row in by_version(found):
            if its_side == side:
                yield f"| {rule} | {device} | " + " | ".join(text for _, text in row) + " |"
        yield ""
    yield "## Servers under the suites\n"
    yield ("`iwarp-gen test --suite=rpcrdma,nfs` through an RDMA device of a guest (`suites.py`); Linux 6.1 as in "
           "[results-linux-nfs-rdma.md](../results-linux-nfs-rdma.md).\n")
    yield "| server | device | kernel | " + " | ".join(OUTCOMES) + " | |\n" + "|---" * (len(OUTCOMES) + 4) + "|"
    for row in suite_rows():
        yield "| " + " | ".join(row) + " |"
    yield ""
    heads = [f"{cells.TITLES[server]}, {device}" for server, device in suites()]
    yield "Deviations: yes (cases that fail in this way), gone (all of its cases pass), otherwise (they fail in another way), open (neither).\n"
    yield "| deviation | cases | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 2) + "|"
    for title, its_cases, texts in suite_deviations():
        yield f"| {title} | {', '.join(its_cases)} | " + " | ".join(texts) + " |"
    yield ""
    yield "## Red cells\n"
    for cell in cells.possible():
        result = found.get(cell.name)
        if result and colour(result) == RED:
            yield from red_cell(cell, result)


def anchor(cell):
    return cell.name.replace("+", "").replace(".", "").lower()


def red_cell(cell, result):
    yield f"### {cell.name}\n"
    yield (f"{cells.TITLES[cell.client]} ({result['key']['client']}) on {cells.TITLES[cell.server]} ({result['key']['server']}), "
           f"{result['run']}, {result['seconds']} s; result: [cells/{cell.name}.json](cells/{cell.name}.json)\n")
    for name, why in failed(result).items():
        yield f"- operation `{name}` failed: {why}"
    for name, lines in result["kernel"].items():
        yield f"- kernel of the {name}: `{lines[0]}`"
    for side in ("client", "server"):
        for rule, one in result["judged"]["findings"].get(side, {}).items():
            yield (f"- {side}: {rule}, {one['document']} section {one['section']}, {one['severity']}, {one['times']} times; first in frame "
                   f"{one['frame']}: {one['message']}")
    if result["judged"].get("explained_by"):
        yield f"- known: `--waivers={result['judged']['explained_by']}`"
    yield f"\nAgain: `{command(cell)}`; the capture is `$IWARP_LAB/matrix/{cell.name}.pcap.zst`, its report `.txt` beside it.\n"


def write():
    found = results()
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / "index.md").write_text("\n".join(markdown(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
