# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check merge: makes one NDJSON report from several, the same as from one run over all their captures."""
import json
import os
import random
import re
import subprocess
import tempfile

import pytest

import spoiling
from reports import each, lines_of, read_report, validate, write_report


@pytest.fixture
def save(check, tmp_path):
    def run(name, *arguments):
        path = tmp_path / name
        check("--format=ndjson", "--counts=connection", f"--output={path}", *arguments)
        return path
    return run


@pytest.mark.parametrize("options", [[], ["--max-findings=1"], ["--waive=MPA-4.1-05:known"], ["--waive=MPA-4.3-03"]])
def test_as_one_run(check, report, save, schema, good, bad, no_mpa, options):
    for files in ([good, bad], [good], [no_mpa, good], [no_mpa, no_mpa], [bad, "/no/such/file"]):
        paths = [save(f"{i}.json", *options, path) for i, path in enumerate(files)]
        result = check("merge", *paths)
        status, expected = report(*options, *files)
        merged = read_report(result.stdout)
        validate(merged, schema)
        assert result.returncode == status and merged == expected


def test_counts_by_capture(check, report, save, good, bad, fault, tmp_path):
    """By default passed rules are counted by capture; the sums are those of a report by connection, and merge the same way."""
    for files in ([good], [good, bad]):
        path = tmp_path / "counts.json"
        check("--format=ndjson", f"--output={path}", *files)
        short, whole = read_report(path.read_text(encoding="utf-8")), report(*files)[1]
        assert [c["rules"] for c in short["captures"]] == [c["rules"] for c in whole["captures"]]
        for capture in short["captures"]:
            for connection in capture["connections"]:
                assert all(n["failed"] or n["inconclusive"] for n in connection["rules"].values())
        assert fault in short["captures"][-1]["connections"][0]["rules"] or bad not in files
        assert short["summary"] == whole["summary"]
        assert read_report(check("merge", path).stdout) == short
        text, merged = check("--verbose", *files).stdout, check("merge", "--format=markdown", path).stdout
        assert f"{whole['summary']['rules_exercised']} rules" in merged and str(whole["summary"]["rules_exercised"]) in text


@pytest.mark.parametrize("folder", ["real/params", "roce"])
def test_real_captures(check, report, save, schema, root, folder):
    files = sorted((root / "captures" / folder).glob("*.pcap*"))
    assert len(files) > 5
    paths = [save(f"{i}.json", path) for i, path in enumerate(files)]
    whole = report(*files)[1]
    validate(whole, schema)
    assert read_report(check("merge", *paths).stdout) == whole


def test_output_and_levels(check, save, good, bad, tmp_path):
    paths = [save("a.json", good), save("b.json", bad)]
    result = check("merge", *paths, "--output=" + str(tmp_path / "c.json"))
    assert result.returncode == 1 and result.stdout == ""
    assert read_report((tmp_path / "c.json").read_text())["summary"]["verdict"] == "fail"
    assert check("merge", "--fail-on=never", *paths).returncode == 0
    unused = save("d.json", "--waive=MPA-4.3-03", good)
    assert check("merge", unused).returncode == 0
    assert check("merge", "--strict-waivers", unused).returncode == 1
    assert check("merge", "-o", "/no/such/folder/x", *paths).returncode == 2


RUN = b'{"type": "run", "tool": "iwarp-check", "format": 4, "version": "1", "profile": "ietf"}\n'
HOSTILE = {
    "empty": b"", "text": b"PASS: no findings\n", "number": b"1", "array": b"[]", "object": b"{}", "binary": bytes(range(256)),
    "deep": b"[" * 1000000, "deep-closed": b"[" * 100000 + b"]" * 100000, "comment": b'/* " */' + b"[" * 1000000,
    "quote": b"'\"'" + b"[" * 1000000, "foreign": RUN.replace(b"iwarp-check", b"other"), "run": RUN, "blank": RUN + b"\n",
    "cut": RUN + b'{"type": "connection", "file": ', "nul": b'{"type": "run\x00", "tool": "iwarp-check"}', "latin": b'{"type": "\xe9"}',
    "twice": RUN + RUN, "no-run": b'{"type": "summary"}\n', "other-type": RUN + b'{"type": "x"}\n', "no-type": RUN + b'{"tool": "x"}\n',
    **{f"value {text}": RUN.replace(b"}", b', "x": ' + text.encode() + b"}") for text in
       ("0x10", "010", "-01", "+1", ".5", "1.", "1e", "-", "--1", "1e400", "nan", "[1,]", "[1 2]", "true1", "TRUE", r'"\x"', r'"\u12"', '"\t"')},
    "long": RUN + b'{"type": "' + b"x" * (65 << 20) + b'"}\n', "two": RUN.rstrip() + RUN,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile(check, save, good, tmp_path, name):
    path = tmp_path / "hostile.json"
    path.write_bytes(HOSTILE[name])
    refused(check("merge", save("a.json", good), path), path)


def refused(result, path, line=None):
    """The message is a single line with the file, and the line number if there is one."""
    assert result.returncode == 2 and result.stdout == ""
    where = re.match(rf"iwarp-check: {re.escape(str(path))}(:\d+)?: ", result.stderr)
    assert where and len(result.stderr.splitlines()) == 1
    assert line is None or where[1] == f":{line}"


@pytest.mark.parametrize("value", [None, -1, "x", [], {}, [1], {"x": 1}, 2 ** 62, True])
def test_members_of_other_types(check, report, bad, fault, tmp_path, value):
    path = tmp_path / "changed.json"
    for text in spoiling.spoiled_lines(report(f"--rules={fault}", bad)[1], value):
        path.write_text(text)
        result = check("merge", path)
        assert result.returncode in (0, 1, 2, 3) and len(result.stderr.splitlines()) <= 1
        if result.returncode == 2 and not result.stdout:
            refused(result, path)
        else:
            read_report(result.stdout)


def test_refused(check, save, good, bad, tmp_path):
    first, other = save("a.json", good), save("b.json", "--profile=rdmac", good)
    refused(check("merge", first, other), other, 1)
    refused(check("merge", first, tmp_path / "none.json"), tmp_path / "none.json")
    path = save("c.json", bad)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert [json.loads(line)["type"] for line in lines] == ["run", "connection", "capture", "summary"]
    path.write_text("".join([*lines[:3], lines[3].replace('"error":1', '"error":0')]), encoding="utf-8")
    refused(check("merge", first, path), path, 4)
    for order, line in (((0, 1, 3), 3), ((0, 2, 1, 3), 4), ((0, 1, 2), 3), ((1, 2, 3), 1), ((0, 1, 2, 3, 2), 5), ((0, 1, 2, 3, 3), 5), ((0, 1, 2, 0, 3), 4)):
        path.write_text("".join(lines[n] for n in order), encoding="utf-8")
        refused(check("merge", first, path), path, line)
    path.write_text("".join([lines[0], lines[1].replace(str(bad), "other"), *lines[2:]]), encoding="utf-8")
    refused(check("merge", first, path), path, 3)


@pytest.mark.parametrize("arguments, hint", [([], "no report"), (["--fail-on=x", "a"], "never"), (["--nonsense"], "nonsense")])
def test_usage(check, arguments, hint):
    result = check("merge", *arguments)
    assert result.returncode == 2 and hint in result.stderr and len(result.stderr.splitlines()) == 1


def test_format(check, save, good, bad, tmp_path):
    """Reports of any other format are refused."""
    report = read_report(save("one.json", good, bad).read_text(encoding="utf-8"))
    assert report["format"] == 4
    for wrong in (3, 5, "4", -1):
        path = tmp_path / "other.json"
        path.write_text(write_report(report | {"format": wrong}), encoding="utf-8")
        result = check("merge", path)
        refused(result, path, 1)
        assert "'format' of the report" in result.stderr


def test_help(check):
    result = check("merge", "--help")
    assert result.returncode == 0 and result.stdout.startswith("Usage: iwarp-check merge") and result.stderr == ""


# ---- other formats ----

def plain(text, form):
    """Without data that only the run knows: its command line, times, upper layers' counts, ladders."""
    text = re.sub(r" (time|timestamp|hostname)=\"[^\"]*\"", "", text)
    text = re.sub(r"^    RPC-over-RDMA: .*\n|waived \((--waive|by the report)\)|^ +\"commandLine\".*\n", "", text, flags=re.M)
    return text if form != "junit" else re.sub(r"<property name=.*\n|</?properties/?>", "", text)


@pytest.mark.parametrize("form", ["text", "sarif", "github", "markdown", "tap"])
def test_formats_are_those_of_a_run(check, root, tmp_path, form):
    captures = [root / "captures" / "real" / name for name in ("basic/ucmatose.pcap", "nfslong/nfs42-long-setxattr.pcap", "params/crc-rping.pcap")]
    reports = []
    for number, path in enumerate(captures):
        reports.append(tmp_path / f"{number}.json")
        check("--format=ndjson", "--counts=connection", f"--output={reports[-1]}", "--waive=RPCR-2.2.4.2-02:known", path)
    one, merged = check(f"--format={form}", "--waive=RPCR-2.2.4.2-02:known", *captures), check("merge", f"--format={form}", *reports)
    assert merged.returncode == one.returncode == 1 and merged.stderr == ""
    assert plain(merged.stdout, form) == plain(one.stdout, form)


def test_junit_and_html(check, root, tmp_path):
    path, json_report = root / "captures" / "real" / "basic" / "ucmatose.pcap", tmp_path / "a.json"
    check("--format=ndjson", "--counts=connection", f"--output={json_report}", path)
    for form, pattern in (("junit", r"<testcase|<failure"), ("html", r"MPA-7\.1\.2-23|DDP-3-08")):
        one, merged = check(f"--format={form}", path), check("merge", f"--format={form}", json_report)
        assert merged.returncode == 1
        if form == "junit":
            assert len(re.findall(pattern, one.stdout)) == len(re.findall(pattern, merged.stdout)) > 50
        else:
            assert set(re.findall(pattern, merged.stdout)) == set(re.findall(pattern, one.stdout)) and "FAIL" in merged.stdout


@pytest.mark.parametrize("form", ["text", "junit", "html", "sarif", "github", "markdown", "tap"])
def test_statuses_in_other_formats(check, good, no_mpa, capture, tmp_path, form):
    roce = capture("nfs3", "--transport=roce")
    for name, paths, options in (("good", [good, roce], []), ("empty", [good, no_mpa], []), ("missing", [tmp_path / "none"], []),
                                 ("unused", [good], ["--waive=MPA-4.1-05"])):
        report = tmp_path / f"{name}.json"
        status = check("--format=ndjson", "--counts=connection", f"--output={report}", *options, *paths).returncode
        merged = check("merge", f"--format={form}", report)
        assert merged.returncode == status and merged.stdout and merged.stderr == "", name
        if form == "text":
            run = check(*options, *paths)
            assert merged.stdout.splitlines()[0] == (run.stdout or run.stderr.replace("iwarp-check", "ERROR")).splitlines()[0]
    assert check("merge", "--format=xml", report).returncode == 2


# ---- any number of reports, of any size ----

def test_octet_for_octet(check, save, good, bad, root):
    """The merged report is identical to that of one run, with the same layout, distributions of statistics, and escaped texts."""
    files = [good, bad, root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"]
    for options in ([], ["--stats"], ['--waive=MPA-4.1-05:"known", \\ and é']):
        paths = [save(f"{i}.json", *options, path) for i, path in enumerate(files)]
        one, merged = check("--format=ndjson", "--counts=connection", *options, *files), check("merge", *paths)
        assert merged.stdout == one.stdout and merged.returncode == one.returncode == 1


def test_ten_thousand_reports(check, save, good, bad, tmp_path):
    """In one run; repeated reports count each time."""
    first, second = save("a.json", good), save("b.json", bad)
    for number in range(5000):
        (tmp_path / f"good-{number}.json").symlink_to(first)
        (tmp_path / f"bad-{number}.json").symlink_to(second)
    paths = sorted(tmp_path.glob("good-*")) + sorted(tmp_path.glob("bad-*"))
    result = check("merge", f"--output={tmp_path / 'all.json'}", *paths)
    assert result.returncode == 1 and result.stderr == ""
    rest, found = [], read_report(second.read_text(encoding="utf-8"))
    with (tmp_path / "all.json").open(encoding="utf-8") as file:
        captures = sum(1 for _ in each(file, "captures", rest))
    merged = read_report("".join(rest))
    assert captures == 10000 == merged["summary"]["connections"] and not merged["captures"]
    assert merged["summary"]["findings"]["error"] == 5000 * found["summary"]["findings"]["error"]


def peak(run, *arguments):
    """Peak memory in MiB, as counted by the kernel; and the status."""
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as said:
        status = subprocess.run(["time", "-q", "-f", "%M", "-o", said.name, run, *arguments], check=False, stdout=subprocess.DEVNULL).returncode
        return int(said.read()) / 1024, status


def test_memory_is_bounded(build, check, save, capture, tmp_path):
    """For one report and for forty with 200 connections each: the same, although all in memory would take ten times as much."""
    path = save("many.json", capture("many", "--connections=200"))
    once, _ = peak(build / "conformance" / "iwarp-check", "merge", path)
    often, status = peak(build / "conformance" / "iwarp-check", "merge", *[path] * 40)
    assert status == 0 and often < 64 and often < once + 4
    assert path.stat().st_size * 40 > 64 << 20 or often < 32


def test_read_once_only(check, save, good, bad, tmp_path):
    """Through a pipe, which cannot be read twice."""
    first, second, pipe = save("a.json", good), save("b.json", bad), tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", second, pipe]):
        piped = check("merge", first, pipe)
    assert piped.stdout == check("merge", first, second).stdout and piped.returncode == 1


def test_members_in_another_order(check, save, good, bad):
    """Members may be in any order, for example after a program that sorts them."""
    path = save("a.json", good, bad)
    report = read_report(path.read_text(encoding="utf-8"))
    for order in (sorted, lambda members: sorted(members, reverse=True)):
        def reordered(value, order=order):
            if isinstance(value, dict):
                return {name: reordered(value[name]) for name in order(value)}
            return [reordered(each) for each in value] if isinstance(value, list) else value
        path.write_text("".join(json.dumps(reordered(line)) + "\n" for line in lines_of(report)), encoding="utf-8")
        assert read_report(check("merge", path).stdout) == report


def test_cut(check, save, good, bad, tmp_path):
    """A report that ends early is refused wherever it ends, even after complete reports."""
    first, path = save("a.json", good), tmp_path / "cut.json"
    whole = save("b.json", bad).read_bytes().rstrip()
    for end in range(1, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:end])
        refused(check("merge", first, path), path)


def random_value(chance, depth=0):
    kind = chance.randrange(8 if depth < 6 else 6)
    if kind < 2:
        return chance.choice([None, True, False, chance.randrange(-2 ** 63, 2 ** 63), chance.randrange(-5, 1000)])
    if kind == 2:
        return chance.uniform(-1e9, 1e9) * 10 ** chance.randrange(-20, 20)
    if kind < 6:
        return "".join(chance.choice('abc"\\/\n\t é漢😀\x7f\u2028{}[],:') for _ in range(chance.randrange(40)))
    members = [random_value(chance, depth + 1) for _ in range(chance.randrange(6))]
    return members if kind == 6 else {f"m{i}{chance.choice(['', 'é', chr(34)])}": value for i, value in enumerate(members)}


@pytest.mark.parametrize("seed", range(6))
def test_whatever_else_is_there_is_kept(check, save, good, tmp_path, seed):
    """Lines of a later version: of any type and layout, and larger than the read buffer."""
    chance, path = random.Random(seed), tmp_path / "more.json"
    report = read_report(save("a.json", good).read_text(encoding="utf-8"))
    for where in (report["captures"][0], report["captures"][0]["connections"][0]):
        where.update({f"x{i}": random_value(chance) for i in range(500)})
    path.write_text(write_report(report, ensure_ascii=seed % 2 == 0, separators=((",", ":"), (", ", ": "), (" ,\t", "  :  "))[seed % 3]), encoding="utf-8")
    assert path.stat().st_size > 1 << 16
    merged = check("merge", path).stdout
    assert read_report(merged) == report
    path.write_text(merged, encoding="utf-8")
    assert check("merge", path).stdout == merged


def test_ends_without_ports(check, save, capture):
    """Queue pairs whose start was not captured have no known port; the addresses stay."""
    options = ["-r", capture("rpcrdma", "--transport=roce"), "udp[12:4] & 0xffffff != 1"]
    line = "connection 1: 192.0.2.1 -> 192.0.2.2 "
    assert line in check(*options).stdout
    assert line in check("merge", "--format=text", save("roce.json", *options)).stdout


def test_counts_of_a_rule_that_is_not_judged(check, save, good, tmp_path):
    """A version that judged this rule has counts of it, which must not count for another rule."""
    path, more = save("a.json", good), tmp_path / "more.json"
    report = read_report(path.read_text(encoding="utf-8"))
    for where in (report["captures"][0], report["captures"][0]["connections"][0]):
        where["rules"]["MPA-7.1.2-33"] = next(iter(where["rules"].values()))
    more.write_text(write_report(report), encoding="utf-8")
    for kind in ("text", "junit", "html", "tap"):
        merged = check("merge", f"--format={kind}", path).stdout
        assert merged and check("merge", f"--format={kind}", more).stdout.replace("more.json", "a.json") == merged
