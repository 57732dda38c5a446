# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark and sharkd with the plugins of the build tree.

As root they only load installed plugins, so they run as an unprivileged user (65534), who may not be able to read the source
tree: plugins and captures are copied to a readable directory."""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import rows

USER = 65534
# Vendors of addresses and dictionaries of other protocols: without them a start takes two thirds of the processor time.
UNREAD = {"manuf", "enterprises.tsv", "radius", "diameter", "dtds", "tpncp", "wimaxasncp"}


class Wireshark:
    """tshark and sharkd with our plugins, run in their own directory."""

    patience = 300  # seconds

    def __init__(self, build):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-plugin-"))
        self.folder.chmod(0o755)
        home = self.folder / "home"
        home.mkdir(mode=0o755)
        shutil.copytree(build / "plugins" / "run", self.folder / "plugins")
        for path in (self.folder / "plugins").rglob("*"):
            path.chmod(0o755)
        self.copies = {}
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                            "WIRESHARK_PLUGIN_DIR": str(self.folder / "plugins")}
        plugin = next((self.folder / "plugins").rglob("iwarp.so"))
        needed = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=False).stdout # other architectures have no ldd here
        sanitizer = re.search(r"=> (\S*libasan\S*)", needed)
        if sanitizer:  # the sanitizer's runtime must come first
            self.environment |= {"LD_PRELOAD": sanitizer[1], "UBSAN_OPTIONS": "halt_on_error=1",
                                 "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0"}
        self.prefix = []
        if os.getuid() == 0:
            shutil.chown(home, USER, USER)
            self.prefix = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        self.use_less_data()

    def use_less_data(self):
        """Wireshark's data without UNREAD; all data if its place is unknown, or is none, as Wireshark is not installed."""
        whole = re.search(r"^Global configuration:\s+(/.+)$", self.run("tshark", "-G", "folders").stdout, re.M)
        if not whole or not pathlib.Path(whole[1]).is_dir():
            return
        data = self.folder / "data"
        data.mkdir(mode=0o755)
        for path in pathlib.Path(whole[1]).iterdir():
            if path.name not in UNREAD:
                (data / path.name).symlink_to(path)
        self.environment["WIRESHARK_DATA_DIR"] = str(data)

    def readable(self, capture):
        """The capture, or a copy of it that the unprivileged user can read."""
        if capture not in self.copies:
            copy = self.folder / f"{len(self.copies)}-{pathlib.Path(capture).name}"
            shutil.copyfile(capture, copy)
            copy.chmod(0o644)
            self.copies[capture] = copy
        return self.copies[capture]

    def forget(self, capture):
        """The file is gone, or will be replaced."""
        if capture in self.copies:
            self.copies.pop(capture).unlink()

    def run(self, program, *arguments, stdout=subprocess.PIPE, **options):
        result = subprocess.run([*self.prefix, "env", *(f"{k}={v}" for k, v in self.environment.items()), program,
                                 *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                                timeout=self.patience, check=False, **options)
        assert "Couldn't load plugin" not in result.stderr, result.stderr
        assert "Sanitizer" not in result.stderr and "runtime error" not in result.stderr, result.stderr
        return result

    def tshark(self, capture, *arguments, **options):
        result = self.run("tshark", "-r", self.readable(capture), *arguments, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def search(self, pattern, capture, *arguments):
        """tshark's result, and the matching lines of its output, which may be many times the capture."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as file:
            result = self.run("tshark", "-r", self.readable(capture), *arguments, stdout=file, errors="backslashreplace")
            file.seek(0)
            return result, [line for line in itertools.chain(file, result.stderr.splitlines()) if pattern.search(line)]

    def registered(self, what):
        """The rows of `tshark -G what` in turn: those of fields are 30 MB."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            self.run("tshark", "-G", what, stdout=file)
            file.seek(0)
            for line in file:
                yield line.rstrip("\n").split("\t")

    def fields(self, capture, names, *arguments):
        """The rows of the frames that the display filter passes."""
        return [rows.row(line, names) for line in self.tshark(capture, *arguments, *rows.options(names)).split("\n") if line]

    def keep_fields(self, path, capture, names, *arguments):
        """Like fields(), kept in a file of that path."""
        with path.open("wb") as file:
            self.tshark(capture, *arguments, *rows.options(names), stdout=file)
        return rows.Kept(path, names)

    def sharkd(self, capture, requests, take=lambda result: result):
        """Answers to the requests (method, parameters), with the capture loaded. take: the part of each to keep."""
        calls = [("load", {"file": str(self.readable(capture))}), *requests]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i + 1, "method": method, "params": parameters}) + "\n"
                       for i, (method, parameters) in enumerate(calls))
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            self.run("sharkd", "-", input=text, stdout=file)
            file.seek(0)
            answers = (json.loads(line) for line in file if line.startswith("{"))
            loaded = next(answers, None)
            kept = [take(answer["result"]) for answer in answers]
        assert loaded and len(kept) == len(requests), (loaded, kept[-1:])
        return kept
