# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares frame by frame the fields of pairs.tsv in the plugins and in Wireshark's own dissectors."""
import collections
import csv
import functools
import itertools
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
BOTH = ["-o", "tcp.reassemble_out_of_order:TRUE"]
# Wireshark's own dissectors run when the plugins claim nothing: neither MPA nor RPC-over-RDMA on InfiniBand.
BUILTIN = ["--disable-heuristic", "mpa_tcp", "--disable-protocol", "mpa", "--disable-protocol", "rddp",
           "--disable-protocol", "rpcrdma", "-o", "rpcrdma.infiniband:FALSE", "--disable-protocol", "rdma_ulp"]
SEPARATOR, AGGREGATOR = "\x1e", "\x1f"

Pair = collections.namedtuple("Pair", "layer ours theirs how")  # theirs: names, of which a message has one
Difference = collections.namedtuple("Difference", "frame pair ours theirs")


def known_fields(wanted):
    """The fields that this release of Wireshark has. All its fields are 30 MB."""
    with subprocess.Popen(["tshark", "-G", "fields"], stdout=subprocess.PIPE, text=True) as tshark:
        names = (line.split("\t", 3)[2] for line in tshark.stdout if line.startswith("F\t"))
        found = {name for name in names if name in wanted}
    assert tshark.returncode == 0
    return found


@functools.cache
def pairs():
    with (HERE / "pairs.tsv").open(encoding="utf-8") as file:
        rows = [Pair(row["layer"], row["ours"], tuple(row["theirs"].split(",")), row["how"])
                for row in csv.DictReader(file, delimiter="\t")]
    known = known_fields({row.theirs[0] for row in rows})
    return [row for row in rows if row.theirs[0] in known]


def number(text):
    return {"True": 1, "False": 0}[text] if text in ("True", "False") else int(text, 0)


def octets(text):
    return "" if text == "<MISSING>" else text.replace(":", "")  # of no octets


def as_hex(text):
    return int(octets(text), 16)


def swapped(text):
    return int.from_bytes(number(text).to_bytes(4, "little"), "big")


# The types of values, field by field; ours are numbers, or octets.
READ = {"number": [number], "octets": [octets], "hex": [as_hex], "crc": [number, swapped]}


def values(pair, row, theirs):
    how = READ[pair.how] if theirs else [octets if pair.how == "octets" else number]
    found = []
    for name, read in zip(pair.theirs if theirs else (pair.ours,), itertools.cycle(how)):
        if row[name]:
            found += map(read, row[name].split(AGGREGATOR))
    return found


def names(chosen):
    ours = dict.fromkeys(["frame.number", *(pair.ours for pair in chosen)])
    theirs = dict.fromkeys(["frame.number", "_ws.malformed", *(name for pair in chosen for name in pair.theirs)])
    return list(ours), list(theirs)


class Row(dict):
    """The fields that a frame has: a few of some ninety."""

    def __missing__(self, name):
        return ""


def rows(shark, capture, fields, *options):
    chosen = [item for name in fields for item in ("-e", name)]
    out = shark.tshark(capture, *BOTH, *options, "-T", "fields", "-E", f"separator={SEPARATOR}", "-E", f"aggregator={AGGREGATOR}", *chosen)
    return [Row((name, value) for name, value in zip(fields, line.split(SEPARATOR)) if value) for line in out.split("\n") if line]


class Shown:
    """A capture in both views."""

    def __init__(self, shark, capture):
        self.pairs = pairs()
        ours, theirs = names(self.pairs)
        self.ours = rows(shark, capture, ours)
        self.theirs = rows(shark, capture, theirs, *BUILTIN)
        assert [row["frame.number"] for row in self.ours] == [row["frame.number"] for row in self.theirs]

    def differences(self):
        """The differences in every frame; `same` counts equal pairs."""
        self.same = collections.Counter()
        for number_, (ours, theirs) in enumerate(zip(self.ours, self.theirs), 1):
            for pair in self.pairs:
                one, two = values(pair, ours, False), values(pair, theirs, True)
                if one == two:
                    self.same[pair.ours] += len(one)
                else:
                    yield Difference(number_, pair, one, two)
