# SPDX-License-Identifier: GPL-2.0-or-later
"""Differences in the output of supported Wireshark releases: the only place in the tests that knows versions."""
import functools
import re
import subprocess


@functools.cache
def release():
    """(4, 0), (4, 4), ...: of the installed tshark."""
    said = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.match(r"TShark \(Wireshark\) (\d+)\.(\d+)", said).groups()))


def value(text):
    """Booleans are 1 and 0 in -T fields until 4.2, True and False later."""
    return {"True": "1", "False": "0"}.get(text, text)


# Fields of the built-in dissector whose meaning changed in a release: (field, since, why).
BUILTIN_DIFFERS = [
    ("iwarp_mpa.pdlength", (4, 6), "what is left of the private data after the four octets of RFC 6581"),
]


# Fields that the built-in dissector has since a release, with ours.
BUILTIN_SINCE = {
    "iwarp_mpa.enhanced_flag": ("mpa.flags.s", (4, 6)),
    "iwarp_mpa.enhanced.a": ("mpa.enhanced.a", (4, 6)),
    "iwarp_mpa.enhanced.b": ("mpa.enhanced.b", (4, 6)),
    "iwarp_mpa.enhanced.ird": ("mpa.ird", (4, 6)),
    "iwarp_mpa.enhanced.c": ("mpa.enhanced.c", (4, 6)),
    "iwarp_mpa.enhanced.D": ("mpa.enhanced.d", (4, 6)),
    "iwarp_mpa.enhanced.ord": ("mpa.ord", (4, 6)),
}


def builtin_newer():
    """{field of the built-in dissector: ours} of those above that this release has."""
    return {theirs: ours for theirs, (ours, since) in BUILTIN_SINCE.items() if release() >= since}


def builtin_differs(field):
    return any(name == field and release() >= since for name, since, _ in BUILTIN_DIFFERS)


UNITS = {"seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}


def tree(text):
    """A tree as printed by -V, without differences between releases: relative times in one unit (4.6 chooses one), and cuts of
    long octet strings (4.2 and later also mark them after the name)."""
    text = re.sub(r"(\d+\.\d+) (seconds|milliseconds|microseconds|nanoseconds)\b",
                  lambda m: f"{float(m[1]) * UNITS[m[2]]:.9f} seconds", text)
    text = text.replace(" […]:", ":")
    return re.sub(r"\b([0-9a-f]{72})[0-9a-f]*…?", r"\1…", text)


NEWEST = (4, 6)


def as_newest(text):
    """Lines of an earlier release in the newest form: without the note on segments, another word for unknown fields."""
    text = text.replace(" [TCP segment of a reassembled PDU]", "")
    return re.sub(r'Left side of "==" expression must be a field or function, not (\S+)\.$',
                  r'"\1" is not a valid protocol or protocol field.', text, flags=re.M)
