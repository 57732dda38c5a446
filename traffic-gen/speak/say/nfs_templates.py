#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles wire/nfs_types.txt to the templates of nfs_messages.h, nfs_templates.h, and beside it to nfs_statuses.h."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "wire"))
import nfs_types  # noqa: E402  (needs the path)


class Unnamed(Exception):
    """A field without a name."""


class Writer:
    """Words of a template. which: of the names of the version, whose value a field outside of arrays has."""

    def __init__(self, which):
        self.which, self.depth = which, 0

    def block(self, steps):
        return " ".join(self.step(step) for step in steps)

    def step(self, step):
        if step.kind == "OPERATIONS":
            return ""
        if step.name is None:
            raise Unnamed
        if step.kind in ("WORD_ARRAY", "ARRAY"):
            return self.array(step)
        if step.kind == "OPTIONAL":
            return f"{step.name}:b={self.value(step)} " + self.group(f"?{step.name}=1", step.body)
        if step.kind == "LIST":
            return self.group(f"{step.name}={self.value(step)} follows=1", step.body) + " follows=0"
        if step.kind == "SWITCH":
            return self.switch(step)
        return f"{step.name}{self.type(step)}={self.value(step)}"

    def group(self, head, steps):
        self.depth += 1
        text = f"({head} {self.block(steps)} )"
        self.depth -= 1
        return text

    def array(self, step):
        count = f"{step.name}={self.value(step)}"
        try:
            return f"{count} " + self.group(f"n=${step.name}", step.body or step.elements)
        except Unnamed:
            self.depth -= 1
            return count

    def switch(self, step):
        text, arms = [f"{step.name}={self.value(step)}"], dict(step.arms)
        if step.mark == "STATUS":
            return self.result(text, arms)
        for value, body in arms.items():
            if value is not None and body and body is not nfs_types.UNKNOWN:
                try:
                    text.append(self.group(f"?{step.name}={value}", body))
                except Unnamed:
                    self.depth -= 1
        return " ".join(text)

    def result(self, text, arms):
        """A common beginning or end of both arms is outside them."""
        good, bad = ([self.step(step) for step in arms.get(key, [])] for key in (0, None))
        end = []
        while good and bad and good[0] == bad[0]:
            text.append(good.pop(0))
            bad.pop(0)
        while good and bad and good[-1] == bad[-1]:
            end.insert(0, good.pop())
            bad.pop()
        for head, words in (("ok", good), ("bad", bad)):
            text += [f"({head}", *words, ")"] if words else []
        text += [self.group(f"?status={value}", body) for value, body in arms.items() if value and body]
        return " ".join(text + end)

    def value(self, step):
        if step.value is None:
            return str(4 * step.n if step.fixed and step.kind == "WORDS" else step.n if step.fixed else
                       "" if step.kind == "ITEM" else 0)
        if self.depth == 0 and step.value[:1].isdigit():
            values = step.value.split("/")
            return values[min(self.which, len(values) - 1)]
        return step.value.removeprefix("@")

    @staticmethod
    def type(step):
        if step.kind == "NOTHING":
            return ":v"
        if step.fixed:
            return ":f" if step.value is None else ":8"
        if step.kind == "WORDS":
            return {1: "", 2: ":8"}[step.n]
        if step.kind == "BOOLEAN":
            return ":b"
        if step.kind != "ITEM":
            return ""
        value = step.value or ""
        if value.startswith("@"):
            return ":a"
        if not value[:1].isdigit() and not value.startswith("$") or "." in value:
            return ":s"
        return (":l" if step.mark == "LINK" else ":d") if step.eligible else ":o"


def row(name, numbers, main, blocks, which):
    """None: a part has no name."""
    writer = Writer(which)
    try:
        texts = [" ".join(writer.block(block).split()) for block in blocks]
    except Unnamed:
        return None
    cells = [f'"{name}"', *(f"{number:#x}" for number in numbers), f'"{main}"' if main else "NULL"]
    return "    {" + ", ".join(cells + [f'"{text}"' for text in texts]) + "},"


def emit(definitions):
    tables = {"procedures": [], "operations": [], "callback_operations": []}
    for program, version, names, number, name, main, *blocks in definitions.forms:
        tables["procedures"] += [row(f"{prefix}.{name.lower()}", (program, version, number), main, blocks, which)
                                 for which, prefix in enumerate(names)]
    for callback, table in definitions.operations.items():
        tables["callback_operations" if callback else "operations"] += [
            row(name.lower(), (0, 0, number), definitions.mains[name], blocks, 0)
            for number, (name, *blocks) in sorted(table.items())]
    out = ["/* Generated from wire/nfs_types.txt; do not edit. */"]
    for name, rows in tables.items():
        out += [f"static const struct nfs_template {name}[] = {{", *(row for row in rows if row), "};"]
    texts = {bit: " ".join(Writer(0).block(block).split()) for bit, block in sorted(definitions.attributes.items())}
    out += ["static const char *const attributes[] = {", *(f'    [{bit}] = "{text}",' for bit, text in texts.items()), "};"]
    return "\n".join(out) + "\n"


def emit_statuses(statuses):
    names = [f"    NFS4{'_OK' if name == 'OK' else 'ERR_' + name} = {number}," for number, name in statuses]
    rows = [f'    {{{number}, "{name}"}},' for number, name in statuses]
    return "\n".join(["/* Generated from wire/nfs_types.txt; do not edit. */", "enum nfs4_status {", *names, "};",
                      "#define NFS_STATUS_ROWS \\", *(row + " \\" for row in rows), ""]) + "\n"


def main():
    out, types, header = map(pathlib.Path, sys.argv[1:])
    definitions = nfs_types.read(types, nfs_types.read_marks(header))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(emit(definitions), encoding="utf-8")
    out.with_name("nfs_statuses.h").write_text(emit_statuses(definitions.statuses), encoding="utf-8")


if __name__ == "__main__":
    main()
