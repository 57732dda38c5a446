# SPDX-License-Identifier: GPL-2.0-or-later
"""The generated corpus: every scenario, clean and with disturbances, and every fault, with iwarp-check's results."""
import concurrent.futures
import os
import subprocess

import pytest

from generated import Fault, Rule, judge, layer, listed_faults, name, profile

CHUNK = 100  # captures per call of iwarp-check


@pytest.fixture(scope="session")
def rules(catalogue):
    """Rules only of RoCE, which statements cannot break: test_roce_copies.py."""
    return {row["id"]: Rule(row["id"], row["judged"] == "yes" and row["transport"] != "ib", row["severity"],
                            row["with"] if row["judged"] == "with" else [row["same"], *row["with"]])
            for row in catalogue if layer(row["id"])}


@pytest.fixture(scope="session")
def gen(build):
    def run(*arguments):
        return subprocess.run([build / "traffic-gen" / "iwarp-gen", *arguments], capture_output=True, text=True,
                              check=False)
    return run


@pytest.fixture(scope="session")
def scenarios(gen):
    return [line.split("\t")[0] for line in gen("list", "scenarios").stdout.splitlines()
            if not line.startswith(("bulk", "nfs-bulk", "many"))]


@pytest.fixture(scope="session")
def faults():
    return listed_faults()


@pytest.fixture(scope="module")  # too large for each module to keep
def corpus(build, gen, scenarios, faults, tmp_path_factory):
    """name -> capture object of the report, for everything."""
    folder = tmp_path_factory.mktemp("corpus")
    jobs = [(s, s) for s in scenarios]
    jobs += [(name(f.id), f.scenario, "--inject=" + f.id) for f in faults]
    jobs += [(f"{s}-ipv6-vlan", s, "--ipv6", "--vlan") for s in scenarios]

    def make(job):
        path = folder / (job[0] + ".pcapng")
        run = gen("play", *job[1:], "-o", path)
        assert run.returncode == 0, run.stderr
        return path

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = list(pool.map(make, jobs))
        result = {}
        parts = []
        for rules in ("ietf", "rfc5666"):
            alike = [path for path in paths if profile(path) == rules]
            parts += [(alike[i:i + CHUNK], rules) for i in range(0, len(alike), CHUNK)]
        for part in pool.map(lambda p: judge(build, p[0], rules=p[1]), parts):
            result.update(part)
    assert len(result) == len(jobs)
    return result


FEW = 40


@pytest.fixture(scope="session")
def few(request):
    """So few faults are selected (-k RULE) that the rest of the corpus is not needed."""
    return sum("fault" in item.callspec.params for item in request.session.items if hasattr(item, "callspec")) <= FEW


@pytest.fixture(scope="session")
def play_fault(build, gen, tmp_path_factory):
    """The capture object of one fault."""
    folder = tmp_path_factory.mktemp("fault")

    def play(fault, *options):
        path = folder / (name(fault.id) + ".pcapng")
        run = gen("play", fault.scenario, "--inject=" + fault.id, *options, "-o", path)
        assert run.returncode == 0, run.stderr
        return judge(build, [path], rules=profile(path))[name(fault.id)]
    return play
