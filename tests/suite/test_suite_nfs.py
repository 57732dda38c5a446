# SPDX-License-Identifier: GPL-2.0-or-later
"""The NFS suites without faults of the device: new XIDs, versions, exports, clients that unmount."""
import json
import re
import socket
import struct
import subprocess
import threading
import time

import pytest

import devices

FILES = "--rules=RPCR-3.4.5-07,EXP-3.8.1-03,NFSULB-6.4.2-05"


def calls(capture):
    """(TCP port of the client, XID) of each Call of the tester."""
    lines = subprocess.run([devices.CHECK, "--fail-on=never", capture], capture_output=True, text=True, check=False)
    assert lines.returncode in (0, 3), lines.stderr
    said = subprocess.run([devices.CHECK, "--print", capture], capture_output=True, text=True, check=False).stdout
    return [(int(found[2] or 1), found[1]) for found in
            re.finditer(r"> \[rpcrdma: RDMA_\w+ xid (0x\w+) .*?CALL [^\]]*\](?: connection (\d+))?", said)]


def run(*options, device=("rpc",)):
    return devices.run_responder(device, ["--service=nfs", *options], jobs=1, record=True)


def test_same_seed_same_xids_and_none_twice():
    first, again, other = (run(FILES, f"--seed={seed}") for seed in (7, 7, 8))
    assert first.status == 0, first.tell()
    xids = {name: calls(one.capture) for name, one in (("first", first), ("again", again), ("other", other))}
    cases = {name: [xid for _, xid in one] for name, one in xids.items()}
    assert sorted(cases["first"]) == sorted(cases["again"]) and len(cases["first"]) > 50
    assert not set(cases["first"]) & set(cases["other"])
    assert len(set(cases["first"])) == len(cases["first"]), "an XID on two connections"
    assert "--seed=7" in first.errors


def test_no_xid_twice_when_a_case_is_run_again():
    """A server's reply cache would repeat its first answers."""
    one = run("--rules=RPCR-3.4.5-07", "--repeat=3", "--seed=7")
    xids = [xid for _, xid in calls(one.capture)]
    assert len(xids) > 60 and len(set(xids)) == len(xids)


@pytest.mark.parametrize("version,others", [("3", ("4.0", "4.1", "4.2")), ("4.1", ("3", "4.0", "4.2"))])
def test_version_is_chosen(version, others):
    one = run("--rules=RPCR-3.4.5-07", f"--nfs-version={version}")
    assert one.outcome("passed") == ["RPCR-3.4.5-07"]
    said = subprocess.run([devices.CHECK, "--print", one.capture], capture_output=True, text=True, check=False).stdout
    assert ("CALL NFS3 WRITE" in said) == (version == "3")
    assert not any(f"minor {other[-1]}" in said for other in others)


def test_every_version_is_told():
    one = run("--rules=RPCR-3.4.5-07")
    assert one.tests["RPCR-3.4.5-07"]["actual"].startswith("NFS versions 3, 4.0, 4.1, 4.2: ")


def test_export_that_is_not_there():
    """MOUNT does not know the path; version 4 uses the root if the path does not exist."""
    one = run("--rules=RPCR-3.4.5-07", "--export=/not/there")
    assert one.outcome("passed") == ["RPCR-3.4.5-07"]
    assert one.tests["RPCR-3.4.5-07"]["actual"].startswith("NFS versions 4.0, 4.1, 4.2: ")
    only = run("--rules=RPCR-3.4.5-07", "--export=/not/there", "--nfs-version=3")
    assert only.outcome("not applicable") == ["RPCR-3.4.5-07"]
    assert "no file handle for the export" in only.tests["RPCR-3.4.5-07"]["actual"]


@pytest.mark.parametrize("option,words", [("--nfs-version=5", "is not a list of 3, 4.0"), ("--nfs-version=", "is not a list of 3, 4.0"),
                                          ("--mount-port=x", "is not a port"), ("--seed=-1", "is not from 0")])
def test_wrong_options(option, words):
    result = subprocess.run([devices.GEN, "test", "127.0.0.1:1", option], capture_output=True, text=True, check=False)
    assert result.returncode == 2 and words in result.stderr


def rpc_replies(listener, words_for):
    """RPC over TCP: answers each Call with a successful Reply with these words as results."""
    while True:
        client, _ = listener.accept()
        with client, client.makefile("rb") as call:
            octets = call.read((int.from_bytes(call.read(4), "big") & 0x7FFFFFFF) or 1)
            words = [int.from_bytes(octets[at:at + 4], "big") for at in range(0, len(octets), 4)]
            reply = [words[0], 1, 0, 0, 0, 0, *words_for(words)]
            client.sendall(struct.pack(f">{len(reply) + 1}I", 0x80000000 | 4 * len(reply), *reply))


@pytest.mark.parametrize("host,missing,outcome", [("127.0.0.111", None, "passed"), ("127.0.0.112", 100024, "failed"),
                                                  ("127.0.0.113", "rpcbind", "not applicable"),
                                                  ("127.0.0.114", "port", "not applicable")])
def test_services_over_tcp(host, missing, outcome, tmp_path):
    """The server's rpcbind is missing, knows MOUNT, NLM and NSM, or all except one, or replies without a port."""
    try:
        rpcbind, services = (socket.create_server((host, port)) for port in (111, 0))
    except PermissionError:
        pytest.skip("port 111 needs rights")
    with rpcbind, services:
        port = services.getsockname()[1]
        if missing == "rpcbind":
            rpcbind.close()
        else:
            ports = (lambda words: []) if missing == "port" else lambda words: [0 if words[-4] == missing else port]
            threading.Thread(target=rpc_replies, args=(rpcbind, ports), daemon=True).start()
        threading.Thread(target=rpc_replies, args=(services, lambda words: []), daemon=True).start()
        with subprocess.Popen([devices.SAMPLE_DEVICE, "responder", host, "0", "rpc"], stdout=subprocess.PIPE, text=True) as device:
            report = tmp_path / "report.json"
            subprocess.run([devices.GEN, "test", f"{host}:{device.stdout.readline().strip()}", "--service=nfs", "--rules=NFSULB-5.1-01",
                            "--format=json", f"--output={report}", *devices.TIMES], check=False, capture_output=True, timeout=60)
            device.kill()
    [result] = json.loads(report.read_text(encoding="utf-8"))["tests"]
    assert result["outcome"] == outcome, result["actual"]
    assert missing != 100024 or "NSM version 1" in result["actual"]


def connect_in_vain(port, stays):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"MPA ID Req Frame" + bytes([0x40, 1, 0, 0]))
        assert client.recv(20)[:16] == b"MPA ID Rep Frame"
        while stays and client.recv(4096):
            pass


@pytest.mark.parametrize("case", ["RPCR-4.5-10", "RPCR-3.4.5.1-03", "BIDI-4.1-05"])
@pytest.mark.parametrize("stays", [False, True])
def test_a_connection_without_calls_is_followed_by_another_one(stays, case, tmp_path):
    """From a client that changed its mind, or whose first Call was lost: the case runs on the next connection."""
    report = tmp_path / "report.json"
    with subprocess.Popen([devices.GEN, "test", "--listen", "127.0.0.1:0", "--service=nfs", f"--rules={case}", "--timeout=0.4",
                           "--format=json", f"--output={report}"], stderr=subprocess.PIPE, text=True) as test:
        port = int(test.stderr.readline().split()[-1])
        said = []
        reader = threading.Thread(target=lambda: said.extend(iter(test.stderr.readline, "")))
        reader.start()
        while not any("can run" in line for line in said):  # until then the device is learned
            connect_in_vain(port, False)
            time.sleep(0.3)
        connect_in_vain(port, stays)
        with subprocess.Popen([devices.GEN, "connect", f"127.0.0.1:{port}", "--as-device=rpc"], stderr=subprocess.DEVNULL) as device:
            reader.join()
            device.kill()
    [result] = json.loads(report.read_text(encoding="utf-8"))["tests"]
    assert result["outcome"] == "passed" and len(result["ports"]) > 1, result


@pytest.mark.parametrize("version", ["3", "40", "42"])
def test_unmounting_client_fails_nothing(version, tmp_path):
    """The client repeatedly mounts, works a little and unmounts."""
    report = tmp_path / "report.json"
    rules = "CMPD-4-03,CMPD-4-09,CMPD-5.2-02,RPCR-4.5-10,RPCR-4.4.1-01,NFSULB-6.6-03,BIDI-4.1-05,EXP-3.9-03"
    test = subprocess.Popen([devices.GEN, "test", "--listen", "127.0.0.1:0", "--service=nfs", f"--rules={rules}", "--timeout=0.4",
                             "--format=json", f"--output={report}"], stderr=subprocess.PIPE, text=True)
    port = test.stderr.readline().split()[-1]
    errors = []
    reader = threading.Thread(target=lambda: errors.append(test.stderr.read()))
    reader.start()
    try:
        while test.poll() is None:
            subprocess.run([devices.GEN, "connect", f"127.0.0.1:{port}", f"mount-nfs{version}"], capture_output=True, check=False,
                           timeout=60)
    finally:
        test.kill()
        reader.join()
        test.stderr.close()
    tests = json.loads(report.read_text(encoding="utf-8"))["tests"]
    assert len(tests) >= 9 and test.returncode == 0, errors
    assert [one["id"] + ": " + one["actual"] for one in tests if one["outcome"] == "failed"] == []
    assert any(one["outcome"] == "passed" for one in tests)
