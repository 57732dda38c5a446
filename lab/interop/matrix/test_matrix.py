# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells, results and the page of the matrix, without guests; and the cells that need none."""
import copy
import dataclasses
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "guests")]
import cells  # noqa: E402
import guests  # noqa: E402
import causes  # noqa: E402
import page  # noqa: E402
import run  # noqa: E402
import server_suites  # noqa: E402
import store  # noqa: E402
import suite_tables  # noqa: E402

GOOD = {"cell": "linux-7.2+linux-6.1+rxe+nfs4.1", "key": {"operations": "x", "client": "7.2.1", "server": "6.1.1"}, "run": "2026-01-01",
        "seconds": 9, "operations": {"mount": {"outcome": "ok", "why": ""}, "locks": {"outcome": "none", "why": "x"}}, "kernel": {},
        "judged": {"verdict": "pass", "findings": {}, "rules_exercised": 200, "connections": 1, "explained_by": None}, "capture_octets": 9,
        "patches": {}, "shown": 1, "tries": [{"seconds": 9}]}
FINDING = {"severity": "error", "section": "4.1", "document": "RFC 8797", "frame": 7, "times": 3,
           "message": "expected a Send without Invalidate, as the sender cleared R (remote invalidation) in frame 12; found a Send that "
                      "invalidates STag 0x00000653"}
SILENCE = {"severity": "warning", "section": "4.5.4", "document": "RFC 8166", "frame": 21, "times": 1,
           "message": "expected an answer to NULL of NFS3 in frame 21, or the connection closed; found neither within 55 s; no Call was answered"}
HUNG = {"seconds": 60, "failed": {"mount": "line 2: 229 Killed timeout -s KILL 60 mount.nfs"}, "kernel": {},
        "findings": {"server": {"RPCR-4.5.4-03": SILENCE}}}
FINE = {"seconds": 9, "failed": {}, "kernel": {}, "findings": {}}
RXE, SIW = (cells.Cell("linux-7.2", "linux-6.1", device, "4.1") for device in ("rxe", "siw"))


def with_(**parts):
    return {**copy.deepcopy(GOOD), **parts}


def test_cells():
    names = [cell.name for cell in cells.possible()]
    assert len(names) == len(set(names)) >= 100
    assert "iwarp-gen+ganesha+rxe+nfs4.1" not in names and "iwarp-gen+ganesha+rxe+nfs4.0" in names
    assert all(cells.why_never(cell) for cell in set(cells.all_cells()) - set(cells.possible()))
    assert {release for cell in cells.possible() for release in cell.guests or ()} <= set(guests.releases())
    patched = {"patches", "source_patches", "cured"}
    assert set(cells.RELEASES.values()) == {name for name, about in guests.releases().items() if not patched & about.keys()}


@pytest.mark.parametrize("words,n", [(["soft"], 4), (["linux-7.2+linux-7.2+rxe"], 4), (["linux-7.2+rxe"], 30), (["nfs4.2+ganesha"], 0),
                                     (["soft+nfs3", "soft+nfs4.0"], 2), ([], len(cells.possible())),
                                     (["linux-7.2+linux-6.1+rxe+nfs4.2"], 1), (["linux-7.2+linux-6.1+rxe"], 8)])
def test_subsets(words, n):
    assert len(cells.chosen(words)) == n


def test_unknown_part():
    with pytest.raises(ValueError, match="no cell has 'linux-5'"):
        cells.chosen(["linux-5+rxe"])


def test_the_name_of_a_cell_is_that_cell():
    """Its parts in another order are another cell."""
    for cell in cells.possible():
        assert cells.chosen([cell.name]) == [cell]
    with pytest.raises(ValueError, match="no cell has the name"):
        cells.chosen(["rxe+linux-7.2+linux-6.1+nfs3"])


def test_again_runs_that_cell_only(folder, monkeypatch):
    ran = []
    monkeypatch.setattr(run, "run_group", lambda group: ran.extend(cell.name for cell in group))
    monkeypatch.setattr(run, "is_done", lambda cell: True)
    for words in (["--again", RXE.name], [RXE.name]):
        monkeypatch.setattr(sys, "argv", ["run.py", *words])
        run.main()
    assert ran == [RXE.name]


def test_tries(monkeypatch, tmp_path, folder):
    """A cell that fails is tried three times, and the best of them is shown."""
    monkeypatch.setenv("IWARP_LAB", str(tmp_path / "lab"))
    ok, bad = {"mount": {"outcome": "ok", "why": ""}}, {"mount": {"outcome": "failed", "why": "Killed"}}

    def attempts(*outcomes):
        left = list(outcomes)

        def attempt(_, capture):
            return {"operations": left.pop(0), "said": "", "kernel": {}, "capture": capture, "seconds": 1}
        return run.tries_of(SIW, attempt)
    assert [len(attempts(ok, bad, bad)), len(attempts(bad, ok, ok)), len(attempts(bad, bad, bad))] == [1, 3, 3]
    monkeypatch.setattr(run, "key", lambda cell: {"client": "x", "server": "y"})
    run.keep(SIW, attempts(bad, ok, bad))
    result = page.results()[SIW.name]
    assert result["shown"] == 2 and result["operations"] == ok and result["tries"][0]["failed"] == {"mount": "Killed"}
    assert result["patches"] == {"client": [], "server": []}
    assert sorted(path.name.removeprefix(SIW.name) for path in run.work_folder().iterdir()) == [".log", ".try1.log", ".try3.log"]


def test_guests_with_patches(monkeypatch, tmp_path):
    """Their names are those of the others, and their results have the patches that their builder wrote down."""
    monkeypatch.setenv("IWARP_LAB", str(tmp_path))
    cured = [cell for cell in cells.chosen(["linux-7.2+ganesha"], cured=True) if cell.device == "rxe"][0]
    assert cured.guests == ("testing-cured", "ganesha-cured") and cured.folder == "cured"
    (tmp_path / "ganesha-cured").mkdir()
    (tmp_path / "ganesha-cured" / "cures").write_text("siw-listener\nsiw-pad\n", encoding="utf-8")
    below = tmp_path / guests.releases()["ganesha-cured"]["cured"] / "root" / "from-source" / "patches"
    below.mkdir(parents=True)
    (below / "ganesha-write-chunk.ntirpc.patch").write_text("", encoding="utf-8")
    assert run.patches(cured) == {"client": [], "server": ["siw-listener", "siw-pad", "ganesha-write-chunk.ntirpc"]}
    assert cells.Cell("iwarp-gen", "linux-7.2", "rxe", "3", True).guests[0] == "bookworm-cured"
    assert {name.removesuffix(cells.CURED) for name in guests.releases() if name.endswith(cells.CURED)} <= set(cells.RELEASES.values())


def test_releases_are_known_kernels():
    for name, release in cells.RELEASES.items():
        if name != "ganesha":
            assert guests.releases()[release]["linux"] == name.removeprefix("linux-")
    with pytest.raises(ValueError, match="no release 'potato'"):
        guests.build("potato")


def finds(side="server", **findings):
    return {**GOOD["judged"], "findings": {side: {rule.replace("_", "-").replace("x", "."): one for rule, one in findings.items()}}}


INVALIDATES = finds(CMPD_4x1_03=FINDING)


def test_colours():
    assert page.colour(RXE, None) == "grey" and page.colour(RXE, GOOD) == "green"
    assert page.colour(RXE, with_(operations={"mount": {"outcome": "failed", "why": "x"}})) == "red"
    assert page.colour(RXE, with_(kernel={"server": ["BUG"]})) == "red"
    assert page.colour(RXE, with_(judged={**GOOD["judged"], "rules_exercised": 0})) == "red"  # nothing shown is not green
    assert page.colour(RXE, with_(judged=INVALIDATES)) == "amber"
    assert page.colour(RXE, with_(judged=INVALIDATES, operations={"locks": {"outcome": "failed", "why": "x"}})) == "red"


def test_what_no_cause_explains_is_red():
    """Another rule, side, implementation or version, or other words."""
    assert page.colour(RXE, with_(judged=finds("client", CMPD_4x1_03=FINDING))) == "red"
    assert page.colour(RXE, with_(judged=finds(CMPD_4x1_04=FINDING))) == "red"
    assert page.colour(cells.Cell("linux-7.2", "ganesha", "rxe", "3"), with_(judged=INVALIDATES)) == "red"
    assert page.colour(cells.Cell("linux-7.2", "iwarp-gen", "rxe", "3"), with_(judged=INVALIDATES)) == "red"
    receiver = {**FINDING, "message": FINDING["message"].replace("the sender", "the receiver")}
    assert page.colour(RXE, with_(judged=finds(CMPD_4x1_03=receiver))) == "red"
    assert page.colour(RXE, with_(judged=finds(CMPD_4x1_03=FINDING, RPC_9_05=FINDING))) == "red"


def test_versions_of_a_cause(monkeypatch):
    rows = copy.deepcopy(causes.load())
    rows["nfsd-invalidate"]["versions"] = ["7.2"]
    monkeypatch.setattr(causes, "load", lambda: rows)
    assert page.colour(RXE, with_(judged=INVALIDATES)) == "red"
    assert page.colour(cells.Cell("linux-6.1", "linux-7.2", "rxe", "3"), with_(judged=INVALIDATES)) == "amber"


def test_a_mount_that_hangs_by_chance():
    """The hang is named on the server's side, and changes no colour; a mount that always hangs is red."""
    once = with_(tries=[HUNG, FINE, {"seconds": 9}], shown=3)
    assert page.colour(SIW, once) == "green" and page.by_chance(SIW, once) == "hung in 1 of 3 tries: the server's siw"
    assert page.text_of(SIW, once) == "green (hung in 1 of 3 tries: the server's siw)"
    known = with_(tries=once["tries"], shown=3, judged=INVALIDATES)
    assert page.text_of(SIW, known) == "amber: [nfsd-invalidate](#nfsd-invalidate) (hung in 1 of 3 tries: the server's siw)"
    always = with_(tries=[HUNG, HUNG, {"seconds": 60}], shown=3, judged=finds(RPCR_4x5x4_03=SILENCE),
                   operations={"mount": {"outcome": "failed", "why": HUNG["failed"]["mount"]}})
    assert page.colour(SIW, always) == "red" and "hung in 3 of 3 tries" in page.text_of(SIW, always)
    said = "\n".join(page.red_cell(SIW, always))
    assert "`mount` failed in 3 of 3 tries" in said and "cause: [siw-after-reply](#siw-after-reply), of the server" in said
    assert page.colour(RXE, once) == "red"  # rxe has no such cause
    ours = cells.Cell("linux-7.2", "iwarp-gen", "siw", "3")
    assert page.by_chance(ours, once) == "hung in 1 of 3 tries: the server's siw"


def test_chance_and_patches():
    """A try that does not hang proves little: tries are counted, of cells over siw with the patch on the side of the server."""
    patches, row = {"server": [causes.patch_name("siw-after-reply")], "client": []}, causes.load()["siw-after-reply"]
    hung = with_(tries=[HUNG, FINE, {"seconds": 9}], shown=3, patches=patches)
    before = {SIW.name: with_(tries=[HUNG, HUNG, {"seconds": 9}], shown=3)}
    assert page.hung_text(row, before) == "seen in 2 of 3 tries of 1 cells"
    assert page.gone_text("siw-after-reply", [SIW], before, {SIW.name: hung, RXE.name: hung}) == "seen in 1 of 3 tries of 1 cells"
    assert page.gone_text("siw-after-reply", [SIW], before, {SIW.name: with_(patches={"server": []})}) == "not run yet"


def test_a_silence_without_a_hang_is_not_explained():
    assert page.colour(SIW, with_(judged=finds(RPCR_4x5x4_03=SILENCE))) == "red"
    unseen = with_(tries=[{**HUNG, "findings": {}}, FINE, {"seconds": 9}], shown=3)
    assert page.colour(SIW, unseen) == "red"  # a mount that failed, and nothing on the wire says why


def test_other_failures_of_some_tries_are_red():
    other = with_(tries=[{**HUNG, "failed": {"locks": "EIO"}, "findings": {}}, FINE, {"seconds": 9}], shown=3)
    assert page.colour(RXE, other) == "red" and "`locks` failed in 1 of 3 tries: EIO" in "\n".join(page.red_cell(RXE, other))


def test_causes():
    """Rows are whole: a cause has a report and a patch, or says why not, and no finding belongs to two causes."""
    rows = causes.load()
    assert len(rows) >= 12
    for cause, row in rows.items():
        missing = [suffix for suffix in (".md", ".patch") if not causes.paths(cause, suffix)]
        assert not missing or len(row["why"]) > 5, cause
        assert row["versions"] and row["effect"].endswith("."), cause
        assert row["implementation"] in ("nfsd", "siw", "ganesha"), cause
        assert set(row["deviations"]) <= set(suite_tables.table.deviations()), cause
    owners = [(row["implementation"], rule) for row in rows.values() for rule in row["rules"]]
    assert len(owners) == len(set(owners))
    there = {path.name.split(".")[0] for folder in ("nfsd", "siw", "ganesha") for path in (causes.ROOT / "lab" / "upstream" / folder).glob("*.*")}
    assert there <= set(rows)  # each report and each patch is of a cause


def test_words():
    assert causes.words("a Write chunk of # octets", "a Write chunk of 17 octets") and not causes.words("# octets", "many octets")
    assert causes.words("*; found PAD octets #", "expected 3 zero PAD octets; found PAD octets 30 61 ff")
    assert not causes.words("found (#)", "found 1")


def test_cells_in_few_words():
    some = [cells.Cell(client, server, "rxe", version) for client in ("linux-6.1", "linux-7.2") for server in ("linux-6.1", "linux-6.12")
            for version in cells.VERSIONS]
    assert page.compact(some) == ["Linux 6.1, 7.2 on Linux 6.1, 6.12, rxe, NFS 3 to 4.2 (16)"]
    assert page.compact(some[:5]) == ["Linux 6.1 on Linux 6.1, rxe, NFS 3 to 4.2 (4)", "Linux 6.1 on Linux 6.12, rxe, NFS 3 (1)"]


def test_gone_with_the_patch(folder, monkeypatch, tmp_path):
    """Counted: cells that had the cause, and were run to the end with its patch on its side."""
    patch = tmp_path / "nfsd-invalidate.patch"
    patch.write_text("", encoding="utf-8")
    real = causes.paths
    monkeypatch.setattr(causes, "paths", lambda cause, suffix: [patch] if (cause, suffix) == ("nfsd-invalidate", ".patch") else real(cause, suffix))
    had, cured = [RXE, SIW], dataclasses.replace(RXE, cured=True)
    before = {cell.name: with_(judged=INVALIDATES) for cell in had}

    def text(**after):
        return page.gone_text("nfsd-invalidate", had, before, {cured.name: with_(**after)} if after else {})
    assert text() == "not run yet" and page.gone_text("nfsd-invalidate", [], {}, {}) == "-"
    on = {"server": ["siw-pad", "nfsd-invalidate"], "client": []}
    assert text(patches=on) == "yes (1 of 1 cells)"
    assert text(patches={"client": on["server"], "server": []}) == "not run yet"
    assert text(patches=on, judged=INVALIDATES) == "no (0 of 1 cells)"
    assert text(patches=on, operations={"mount": {"outcome": "failed", "why": "x"}}) == "no (0 of 1 cells)"
    for cell, result in ((RXE, before[RXE.name]), (cured, with_(cell=RXE.name, patches=on))):
        run.save(cell, result)
    page.write()
    said = (folder / "index.md").read_text(encoding="utf-8")
    assert store.get(folder, f"cured/{RXE.name}") and "With the patches: **1 of 148 cells green**, 0 amber, 0 red, 147 not run" in said
    assert "with the patch: yes (1 of 1 cells)" in said and "## Cells with the patches" in said


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "DOCS", tmp_path)
    return tmp_path


def save(folder, *results):
    for result in results:
        store.put(folder, f"cells/{result['cell']}", result)


def test_deviations_of_the_suites(folder):
    """A failure is a known deviation only where the same words were verified."""
    before = suite_tables.suites(folder)["linux-6.1", "rxe"]["tests"]
    failing = next(case for case, test in before.items() if test["deviation"] == "nomsg-without-chunk")
    tests = {case: {"outcome": "passed", "actual": ""} for case in before}
    tests[failing] = {"outcome": "failed", "actual": "x", "deviation": "nomsg-without-chunk"}
    tests["RPCR-6.1-07"] = {"outcome": "failed", "actual": "something new", "deviation": None}
    tests["RPCR-6.1-08"] = {"outcome": "died", "actual": "refuses", "deviation": None}
    store.put(folder, "suites/linux-7.2+rxe",
              {"server": "linux-7.2", "device": "rxe", "kernel": "7.2.1", "run": "2026-01-01", "state": "alive", "options": [], "tests": tests})
    found, titles = suite_tables.suites(folder), suite_tables.table.deviations()
    at = list(found).index(("linux-7.2", "rxe"))
    said = {title: texts[at] for _, title, _, texts in suite_tables.deviations(found)}
    assert said[titles["nomsg-without-chunk"]["title"]] == "yes (1)"
    assert said[titles["short-message"]["title"]] == "gone"
    assert said[titles["not-eligible"]["title"]] == "otherwise"
    assert said[suite_tables.UNKNOWN] == "yes (2)"
    outcomes = len(suite_tables.OUTCOMES)
    assert [sum(map(int, row[3:3 + outcomes])) for row in suite_tables.outcome_rows(found)] == [len(one["tests"]) for one in found.values()]
    lines = list(suite_tables.markdown(folder, causes.load()))
    assert any(f"[{titles['short-message']['title']}](#nfsd-short-message)" in line for line in lines)


def test_summary_of_a_suite():
    """Only failures have a deviation, and a table's deviation applies only to the same words."""
    row = next(row for row in suite_tables.table.load("rxe-nfs-server").values() if row["outcome"] == "failed" and "||" not in row["found"])
    report = {"state": "alive", "tests": [{"id": row["case"], "outcome": "failed", "actual": row["found"]},
                                          {"id": "RPCR-6.1-07", "outcome": "failed", "actual": "something new"},
                                          {"id": "RPCR-6.1-08", "outcome": "passed", "actual": ""}]}
    tests = server_suites.summary("linux-7.2", "rxe", [], report)["tests"]
    assert tests[row["case"]]["deviation"] == row["deviation"] and tests["RPCR-6.1-07"]["deviation"] is None
    assert "deviation" not in tests["RPCR-6.1-08"]


def test_page(folder):
    amber = with_(cell="linux-6.1+linux-7.2+rxe+nfs3", judged=INVALIDATES)
    red = with_(cell="linux-6.1+linux-7.2+rxe+nfs4.0", judged=finds(RPC_9_05={**FINDING, "message": "expected <this>"}))
    save(folder, GOOD, amber, red)
    page.write()
    said = (folder / "index.md").read_text(encoding="utf-8")
    assert "1 green, 1 amber, 1 red, 145 not run yet, of 148 cells" in said
    assert "[red](#linux-61linux-72rxenfs40)" in said and "expected <this>" in said and "not all of this has a known cause" in said
    assert said.count("not run yet") > 100 and "Ganesha 6.5 refuses" in said
    assert said.index("## Causes") < said.index("### nfsd-invalidate") < said.index("## Cells") < said.index("## Red cells")
    assert "| linux-6.1+linux-7.2+rxe+nfs3 | [nfsd-invalidate](#nfsd-invalidate) |" in said
    assert "### linux-6.1+linux-7.2+rxe+nfs3" not in said and "- cells: Linux 6.1 on Linux 7.2, rxe, NFS 3 (1)" in said


def test_only_our_own_faults_fail(folder):
    """JUnit: errors of other implementations are not failures of this project."""
    ours, theirs = cells.Cell("iwarp-gen", "linux-6.1", "rxe", "3"), cells.Cell("linux-6.1", "linux-6.1", "rxe", "3")
    broken = with_(judged=finds("client", CMPD_4x1_03=FINDING))
    assert run.ours_to_blame(theirs, broken) is None and run.ours_to_blame(ours, GOOD) is None
    assert run.ours_to_blame(ours, broken) == "iwarp-gen as client breaks CMPD-4.1-03"
    assert "no result" in run.ours_to_blame(theirs, None)
    silent = with_(judged=finds(RPCR_4x5x4_03=SILENCE))
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
    """A cell is done as long as its dependencies are the same."""
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
    assert len(found) == 4 and {page.colour(cell, found[cell.name]) for cell in cells.chosen(["soft"])} == {"green"}
    assert all(result["judged"]["rules_exercised"] > 200 for result in found.values())
    assert "4 green, 0 amber, 0 red" in (folder / "index.md").read_text(encoding="utf-8")


def test_published_page_is_that_of_the_results():
    """lab/results/matrix is made of the results in its archive: none was painted."""
    found, cured = page.results(), page.results(cured=True)
    assert (page.DOCS / "index.md").read_text(encoding="utf-8") == "\n".join(page.markdown(found, cured)) + "\n", "run page.py"
    known = {cell.name: cell for cell in cells.possible()}
    assert set(found) | set(cured) <= set(known)
    for name, result in found.items():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["run"]) and result["capture_octets"] > 0 or page.colour(known[name], result) == "red"
        assert 1 <= result["shown"] <= len(result["tries"]) <= run.TRIES


def test_index_of_the_results():
    """results.tsv says what the archive has."""
    has = store.files(page.DOCS / store.NAME)
    assert len(has) > 200 and (page.DOCS / "results.tsv").read_text(encoding="utf-8") == "".join(store.index(has))


def test_results_of_other_hosts(folder, tmp_path):
    """The missing ones are taken, and those of a later run."""
    other = tmp_path / "other"
    for docs, name, day in ((folder, "a", "01"), (folder, "b", "03"), (other, "a", "02"), (other, "b", "02"), (other, "c", "02")):
        store.put(docs, f"cells/{name}", {"run": f"2026-01-{day}"})
    store.take(folder, [other / store.NAME])
    assert {name: result["run"][-2:] for name, result in store.folder(folder, "cells").items()} == {"a": "02", "b": "03", "c": "02"}


def test_links_of_the_page():
    """Within it, and to files."""
    said = (page.DOCS / "index.md").read_text(encoding="utf-8")
    heads = {re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ (.*)$", said, re.M)}
    targets = set(re.findall(r"\]\(([^)]+)\)", said))
    inside = {target[1:] for target in targets if target.startswith("#")}
    assert len(inside) > 20 and inside <= heads | set(re.findall(r'<a id="([^"]+)"', said))
    assert not [target for target in targets if not target.startswith("#") and not (page.DOCS / target.partition("#")[0]).exists()]


def test_operations_on_a_local_folder(tmp_path):
    """They ask for nothing that a file system does not do; and there are as many kinds as is said."""
    import subprocess  # pylint: disable=import-outside-toplevel
    done = subprocess.run([sys.executable, HERE / "operations.py", tmp_path, "4.2"], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) >= 20 and all(outcome == "ok" or "setxattr" in why or "Operation not" in why for _, outcome, why in lines), lines
