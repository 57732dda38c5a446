# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux as the other side: siw, the RDMA tools, NFS over RDMA as client and as server. Each conversation is recorded, and
iwarp-check finds nothing on our side: deviations of siw and Linux's NFS are waived with reasons (waivers/)."""
import contextlib
import re
import signal
import subprocess

import pytest

import guest as lab
import mounting

pytestmark = [pytest.mark.all, pytest.mark.skipif(lab.why_not() is not None, reason=str(lab.why_not()))]
SETTLE = "0.3"  # siw loses FPDUs that come right after its Reply, until the next one comes
VERSIONS = ["3", "4.0", "4.1", "4.2"]


@pytest.fixture(scope="module")
def guest():
    booted = lab.Guest()
    yield booted
    booted.close()


@pytest.fixture
def recorded(root, check, tmp_path):
    """recorded("name") is a path for -w; afterwards each file passes iwarp-check."""
    paths = []

    def path(name):
        paths.append(tmp_path / f"{name}.pcapng")
        return paths[-1]
    yield path
    for capture in paths:
        result = check("--waivers", root / "waivers" / "linux-6.1-siw.yaml", "--waivers",
                       root / "waivers" / "linux-6.1-nfsd.yaml", capture)
        assert result.returncode == 0, result.stdout[:4000]


@pytest.fixture
def gen(build):
    def run(*arguments, timeout=120):
        result = subprocess.run([build / "traffic-gen" / "iwarp-gen", *map(str, arguments)], capture_output=True,
                                text=True, check=False, timeout=timeout)
        assert result.returncode == 0, (arguments, result.stdout[-2000:], result.stderr[-2000:])
        return result.stdout
    return run


@contextlib.contextmanager
def serving(build, *arguments, port=0):
    """iwarp-gen serve on the host's loopback, which the guest sees as lab.HOST; yields its messages about ports."""
    server = subprocess.Popen([build / "traffic-gen" / "iwarp-gen", "serve", f"127.0.0.1:{port}", *map(str, arguments)],
                              stderr=subprocess.PIPE, text=True)
    ports = {}
    try:
        for line in server.stderr:
            found = re.search(r"(\w+) (?:listening )?on port (\d+)", line)
            ports[found[1]] = int(found[2])
            if "listening" in line:
                break
        yield ports
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)
        server.stderr.close()
    assert server.returncode == 0


@pytest.mark.parametrize("size", [64, 4096, 60000])
def test_rping_client_of_linux(guest, build, recorded, size):
    with serving(build, "--service=rping", "-w", recorded("rping")) as ports:
        status, said = guest.run(f"rping -c -a {lab.HOST} -p {ports['rping']} -C 5 -S {size} -V")
    assert status == 0, said


@pytest.mark.parametrize("size", [16, 64])  # the buffers of rping -s have 64 octets
def test_rping_server_of_linux(guest, gen, recorded, size):
    said = gen("connect", guest.at("rping"), "--rping", "--count=5", f"--size={size}", "--verify",
               f"--first-delay={SETTLE}", "-w", recorded("rping"))
    assert "5 pings" in said


@pytest.mark.parametrize("version", VERSIONS)
def test_linux_mounts_our_server(guest, build, recorded, version):
    with serving(build, "--service=nfs", "--mount-port=0", "-w", recorded("nfs"), port=20049) as ports:
        status, said = guest.run(mounting.workload(f"{lab.HOST}:/", version, ports.get("MOUNT"), seconds=40), 180)
    assert status == 0, said
    assert mounting.all_done(said), said


@pytest.mark.parametrize("version", VERSIONS)
def test_our_client_mounts_linux(guest, gen, recorded, tmp_path, version):
    scenario = tmp_path / "real.scenario"
    scenario.write_text(mounting.SCENARIO.format(version=version), encoding="utf-8")
    mount = ["--export=/srv/nfs", f"--mount-port={lab.PORTS['mount']}"] if version == "3" else []
    gen("connect", guest.at("nfs"), scenario, f"--first-delay={SETTLE}", *mount, "-w", recorded("nfs"))


def has_recall(check, capture):
    return "1 NFS_CB1 CB_COMPOUND (reverse)" in check(capture).stdout


@pytest.mark.parametrize("version", ["4.1", "4.2"])
def test_linux_gives_a_delegation_back(guest, build, check, recorded, version):
    """Two mounts of one server: one has a file open, the other writes to it."""
    capture = recorded("nfs")
    with serving(build, "--service=nfs", "-w", capture, port=20049):
        mount = f"timeout 40 mount.nfs {lab.HOST}:/"
        status, said = guest.run(f"""
            set -e
            mkdir -p /tmp/one /tmp/two
            {mount} /tmp/one -o vers={version},proto=rdma,port=20049,hard
            {mount} /tmp/two -o vers=4.0,proto=rdma,port=20049,hard
            echo one > /tmp/one/file
            sync
            exec 4< /tmp/one/file # a read delegation comes with it
            cat <&4 > /dev/null
            echo two >> /tmp/two/file
            umount /tmp/two
            tail -n 1 /tmp/one/file
            exec 4<&-
            umount /tmp/one
            """, 120)
    assert status == 0, said
    assert said.splitlines()[-1] == "two"
    assert has_recall(check, capture)


def test_linux_asks_us_for_a_delegation(guest, gen, check, recorded, tmp_path):
    """A local user on the server's host writes to a file that our client has read and keeps reading."""
    def scenario(name, backchannel, jobs):
        path = tmp_path / f"{name}.scenario"
        path.write_text(f"with work nfs=4.2 backchannel={backchannel}\n{jobs}\n", encoding="utf-8")
        return path

    capture = recorded("nfs")
    gen("connect", guest.at("nfs"), scenario("before", 0, "I mkdir d; I write d/file len=20000"),
        f"--first-delay={SETTLE}")
    # Linux delegates no files that it recently had open for writing.
    guest.run("""
        sleep 8
        (until [ -e /srv/nfs/d/f50 ]; do sleep 0.05; done
         timeout 20 sh -c "echo more >> /srv/nfs/d/file" && touch /srv/nfs/d/written) >/dev/null 2>&1 &
        """)
    gen("connect", guest.at("nfs"), scenario("reader", 1, "I read d/file len=20000; I files d count=300"),
        f"--first-delay={SETTLE}", "-w", capture)
    status, said = guest.run("sleep 1; ls /srv/nfs/d/written; rm -r /srv/nfs/d")
    assert status == 0, said
    assert has_recall(check, capture)
