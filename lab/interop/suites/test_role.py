# SPDX-License-Identifier: GPL-2.0-or-later
"""The Ansible role of packaging/ansible and its playbook, on separate hosts: a guest mounts NFS from another guest; captured there, judged
here. Linux's known deviations end red, and with their waivers green."""
import json
import os
import shutil
import subprocess

import pytest

import guest as lab
import link
import machine

pytestmark = [pytest.mark.all, pytest.mark.skipif(lab.why_not() is not None, reason=str(lab.why_not())),
              pytest.mark.skipif(not shutil.which("ansible-playbook"), reason="no ansible-playbook")]
FILTERS = {"siw": "port 20049", "rxe": "udp port 4791"}


def boot(device):
    """Boots again if a guest hangs in its boot."""
    for again in range(machine.TRIES):
        try:
            return link.Link(device, dict.fromkeys(("client", "server"), lab.RELEASE), {"client": "client", "server": "nfs"})
        except machine.Gone:
            if again + 1 == machine.TRIES:
                raise


@pytest.fixture(scope="module", params=["rxe", "siw"])
def pair(request):
    """The client has no RDMA device yet."""
    booted = boot(request.param)
    status, said = booted["client"].run(f"rdma link delete {request.param}0")
    assert status == 0, said
    yield booted
    booted.stop()


@pytest.fixture
def play(pair, build, root, tmp_path):
    """play(NAME=VALUE, ...) -> (exit status, output, the report); check-nfs-rdma.yml for the client"""
    client = pair["client"]
    _, netdev = client.run("ls -d /sys/class/net/*/device | cut -d/ -f5")
    environment = os.environ | {"ANSIBLE_CONNECTION_PLUGINS": str(root / "lab" / "interop" / "guests" / "connection"), "LC_ALL": "C.UTF-8",
                                "ANSIBLE_HOME": str(tmp_path / "ansible"), "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local"),
                                "PATH": f"{build}/conformance:{os.environ['PATH']}"}
    settings = {"server": link.address("server"), "iwarp_guest_job": str(client.job), "ansible_become": False,
                "ansible_python_interpreter": "/usr/bin/python3", "iwarp_check_driver": pair.device, "iwarp_check_netdev": netdev.strip(),
                "iwarp_check_filter": FILTERS[pair.device], "iwarp_check_results": str(tmp_path)}

    def run(**variables):
        result = subprocess.run(["ansible-playbook", "-i", "client,", "-c", "guest", "-e", json.dumps(settings | variables),
                                 root / "packaging" / "ansible" / "check-nfs-rdma.yml"],
                                env=environment, capture_output=True, text=True, check=False, timeout=900)
        report = tmp_path / "client.txt"
        assert report.exists(), result.stdout + result.stderr
        return result.returncode, result.stdout + result.stderr, report.read_text(encoding="utf-8")
    return run


def test_waived(pair, play):
    """The role also makes the device."""
    status, said, report = play(iwarp_check_waivers=["linux"])
    assert status == 0 and report.startswith("PASS: no findings, ") and " waived in 1 connection" in report, said + report
    _, links = pair["client"].run("rdma link show; mount; ls /tmp")
    assert f"link {pair.device}_check/1 state ACTIVE" in links and "nfs4" not in links and "iwarp-check." not in links


def test_not_waived(play):
    """With the existing device, and NFSv3."""
    status, said, report = play(iwarp_check_waivers=[], export="/srv/nfs", vers="3,nolock,mountproto=tcp,mountport=20048")
    assert status != 0 and report.startswith("FAIL: ") and "--waivers=linux" in said and "failed=1" in said, said + report


def test_a_mount_that_fails(play):
    """Packets of the failing mount are still judged, and the role ends red."""
    status, said, _ = play(export="/absent")
    assert status != 0 and "/absent" in said and "capture.pcap" not in said, said
