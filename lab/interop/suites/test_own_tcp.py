# SPDX-License-Identifier: GPL-2.0-or-later
"""Own TCP and Linux 7.2 on siw, in each direction, also while connections break: what either side has acknowledged is there."""
import re

import pytest

import chaos
import guest as lab
import mounting
import tap

pytestmark = [pytest.mark.all, pytest.mark.skipif(lab.why_not() is not None, reason=str(lab.why_not()))]


@pytest.fixture(scope="module")
def tapped():
    booted = tap.Tapped("siw-patched", services="nfs,client")
    yield booted
    booted.close()


def test_linux_mounts_our_server(build, tapped, tmp_path):
    with chaos.serving(build, tapped, tmp_path / "serve.log"):
        status, said = tapped.guest.run(mounting.workload(f"{tap.OWN}:/", "4.2", None), 400)
    assert status == 0 and mounting.all_done(said), said


def test_client_recovers(build, tapped):
    status, said, faults = chaos.client(build, tapped, "4.2", 2, 60)
    assert status == 0, said
    assert faults >= 10 and int(re.search(r"(\d+) steps", said)[1]) >= 20, said


def test_server_keeps(build, tapped):
    status, said = chaos.server(build, tapped, 1, 40)
    assert status == 0 and re.search(r"--chaos=1: 45 steps, \d\d faults", said), said
