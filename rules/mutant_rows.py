# SPDX-License-Identifier: GPL-2.0-or-later
"""
The mutants (`mutant` in README.md) as C: a function for each, which a device calls at each event. The list of their words,
mutant_words.def, has the C that stands for a word: a word that is not in the list stops the build where the word is written.
"""
import re
import sys

from catalogue import literal
from suites import COMMENT, ENTRY, ROLES, fail, unknown

CONDITION = re.compile(r"(!?)([^=!<>&]+)(?:(=|!=|<=?|>=?|&)(.+))?$")
CHANGE = re.compile(r"([^=+&|^]+)(=|\+|&|\||\^)(.+)$")
REASON = re.compile(r"([0-2])/([0-9a-f]+)/([0-9a-f]+)$")
OCTET, WORD = re.compile(r"@(-?[0-9]+)$"), re.compile(r"@h([0-9]+)$")
HEX = re.compile(r"(?:[0-9A-F]{2})+$")
PLACEHOLDER = re.compile(r"\{([a-z]+)(?:=([^{}]*))?\}")
VARIABLE = re.compile(r"s->[\w.>\[\]-]+$")
NTH_MAX = 8  # of struct mutant
HEAD = re.compile(rf"(\S+) ({'|'.join(ROLES)}) (.+)")


class Words:
    """The list: by words, the event and its conditions, and C for all else."""

    def __init__(self, path):
        kinds = {"EVENT": {}, "FIELD": {}, "STATEMENT": {}, "SETUP": {}}
        for macro, text in ENTRY.findall(COMMENT.sub("", path.read_text(encoding="utf-8"))):
            word, _, code = text.partition(",")
            kinds[macro][word.strip('"')] = code.strip()
        self.events, self.fields, self.statements, self.setups = kinds.values()


class Mutant:
    """Takes the lines of a mutant; `lines` is the body of its function."""

    def __init__(self, case, words):
        self.case, self.words, self.lines, self.events, self.setup, self.nths = case, words, [], {}, [], 0
        for text, self.where in case.rows:
            verb, *given = text.split()
            if verb == "with":
                self.setup += [self.setup_of(word) for word in given]
            elif verb == "when" and "do" in given[1:]:
                at = given.index("do")
                self.take_when(given[0], " ".join(given[1:at]), " ".join(given[at + 1:]))
            else:
                fail(self, f"`{text}` is not `with WORD ...` or `when EVENT CONDITION ... do STATEMENT [and STATEMENT] ...`")

    def take_when(self, word, conditions, statements):
        if word not in self.words.events:
            unknown(self, "event", word, self.words.events)
        event, _, implied = self.words.events[word].partition(", ")
        tests = [f"s->event == {event}", *map(self.condition, implied.split())]
        either = [" && ".join(map(self.condition, one.split())) for one in conditions.split(",")]
        tests += [f"({' || '.join(either)})"] if len(either) > 1 else filter(None, either)
        self.events[event] = True
        code = [line for text in re.split(r"(?:^| )and(?: |$)", statements) for line in self.statement(text)]
        self.lines += [f"    if ({' && '.join(tests)}) {{", *(f"        {line};" for line in code), "    }"]

    def condition(self, text):
        match = CONDITION.match(text)
        if not match:
            fail(self, f"`{text}` is not a condition: NAME, or NAME OPERATOR VALUE with one of = != < > <= >= &, or `!` before either")
        negated, name, operator, value = match.groups()
        if name == "key":
            code = f"scene_key_is(s, {literal(value or '')})"
        elif REASON.match(name):
            code = f"s->error == {self.value(name)}"
        else:
            code = self.field(name)
            if operator:
                code += f" {'==' if operator == '=' else operator} {self.value(value)}"
        return f"!({code})" if negated else f"({code})"

    def field(self, name):
        if name == "nth":
            self.nths += 1
            if self.nths > NTH_MAX:
                fail(self, f"there may be {NTH_MAX} `nth`")
            return f"++s->mutant->times[{self.nths - 1}]"
        for pattern, read in ((OCTET, "scene_octet"), (WORD, "scene_word")):
            if match := pattern.match(name):
                return f"{read}(s, {match[1]})"
        if name not in self.words.fields:
            unknown(self, "field", name, [*self.words.fields, "nth", "key", "@N", "@hN"])
        return f"({self.words.fields[name]})"

    def value(self, text):
        """A number, a Terminate, or a field."""
        if match := REASON.match(text):
            layer, kind, code = (int(part, 16) for part in match.groups())
            return hex(layer << 12 | kind << 8 | code) + "U"
        return text + "U" if re.match(r"(0x[0-9A-Fa-f]+|[0-9]+)$", text) else self.field(text)

    def statement(self, text):
        """Lines of C for a statement, or for changes."""
        given = text.split()
        for name in (" ".join(given[:2]), " ".join(given[:1])):
            if name in self.words.statements:
                return [self.filled(name, self.words.statements[name], given[name.count(" ") + 1:])]
        if not CHANGE.match(text):
            unknown(self, "statement", given[0] if given else "", self.words.statements)
        return [line for change in given for line in self.change(change)]

    def change(self, text):
        name, operator, value = (CHANGE.match(text) or fail(self, f"`{text}` changes nothing")).groups()
        if OCTET.match(name):
            return [f"*scene_sent(s, {name[1:]}, 1) {operator.strip('=')}= {self.value(value)}"]
        if WORD.match(name):
            return [f"put_be32(scene_sent(s, {name[2:]}, 4), {self.value(value)})"]
        place = self.field(name)[1:-1]
        if not VARIABLE.match(place):
            fail(self, f"`{name}` cannot be changed")
        return [f"{place} {operator.strip('=')}= {self.value(value)}", "s->changed = true"]

    def filled(self, name, code, given):
        """The code of a word with the given values; a value for which the word has no place is refused."""
        left = list(given)

        def put(match):
            key, otherwise = match.groups()
            said = next((word for word in left if word.startswith(key + "=")), None)
            if said is None and key in ("hex", "reason") and left:
                said = left[0]
            if said is None:
                return otherwise if otherwise is not None else fail(self, f"`{name}` lacks {key.upper()}")
            left.remove(said)
            return self.octets(said.removeprefix(key + "=")) if key in ("hex", "data") else self.value(said.removeprefix(key + "="))

        code = PLACEHOLDER.sub(put, code)
        return code if not left else fail(self, f"`{name}` does not know {left[0]}")

    def octets(self, text):
        if not HEX.match(text):
            fail(self, f"`{text}` are not octets in hexadecimal, two digits each")
        octets = ", ".join(f"0x{octet:02X}" for octet in bytes.fromhex(text))
        return f"MUTANT_OCTETS({octets})"

    def setup_of(self, word):
        name, equals, _ = word.partition("=")
        if name not in self.words.setups:
            unknown(self, "word of `with`", name, self.words.setups)
        return self.filled(name, self.words.setups[name], [word] if equals else [])


def pairs(path, case_of):
    """The mutants of combinations: a line `ID ROLE WHAT` each, and the lines of a mutant below, indented."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path}:{number}"
        if line.startswith(" ") and found:
            found[-1].rows.append((line.strip(), where))
        elif line and not line.startswith("#"):
            match = HEAD.match(line) or sys.exit(f"{where}: a mutant begins `ID {'|'.join(ROLES)} WHAT IT DOES WRONG`")
            found.append(case_of(match[1], "mutant", "", match[2], where))
            found[-1].summary = match[3]
    return found


def functions(cases, path):
    """A function for each mutant, and the table of them."""
    words, lines, rows = Words(path), ['#include "traffic-gen/tester/mutants/mutant.h"'], []
    for number, case in enumerate(cases):
        mutant = Mutant(case, words)
        lines += ["", f"/* {case.where.rpartition('/')[2]} */", f"static void mutant_{number}(struct scene *s)", "{", *(mutant.lines or ["    (void)s;"]), "}"]
        events = " | ".join(f"1 << {event}" for event in mutant.events)
        fields = [("id", literal(case.id)), ("roles", ROLES[case.scenario]), ("what", literal(case.summary)), ("events", events),
                  ("play", f"mutant_{number}"), ("setup", "{" + ", ".join(mutant.setup) + "}" if mutant.setup else "")]
        rows.append("    {" + ", ".join(f".{name} = {value}" for name, value in fields if value) + "},")
    return [*lines, "", "const struct misbehaviour mutants[] = {", *rows, "};", f"const unsigned mutant_count = {len(rows)};"]
