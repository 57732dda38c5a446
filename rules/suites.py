# SPDX-License-Identifier: GPL-2.0-or-later
"""
The cases of the suites (`case` in README.md) as C, a table for each suite. Functions of traffic-gen/tester/suite/cases/ judge the device;
its list, suite_words.def, has their words and the words of their values: one that is not there stops the build where it is written.
"""
import difflib
import re
import sys

from catalogue import literal, symbol

ROLES = {"both": "DUT_ANY", "responder": "DUT_RESPONDER", "initiator": "DUT_INITIATOR"}
NEEDS = ("echo", "receives", "regions", "rpc", "nfs", "enhanced", "peer-to-peer", "words", "wire", "alone")
SERVED = ("send", "read-response", "immediate", "atomic-response")
# Who may report the fault: layer/type/code; a Terminate of another layer could not have found it.
REASON = re.compile(r"[0-2]/([0-9a-f]+|\*)/([0-9a-f]+|\*)$")
REASONS = re.compile(r"Terminate [0-2]/([0-9a-f]+|\*)/([0-9a-f]+|\*)(?=$|[ ,])")
VERBS = ("expect", "judge")
LINES = ("pass", "ends", "refuses", "fail", "unclear", "skip")  # lines by which a case may judge
HEARD = ("found", "answer")  # {found} and {answer} in texts are replaced in a run
WHEN = "when"
CONDITIONS = (WHEN, "answer_when")
ASKED = ("WHEN_LATE", "WHEN_PLAIN", "WHEN_USUAL", "WHEN_REFUSES_MARKERS")  # each takes time, or another connection
BOTH = "rpc_answer"  # values and conditions
WORDS = ("part", "breaks", "also", "needs", "say", "served", "per version", "after", *VERBS, *LINES)
# The suites to which the rules of a case file may belong, and the part of a word that several of them share.
SUITES = {"mpa": ("mpa", "mpa2"), "ddp": ("ddp",), "rdmap": ("rdmap", "rdmapx")}
SUITES_RPC = ("rpcrdma", "nfs")
HOME = {"MPA": "mpa", "MPA2": "mpa2", "DDP": "ddp", "RDMAP": "rdmap", "SEC": "rdmap", "RDMAPX": "rdmapx", "NFSULB": "nfs"}
HOME_RPC = "rpcrdma-chunks"
INCLUDES = [f'#include "traffic-gen/tester/suite/cases/{name}.h"' for name in ("suite_mpa2", "suite_rpcrdma", "suite_words")]

MEMORY = re.compile(r"\bregion=|\b(?:fadd|cswap)\b")
# An entry of the list of words (suite_words.def), and what a word's values may be beside those of a set.
COMMENT = re.compile(r"[ \t]*/\*.*?\*/", re.DOTALL)
ENTRY = re.compile(r"^([A-Z]+)\((.*?)\)$", re.MULTILINE | re.DOTALL)
NUMBER, REASONS_OF = "number", "reasons"


def word_of(name):
    return name.lower().replace("_", "-")


class Word:
    """A word that a case may expect: its verb, the part of a suite (None: any), the function and what it takes, and the values by their words."""

    def __init__(self, verb, part, fields, values):
        self.verb, self.part = verb, part
        self.word, self.kind, self.function, *self.sets = fields
        self.values, self.conditions = {}, {}
        self.by_lines = any(name in CONDITIONS for name in self.sets)
        for name in self.sets:
            if name not in CONDITIONS:
                self.values |= values.get(name, {})
            if name in CONDITIONS or name == BOTH and self.by_lines:
                self.conditions |= values.get(name, {})


class Words:
    """All words of the list, and the parts with their suites, in order."""

    def __init__(self, path):
        self.parts, self.words, values, part = {}, {}, {}, None
        for macro, text in ENTRY.findall(COMMENT.sub("", path.read_text(encoding="utf-8"))):
            fields = [field.strip().strip('"') for field in text.split(",")]
            if macro == "PART":
                part = fields[0]
                self.parts[part] = fields[1]
            elif macro in ("VALUES", "NAMES"):
                names = [field.partition("=")[0].strip() for field in fields[1:]]
                values[fields[0]] = {word_of(name.removeprefix(fields[0].upper().removesuffix("_WHEN") + "_")): name for name in names}
            else:
                self.words[fields[0]] = Word(macro.lower(), part, fields, values)


def fail(case, text):
    sys.exit(f"{case.where}: {text}")


def unknown(case, what, word, allowed):
    """Names those that the writer may have meant first."""
    near = difflib.get_close_matches(word, allowed, 3, 0.5)
    meant = f"perhaps {' or '.join(near)}; " if near else ""
    fail(case, f"there is no {what} `{word}`; {meant}there are: {', '.join(sorted(allowed))}")


def word_for(case, words):
    """The expectation of the case: its word, the values, and the text."""
    verbs = [verb for verb in VERBS if verb in case.words]
    if len(verbs) != 1:
        fail(case, "a case has one line `expect WORD: WHAT THE DEVICE HAS TO DO`, or `judge WORD: ...` with a word of its own")
    said, colon, text = case.words[verbs[0]].partition(": ")
    name, *values = said.split() or [""]
    if not colon:
        fail(case, f"`{verbs[0]} {said}` lacks `: WHAT THE DEVICE HAS TO DO`")
    if name not in words.words:
        unknown(case, "word of suite_words.def", name, words.words)
    word = words.words[name]
    if word.verb != verbs[0]:
        fail(case, f"it is `{word.verb} {name}`")
    return word, values, text


def part_for(case, words, word, layer):
    """The part that the case names, else that of the word, else the main part of the rule's document."""
    suites = SUITES.get(layer, SUITES_RPC)
    here = [part for part, suite in words.parts.items() if suite in suites]
    part = case.words.get("part") or word.part or HOME.get(case.rule.split("-")[0], HOME_RPC)
    if part not in here:
        unknown(case, "part of these suites", part, here)
    return part


def judge_of(case, word):
    each = "per version" in case.words
    if word.kind == "talk" and each:
        fail(case, f"`per version` is for what judges RPC-over-RDMA; {word.word} judges a connection of its own")
    if word.kind == "talk":
        return [("run", word.function)]
    return [("run", "rpcrdma_each_version" if each else "rpcrdma_once"), ("on", word.function)]


def value_of(case, word, values):
    """The enumerators of the values; or one number, where the function takes a number."""
    if NUMBER in word.sets and len(values) == 1 and values[0].isdigit():
        return values[0]
    for value in values:
        if value not in word.values:
            unknown(case, f"value of {word.word}", value, [*word.values, *({NUMBER} & set(word.sets))] or ["none"])
    return " | ".join(word.values[value] for value in values)


def known(case, word, allowed):
    for item in case.items(word):
        if item not in allowed:
            fail(case, f"`{word}` does not know {item}; there are: {', '.join(allowed)}")
    return case.items(word)


def needs_of(case, judge):
    """The demands that the case states, and those that follow from its statements."""
    needs = known(case, "needs", NEEDS)
    if MEMORY.search(case.words.get("say", "")):
        needs = [*needs, "regions"]
    if judge[-1][0] == "on" and not {"rpc", "nfs"} & set(needs):
        needs = [*needs, "nfs" if "per version" in case.words else "rpc"]
    return symbols("NEED_", dict.fromkeys(needs))


def symbols(prefix, words):
    return " | ".join(prefix + word.upper().replace("-", "_") for word in words)


def conditions_of(case, word, text):
    """The conditions of one alternative: those that must hold, and those that must not; at most one layer/type/code of a Terminate in each."""
    sets, reasons = {True: [], False: []}, {}
    for name in text.split():
        condition = name.removeprefix("!")
        if REASON.match(condition) and WHEN in word.sets:
            reasons["reason" if name == condition else "no_reason"] = literal(condition)
        elif condition not in word.conditions:
            unknown(case, f"condition of {word.word}", condition, word.conditions or ["none"])
        else:
            sets[name == condition].append(word.conditions[condition])
    asked = [name for names in sets.values() for name in names if name in ASKED]
    if len(asked) > 1:
        fail(case, f"one alternative asks for one of {', '.join((word_of(name.removeprefix('WHEN_')) for name in asked))}")
    return [("when", " | ".join(sets[True])), ("unless", " | ".join(sets[False])), *reasons.items()]


def verdicts_of(case, word):
    """The lines `pass CONDITION ...[, CONDITION ...]: TEXT` and so on; a line without a text reports what was found."""
    verdicts, always = [], None
    for kind, line in case.verdicts:
        conditions, _, text = line.partition(":")
        if not word.by_lines or kind == "refuses" and WHEN not in word.sets:
            fail(case, f"{word.word} has no line `{kind}`")
        for one in conditions.split(","):
            if always:
                fail(case, f"`{kind} {line}` is never tried: `{always}` before it always holds")
            always = None if one.strip() else kind
            fields = [("kind", f"VERDICT_{kind.upper()}"), *conditions_of(case, word, one), ("text", literal(text.strip() or "{found}"))]
            verdicts.append("{" + ", ".join(f".{name} = {value}" for name, value in fields if value) + "}, ")
    if WHEN in word.sets and not always:
        fail(case, f"the last line of {word.word} must have no condition, so that each reaction has a verdict")
    return "(const struct suite_verdict[]){" + "".join(verdicts) + "{.text = NULL}}" if verdicts else None


def row(case, word, values, expects):
    if REASONS_OF in word.sets and not REASONS.match(expects):
        fail(case, f"{word.word} goes by what the Terminate says: `Terminate LAYER/TYPE/CODE` (RFC 5040 section 4.8), */* for more "
                   "than one type and code, and `, or a close`")
    suffix, judge = case.id[len(case.rule) + 1:], judge_of(case, word)
    fields = [("rule", symbol(case.rule)), ("suffix", literal(suffix) if suffix else None), ("duts", ROLES[case.scenario]),
              ("needs", needs_of(case, judge)), *judge, ("stimulus", literal(case.summary)), ("expected", literal(expects)),
              ("says", literal(case.words["say"]) if "say" in case.words else None),
              ("served", symbols("RDMAP_", known(case, "served", SERVED))), ("variant", value_of(case, word, values)),
              ("verdicts", verdicts_of(case, word))]
    text = ", ".join(f".{name} = {value}" for name, value in fields if value)
    return f"    /* {case.where.rpartition('/')[2]} */\n    {{{text}}},"


def in_order(cases):
    """As the files have them; but those with `after` follow the case that it names."""
    known = {case.id for case in cases}
    followers = {}
    for case in cases:
        before = case.words.get("after")
        if before is not None and before not in known:
            unknown(case, "case in the same part to be", f"after {before}", [f"after {name}" for name in known])
        followers.setdefault(before, []).append(case)

    def follow(before):
        for case in followers.get(before, []):
            yield case
            yield from follow(case.id)

    order = list(follow(None))
    for case in cases:
        if case not in order:
            fail(case, f"{case.id} is to be after {case.words['after']}, which is to be after it")
    return order


def tables(cases, rows, path):
    """The suites as C, each with the rows of its parts."""
    words = Words(path)
    parts = {part: [] for part in words.parts}
    for case in cases:
        if case.kind == "case":
            judged = word_for(case, words)
            parts[part_for(case, words, judged[0], rows[case.rule]["layer"])].append((case, judged))
    suites = {suite: [] for suite in words.parts.values()}
    for part, here in parts.items():
        judged = dict(here)
        suites[words.parts[part]] += [row(case, *judged[case]) for case in in_order(judged)]
    lines = list(INCLUDES)
    for name, here in suites.items():
        lines += ["", f"static const struct suite_case cases_{name}[] = {{", *here, "};",
                  f'static const struct suite suite_{name} = {{"{name}", cases_{name}, G_N_ELEMENTS(cases_{name})}};']
    return [*lines, "", "const struct suite *const suites[] = {" + "".join(f"&suite_{name}, " for name in suites) + "NULL};"]
