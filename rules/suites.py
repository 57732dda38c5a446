# SPDX-License-Identifier: GPL-2.0-or-later
"""
The cases of the suites (`case` in README.md) as C: for each room of traffic-gen/suite/cases/ that has a suite, or a part
of one, the rows of its table. What judges a device are functions of these rooms, and what `value` names are their
enumerators; both are read from the C itself, so that a word which is not there stops the build where it is written.
"""
import difflib
import re
import sys

from catalogue import literal, symbol, write_if_different

ROLES = {"both": "DUT_ANY", "responder": "DUT_RESPONDER", "initiator": "DUT_INITIATOR"}
NEEDS = ("echo", "receives", "regions", "rpc", "nfs", "enhanced", "peer-to-peer", "words", "wire", "alone")
SERVED = ("send", "read-response", "immediate", "atomic-response")
# Who may report the fault: layer/type/code; a Terminate of another layer could not have found it.
REASONS = re.compile(r"Terminate [0-2]/([0-9a-f]+|\*)/([0-9a-f]+|\*)(?=$|[ ,])")
NAMES_REASONS = ("refused", "refused-with-code", "operation-refused", "operation-refused-with-code", "not-served", "invalidated", "terminates",
                 "short-in-parts", "one-too-many", "invalid-response")
WORDS = ("part", "breaks", "also", "needs", "say", "value", "served", "per version", "after", "expects")
# The suites to which the rules of a case file may belong, and the room of a judge that several of them share.
SUITES = {"mpa": ("mpa", "mpa2"), "ddp": ("ddp",), "rdmap": ("rdmap", "rdmapx")}
SUITES_RPC = ("rpcrdma", "nfs")
HOME = {"MPA": "mpa", "MPA2": "mpa2", "DDP": "ddp", "RDMAP": "rdmap", "SEC": "rdmap", "RDMAPX": "rdmapx", "NFSULB": "nfs"}
HOME_RPC = "rpcrdma-chunks"
HEAD = ("// SPDX-License-Identifier: GPL-2.0-or-later", "/* Generated from rules/; do not edit. */")

FUNCTION = re.compile(r"^(?:static )?void (\w+)\(struct (talk|rpc_talker) \*\w+,\s+const struct suite_case \*\w+\)", re.MULTILINE)
ENUM = re.compile(r"^(?:static const )?enum (?:\w+ )?\{(.*?)\}", re.MULTILINE | re.DOTALL)
SUITE = re.compile(r'^const struct suite (\w+) = \{"(\w+)"', re.MULTILINE)
MEMORY = re.compile(r"\bregion=|\b(?:fadd|cswap)\b")
SHARED = ("row_", "calls_")  # how the functions begin that headers offer to several rooms


def word_of(name):
    return name.lower().replace("_", "-")


def enumerators(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return {word_of(name): name for body in ENUM.findall(text) for name in re.findall(r"(?:^|,)\s*([A-Z]\w*)", body)}


class Room:
    """A file of cases: its suite, its judges and those that its headers offer, and its enumerators, by their words."""

    def __init__(self, path, headers):
        text = path.read_text(encoding="utf-8")
        self.name = word_of(path.stem.removeprefix("suite_"))
        self.file = path.stem + ".inc"
        self.suite = SUITE.search(text)[2]
        self.own = {word_of(name): (name, kind) for name, kind in FUNCTION.findall(text)}
        self.shared, self.values = {}, enumerators(text)
        for header in self.included(text, headers):
            self.values |= enumerators(header)
            for name, kind in FUNCTION.findall(header):
                if name.startswith(SHARED):
                    self.shared[word_of(name.removeprefix("row_"))] = (name, kind)

    def included(self, text, headers):
        """The headers of the same folder, and what they include of it."""
        for name in re.findall(r'^#include "[\w/-]*?(suite_\w+\.h)"', text, re.MULTILINE):
            if name in headers:
                yield headers[name]
                yield from self.included(headers[name], headers)

    def judge(self, word):
        return self.own.get(word) or self.shared.get(word)


def rooms_of(paths):
    headers = {path.name: path.read_text(encoding="utf-8") for path in paths if path.suffix == ".h"}
    sources = [path for path in paths if path.suffix == ".c" and SUITE.search(path.read_text(encoding="utf-8"))]
    return {room.name: room for room in (Room(path, headers) for path in sources)}


def fail(case, text):
    sys.exit(f"{case.where}: {text}")


def unknown(case, what, word, allowed):
    """Names those that the writer may have meant first."""
    near = difflib.get_close_matches(word, allowed, 3, 0.5)
    meant = f"perhaps {' or '.join(near)}; " if near else ""
    fail(case, f"there is no {what} `{word}`; {meant}there are: {', '.join(sorted(allowed))}")


def room_for(case, rooms, layer):
    """That of `part`, of the judge, or the main one of the rule's document."""
    suites = SUITES.get(layer, SUITES_RPC)
    here = {name: room for name, room in rooms.items() if room.suite in suites}
    home = HOME.get(case.rule.split("-")[0], HOME_RPC)
    if "part" in case.words:
        part = case.words["part"]
        return here[part] if part in here else unknown(case, "part of these suites", part, here)
    own = [room for room in here.values() if case.judge in room.own]
    if len(own) > 1:
        fail(case, f"{case.judge} is in several parts: say `part NAME`, of {', '.join(room.name for room in own)}")
    return own[0] if own else here[home]


def judge_of(case, room):
    judge = room.judge(case.judge)
    if not judge:
        unknown(case, f"function of {room.name} that judges by the word", case.judge, {**room.own, **room.shared})
    name, kind = judge
    each = "per version" in case.words
    if kind == "talk" and each:
        fail(case, f"`per version` is for what judges RPC-over-RDMA; {case.judge} judges a connection of its own")
    if kind == "talk":
        return [("run", name)]
    return [("run", "rpcrdma_each_version" if each else "rpcrdma_once"), ("on", name)]


def value_of(case, room):
    """Words of the room's enumerators, or one number where the judge reckons with it."""
    words = case.items("value")
    if len(words) == 1 and re.match(r"[0-9]+$", words[0]):
        number = int(words[0])
        return str(number - (1 << 32) if number >= 1 << 31 else number)
    for word in words:
        if word not in room.values:
            unknown(case, f"value of {room.name}", word, room.values)
    return " | ".join(room.values[word] for word in words)


def known(case, word, allowed):
    for item in case.items(word):
        if item not in allowed:
            fail(case, f"`{word}` does not know {item}; there are: {', '.join(allowed)}")
    return case.items(word)


def needs_of(case, judge):
    """What the case says, and what cannot be otherwise."""
    needs = known(case, "needs", NEEDS)
    if MEMORY.search(case.words.get("say", "")):
        needs = [*needs, "regions"]
    if judge[-1][0] == "on" and not {"rpc", "nfs"} & set(needs):
        needs = [*needs, "nfs" if "per version" in case.words else "rpc"]
    return symbols("NEED_", dict.fromkeys(needs))


def symbols(prefix, words):
    return " | ".join(prefix + word.upper().replace("-", "_") for word in words)


def row(case, room):
    if "expects" not in case.words:
        fail(case, "a case has a line `expects WHAT THE DEVICE HAS TO DO`")
    if case.judge in NAMES_REASONS and not REASONS.match(case.words["expects"]):
        fail(case, f"{case.judge} goes by what the Terminate says: `expects Terminate LAYER/TYPE/CODE` (RFC 5040 section 4.8), */* for more "
                   "than one type and code, and `, or a close`")
    suffix, judge = case.id[len(case.rule) + 1:], judge_of(case, room)
    fields = [("rule", symbol(case.rule)), ("suffix", literal(suffix) if suffix else None), ("duts", ROLES[case.scenario]),
              ("needs", needs_of(case, judge)), *judge, ("stimulus", literal(case.summary)), ("expected", literal(case.words["expects"])),
              ("says", literal(case.words["say"]) if "say" in case.words else None),
              ("served", symbols("RDMAP_", known(case, "served", SERVED))), ("variant", value_of(case, room))]
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


def write(folder, cases, rows, paths):
    """FOLDER/ROOM.inc for each room: the rows of its table."""
    rooms = rooms_of(paths)
    table = {name: [] for name in rooms}
    for case in cases:
        if case.kind == "case":
            table[room_for(case, rooms, rows[case.rule]["layer"]).name].append(case)
    folder.mkdir(parents=True, exist_ok=True)
    for name, room in rooms.items():
        lines = [*HEAD, *(row(case, room) for case in in_order(table[name]))]
        write_if_different(folder / room.file, "\n".join(lines) + "\n")
