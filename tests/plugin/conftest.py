# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures, and tshark with the plugins of the build tree, for all tests of the plugins."""
import shutil
import subprocess

import pytest

import merge
from cases import names, real
from reports import each
from shark import Wireshark


@pytest.fixture(scope="session")
def wireshark(build):
    if not shutil.which("tshark"):
        pytest.skip("no tshark")
    if not list((build / "plugins").glob("run/*/epan/iwarp.so")):
        pytest.skip("built without plugins")
    shark = Wireshark(build)
    yield shark
    shutil.rmtree(shark.folder)


def pytest_configure(config):
    config.addinivalue_line("markers", "conforming: of the cases only those that no fault is in")
    config.addinivalue_line("markers", "without(case, ...): none of these")


def pytest_generate_tests(metafunc):
    if "case" not in metafunc.fixturenames:
        return
    cases = names()
    if metafunc.definition.get_closest_marker("conforming"):
        cases = [case for case in cases if not case.startswith("fault")]
    for mark in metafunc.definition.iter_markers("without"):
        assert set(mark.args) <= set(cases)
        cases = [case for case in cases if case not in mark.args]
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
    """All cases in one capture, except those that cannot be merged."""

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
        """Like Wireshark.fields(), for one case."""
        key = (self.path(case), *fields, *arguments)
        if key not in self.shown:
            self.shown[key] = self.wireshark.keep_fields(self.folder / f"shown-{len(self.shown)}", self.path(case), fields, *arguments)
        return self.shown[key].between(*self.frames(case))

    def connections(self, case, check):
        """Connections in iwarp-check's JSON report, for one case: counts and findings."""
        path = self.path(case)
        if path not in self.said:
            self.said[path] = list(self._read(path, check))
        first, last = self.frames(case)
        return [one for one in self.said[path] if first <= one["start_frame"] <= last]

    def _read(self, path, check):
        report = self.folder / "report.json"
        with report.open("wb") as file:
            result = check("--format=ndjson", "--verbose", path, stdout=file)
        assert result.returncode in (0, 1, 3), result.stderr
        with report.open(encoding="utf-8") as file:
            for one in each(file, "connections"):
                yield {name: one[name] for name in ("start_frame", "counts", "findings")}


@pytest.fixture(scope="session")
def everything(request, wireshark, generated, tmp_path_factory):
    """The selected cases: with -k these are few."""
    users = [item for item in request.session.items if "everything" in item.fixturenames]
    cases = {item.callspec.params.get("case") if hasattr(item, "callspec") else None for item in users}
    return Everything(wireshark, generated, tmp_path_factory.mktemp("merged"), set(names()) if None in cases else cases)
