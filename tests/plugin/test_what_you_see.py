# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/what-you-see.md: its commands, run as written, have the shown output, with the plugins and without."""
import re
import shlex

import versions


def commands(text):
    """[(command, output)] of indented blocks."""
    blocks = re.findall(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", text, re.M)
    return [(command, re.sub(r"^    ", "", output, flags=re.M)) for command, output in blocks]


def run(wireshark, root, command):
    words = [str(wireshark.readable(root / word)) if word.startswith("captures/") else word for word in shlex.split(command)]
    result = wireshark.run("env", *words)
    return re.sub(r"[ \t]+$", "", result.stdout + re.sub(r"\n{2,}", "\n", result.stderr), flags=re.M)


def test_as_written(wireshark, root):
    text = (root / "docs" / "what-you-see.md").read_text(encoding="utf-8")
    assert f"by Wireshark {versions.NEWEST[0]}.{versions.NEWEST[1]}." in text
    found = commands(text)
    assert len(found) >= 20
    for command, output in found:
        said = run(wireshark, root, command)
        assert (said if versions.release() >= versions.NEWEST else versions.as_newest(said)) == output, command


def test_the_pairs_differ(root):
    """Each example exists in both forms, which differ."""
    found = dict(commands((root / "docs" / "what-you-see.md").read_text(encoding="utf-8")))
    without = "WIRESHARK_PLUGIN_DIR=/nowhere "
    pairs = [(output, found[command.removeprefix(without)]) for command, output in found.items() if command.startswith(without)]
    assert len(pairs) >= 9 and all(builtin != plugins for builtin, plugins in pairs)
