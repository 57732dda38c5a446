# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures merged into one, so that tshark starts once for all of them."""
import captures


class Many:
    """paths: captures by name; each capture's rows are those of its frames in the capture at `path`."""

    def __init__(self, wireshark, path, paths):
        parts, others = captures.merge(paths.items(), path)
        assert len(parts) == len(paths) and not others
        self.parts = {part.name: part for part in parts}
        self.wireshark, self.path, self.shown = wireshark, path, {}

    def has(self, name, frame):
        return self.parts[name].first <= frame <= self.parts[name].last

    def fields(self, name, names, *arguments):
        key = (tuple(names), arguments)
        if key not in self.shown:
            self.shown[key] = self.wireshark.fields(self.path, names, *arguments)
        return [row for row in self.shown[key] if self.has(name, row["frame"])]
