# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports in which one member is wrong or missing."""
import copy
import json

from reports import lines_of

MISSING = "missing"


def members(node, where=()):
    """Every member of a report, by path."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*where, key)
        yield from members(value, (*where, key))


def spoiled(report, value):
    """Copies of the object, each with one member replaced by the value, or removed (MISSING)."""
    for *path, last in members(report):
        changed = copy.deepcopy(report)
        inner = changed
        for key in path:
            inner = inner[key]
        if value == MISSING:
            del inner[last]
        else:
            inner[last] = value
        yield changed


def spoiled_lines(report, value):
    """Texts of the report, each with one member of a line replaced or removed."""
    lines = list(lines_of(report))
    texts = [json.dumps(line) + "\n" for line in lines]
    for number, line in enumerate(lines):
        for changed in spoiled(line, value):
            yield "".join([*texts[:number], json.dumps(changed) + "\n", *texts[number + 1:]])
