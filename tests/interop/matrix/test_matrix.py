# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells, results and the page of the matrix, without guests; and the cells that need none."""
import copy
import json
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "guests")]
import cells  # noqa: E402
import guests  # noqa: E402
import page  # noqa: E402
import run  # noqa: E402

GOOD = {"cell": "linux-7.2+linux-6.1+rxe+nfs4.1", "key": {"operations": "x", "client": "7.2.1", "server": "6.1.1"}, "run": "2026-01-01",
        "seconds": 9, "operations": {"mount": {"outcome": "ok", "why": ""}, "locks": {"outcome": "none", "why": "x"}}, "kernel": {},
        "judged": {"verdict": "pass", "findings": {}, "rules_exercised": 200, "connections": 1, "explained_by": None}, "capture_octets": 9}
FINDING = {"severity": "error", "section": "4.1", "document": "RFC 8797", "frame": 7, "message": "expected <this>", "times": 3}


def with_(**parts):
    return {**copy.deepcopy(GOOD), **parts}


def test_cells():
    names = [cell.name for cell in cells.possible()]
    assert len(names) == len(set(names)) >= 100
    assert "iwarp-gen+ganesha+rxe+nfs4.1" not in names and "iwarp-gen+ganesha+rxe+nfs4.0" in names
    assert all(cells.why_never(cell) for cell in set(cells.all_cells()) - set(cells.possible()))
    assert {release for cell in cells.possible() for release in cell.guests or ()} <= set(guests.releases())
    assert set(cells.RELEASES.values()) == {name for name, about in guests.releases().items() if "patches" not in about}


@pytest.mark.parametrize("words,n", [(["soft"], 4), (["linux-7.2+linux-7.2+rxe"], 4), (["linux-7.2+rxe"], 30), (["nfs4.2+ganesha"], 0),
                                     (["soft+nfs3", "soft+nfs4.0"], 2), ([], len(cells.possible()))])
def test_subsets(words, n):
    assert len(cells.chosen(words)) == n


def test_unknown_part():
    with pytest.raises(ValueError, match="no cell has 'linux-5'"):
        cells.chosen(["linux-5+rxe"])


def test_releases_are_known_kernels():
    for name, release in cells.RELEASES.items():
        if name != "ganesha":
            assert guests.releases()[release]["linux"] == name.removeprefix("linux-")
    with pytest.raises(ValueError, match="no release 'potato'"):
        guests.build("potato")


def test_colours():
    assert page.colour(None) == "grey" and page.colour(GOOD) == "green"
    assert page.colour(with_(operations={"mount": {"outcome": "failed", "why": "x"}})) == "red"
    assert page.colour(with_(kernel={"server": ["BUG"]})) == "red"
    assert page.colour(with_(judged={**GOOD["judged"], "findings": {"server": {"CMPD-4.1-03": FINDING}}})) == "red"
    assert page.colour(with_(judged={**GOOD["judged"], "rules_exercised": 0})) == "red"  # nothing shown is not green


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "DOCS", tmp_path)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "cells")
    (tmp_path / "cells").mkdir()
    return tmp_path


def save(folder, *results):
    for result in results:
        (folder / "cells" / f"{result['cell']}.json").write_text(json.dumps(result), encoding="utf-8")


def test_deviations_of_the_suites(folder):
    """A failure is a known deviation only where the same words were verified."""
    (folder / "suites").mkdir()
    before = page.suites()["linux-6.1", "rxe"]["tests"]
    failing = next(case for case, test in before.items() if test["deviation"] == "nomsg-without-chunk")
    tests = {case: {"outcome": "passed", "actual": ""} for case in before}
    tests[failing] = {"outcome": "failed", "actual": "x", "deviation": "nomsg-without-chunk"}
    tests["RPCR-6.1-07"] = {"outcome": "failed", "actual": "something new", "deviation": None}
    tests["RPCR-6.1-08"] = {"outcome": "died", "actual": "refuses", "deviation": None}
    (folder / "suites" / "linux-7.2+rxe.json").write_text(json.dumps(
        {"server": "linux-7.2", "device": "rxe", "kernel": "7.2.1", "state": "alive", "options": [], "tests": tests}), encoding="utf-8")
    at = list(page.suites()).index(("linux-7.2", "rxe"))
    said = {title: texts[at] for title, _, texts in page.suite_deviations()}
    assert said[page.table.deviations()["nomsg-without-chunk"]["title"]] == "yes (1)"
    assert said[page.table.deviations()["short-message"]["title"]] == "gone"
    assert said[page.table.deviations()["not-eligible"]["title"]] == "otherwise"
    assert said["Failures that nobody has held against the document yet"] == "yes (2)"
    assert [sum(map(int, row[3:3 + len(page.OUTCOMES)])) for row in page.suite_rows()] == [len(one["tests"]) for one in page.suites().values()]


def test_page(folder):
    red = with_(cell="linux-6.1+linux-7.2+rxe+nfs3",
                judged={**GOOD["judged"], "findings": {"server": {"CMPD-4.1-03": FINDING}}, "explained_by": "linux-nfsd"})
    save(folder, GOOD, red)
    page.write()
    said = (folder / "index.md").read_text(encoding="utf-8")
    assert "1 green, 1 red" in said and "(#linux-61linux-72rxenfs3)" in said and "expected <this>" in said and "--waivers=linux-nfsd" in said
    assert said.count("not run yet") > 100 and "Ganesha 6.5 refuses" in said
    row = next(line for line in said.splitlines() if line.startswith("| CMPD-4.1-03 | rxe"))
    assert [cell.strip() for cell in row.split("|")[3:-1]] == ["not run yet", "not seen in 1 cells", "not run yet", "yes (1 of 1 cells)",
                                                               "not run yet"]


def test_only_our_own_faults_fail(folder):
    """JUnit: what others do is no failure of this project."""
    ours, theirs = cells.Cell("iwarp-gen", "linux-6.1", "rxe", "3"), cells.Cell("linux-6.1", "linux-6.1", "rxe", "3")
    broken = with_(judged={**GOOD["judged"], "findings": {"client": {"CMPD-4.1-03": FINDING}}})
    assert run.ours_to_blame(theirs, broken) is None and run.ours_to_blame(ours, GOOD) is None
    assert run.ours_to_blame(ours, broken) == "iwarp-gen as client breaks CMPD-4.1-03"
    assert "no result" in run.ours_to_blame(theirs, None)
    silent = with_(judged={**GOOD["judged"], "findings": {"server": {"RPCR-4.5.4-03": FINDING}}})
    served = [cells.Cell("linux-7.2", "iwarp-gen", device, "4.1") for device in ("rxe", "siw")]
    assert [run.ours_to_blame(cell, silent) for cell in served] == ["iwarp-gen as server breaks RPCR-4.5.4-03", None]
    text = run.junit({ours: broken, theirs: broken})
    assert text.count("<testcase") == 2 and text.count("<failure") == 1


@pytest.mark.parametrize("done,hung", [({"mount": "ok", "remount": "ok"}, False), ({"mount": "failed"}, True),
                                       ({"mount": "ok", "locks": "failed", "remount": "ok"}, False),
                                       ({"mount": "ok", "remount": "failed"}, True), ({"scenario": "ok"}, False)])
def test_mounts_that_hang(done, hung):
    assert run.hangs({name: {"outcome": outcome, "why": ""} for name, outcome in done.items()}) == hung


def test_resumes(folder, monkeypatch):
    """A cell is done as long as what it depends on is the same."""
    cell = cells.Cell("iwarp-gen", "iwarp-gen", "soft", "3")
    assert not run.is_done(cell)
    save(folder, with_(cell=cell.name, key=run.key(cell)))
    assert run.is_done(cell)
    monkeypatch.setattr(run, "sum_of", lambda *paths: "other")
    assert not run.is_done(cell)


def test_cells_without_guests(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("IWARP_LAB", str(tmp_path / "lab"))
    monkeypatch.setattr(sys, "argv", ["run.py", "soft"])
    run.main()
    found = page.results()
    assert len(found) == 4 and {page.colour(result) for result in found.values()} == {"green"}
    assert all(result["judged"]["rules_exercised"] > 200 for result in found.values())
    assert "4 green, 0 red" in (folder / "index.md").read_text(encoding="utf-8")


def test_published_page_is_that_of_the_results():
    """docs/interop is made of docs/interop/cells: none was painted."""
    found = page.results()
    assert (page.DOCS / "index.md").read_text(encoding="utf-8") == "\n".join(page.markdown(found)) + "\n"
    known = {cell.name for cell in cells.possible()}
    assert set(found) <= known
    for result in found.values():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["run"]) and result["capture_octets"] > 0 or page.colour(result) == "red"


def test_operations_on_a_local_folder(tmp_path):
    """They ask for nothing that a file system does not do; and there are as many kinds as is said."""
    import subprocess  # pylint: disable=import-outside-toplevel
    done = subprocess.run([sys.executable, HERE / "operations.py", tmp_path, "4.2"], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) >= 20 and all(outcome == "ok" or "setxattr" in why or "Operation not" in why for _, outcome, why in lines), lines
