# SPDX-License-Identifier: GPL-2.0-or-later
"""What the proofs need beside CBMC: a harness for each file of wire/, false claims in each, harnesses that compile, a page with the bounds, and a
runner that believes neither a claim that fails nor a false one that holds. ./test --all proofs runs CBMC."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "proofs.md"
sys.path.insert(0, str(HERE))

import prove  # noqa: E402

HARNESSES = sorted(HERE.glob("*.c"))


def functions(path):
    """The proofs of a harness: name, text."""
    parts = re.split(r"^void proof_(\w+)\(void\)$", path.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def test_every_file_of_wire_has_a_harness():
    assert prove.unproved() == []


def test_table_has_every_proof():
    assert sorted((proof.harness.name, proof.name) for proof in prove.proofs()) == sorted((path.name, name) for path in HARNESSES for name in functions(path))
    assert [name for proof in prove.proofs() for name in proof.files() if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("path", HARNESSES, ids=lambda path: path.stem)
def test_every_harness_has_false_claims(path):
    """The runner sees that each proof reaches one."""
    assert "FALSE_CLAIM(" in path.read_text(encoding="utf-8")


def test_harnesses_compile(tmp_path):
    prove.make_tables(tmp_path)
    for path in HARNESSES:
        subprocess.run(["cc", "-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I", ROOT, "-I", tmp_path, path], check=True)


def test_page_has_every_bound():
    page = PAGE.read_text(encoding="utf-8")
    said = [f"`{proof.name}`" + ("" if proof.bound == "none" else f": {proof.bound}") for proof in prove.proofs()]
    assert [words for words in said if words not in page] == []
    assert set(re.findall(r"^\| `(wire/\S+\.c)`", page, re.M)) == {f"wire/{path.name}" for path in (ROOT / "wire").glob("*.c")}


RIGHT, BROKEN = ("SUCCESS", "a == b"), ("FAILURE", "a == b")
REFUTED, HOLDS = ("FAILURE", "false: a == 0"), ("SUCCESS", "false: a == 0")
ANYTHING, MISSING = ("FAILURE", "no body for callee any_u8"), ("FAILURE", "no body for callee xdr_u64")


@pytest.mark.parametrize(("found", "passes"), [
    ([RIGHT, REFUTED], True), ([RIGHT, REFUTED, ANYTHING], True), ([BROKEN, REFUTED], False), ([RIGHT, HOLDS], False), ([RIGHT, REFUTED, HOLDS], False),
    ([RIGHT], False), ([RIGHT, REFUTED, MISSING], False), ([("UNKNOWN", "a == b"), REFUTED], False), (None, False),
])
def test_runner(found, passes, tmp_path, monkeypatch):
    """A program that prints CBMC's output takes the place of CBMC."""
    said = [{"program": "CBMC"}, {"messageType": "ERROR", "messageText": "a syntax error"}]
    if found is not None:
        said[1] = {"result": [{"status": status, "description": description} for status, description in found]}
    cbmc = tmp_path / "cbmc"
    cbmc.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(said)}\nEND\n", encoding="utf-8")
    cbmc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    count, _, wrong = prove.prove(prove.proofs()[0], tmp_path, 5)
    assert (not wrong) == passes
    assert count == (sum(not description.startswith(("false: ", "no body for callee any")) for _, description in found) if found else 0)


def test_runner_stops_what_takes_too_long(tmp_path, monkeypatch):
    cbmc = tmp_path / "cbmc"
    cbmc.write_text("#!/bin/sh\nwhile :; do :; done\n", encoding="utf-8")
    cbmc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert prove.prove(prove.proofs()[0], tmp_path, 1)[2] == ["no result after 1 s"]
