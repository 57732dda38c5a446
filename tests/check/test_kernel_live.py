# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check -i kernel: iwarp-tap beside it. A program with this name, which gives what iwarp-tap wrote once, plays its part."""
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from tests import captures, tap_events

FAKE = """#!{python}
import json, os, sys
folder = {folder!r}
json.dump({{"arguments": sys.argv[1:], "user": os.geteuid()}}, open(folder + "/started", "w"))
out = os.fdopen(1, "wb")
out.write(open(folder + "/first", "rb").read())
out.flush()
if {waits}:
    sys.stdin.read()
out.write(open(folder + "/rest", "rb").read())
out.close()
sys.exit({status})
"""


@pytest.fixture(scope="module")
def recorded(build, tmp_path_factory):
    """The output of iwarp-tap for a reader that judges at once: each tenth record is lost, and the count comes before later records."""
    replay = build / "tests" / "tap" / "tap-replay"
    if not replay.exists():
        pytest.skip("tap-replay is not built")
    folder = tmp_path_factory.mktemp("recorded")
    wire = folder / "wire.pcapng"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs41", "--transport=roce", "-o", wire], check=True, capture_output=True)
    records, at, lossy, number = tap_events.records(wire, True), 0, b"", 0
    while at < len(records):
        size = int.from_bytes(records[at:at + 4], "little")
        number += 1
        lossy += bytes(4) if number % 10 == 0 else records[at:at + 4 + size]
        at += 4 + size
    made = {}
    for name, octets in (("whole", records), ("lossy", lossy)):
        path = folder / f"{name}.pcapng"
        subprocess.run([replay, path], input=octets, check=True, capture_output=True)
        made[name] = path
    return made | {"lost": number // 10}


@pytest.fixture
def kernel(tmp_path):
    """Makes iwarp-tap, and the environment in which it is found."""
    def make(path, split=None, waits=False, status=0):
        octets = path.read_bytes()
        split = len(octets) if split is None else split
        (tmp_path / "first").write_bytes(octets[:split])
        (tmp_path / "rest").write_bytes(octets[split:])
        program = tmp_path / "bin" / "iwarp-tap"
        program.parent.mkdir()
        program.write_text(FAKE.format(python=sys.executable, folder=str(tmp_path), waits=waits, status=status), encoding="utf-8")
        program.chmod(0o755)
        return os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    return make


def capture_of(said):
    return next(line for line in map(json.loads, said.splitlines()) if line["type"] == "capture")


def test_the_kernel_is_an_interface(check, kernel, recorded, tmp_path):
    """Judged as the file is, and copied."""
    live = check("-i", "kernel", "-Z", "root", "--format=ndjson", "--verbose", "-w", tmp_path / "copy.pcap", env=kernel(recorded["whole"]))
    file = check("--format=ndjson", "--verbose", recorded["whole"])
    assert live.returncode == file.returncode == 0 and not live.stderr, live.stderr
    assert capture_of(live.stdout)["rules"] == capture_of(file.stdout)["rules"]
    assert capture_of(check("--format=ndjson", "--verbose", tmp_path / "copy.pcap").stdout)["rules"] == capture_of(file.stdout)["rules"]
    started = json.loads((tmp_path / "started").read_text(encoding="utf-8"))
    assert started["arguments"] == ["--child", "--write=-", "--user", "root"] and started["user"] == os.geteuid()


@pytest.mark.parametrize("packed", [False, True])
def test_losses_come_through_a_pipe(check, recorded, packed):
    """`iwarp-tap -w - | iwarp-check -` judges as `-i kernel` does."""
    octets = recorded["lossy"].read_bytes()
    said = check("--format=ndjson", "--verbose", "-", input=gzip.compress(octets) if packed else octets)
    capture = capture_of(said.stdout)
    assert said.returncode == 0 and capture["dropped"] == recorded["lost"], said.stderr
    assert any(counts["inconclusive"] for counts in capture["rules"].values()) and not any(counts["failed"] for counts in capture["rules"].values())


def test_options_of_live_captures(check, kernel, recorded, tmp_path):
    environment = kernel(recorded["whole"])
    said = check("-i", "kernel", "-c", "20", "--format=ndjson", env=environment)
    assert said.returncode == 0 and capture_of(said.stdout)["packets"] == 20
    assert check("-i", "kernel", "--summary", env=environment).stdout.startswith("kernel\tPASS\t")
    check("-i", "kernel", "host 192.0.2.1 and port 20049", env=environment)
    started = json.loads((tmp_path / "started").read_text(encoding="utf-8"))
    assert started["arguments"][2:] == ["--filter", "host 192.0.2.1 and port 20049"]
    assert re.search("^kernel\t.*iwarp-tap", check("-D").stdout, re.M) or check("-D").returncode


@pytest.fixture
def watching(build):
    """A running iwarp-check, once iwarp-tap has begun."""
    processes = []

    def start(environment, tmp_path, *arguments):
        process = subprocess.Popen([build / "conformance" / "iwarp-check", "-i", "kernel", *arguments], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes.append(process)
        end = time.monotonic() + 60
        while not (tmp_path / "started").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        return process
    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_recorded_until_the_signal_is_judged(kernel, recorded, watching, tmp_path, number):
    """iwarp-tap is asked to stop, and delivers its remaining records and the number of lost ones."""
    process = watching(kernel(recorded["lossy"], split=5000, waits=True), tmp_path, "--format=ndjson", "--verbose")
    if os.geteuid() == 0:
        status = open(f"/proc/{process.pid}/status", encoding="utf-8").read()
        assert re.search(r"^CapEff:\t0+$", status, re.M) and not re.search(r"^Uid:\t0", status, re.M)
    process.send_signal(number)
    said, errors = process.communicate(timeout=60)
    capture = capture_of(said)
    assert process.returncode == 0 and not errors, errors
    assert capture["dropped"] == recorded["lost"] and any(counts["inconclusive"] for counts in capture["rules"].values())
    assert not any(counts["failed"] for counts in capture["rules"].values())


def test_periods(kernel, recorded, watching, tmp_path):
    process = watching(kernel(recorded["whole"], waits=True), tmp_path, "--rotate=1", "--format=ndjson", "-Z", "root", f"--output={tmp_path / 'part.ndjson'}")
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "" and process.returncode == 0
    assert len(list(tmp_path.glob("part-*.ndjson"))) >= 3


@pytest.mark.parametrize("split", [0, 40, 5000])
def test_iwarp_tap_ends_early(check, kernel, recorded, split):
    """iwarp-tap has given the reason; packets before it are judged."""
    path = recorded["whole"]
    short = path.with_name(f"{split}.pcapng")
    short.write_bytes(path.read_bytes()[:split])
    said = check("-i", "kernel", "--format=ndjson", env=kernel(short, status=1))
    assert said.returncode == 2
    assert ("iwarp-tap ended early" if split else "kernel: iwarp-tap could not begin") in said.stdout + said.stderr


def test_it_is_not_installed(check, tmp_path):
    said = check("-i", "kernel", env=os.environ | {"PATH": str(tmp_path)})
    assert said.returncode == 2 and "kernel: iwarp-tap is not installed" in said.stderr and "(package iwarp-tap)" in said.stderr


@pytest.fixture
def enterable():
    """A folder that each user can enter, wherever the build is: also in root's home directory."""
    with tempfile.TemporaryDirectory(prefix="iwarp-live-") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def test_it_may_not_attach(build, enterable):
    """The program itself, without rights."""
    if not (build / "tap" / "iwarp-tap").exists():
        pytest.skip("iwarp-tap is not built")
    for program in ("tap/iwarp-tap", "conformance/iwarp-check"):
        shutil.copy(build / program, enterable)
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    said = subprocess.run([enterable / "iwarp-check", "-i", "kernel"], env=os.environ | {"PATH": f"{enterable}:{os.environ['PATH']}"}, cwd=enterable,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False, **nobody)
    assert said.returncode == 2 and said.stderr.startswith("iwarp-tap: not permitted") and "iwarp-check: kernel: iwarp-tap could not begin" in said.stderr


def waiting(build):
    """The program, where it has to wait."""
    program = build / "tap" / "iwarp-tap"
    if not program.exists() or os.geteuid() != 0 or not os.path.exists("/sys/kernel/btf/vmlinux") or os.path.exists("/sys/module/rpcrdma"):
        pytest.skip("needs root, a kernel with BTF, and rpcrdma not loaded")
    return program


@pytest.mark.parametrize("stop", ["limit", "signal", "parent"])
def test_it_waits_for_the_module(build, check, tmp_path, stop):
    """iwarp-tap says so once, and the capture that it writes is empty."""
    program, out = waiting(build), tmp_path / "empty.pcapng"
    more = {"limit": ["-d", "1"], "signal": [], "parent": ["--child"]}[stop]
    with subprocess.Popen([program, "-w", out, *more], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == "iwarp-tap: the kernel's module rpcrdma is not loaded: waiting for it\n"
        assert not out.exists()
        if stop == "signal":
            process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1] if stop != "limit" else process.stderr.read()
        assert process.wait(60) == 0 and errors == ""
    assert "no RDMA connection found" in check(out).stdout + check(out).stderr


def test_wireshark_does_not_wait(build, tmp_path):
    """Wireshark shows messages once the program has ended and its pipe was opened; both happen at once."""
    cases = {"the kernel's module rpcrdma is not loaded: load it, or mount by RDMA, and begin again": [], '--peer: unusable value "a"': ["--peer=a"]}
    for number, (words, more) in enumerate(cases.items()):
        out = tmp_path / f"{number}.pcapng"
        said = subprocess.run([waiting(build), "--capture", "--extcap-interface=iwarp-kernel", f"--fifo={out}", *more], capture_output=True, text=True,
                              timeout=60, check=False)
        assert (said.returncode, said.stderr) == (2, f"iwarp-tap: {words}\n")
        assert list(captures.pcapng(out.read_bytes())) == []


def test_a_filter_that_it_does_not_have(build):
    program = build / "tap" / "iwarp-tap"
    if not program.exists():
        pytest.skip("iwarp-tap is not built")
    for wrong in ("tcp", "host", "host a", "host 10.0.0.1 or port 1", "port 1 and", "port 1 and port 2", "", "port 1 port 2", "x" * 300):
        said = subprocess.run([program, "-w", "-", "--filter", wrong], capture_output=True, text=True, check=False)
        assert said.returncode == 2 and "not host ADDRESS, port PORT" in said.stderr, wrong
    for right in ("host 10.0.0.1", "port 20049", "host fd01::1 and port 20049", "port 1 && host 10.0.0.1"):
        for how in ([], ["--capture"]):
            said = subprocess.run([program, *how, "--extcap-interface=iwarp-kernel", "--extcap-capture-filter", right], capture_output=True,
                                  text=True, check=False)
            assert (said.returncode, said.stdout, said.stderr) == (0, "", ""), right


def test_wireshark_asks(build):
    """extcap(4): each option of the dialog is an option of the program."""
    program = build / "tap" / "iwarp-tap"
    if not program.exists():
        pytest.skip("iwarp-tap is not built")

    def ask(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    interfaces = ask("--extcap-interfaces", "--extcap-version=4.0").stdout
    interface = re.search(r"^interface \{value=([^}]+)\}\{display=NFS over RDMA in this kernel\}$", interfaces, re.M)[1]
    assert "dlt {number=1}" in ask(f"--extcap-interface={interface}", "--extcap-dlts").stdout
    dialog = ask(f"--extcap-interface={interface}", "--extcap-config").stdout
    calls = re.findall(r"^arg \{number=(\d+)\}\{call=--([a-z]+)\}", dialog, re.M)
    assert [int(number) for number, _ in calls] == list(range(len(calls))) and [call for _, call in calls] == ["peer", "port", "headers", "snap"]
    manual = ask("--help").stdout
    assert all(f"--{call}" in manual for _, call in calls)
    assert ask("--extcap-interface=eth0", "--extcap-dlts").returncode == 2
    for how in ([], ["--capture"]):
        wrong = ask(f"--extcap-interface={interface}", *how, "--extcap-capture-filter=tcp")
        assert wrong.returncode == 2 and "not host ADDRESS" in wrong.stdout
