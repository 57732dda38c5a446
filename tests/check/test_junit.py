# SPDX-License-Identifier: GPL-2.0-or-later
"""--format=junit: valid by a schema, and the same outcomes as in the JSON report."""
import pathlib
import shutil
import socket
import subprocess
import re
import time
import xml.etree.ElementTree as ElementTree

import pytest


@pytest.fixture
def junit(check, root, tmp_path):
    """junit(*arguments) -> (exit status, root element), after validation. take: receives each suite, which is then discarded: a large report would take many
    times its size as objects."""
    def run(*arguments, take=None):
        path, names, n = tmp_path / "junit.xml", set(), 0
        with path.open("wb") as file:
            result = check("--format=junit", *arguments, stdout=file)
        valid = subprocess.run(["xmllint", "--noout", "--stream", "--schema", root / "tests" / "check" / "junit.xsd", path],
                               capture_output=True, check=False)
        assert valid.returncode == 0, valid.stderr.decode()
        parser = ElementTree.iterparse(path)
        for _, suite in parser:
            if suite.tag != "testsuite":
                continue
            cases = suite.findall("testcase")
            assert int(suite.get("tests")) == len(cases)
            for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                assert int(suite.get(attribute)) == sum(case.find(element) is not None for case in cases)
            names.update(hash((case.get("classname"), case.get("name"))) for case in cases)
            n += len(cases)
            if take:
                take(suite)
                suite.clear()
        if len({str(argument) for argument in arguments}) == len(arguments):
            assert len(names) == n
        return result.returncode, parser.root
    return run


def connections_of(parsed):
    return [suite for suite in parsed if ": connection " in suite.get("name")]


def said(suite):
    return suite.find("system-out").text or ""


def outcomes(suite):
    return {case.get("name"): case[0].tag if len(case) else "passed" for case in suite.findall("testcase")}


def expected_outcomes(connection):
    return {rule: "failure" if counts["failed"] else "passed" if counts["passed"] else "skipped"
            for rule, counts in connection["rules"].items()}


def test_outcomes_are_those_of_the_json_report(junit, report, good, bad):
    """A test case for each exercised rule; the others are summed up."""
    for path in (good, bad):
        status, parsed = junit(path)
        json_status, as_json = report(path)
        assert status == json_status
        suite, = connections_of(parsed)
        expected = expected_outcomes(as_json["captures"][0]["connections"][0])
        assert outcomes(suite) == {rule: outcome for rule, outcome in expected.items() if outcome != "skipped"}
        assert suite.get("skipped") == "0"
        sums = {reason: int(n) for n, reason in re.findall(r"^(\d+) rules? without a test case: (.*)$", said(suite), re.MULTILINE)}
        assert sums.pop("inconclusive: not decided by this capture", 0) == list(expected.values()).count("skipped")
        assert sum(sums.values()) > 500 and set(sums) == {"not exercised by this capture", "concerns the reaction to something that did not occur"}


def test_times_and_host(junit, report, root):
    """A suite begins with its connection; times are shares of the checking time; the host is the checking host."""
    path = root / "captures" / "real" / "nfslong" / "nfs3-long-setacl.pcap"
    before = time.monotonic()
    _, parsed = junit(path)
    took = time.monotonic() - before
    connections = report(path)[1]["captures"][0]["connections"]
    listing = subprocess.run(["tcpdump", "-tt", "-n", "-r", path], capture_output=True, text=True, check=True).stdout.splitlines()
    stamps = [float(line.split()[0]) for line in listing if not line.startswith((" ", "\t"))]
    assert len(connections_of(parsed)) == len(connections) == 3
    for suite, connection in zip(connections_of(parsed), connections):
        start, end = stamps[connection["start_frame"] - 1], stamps[connection["end_frame"] - 1]
        properties = {item.get("name"): item.get("value") for item in suite.iter("property")}
        assert float(properties["seconds"]) == pytest.approx(end - start, abs=2e-6) and float(properties["seconds"]) > 0
        assert 0 <= float(suite.get("time")) < took / 3
        # Jenkins' schema of JUnit (xunit-plugin, junit-10.xsd) has this pattern for times.
        assert all(re.fullmatch(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?", element.get("time"))
                   for element in [suite, *suite.iter("testcase")])
        assert suite.get("timestamp") == time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(int(start)))
        assert suite.get("hostname") == socket.gethostname()


def test_verbose_has_all_rules(junit, capture):
    many = capture("many", "--connections=3")
    brief, full = (connections_of(junit(*options, many)[1]) for options in ([], ["--verbose"]))
    for few, every in zip(brief, full, strict=True):
        assert len(few) + 500 < len(every) and "--verbose has a test case for each rule" in said(few) and "--verbose" not in said(every)


TROUBLE = pathlib.Path(__file__).parent / "trouble"


@pytest.mark.parametrize("options", [[], ["--fail-on=trouble"]])
def test_what_happened(junit, report, options):
    """The capture's test case, which fails only if the run does."""
    for name in ("c8-dead-server-stats-order-roce", "d3-delayed-ack-iwarp", "f1-syn-unanswered"):
        path = TROUBLE / f"{name}.pcap"
        status, parsed = junit(*options, path)
        suite = parsed[0]
        case, = (case for case in suite.iter("testcase") if case.get("name") == "what happened")
        troubles = report(path)[1]["captures"][0]["trouble"]
        fails = bool(options) and any(trouble["level"] == "trouble" for trouble in troubles)
        assert suite.get("name") == str(path) and case.get("classname").endswith("_pcap.capture") and suite.get("failures") == str(int(fails))
        text = case.find("failure").text if fails else said(suite)
        assert troubles and len(text.splitlines()) == len(troubles)
        for line, trouble in zip(text.splitlines(), troubles, strict=True):
            assert line.startswith(f"client {trouble['client']}, server {trouble['server']}, ") and line.endswith(trouble["words"] + "; next: " + trouble["next"])
            assert f" frame {trouble['frame']}" in line
        assert not fails or case.find("failure").get("message") and status == 1


def test_nothing_happened(junit, good):
    suite = junit("--fail-on=trouble", good)[1][0]
    assert outcomes(suite) == {"what happened": "passed"} and said(suite) == ""


def test_failure(junit, report, bad, fault):
    status, parsed = junit(bad)
    connection = report(bad)[1]["captures"][0]["connections"][0]
    finding, = connection["findings"]
    assert status == 1
    failure = next(case for case in parsed.iter("testcase") if case.get("name") == fault)[0]
    assert failure.get("type") == "error" and finding["found"] in failure.get("message")
    for part in (f"frame {finding['frame']}", "to the responder", finding["found"], finding["expected"], f"section {finding['section']}"):
        assert part in failure.text
    properties = {item.get("name"): item.get("value") for item in parsed.iter("property")}
    assert properties["initiator"] == connection["initiator"] and properties["responder"] == connection["responder"]
    assert properties["mpa.revision"] == "1" and properties["mpa.complete"] == "yes"
    assert properties["capture"] == str(bad)


def test_a_rule_that_states_the_same_names_the_one_with_the_findings(junit, capture, catalogue):
    alias, carrier = "MPA-4.4-11", "MPA-4.1-09"
    assert next(row["same"] for row in catalogue if row["id"] == alias) == carrier
    status, parsed = junit(f"--rules={alias}", capture("rev1", "--inject=" + carrier))
    case, = connections_of(parsed)[0].iter("testcase")
    assert status == 1 and case.get("name") == alias and f"({carrier}) frame " in case.find("failure").text


def test_waived_findings_are_no_failures(junit, bad, fault):
    status, parsed = junit(f"--waive={fault}:known", bad)
    suite, = connections_of(parsed)
    assert status == 0 and suite.get("failures") == "0" and outcomes(suite)[fault] == "passed"
    assert f"{fault}  error, waived (known): frame " in said(suite)


@pytest.mark.parametrize("options", [["--fail-on=never"], ["--fail-on=error"], ["--fail-on=note"], ["--max-findings=1"]])
def test_failures_are_what_makes_the_status(junit, bad, options):
    status, parsed = junit(*options, bad)
    assert (status == 1) == (int(connections_of(parsed)[0].get("failures")) > 0)


def test_verbose_has_what_was_not_exercised_with_the_reason(junit, good, catalogue):
    brief, full = (connections_of(junit(*options, good)[1])[0] for options in ([], ["--verbose"]))
    assert outcomes(brief).items() <= outcomes(full).items()
    assert list(outcomes(full)) == [row["id"] for row in catalogue]
    assert all(element.get("message") for element in full.iter("skipped"))
    assert any("applies only with another --profile" in element.get("message") for element in full.iter("skipped"))
    part, = connections_of(junit("--verbose", "--rules=MPA-4.1", good)[1])
    assert all(name.startswith("MPA-4.1-") for name in outcomes(part))


def test_inconclusive(junit, root):
    path = root / "captures" / "real" / "net" / "snap96-rping.pcap"
    assert any("inconclusive" in element.get("message") for element in junit("--verbose", path)[1].iter("skipped"))
    assert "rules without a test case: inconclusive" in said(connections_of(junit(path)[1])[0])


def test_trouble_and_nothing(junit, good, no_mpa, tmp_path):
    status, parsed = junit(good, "/no/such/file", no_mpa)
    assert status == 2
    assert [suite.get("errors") for suite in parsed] == ["0", "0", "1", "1"]
    assert "/no/such/file" in parsed[2].find("testcase/error").get("message")
    assert "nothing was checked" in parsed[3].find("testcase/error").get("message")
    assert junit("--allow-empty", good, no_mpa)[1][2].find("testcase/skipped") is not None
    status, parsed = junit(no_mpa)
    assert status == 3 and "nothing was checked" in parsed[0].find("testcase/error").get("message")


def test_unused_waivers(junit, good):
    status, parsed = junit("--waive=MPA-4.3-03", good)
    assert status == 0 and outcomes(parsed[2]) == {"MPA-4.3-03": "skipped"}
    status, parsed = junit("--waive=MPA-4.3-03", "--strict-waivers", good)
    assert status == 1 and outcomes(parsed[2]) == {"MPA-4.3-03": "failure"}


@pytest.mark.parametrize("name", [b"\x01\x1b[31m\x7f.pcap", b"\xff\xc2\x85 \xe2\x82.pcap", b"a\tb\nc\r.pcap", b"]]><&\"'.pcap",
                                  b"\xef\xbf\xbe\xef\xbf\xbf.pcap", "\u202eé😀.pcap".encode()])
def test_hostile_names(junit, bad, fault, tmp_path, name):
    path = str(tmp_path).encode() + b"/" + name
    shutil.copy(bad, path)
    path = path.decode("utf-8", "surrogateescape")
    status, parsed = junit(path)
    assert status == 1 and int(connections_of(parsed)[0].get("failures")) > 0
    status, _ = junit(f"--waive={fault}:why\x02\x1f]]>&<", path, path + "-missing")
    assert status == 2


def test_real_captures(junit, root):
    captures = sorted((root / "captures").glob("real/**/*.pcap*"))
    clients = []
    junit(*captures, take=lambda suite: clients.append(any(item.get("name") == "rpcrdma.client" for item in suite.iter("property"))))
    assert len(clients) >= len(captures) and any(clients)


def test_lines_of_print_do_not_spoil_it(junit, check, good):
    junit("--print", good)
    assert "[mpa:" in check("--format=junit", "--print", good).stderr
