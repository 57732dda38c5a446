# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that dies, hangs, rejects or vanishes at a case: the case is named, the others cost nothing, a command can revive it; a device that only
needs a moment is alive."""
import contextlib
import http.server
import json
import pathlib
import re
import socket
import subprocess
import threading
import time

import jsonschema
import pytest

import devices
import scripted

# A wrong CRC hits the device; cases around this one send something else.
BEFORE, HIT, AFTER = "MPA-5.1-06/crc", "MPA-8-02/crc", "MPA-7.1.1-02/end"
CASES = f"--rules={BEFORE},{HIT},{AFTER}"
QUICK = ["--timeout=1", "--recover-timeout=2"]
SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/iwarp-test.schema.json").read_text())


def run(device, *args, cases=CASES, jobs=1):
    began = time.monotonic()
    done = devices.run_test([f"127.0.0.1:{device.port}", cases, *QUICK, *args], jobs, False)
    done.seconds = time.monotonic() - began
    if done.report:
        jsonschema.validate(done.report, SCHEMA)
    return done


class Switch:
    """A command that revives the device, like a power switch: the tester runs it, and this process notices."""

    def __init__(self, action):
        outer = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                action()
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.command = (f"python3 -c \"import urllib.request as u; u.urlopen('http://127.0.0.1:{self.server.server_port}/'"
                        "+__import__('urllib.parse').parse.quote('$IWARP_CASE $IWARP_STATE $IWARP_ROLE $IWARP_DEVICE'))\"")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def hang(device):
    device.hung = True
    return False


def idle(device):
    """Negotiates, and then answers nothing."""
    device.answers_reads = False
    return True


def reject(device):
    device.rejects = True
    return True


def die(device):
    device.die()
    return True


def vanish(device):
    device.vanish()
    return True


def close_all(device):
    """Acts as a forwarder of a dead device's port: accepts each connection and closes it."""
    device.takes = lambda _: "close"
    return True


def revive(device):
    device.takes = lambda _: True
    device.revive()


@pytest.mark.parametrize("what,state,words", [
    (die, "refuses", "no longer accepts connections after this case (no connection: Connection refused"),
    (hang, "hangs", "hangs: it accepts TCP connections but says nothing on them after this case"),
    (idle, "idles", "no longer exchanges anything after this case"),
    (reject, "rejects", "rejects the start-up that it accepted before after this case"),
    (vanish, "vanished", "has vanished"),
], ids=lambda value: getattr(value, "__name__", None))
def test_the_case_is_named_and_the_run_ends(what, state, words):
    with scripted.Device(bad_crc=what) as device:
        tested = run(device, "--confirm=3")
    assert tested.status == 3, tested.errors + tested.tell()
    assert {name: test["outcome"] for name, test in tested.tests.items()} == {BEFORE: "passed", HIT: "inconclusive"}
    assert tested.tests[HIT]["actual"].startswith("the device stopped answering during this case: ")
    assert words in tested.tests[HIT]["actual"] and tested.tests[HIT]["death"] == state
    assert tested.report["state"] == state and tested.report["summary"]["not run"] == 1
    assert [(death["tests"], death["state"], death["revived"]) for death in tested.report["deaths"]] == [([HIT], state, False)]
    assert "the device died: 2 of 3 cases" in tested.errors
    assert tested.seconds < 90  # nothing answers a SYN: 3.5 s each, in the case, in its comparison, and after it


@pytest.mark.parametrize("what,late,state", [("Request", 1.6, "hangs"), ("Read", 1.1, "idles")])
@pytest.mark.parametrize("dies", [False, True])
def test_who_is_late_is_alive(what, late, state, dies):
    """Once hit, it answers later than --timeout; but when asked again it has two seconds for a Read, five for a Request."""
    def slow(device):
        device.pauses[what] = 60 if dies else late
        return True

    with scripted.Device(bad_crc=slow) as device:
        tested = run(device, "--timeout=0.5", cases=f"--rules={HIT}")
    assert tested.report["state"] == (state if dies else "alive"), tested.errors + tested.tell()
    assert [(death["tests"], death["state"]) for death in tested.report["deaths"]] == ([([HIT], state)] if dies else [])


class Single(scripted.Device):
    """Like a program that serves one connection and is restarted: nobody listens for a moment after each."""

    def accept(self, listener):
        with contextlib.suppress(OSError):
            connection = listener.accept()[0]
            listener.close()
            self.serve(connection)
            self.crashes += 1
            time.sleep(0.05)
            if not self.over.is_set():
                self.listen()


def test_a_device_that_needs_a_moment_is_alive():
    with Single() as device:
        tested = run(device)
    assert tested.status == 0 and set(tested.outcome("passed")) == {BEFORE, HIT, AFTER}, tested.tell()
    assert device.crashes > 3 and tested.report["deaths"] == []


def test_a_close_is_no_refusal_if_it_was_a_crash():
    """The device restarts so fast that it never seems dead; but only after this connection nobody listens."""
    with scripted.Device(bad_crc=lambda device: device.die(back_after=0.3) or True) as device:
        tested = run(device)
    assert tested.status == 0 and tested.outcome("inconclusive") == [HIT], tested.tell()
    assert "perhaps it crashed, and was started again" in tested.tests[HIT]["actual"]
    assert device.crashes == 1 and tested.report["deaths"] == []


@pytest.mark.parametrize("lost", ["close", "silent"])
def test_a_lost_first_start_up_is_tried_again(lost):
    """A lesser start-up, with lesser limits, is not final because the richest offer was lost once."""
    requests = []
    with scripted.Device(takes=lambda request: requests.append(request) or (lost if len(requests) == 1 else True)) as device:
        tested = run(device)
    assert "MPA revision 2, IRD 16, ORD 16" in tested.errors and tested.outcome("passed"), tested.errors
    assert (requests[1].enhanced, requests[1].ird, requests[1].ord) == (True, requests[0].ird, requests[0].ord)


def test_a_lesser_start_up_is_taken_where_the_richest_never_is():
    with scripted.Device(takes=lambda request: "close" if request.enhanced else True) as device:
        tested = run(device)
    assert "MPA revision 1" in tested.errors and tested.outcome("passed"), tested.errors


def test_a_device_that_dies_of_the_first_start_up_had_accepted_a_connection():
    with scripted.Device(takes=lambda request: device.die() or "close") as device:
        tested = run(device)
    assert tested.status == 2 and "before that it accepted connections" in tested.errors, tested.errors


def test_a_moment_can_be_too_long():
    with scripted.Device(bad_crc=lambda device: device.die(back_after=8) or True) as device:
        tested = run(device)
        assert tested.status == 3 and tested.outcome("died") == [HIT] and tested.tests[HIT]["death"] == "refuses"
    with scripted.Device(bad_crc=lambda device: device.die(back_after=2) or True) as device:
        assert run(device, "--recover-timeout=20").status == 0


@pytest.mark.parametrize("jobs", [1, 4])
def test_revived_it_goes_on(jobs):
    """With several cases in parallel the case that kills is still found."""
    with scripted.Device(bad_crc=die) as device:
        switch = Switch(device.revive)
        tested = run(device, f"--reset-command={switch.command}", jobs=jobs)
        switch.close()
    assert tested.status == 1, tested.errors + tested.tell()
    assert {name: test["outcome"] for name, test in tested.tests.items()} == {BEFORE: "passed", HIT: "died", AFTER: "passed"}
    assert [death["tests"] for death in tested.report["deaths"] if death["revived"]] == [[HIT]]
    assert tested.report["state"] == "alive"
    assert f"{HIT.replace('/', '/')} refuses responder 127.0.0.1:{device.port}" in [
        asked.lstrip("/").replace("%20", " ").replace("%3A", ":") for asked in switch.asked][-1]


@pytest.mark.parametrize("command,words", [("exit 5", "--reset-command: exit status 5"), ("true", "after --reset-command")])
def test_not_revived(command, words):
    with scripted.Device(bad_crc=die) as device:
        tested = run(device, f"--reset-command={command}", "--reset-timeout=1")
    assert tested.status == 3 and words in tested.errors and tested.outcome("died") == [HIT]


def test_a_reset_that_never_ends_is_ended(tmp_path):
    with scripted.Device(bad_crc=die) as device:
        tested = run(device, f"--reset-command=sleep 1000 & echo $! > {tmp_path}/pid; wait", "--reset-timeout=0.5")
    assert tested.status == 3 and "not finished within" in tested.errors and tested.seconds < 90
    assert not pathlib.Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/cmdline").exists() or "sleep" not in \
        pathlib.Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/cmdline").read_text()


def test_several_at_once_are_not_blamed():
    """Nobody can tell which case it was: none fails."""
    met = threading.Barrier(2, action=lambda: device.die(), timeout=5) # it is dead before either continues

    def both(_device):
        with contextlib.suppress(threading.BrokenBarrierError):
            met.wait()
        return True

    with scripted.Device(bad_crc=both) as device:
        tested = run(device, cases="--rules=MPA-8-02/crc,MPA-8-02/ulpdu", jobs=2)
    assert tested.status == 3 and tested.outcome("failed") == [], tested.tell()
    assert set(tested.report["deaths"][0]["tests"]) == {"MPA-8-02/crc", "MPA-8-02/ulpdu"}
    assert all("at the same time" in test["actual"] for test in tested.tests.values())


def every_second(action):
    count = []

    def hit(device):
        count.append(1)
        if len(count) % 2 == 0:
            action(device)
        return True
    return hit


def test_repeated_and_unstable():
    closes = []

    def sometimes(device):
        closes.append(len(closes) % 2 == 0)
        return closes[-1]

    with scripted.Device(bad_crc=sometimes) as device:
        tested = run(device, "--repeat=4", cases=f"--rules={BEFORE},{HIT}")
    assert tested.status == 1 and tested.outcome("unstable") == [HIT], tested.tell()
    assert tested.tests[HIT]["runs"] == {"passed": 2, "failed": 2}
    assert "2 passed, 2 failed, 0 inconclusive of 4 runs" in tested.tests[HIT]["actual"]
    assert tested.tests[BEFORE]["outcome"] == "passed" and tested.tests[BEFORE]["runs"] == {"passed": 4}


def test_it_dies_every_second_time():
    with scripted.Device(bad_crc=every_second(lambda device: device.die())) as device:
        switch = Switch(device.revive)
        tested = run(device, "--repeat=3", f"--reset-command={switch.command}")
        switch.close()
    assert tested.status == 1 and tested.outcome("inconclusive") == [HIT] and len(tested.report["deaths"]) == 1, tested.tell()
    assert tested.tests[HIT]["death"] == "refuses" and tested.tests[HIT]["runs"] == {"passed": 2, "died": 1}


def test_stop_after():
    with scripted.Device(bad_crc=lambda device: False) as device:
        tested = run(device, "--stop-after=1", cases="--rules=MPA-8-02,MPA-8-06,MPA-5.1-06,MPA-4.1-07")
        assert tested.status == 1 and len(tested.outcome("failed")) == 1 and tested.report["summary"]["not run"] > 0
        assert tested.report["state"] == "alive" and "stopped" in tested.errors


def results(tested):
    return {name: test["outcome"] for name, test in tested.tests.items()}


def at_first(action, n=1):
    """The case finds the fault n times only."""
    count = []

    def hit(device):
        count.append(1)
        return action(device) if len(count) <= n else True
    return hit


def test_a_failure_is_confirmed():
    with scripted.Device(bad_crc=lambda device: False) as device:
        tested = run(device, "--confirm=3")
    assert tested.status == 1 and tested.outcome("failed") == [HIT] and tested.tests[HIT]["runs"] == {"failed": 2}, tested.tell()
    assert tested.tests[BEFORE]["runs"] == {} and (tested.report["summary"]["repeated"], tested.report["summary"]["differed"]) == (1, 0)


@pytest.mark.parametrize("n,confirm,runs", [(1, 3, {"passed": 2, "failed": 1}), (1, 2, {"passed": 1, "failed": 1}), (1, 1, {}), (2, 3, {"failed": 2})])
def test_a_failure_by_chance_is_unstable(n, confirm, runs):
    with scripted.Device(bad_crc=at_first(lambda device: False, n)) as device:
        tested = run(device, f"--confirm={confirm}")
    assert tested.status == 1 and tested.tests[HIT]["runs"] == runs, tested.tell()
    assert tested.outcome("unstable" if "passed" in runs else "failed") == [HIT]
    if "passed" in runs:
        assert f"1 failed, 0 inconclusive of {confirm} runs" in tested.tests[HIT]["actual"] and tested.report["summary"]["differed"] == 1


@pytest.mark.parametrize("what,state,words", [(die, "refuses", "no longer accepts"), (close_all, "rejects", "rejects the start-up")])
@pytest.mark.parametrize("n", [1, 2])
def test_a_death_is_confirmed(n, what, state, words):
    """Results of connections to a dead device do not count as random, and change no other verdict."""
    with scripted.Device(bad_crc=at_first(what, n)) as device:
        switch = Switch(lambda: revive(device))
        tested = run(device, "--confirm=3", f"--reset-command={switch.command}")
        switch.close()
    assert tested.status == 1 and len(tested.report["deaths"]) == n, tested.tell()
    assert results(tested) == {BEFORE: "passed", HIT: "inconclusive" if n == 1 else "died", AFTER: "passed"}
    assert tested.tests[HIT]["runs"] == ({"passed": 2, "died": 1} if n == 1 else {"died": 2})
    assert tested.tests[HIT]["actual"].startswith("the device stopped answering during this case, in 1 of 3 runs: " if n == 1 else
                                                  f"the device dies when it gets this, in 2 of 2 runs: the device {words}")
    assert tested.tests[HIT]["death"] == state


class DiesOfFin(scripted.Device):
    """A FIN that comes with the Request kills it."""

    def operate(self, connection, request):
        connection.settimeout(0.2)
        with contextlib.suppress(TimeoutError):
            if not connection.recv(1, socket.MSG_PEEK):
                close_all(self)
                return
        connection.settimeout(20)
        super().operate(connection, request)


def test_what_leaves_with_the_start_up_is_a_stimulus():
    """The case that had sent it is the one that killed; a start-up alone is none."""
    kills = "MPA-7.1.2-10/fin"
    with DiesOfFin() as device:
        switch = Switch(lambda: revive(device))
        tested = run(device, f"--reset-command={switch.command}", cases=f"--rules={BEFORE},{kills},{AFTER}")
        switch.close()
    assert tested.outcome("died") == [kills] and tested.tests[AFTER]["outcome"] == "passed", tested.tell()
    assert {tuple(death["tests"]) for death in tested.report["deaths"]} == {(kills,)}


def test_what_a_dead_device_leaves_undone_is_no_finding():
    """The device hangs at a wrong CRC, so it neither closes nor sends a Terminate."""
    kills = "MPA-4.4-19"
    with scripted.Device(bad_crc=hang) as device:
        switch = Switch(device.revive)
        tested = run(device, f"--reset-command={switch.command}", cases=f"--rules={BEFORE},{kills},{AFTER}")
        switch.close()
    assert tested.outcome("died") == [kills] and tested.tests[kills]["observations"] == [], tested.tell()
    assert not [name for name in tested.tests if name.endswith("/seen")], tested.tell()


def test_it_waits_longer_the_second_time():
    """A device that is slightly too slow for the first run is in time for the others."""
    with scripted.Device(bad_crc=lambda device: time.sleep(1.5) or True) as device:
        tested = run(device, "--confirm=3", "--timeout=1", cases=f"--rules={HIT}")
    assert tested.tests[HIT]["runs"] == {"passed": 2, "failed": 1} and tested.outcome("unstable") == [HIT], tested.tell()


def test_resume(tmp_path):
    """Finished cases do not run again, except for a death that was seen once."""
    report = tmp_path / "first.json"

    def go_on(tested, device, *options):
        report.write_text(json.dumps(tested.report))
        device.revive()
        return run(device, f"--resume={report}", *options)

    with scripted.Device(bad_crc=die) as device:
        first = run(device, "--confirm=3")
        assert first.status == 3 and set(first.tests) == {BEFORE, HIT}
        crashes = device.crashes
        believed = go_on(first, device, "--confirm=1")
        assert device.crashes == crashes and believed.tests[HIT] == first.tests[HIT]
        report.write_text(json.dumps(first.report))
        second = run(device, f"--resume={report}", "--confirm=3")
        assert device.crashes == crashes + 1 and second.status == 3 and results(second) == {BEFORE: "passed", HIT: "died"}
        assert second.tests[HIT]["runs"] == {"died": 2}
        third = go_on(second, device, "--confirm=3")
        assert device.crashes == crashes + 1
    assert third.status == 1 and results(third) == {BEFORE: "passed", HIT: "died", AFTER: "passed"}
    assert third.report["state"] == "alive" and [death["tests"] for death in third.report["deaths"]] == [[HIT]] * 2


def test_a_death_that_does_not_come_again(tmp_path):
    report = tmp_path / "first.json"
    with scripted.Device(bad_crc=at_first(die)) as device:
        first = run(device)
        assert first.status == 3
        report.write_text(json.dumps(first.report))
        device.revive()
        second = run(device, f"--resume={report}", "--confirm=3")
    assert second.status == 1 and results(second) == {BEFORE: "passed", HIT: "inconclusive", AFTER: "passed"}, second.tell()
    assert second.tests[HIT]["runs"] == {"passed": 2, "died": 1} and len(second.report["deaths"]) == 1


def test_nothing_shown_is_no_pass():
    with scripted.Device(bad_crc=lambda device: False) as device:
        device.answers_reads = False
        tested = run(device, "--timeout=0.2", cases="--rules=MPA-4.4-01")
    assert tested.outcome("inconclusive") == ["MPA-4.4-01"], tested.tell()
    assert tested.status == 3 and tested.outcome("passed") == tested.outcome("failed") == [], tested.tell()
    assert "no result" in tested.errors


def test_cases_of_other_services_are_left_out():
    """They are not "not applicable": nobody asked for them. --rules can name them."""
    with scripted.Device() as device:
        usual, asked = run(device, cases="--skip=ddp,rdmap,MPA-,MPA2-9"), run(device, cases="--suite=nfs,mpa2")
    assert not any(test["suite"] in ("rpcrdma", "nfs") for test in usual.tests.values())
    assert any("--service=nfs" in missing["service"] and missing["tests"] > 50 for missing in usual.report["reach"]["missing"])
    assert usual.report["reach"]["tests"] == len(usual.tests)
    assert any(test["suite"] == "nfs" and test["outcome"] == "not applicable" for test in asked.tests.values())


def test_a_killed_run_is_resumed(tmp_path):
    """The report grows with the run: SIGKILL loses only the last second."""
    report = tmp_path / "report.json"
    with scripted.Device(takes=lambda request: time.sleep(0.1) or True) as device:
        command = [devices.GEN, "test", f"127.0.0.1:{device.port}", "--suite=mpa", "--timeout=0.3", "--format=json", f"--output={report}"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as killed:
            until = time.monotonic() + 30
            while not (report.exists() and len(json.loads(report.read_text())["tests"]) > 3) and time.monotonic() < until:
                time.sleep(0.05)
            killed.kill()
        half = json.loads(report.read_text())
        jsonschema.validate(half, SCHEMA)
        tested = devices.run_test([f"127.0.0.1:{device.port}", "--suite=mpa", "--timeout=0.3", f"--resume={report}"], 8, False)
    assert 3 < len(half["tests"]) < len(tested.tests), half["summary"]
    for test in half["tests"]:
        if test["outcome"] in ("passed", "failed"):
            assert tested.tests[test["id"]]["seconds"] == test["seconds"]


def test_resume_wants_a_report_of_the_role(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"device": "x", "role": "initiator", "tests": []}))
    done = subprocess.run([devices.GEN, "test", "127.0.0.1:9", f"--resume={path}"], capture_output=True, text=True)
    assert done.returncode == 2 and "initiator" in done.stderr
    path.write_text("{}")
    done = subprocess.run([devices.GEN, "test", "127.0.0.1:9", f"--resume={path}"], capture_output=True, text=True)
    assert done.returncode == 2 and "x.json" in done.stderr


def test_before_each(tmp_path):
    with scripted.Device() as device:
        tested = run(device, f"--before-each=echo to-stdout; echo $IWARP_CASE $IWARP_ROLE >> {tmp_path}/log")
        assert tested.status == 0, tested.errors + tested.tell()
        refused = run(device, "--before-each=exit 4")
    assert (tmp_path / "log").read_text().splitlines() == [f"{name} responder" for name in tested.tests]
    assert set(refused.outcome("inconclusive")) == set(tested.tests)
    assert all("--before-each: exit status 4" in test["actual"] for test in refused.tests.values())


def test_dead_already_after_it_was_asked_what_it_is():
    seen = []

    def takes(request):
        seen.append(request)
        if len(seen) == 1:
            threading.Timer(0.02, device.die).start()
        return True

    with scripted.Device(takes) as device:
        tested = run(device)
    assert tested.status == 3 and tested.report is None
    assert "no longer accepts connections after the connections that learnt what it is" in tested.errors


def test_an_initiator_that_has_gone_costs_seconds():
    test = subprocess.Popen([devices.GEN, "test", "--listen", "127.0.0.1:0", "--format=json", "--suite=mpa", "--timeout=0.3",
                             "--recover-timeout=1", "--start-timeout=2", "--idle-timeout=2"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    port = test.stderr.readline().split()[-1]
    device = subprocess.Popen([devices.SAMPLE_DEVICE, "initiator", "127.0.0.1", port])
    time.sleep(1.5)
    device.kill()
    device.wait()
    began = time.monotonic()
    out, errors = test.communicate(timeout=devices.DEADLINE)
    assert time.monotonic() - began < 60
    assert test.returncode == 3 and json.loads(out)["state"] == "vanished", errors
    assert "the device died" in errors


@pytest.mark.parametrize("more", ["", "; exit 3"])
def test_an_initiator_is_revived(tmp_path, more):
    """The device is gone before the second case sends or prepares anything: this case is not the cause, and begins again."""
    start = f"{devices.SAMPLE_DEVICE} initiator 127.0.0.1 $(cat {tmp_path}/port) > /dev/null 2>&1 & echo $! > {tmp_path}/pid"
    gone = f"p=/proc/$(cat {tmp_path}/pid)/stat; kill -9 $(cat {tmp_path}/pid); while grep -qs ') [^Z]' $p; do sleep 0.01; done"
    kill = f"if [ $IWARP_CASE = MPA-8-02/ulpdu ] && mkdir {tmp_path}/once 2> /dev/null; then {gone}{more}; fi"
    test = subprocess.Popen([devices.GEN, "test", "--listen", "127.0.0.1:0", "--format=json", "--rules=MPA-8-02/crc,MPA-8-02/ulpdu",
                             "--timeout=1", "--recover-timeout=1", f"--reset-command={start}", f"--before-each={kill}",
                             "--reset-timeout=20"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    (tmp_path / "port").write_text(test.stderr.readline().split()[-1])
    first = subprocess.run(["sh", "-c", start], check=True)
    try:
        out, errors = test.communicate(timeout=devices.DEADLINE)
    finally:
        subprocess.run(["sh", "-c", f"kill $(cat {tmp_path}/pid)"], check=False, capture_output=True)
    assert first.returncode == 0 and test.returncode == 1, errors
    report = json.loads(out)
    assert {one["id"]: one["outcome"] for one in report["tests"]} == {"MPA-8-02/crc": "passed", "MPA-8-02/ulpdu": "passed"}
    assert [(death["tests"], death["state"], death["revived"]) for death in report["deaths"]] == [
        (["MPA-8-02/crc", "MPA-8-02/ulpdu"], "vanished", True)]


@pytest.mark.parametrize("option,word", [("--repeat=0", "--repeat"), ("--stop-after=-1", "--stop-after"),
                                         ("--recover-timeout=0", "recover-timeout"), ("--reset-timeout=x", "reset-timeout"),
                                         ("--resume=/no/such.json", "no/such")])
def test_mistakes_are_told(option, word):
    done = subprocess.run([devices.GEN, "test", "127.0.0.1:9", option], capture_output=True, text=True)
    assert done.returncode == 2 and word in done.stderr, done.stderr


def test_a_device_that_freezes_in_a_long_wait():
    """The device does not close as it should, and two seconds later answers nobody, although its
    TCP acknowledges. Checks now and then end a wait of minutes."""
    def freeze(device):
        threading.Timer(2, setattr, (device, "hung", True)).start()
        return False

    with scripted.Device(bad_crc=freeze) as device:
        tested = run(device, "--idle-timeout=300", cases="--rules=MPA-8-14")
    assert tested.tests["MPA-8-14"]["death"] == "hangs" and tested.seconds < 150, tested.tell()
    assert "while we waited for its close, the device ceased to serve other connections" in tested.tests["MPA-8-14"]["actual"]


def test_a_device_with_one_connection_at_a_time_is_waited_for():
    """The device serves one connection at a time: the wait is as long as requested."""
    class Alone(scripted.Device):
        turn = threading.Lock()

        def serve(self, connection):
            with self.turn:
                super().serve(connection)

    with Alone(bad_crc=lambda device: False) as device:
        tested = run(device, "--idle-timeout=14", cases="--rules=MPA-8-14", jobs=1)
    assert re.search(r"the connection was still open after 1[45]\.\d s", tested.tests["MPA-8-14"]["actual"]), tested.tell()


def test_accept_timeout_is_of_responders_too():
    """Nothing answers: the wait is as long as requested, not the default."""
    with scripted.Device() as device:
        device.vanish()
        began = time.monotonic()
        tested = run(device, "--accept-timeout=1")
    assert tested.status == 2 and time.monotonic() - began < 4, tested.errors
