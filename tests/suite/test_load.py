# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen test --load, --soak and the origin in reports, on devices that only misbehave with other connections."""
import hashlib
import json
import re
import subprocess
import threading
import time

import pytest

import devices
import scripted
from crc32c import crc32c

TIMES = ["--timeout=0.4", "--start-timeout=1.2", "--idle-timeout=1.2"]
BAD_CRC = "--rules=MPA-8-02/crc"


class Echo(scripted.Device):
    """Echoes Sends, answers zero-length Reads, and knows its other connections. Calls bad_crc(device, connection)."""

    def __init__(self, **how):
        self.open, self.spoils, self.sleeps, self.most = [], False, threading.Event(), None
        self.sleeps.set()
        super().__init__(**how)

    def operate(self, connection, request):
        if self.most is not None and len(self.open) >= self.most:
            return
        self.open.append(connection)
        try:
            self.echo(connection, request)
        finally:
            self.open.remove(connection)

    def echo(self, connection, request):
        sends = 0
        while True:
            head = self.exactly(connection, 2)
            length = int.from_bytes(head, "big")
            rest = self.exactly(connection, length + -(length + 2) % 4 + 4)
            if request.crc and crc32c(head + rest[:-4]) != int.from_bytes(rest[-4:], "little"):
                self.bad_crc(self, connection)
                return
            self.sleeps.wait()
            ulpdu = (head + rest)[2:2 + length]
            if ulpdu[1] & 0x0F == 3:
                sends += 1
                back = bytearray(ulpdu[18:])
                if self.spoils and len(back) == 512:
                    back[100] ^= 1
                connection.sendall(scripted.fpdu(bytes([0x41, 0x43]) + bytes(8) + sends.to_bytes(4, "big") + bytes(4) + back, request.crc))
            elif ulpdu[1] & 0x0F == 1:
                connection.sendall(scripted.fpdu(bytes([0xC1, 0x42]) + ulpdu[18:30], request.crc))

    def others(self, connection):
        return [other for other in self.open if other is not connection]


def run(device, *args, load=2):
    return devices.run_test([f"127.0.0.1:{device.port}", *TIMES, "--service=echo", f"--load={load}", *args], 1, False)


def harmless(device, connection):
    pass


def close_others(device, connection):
    for other in device.others(connection):
        other.shutdown(2)


def spoil_others(device, connection):
    device.spoils = True


def hang_others(device, connection):
    device.sleeps.clear()
    threading.Timer(3, device.sleeps.set).start()


@pytest.mark.parametrize("what, found", [
    (harmless, None),
    (close_others, r"of 2 other connections with Sends that are echoed, 2 failed: expected the echo of a Send; found (FIN|RST)"),
    (spoil_others, r"octet 100 came back as [0-9a-f]{2} instead of [0-9a-f]{2}"),
    (hang_others, r"expected the echo of a Send; found nothing"),
])
def test_other_connections(what, found):
    with Echo(bad_crc=what) as device:
        result = run(device, BAD_CRC, "--confirm=1")
    case = result.tests["MPA-8-02/crc"]
    assert "2 connections with Sends that are echoed" in result.report["load"]
    if found:
        assert case["outcome"] == "failed" and re.search(found, case["actual"]), case["actual"]
        assert "; the case itself: " in case["actual"]
    else:
        assert case["outcome"] == "passed", case["actual"]
        assert int(result.report["load"].split(", ")[1].split()[0]) > 0


def test_our_own_device_under_load():
    result = devices.run_responder([], ["--suite=ddp", "--load=4"], jobs=1)
    assert result.status == 0 and len(result.outcome("passed")) > 35, result.tell()
    assert "4 connections with Writes that are read back" in result.report["load"]


def test_death_only_under_load():
    def die(device, connection):
        if len(device.open) > 2:
            device.die()

    with Echo(bad_crc=die) as device:
        alone = devices.run_test([f"127.0.0.1:{device.port}", *TIMES, "--service=echo", BAD_CRC], 1, False)
        assert alone.outcome("passed") == ["MPA-8-02/crc"]
        result = run(device, BAD_CRC, "--recover-timeout=0.3")
    assert result.status == 3 and result.tests["MPA-8-02/crc"]["death"] == "refuses", result.tell()


def test_load_that_the_device_does_not_take():
    with Echo(bad_crc=harmless) as device:
        device.most = 2
        result = run(device, BAD_CRC, load=4)
    assert result.status == 2 and re.search(r"--load: connection [23] of 4: ", result.errors), result.errors


@pytest.mark.parametrize("args, message", [
    (["--load=65"], "--load: 65 is not from 0 to 64"),
    (["--load=2", "-j", "2"], "--load: needs one case at a time (-j 1)"),
    (["--load=2", "--listen"], "--load: needs a device at HOST:PORT"),
    (["--soak=x"], "--soak: 'x' is not a duration such as 90s, 30m or 12h"),
    (["--soak=-1m"], "--soak: '-1m' is not a duration"),
    (["--soak=5w"], "--soak: '5w' is not a duration"),
    (["--soak=5m", "--repeat=2"], "--soak: not with --repeat"),
])
def test_wrong_usage(args, message):
    address = ["127.0.0.1:0"] if "--listen" in args else ["127.0.0.1:1"]
    done = subprocess.run([devices.GEN, "test", *address, *args], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_what_happened_between_cases_is_nobodys_fault():
    """A connection that belongs to no case closes the others before the next case begins."""
    class Between(Echo):
        def echo(self, connection, request):
            if len(self.requests) == self.at:
                close_others(self, connection)
            super().echo(connection, request)

    with Between(bad_crc=harmless) as device:
        device.at = -1
        first = run(device, BAD_CRC)
        used = len(device.requests)
    # The last connections of that run are the check after the case; a run of two cases has this check between them.
    with Between(bad_crc=harmless) as device:
        device.at = used
        second = run(device, "--rules=MPA-8-02/crc,MPA-8-02/ulpdu", "--confirm=1")
    assert first.outcome("passed") == ["MPA-8-02/crc"], first.tell()
    assert second.tests["MPA-8-02/ulpdu"]["outcome"] == "passed", second.tell()


def test_a_connection_that_cannot_be_made_again(tmp_path):
    """Between two cases the device closes the load's connections, and answers no new ones until the next case begins: without the requested
    load, that case must not pass."""
    begun = tmp_path / "begun"

    class Between(Echo):
        at, armed = -1, True

        def echo(self, connection, request):
            try:
                super().echo(connection, request)
            finally:
                if len(self.requests) == self.at and self.armed:
                    self.armed = False
                    close_others(self, connection)

    with Between(bad_crc=harmless) as device:
        assert run(device, BAD_CRC).outcome("passed") == ["MPA-8-02/crc"]
        used = len(device.requests)
    begun.write_text("")
    # The last connection of that run is the check after the case.
    with Between(bad_crc=harmless, takes=lambda request: device.armed or begun.stat().st_size > 1 or "silent") as device:
        device.at = used
        result = run(device, "--rules=MPA-8-02/crc,MPA-8-02/ulpdu", "--confirm=1", f"--before-each=printf x >>{begun}")
    assert not device.armed and result.tests["MPA-8-02/crc"]["outcome"] == "passed", result.tell()
    second = result.tests["MPA-8-02/ulpdu"]
    assert second["outcome"] == "inconclusive", result.tell()
    said = "the device did not take all the other connections of --load; the case itself: passed"
    assert second["actual"].startswith(said), result.tell()


# ---- soak ----

def soaked(seconds, has_enough, run):
    """Result of run(option); repeated with more time if the machine was too busy."""
    result = run(f"--soak={seconds}s")
    return result if has_enough(result) else run(f"--soak={10 * seconds}s")


def test_soak(tmp_path):
    size = tmp_path / "size"
    info = f"n=$(cat {size}); echo $((n + 64)) >{size}; printf 'Name:\\tdevice\\nVmSize:\\t7 kB\\nVmRSS:\\t%s kB\\n' $n"

    def run_soak(option):
        size.write_text("100")
        return devices.run_responder([], ["--rules=DDP-7.1,DDP-7.2", option, "--load=2", f"--device-info={info}"], jobs=1)

    def counts(result):
        return map(int, re.match(r"(\d+) cases in (\d+) rounds and ", result.report["soak"][0]).groups())

    result = soaked(4, lambda result: next(counts(result)) > 2 * len(result.tests), run_soak)
    assert result.status == 0, result.tell()
    first, resets, growth = result.report["soak"]
    cases, rounds = counts(result)
    assert cases > 2 * len(result.tests) and rounds > 2
    seed = re.search(r"in the order of (--seed=\d+)$", first)[1]
    assert seed in result.errors  # printed at the start, too
    lines = re.findall(r"^(\d+): (\S+): (\w+)", result.errors, re.M)
    assert [int(line[0]) for line in lines] == list(range(1, cases + 1))
    assert re.fullmatch(r"\d+ connections reset by the device", resets)
    assert growth == "VmRSS: 164 kB, 228 kB at the end (+64)"
    assert all(test["runs"]["passed"] > 1 for test in result.tests.values())


def test_a_killed_soak_leaves_its_report(tmp_path):
    path = tmp_path / "report.json"
    device = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0"], stdout=subprocess.PIPE, text=True)
    tester = subprocess.Popen([devices.GEN, "test", f"127.0.0.1:{device.stdout.readline().strip()}", *TIMES, "--rules=DDP-7.1",
                               "--soak=1h", "--format=json", f"--output={path}"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            time.sleep(0.05)
            if path.exists() and path.stat().st_size > 0:
                break
    finally:
        tester.kill()
        tester.wait()
        device.kill()
        device.wait()
    tests = json.loads(path.read_text())["tests"]
    assert tests and all(test["outcome"] == "passed" for test in tests)


def test_the_nth_failure_ends_a_soak():
    with scripted.Device(bad_crc=lambda device: False) as device:
        result = devices.run_test([f"127.0.0.1:{device.port}", *TIMES, BAD_CRC, "--soak=1h", "--stop-after=2"], 1, False)
    assert result.status == 1 and result.tests["MPA-8-02/crc"]["outcome"] == "failed", result.tell()


def test_soak_shows_what_only_comes_later():
    turns = iter(range(10**6))

    def forgets(device):
        return next(turns) % 5 != 3

    with scripted.Device(bad_crc=forgets) as device:
        result = soaked(6, lambda result: result.outcome("unstable"),
                        lambda option: devices.run_test([f"127.0.0.1:{device.port}", *TIMES, BAD_CRC, option], 1, False))
    case = result.tests["MPA-8-02/crc"]
    assert result.status == 1 and case["outcome"] == "unstable" and case["runs"]["failed"] > 0, case["actual"]


# ---- origin ----

def test_origin(tmp_path):
    capture = tmp_path / "all.pcapng"
    result = devices.run_responder([], ["--rules=DDP-7.1-01", "--device-info=printf 'kernel 6.1\\n\\033[31mred'", "-w", str(capture)], jobs=1)
    origin = result.report["origin"]
    assert re.match(r"iwarp-gen test --format=json .*127\.0\.0\.1:\d+ --rules=DDP-7\.1-01 ", origin["command"]), origin["command"]
    assert re.fullmatch(r"\d{4} rules, SHA-256 [0-9a-f]{16}", origin["catalogue"])
    assert origin["device_info"] == "kernel 6.1\n [31mred"
    assert origin["recordings"] == [{"file": str(capture), "sha256": hashlib.sha256(capture.read_bytes()).hexdigest()}]


def test_device_info_that_fails():
    result = devices.run_responder([], ["--rules=DDP-7.1-01", "--device-info=exit 3"], jobs=1)
    assert result.status == 0 and result.report["origin"]["device_info"] is None
    assert "iwarp-gen: --device-info: exit status 3" in result.errors


def test_each_case_has_a_line_in_a_log():
    result = devices.run_responder([], ["--rules=DDP-7.1-01,DDP-7.1-02"], jobs=1)
    lines = re.findall(r"^(\d+) of (\d+): (\S+): (\w+)", result.errors, re.M)
    assert [line[0] for line in lines] == [str(i + 1) for i in range(len(lines))] and {line[2] for line in lines} == set(result.tests)


def test_every_format_has_it(tmp_path):
    """JUnit's properties are one line; the page and the text are for people."""
    texts = {}
    for name in ("junit", "html", "text", "tap"):
        path = tmp_path / name
        device = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0"], stdout=subprocess.PIPE, text=True)
        try:
            subprocess.run([devices.GEN, "test", f"127.0.0.1:{device.stdout.readline().strip()}", *TIMES, "--rules=DDP-7.1-01", "--load=1",
                            "--device-info=echo kernel 6.1; echo second", f"--format={name}", f"--output={path}"], check=True, timeout=60,
                           capture_output=True)
        finally:
            device.kill()
            device.wait()
        texts[name] = path.read_text()
    schema = devices.pathlib.Path(__file__).parents[1] / "check" / "junit.xsd"
    subprocess.run(["xmllint", "--noout", "--schema", schema, tmp_path / "junit"], check=True, capture_output=True)
    assert 'name="device-info" value="kernel 6.1 second"' in texts["junit"]
    assert "Made by: iwarp-gen test " in texts["html"] and "<li>kernel 6.1</li><li>second</li>" in texts["html"]
    assert re.search(r"its system +kernel 6\.1\n", texts["text"]) and re.search(r"under load +1 connections? with ", texts["text"])
