# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of iwarp-gen: statuses, errors, determinism."""
import os
import re
import subprocess

import pytest

from reports import read_report


@pytest.mark.parametrize("arguments, message", [
    ((), "expected"),
    (("play",), "expected"),
    (("play", "rev1"), "-o FILE"),
    (("play", "nothing-like-it", "-o", "{tmp}/x"), "no scenario 'nothing-like-it'"),
    (("play", "rev1", "-o", "{tmp}/x", "--inject=MPA-0-00"), "no fault 'MPA-0-00'"),
    (("play", "rev1", "-o", "{tmp}/x", "--inject=MPA-4.3-09"), "no place"),
    (("play", "rev1", "-o", "{tmp}/x", "--net=loss=2"), "loss"),
    (("play", "rev1", "-o", "{tmp}/x", "--net=rain=0.1"), "rain"),
    (("play", "rev1", "-o", "{tmp}/x", "--mtu=20"), "--mtu"),
    (("play", "rev1", "-o", "{tmp}/no/such/folder"), "No such file"),
    (("play", "bulk", "-o", "{tmp}/x", "--size=many"), "--size"),
    (("play", "bulk", "-o", "{tmp}/x", "--ulpdu=3"), "--ulpdu"),
    (("play", "operations", "-o", "{tmp}/x", "--count=-1"), "--count"),
    (("play", "many", "-o", "{tmp}/x", "--connections=0"), "--connections"),
    (("play", "rev1", "-o", "{tmp}/x", "--inject="), "no fault is named"),
    (("play", "stack", "-o", "{tmp}/x", "--inject=MPA-3-01"), "two real ends, which keep all rules; try: iwarp-gen play rev1"),
    (("play", "rev2", "-o", "{tmp}/x", "--inject=MPA-4.3-09"), "has no place for it; try: iwarp-gen play marker-walk"),
    (("play", "rev1", "-o", "{tmp}/x", "--markers"), "--markers is only for the scenarios bulk, bulk-whole and nfs-bulk"),
    (("play", "rev1", "-o", "{tmp}/x", "--no-crc"), "--no-crc is only for"),
    (("play", "rev1", "-o", "{tmp}/x", "--size=5M"), "--size is only for"),
    (("play", "rev1", "-o", "{tmp}/x", "--count=5"), "--count is only for the scenarios operations and nfs-metadata"),
    (("play", "rev1", "-o", "{tmp}/x", "--script=I send"), "--script is only for the scenario script"),
    (("play", "rev1", "-o", "{tmp}/x", "--memory={tmp}"), "--memory is only for scenarios of work"),
    (("play", "bulk", "-o", "{tmp}/x", "--net=loss=0.1"), "--net is only for"),
    (("play", "bulk", "-o", "{tmp}/x", "--connections=5"), "--connections is only for"),
    (("play", "many", "-o", "{tmp}/x", "--size=5M"), "--size is only for"),
    (("play", "script", "-o", "{tmp}/x"), "needs --script=TEXT"),
    (("play", "script", "-o", "{tmp}/x", "--script=with rpcrdma; I call nfs9.read"), "'nfs9.read' cannot be carried out: the procedure is"),
    (("play", "script", "-o", "{tmp}/x", "--script=with rpcrdma; I call nfs3.read cuont=1"), "cannot read 'cuont=1'"),
    (("play", "script", "-o", "{tmp}/x", "--script=with rpcrdma; I call nfs3.null; R reply of=1"), "'reply' cannot be carried out: no Call of the other side waits for a Reply"),
    (("play", "script", "-o", "{tmp}/x", "--script=with rpcrdma; I call nfs41.compound ops=sequence,reed"),
     "cannot read 'reed'"),
    (("play", "rev1", "-o", "{tmp}/x", "--inject=MPA-4.1-5"), "no fault 'MPA-4.1-5' (did you mean 'MPA-4.1-05'?)"),
    (("serve", "127.0.0.1:0", "--service=rpingg"), "(did you mean 'rping'?)"),
    (("serve", "127.0.0.1:0", "--service=echo", "--misbehave=MPA-7.1.2-350"), "(did you mean 'MPA-7.1.2-35'?)"),
    (("test", "127.0.0.1:1", "--suite=dpp"), "'dpp' is not one of mpa, mpa2, ddp, rdmap, rdmapx, rpcrdma, nfs (did you mean 'ddp'?)"),
    (("test", "127.0.0.1:1", "--rules=MPA-4.1-066"), "'MPA-4.1-066' matches no case (did you mean 'MPA-4.1-06'?)"),
    (("test", "127.0.0.1:1", "--rules=MPA-4.1-05"), "'MPA-4.1-05' matches no case: the rule has none in these suites (see: iwarp-gen list untested)"),
    (("test", "127.0.0.1:1", "--rules=cloudy"), "'cloudy' matches no case: expected the id of a case or rule"),
    (("connect", "127.0.0.1:1", "--rping", "--size=-1"), "--size: -1 is not from 1 to"),
    (("serve", "127.0.0.1:0", "--service=echo", "--idle-timeout=-1"), "--idle-timeout: -1 is not from 0.01 to 3600 seconds"),
    (("list", "clouds"), "clouds"),
    (("list", "mutant"), "did you mean 'mutants'?"),
    (("list", "faults", "more"), "unexpected argument 'more'"),
    (("lits",), "there is no command 'lits' (did you mean 'list'?)"),
    (("help", "conect"), "there is no command 'conect' (did you mean 'connect'?)"),
    (("help", "list", "more"), "unexpected argument 'more'"),
    (("play", "rev1", "-o", "{tmp}/x", "--injekt=MPA-3-01"), "unknown option --injekt=MPA-3-01 (did you mean --inject?)"),
    (("play", "ref1", "-o", "{tmp}/x"), "no scenario 'ref1' (did you mean 'rev1'?)"),
    (("play", "rev1", "rev2", "-o", "{tmp}/x"), "unexpected argument 'rev2'"),
    (("play", "bulk", "-o", "{tmp}/x", "--size=-5"), "--size: '-5' is not a number of octets above 0"),
    (("play", "bulk", "-o", "{tmp}/x", "--size=0"), "--size"),
    (("play", "bulk", "-o", "{tmp}/x", "--size=99999999999G"), "--size"),
    (("--no-such-option",), "no-such-option"),
    (("play", "rev1", "--no-such-option"), "no-such-option"),
    (("list",), "expected: iwarp-gen list"),
    (("play", "rev1", "-o", "{tmp}/x", "--inject=MPA-3-01,MPA-0-00"), "no fault 'MPA-0-00'"),
])
def test_errors(gen, tmp_path, arguments, message):
    run = gen(*(a.replace("{tmp}", str(tmp_path)) for a in arguments))
    assert run.returncode == 2
    assert run.stderr.startswith("iwarp-gen: ") and message in run.stderr and run.stderr.count("\n") == 1
    assert run.stdout == ""
    assert list(tmp_path.iterdir()) == []  # no incomplete capture is left


def commands_of(gen):
    text = gen("--help").stdout
    return [line.split()[0] for line in text[text.index("Commands:"):text.index("Options:")].splitlines()[1:] if line]


def test_help_of_every_command(gen):
    commands = commands_of(gen)
    assert {"play", "list", "connect", "listen", "serve", "test", "learn", "simulate", "report", "help"} == set(commands)
    for command in commands[:-1]:
        run = gen(command, "--help")
        assert run.returncode == 0 and run.stdout.startswith(f"Usage:\n  iwarp-gen {command} ")
        assert gen("help", command).stdout == run.stdout == gen(command, "-h").stdout
    assert gen("help").stdout == gen("--help").stdout == gen("help", "help").stdout
    assert gen("--version").stdout.startswith("iwarp-gen ") and gen("-V").stdout == gen("--version").stdout


def test_help_has_one_option_a_line(gen, monkeypatch):
    for width in ("60", "80", "300"):
        monkeypatch.setenv("COLUMNS", width)
        for command in ("play", "connect", "listen", "serve", "test", "learn", "simulate", "report"):
            lines = gen(command, "--help").stdout.splitlines()
            options = [line for line in lines if re.match(r"  (-[a-zA-Z], |    )--", line)]
            assert options and all(len(re.findall(r"(?<!\S)--[a-z]", line[:10])) == 1 for line in options)
            assert all(len(line) <= max(min(int(width), 100), 50) for line in lines[2:]), command


def test_each_command_has_a_page_with_its_options(gen, root):
    for command in commands_of(gen)[:-1]:
        page = (root / "docs" / f"iwarp-gen-{command}.1").read_text(encoding="utf-8")
        assert page.splitlines()[2] == f".Dt IWARP-GEN-{command.upper()} 1"
        described = {name for line in page.splitlines() if line.startswith(".It Fl") for name in re.findall(r"Fl -([a-z-]+)", line)}
        offered = set(re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", gen(command, "--help").stdout))
        assert described == offered, command
        assert f"Xr iwarp-gen-{command} 1" in (root / "docs" / "iwarp-gen.1").read_text(encoding="utf-8")


def test_the_page_of_the_extcap_has_its_options(build, root):
    page = (root / "docs" / "iwarp-extcap.1").read_text(encoding="utf-8")
    offered = subprocess.run([build / "traffic-gen" / "iwarp-extcap", "--help"], capture_output=True, text=True, check=True).stdout
    described = {name for line in page.splitlines() if line.startswith(".It Fl") for name in re.findall(r"(?:Fl |, |\| )-([a-z0-9-]+)", line)}
    assert described == set(re.findall(r"(?m)^ +--([a-z0-9-]+)", offered)) - {"extcap-interface"}


def test_the_example_on_the_page_of_waiver_files_is_one(build, root, tmp_path):
    page = (root / "docs" / "iwarp-waivers.5").read_text(encoding="utf-8")
    example = page[page.index(".Bd -literal\n") + len(".Bd -literal\n"):page.index(".Ed\n")]
    (tmp_path / "known.yaml").write_text(example, encoding="utf-8")
    (tmp_path / "mistake.yaml").write_text(example.replace("MPA-4.3-03", "MPA-4.3-3"), encoding="utf-8")
    check = [build / "conformance" / "iwarp-check", "--list-rules"]
    assert subprocess.run([*check, f"--waivers={tmp_path}/known.yaml"], capture_output=True, check=False).returncode == 0
    refused = subprocess.run([*check, "--waivers=mistake.yaml"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.replace("mistake.yaml", "known.yaml").strip() in page


def test_former_names_of_options(gen):
    """They work, and --help does not show them."""
    for command, name in (("connect", "--device"), ("serve", "--connections"), ("test", "--write")):
        assert f" {name}=" not in gen(command, "--help").stdout
    assert "is not echo or rpc" in gen("connect", "127.0.0.1:1", "--device=x").stderr
    assert "is not one of" in gen("serve", "127.0.0.1:0", "--connections=1", "--service=x").stderr


def test_options_before_the_command(gen, tmp_path):
    assert gen("--seed=7", "-o", tmp_path / "a", "play", "rev1").returncode == 0
    assert gen("play", "rev1", "--seed=7", "-o", tmp_path / "b").returncode == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_several_faults(gen, check, tmp_path):
    """Each in its own conversation, one after the other, with different addresses."""
    path = tmp_path / "x.pcapng"
    ids = ["MPA-3-01", "MPA-4.1-02", "MPA-3-01"]
    assert gen("play", "rev1", f"--inject={','.join(ids)}", "-o", path).returncode == 0
    connections = read_report(check("--format=ndjson", path).stdout)["captures"][0]["connections"]
    assert [[f["rule"] for f in c["findings"]] for c in connections] == [[id] for id in ids]
    assert len({c["initiator"] for c in connections}) == 3
    assert [c["start_frame"] for c in connections] == sorted(c["start_frame"] for c in connections)


def test_full_disk(gen):
    run = gen("play", "bulk", "--size=3M", "-o", "/dev/full")
    assert run.returncode == 2 and "No space left" in run.stderr
    assert os.path.exists("/dev/full")  # a failed run removes its incomplete file, never a device


def test_lists_are_tables(gen):
    for what, columns in (("scenarios", 2), ("faults", 4)):
        lines = gen("list", what).stdout.splitlines()
        assert len(lines) > 20
        assert all(len(line.split("\t")) == columns for line in lines)
        ids = [line.split("\t")[0] for line in lines]
        assert len(set(ids)) == len(ids)


def test_seed_decides_everything(gen, tmp_path):
    def play(name, *options):
        path = tmp_path / name
        assert gen("play", "markers", "-o", path, *options).returncode == 0
        return path.read_bytes()

    trouble = "--net=loss=0.1,reorder=0.1,dup=0.1,resegment=0.1"
    assert play("a", trouble, "--seed=7") == play("b", trouble, "--seed=7")
    assert play("c", trouble, "--seed=8") != play("d", trouble, "--seed=7")
    assert play("e") == play("f", "--seed=99")  # nothing is random without trouble


def test_standard_output(gen, build, tmp_path):
    path = tmp_path / "x.pcapng"
    gen("play", "rev1", "-o", path)
    run = subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "rev1", "-o", "-"], capture_output=True, check=True)
    assert run.stdout == path.read_bytes()


def test_count(gen, check, tmp_path):
    """As many operations as requested, all of them linked."""
    path = tmp_path / "x.pcapng"
    assert gen("play", "operations", "--count=501", "-o", path).returncode == 0
    report = check("--format=ndjson", path)
    assert report.returncode == 0
    operations = read_report(report.stdout)["captures"][0]["connections"][0]["counts"]["operations"]
    assert operations == {"read_request": 251, "read_response": 251, "atomic_request": 250, "atomic_response": 250}


@pytest.mark.parametrize("options", [("--connections=3",), ("--transport=roce",), ("--ipv6", "--vlan")], ids=" ".join)
def test_size_of_metadata(gen, check, tmp_path, options):
    """About the requested size, for rounds of any size; NFSv3, then NFSv4.1, for each client."""
    path = tmp_path / "x.pcapng"
    assert gen("play", "nfs-metadata", "--size=2M", *options, "-o", path).returncode == 0
    assert 0.8 < path.stat().st_size / 2_000_000 < 1.2
    report = check("--format=ndjson", path)
    assert report.returncode == 0
    connections = read_report(report.stdout)["captures"][0]["connections"]
    assert len(connections) == (6 if "--connections=3" in options else 2)


def test_repeat_count(gen, check, tmp_path):
    """For a scenario in a file: as often as --count says, or once; --size works as well, but not both."""
    path, scenario = tmp_path / "x.pcapng", tmp_path / "sends.scenario"
    scenario.write_text("# sends\n\nrepeat count {\n  I send len=100\n}\n")
    for count, options in ((1, ()), (7, ("--count=7",))):
        assert gen("play", scenario, *options, "-o", path).returncode == 0
        assert read_report(check("--format=ndjson", path).stdout)["captures"][0]["connections"][0]["counts"]["operations"]["send"] == count
    assert gen("play", scenario, "--size=100k", "-o", path).returncode == 0
    assert 90_000 < path.stat().st_size < 110_000
    both = gen("play", scenario, "--size=100k", "--count=7", "-o", path)
    assert both.returncode == 2 and "--size is only for" in both.stderr
    many = gen("play", scenario, "--count=2000000", "-o", path)
    assert many.returncode == 2 and "sends.scenario:3: a count of more than" in many.stderr


def test_many(gen, check, tmp_path):
    """Overlapping connections, each complete, every twentieth left open; without findings."""
    path = tmp_path / "x.pcapng"
    assert gen("play", "many", "--connections=201", "-o", path).returncode == 0
    report = check("--format=ndjson", path)
    assert report.returncode == 0
    connections = read_report(report.stdout)["captures"][0]["connections"]
    assert len(connections) == len({c["initiator"] for c in connections}) == 201
    assert all(c["counts"]["fpdus"] == [2, 2] for c in connections)
    assert [c["id"] for c in connections if not c["mpa"]["complete"]] == list(range(20, 201, 20))
    assert all(a["end_frame"] > b["start_frame"] for a, b in zip(connections, connections[30:]))


def test_formats_and_snap_length(gen, check, tmp_path):
    plain, cut = tmp_path / "plain.pcap", tmp_path / "cut.pcapng"
    assert gen("play", "rev1", "--pcap", "-o", plain).returncode == 0
    assert plain.read_bytes()[:4] == bytes.fromhex("4d3cb2a1")
    assert check(plain).returncode == 0
    assert gen("play", "rev1", "--snaplen=96", "-o", cut).returncode == 0
    assert check(cut).returncode == 0  # missing packets are not a finding


def test_never_over_the_scenario(gen, tmp_path):
    path = tmp_path / "mine.scenario"
    path.write_text("# mine\n")
    run = gen("play", path, "-o", path)
    assert run.returncode == 2 and "is the scenario itself; give another name" in run.stderr
    assert path.read_text() == "# mine\n"
