# SPDX-License-Identifier: GPL-2.0-or-later
"""Live capture: traffic on the wire is judged, and the rights for opening the interface are given up."""
import os
import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="live capture needs rights")


def status(process):
    lines = open(f"/proc/{process.pid}/status", encoding="ascii").read().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def settle(process):
    """Waits until the kernel has delivered its packets and the process is idle."""
    time.sleep(1)
    idle = 0
    while idle < 5:
        idle = idle + 1 if status(process)["State"].startswith("S") else 0
        time.sleep(0.02)


HERE = "127.0.0.9"  # other tests use 127.0.0.1 at the same time


def watching(build, tmp_path, **environment):
    """iwarp-check -i lo, once it has opened the interface."""
    process = subprocess.Popen([build / "conformance" / "iwarp-check", "-i", "lo", "--no-progress",
                                f"--output={tmp_path}/report.txt", f"host {HERE}"], env=dict(os.environ, **environment),
                               stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while status(process).get("NoNewPrivs", "0").strip() != "1":
        if process.poll() is not None:
            said = process.stderr.read()
            process.stderr.close()
            pytest.skip(f"no live capture on this machine: {said}")
        assert time.monotonic() < end
        time.sleep(0.05)
    return process


def test_judges_and_has_no_rights(build, tmp_path):
    process = watching(build, tmp_path)
    rights = status(process)
    # CAP_DAC_OVERRIDE, as root's report is still to be written.
    assert int(rights["CapEff"], 16) == int(rights["CapPrm"], 16) == 1 << 1 and rights["Uid"].split() == ["65534"] * 4, rights
    with subprocess.Popen([build / "traffic-gen" / "iwarp-gen", "serve", f"{HERE}:0", "--service=rping", "--once"],
                          stderr=subprocess.PIPE, text=True) as server:
        port = server.stderr.readline().split()[-1]
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "connect", f"{HERE}:{port}", "--rping", "--count=3"],
                       check=True, capture_output=True, timeout=120)
    settle(process)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    process.stderr.close()
    report = (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert process.returncode in (0, 1) and "RDMA connection" in report and f":{port}" in report, report


def test_becomes_the_caller_of_sudo(build, tmp_path):
    tmp_path.chmod(0o777)
    for parent in list(tmp_path.parents)[:3]:  # pytest's directories are private to root
        parent.chmod(parent.stat().st_mode | 0o055)
    process = watching(build, tmp_path, SUDO_UID="65534", SUDO_GID="65534")
    rights = status(process)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    process.stderr.close()
    assert rights["Groups"].split() == [] and rights["CapPrm"].strip("0") == ""
    assert rights["Uid"].split() == ["65534"] * 4 and rights["Gid"].split() == ["65534"] * 4
