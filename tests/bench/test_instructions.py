# SPDX-License-Identifier: GPL-2.0-or-later
"""The costs of iwarp-check and the plugins for an FPDU do not grow unnoticed. After a justified change: instructions.py --record."""
import importlib.util
import json
import pathlib
import shutil
import sys

import pytest

GROWTH_MAX = 1.10
RATIO_GROWTH_MAX = 1.03
STATISTICS_MAX = {"Reads and Atomics": 1.15, "NFS metadata": 1.17} # otherwise 1.10
# In instructions, as their share of a 12-packet connection grows when the connection itself gets cheaper. The C library's part depends on the processor, and
# varies by a thousand with the memory layout of 200 and of 400 connections.
CONNECTION_STATISTICS_MAX = 14300
# Factors for right CRCs. An FPDU of 64,000 octets whose CRC proves nothing is kept in memory until the next one shows its end.
WRONG_CRC_MAX = {"bulk": 3, "bulk-whole": 4}


def load():
    path = pathlib.Path(__file__).with_name("instructions.py")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("instructions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def need_release(instructions, build):
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is missing")
    if not instructions.is_release(build):
        pytest.skip("only a release build is measured")


@pytest.fixture(scope="module")
def spent(build):
    """The cost without --stats, with which both tests compare."""
    instructions = load()
    need_release(instructions, build)
    return instructions.measure(build)


def test_statistics_cost_little(build, spent):
    """A tenth, and somewhat more if every FPDU is a Read, an Atomic or its response, or a Call or a Reply; for a connection, its own limit."""
    for name, count in load().measure(build, "--stats").items():
        most = spent[name] * STATISTICS_MAX.get(name, 1.10)
        if name == "connections":
            most = spent[name] + CONNECTION_STATISTICS_MAX
        assert count <= most, f"{name}: {count} instructions, {spent[name]} without --stats: {count / spent[name] - 1:+.1%}"


def test_instructions(build, spent):
    instructions = load()
    recorded = json.loads(instructions.RECORD.read_text(encoding="utf-8"))
    if instructions.compiler(build) != recorded["compiler"]:
        pytest.skip(f"recorded with {recorded['compiler']}, built by {instructions.compiler(build)}")
    assert spent.keys() == recorded["instructions"].keys()
    for name, count in spent.items():
        before = recorded["instructions"][name]
        assert count <= GROWTH_MAX * before, f"{name}: {count} instructions, {before} recorded: {count / before - 1:+.1%}"


def test_wrong_crcs_cost_little(build):
    instructions = load()
    need_release(instructions, build)
    for name, right, wrong in instructions.measure_wrong_crcs(build):
        assert wrong <= WRONG_CRC_MAX[name.split()[0]] * right, f"{name}: {wrong} instructions with a wrong CRC, {right} with a right one: {wrong / right:.1f}"


@pytest.mark.all
def test_plugins(build):
    """tshark with the plugins, relative to its built-in dissectors."""
    instructions = load()
    need_release(instructions, build)
    plugins = instructions.plugin_instructions
    if not (build / "plugins" / "run").is_dir():
        pytest.skip("the plugins are not built")
    recorded = json.loads(instructions.RECORD.read_text(encoding="utf-8"))
    if plugins.version() != recorded["plugins"]["wireshark"] or instructions.compiler(build) != recorded["compiler"]:
        pytest.skip(f"recorded with Wireshark {recorded['plugins']['wireshark']} and {recorded['compiler']}")
    found = plugins.measure(build)
    assert found.keys() == recorded["plugins"]["ratios"].keys()
    for name, (ours, theirs) in found.items():
        before = recorded["plugins"]["ratios"][name]
        assert ours <= RATIO_GROWTH_MAX * before * theirs, f"{name}: {ours / theirs:.3f} of the built-in dissectors' instructions, {before} recorded"
