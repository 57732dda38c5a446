# SPDX-License-Identifier: GPL-2.0-or-later
"""serve --service=nfs, and NFS scenarios of connect against it; both recordings are judged."""
import concurrent.futures
import re
import signal
import socket
import struct

import pytest

VERSIONS = ["2", "3", "4.0", "4.1", "4.2"]

DAY = """\
with work nfs=%s in-flight=4
I mkdir %s
I write %s/file len=300001
I read %s/file len=300001
I symlink %s/link text=file
I readlink %s/link text=file
I files %s count=500
I list %s count=502
I rename %s/file to=%s/moved
I remove %s/moved
I rmdir %s expect=NOTEMPTY
"""


def day(version, folder="dir"):
    return DAY % (version, *[folder] * (DAY.count("%s") - 1))


@pytest.fixture
def serve(start, tmp_path):
    def run(*options):
        return start("serve", "127.0.0.1:0", "--service=nfs", "-w", tmp_path / "server.pcapng", *options)
    return run


@pytest.fixture
def client(gen, tmp_path):
    """Plays a scenario's text against the server."""
    def run(server, text, *options, name="client"):
        scenario = tmp_path / f"{name}.scenario"
        scenario.write_text(text)
        return gen("connect", f"127.0.0.1:{server.port}", scenario, "-w", tmp_path / f"{name}.pcapng", *options)
    return run


def mount_port(server):
    """Printed before the port of NFS/RDMA."""
    assert server.port
    return re.search(r"MOUNT on port (\d+)", server.errors).group(1)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_day_of_work(serve, client, judge, tmp_path, version):
    server = serve("--once")
    run = client(server, day(version))
    assert (run.returncode, run.stderr) == (0, "")
    assert server.end() == 0, server.errors
    for side in "server", "client":
        rules, connections = judge(tmp_path / f"{side}.pcapng")
        assert not rules and len(connections) == 1


def test_many_clients_at_once(serve, client, judge, tmp_path):
    server = serve("--exit-after=20")
    assert server.port  # read once, before there are threads
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        runs = list(pool.map(lambda i: client(server, day(VERSIONS[i % 5], f"dir{i}"), name=f"client{i}"), range(20)))
    assert [run.stderr for run in runs if run.returncode] == []
    assert server.end() == 0, server.errors
    rules, connections = judge(tmp_path / "server.pcapng")
    assert not rules and len(connections) == 20


@pytest.mark.parametrize("version", ["2", "3"])
def test_mount_on_its_own_port(serve, client, judge, tmp_path, version):
    server = serve("--mount-port=0")
    run = client(server, day(version), f"--mount-port={mount_port(server)}")
    assert (run.returncode, run.stderr) == (0, "")
    assert server.end(signal.SIGTERM) == 0
    rules, _ = judge(tmp_path / "client.pcapng")
    assert not rules


def test_no_mount_there(serve, client):
    server = serve("--mount-port=0")
    run = client(server, day("3"), f"--mount-port={mount_port(server)}", "--export=/none")
    assert run.returncode == 2 and "/none is refused with status 2, there is no such export" in run.stderr
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        run = client(server, day("3"), f"--mount-port={unused.getsockname()[1]}")
    assert run.returncode == 2 and "asking MOUNT" in run.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_a_folder_of_the_disk(serve, client, judge, tmp_path, version):
    folder = tmp_path / "export"
    (folder / "sub").mkdir(parents=True)
    for i in range(20):
        (folder / "sub" / f"file{i}").write_bytes(b"x" * i * 1000)
    server = serve("--once", f"--export={folder}")
    run = client(server, f"with work nfs={version}\nI list sub count=20\nI getattr sub/file19 len=19000\nI mkdir new expect=ROFS\n")
    assert (run.returncode, run.stderr) == (0, "")
    assert server.end() == 0
    rules, _ = judge(tmp_path / "server.pcapng")
    assert not rules


def test_an_export_within(serve, client, tmp_path):
    folder = tmp_path / "export"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_bytes(b"123")
    server = serve(f"--export={folder}", "--mount-port=0")
    for version in VERSIONS:
        run = client(server, f"with work nfs={version}\nI getattr file len=3\n",
                     "--export=/a/b", f"--mount-port={mount_port(server)}")
        assert (run.returncode, run.stderr) == (0, ""), version


def test_what_cannot_be_served(gen, tmp_path):
    run = gen("serve", "127.0.0.1:0", "--service=nfs", f"--export={tmp_path}/none")
    assert run.returncode == 2 and "--export: " in run.stderr and "none" in run.stderr
    (tmp_path / "large").write_bytes(b"x" * (2 << 20))
    run = gen("serve", "127.0.0.1:0", "--service=nfs", f"--export={tmp_path}", "--tree-size=1")
    assert run.returncode == 2 and "large: does not fit; the tree" in run.stderr
    run = gen("serve", "127.0.0.1:0", "--service=nfs", "--mount-port=70000")
    assert run.returncode == 2 and "--mount-port: at most 65535" in run.stderr


def test_mount_of_strangers(serve, client):
    """The server survives any client of the port of MOUNT."""
    server = serve("--mount-port=0")
    port = int(mount_port(server))
    for octets in b"", b"GET / HTTP/1.0\r\n\r\n", b"\xff" * 100, struct.pack(">I", 0x80000004) + b"abcd", b"\x80":
        with socket.create_connection(("127.0.0.1", port), timeout=5) as stranger:
            stranger.sendall(octets)
    run = client(server, day("3"), f"--mount-port={port}")
    assert (run.returncode, run.stderr) == (0, "")
