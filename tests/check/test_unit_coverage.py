# SPDX-License-Identifier: GPL-2.0-or-later
"""Every rule with findings of its own is named by a unit test, but for a list that may only get shorter."""
import re


def named(root):
    """Ids in strings, and names of the enumeration; a wrong octet is not looked for by either."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "tests" / "unit").rglob("*.[ch]")))
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"\bRULE_(\w+)\b", text)) | {symbol(rule) for rule in re.findall(r"\b[A-Z0-9]+(?:-[A-Z0-9.]+)+-\d+\b", text)}


def symbol(rule):
    return rule.replace("-", "_").replace(".", "_")


def test_rules_without_a_unit_test(root, catalogue):
    listed = (root / "tests" / "unit" / "rules_without_test.txt").read_text(encoding="utf-8").split()
    tested = named(root)
    missing = [row["id"] for row in catalogue if row["judged"] == "yes" and symbol(row["id"]) not in tested]
    assert listed == sorted(set(listed)), "in order, each once"
    assert sorted(set(missing) - set(listed)) == [], "give these a unit test"
    assert sorted(set(listed) - set(missing)) == [], "these have one now, or are judged no more: take them off the list"
