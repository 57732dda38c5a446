# SPDX-License-Identifier: GPL-2.0-or-later
"""Every difference has a reason, every reason has a capture that shows it, and a fault of ours would be noticed: see README.md."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "plugin")]

import captures  # noqa: E402
import compare  # noqa: E402
import versions  # noqa: E402
from judge import Judge  # noqa: E402
from reasons import REASONS  # noqa: E402
from shark import Wireshark  # noqa: E402

SOURCES = ["generated", "real", "seeds", "mutants"]
FOUND = 0.98  # of the inserted faults, in each layer


def capture_of(name, build, folder):
    if name.startswith("mutate "):
        _, seed, rate, path = name.split()
        out = folder / f"mutant-{seed}-{rate}-{pathlib.Path(path).stem}.pcap"
        subprocess.run([build / "tests" / "fuzz" / "mutate", seed, rate, ROOT / "captures" / path, out], check=True, timeout=60)
        return out
    if not name.startswith("play "):
        return ROOT / "captures" / name
    out = folder / (name.replace(" ", "_") + ".pcap")
    subprocess.run([build / "traffic-gen" / "iwarp-gen", *name.split(), "-o", out], check=True, capture_output=True, timeout=60)
    return out


@pytest.fixture(scope="module")
def judged(build, tmp_path_factory):
    """(Judge, its verdicts, the parts of its capture) of all that show a reason."""
    if not list((build / "plugins").glob("run/*/epan/iwarp.so")):
        pytest.skip("built without plugins")
    shark, folder = Wireshark(build), tmp_path_factory.mktemp("differ")
    shark.patience = 900
    paths = {one.capture: capture_of(one.capture, build, folder) for one in REASONS}
    parts, others = captures.merge(paths.items(), folder / "merged.pcap")
    assert not others
    judge = Judge(shark, folder / "merged.pcap", folder)
    return judge, list(judge.verdicts()), parts


def test_each_difference_has_a_reason(judged):
    assert [verdict for verdict in judged[1] if verdict.reason is None] == []
    assert sum(judged[0].same.values()) > 15000 and sum(judged[0].agreed.values()) > 15000
    agreed = {pair.layer for pair in judged[0].shown.pairs if judged[0].agreed[pair.ours] > 100}
    assert agreed == {"mpa", "ddp", "rdmap", "rpcrdma", "rpc", "nfs"}  # if there is a third opinion


@pytest.mark.parametrize("reason", [one for one in REASONS if one.since <= versions.release() < one.until], ids=lambda one: one.name)
def test_each_reason_is_shown(judged, reason):
    _, verdicts, parts = judged
    part, = (part for part in parts if part.name == reason.capture)
    assert reason.name in {one.reason.name for one in verdicts if one.reason and part.first <= one.frame <= part.last}
    assert not reason.report or (ROOT / "lab" / "upstream" / "wireshark" / f"{reason.report}.md").exists()


def wrong(values):
    """Our values with one wrong value, and without one."""
    first = values[0]
    yield [first ^ 1 if isinstance(first, int) else ("00" if first == "01" else "01") + first[2:], *values[1:]]
    yield values[1:]


def test_a_fault_of_ours_has_no_reason(judged):
    """Each value of the plugins, changed and removed. If Wireshark's dissectors or the octets give the right value, the fault is found: no
    reason hides it."""
    judge, *_ = judged
    hidden, faults, alone = collections.Counter(), collections.Counter(), collections.Counter()
    for number, row in enumerate(judge.shown.ours, 1):
        judge.note(number)
        for pair in judge.shown.pairs:
            ours, theirs = compare.values(pair, row, False), compare.values(pair, judge.shown.theirs[number - 1], True)
            if not ours:
                continue
            if ours != theirs and judge.opinions.of(number, pair) is None:
                alone[pair.layer] += 1  # only the plugins have it
                continue
            for values in wrong(ours):
                verdict = judge.verdict(number, pair, values, theirs)
                faults[pair.layer] += 1
                if verdict is None or verdict.reason:
                    hidden[pair.layer, verdict.reason.name if verdict else "same"] += 1
    print(f"faults {dict(faults)}, hidden {dict(hidden)}; values of the plugins alone {dict(alone)}")
    found = {layer: 1 - sum(n for (of, _), n in hidden.items() if of == layer) / count for layer, count in faults.items()}
    assert set(found) == {pair.layer for pair in judge.shown.pairs}
    assert min(found.values()) >= FOUND, (found, hidden)


def test_command(build, tmp_path):
    """Its messages about bad input."""
    run = [sys.executable, HERE / "differ.py", f"--build={build}"]
    done = subprocess.run([*run, tmp_path / "none"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "differ.py: no captures in" in done.stderr
    done = subprocess.run([*run, f"--wireshark={tmp_path}", "generated"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "differ.py: no tshark in" in done.stderr


def test_without_the_patches(build):
    """A Wireshark that shows a fault although it is said to have its patch."""
    if not list((build / "plugins").glob("run/*/epan/iwarp.so")):
        pytest.skip("built without plugins")
    installed = pathlib.Path(shutil.which("tshark")).parent
    several = ROOT / "lab" / "upstream" / "captures" / "wireshark-several-messages.pcap"
    for option, left in (("--verbose", "0"), (f"--wireshark={installed}", "[1-9]")):
        done = subprocess.run([sys.executable, HERE / "differ.py", f"--build={build}", option, several], capture_output=True, text=True,
                              check=False, timeout=300)
        assert re.search(rf"^differences without a reason: {left}", done.stdout, re.M), done.stdout


@pytest.mark.all
@pytest.mark.parametrize("source", SOURCES)
def test_everything(build, source):
    """IWARP_WIRESHARK: the folder of a patched Wireshark."""
    patched = [f"--wireshark={os.environ['IWARP_WIRESHARK']}"] if "IWARP_WIRESHARK" in os.environ else []
    done = subprocess.run([sys.executable, HERE / "differ.py", f"--build={build}", *patched, source], capture_output=True, text=True, check=False,
                          env=os.environ, timeout=7200)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
