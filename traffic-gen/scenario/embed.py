#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""embed.py OUT FILE.yaml ...: scenarios as a table in C. The loader judges them; only name and summary are read here."""
import pathlib
import re
import sys


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def field(path, text, name):
    found = re.search(rf'^{name}: ("?)([^"\n]+)\1$', text, re.MULTILINE)
    if not found:
        sys.exit(f"{path}: a line '{name}: ...' is missing")
    return found[2]


rows = []
for path in sorted(map(pathlib.Path, sys.argv[2:])):
    text = path.read_text()
    if field(path, text, "name") != path.stem:
        sys.exit(f"{path}: the name is not that of the file")
    rows.append(f"    {{.name = {quoted(path.stem)},\n     .summary = {quoted(field(path, text, 'summary'))},\n     .yaml =\n"
                + "\n".join(f"         {quoted(line)} \"\\n\"" for line in text.splitlines()) + "},\n")
pathlib.Path(sys.argv[1]).write_text(
    '// Made by embed.py from scenarios/*.yaml.\n#include "traffic-gen/scenario/scenario.h"\n\n'
    "static const struct scenario scenarios[] = {\n" + "".join(rows) + "};\n\n"
    "const struct scenario_table yaml_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};\n")
