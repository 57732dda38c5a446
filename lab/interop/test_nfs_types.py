# SPDX-License-Identifier: GPL-2.0-or-later
"""Mistakes in the notation of NFS types stop the build, with a message about the place and the
allowed words."""
import subprocess
import sys

import pytest


@pytest.mark.parametrize("text, complaint", [
    ("type a = b", "types.txt:1: 'b' is not defined above"),
    ("# comment\n\ntype a = w5:count", "types.txt:3: only a single word can be marked"),
    ("type a = w:colour", "types.txt:1: mark COLOUR is not in enum nfs_mark; there are: "),
    ("type a = void[]", "types.txt:1: elements of an array must not be empty"),
    ("type a = switch w { 1: w | 1: w2 }", "types.txt:1: the arm 1 appears twice"),
    ("type a = switch bool { 1: w }", "types.txt:1: a union over a bool has the arms 0 and 1"),
    ("type a = switch w { else: w | 1: w }", "types.txt:1: else must come last"),
    ("type a = octets[3]", "types.txt:1: fixed opaques must have whole words here"),
    ("type a = opaque<x>", "types.txt:1: expected a number; found 'x'"),
    ("type a = w\n    ( w", "types.txt:1: expected ); found the end"),
    ("type a = w )", "types.txt:1: ')' is not defined above"),
    ("type a = w\ntype a = w", "types.txt:2: type a is defined already"),
    ("proc 1 X = w", "types.txt:1: a line begins with: type NAME =, program N NAME, "),
    ("type a = void\ntype b = a=3", "types.txt:2: what has no fields has no value"),
    ("type a = w.x.y", "types.txt:1: '.y' is not defined above"),
    ("op 3 A = -> w\nop 3 B = -> w", "types.txt:2: operation 3 appears twice"),
])
def test_mistake(root, tmp_path, text, complaint):
    types = tmp_path / "types.txt"
    types.write_text(text + "\n", encoding="utf-8")
    run = subprocess.run([sys.executable, root / "wire" / "nfs_types.py", tmp_path / "out.h", types,
                          root / "wire" / "nfs.h"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert complaint in run.stderr
    assert not (tmp_path / "out.h").exists()
