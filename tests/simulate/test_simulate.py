# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen simulate: seconds of random conversations, and what proves that the comparison can fail."""
import os
import re
import subprocess

import pytest

SECONDS = os.environ.get("IWARP_SIMULATE_SECONDS")
BUDGET = f"--seconds={SECONDS}" if SECONDS else "--count=20000"  # some ten seconds, the same on any machine
SEED = int(os.environ.get("IWARP_SIMULATE_SEED", "1"))
SUMS = re.compile(r"(\d+) conversations in [\d.]+ s of processor time, (\d+) a second\n"
                  r"  (\d+) conforming, (\d+) with a fault, of which (\d+) were provoked\n"
                  r"  (\d+) captures with distortions; (\d+) faults stay visible in them\n"
                  r"  (\d+) wrong")


@pytest.fixture
def simulate(build):
    def run(*options):
        return subprocess.run([build / "traffic-gen" / "iwarp-gen", "simulate", *map(str, options)], capture_output=True,
                              text=True, check=False)
    return run


def sums(run):
    names = "played rate conforming faults provoked distorted visible wrong".split()
    return dict(zip(names, map(int, SUMS.search(run.stdout).groups())))


def test_every_verdict_is_right(simulate):
    run = simulate(BUDGET, f"--seed={SEED}", "--reduce")
    assert run.returncode == 0, run.stdout + run.stderr
    print(run.stdout)
    found = sums(run)
    assert found["wrong"] == 0 and found["provoked"] == found["faults"]
    assert min(found["conforming"], found["faults"]) > found["played"] * 0.4
    assert found["distorted"] > found["played"] * 0.5 and found["visible"] > found["played"] * 0.03


@pytest.mark.all
def test_pace(build, simulate):
    """Figures for each second of one core. The sanitizers take more."""
    if build.name == "release":
        assert sums(simulate("--count=20000"))["rate"] >= 500


@pytest.mark.parametrize("fault", ["MPA-4.1-05", "DDP-4.1-04", "RDMAP-4.4-03", "RPCR-3.4.6-04", "RPCR-4.3.3-01", "RPC-9-01"])
def test_a_rule_that_is_not_judged_is_missed(simulate, fault):
    assert simulate(f"--inject={fault}", "--count=10").returncode == 0
    blind = simulate(f"--inject={fault}", f"--check=--skip={fault}", "--count=10", "--failures=1")
    assert blind.returncode == 1 and f"fault missed: {fault} is not named" in blind.stdout, blind.stdout


def test_an_accusation_that_was_not_planted_is_false(simulate):
    """The checker reads the wrong document: RFC 5666 instead of RFC 8166, and peers of the RDMA Consortium."""
    for profile in ("rfc5666", "rdmac"):
        run = simulate("--conforming", f"--check=--profile={profile}", "--count=300", "--failures=1")
        assert run.returncode == 1 and "false finding: frame " in run.stdout, profile


def test_a_seed_is_the_same_alone(simulate, tmp_path):
    together = simulate("--seed=40", "--count=5", "--verbose").stdout
    alone = simulate("--seed=43", "--count=1", "--verbose", "-w", tmp_path / "a.pcapng").stdout
    assert alone[:alone.index("seeds ")] in together
    simulate("--seed=43", "--count=1", "-w", tmp_path / "b.pcapng")
    assert (tmp_path / "a.pcapng").read_bytes() == (tmp_path / "b.pcapng").read_bytes()


def test_reduction(build, check, simulate, tmp_path):
    """What remains is short, wrong in the same way, and its command plays it."""
    blind = "--check=--skip=RPCR-3.4.6-04"
    run = simulate("--inject=RPCR-3.4.6-04", blind, "--count=30", "--failures=1")
    seed = re.search(r"seed (\d+)", run.stdout)[1]
    run = simulate("--inject=RPCR-3.4.6-04", blind, f"--seed={seed}", "--count=1", "--reduce", "-w", tmp_path / "short.pcapng")
    whole, short = run.stdout.split("reduced:\n")
    assert "RPCR-3.4.6-04 is not named" in short
    commands = [re.search(r"^  client 1: iwarp-gen (.*)", text, re.MULTILINE)[1] for text in (whole, short)]
    assert commands[1].count(";") <= commands[0].count(";") and "client 2" not in short
    played = subprocess.run(f"{build}/traffic-gen/iwarp-gen {commands[1]} -o {tmp_path}/played.pcapng", shell=True, check=False)
    assert played.returncode == 0
    assert (tmp_path / "played.pcapng").read_bytes() == (tmp_path / "short.pcapng").read_bytes()
    assert "RPCR-3.4.6-04" in check(tmp_path / "short.pcapng").stdout


@pytest.mark.parametrize("options, message", [
    (["--count=0"], "--count: 0 is not from 1 to"),
    (["--inject=MPA-0"], "no fault 'MPA-0'"),
    (["-w", "x.pcapng"], "-w writes the capture of one seed"),
    (["--check=--nonsense"], "nonsense"),
    (["more"], "expected: iwarp-gen simulate"),
])
def test_wrong_usage(simulate, options, message):
    run = simulate(*options)
    assert run.returncode == 2 and message in run.stderr, run.stderr


def test_a_full_disk(simulate):
    run = simulate("--count=1", "-w", "/dev/full")
    assert run.returncode == 2 and "/dev/full: No space left on device" in run.stderr
