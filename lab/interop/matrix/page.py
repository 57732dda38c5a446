#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page.py: writes lab/results/matrix/index.md from the causes in lab/results/matrix/causes.tsv, and the results in results.tar.zst there, those of guests
with patches in cured/ of the archive. A cell that was not run is grey, whatever other cells show."""
import os
import pathlib

import cells
import causes
import store
import suite_tables

DOCS = pathlib.Path(__file__).resolve().parents[3] / "lab" / "results" / "matrix"
GREEN, AMBER, RED, GREY = "green", "amber", "red", "grey"
KINDS = (("report", ".md"), ("patch", ".patch"))
COLOURS = (GREEN, AMBER, RED, GREY)


def results(cured=False):
    return store.folder(DOCS, cells.Cell("", "", "", "", cured).folder)


# ---- a result ----

def rules(result, side):
    return sorted(result["judged"]["findings"].get(side, {}))


def failed(result):
    return {name: one["why"] for name, one in result["operations"].items() if one["outcome"] == "failed"}


def tries(result):
    """Failed operations, findings and kernel messages of each try; the result itself has those of the shown try."""
    own = {"failed": failed(result), "findings": result["judged"]["findings"], "kernel": result["kernel"]}
    return [own if number == result["shown"] else one for number, one in enumerate(result["tries"], 1)]


def of_try(cell, one):
    """The errors in a try: (side, cause or None, text)."""
    named = [(side, causes.of_finding(cell, side, rule, finding["message"]), rule) for side in ("client", "server")
             for rule, finding in one["findings"].get(side, {}).items()]
    found = {cause for _, cause, _ in named}
    failures = [(*(causes.of_failure(cell, name, why, found) or ("", None)), name) for name, why in one["failed"].items()]
    for side, cause, rule in named:  # a silence is the hang of a mount, if there is one, and nothing else
        hangs = cause is None or not causes.load()[cause]["by chance"] or any(known == cause for _, known, _ in failures)
        yield side, cause if hangs else None, rule
    yield from failures
    yield from (("", None, f"kernel of the {name}: {lines[0]}") for name, lines in one["kernel"].items())


def wrong(cell, result):
    """The causes seen in all tries: {(side, cause): numbers of tries}."""
    there = {}
    for number, one in enumerate(tries(result), 1):
        for side, cause, _ in of_try(cell, one):
            there.setdefault((side, cause), set()).add(number)
    return there


def causes_of(cell, result):
    """{cause: side}, in the order of the table."""
    there = {cause: side for side, cause in wrong(cell, result) if cause}
    return {cause: there[cause] for cause in causes.load() if cause in there}


def is_chance(cause):
    return cause is not None and causes.load()[cause]["by chance"]


def colour(cell, result):
    """Red: an operation failed in the best of the tries, or something has no known cause. Errors
    that happen by chance in some tries are named, but change no colour."""
    if result is None:
        return GREY
    there = {cause for _, cause in wrong(cell, result)}
    if failed(result) or None in there or result["judged"]["rules_exercised"] == 0:
        return RED
    return AMBER if any(not is_chance(cause) for cause in there) else GREEN


def by_chance(cell, result):
    """In words: mounts that hang in some of the tries."""
    n = len(result["tries"])
    return "; ".join(f"hung in {len(numbers)} of {n} tries: the {side}'s {causes.load()[cause]['implementation']}"
                     for (side, cause), numbers in wrong(cell, result).items() if is_chance(cause))


def in_short(cell, result):
    parts = [f"{side}: {', '.join(rules(result, side))}" for side in ("client", "server") if rules(result, side)]
    if failed(result):
        parts.append("failed: " + ", ".join(failed(result)))
    if result["kernel"]:
        parts.append("kernel: " + ", ".join(f"{name}: {lines[0]}" for name, lines in result["kernel"].items()))
    if result["judged"]["rules_exercised"] == 0:
        parts.append("nothing judged: " + result["judged"]["verdict"])
    if by_chance(cell, result):
        parts.append(by_chance(cell, result))
    return "; ".join(parts) or f"{sum(one['outcome'] == 'ok' for one in result['operations'].values())} ok"


def reason(cell):
    return cells.why_never(cell) or "not run yet"


def command(cell):
    return f"lab/interop/matrix/run.py --again {cell.name}"


# ---- causes ----

def explained(found, cured=False):
    """{cause: its cells}, of all causes of the table."""
    there = {cause: [] for cause in causes.load()}
    for cell in cells.possible(cured):
        for cause in causes_of(cell, found[cell.name]) if cell.name in found else ():
            there[cause].append(cell)
    return there


def together(names):
    """Linux 6.1, Linux 6.12 -> Linux 6.1 and 6.12"""
    last, texts = "", []
    for name in names:
        family, _, version = name.rpartition(" ")
        texts.append(version if family and family == last else name)
        last = family
    return ", ".join(texts)


def compact(some):
    """Cells in few words: which clients on which servers, by device and versions."""
    lines = []
    for device in cells.DEVICES:
        versions, clients, servers = {}, {}, {}
        for cell in (cell for cell in some if cell.device == device):
            versions.setdefault((cell.client, cell.server), []).append(cell.version)
        for (client, server), its in versions.items():
            clients.setdefault((server, tuple(its)), []).append(client)
        for (server, its), whom in clients.items():
            servers.setdefault((tuple(whom), its), []).append(server)
        for (whom, its), on in servers.items():
            which = f"NFS {its[0]} to {its[-1]}" if len(its) == len(cells.VERSIONS) else "NFS " + ", ".join(its)
            lines.append(f"{together(cells.TITLES[one] for one in whom)} on {together(cells.TITLES[one] for one in on)}, {device}, {which} "
                         f"({len(whom) * len(on) * len(its)})")
    return lines


def with_patch(cause, its_cells, before, after):
    """(gone, still): cells that had the cause, were run in guests with its patch on that side, and went through."""
    gone, still = [], []
    for cell in its_cells:
        now, side = after.get(cell.name), causes_of(cell, before[cell.name])[cause]
        if now and causes.patch_name(cause) in now["patches"].get(side, []):
            has = cause in causes_of(cell, now)
            (still if has or failed(now) or now["judged"]["rules_exercised"] == 0 else gone).append(cell)
    return gone, still


def gone_text(cause, its_cells, before, after):
    """In how many cells it is gone; of what chance decides about, in how many tries it still is there."""
    if causes.patch_name(cause) is None:
        return "-"
    if is_chance(cause):
        return hung_text(causes.load()[cause], after, causes.patch_name(cause))
    if not its_cells:
        return "-"
    gone, still = with_patch(cause, its_cells, before, after)
    if not gone and not still:
        return "not run yet"
    return f"{'no' if not gone else 'yes' if not still else 'in part'} ({len(gone)} of {len(gone) + len(still)} cells)"


def links(cause, suffix, text=None):
    """To its report or its patches."""
    return ", ".join(f"[{text or path.name}]({os.path.relpath(path, DOCS)})" for path in causes.paths(cause, suffix))


def versions_of(row):
    name = {"nfsd": "Linux", "xprtrdma": "Linux", "siw": "Linux", "rxe": "Linux", "ganesha": "Ganesha"}[row["implementation"]]
    return f"{name} {', '.join(row['versions'])}" + (f"; ends in {row['ended']}" if row["ended"] != causes.NONE else "")


def cause_sections(found, cured):
    its = explained(found)
    shown = [row for cause, row in causes.load().items() if its[cause] or row["by chance"]]
    yield f"## Causes of what the cells show ({len(shown)})\n"
    yield "| cause | of | versions | cells | report | patch | gone with the patch |\n|---|---|---|---|---|---|---|"
    for row in shown:
        cause = row["key"]
        yield (f"| [{row['title']}](#{cause}) | {row['implementation']} | {versions_of(row)} | {len(its[cause])} | "
               f"{links(cause, '.md', 'report') or 'no'} | {links(cause, '.patch', 'patch') or 'no'} | "
               f"{gone_text(cause, its[cause], found, cured)} |")
    yield ""
    for row in shown:
        yield from cause_section(row, its[row["key"]], found, cured)
    yield "## Causes that other tests show\n"
    yield ("No cell has traffic that provokes these: suites, combinations and machines did ([the suites on servers](#servers-under-the-suites), "
           "[siw](../siw.md), [notes](notes.md)).\n")
    yield "| cause | versions | what it does to a user | report | patch |\n|---|---|---|---|---|"
    for cause, row in causes.load().items():
        if row not in shown:
            both = [links(cause, suffix, name) or "no: " + row["why"] for name, suffix in KINDS]
            yield f"| <a id=\"{cause}\"></a>{row['title']} | {row['implementation']}: {versions_of(row)} | {row['effect']} | {' | '.join(both)} |"
    yield ""


def cause_section(row, its_cells, found, cured):
    cause = row["key"]
    yield f"### {cause}\n"
    yield f"{row['title']}. {row['effect']}\n"
    yield f"- {row['implementation']}: {versions_of(row)}" + (f"; rules: {', '.join(row['rules'])}" if row["rules"] else "")
    yield "- " + "; ".join(f"{name}: {links(cause, suffix) or 'no, ' + row['why']}" for name, suffix in KINDS)
    if row["by chance"]:
        yield f"- by chance: a mount of any cell over {row['implementation']} may hang; {hung_text(row, found)}; in earlier runs: [notes](notes.md#mounts-that-hang-on-siw)"
        yield from (f"- {cell.name}: {by_chance(cell, found[cell.name])}" for cell in its_cells)
    else:
        yield "- cells: " + "; ".join(compact(its_cells))
    if causes.patch_name(cause):
        gone, still = ([], []) if row["by chance"] else with_patch(cause, its_cells, found, cured)
        yield f"- with the patch: {gone_text(cause, its_cells, found, cured)}" + "".join(
            f"; {what} in {'; '.join(compact(some))}" for what, some in (("still", still), ("gone", gone)) if some)
    yield ""


def hung_text(row, found, patch=None):
    """The number of tries of cells over its device in which this happened; patch: only cells with the patch on the server's side."""
    its = [cell for cell in cells.possible() if cell.device == row["implementation"] and cell.name in found and
           (patch is None or patch in found[cell.name]["patches"].get("server", []))]
    if not its:
        return "not run yet"
    hung = sum(len(numbers) for cell in its for (_, cause), numbers in wrong(cell, found[cell.name]).items() if cause == row["key"])
    return f"seen in {hung} of {sum(len(found[cell.name]['tries']) for cell in its)} tries of {len(its)} cells"


# ---- Markdown ----

def counts(found, cured=False):
    colours = [colour(cell, found.get(cell.name)) for cell in cells.possible(cured)]
    return {one: colours.count(one) for one in COLOURS}


INTRODUCTION = """\
Clients and servers of NFS over RDMA on each other: each cell mounts, does more than 20 kinds of operation with the data compared, is
captured on the link, and the capture is judged by `iwarp-check` for each side, without waivers.""".replace("\n", " ")
MEANING = """\
Green: all operations did what they should, and nothing was found. Amber: all operations did what they should, and each finding has a known
cause. Red: an operation failed, a finding has no known cause, or a kernel complained. Grey: not run, or impossible, and why. A cell in which
something fails is tried three times, and the page says in how many of them; a mount that hangs in some of them only, for a cause that is
known for that, is named in the cell, and changes no colour.""".replace("\n", " ")


def text_of(cell, result):
    """In a table: the colour, and the causes."""
    if result is None:
        return f"grey: {reason(cell)}"
    its = colour(cell, result)
    links = ", ".join(f"[{cause}](#{cause})" for cause in causes_of(cell, result) if not is_chance(cause))
    chance = by_chance(cell, result)
    text = f"[{RED}](#{anchor(cell)})" if its == RED and not cell.cured else its
    return text + (f": {links}" if links else "") + (f" ({chance})" if chance else "")


def matrix(found, cured=False):

    for device in cells.DEVICES:
        rows = []
        for client in cells.CLIENTS:
            for server in cells.SERVERS:
                row = [cells.Cell(client, server, device, version, cured) for version in cells.VERSIONS]
                if all(cells.why_never(cell) for cell in row) or (cured and not any(cell.name in found for cell in row)):
                    continue
                rows.append(f"| {cells.TITLES[client]} | {cells.TITLES[server]} | " +
                            " | ".join(text_of(cell, found.get(cell.name)) for cell in row) + " |")
        if rows:
            yield f"### {cells.DEVICE_TITLES[device]}{', with the patches' if cured else ''}\n"
            yield "| client | server | " + " | ".join(f"NFS {version}" for version in cells.VERSIONS) + " |"
            yield "|---" * (2 + len(cells.VERSIONS)) + "|"
            yield from rows
            yield ""


def cured_summary(cured):
    if not cured:
        return "With the patches: not run yet."
    n = counts(cured, True)
    return (f"With the patches: **{n[GREEN]} of {sum(n.values())} cells green**, {n[AMBER]} amber, {n[RED]} red, {n[GREY]} not run "
            "([tables](#cells-with-the-patches)).")


def markdown(found, cured):
    n = counts(found)
    yield "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->"
    yield "# Implementations on each other\n"
    yield INTRODUCTION + "\n"
    yield (f"**{n[GREEN]} green, {n[AMBER]} amber, {n[RED]} red, {n[GREY]} not run yet, of {sum(n.values())} cells.** {cured_summary(cured)} Made by "
           "`lab/interop/matrix/run.py` and `page.py` from the results in `results.tar.zst`. [Notes](notes.md).\n")
    yield MEANING + "\n"
    yield from cause_sections(found, cured)
    yield "## Cells\n"
    yield from matrix(found)
    if cured:
        yield "## Cells with the patches\n"
        yield "In guests whose modules and servers are built with the patches of [upstream/](../../upstream/README.md); results in `results.tar.zst`, `cured/`.\n"
        yield from matrix(cured, True)
    yield from suite_tables.markdown(DOCS, causes.load())
    yield "## Red cells\n"
    for cell in cells.possible():
        result = found.get(cell.name)
        if result and colour(cell, result) == RED:
            yield from red_cell(cell, result)
    yield "## Amber cells\n"
    yield "Each again by `lab/interop/matrix/run.py --again CELL`; the capture is `$IWARP_LAB/matrix/CELL.pcap.zst`, its report `.txt` beside it.\n"
    yield "| cell | causes |\n|---|---|"
    for cell in cells.possible():
        result = found.get(cell.name)
        if result and colour(cell, result) == AMBER:
            yield f"| {cell.name} | {text_of(cell, result).partition(': ')[2]} |"


def anchor(cell):
    return cell.name.replace("+", "").replace(".", "").lower()


def red_cell(cell, result):
    yield f"### {cell.name}\n"
    yield (f"{cells.TITLES[cell.client]} ({result['key']['client']}) on {cells.TITLES[cell.server]} ({result['key']['server']}), "
           f"{result['run']}, {result['seconds']} s; result: `cells/{cell.name}.json`\n")
    each = tries(result)
    for name, why in {name: why for one in each for name, why in one["failed"].items()}.items():
        times = sum(name in one["failed"] for one in each)
        yield f"- operation `{name}` failed in {times} of {len(each)} {'try' if len(each) == 1 else 'tries'}: {why}"
    for name, lines in {name: lines for one in each for name, lines in one["kernel"].items()}.items():
        yield f"- kernel of the {name}: `{lines[0]}`"
    for side in ("client", "server"):
        for rule, one in result["judged"]["findings"].get(side, {}).items():
            yield (f"- {side}: {rule}, {one['document']} section {one['section']}, {one['severity']}, {one['times']} times; first in frame "
                   f"{one['frame']}: {one['message']}")
    for cause, side in causes_of(cell, result).items():
        yield f"- cause: [{cause}](#{cause}), of the {side}"
    if None in {cause for _, cause in wrong(cell, result)}:
        yield "- not all of this has a known cause"
    yield f"\nAgain: `{command(cell)}`; the capture is `$IWARP_LAB/matrix/{cell.name}.pcap.zst`, its report `.txt` beside it.\n"


def write():
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / "index.md").write_text("\n".join(markdown(results(), results(cured=True))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
