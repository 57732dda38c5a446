# SPDX-License-Identifier: GPL-2.0-or-later
"""Exit statuses, files, standard input, output."""
import struct
import subprocess

import pytest


def test_conforming_is_0(check, good):
    result = check(good)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("PASS: ")


def test_error_is_1(check, bad, fault):
    result = check(bad)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.startswith("FAIL: 1 error ")
    assert fault in result.stdout


def test_nothing_to_check_is_3(check, no_mpa):
    result = check(no_mpa)
    assert result.returncode == 3
    assert result.stdout.startswith("NOTHING TO CHECK: ")
    assert len(result.stderr.splitlines()) == 1


def test_each_capture_has_to_have_something(check, report, good, bad, no_mpa):
    result = check(no_mpa, good)
    assert result.returncode == 3 and result.stderr == f"iwarp-check: {no_mpa}: no RDMA connection found: nothing was checked (seen: no packets)\n"
    assert result.stdout.startswith("NOTHING TO CHECK: 1 capture had nothing to check; no findings in 1 connection")
    assert check("--allow-empty", no_mpa, good).returncode == 0 and check("--allow-empty", no_mpa).returncode == 0
    assert check(no_mpa, bad).returncode == 1 and check(no_mpa, "/no/such/file", good).returncode == 2
    status, parsed = report(no_mpa, good)
    assert status == 3 and parsed["summary"]["verdict"] == "nothing-to-check"
    assert ["nothing_checked" in capture for capture in parsed["captures"]] == [True, False]
    assert check("--summary", no_mpa, good).stdout.split("\t")[1] == "NOTHING"


def cut_after(path, frames, out):
    """The first packets of a capture."""
    octets, at, left = path.read_bytes(), 0, frames
    while left > 0:
        kind, length = struct.unpack_from("<II", octets, at)
        left -= kind == 6
        at += length
    out.write_bytes(octets[:at])
    return out


def test_connections_without_a_judged_fpdu_are_no_pass(check, report, good, capture, root, tmp_path):
    """A start-up without more; a rejection."""
    for path in (cut_after(good, 5, tmp_path / "start.pcapng"), root / "captures" / "real" / "basic" / "cmtime.pcap"):
        result = check(path)
        assert result.returncode == 3 and "no FPDU could be judged" in result.stdout.splitlines()[0]
        status, parsed = report(path)
        assert status == 3 and len(parsed["captures"][0]["connections"]) > 0
        assert sum(parsed["captures"][0]["connections"][0]["counts"]["fpdus"]) == 0
        assert check("--allow-empty", path).returncode == 0
        for form in ("html", "junit"):
            said = check(f"--format={form}", path).stdout
            assert "no FPDU could be judged" in said and ">PASS<" not in said
    rejected = check(capture("rev2-reject"))
    assert rejected.returncode == 3 and "was rejected" in rejected.stdout.splitlines()[0]


def test_a_request_that_is_never_answered_is_no_pass(check, report, build, tmp_path):
    """This holds even if its private data announces RPC-over-RDMA."""
    for options, frames in ((["rpcrdma-private-data"], 4), (["rpcrdma-private-data", "--transport=roce"], 1)):
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *options, "-o", tmp_path / "whole.pcapng"], check=True)
        path = cut_after(tmp_path / "whole.pcapng", frames, tmp_path / "asked.pcapng")
        status, parsed = report(path)
        assert status == 3 and len(parsed["captures"][0]["connections"]) == 1, options
        assert "the connection request was never answered" in parsed["captures"][0]["nothing_checked"]
        (tmp_path / "one.json").write_text(check("--format=ndjson", path).stdout)
        merged = check("merge", tmp_path / "one.json")
        assert merged.returncode == 3, merged.stderr


def test_a_rejected_start_up_without_a_rule_is_no_pass(check, report, root):
    path = root / "captures" / "roce" / "cm-reject.pcap"
    status, parsed = report(path)
    assert status == 3 and parsed["captures"][0]["nothing_checked"].endswith("the connection was rejected")
    assert parsed["captures"][0]["connections"][0]["ib"]["reject_reason"] == 8
    assert "rejected (reason 8" in check(path).stdout
    assert check("--allow-empty", path).returncode == 0


def test_a_link_type_that_is_not_understood_is_2(check, report, good, tmp_path):
    path = tmp_path / "wlan.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 105) + struct.pack("<IIII", 1, 0, 40, 40) + bytes(40))
    for files in ([path], [good, path]):
        result = check(*files)
        assert result.returncode == 2
        assert f"{path}: link type 105 (IEEE802_11, 802.11) is not supported" in result.stderr
        assert result.stdout.startswith("ERROR: ")
        for form in ("html", "junit"):
            said = check(f"--format={form}", *files).stdout
            assert "is not supported" in said and ">PASS<" not in said
    status, parsed = report(path)
    assert status == 2 and "IEEE802_11" in parsed["captures"][0]["error"] and parsed["summary"]["verdict"] == "error"


def test_no_rule_exercised_differs_from_no_connection(report, good):
    status, parsed = report("--rules=MPA-C", good)
    assert status in (0, 3) and parsed["summary"]["connections"] == 1


@pytest.mark.parametrize("level, status", [("error", 1), ("warning", 1), ("note", 1), ("never", 0)])
def test_fail_on(check, bad, level, status):
    assert check("--fail-on=" + level, bad).returncode == status


def test_many_files_are_many_captures(report, good, bad):
    status, parsed = report(good, bad, good)
    assert status == 1
    assert [capture["file"] for capture in parsed["captures"]] == [str(good), str(bad), str(good)]
    assert parsed["captures"][0]["connections"] == parsed["captures"][2]["connections"]
    assert parsed["summary"]["connections"] == 3


def test_threads_change_nothing(check, good, bad):
    files = [good, bad] * 8
    assert check("--format=ndjson", "-j", "4", *files).stdout == check("--format=ndjson", *files).stdout


def test_standard_input(report, bad):
    _, from_file = report(bad)
    status, piped = report("-", input=bad.read_bytes())
    assert status == 1 and piped["captures"][0]["file"] == "-"
    assert piped["captures"][0]["connections"] == from_file["captures"][0]["connections"]


def test_output_file(check, bad, tmp_path):
    path = tmp_path / "report.json"
    result = check("--format=ndjson", f"--output={path}", bad)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")
    assert path.read_text() == check("--format=ndjson", bad).stdout


def test_output_that_cannot_be_written(check, good, tmp_path):
    result = check(f"--output={tmp_path}/no/where", good)
    assert result.returncode == 2 and "no/where" in result.stderr
    assert check("--output=/dev/full", good).returncode == 2


def test_pcap_and_pcapng_agree(report, capture):
    _, first = report(capture("rev2"))
    _, second = report(capture("rev2", "--pcap", suffix="pcap"))
    first["captures"][0]["file"] = second["captures"][0]["file"]
    assert first == second


def test_progress(check, good):
    assert "100%" in check("--progress", good).stderr
    assert check("--no-progress", good).stderr == check(good).stderr == ""


def test_print(check, bad):
    lines = check("--print", bad).stdout.split("\n\n")[0].splitlines()
    assert lines[0].split()[2:5] == [">", "[mpa:", "start-req"]
    assert lines[1].split()[2:5] == ["<", "[mpa:", "start-rep"]
    assert all(line.split()[3:5] == ["[mpa:", "ulplen"] and line.endswith("]") for line in lines[2:])
    assert {line.split()[2] for line in lines} == {">", "<"}
    frames = [int(line.split()[0]) for line in lines]
    assert frames == sorted(frames)


def test_print_counts_agree_with_the_report(check, report, bad):
    printed = [line for line in check("--print", bad).stdout.split("\n\n")[0].splitlines() if "ulplen" in line]
    _, parsed = report(bad)
    fpdus = parsed["captures"][0]["connections"][0]["counts"]["fpdus"]
    assert fpdus == [sum(line.split()[2] == sign for line in printed) for sign in "><"]


def test_print_leaves_json_alone(check, bad):
    result = check("--print", "--format=ndjson", bad)
    assert result.stdout.startswith("{") and "[mpa: start-req" in result.stderr


def test_verbose_names_what_was_not_exercised(check, good):
    short, long = check(good).stdout, check("--verbose", good).stdout
    assert "MPA-1.2-01" not in short and " visible in captures (--verbose" in short
    assert "MPA-1.2-01" in long and "\nnot exercised: " in long
