# SPDX-License-Identifier: GPL-2.0-or-later
"""
Runs tshark and sharkd with the plugins of the build tree.

As root they load installed plugins only, so they run as an unprivileged user (65534), who may not be able to read the source tree:
plugins and captures are copied to a folder that he can read.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import merge
import rows
from cases import names, real
from reports import each

USER = 65534


class Wireshark:
    """tshark and sharkd with our plugins, run in a folder of their own."""

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
        plugin = next((self.folder / "plugins").rglob("mpa.so"))
        needed = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=False).stdout # no ldd for other architectures
        sanitizer = re.search(r"=> (\S*libasan\S*)", needed)
        if sanitizer:  # the runtime must come first
            self.environment |= {"LD_PRELOAD": sanitizer[1], "UBSAN_OPTIONS": "halt_on_error=1",
                                 "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0"}
        self.prefix = []
        if os.getuid() == 0:
            shutil.chown(home, USER, USER)
            self.prefix = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]

    def readable(self, capture):
        """The capture, or a copy of it, where the unprivileged user can read it."""
        if capture not in self.copies:
            copy = self.folder / f"{len(self.copies)}-{pathlib.Path(capture).name}"
            shutil.copyfile(capture, copy)
            copy.chmod(0o644)
            self.copies[capture] = copy
        return self.copies[capture]

    def run(self, program, *arguments, stdout=subprocess.PIPE, **options):
        result = subprocess.run([*self.prefix, "env", *(f"{k}={v}" for k, v in self.environment.items()), program,
                                 *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=300,
                                check=False, **options)
        assert "Couldn't load plugin" not in result.stderr, result.stderr
        assert "Sanitizer" not in result.stderr and "runtime error" not in result.stderr, result.stderr
        return result

    def tshark(self, capture, *arguments, **options):
        result = self.run("tshark", "-r", self.readable(capture), *arguments, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def fields(self, capture, names, *arguments):
        """The rows of the frames that the display filter passes."""
        return [rows.row(line, names) for line in self.tshark(capture, *arguments, *rows.options(names)).split("\n") if line]

    def keep_fields(self, path, capture, names, *arguments):
        """As fields(), kept in a file of that path."""
        with path.open("wb") as file:
            self.tshark(capture, *arguments, *rows.options(names), stdout=file)
        return rows.Kept(path, names)

    def sharkd(self, capture, requests):
        """Answers to the requests (method, parameters), the capture being loaded."""
        calls = [("load", {"file": str(self.readable(capture))}), *requests]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i + 1, "method": method, "params": parameters}) + "\n"
                       for i, (method, parameters) in enumerate(calls))
        out = self.run("sharkd", "-", input=text).stdout
        answers = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        assert len(answers) == len(calls), out[-500:]
        return [answer["result"] for answer in answers[1:]]


@pytest.fixture(scope="session")
def wireshark(build):
    if not shutil.which("tshark"):
        pytest.skip("no tshark")
    if not list((build / "plugins").glob("run/*/epan/mpa.so")):
        pytest.skip("built without plugins")
    shark = Wireshark(build)
    yield shark
    shutil.rmtree(shark.folder)


def pytest_configure(config):
    config.addinivalue_line("markers", "conforming: of the cases only those that no fault is in")


def pytest_generate_tests(metafunc):
    if "case" not in metafunc.fixturenames:
        return
    cases = names()
    if metafunc.definition.get_closest_marker("conforming"):
        cases = [case for case in cases if not case.startswith("fault")]
    metafunc.parametrize("case", cases)


@pytest.fixture(scope="session")
def generated(build, tmp_path_factory):
    """Captures from iwarp-gen, made once: generated(scenario, option...) gives the path."""
    made = {}
    folder = tmp_path_factory.mktemp("generated")

    def make(scenario, *options):
        key = (scenario, *options)
        if key not in made:
            path = folder / f"{len(made)}-{scenario}.pcapng"
            subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, "-o", path, *options],
                           check=True, capture_output=True, timeout=120)
            made[key] = path
        return made[key]
    return make


class Everything:
    """All cases in one capture, except those that cannot be merged: these stay alone."""

    def __init__(self, wireshark, generated, folder, wanted):
        self.wireshark = wireshark
        known = real()
        self.paths = {name: known[name][0] if arguments is None else generated(*arguments, "--pcap")
                      for name, arguments in names().items() if name in wanted}
        self.fpdus = {name: known[name][1] for name in known}
        self.folder, self.merged = folder, folder / "everything.pcap"
        self.parts = {part.name: part for part in merge.merge(self.paths.items(), self.merged, in_turn=True)}
        self.shown, self.said = {}, {}

    def path(self, case):
        return self.merged if case in self.parts else self.paths[case]

    def frames(self, case):
        """The first and the last in the capture that path() gives."""
        return self.parts[case][1:] if case in self.parts else (0, float("inf"))

    def fields(self, case, fields, *arguments):
        """As Wireshark.fields(), of one case."""
        key = (self.path(case), *fields, *arguments)
        if key not in self.shown:
            self.shown[key] = self.wireshark.keep_fields(self.folder / f"shown-{len(self.shown)}", self.path(case), fields, *arguments)
        return self.shown[key].between(*self.frames(case))

    def connections(self, case, check):
        """Connections of iwarp-check's JSON report, of one case: counts and findings."""
        path = self.path(case)
        if path not in self.said:
            self.said[path] = list(self._read(path, check))
        first, last = self.frames(case)
        return [one for one in self.said[path] if first <= one["start_frame"] <= last]

    def _read(self, path, check):
        report = self.folder / "report.json"
        with report.open("wb") as file:
            result = check("--format=json", "--verbose", path, stdout=file)
        assert result.returncode in (0, 1, 3), result.stderr
        with report.open(encoding="utf-8") as file:
            for one in each(file, "connections"):
                yield {name: one[name] for name in ("start_frame", "counts", "findings")}


@pytest.fixture(scope="session")
def everything(request, wireshark, generated, tmp_path_factory):
    """Of what was chosen: with -k that is little."""
    users = [item for item in request.session.items if "everything" in item.fixturenames]
    cases = {item.callspec.params.get("case") if hasattr(item, "callspec") else None for item in users}
    return Everything(wireshark, generated, tmp_path_factory.mktemp("merged"), set(names()) if None in cases else cases)
