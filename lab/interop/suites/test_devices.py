# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen on RDMA devices (rdma:HOST:PORT) against Linux's NFS over RDMA, by soft RoCE and by siw: Linux mounts our server, our
client works on Linux's. The link is captured during the run, and iwarp-check finds nothing on our
side."""
import contextlib
import functools
import re

import pytest

import bench
import guest as lab
import link
import mounting

pytestmark = [pytest.mark.all, pytest.mark.skipif(lab.why_not() is not None, reason=str(lab.why_not()))]
VERSIONS = ["3", "4.0", "4.1", "4.2"]
WAIVERS = {"rxe": ["linux-6.1-nfsd"], "siw": ["linux-6.1-nfsd", "linux-6.1-siw"]}
OURS, LINUX, LINUX6 = bench.OURS, bench.LINUX, "fd01::2"


@pytest.fixture(scope="module", params=["rxe", "siw"])
def pair(request, build):
    booted = link.Link(request.param, dict.fromkeys(("ours", "linux"), lab.RELEASE), {"ours": "none", "linux": "nfs,client"})
    booted["ours"].install(build)
    yield booted
    booted.stop()


class Captured:
    """The link, captured during the test; calling it returns iwarp-check's output."""

    def __init__(self, pair, check, root, path):
        self.pair, self.path, self.is_on = pair, path, False
        waivers = [argument for name in WAIVERS[pair.device]
                   for argument in ("--waivers", root / "waivers" / f"{name}.yaml")]
        self.check = lambda: check(*waivers, path)

    def begin(self):
        self.path.unlink(missing_ok=True)
        self.pair.capture(self.path)
        self.is_on = True

    def __call__(self):
        if self.is_on:
            self.pair.capture()
            self.is_on = False
        return self.check()


@pytest.fixture
def captured(pair, check, root, tmp_path):
    link = Captured(pair, check, root, tmp_path / "link.pcap")
    link.begin()
    yield link
    result = link()
    assert result.returncode == 0, result.stdout[:4000]
    assert "PASS" in result.stdout, result.stdout[:4000]


def once_more_on_siw(test):
    """Up to three times if siw has missed the first FPDU of a connection, right after its Reply."""
    @functools.wraps(test)
    def run(pair, captured, **more):
        for again in (True, True, False):
            try:
                return test(pair=pair, captured=captured, **more)
            except AssertionError:
                lost = re.search(r"\b1 FPDUs? to the responder, 0 to the initiator", captured().stdout)
                if pair.device != "siw" or not again or not lost:
                    raise
                captured.begin()
    return run


@contextlib.contextmanager
def serving(pair, *options):
    pair["ours"].start(" ".join(["exec iwarp-gen serve rdma::20049 --service=nfs --verbose", *options]), "serve",
                       "nfs listening on RDMA port 20049")
    try:
        yield
    finally:
        status = pair["ours"].end("serve")
    assert status == 0, pair["ours"].log("serve")


def was_invalidated(report):
    return int((re.search(r"(\d+) Sends? with Invalidate", report) or ["", "0"])[1])


@pytest.mark.parametrize("version", VERSIONS)
@once_more_on_siw
def test_linux_mounts_our_server(pair, captured, version):
    with serving(pair, "--mount-port=20048"):
        status, said = pair["linux"].run(mounting.workload(f"{OURS}:/", version, 20048), 240)
    log = pair["ours"].log("serve")
    assert status == 0, said + log
    assert mounting.all_done(said), said
    assert sorted(re.findall(r"10\.1\.1\.2:\d+: (.*)", log)) == ["closed"] * 2 + ["connected"] * 2, log
    # Linux announces that its regions can be invalidated; so do we, if the device has memory windows.
    assert (was_invalidated(captured().stdout) > 0) == (pair.device == "rxe")


@once_more_on_siw
def test_linux_mounts_our_server_by_ipv6(pair, captured):
    with serving(pair):
        status, said = pair["linux"].run(mounting.workload("[fd01::1]:/", "4.2", None, "rdma6"), 240)
    assert status == 0, said
    assert "[fd01::1]:20049" in captured().stdout


@pytest.mark.parametrize("version", VERSIONS)
@once_more_on_siw
def test_our_client_mounts_linux(pair, captured, version):
    (pair["ours"].job / "real.scenario").write_text(mounting.SCENARIO.format(version=version), encoding="utf-8")
    mount = "--export=/srv/nfs --mount-port=20048" if version == "3" else ""
    status, said = pair["ours"].run(f"iwarp-gen connect rdma:{LINUX}:20049 /job/real.scenario {mount}", 60)
    assert status == 0, said
    seen = captured().stdout
    assert "by Read" in seen and " 0 by Read" not in seen and " 0 by Write" not in seen
    assert (was_invalidated(seen) > 0) == (pair.device == "rxe")
    pair["linux"].run(f"rm -rf /srv/nfs/v{version}")


@once_more_on_siw
def test_our_client_mounts_linux_by_ipv6_from_an_address(pair, captured):
    (pair["ours"].job / "real.scenario").write_text(mounting.SCENARIO.format(version="4.2"), encoding="utf-8")
    status, said = pair["ours"].run(f"iwarp-gen connect 'rdma:[{LINUX6}]:20049' /job/real.scenario --source=fd01::1", 60)
    pair["linux"].run("rm -rf /srv/nfs/v4.2")
    assert status == 0, said
    assert "[fd01::1]" in captured().stdout


@pytest.mark.parametrize("command, text", [
    (f"iwarp-gen connect rdma:{LINUX}:7 mount-nfs41", "(nobody listens|refused)"),
    (f"iwarp-gen connect rdma:{LINUX}:20049 mount-nfs41 --source=10.1.1.77", "Cannot assign requested address"),
    ("iwarp-gen connect rdma:127.0.0.1:20049 mount-nfs41 --timeout=2", "cannot connect to 127.0.0.1:20049: "),
    ("iwarp-gen serve rdma:10.5.5.5:20049 --service=nfs", "no RDMA device has this address"),
    (f"ulimit -l 64; setpriv --reuid=65534 --clear-groups iwarp-gen connect rdma:{LINUX}:20049 mount-nfs41",
     r"may lock 64 KiB of memory \(RLIMIT_MEMLOCK"),
    ("rdma link delete $(ls /sys/class/infiniband); iwarp-gen connect rdma:10.1.1.2:20049 mount-nfs41; rc=$?;"
     "modprobe -r rdma_ucm; rdma link add {device}0 type {device} netdev eth0;"
     "iwarp-gen connect rdma:10.1.1.2:20049 mount-nfs41; modprobe rdma_ucm; exit $rc",
     "(?s)no RDMA device on this host.*modprobe rdma_ucm"),
])
def test_what_is_wrong_is_said(pair, command, text):
    status, said = pair["ours"].run(command.replace("{device}", pair.device), 60)
    assert status == 2 and re.search(text, said), said
