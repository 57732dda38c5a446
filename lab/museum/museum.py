#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""museum.py [--check]: writes lab/results/museum.md and waivers/known/*.yaml from museum.tsv, or says which of them are not as museum.py would
write them. A row of the table is an exhibit, an error that is public elsewhere; ID.scenario beside the table, or a capture that the row
names, shows it. `known` says what a finding with such a scope means: it resembles the error, or it breaks what has the error."""
import collections
import csv
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "lab" / "results" / "museum.md"
KNOWN = ROOT / "waivers" / "known"
# In the form that waivers/shipped.c knows: FAMILY-known-PART.
FILES = {"Linux (siw)": "linux-known-siw", "Linux (rxe)": "linux-known-rxe", "Linux (NFS client)": "linux-known-xprtrdma",
         "Linux (NFS server)": "linux-known-nfsd", "libevpl (client)": "libevpl-known-client", "libevpl (server)": "libevpl-known-server",
         "Chimera": "libevpl-known-server", "NFS-Ganesha": "ganesha-known"}
SCOPE = ("role", "operation", "kind", "found")
RULE = re.compile(r"[A-Z0-9]+-[A-Z0-9.]+-\d+$")
# The statements of a conforming side in place of the lines above, with semicolons between them.
WRONG = re.compile(r"# wrong\n.*?# right:([^\n]*)\n", re.S)

HEAD = """\
<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
# A museum of errors

{n} errors of implementations that became public between {first} and {last}, each with a capture that
shows what it does on the wire, and what `iwarp-check` says about that capture: the rule of a
finding, or a line under "What happened". {named} of {n} are named. None was found by this project.

`iwarp-gen play lab/museum/ID.scenario -o ID.pcapng` makes the capture of an exhibit. A comment in
the scenario has what a right implementation does instead; the tests play both, and demand the name
for the one and silence about the other. If a finding of any capture looks like one of these errors,
or provokes one in its receiver, a line `known: ...` under the finding says so. *Fixed in* has the
versions that the source, or Debian's changelog of the kernel, gives for some of the branches; *not
known*: no version was found.

Made from `lab/museum/museum.tsv` by `lab/museum/museum.py`.
"""


def exhibits():
    with open(HERE / "museum.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))


def capture(row):
    """The capture of a row that has no scenario, or None."""
    return None if row["capture"] == "-" else ROOT / row["capture"]


def mended(text):
    """The scenario without the error."""
    return WRONG.sub(lambda found: found[1].strip() + "\n", text)


def source(link):
    """The name of the link."""
    parts = link.split("/")
    if "CVE-" in parts[-1]:
        return parts[-1]
    if parts[2] == "github.com":
        return f"{parts[4]} {'pull request' if parts[5] == 'pull' else 'issue'} {parts[6]}"
    return "commit" if "git." in parts[2] else "mail"


def named(row):
    if row["named"] == "-":
        return f"not named: {row['why']}"
    return row["named"] if RULE.match(row["named"]) else f"\"{row['named']}\""


def page(rows):
    years = sorted(row["year"] for row in rows)
    lines = [HEAD.format(n=len(rows), first=years[0], last=years[-1], named=sum(row["named"] != "-" for row in rows))]
    for project in dict.fromkeys(row["project"] for row in rows):
        lines += [f"## {project}", "", "| exhibit | what went wrong | year | fixed in | named by |", "|---|---|---|---|---|"]
        for row in (row for row in rows if row["project"] == project):
            shown = f"`{row['id']}`" if not capture(row) else f"`{row['id']}`: `{row['capture']}`"
            lines.append(f"| {shown} | **{row['title']}.** {row['what']} [{source(row['link'])}]({row['link']}) | {row['year']} | "
                         f"{row['fixed']} | {named(row)} |")
        lines.append("")
    return "\n".join(lines)


def meaning(row):
    """What to print after 'known: '."""
    name = row["project"].split(" (")[0]
    before = "" if row["fixed"] == "not known" else f" before {row['fixed'].removeprefix(name + ' ')}"
    verb = "resembles an error of" if row["known"] == "resembles" else "breaks"
    return f"{verb} {row['project']}{before}: {row['title']}"


def known(rows):
    lines = ["# SPDX-License-Identifier: GPL-2.0-or-later",
             "# Errors that are public elsewhere, in the form of waivers; they waive nothing. Made by lab/museum/museum.py."]
    for row in rows:
        lines += [f"- id: {row['named']}", f"  why: \"{meaning(row)}\"", f"  link: {row['link']}"]
        scope = {key: row[key] for key in SCOPE if row[key]}
        lines += ["  scope:"] * bool(scope) + [f"    {key}: \"{value}\"" for key, value in scope.items()]
    return "\n".join(lines) + "\n"


def made():
    """{path: its text}"""
    rows = exhibits()
    files = collections.defaultdict(list)
    for row in rows:
        if row["known"] != "-":
            files[KNOWN / f"{FILES[row['project']]}.yaml"].append(row)
    return {PAGE: page(rows), **{path: known(of) for path, of in files.items()}}


def main():
    texts = made()
    wrong = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    wrong += set(KNOWN.glob("*.yaml")) - set(texts)
    if "--check" in sys.argv and wrong:
        sys.exit(f"museum.py: not as lab/museum/museum.py writes them: {', '.join(path.name for path in wrong)}; run it without --check")
    for path in wrong:
        path.write_text(texts[path], encoding="utf-8") if path in texts else path.unlink()


if __name__ == "__main__":
    main()
