#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""museum.py [--check]: writes docs/museum.md from museum.tsv, or says that the page is not as museum.py would write it. A row of the
table is an exhibit, an error that is public elsewhere; ID.scenario beside the table, or a capture that the row names, shows it."""
import csv
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "museum.md"
RULE = re.compile(r"[A-Z0-9]+-[A-Z0-9.]+-\d+$")
# What the rightful side does in place of the lines above; statements with semicolons between them.
WRONG = re.compile(r"# wrong\n.*?# right:([^\n]*)\n", re.S)

HEAD = """\
<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
# A museum of errors

{n} errors of implementations that became public between {first} and {last}, each with a capture that
shows what it does on the wire, and what `iwarp-check` says about that capture: the rule of a
finding, or a line under "What happened". {named} of {n} are named. None was found by this project.

`iwarp-gen play tests/museum/ID.scenario -o ID.pcapng` makes the capture of an exhibit. A comment in
the scenario has what a right implementation does instead; the tests play both, and demand the name
for the one and silence about the other. *Fixed in* has the versions that the source gives, with
their stable branches; a branch that is missing may have the error for ever. *Not known*: no version
was found.

Made from `tests/museum/museum.tsv` by `tests/museum/museum.py`.
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
    """What the link is called."""
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


def main():
    text = page(exhibits())
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"museum.py: {PAGE.relative_to(ROOT)} is not as tests/museum/museum.py writes it; run it without --check")


if __name__ == "__main__":
    main()
