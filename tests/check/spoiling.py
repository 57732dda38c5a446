# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON reports that hold something else."""
import copy

MISSING = "missing"


def members(node, where=()):
    """Every member of a report, by path."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*where, key)
        yield from members(value, (*where, key))


def spoiled(report, value):
    """The report with one member after the other replaced by the value, or MISSING."""
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
