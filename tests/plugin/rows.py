# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark's output for frames with -T fields: {field: [value, ...]} for each frame, with "frame" its number."""
import array
import bisect

import versions

SEPARATOR, AGGREGATOR = "\x1e", "\x1f"


def options(names):
    chosen = [item for name in ["frame.number", *names] for item in ("-e", name)]
    return ["-T", "fields", "-E", f"separator={SEPARATOR}", "-E", f"aggregator={AGGREGATOR}", *chosen]


def row(line, names):
    number, *values = line.rstrip("\n").split(SEPARATOR)
    return {"frame": int(number)} | {name: list(map(versions.value, value.split(AGGREGATOR))) if value else []
                                     for name, value in zip(names, values)}


class Kept:
    """The rows of a capture in the file written by tshark, with the beginning of each. As objects the rows of the merged capture
    would fill gigabytes, and each case needs only its own few."""

    def __init__(self, path, names):
        self.path, self.names = path, list(names)
        self.frames, self.offsets = array.array("L"), array.array("Q")
        offset = 0
        with path.open("rb") as file:
            for line in file:
                if line.rstrip(b"\n"):
                    self.frames.append(int(line.partition(SEPARATOR.encode())[0]))
                    self.offsets.append(offset)
                offset += len(line)

    def between(self, first=0, last=float("inf")):
        begin, end = bisect.bisect_left(self.frames, first), bisect.bisect_right(self.frames, last)
        if begin == end:
            return []
        with self.path.open("rb") as file:
            file.seek(self.offsets[begin])
            return [row(file.readline().decode(), self.names) for _ in range(begin, end)]
