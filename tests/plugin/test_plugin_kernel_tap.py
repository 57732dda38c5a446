# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of iwarp-tap in Wireshark: the findings of iwarp-check, and none about fields that the tap had to invent."""
import json
import subprocess

import pytest

from tests import tap_events

# Conforming, and what a server or a client does wrong: in a header, by RDMA, in NFS, in credits.
FAULTS = [None, "RPCR-4.1.2-02", "RPCR-3.4.6-04", "RPCR-3.4.6-10", "RPCR-3.3.1-05", "RPC-9-02", "RPCR-4.5.3-04+ok"]


def scenario_of(build, fault):
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], capture_output=True, text=True, check=True).stdout
    return next(line.split("\t")[1] for line in listed.splitlines() if line.split("\t")[0] == fault)


@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
@pytest.mark.parametrize("fault", FAULTS)
def test_findings_are_those_of_iwarp_check(wireshark, check, build, tmp_path, fault, server):
    replay = build / "tests" / "tap" / "tap-replay"
    if not replay.exists():
        pytest.skip("tap-replay is not built")
    wire, path = tmp_path / "wire.pcapng", tmp_path / "tap.pcapng"
    scenario = [scenario_of(build, fault), f"--inject={fault}"] if fault else ["nfs41"]
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *scenario, "--transport=roce", "-o", wire], check=True, capture_output=True)
    subprocess.run([replay, path], input=tap_events.records(wire, server), check=True, stderr=subprocess.PIPE)
    lines = map(json.loads, check("--format=ndjson", path).stdout.splitlines())
    expected = {finding["rule"] for line in lines if line["type"] == "connection" for finding in line["findings"]}
    rows = wireshark.fields(path, ["iwarp.finding", "mpa.rule", "rddp.rule", "rdmap.rule"], "-2")
    found = {rule for row in rows for rule in row["iwarp.finding"]}
    assert not any(row[layer] for row in rows for layer in ("mpa.rule", "rddp.rule", "rdmap.rule"))
    assert found == expected
