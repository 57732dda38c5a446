# SPDX-License-Identifier: GPL-2.0-or-later
"""Each field of conforming captures is changed to a few values, with computed fields corrected: a finding names the mutant, or legal.tsv has
the standard's reason why no rule is broken.

fields.tsv has a row for each field with its values. In legal.tsv `kind` is legal, or other: then the rule belongs to a document that is not
judged. pending.tsv has faults that the checker should still find; there `kind` is the necessary work. A sample by default, everything with
IWARP_ALL. IWARP_SURVIVORS names a file for unexplained mutants."""
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "rules"))
import catalogue  # noqa: E402
from mutants import explain, judge, rows, table

RPC = ("rpcrdma", "rpcrdma-long", "rpcrdma-invalidate", "rpcrdma-private-data", "rpcrdma-both-directions", "nfs-retry",
       "nfs3", "nfs40", "nfs41", "nfs41-chunks", "nfs41-backchannel", "nfs42", "nfs40-callback",
       "stack-nfs41-backchannel", "rpcrdma-unused", "nfs2", "nfs-gss", "old-msgp")
SCENARIOS = {"iwarp": ("rev1", "rev2", "rev2-plain", "rtr-read", "rtr-write", "rtr-send", "private-data", "markers",
                       "markers-no-crc", "ddp", "rdmap", "atomics", "immediate", "terminate", "terminates",
                       "write-then-atomic", *RPC), "roce": RPC}
ALL = os.environ.get("IWARP_ALL") == "1"
MOST = 4 if ALL else 2  # of each kind of field in a capture
SHARE = 1.0 if ALL else 0.2


@pytest.fixture(scope="module")
def judged(build, tmp_path_factory):
    """(transport, mutant, its findings) of all mutants."""
    folder = tmp_path_factory.mktemp("mutants")

    def look(transport, scenario):
        path = folder / f"{transport}-{scenario}.pcap"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--transport={transport}", "--pcap", "-o",
                        path], check=True)
        return [(transport, mutant, found)
                for mutant, found in judge(build, scenario, path, transport, folder / path.stem, MOST, SHARE, catalogue.profile("", scenario))]

    jobs = [(transport, scenario) for transport, names in SCENARIOS.items() for scenario in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [one for part in pool.map(lambda job: look(*job), jobs) for one in part]


@pytest.fixture(scope="module")
def survivors(judged):
    """(transport, mutant, the rows that explain it)"""
    explanations = table("legal.tsv") + table("pending.tsv")
    return [(transport, mutant, explain(explanations, transport, mutant))
            for transport, mutant, found in judged if not found]


def text(transport, mutant):
    field = mutant.field
    return (f"{transport}\t{field.layer}\t{field.name}\t{field.of}\t{mutant.value}\t{mutant.capture}\t"
            f"no. {mutant.number}, place {mutant.places[0]}, now {mutant.octets.hex()}")


def test_mutants_are_found(judged, survivors):
    found, silent, pending = collections.Counter(), collections.defaultdict(list), collections.Counter()
    for transport, mutant, names in judged:
        found[transport, mutant.field.layer] += bool(names)
    for transport, mutant, row in survivors:
        if row is None:
            silent[transport, mutant.field.layer].append(text(transport, mutant))
        elif row["kind"] not in ("legal", "other"):
            pending[row["kind"]] += 1
    every = [line for lines in silent.values() for line in lines]
    if "IWARP_SURVIVORS" in os.environ:
        with open(os.environ["IWARP_SURVIVORS"], "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in every)
    scores = {key: found[key] / (found[key] + len(silent[key])) for key in sorted(found)}
    for (transport, layer), score in scores.items():
        print(f"{transport} {layer}: {score:.2%} of {found[transport, layer] + len(silent[transport, layer])}")
    print(f"{len(judged)} mutants; still to be found: {dict(pending)}")
    assert len(judged) > (20000 if ALL else 2000)
    assert not every, f"{scores}\n" + "\n".join(every[:100])


@pytest.mark.all
def test_each_reason_is_needed(survivors):
    used = [row for _, _, row in survivors]
    assert [row for row in table("legal.tsv") if row not in used] == []


@pytest.mark.all
def test_each_field_is_changed(judged):
    assert set(rows()) == {(mutant.field.layer, mutant.field.name) for _, mutant, _ in judged}
