# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by all pytest tests. IWARP_BUILD names the build directory; default: the newest of build/*."""
import collections
import os
import pathlib
import re
import resource
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "rules"))


def build_folder():
    if "IWARP_BUILD" in os.environ:
        return pathlib.Path(os.environ["IWARP_BUILD"])
    built = sorted(ROOT.glob("build/*/conformance/iwarp-check"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.exit("nothing is built; run: cmake --preset debug && cmake --build build/debug", 2)
    return built[-1].parent.parent


@pytest.fixture(scope="session")
def build():
    return build_folder()


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def all_captures(build):
    """The folder with all generated captures; captures/generated has few of them."""
    from made_captures import made  # pylint: disable=import-outside-toplevel; test_total.py has this file in another tree

    return made(build)


@pytest.fixture(scope="session")
def check(build):
    """Runs iwarp-check; text in and out. stdout: a file that its output goes to."""
    def run(*arguments, stdout=subprocess.PIPE, **options):
        options.setdefault("timeout", 600)  # a process that has not ended by then hangs
        binary = isinstance(options.get("input"), bytes)
        if not binary and "input" not in options and "stdin" not in options:
            options["stdin"] = subprocess.DEVNULL
        result = subprocess.run([build / "conformance" / "iwarp-check", *map(str, arguments)], stdout=stdout,
                                stderr=subprocess.PIPE, check=False, **options)
        result.stdout = (result.stdout or b"").decode("utf-8")
        result.stderr = result.stderr.decode("utf-8")
        return result
    return run


@pytest.fixture(scope="session")
def catalogue():
    """The rows of the built-in rule tables, in catalogue order; `judged` without ids, `same` the equivalent rule (else itself),
    `with` the rules it is judged with."""
    from catalogue import read  # pylint: disable=import-outside-toplevel; test_total.py has this file in another tree

    rows = []
    for name in re.search(r"foreach\(layer (.*)\)", (ROOT / "rules" / "rules.cmake").read_text(encoding="utf-8"))[1].split():
        rows += read(ROOT / "rules" / f"{name}.tsv")
    for row in rows:
        kind, _, ids = row["judged"].partition(":")
        row["judged"] = kind.partition("+")[0]
        row["same"] = ids if kind == "same" else row["id"]
        row["with"] = ids.split(",") if kind.endswith("with") else []
    return rows


SPENT = collections.Counter()  # processor time in seconds, by file
WORTH_TELLING = 60


def spent():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    before = spent()
    yield
    SPENT[item.location[0]] += spent() - before


class Progress:
    """A line in the file that IWARP_PROGRESS names, for scripts/progress: the numbers of passed and failed tests, and the total."""
    path = os.environ.get("IWARP_PROGRESS")
    passed = failed = total = 0

    def count(self, report):
        self.passed += report.passed and report.when == "call"
        self.failed += report.failed
        if self.path and report.when == "teardown":
            pathlib.Path(self.path).write_text(f"{self.passed} {self.failed} {self.total}\n", encoding="ascii")


PROGRESS = Progress()


def pytest_collection_finish(session):
    PROGRESS.total = len(session.items)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    """pytest keeps three reports of each of 18,000 tests. For a passed test only the outcome is needed."""
    PROGRESS.count(report)
    if report.passed:
        report.keywords, report.sections = {}, []


def pytest_terminal_summary(terminalreporter):
    """Prints processor times of tests and their programs; --durations mostly shows waiting."""
    if SPENT.total() < WORTH_TELLING:
        return
    terminalreporter.section("processor time")
    for file, seconds in SPENT.most_common(10):
        terminalreporter.write_line(f"{seconds:8.1f} s {file}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    terminalreporter.write_line(f"{SPENT.total():8.1f} s of processor time; pytest had {most} MB at most")


def pytest_configure(config):
    config.addinivalue_line("markers", "all: takes long, or needs what only ./test --all installs; run with IWARP_ALL=1")


def pytest_collection_modifyitems(config, items):
    """Tests marked `all` only run in ./test --all, which sets IWARP_ALL."""
    if os.environ.get("IWARP_ALL") != "1":
        long = [item for item in items if item.get_closest_marker("all")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
