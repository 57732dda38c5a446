# SPDX-License-Identifier: GPL-2.0-or-later
"""The shipped waivers: they cover the deviations measured on Linux, and no others."""
import csv
import importlib
import pathlib
import re
import subprocess

import pytest

from reports import read_report

NAMES = ("linux-6.1-siw", "linux-6.1-nfsd")
OTHERWISE = {"MPA-7.1.2-10"}  # from a conversation in which the application never answers: not Linux's fault


@pytest.fixture(scope="module")
def captures(root):
    return sorted((root / "captures" / "real").rglob("*.pcap"))


@pytest.fixture(scope="module")
def waivers(root):
    return [f"--waivers={root}/waivers/{name}.yaml" for name in NAMES]


HINT = re.compile(r"^(\d+) of (\d+) failing findings? would be waived if (.*) \(--waivers=(\S+)\)$", re.M)
SIW = "the iWARP device is siw of Linux "


def hint(check, *arguments):
    """The line under the verdict: (explained, of, condition, name), or None."""
    lines = check(*arguments).stdout.splitlines()
    found = HINT.match(lines[1])
    assert not any(HINT.match(line) for line in lines[2:])
    return found and (int(found[1]), int(found[2]), found[3], found[4])


def test_a_fail_names_the_file_that_explains_it(check, captures):
    """Every failing report on a real capture names a file, and with this file no capture fails."""
    failing = [path for path in captures if check(path).returncode == 1]
    assert len(failing) > 10
    for path in failing:
        explained, of, whose, name = hint(check, path)
        assert explained == of and "Linux" in whose, path
        assert name in ("linux-siw", "linux-nfsd", "linux", "linux-6.1", "linux-6.1-siw", "linux-6.1-nfsd"), (path, name)
        for either in (name, "linux"):
            assert check(f"--waivers={either}", "--strict-waivers", path).returncode == 0


def test_the_most_specific_that_explains_all(check, root):
    """A deviation of one version names that version; a deviation of several names their group."""
    real = root / "captures" / "real"
    assert hint(check, real / "basic" / "ucmatose.pcap")[3] == "linux-6.1-siw"
    assert hint(check, real / "params" / "p2p-good.pcap", real / "basic" / "ucmatose.pcap")[3] == "linux-6.1-siw"
    assert hint(check, "--rules=MPA-4.1-05", real / "params" / "p2p-good.pcap")[2:] == (SIW + "6.1 to 7.2", "linux-siw")
    long = real / "nfslong" / "nfs42-long-setxattr.pcap"
    assert hint(check, "--rules=CMPD-4.1-03", long)[2:] == ("the responder is Linux 6.1 to 7.2", "linux-nfsd")
    assert hint(check, "--fail-on=note", long, real / "basic" / "ucmatose.pcap")[2:] == ("the responder is Linux 6.1 and " + SIW + "6.1", "linux-6.1")


def test_names_and_groups(check, bad):
    """A name has the file's words, some left out; nfsrdma was the former name of nfsd."""
    for name in ("linux", "linux-siw", "linux-6.1", "linux-7.2", "linux-6.1-siw"):
        assert check(f"--waivers={name}", bad).returncode == 0, name
    for name in ("linux-nfsd", "linux-nfsrdma", "linux-6.1-nfsd", "ganesha", "linux-7.2-nfsd"):
        assert check(f"--waivers={name}", bad).returncode == 1, name
    for name in ("linux-", "siw", "6.1", "linux-siw-6.1", "linux-6", "ganesha-6.5-siw"):
        assert check(f"--waivers={name}", bad).returncode == 2, name


def test_a_case_is_no_finding(check, capture, tmp_path, root):
    """A shipped waiver for a case waives no finding of its rule."""
    cases = re.findall(r"^- case: ([^/\s]+)", (root / "waivers" / "linux-6.1-nfsd.yaml").read_text(encoding="utf-8"), re.M)
    assert {"RPCR-4.5.2-05", "EXP-3.5.1-01"} <= set(cases)
    for case in ("RPCR-4.5.2-05", "EXP-3.5.1-01"):
        assert check("--waivers=linux-6.1-nfsd", "--fail-on=warning", capture("rpcrdma", "--inject=" + case)).returncode == 1


def test_files_with_cases_are_read(check, bad, tmp_path):
    """The same file serves iwarp-gen test, which has cases; for a capture, unused cases are not reported."""
    path = tmp_path / "known.yaml"
    path.write_text("- id: MPA-7.1.2-10/257\n  why: known\n- id: MPA-4.1-05\n  why: known\n", encoding="utf-8")
    assert check(f"--waivers={path}", "--strict-waivers", bad).returncode == 0
    path.write_text("- id: MPA-4.1-05/pad\n  why: known\n", encoding="utf-8")
    assert check(f"--waivers={path}", bad).returncode == 1


def test_made_from_what_is_proved(root):
    """lab/interop/waivers.py makes the files from captures and from the tables of failed cases."""
    done = subprocess.run(["/usr/bin/python3", root / "lab" / "interop" / "waivers.py", "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


def test_the_version_that_ends_a_deviation(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "lab" / "interop")
    made = importlib.import_module("waivers")
    rows = [{**row, "fixed": "Linux 7.3"} for row in made.captured()]
    assert "fixed:" not in made.text("linux-7.2-siw")
    monkeypatch.setattr(made, "captured", lambda: rows)
    assert made.text("linux-7.2-siw").count("\n  fixed: Linux 7.3\n") == sum(row["file"] == "linux-7.2-siw" for row in rows) > 0


def test_whose_deviations(check, root):
    long = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    assert hint(check, "--skip=mpa,ddp,rdmap", "--fail-on=note", long)[2] == "the responder is Linux 6.1"
    assert hint(check, "--waivers=linux-6.1-nfsd", "--fail-on=note", long)[:3] == (1, 1, SIW + "6.1 to 7.2")
    assert hint(check, root / "captures" / "real" / "basic" / "ucmatose.pcap")[2] == SIW + "6.1"


def test_in_part(check, capture):
    faulty = capture("rev1", "--inject=MPA-4.1-05")
    assert hint(check, faulty)[:2] == (1, 1)
    other = capture("marker-walk", "--inject=MPA-4.3-09")
    assert hint(check, faulty, other)[:2] == (1, 2)
    assert hint(check, other) is None
    assert hint(check, "--fail-on=never", faulty) is None
    assert hint(check, "--waive=MPA-4.1-05", faulty) is None


def test_a_scope_that_does_not_fit(check, capture, root):
    """Linux's server leaves old octets in the roundup of GETXATTR; other operations, and clients, are not covered."""
    long = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    assert hint(check, "--rules=RPCR-2.2.4.2-02", "--fail-on=warning", long)[2:] == ("the responder is Linux 6.1", "linux-6.1-nfsd")
    for fault in ("RPCR-2.2.4.2-02/reply", "RPCR-2.2.4.2-02"):
        assert hint(check, "--fail-on=warning", capture("rpcrdma", "--inject=" + fault)) is None


def test_a_server_that_is_not_linux(check, capture, tmp_path):
    """File handles show the server: deviations of Linux explain nothing on Ganesha. Other handles are unknown."""
    octets = capture("rpcrdma", "--transport=roce", "--inject=CMPD-4.1-03/server").read_bytes()
    begin, condition = bytes.fromhex("565d646b727980878e959ca3"), (1, 1, "the responder is Linux 6.1 to 7.2", "linux-nfsd")
    assert octets.count(begin) > 0
    for handle, expected in (("565d646b", condition), ("01000100", condition), ("43000001", None)):
        path = tmp_path / f"{handle}.pcapng"
        path.write_bytes(octets.replace(begin, bytes.fromhex(handle) + begin[4:]))
        assert hint(check, "--assume=icrc=off", path) == expected, handle


def test_a_server_on_siw(check, root):
    """Deviations of siw are siw's, with any NFS server."""
    recall = root / "lab" / "upstream" / "captures" / "ganesha-6.5-write-chunk.pcap"
    assert hint(check, recall)[2:] == ("the responder is NFS-Ganesha 6.5", "ganesha-6.5")


def test_an_unanswered_call_is_explained_by_nothing(check, capture):
    assert hint(check, "--fail-on=warning", capture("rpcrdma", "--inject=RPCR-4.5.4-03")) is None


def test_all_findings_count(check, capture, root):
    """Including folded ones, and those beyond --max-findings."""
    path = root / "captures" / "real" / "basic" / "ucmatose.pcap"
    assert hint(check, "--fail-on=note", path)[:2] == hint(check, "--fail-on=note", "--max-findings=1", path)[:2] == (6, 6)


def test_other_formats_for_people(check, bad):
    line = "1 of 1 failing finding would be waived if the iWARP device is siw of Linux 6.1 to 7.2 (--waivers=linux-siw)"
    assert line in check("--format=html", bad).stdout
    assert line in check("--format=markdown", bad).stdout.replace("\\", "")
    for form in ("ndjson", "junit", "sarif", "github"):
        assert "would be waived" not in check("--format=" + form, bad).stdout


def test_names(check, bad, tmp_path):
    for name in ("linux", "linux-6.1-siw"):
        result = check(f"--waivers={name}", bad)
        assert result.returncode == 0 and "linux-6.1-siw.yaml:" in result.stdout and "unused" not in result.stdout
    result = check("--waivers=lynux", bad)
    assert result.returncode == 2
    assert result.stderr == "iwarp-check: --waivers: cannot open lynux: No such file or directory; shipped by name: " \
        "ganesha, ganesha-6.5, linux, linux-6.1, linux-6.1-nfsd, linux-6.1-siw, linux-6.1-xprtrdma, linux-6.12, linux-6.12-nfsd, linux-7.2, linux-7.2-nfsd, linux-7.2-siw, " \
        "linux-nfsd, linux-siw, linux-xprtrdma\n"
    (tmp_path / "linux").mkdir()  # a source tree, not a waiver file
    assert check("--waivers=linux", bad, cwd=tmp_path).returncode == 0
    assert f"cannot open {tmp_path}: Is a directory; shipped by name: " in check(f"--waivers={tmp_path}", bad).stderr
    (tmp_path / "linux-siw").write_text("[]", encoding="utf-8")  # the shipped list takes precedence
    assert check("--waivers=linux-siw", bad, cwd=tmp_path).returncode == 0
    assert check("--waivers=./linux-siw", bad, cwd=tmp_path).returncode == 1


def test_about(check, bad, tmp_path):
    path = tmp_path / "known.yaml"
    path.write_text("about: firmware 1.2\nwaivers:\n- id: MPA-4.1-05\n  why: known\n", encoding="utf-8")
    assert check("--waivers=" + str(path), "--strict-waivers", bad).returncode == 0
    for text in ("about: x\n", "waivers: x\n", "waivers: []\nabout: []\n", "waivers: []\nwaivers: []\n", "ids: []\n"):
        path.write_text(text, encoding="utf-8")
        result = check("--waivers=" + str(path), bad)
        assert result.returncode == 2 and result.stderr.startswith(f"iwarp-check: {path}:"), text


def test_all_that_linux_does_is_waived(check, captures, waivers):
    result = check("--format=ndjson", "--allow-empty", *waivers, *captures)
    parsed = read_report(result.stdout)
    assert result.returncode == 0 and parsed["summary"]["findings"]["error"] == parsed["summary"]["findings"]["warning"] == 0
    assert parsed["summary"]["waived"] > 50
    left = {f["rule"] for c in parsed["captures"] for k in c["connections"] for f in k["findings"] if not f["waived"]}
    assert left == OTHERWISE
    assert all(f["waived_why"] for c in parsed["captures"] for k in c["connections"] for f in k["findings"] if f["waived"])


def test_each_waiver_is_needed(check, captures, waivers):
    """Waivers for findings are needed by a capture; the others are for failing cases (test_made_from_what_is_proved)."""
    unused = set(read_report(check("--format=ndjson", "--allow-empty", *waivers, *captures).stdout)["summary"]["unused_waivers"])
    assert unused & proved_by_captures() == set()


def proved_by_captures():
    lines = (pathlib.Path(__file__).parents[2] / "lab" / "interop" / "known" / "captured.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {row["id"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if row["seen in"] == "captures/real"}


def test_unused_ones_are_named(check, captures, root):
    """A capture of NFS does not show siw's own deviations."""
    nfs = next(path for path in captures if path.name == "nfs41-acl.pcap")
    nothing = f"--waivers={root}/waivers/linux-6.1-siw.yaml"
    result = check(nothing, "--waive=CMPD-4.1-03", nfs)
    assert result.returncode == 0
    unused = re.findall(r"unused waiver: (\S+) \((.*):(\d+)\)", result.stdout)
    lines = (root / "waivers" / "linux-6.1-siw.yaml").read_text(encoding="utf-8").splitlines()
    assert len(unused) > 5 and all(lines[int(line) - 1] == f"- id: {rule}" for rule, _, line in unused)
    assert check(nothing, "--waive=CMPD-4.1-03", "--strict-waivers", nfs).returncode == 1


def test_each_has_its_reason_in_the_manifest(captures, root):
    told = (root / "docs" / "captures.md").read_text(encoding="utf-8")
    for name in NAMES:
        for rule in proved_by_captures() & set(re.findall(r"^- id: (\S+)", (root / "waivers" / f"{name}.yaml").read_text(encoding="utf-8"), re.M)):
            assert f"| {rule} |" in told or rule == "DDP-3-08", rule  # a note: the page has errors and warnings


def test_list(check, root):
    """A line for each name: its purpose, and the waived rules."""
    rows = [line.split("\t") for line in check("--list-waivers").stdout.splitlines()]
    known = check("--waivers=lynux", "x").stderr.split("by name: ")[1].strip().split(", ")
    assert [row[0] for row in rows] == known
    files = {row[0]: row[1:] for row in rows if len(row) == 3}
    assert set(files) == {path.stem for path in (root / "waivers").glob("*.yaml")}
    assert files["linux-7.2-nfsd"] == ["if the responder is Linux 7.2", "findings of CMPD-4.1-03; 18 cases of iwarp-gen test"]
    assert files["linux-6.1-xprtrdma"][0] == "if the initiator is Linux 6.1" and files["linux-6.1-xprtrdma"][1].endswith("cases of iwarp-gen test")
    groups = {row[0]: row[1] for row in rows if len(row) == 2}
    assert groups["linux-nfsd"] == "all of linux-6.1-nfsd, linux-6.12-nfsd, linux-7.2-nfsd"
    for name, about in files.items():
        text = (root / "waivers" / f"{name}.yaml").read_text(encoding="utf-8")
        assert all(rule in about[1] for rule in re.findall(r"^- id: (\S+)", text, re.M))
        assert f"{len(re.findall('^- case: ', text, re.M))} cases" in about[1] or "- case: " not in text
