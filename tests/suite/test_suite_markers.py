# SPDX-License-Identifier: GPL-2.0-or-later
"""All tests of a device also run with Markers, wherever it accepts M = 1 (RFC 5044 section 4.3)."""
import socket
import subprocess
import time

import pytest

import devices

MARKERS = ["--mpa=markers=on", "--timeout=2", "--start-timeout=4", "--idle-timeout=4"]


def check(run, least):
    assert run.status == 0, run.errors + run.tell()
    assert set(run.outcome("failed") + run.outcome("inconclusive")) <= {"MPA-8-03"}, run.tell()
    assert len(run.outcome("passed")) >= least, run.tell()
    assert "Markers on" in run.report["start_up"]
    assert {(name, seen) for name, test in run.tests.items() for seen in test["observations"]} == set()


@pytest.mark.parametrize("role,device,least", [("responder", (), 190), ("responder", ("markers",), 190), ("responder", ("no-crc",), 190),
                                               ("initiator", (), 150), ("initiator", ("markers", "p2p"), 150)])
def test_our_markers(role, device, least):
    run = {"responder": devices.run_responder, "initiator": devices.run_initiator}[role]
    check(run(list(device), ["--skip=rpcrdma,nfs", *MARKERS], jobs=16), least)


def test_calls_with_markers():
    check(devices.run_responder(["rpc"], ["--service=nfs", "--suite=rpcrdma,nfs", "--mpa=markers=on", "--timeout=1"], jobs=4), 60)


@pytest.mark.parametrize("kind,options,least", [
    ("echo", ["--skip=rpcrdma,nfs"], 190),
    ("rping", ["--suite=mpa,mpa2,ddp,rdmap"], 60),
    ("sink", ["--suite=mpa,mpa2,ddp,rdmap"], 60),
    ("rpc", ["--service=nfs"], 150),
    ("nfs", ["--service=nfs", "--suite=mpa,mpa2,rpcrdma,nfs"], 100),
])
def test_serve_takes_markers(kind, options, least, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(tmp_path / "log", "w", encoding="utf-8") as log:
        server = subprocess.Popen([devices.GEN, "serve", f"127.0.0.1:{port}", f"--service={kind}", "--idle-timeout=5"],
                                  stdout=log, stderr=log, cwd=tmp_path)
    try:
        for _ in range(100):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        run = devices.run_test([f"127.0.0.1:{port}", *options, "--mpa=markers=on", "--timeout=1", "--start-timeout=14", "--idle-timeout=8"],
                               8, False)
    finally:
        server.kill()
        server.wait()
    assert not run.outcome("failed") and not run.outcome("unstable"), run.tell()
    assert len(run.outcome("passed")) >= least, run.tell()
    assert "Markers on" in run.report["start_up"]
