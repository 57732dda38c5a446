# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of iwarp-gen test in every format, the matrix of several, options and exit status."""
import html.parser
import json
import pathlib
import signal
import socket
import struct
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest

import devices
import scripted
from crc32c import crc32c
from reports import read_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = "--rules=MPA-8-02,MPA-4.1,MPA-7.1.1-02"


def gen(*args, timeout=devices.DEADLINE):
    return subprocess.run([devices.GEN, *args], capture_output=True, text=True, timeout=timeout)


@pytest.fixture(scope="module")
def mutant(tmp_path_factory):
    """JSON reports of a conforming device and of one that fails."""
    folder = tmp_path_factory.mktemp("reports")
    paths = {}
    for name, args in {"good": [], "bad": ["MPA-8-02/crc"]}.items():
        run = devices.run_responder(args, [RULES, f"--device={name} <&> device"])
        paths[name] = folder / f"{name}.json"
        paths[name].write_text(json.dumps(run.report))
        assert run.status == (1 if name == "bad" else 0), run.tell()
    return paths


def test_json_keeps_to_its_schema(mutant):
    schema = json.loads((ROOT / "docs/iwarp-test.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for path in mutant.values():
        jsonschema.validate(json.loads(path.read_text()), schema)


def test_failure_tells_everything(mutant):
    report = json.loads(mutant["bad"].read_text())
    failed = [test for test in report["tests"] if test["outcome"] == "failed"]
    assert [test["id"] for test in failed] == ["MPA-8-02/crc"]
    assert failed[0]["aliases"] and failed[0]["requirement"] and failed[0]["expected"] and failed[0]["actual"]
    frames = failed[0]["frames"]
    assert [frame["from"] for frame in frames][:2] == ["test", "device"]
    assert frames[0]["octets"].startswith("4d504120494420526571204672616d65")
    assert any("CRC wrong" in frame["what"] for frame in frames)
    assert all(frame["octets"] is None or len(frame["octets"]) == 2 * min(192, frame["length"]) for frame in frames)


class Page(html.parser.HTMLParser):
    VOID = {"meta", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.scripts, self.text = [], [], [], 0, []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.scripts += tag == "script"
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if "href" in attrs else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_matrix_of_devices(mutant, tmp_path):
    out = tmp_path / "matrix.html"
    done = gen("report", mutant["good"], mutant["bad"], "-o", out)
    assert done.returncode == 0, done.stderr
    page = Page(out.read_text())
    assert page.links == ["#d2-MPA-8-02-crc"] * 2 and page.scripts == 1
    assert page.ids == ["tools", "search", "outcome", "shown", "d2-MPA-8-02-crc"]
    text = "".join(page.text)
    assert "good <&> device" in text and "MPA-4.1-06" in text and "CRC wrong" in text


def test_two_runs_on_one_device_are_compared(mutant, tmp_path):
    """In any order on the command line, runs are compared by time."""
    bad, good = (json.loads(mutant[name].read_text()) for name in ("bad", "good"))
    for name, report, started in (("first", bad, "2026-01-01T00:00:00Z"), ("second", good, "2026-01-02T00:00:00Z"),
                                  ("third", bad, "2026-01-03T00:00:00Z")):
        report = {**report, "device": "card", "started": started}
        (tmp_path / name).write_text(json.dumps(report))
    for names, heads in ((("first", "second"), ["Fails no longer"]), (("second", "third"), ["Fails now"]),
                         (("third", "first", "second"), ["Fails no longer", "Fails now"])):
        out = tmp_path / "page.html"
        assert gen("report", *(tmp_path / name for name in names), "-o", out).returncode == 0
        tree = ElementTree.fromstring(out.read_text())
        changes = [table for table in tree.iter("table") if "changes" in table.get("class")]
        assert sorted(table.find("caption").text for table in changes) == heads
        for table in changes:
            row, = table.find("tbody")
            before, after = ("passed", "failed") if table.find("caption").text == "Fails now" else ("failed", "passed")
            assert [row[0].text, row[1].text, row[2].text] == ["MPA-8-02/crc", before, after]
        rows = {row[0].text: row.get("data-kinds") for row in tree.find(".//table[@class='stacked matrix']/tbody")}
        assert rows.pop("MPA-8-02/crc") == "failed differs" and set(rows.values()) == {""}
    assert gen("report", tmp_path / "first", "-o", out).returncode == 0
    assert "differences only" not in out.read_text() and "Fails now" not in out.read_text()


def test_html_of_one_run():
    device = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0"], stdout=subprocess.PIPE, text=True)
    try:
        done = gen("test", f"127.0.0.1:{device.stdout.readline().strip()}", "--format=html", RULES, *devices.TIMES)
    finally:
        device.kill()
        device.wait()
    page = Page(done.stdout)
    assert done.returncode == 0 and page.links == []
    assert "the device does not ask for Markers" in page.text  # why a case was not applicable


def test_junit_is_valid(tmp_path):
    device = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0", "MPA-8-02/crc"], stdout=subprocess.PIPE,
                              text=True)
    try:
        done = gen("test", f"127.0.0.1:{device.stdout.readline().strip()}", "--format=junit", RULES, *devices.TIMES)
    finally:
        device.kill()
        device.wait()
    assert done.returncode == 1, done.stderr
    path = tmp_path / "junit.xml"
    path.write_text(done.stdout)
    valid = subprocess.run(["xmllint", "--noout", "--schema", ROOT / "tests/check/junit.xsd", path], capture_output=True,
                           text=True)
    assert valid.returncode == 0, valid.stderr
    suites = list(ElementTree.fromstring(done.stdout.encode()))
    assert [suite.get("name") for suite in suites] == ["mpa"] and suites[0].get("failures") == "1"


def test_matrix_is_never_written_over_a_report(mutant, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(mutant["bad"].read_text())
    done = gen("report", path, mutant["good"], "-o", path)
    assert done.returncode == 2 and "is one of the reports; give another name" in done.stderr
    assert path.read_text() == mutant["bad"].read_text()


def test_nothing_was_tested():
    """As for captures, an empty run has not passed."""
    run = devices.run_responder([], ["--suite=rpcrdma"])
    assert run.status == 2 and "nothing was tested" in run.errors
    assert set(test["outcome"] for test in run.tests.values()) == {"not applicable"}


def test_a_device_that_tells_less_than_an_echo():
    """The service sink advertises one region, and does not echo."""
    sink = subprocess.Popen([devices.GEN, "serve", "127.0.0.1:0", "--service=sink"], stderr=subprocess.PIPE, text=True)
    try:
        port = sink.stderr.readline().split()[-1]
        run = devices.run_test([f"127.0.0.1:{port}", "--suite=ddp,rdmap,rdmapx", "--timeout=1"], 8, False)
    finally:
        sink.kill()
        sink.communicate()
    assert run.status == 0 and run.outcome("failed") == run.outcome("inconclusive") == [], run.tell()
    assert len(run.outcome("passed")) > 30


def test_output_is_known_to_be_writable_before_the_device_is_asked():
    done = gen("test", "127.0.0.1:9", "--output=/no/such/folder/x.json")
    assert done.returncode == 2 and done.stderr == "iwarp-gen: /no/such/folder/x.json: No such file or directory\n"


def test_waivers(tmp_path):
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text("- id: MPA-8-02\n  why: firmware 1.2\n  link: https://bugs.example/1\n"
                       "- id: MPA-4.1-06\n  why: none\n")
    run = devices.run_responder(["MPA-8-02/crc"], [RULES, f"--waivers={waivers}"])
    assert run.status == 0 and run.tests["MPA-8-02/crc"]["waived"] == "firmware 1.2"
    assert run.report["unused_waivers"] == ["MPA-4.1-06"] and run.report["summary"]["waived"] == 1
    run = devices.run_responder(["MPA-8-02/crc"], [RULES, f"--waivers={waivers}", "--strict-waivers"])
    assert run.status == 1


def test_several_waiver_files(tmp_path):
    """Each counts, in any order."""
    mine, other = tmp_path / "mine.yaml", tmp_path / "other.yaml"
    mine.write_text("- id: MPA-8-02\n  why: firmware 1.2\n")
    other.write_text("- id: MPA-4.1-06\n  why: none\n")
    for files in ([mine, other], [other, mine]):
        run = devices.run_responder(["MPA-8-02/crc"], [RULES, *(f"--waivers={file}" for file in files)])
        assert run.status == 0 and run.tests["MPA-8-02/crc"]["waived"] == "firmware 1.2" and run.report["unused_waivers"] == ["MPA-4.1-06"]
    done = gen("test", "127.0.0.1:9", f"--waivers={mine}", "--waivers=no-such-file")
    assert done.returncode == 2 and "no-such-file" in done.stderr


@pytest.mark.parametrize("scope, waived", [
    ("{role: responder}", True), ("{role: initiator}", False), ("{addresses: 127.0.0.0/8}", True),
    ("{addresses: [192.0.2.1, 127.0.0.1]}", True), ("{addresses: [192.0.2.1]}", False),
    ('{addresses: ["127.0.0.1:9"]}', False),
])
def test_scope_of_a_waiver(tmp_path, scope, waived):
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text(f"- id: MPA-8-02/crc\n  why: firmware 1.2\n  scope: {scope}\n")
    run = devices.run_responder(["MPA-8-02/crc"], ["--rules=MPA-8-02/crc", f"--waivers={waivers}"])
    assert run.status == (0 if waived else 1) and run.report["unused_waivers"] == ([] if waived else ["MPA-8-02/crc"])


@pytest.mark.parametrize("text,word", [("- id: NO-SUCH\n  why: x\n", "1: no rule or case 'NO-SUCH'"),
                                       ("- id: MPA-8-02\n", "'why' is missing"),
                                       ("- id: MPA-8-02\n  why: x\n  scope: {role: client}\n", "yaml:3: 'role' must be"), ("id: x\n", "list"), ("- [\n", "waivers"),
                                       ("- id: MPA-8-02\n  wy: x\n", "wy")])
def test_bad_waivers(tmp_path, text, word):
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text(text)
    done = gen("test", "127.0.0.1:9", f"--waivers={waivers}")
    assert done.returncode == 2 and word in done.stderr


@pytest.mark.parametrize("args,word", [
    (["127.0.0.1:1"], "refused"), (["nohost"], "HOST:PORT"), ([], "HOST:PORT"), (["127.0.0.1:9", "--suite=x"], "rdmapx"),
    (["127.0.0.1:9", "--rules=XYZ"], "XYZ"), (["127.0.0.1:9", "--skip=XYZ"], "XYZ"), (["127.0.0.1:9", "-j", "0"], "-j"),
    (["127.0.0.1:9", "--format=xml"], "xml"), (["127.0.0.1:9", "--timeout=0"], "timeout"),
    (["127.0.0.1:9", "--service=x"], "echo"), (["127.0.0.1:9", "--advert=x"], "LAB1"),
    (["127.0.0.1:9", "--suite=mpa", "--rules=MPA2-10-01"], "MPA2-10-01"),
    (["--listen", "127.0.0.1:0", "--accept-timeout=0.2"], "connect"),
])
def test_trouble_is_told(args, word):
    done = gen("test", *args)
    assert done.returncode == 2 and word in done.stderr, done.stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tests": 1}', '{"device": "x", "role": "y", "tests": [{}]}', "\0"])
def test_report_refuses_other_files(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    done = gen("report", path)
    assert done.returncode == 2 and "x.json" in done.stderr


def test_selections():
    run = devices.run_responder([], ["--suite=mpa", "--rules=must", "--skip=rfc5044/7.1.2,MPA-8-02/pad"])
    assert run.status == 0 and all(test["level"].startswith("MUST") for test in run.tests.values())
    assert "MPA-8-02/crc" in run.tests and "MPA-8-02/pad" not in run.tests
    assert not any(test["section"] == "7.1.2" for test in run.tests.values())
    by_alias = devices.run_responder([], ["--rules=MPA-6-03"])
    assert set(by_alias.tests) == {name for name in run.tests if name.startswith("MPA-8-02/")} | {"MPA-8-02/pad"}


@pytest.mark.parametrize("mutant", [None, "MPA-7.1.1-05"])
def test_device_of_connect(mutant):
    """An Initiator that is a command, too."""
    test = subprocess.Popen([devices.GEN, "test", "--listen", "127.0.0.1:0", "--rules=MPA-7.1.1-05,MPA-8-02/crc",
                             "--timeout=0.5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    port = test.stderr.readline().split()[-1]
    device = gen("connect", f"127.0.0.1:{port}", "--as-device=echo", *([f"--misbehave={mutant}"] if mutant else []))
    out, errors = test.communicate(timeout=devices.DEADLINE)
    assert device.returncode == 0, device.stderr
    assert test.returncode == (1 if mutant else 0), out + errors


# ---- contents of a report ----

def test_the_summary_comes_first():
    device = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0", "MPA-8-02/crc"], stdout=subprocess.PIPE, text=True)
    try:
        done = gen("test", f"127.0.0.1:{device.stdout.readline().strip()}", RULES, *devices.TIMES)
    finally:
        device.kill()
        device.wait()
    lines = done.stdout.splitlines()
    assert lines[2].split(None, 1) == ["device", "alive at the end"]
    assert "MPA revision 2" in lines[3] and "answers zero-length Reads" in lines[3]
    assert any(line.split()[:3] == ["fails", "1:", "MPA-8-02/crc"] for line in lines[:8]), lines[:8]
    table = {" ".join(line.split()[:3]): line.split()[3:] for line in lines if line.startswith("  RFC ")}
    assert table["RFC 5044 8"][1] == "1" and table["RFC 5044 4.1"][1] == "0"
    assert "cases can run" in done.stderr


def test_it_says_which_service_would_allow_more():
    with scripted.Device() as device:
        run = devices.run_test([f"127.0.0.1:{device.port}", "--rules=RFC5041/7.1,MPA-8-02/crc,RPCR-4.5.3-03", "--timeout=0.2"], 1, False)
    reach = run.report["reach"]
    assert reach["can_run"] < reach["tests"] == len([name for name in run.tests])
    assert {"iwarp-target or a service like it", "an NFS server (--service=nfs)"} == {
        missing["service"] for missing in reach["missing"]}
    assert sum(missing["tests"] for missing in reach["missing"]) == reach["tests"] - reach["can_run"]
    assert f"{reach['can_run']} of {reach['tests']} cases can run" in run.errors and "iwarp-target" in run.errors


@pytest.fixture
def echoes_res(monkeypatch):
    proper = scripted.reply

    def reply(request, reject=False, **change):
        octets = proper(request, reject, **change)
        return octets[:16] + bytes([octets[16] | 0x01]) + octets[17:]
    monkeypatch.setattr(scripted, "reply", reply)


def test_also_seen_is_a_failure(echoes_res, tmp_path):
    """A Reply with a bit of Res set, in cases about something else."""
    cases = ["--suite=mpa", "--rules=MPA-8-02/crc,MPA-5.1-06,MPA-7.1", "--skip=MPA-7.1.2,MPA-7.1.5"]
    with scripted.Device() as device:
        args = [f"127.0.0.1:{device.port}", "--timeout=0.3"]
        whole = devices.run_test([*args, *cases], 4, False)
        seen = [test for test in whole.tests.values() if test["suite"] == "seen"]
        assert seen, whole.tell()
        ids = [test["id"] for test in seen]
        assert len(ids) == len(set(ids)) and all(test["outcome"] == "failed" and "seen during" in test["stimulus"] for test in seen)
        assert whole.status == 1 and whole.report["summary"]["failed"] >= len(seen)
        # These are all failures: with a waiver for each, none counts.
        waivers = tmp_path / "waivers.yaml"
        waivers.write_text("".join(f"- id: {name.split('/')[0]}\n  why: known\n" for name in whole.outcome("failed")))
        waived = devices.run_test([*args, *cases, f"--waivers={waivers}"], 4, False)
        assert waived.status == 0 and waived.report["summary"]["waived"] == len(whole.outcome("failed")), waived.tell()
        # They are not reported if other rules are selected.
        other = devices.run_test([*args, "--rules=MPA-8-02/crc"], 1, False)
        assert other.status == 0 and not any(test["suite"] == "seen" for test in other.tests.values())


def test_our_own_reset_is_not_the_device():
    """The device never stops sending: our reset, and its TCP's answer to the reset, are not a refusal of a wrong CRC."""
    def flood(connection, over):
        connection.recv(100)
        connection.sendall(REPLY)
        ulpdu = bytes.fromhex("c1400000000100000000000000000000") + bytes(30000)
        frame = struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(len(ulpdu) + 2) % 4)
        frame += struct.pack("<I", crc32c(frame))
        while not over.is_set():
            connection.sendall(frame)

    port, stop = hostile(flood)
    try:
        done = gen("test", f"127.0.0.1:{port}", "--rules=MPA-8-02/crc", "--timeout=3", "--mpa=rev=1", "--format=json", "--confirm=1")
    finally:
        stop()
    test, = (test for test in json.loads(done.stdout)["tests"] if test["id"] == "MPA-8-02/crc")
    assert test["outcome"] != "passed", test["actual"]


def test_transcripts_are_bounded():
    """A device that never stops: a few frames, each shortened; with --transcript=full everything."""
    def flood(connection, over):
        connection.recv(100)
        connection.sendall(b"MPA ID Rep Frame\x40\x01\x00\x00")
        ulpdu = bytes.fromhex("c1400000000100000000000000000000") + bytes(1000)
        frame = struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(len(ulpdu) + 2) % 4)
        frame += struct.pack("<I", crc32c(frame))
        for _ in range(200):
            connection.sendall(frame)
        over.wait(5)

    port, stop = hostile(flood)
    try:
        reports = {}
        for kind in ("short", "full"):
            done = gen("test", f"127.0.0.1:{port}", "--rules=MPA-8-02/crc", "--timeout=0.3", "--mpa=rev=1", "--format=json",
                       f"--transcript={kind}")
            assert done.returncode in (0, 1, 3), done.stderr
            reports[kind] = json.loads(done.stdout)["tests"][0]["frames"]
    finally:
        stop()
    short, full = reports["short"], reports["full"]
    assert len(short) <= 40 and sum(frame["left_out"] for frame in short) >= 150
    assert all(len(frame["octets"] or "") <= 2 * 192 for frame in short)
    assert len(full) > 150 and all(len(frame["octets"] or "") == 2 * frame["length"] for frame in full)


def test_equal_frames_are_folded(tmp_path):
    """Forty equal FPDUs are one frame and a number, in every format; with --transcript=full all are shown. Lines have no trailing blanks."""
    outputs = {}
    for kind in ("text", "json", "junit", "html", "full"):
        device = subprocess.Popen([devices.SAMPLE_DEVICE, "responder", "127.0.0.1", "0", "MPA-7.1.1-16/late"], stdout=subprocess.PIPE, text=True)
        try:
            arguments = ["--format=json", "--transcript=full"] if kind == "full" else [f"--format={kind}"]
            done = gen("test", f"127.0.0.1:{device.stdout.readline().strip()}", "--rules=MPA-7.1.1-16/late", *arguments, *devices.TIMES)
        finally:
            device.kill()
            device.wait()
        assert done.returncode == 1, done.stderr
        outputs[kind] = done.stdout
    frames = {kind: json.loads(outputs[kind])["tests"][0]["frames"] for kind in ("json", "full")}
    again, = [frame["repeated"] for frame in frames["json"] if "repeated" in frame]
    assert again >= 39 and len(frames["full"]) == len(frames["json"]) + again
    assert not any("repeated" in frame for frame in frames["full"])
    for kind in ("text", "junit", "html"):
        assert outputs[kind].count(f"{again} more like this") == 1 and outputs[kind].count("RDMA Write STag") == 2, kind
    assert not any(line != line.rstrip() for line in outputs["text"].splitlines())
    (tmp_path / "one.json").write_text(outputs["json"])
    assert f"{again} more like this" in gen("report", tmp_path / "one.json", "-o", "-").stdout


def test_terminates_in_the_layout_of_the_device(monkeypatch):
    """Bit fields are filled from the wrong end, as in siw. The meaning comes after the literal fields."""
    operate = scripted.Device.operate

    def terminating(self, connection, request):
        # After the first Read: a Terminate about it, with DDP header and Read Request.
        head = self.exactly(connection, 2)
        length = struct.unpack(">H", head)[0]
        rest = self.exactly(connection, length + -(length + 2) % 4 + 4)
        ulpdu = rest[:length]
        if len(ulpdu) == 46:
            word = bytes([0x10, 0x00, 0x07, 0x00])  # layer 0 type 1 code 0, M D R
            connection.sendall(scripted.fpdu(bytes.fromhex("4147") + bytes(4) + struct.pack(">III", 2, 1, 0) + word +
                                             struct.pack(">H", 46) + ulpdu, request.crc))
            return
        operate(self, connection, request)

    monkeypatch.setattr(scripted.Device, "operate", terminating)
    with scripted.Device() as device:
        done = gen("test", f"127.0.0.1:{device.port}", "--rules=MPA-7.1.2-12", "--timeout=0.3", "--format=json")
    report = json.loads(done.stdout)
    said = [frame["what"] for test in report["tests"] for frame in test["frames"] if "Terminate" in frame["what"]]
    assert said and all("[meant: layer 0 type 1 code 0" in what for what in said), (said, report["terminate_layout"])
    assert "Layer and EType swapped" in report["terminate_layout"]


def test_a_second_signal_leaves_no_files(tmp_path):
    port, stop = hostile(reply_and_sleep)
    test = subprocess.Popen([devices.GEN, "test", f"127.0.0.1:{port}", "--rules=MPA-7.1.2-42", "-o", tmp_path / "x.json",
                             "--format=json", "--mpa=rev=1", "--timeout=0.2", "--idle-timeout=1000"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.5)
        test.send_signal(signal.SIGKILL)
        test.wait(30)
    finally:
        stop()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def died(tmp_path_factory):
    folder = tmp_path_factory.mktemp("died")
    out = {}
    for form in ("json", "junit", "html", "text"):
        with scripted.Device(bad_crc=lambda device: device.die() or True) as device:
            done = gen("test", f"127.0.0.1:{device.port}", "--rules=MPA-8-02/crc", "--timeout=0.3", "--recover-timeout=0.3",
                       "--confirm=1", f"--format={form}")
        assert done.returncode == 3, done.stderr
        out[form] = folder / form
        out[form].write_text(done.stdout)
    return out


def test_a_death_shows_in_every_format(died):
    assert "died           MPA-8-02/crc" in died["text"].read_text() and ", 1 died, " in died["text"].read_text()
    assert "NOT ALIVE at the end: refuses; died of MPA-8-02/crc" in died["text"].read_text()
    suite, device = ElementTree.fromstring(died["junit"].read_text().encode())
    assert suite.find(".//failure") is None and suite.find(".//error").get("type") == "died" and suite.get("errors") == "1"
    assert device.find("testcase").get("name") == "the device stays alive" and "died of MPA-8-02/crc" in device.find(".//error").get("message")
    assert any(one.get("name") == "life" and "died of MPA-8-02/crc" in one.get("value") for one in suite.iter("property"))
    text = "".join(Page(died["html"].read_text()).text)
    assert "NOT ALIVE at the end: refuses" in text and "the device dies when it gets this: " in text
    matrix = gen("report", died["json"], "-o", "-")
    assert "NOT ALIVE at the end" in matrix.stdout, matrix.stderr
    valid = subprocess.run(["xmllint", "--noout", "--schema", ROOT / "tests/check/junit.xsd", died["junit"]], capture_output=True,
                           text=True)
    assert valid.returncode == 0, valid.stderr


# ---- hostile devices ----

def hostile(serve):
    """Runs serve(socket) for each connection until told to end. Returns (port, end)."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    over = threading.Event()

    def one(connection):
        try:
            with connection:
                serve(connection, over)
        except OSError:
            pass

    def accept():
        while not over.is_set():
            try:
                threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()
            except TimeoutError:
                pass
        listener.close()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1], over.set


REPLY = b"MPA ID Rep Frame\x40\x01\x00\x00"


def send_random(connection, over):
    connection.recv(100)
    connection.sendall(bytes(range(256)) * 50)


def reply_and_random(connection, over):
    connection.recv(100)
    connection.sendall(REPLY + bytes(range(255, -1, -1)) * 50)


def dribble(connection, over):
    for octet in REPLY * 100:
        connection.sendall(bytes([octet]))
        if over.wait(0.1):
            return


def reply_and_flood(connection, over):
    connection.recv(100)
    connection.sendall(REPLY)
    while not over.is_set():
        connection.sendall(b"\x00\x0e\xc1\x40" + bytes(16) * 4000)


def reply_and_sleep(connection, over):
    connection.recv(100)
    connection.sendall(REPLY)
    over.wait(60)


def close_at_once(connection, over):
    pass


def close_in_reply(connection, over):
    connection.recv(100)
    connection.sendall(REPLY[:18])


def test_two_runs_are_of_one_device(tmp_path):
    """The report must not say "No failures" if failures were waived."""
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text("waivers:\n- id: MPA-8-02\n  why: known\n")
    reports = []
    for i in range(2):
        with scripted.Device(bad_crc=lambda device: False) as device:
            done = gen("test", f"127.0.0.1:{device.port}", "--rules=MPA-8-02/crc", "--timeout=0.3", "--device=one", "--format=json",
                       f"--waivers={waivers}")
        reports.append(tmp_path / f"{i}.json")
        reports[-1].write_text(done.stdout)
        assert json.loads(done.stdout)["summary"]["waived"] == 1, done.stderr
    page = gen("report", *reports, "-o", "-").stdout
    assert "Conformance of 1 device, 2 runs" in page and "No failures but 2 waived ones" in page


def never_read(connection, over):
    over.wait(60)


def test_stopped_by_a_signal(tmp_path):
    """The report and the recording have the finished cases, and nothing of the unfinished one."""
    met = threading.Semaphore(0)

    def serve(connection, over):
        met.release()
        reply_and_sleep(connection, over)

    port, stop = hostile(serve)
    out, record = tmp_path / "x.json", tmp_path / "x.pcapng"
    test = subprocess.Popen([devices.GEN, "test", f"127.0.0.1:{port}", "--rules=MPA-4.1-06,MPA-7.1.2-42", "-o", out, "-w",
                             record, "--format=json", "--mpa=rev=1", "--timeout=0.2", "--idle-timeout=1000"], stderr=subprocess.PIPE, text=True)
    try:
        connections = 0
        while met.acquire(timeout=5 if connections else 60):  # the second case waits, without another connection
            connections += 1
        test.send_signal(signal.SIGINT)
        errors = test.communicate(timeout=devices.DEADLINE)[1]
    finally:
        test.kill()
        stop()
    assert test.returncode == 4 and errors.endswith("\niwarp-gen: stopped: 1 of 2 cases finished and are in the report\n")
    report = json.loads(out.read_text())
    assert [test["id"] for test in report["tests"]] == ["MPA-4.1-06"] and report["state"] == "stopped"
    text = gen("report", out, "-o", "-").stdout
    assert "stopped before the end" in text and "NOT ALIVE" not in text
    whole = subprocess.run([devices.CHECK, "--format=ndjson", record], capture_output=True, text=True)
    assert len(read_report(whole.stdout)["captures"][0]["connections"]) == connections and "ends inside" not in whole.stderr


def reply_and_rpc_nonsense(connection, over):
    """Sends in valid FPDUs, with random words as in RPC-over-RDMA headers."""
    words = [0x63000001, 1, 8, 0, 0, 1, 2, 3, 4, 0xFFFFFFFF, 0x20, 5, 1, 0, 0]
    connection.recv(100)
    connection.sendall(REPLY)
    for msn in range(1, 300):
        message = [words[0], 1, 8] + [words[(msn * (i + 3) + i * i) % len(words)] for i in range(msn % 23)]
        ulpdu = struct.pack(f">HIIII{len(message)}I", 0x4143, 0, 0, msn, 0, *message)
        fpdu = struct.pack(">H", len(ulpdu)) + ulpdu
        fpdu += bytes(-len(fpdu) % 4)
        connection.sendall(fpdu + struct.pack("<I", crc32c(fpdu)))
    over.wait(10)


HOSTILE_SECONDS = 110  # usually 2 to 10; counting the octets of a flood takes longer, and so does a busy machine


@pytest.mark.parametrize("serve", [send_random, reply_and_random, dribble, reply_and_flood, reply_and_sleep, close_at_once,
                                   close_in_reply, never_read, reply_and_rpc_nonsense],
                         ids=lambda serve: serve.__name__)
@pytest.mark.parametrize("suite", ["mpa", "rpcrdma"])
def test_hostile_devices_end(serve, suite):
    port, end = hostile(serve)
    began = time.monotonic()
    try:
        done = gen("test", f"127.0.0.1:{port}", f"--suite={suite}", "--service=nfs", "--timeout=0.05", "--start-timeout=0.1",
                   "--idle-timeout=0.1", "--accept-timeout=1", "--jobs=16", "--format=json", timeout=2 * HOSTILE_SECONDS)
    finally:
        end()
    assert done.returncode in (0, 1, 2, 3), (done.returncode, done.stderr)
    assert time.monotonic() - began < HOSTILE_SECONDS
    if done.returncode != 2 and done.stdout:
        assert json.loads(done.stdout)["tests"]
