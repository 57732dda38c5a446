# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads JSON reports of iwarp-check piece by piece: as objects, a large one is many times its size."""
import json
import re
import sys

PIECE = 1 << 20
COUNTS = {"passed", "failed", "inconclusive"}
_known = {}


def _shared(members):
    """
    What a rule counts on a connection is mostly what others count: one object for all of them, which nobody changes. Of names, of which
    the decoder makes new ones for each connection, there is one, too.
    """
    if members.keys() == COUNTS:
        return _known.setdefault(tuple(members.items()), members)
    return {sys.intern(name): member for name, member in members.items()}


DECODER = json.JSONDecoder(object_hook=_shared)


def each(file, name, around=None):
    """
    The members of every list of objects called `name` in the JSON text, one after another. file: opened as text; around: a list that
    gets the text without them, in pieces. What trouble has as connections are their numbers.
    """
    begin = re.compile(rf'"{name}"\s*:\s*\[(?!\s*[0-9])')
    kept = (lambda text: None) if around is None else around.append
    text, inside = "", False
    while piece := file.read(PIECE):
        text += piece
        while True:
            if not inside:
                match = begin.search(text)
                end = match.end() if match else max(0, len(text) - len(name) - 100)  # one may begin there and end in the next piece
                kept(text[:end])
                text, inside = text[end:], bool(match)
                if not match:
                    break
            text = text.lstrip(" \n,")
            if text.startswith("]"):
                inside = False
                continue
            try:
                member, end = DECODER.raw_decode(text)
            except json.JSONDecodeError:  # cut: its rest is in the next piece
                break
            yield member
            text = text[end:]
    assert not inside, text[:200]
    kept(text)
