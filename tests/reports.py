# SPDX-License-Identifier: GPL-2.0-or-later
"""NDJSON reports of iwarp-check (docs/iwarp-check.schema.json), for tests: read_report() makes one object of all lines, in which captures
contain their connections."""
import json
import sys

COUNTS = {"passed", "failed", "inconclusive"}
_known = {}


def _shared(members):
    """Connections often have equal counts for a rule: they share one object, which must not change. Names are shared too, as the decoder
    makes new strings for each connection."""
    if members.keys() == COUNTS:
        return _known.setdefault(tuple(members.items()), members)
    return {sys.intern(name): member for name, member in members.items()}


DECODER = json.JSONDecoder(object_hook=_shared)


def each(lines, name, around=None):
    """Yields the "captures" with their connections, or only the "connections". lines: a file, or a list; around: a list that gets all other
    lines."""
    connections = []
    for line in lines:
        member = DECODER.decode(line)
        kind = member.pop("type")
        if kind == "connection":
            del member["file"]
            if name == "connections":
                yield member
            else:
                connections.append(member)
        elif kind == "capture" and name == "captures":
            yield member | {"connections": connections}
            connections = []
        elif around is not None:
            around.append(line)
    assert not connections, "no capture after them"


def read_report(text):
    """{"tool": ..., "captures": [{..., "connections": [...]}], "summary": {...}}"""
    rest, text = [], text.decode("utf-8") if isinstance(text, bytes) else text
    captures = list(each(text.rstrip("\n").split("\n"), "captures", rest))
    run, summary = map(json.loads, rest)
    assert (run.pop("type"), summary.pop("type")) == ("run", "summary")
    return run | {"captures": captures, "summary": summary}


def lines_of(report):
    """The objects of the report's lines, from the result of read_report()."""
    yield {"type": "run"} | {name: value for name, value in report.items() if name not in ("captures", "summary")}
    for capture in report["captures"]:
        for connection in capture["connections"]:
            yield {"type": "connection", "file": capture["file"]} | connection
        yield {"type": "capture"} | {name: value for name, value in capture.items() if name != "connections"}
    yield {"type": "summary"} | report["summary"]


def write_report(report, **options):
    """The text of the report, from the result of read_report(). options: for json.dumps()."""
    return "".join(json.dumps(line, **options) + "\n" for line in lines_of(report))


def validate(report, schema):
    import jsonschema  # scripts that only read reports do not need it

    validator = jsonschema.Draft202012Validator(schema)
    for line in lines_of(report):
        validator.validate(line)
