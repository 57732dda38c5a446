# SPDX-License-Identifier: GPL-2.0-or-later
"""--format=junit: valid by a schema, and the same outcomes as the JSON report."""
import shutil
import socket
import subprocess
import re
import time
import xml.etree.ElementTree as ElementTree

import pytest


@pytest.fixture
def junit(check, root, tmp_path):
    """
    junit(*arguments) -> (exit status, root element), after validation. take: is given each suite, of which nothing is kept then: as
    objects, a large report is many times its size.
    """
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


def outcomes(suite):
    return {case.get("name"): case[0].tag if len(case) else "passed" for case in suite.findall("testcase")}


def expected_outcomes(connection):
    return {rule: "failure" if counts["failed"] else "passed" if counts["passed"] else "skipped"
            for rule, counts in connection["rules"].items()}


def test_outcomes_are_those_of_the_json_report(junit, report, good, bad):
    for path in (good, bad):
        status, parsed = junit(path)
        json_status, as_json = report(path)
        assert status == json_status
        expected = expected_outcomes(as_json["captures"][0]["connections"][0])
        got = outcomes(parsed[0])
        assert {rule: outcome for rule, outcome in got.items() if rule in expected} == expected
        rest = [case for case in parsed[0].iter("testcase") if case.get("name") not in expected]
        assert len(rest) > 500 and {case.find("skipped").get("message") for case in rest} == {
            "nothing in the traffic called for it", "judges the reaction to something that did not occur"}


def test_times_and_host(junit, report, root):
    """A suite begins with its connection; times are those of checking, shared out; the host is the one that checked."""
    path = root / "captures" / "real" / "nfslong" / "nfs3-long-setacl.pcap"
    before = time.monotonic()
    _, parsed = junit(path)
    took = time.monotonic() - before
    connections = report(path)[1]["captures"][0]["connections"]
    listing = subprocess.run(["tcpdump", "-tt", "-n", "-r", path], capture_output=True, text=True, check=True).stdout.splitlines()
    stamps = [float(line.split()[0]) for line in listing if not line.startswith((" ", "\t"))]
    assert len(parsed) == len(connections) == 3
    for suite, connection in zip(parsed, connections):
        start, end = stamps[connection["start_frame"] - 1], stamps[connection["end_frame"] - 1]
        properties = {item.get("name"): item.get("value") for item in suite.iter("property")}
        assert float(properties["seconds"]) == pytest.approx(end - start, abs=2e-6) and float(properties["seconds"]) > 0
        assert 0 <= float(suite.get("time")) < took / 3
        # Jenkins' schema of JUnit (xunit-plugin, junit-10.xsd) has this pattern for times.
        assert all(re.fullmatch(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?", element.get("time"))
                   for element in [suite, *suite.iter("testcase")])
        assert suite.get("timestamp") == time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(int(start)))
        assert suite.get("hostname") == socket.gethostname()


def test_rules_without_an_occasion_are_left_out_of_large_reports(junit, report, capture):
    many = capture("many", "--connections=120")
    _, parsed = junit(many)
    connections = report(many)[1]["captures"][0]["connections"]
    for suite, connection in zip(parsed, connections, strict=True):
        assert outcomes(suite) == expected_outcomes(connection)
        assert "--verbose lists them" in suite.find("system-out").text
    full = []
    junit("--verbose", many, take=lambda suite: full.append(len(suite.findall("testcase"))))
    assert len(full) == len(parsed) and full[0] > len(parsed[0].findall("testcase")) + 500


def test_failure(junit, report, bad, fault):
    status, parsed = junit(bad)
    connection = report(bad)[1]["captures"][0]["connections"][0]
    finding, = connection["findings"]
    assert status == 1
    failure = next(case for case in parsed.iter("testcase") if case.get("name") == fault)[0]
    assert failure.get("type") == "error" and finding["message"] in failure.get("message")
    for part in (f"frame {finding['frame']}", "to the responder", finding["message"], f"section {finding['section']}"):
        assert part in failure.text
    properties = {item.get("name"): item.get("value") for item in parsed.iter("property")}
    assert properties["initiator"] == connection["initiator"] and properties["responder"] == connection["responder"]
    assert properties["mpa.revision"] == "1" and properties["mpa.complete"] == "yes"
    assert properties["capture"] == str(bad)


def test_a_rule_that_states_the_same_names_the_one_with_the_findings(junit, capture, catalogue):
    alias, carrier = "MPA-4.4-11", "MPA-4.1-09"
    assert next(row["same"] for row in catalogue if row["id"] == alias) == carrier
    status, parsed = junit(f"--rules={alias}", capture("rev1", "--inject=" + carrier))
    case, = parsed.iter("testcase")
    assert status == 1 and case.get("name") == alias and f"({carrier}) frame " in case.find("failure").text


def test_waived_findings_are_no_failures(junit, bad, fault):
    status, parsed = junit(f"--waive={fault}:known", bad)
    assert status == 0 and parsed[0].get("failures") == "0" and outcomes(parsed[0])[fault] == "passed"
    assert f"{fault}  error, waived (known): frame " in parsed[0].find("system-out").text


@pytest.mark.parametrize("options", [["--fail-on=never"], ["--fail-on=error"], ["--fail-on=note"], ["--max-findings=1"]])
def test_failures_are_what_makes_the_status(junit, bad, options):
    status, parsed = junit(*options, bad)
    assert (status == 1) == (int(parsed[0].get("failures")) > 0)


def test_what_was_not_exercised_is_skipped_with_the_reason(junit, good, catalogue):
    _, brief = junit(good)
    _, full = junit("--verbose", good)
    assert outcomes(brief[0]).items() <= outcomes(full[0]).items()
    assert list(outcomes(full[0])) == [row["id"] for row in catalogue]
    assert all(element.get("message") for element in full.iter("skipped"))
    assert any("binds only with another --profile" in element.get("message") for element in full.iter("skipped"))
    _, part = junit("--verbose", "--rules=MPA-4.1", good)
    assert all(name.startswith("MPA-4.1-") for name in outcomes(part[0]))


def test_inconclusive(junit, root):
    _, parsed = junit(root / "captures" / "real" / "net" / "snap96-rping.pcap")
    assert any("inconclusive" in element.get("message") for element in parsed.iter("skipped"))


def test_trouble_and_nothing(junit, good, no_mpa, tmp_path):
    status, parsed = junit(good, "/no/such/file", no_mpa)
    assert status == 2
    assert [suite.get("errors") for suite in parsed] == ["0", "1", "1"]
    assert "/no/such/file" in parsed[1].find("testcase/error").get("message")
    assert "nothing was checked" in parsed[2].find("testcase/error").get("message")
    assert junit("--allow-empty", good, no_mpa)[1][1].find("testcase/skipped") is not None
    status, parsed = junit(no_mpa)
    assert status == 3 and "nothing was checked" in parsed[0].find("testcase/error").get("message")


def test_unused_waivers(junit, good):
    status, parsed = junit("--waive=MPA-4.3-03", good)
    assert status == 0 and outcomes(parsed[1]) == {"MPA-4.3-03": "skipped"}
    status, parsed = junit("--waive=MPA-4.3-03", "--strict-waivers", good)
    assert status == 1 and outcomes(parsed[1]) == {"MPA-4.3-03": "failure"}


@pytest.mark.parametrize("name", [b"\x01\x1b[31m\x7f.pcap", b"\xff\xc2\x85 \xe2\x82.pcap", b"a\tb\nc\r.pcap", b"]]><&\"'.pcap",
                                  b"\xef\xbf\xbe\xef\xbf\xbf.pcap", "\u202eé😀.pcap".encode()])
def test_hostile_names(junit, bad, fault, tmp_path, name):
    path = str(tmp_path).encode() + b"/" + name
    shutil.copy(bad, path)
    path = path.decode("utf-8", "surrogateescape")
    status, parsed = junit(path)
    assert status == 1 and int(parsed[0].get("failures")) > 0
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
