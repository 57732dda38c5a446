#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles nfs_types.txt, whose head explains the notation, to the tables of the walker: nfs_tables.h.

Every type becomes a block of steps; types that are parts of others are copied into them, so that only arrays, lists,
optional parts and union arms nest. A mistake stops the build with file, line and what is allowed there. The walker does
without the names and values of fields: traffic-gen/speak/say/nfs_templates.py reads them.
"""
import copy
import pathlib
import re
import sys

TOKEN = re.compile(r"\s*(->|\d+|[A-Za-z][\w-]*|\.[a-z][a-z0-9_]*#?|=[^\s|(){}\[\]?*]*|[\[\]<>(){}|?*!:,])")
VOID, UNKNOWN = "void", "unknown"
NO_BOUND = 0xffffffff


class Mistake(Exception):
    pass


class Step:
    """One step of a block. body: the block that it enters; arms: [(discriminant or None, block or UNKNOWN)].

    name and value are what nfs_types.txt says; of arrays, lists and optional parts, of their number.
    """

    def __init__(self, kind, mark="NONE", n=0, eligible=False, width=0, body=None, arms=None):
        self.kind, self.mark, self.n, self.body, self.arms = kind, mark, n, body, arms
        self.eligible, self.width = eligible, width  # of items; words in an element of an array of words
        self.fixed = False                           # a fixed opaque, whatever it is for the walker
        self.name, self.value = None if mark == "NONE" else mark.lower(), None

    def octets(self):
        """The fewest octets that it can have."""
        if self.kind in ("WORDS", "FIXED"):
            return self.n * (4 if self.kind == "WORDS" else 1)
        return 0 if self.kind == "NOTHING" else 4

    def put_before(self, prefix):
        self.name = self.name and prefix + self.name
        for part in [self.body or []] + [arm[1] for arm in self.arms or [] if arm[1] is not UNKNOWN]:
            for step in part:
                step.put_before(prefix)


def walked(steps):
    """The steps that the walker takes through them: consecutive words are one step."""
    merged = []
    for step in steps:
        if merged and step.kind == merged[-1].kind == "WORDS":
            merged[-1] = Step("WORDS", n=merged[-1].n + step.n)
        elif step.kind != "NOTHING":
            merged.append(step)
    return merged


class Parser:
    def __init__(self, text, types, marks):
        self.tokens, self.at, self.types, self.marks = [], 0, types, marks
        text = text.strip()
        while text:
            match = TOKEN.match(text)
            if not match:
                raise Mistake(f"{text.split()[0]!r} is not known here")
            self.tokens.append(match.group(1))
            text = text[match.end():].strip()

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, *wanted):
        token = self.peek()
        if token is None or wanted and token not in wanted:
            raise Mistake(f"expected {' or '.join(wanted) or 'something'}; found {token or 'the end'}")
        self.at += 1
        return token

    def number(self):
        token = self.take()
        if not token.isdigit():
            raise Mistake(f"expected a number; found {token!r}")
        return int(token)

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def mark(self):
        if not self.accept(":"):
            return "NONE"
        name = self.take().upper().replace("-", "_")
        if name not in self.marks:
            raise Mistake(f"mark {name} is not in enum nfs_mark; there are: {', '.join(sorted(self.marks))}")
        return name

    def block(self, *ends):
        steps = []
        while self.peek() not in ends and self.peek() is not None:
            steps += self.part()
        return steps

    def said(self, step):
        """.NAME=VALUE of the one step."""
        if (self.peek() or "").startswith("."):
            step.name = self.take()[1:]
        if (self.peek() or "").startswith("="):
            step.value = self.take()[1:]
        return [step]

    def part(self):
        steps = self.atom()
        if self.accept("["):
            bound = NO_BOUND if self.peek() == "]" else self.number()
            self.take("]")
            if not steps or sum(step.octets() for step in steps) == 0:
                raise Mistake("elements of an array must not be empty")
            if [step.kind for step in walked(steps)] == ["WORDS"]:
                array = Step("WORD_ARRAY", n=bound, width=walked(steps)[0].n)
                array.elements = steps
                return self.said(array)
            return self.said(Step("ARRAY", n=bound, body=steps))
        if self.accept("?"):
            return self.said(Step("OPTIONAL", body=steps))
        if self.accept("*"):
            return self.said(Step("LIST", body=steps))
        return steps

    def atom(self):
        token = self.take()
        if token == VOID:
            return self.said(Step("NOTHING")) if (self.peek() or "").startswith(".") else []
        if re.fullmatch(r"w\d*|h", token):
            mark, n = self.mark(), 2 if token == "h" else int(token[1:] or 1)
            if mark != "NONE" and n != 1:
                raise Mistake("only a single word can be marked")
            return self.said(Step("WORDS", n=n) if mark == "NONE" else Step("WORD", mark))
        if token == "status":
            return self.said(Step("WORD", "STATUS"))
        if token == "bool":
            return self.said(Step("BOOLEAN", self.mark()))
        if token == "opaque":
            bound = NO_BOUND
            if self.accept("<"):
                bound = self.number()
                self.take(">")
            eligible = self.accept("!")
            return self.said(Step("ITEM", self.mark(), bound, eligible))
        if token == "octets":
            self.take("[")
            n = self.number()
            self.take("]")
            if n % 4 or n == 0:
                raise Mistake("fixed opaques must have whole words here")
            mark = self.mark()
            step = Step("WORDS", n=n // 4) if mark == "NONE" else Step("FIXED", mark, n)
            step.fixed = True
            return self.said(step)
        if token == "(":
            steps = self.block(")")
            self.take(")")
            return steps
        if token == "result":
            self.take("(")
            arms = [(0, self.block("|", ")")), (None, [])]
            if self.take("|", ")") == "|":
                arms[1] = (None, self.block(")"))
                self.take(")")
            return [Step("SWITCH", "STATUS", arms=arms)]
        if token == "switch":
            return [self.switch()]
        if token in ("operations", "callback-operations"):
            return [Step("OPERATIONS")]
        if token not in self.types:
            raise Mistake(f"{token!r} is not defined above")
        return self.of_type(copy.deepcopy(self.types[token]))

    def of_type(self, steps):
        if (self.peek() or "").startswith("."):
            prefix = self.take()[1:]
            for step in steps:
                step.put_before(prefix)
        if (self.peek() or "").startswith("="):
            if not steps:
                raise Mistake("what has no fields has no value")
            steps[0].value = self.take()[1:]
        return steps

    def switch(self):
        boolean = self.take("w", "bool") == "bool"
        mark, arms = self.mark(), []
        said = self.said(Step("SWITCH", mark, arms=arms))
        self.take("{")
        while True:
            values = [None] if self.accept("else") else [self.number()]
            while values[0] is not None and self.accept(","):
                values.append(self.number())
            self.take(":")
            if self.accept(UNKNOWN):
                body = UNKNOWN
            else:
                body = self.block("|", "}")
            for value in values:
                if value in [arm[0] for arm in arms]:
                    raise Mistake(f"the arm {'else' if value is None else value} appears twice")
                arms.append((value, body))
            if self.take("|", "}") == "}":
                break
        if boolean and sorted(str(arm[0]) for arm in arms) != ["0", "1"]:
            raise Mistake("a union over a bool has the arms 0 and 1")
        if None in [arm[0] for arm in arms[:-1]]:
            raise Mistake("else must come last")
        return said[0]

    def finish(self):
        if self.peek() is not None:
            raise Mistake(f"unexpected {self.peek()!r}")


class Definitions:
    def __init__(self, marks):
        self.types, self.marks = {}, marks
        self.programs = []    # (number, name, callback)
        self.procedures = []  # (program, version, number, name, callback, arguments, results)
        self.forms = []       # (program, version, names of the version, number, name, main field, arguments, results)
        self.names = []       # of the version
        self.operations = {False: {}, True: {}}  # by callback: number -> (name, arguments, results)
        self.mains = {}                          # name of an operation -> main field
        self.statuses = []                       # (number, name)
        self.attributes = {}                     # bit -> block
        self.version = None

    def blocks(self, text):
        """ARGUMENTS -> RESULTS"""
        arguments, _, results = text.partition("->")
        out = []
        for part in (arguments, results):
            parser = Parser(part, self.types, self.marks)
            out.append(parser.block())
            parser.finish()
        return out

    def line(self, text):
        head, _, body = text.partition("=")
        words = head.split()
        if words[0] == "type" and len(words) == 2:
            if words[1] in self.types or re.fullmatch(r"w\d*|bool|status|void|unknown", words[1]):
                raise Mistake(f"type {words[1]} is defined already")
            parser = Parser(body, self.types, self.marks)
            self.types[words[1]] = parser.block()
            parser.finish()
        elif words[0] == "program" and len(words) in (3, 4):
            self.programs.append((int(words[1], 0), words[2], words[3:] == ["callback"]))
            self.version = None
        elif words[0] == "version" and len(words) >= 2 and self.programs:
            self.version = int(words[1])
            self.names = words[2:] or [self.programs[-1][1].lower() + words[1]]
        elif words[0] == "same" and len(words) == 2 and self.version is not None:
            for known in list(self.procedures):
                if known[0] == self.programs[-1][0] and known[1] == int(words[1]):
                    self.procedures.append((known[0], self.version) + known[2:])
            self.forms += [(form[0], self.version, self.names, *form[3:]) for form in self.forms
                           if form[:2] == (self.programs[-1][0], int(words[1]))]
        elif words[0] in ("proc", "form") and len(words) in (3, 4) and self.version is not None:
            program, _, callback = self.programs[-1]
            key, blocks = (program, self.version, int(words[1])), self.blocks(body)
            self.forms.append((program, self.version, self.names, key[2], words[2], (words[3:] or [None])[0], *blocks))
            if words[0] == "form":
                return
            if key in [known[:3] for known in self.procedures]:
                raise Mistake(f"procedure {words[1]} appears twice")
            self.procedures.append((*key, words[2], callback, *blocks))
        elif words[0] == "attribute" and len(words) == 2:
            parser = Parser(body, self.types, self.marks)
            self.attributes[int(words[1])] = parser.block()
            parser.finish()
        elif words[0] == "statuses" and len(words) % 2:
            self.statuses += zip(map(int, words[1::2]), words[2::2])
        elif words[0] in ("op", "callback-op") and len(words) in (3, 4):
            table = self.operations[words[0] != "op"]
            if int(words[1]) in table:
                raise Mistake(f"operation {words[1]} appears twice")
            table[int(words[1])] = (words[2], *self.blocks(body))
            self.mains[words[2]] = (words[3:] or [None])[0]
        else:
            raise Mistake("a line begins with: type NAME =, program N NAME, version N, proc N NAME, form N NAME, "
                          "op N NAME, callback-op N NAME, same N, "
                          "statuses N NAME ..., attribute N =")


def read_marks(header):
    body = re.search(r"enum nfs_mark \{(.*?)\};", header.read_text(encoding="utf-8"), re.S).group(1)
    return [name for name in re.findall(r"^ *NFS_MARK_(\w+)", body, re.M) if name != "MAX"]


def read(path, marks):
    definitions, pending, first = Definitions(marks), "", 0

    def flush():
        if not pending:
            return
        try:
            definitions.line(pending)
        except (Mistake, ValueError) as mistake:
            sys.exit(f"{path}:{first}: {mistake}")

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            pending += line
            continue
        flush()
        pending, first = line, number
    flush()
    return definitions


class Emitter:
    """Lays blocks out; equal ones once."""

    def __init__(self):
        self.steps, self.arms, self.known = [], [], {}

    def block(self, steps):
        """(index of its first step, how deep it nests)"""
        rows, depth = [], 0
        for step in walked(steps):
            target, n = 0, step.n
            if step.body is not None:
                target, inner = self.block(step.body)
                depth = max(depth, inner + 1)
            if step.arms is not None:
                rows_of_arms = []
                for value, body in step.arms:
                    block = "NO_BLOCK"
                    if body is not UNKNOWN:
                        block, inner = self.block(body)
                        depth = max(depth, inner + 1)
                    rows_of_arms.append(f"{{{0 if value is None else value}u, {block}, {str(value is None).lower()}}}")
                target, n = self.arms_at(rows_of_arms), len(rows_of_arms)
            if step.kind == "OPERATIONS":
                depth = max(depth, 1)
            rows.append(f"{{{step.kind}, NFS_MARK_{step.mark}, {step.width or int(step.eligible)}, {target}, {n:#x}u}}")
        rows.append("{END, NFS_MARK_NONE, 0, 0, 0}")
        key = tuple(rows)
        if key not in self.known:
            self.known[key] = len(self.steps)
            self.steps += rows
        return self.known[key], depth

    def arms_at(self, rows):
        key = ("arms", *rows)
        if key not in self.known:
            self.known[key] = len(self.arms)
            self.arms += rows
        return self.known[key]


def eligible(steps):
    return any(step.kind == "ITEM" and step.eligible or step.body and eligible(step.body)
               or any(body is not UNKNOWN and eligible(body) for _, body in step.arms or []) for step in steps)


def compound(steps):
    return any(step.kind == "OPERATIONS" for step in steps)


def emit(definitions):
    emitter, deepest = Emitter(), 0
    operations, procedures = {}, []

    def place(steps):
        nonlocal deepest
        index, depth = emitter.block(steps)
        deepest = max(deepest, depth)
        return index

    for callback, table in definitions.operations.items():
        operations[callback] = [f'{{{number}, "{name}", {place(arguments)}, {place(results)}}}'
                                for number, (name, arguments, results) in sorted(table.items())]
    in_operations = deepest + 1
    for program, version, number, name, callback, arguments, results in sorted(definitions.procedures,
                                                                              key=lambda row: row[:3]):
        may_reduce = [eligible(arguments), eligible(results)]
        if compound(arguments):
            for _, *blocks in definitions.operations[callback].values():
                may_reduce = [may or eligible(block) for may, block in zip(may_reduce, blocks)]
        cells = [f"{program:#x}", str(version), str(number), f'"{name}"', str(compound(arguments)).lower(),
                 str(callback).lower(), *(str(may).lower() for may in may_reduce), str(place(arguments)),
                 str(place(results))]
        procedures.append("{" + ", ".join(cells) + "}")
    if len(emitter.steps) >= 0xffff or len(emitter.arms) >= 0xffff:
        sys.exit("nfs_types.txt: more steps than the tables can number")
    programs = [f'{{{number:#x}, "{name}"}}' for number, name, _ in definitions.programs]
    out = ["/* Generated from wire/nfs_types.txt; do not edit. */",
           f"enum {{ DEPTH = {max(deepest, in_operations) + 1} }};"]
    for kind, name, rows in (("struct step", "steps", emitter.steps), ("struct arm", "arms", emitter.arms),
                             ("struct op", "ops", operations[False]), ("struct op", "callback_ops", operations[True]),
                             ("struct nfs_procedure", "procedures", procedures),
                             ("struct program", "programs", programs)):
        out += [f"static const {kind} {name}[] = {{", *(f"    {row}," for row in rows), "};"]
    return "\n".join(out) + "\n"


def main():
    out, types, header = map(pathlib.Path, sys.argv[1:])
    text = emit(read(types, read_marks(header)))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
