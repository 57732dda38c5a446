#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""embed.py OUT FILE ...: scenarios as a table in C: scripts (.scenario) and work (.yaml).

Their readers judge them; only the summary is read here. That of a script is the comment after the licence.
"""
import pathlib
import re
import sys


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def found(path, pattern, text, what):
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        sys.exit(f"{path}: {what} is missing")
    return match[1]


rows = []
for path in sorted(map(pathlib.Path, sys.argv[2:])):
    text = path.read_text()
    if path.suffix == ".yaml":
        member, summary = "work", found(path, r'^summary: "([^"\n]+)"$', text, "the line 'summary: ...'")
        if found(path, r"^name: (\S+)$", text, "the line 'name: ...'") != path.stem:
            sys.exit(f"{path}: the name is not that of the file")
    else:
        member, summary = "script", found(path, r"\A# SPDX-.*\n# (.+)$", text, "the summary, a comment after the licence,")
    rows.append(f"    {{.name = {quoted(path.stem)},\n     .summary = {quoted(summary)},\n     .{member} =\n"
                + "\n".join(f"         {quoted(line)} \"\\n\"" for line in text.splitlines()) + "},\n")
pathlib.Path(sys.argv[1]).write_text(
    '// Made by embed.py from scenarios/.\n#include "traffic-gen/scenario/scenario.h"\n\n'
    "static const struct scenario scenarios[] = {\n" + "".join(rows) + "};\n\n"
    "const struct scenario_table library_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};\n")
