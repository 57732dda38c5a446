# SPDX-License-Identifier: GPL-2.0-or-later
"""What iwarp-check spends on an FPDU does not grow unnoticed. After a change that is worth it: instructions.py --record."""
import importlib.util
import json
import pathlib
import shutil

import pytest

GROWTH_MAX = 1.10
STATISTICS_MAX = {"connections": 1.15, "Reads and Atomics": 1.15}  # else 1.10


def load():
    path = pathlib.Path(__file__).with_name("instructions.py")
    spec = importlib.util.spec_from_file_location("instructions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def need_release(instructions, build):
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is missing")
    if not instructions.is_release(build):
        pytest.skip("only a release build is measured")


def test_statistics_cost_little(build):
    """A tenth, and somewhat more where every FPDU is a Read, an Atomic or its response, and for connections of a few packets."""
    instructions = load()
    need_release(instructions, build)
    without, found = instructions.measure(build), instructions.measure(build, "--stats")
    for name, count in found.items():
        most = STATISTICS_MAX.get(name, 1.10)
        assert count <= most * without[name], f"{name}: {count} instructions, {without[name]} without --stats: {count / without[name] - 1:+.1%}"


def test_instructions(build):
    instructions = load()
    recorded = json.loads(instructions.RECORD.read_text(encoding="utf-8"))
    need_release(instructions, build)
    if instructions.compiler(build) != recorded["compiler"]:
        pytest.skip(f"recorded with {recorded['compiler']}, built by {instructions.compiler(build)}")
    found = instructions.measure(build)
    assert found.keys() == recorded["instructions"].keys()
    for name, count in found.items():
        before = recorded["instructions"][name]
        assert count <= GROWTH_MAX * before, f"{name}: {count} instructions, {before} recorded: {count / before - 1:+.1%}"
