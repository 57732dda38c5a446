# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark's capture of RoCE is valid, so that the benchmark measures what it says."""

import pytest

import roce_bulk
from reports import read_report


@pytest.mark.parametrize("mtu", [256, 1024, 4096])
@pytest.mark.parametrize("icrc", [True, False])
def test_capture(check, tmp_path, mtu, icrc):
    capture = tmp_path / "roce.pcap"
    roce_bulk.play(capture, 1_000_000, mtu, icrc)
    result = check("--format=ndjson", capture)
    report = read_report(result.stdout)["captures"][0]
    connection, = report["connections"]
    assert result.returncode == 0 and connection["findings"] == []
    assert connection["ib"]["complete"] and connection["ib"]["path_mtu"] == mtu
    counted = connection["ib"]["icrc"]
    assert (counted["right"], counted["wrong"], counted["unknown"]) == ((report["packets"], 0, 0) if icrc else (0, 0, report["packets"]))
    calls = {call["name"].split()[-1]: (call["calls"], call["replies"]) for call in connection["rpcrdma"]["calls"]}
    assert calls["READ"][0] == calls["READ"][1] > 3 and calls["WRITE"][0] == calls["WRITE"][1] > 3
