# SPDX-License-Identifier: GPL-2.0-or-later
"""--list-rules, --explain, --help, --version."""
import re
import json

import pytest


def rows(check, *options):
    result = check("--list-rules", *options)
    assert result.returncode == 0 and result.stderr == ""
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_list_rules_has_every_rule_with_seven_columns(check, catalogue):
    listed = rows(check)
    assert [row[0] for row in listed] == [row["id"] for row in catalogue]
    for row in listed:
        assert len(row) == 7
        assert row[4] in ("passive", "active", "passive+active", "none")
        assert row[5] in ("error", "warning", "note")


def test_list_rules_json_agrees_with_text(check):
    listed = json.loads(check("--list-rules", "--format=json").stdout)
    names = "id document section level verification severity title".split()
    assert [[rule[name] for name in names] for rule in listed] == rows(check)


def test_transports(check, catalogue):
    """Layers below RPC-over-RDMA are those of iWARP; layers above apply to both, except what RFC 8166 says about ports."""
    listed = json.loads(check("--list-rules", "--format=json").stdout)
    names = {"any": ["iwarp", "ib"], "iwarp": ["iwarp"], "ib": ["ib"]}
    assert [rule["transports"] for rule in listed] == [names[row["transport"]] for row in catalogue]
    assert all(rule["transports"] == ["iwarp"] for rule in listed if rule["layer"] in ("mpa", "ddp", "rdmap"))
    assert {rule["id"] for rule in listed if rule["layer"] not in ("mpa", "ddp", "rdmap") and len(rule["transports"]) < 2} == {
        "RPCR-2.3.2-04", "RPCR-5-01", "RPCR-5-02"}
    for rule, words in (("MPA-4.3-03", "iWARP"), ("RPCR-5-02", "RoCE, InfiniBand"), ("RPCR-4.5-01", "iWARP, RoCE, InfiniBand")):
        line, = (line for line in check(f"--explain={rule}").stdout.splitlines() if line.startswith("Transport"))
        assert line.split(None, 1)[1] == words


@pytest.mark.parametrize("selector, wanted", [
    ("MPA-4.3-03", lambda r: r[0] == "MPA-4.3-03"),
    ("mpa-4.3-03", lambda r: r[0] == "MPA-4.3-03"),
    ("MPA-4.3", lambda r: r[0].startswith("MPA-4.3-")),
    ("MPA-7.1", lambda r: r[0].startswith(("MPA-7.1-", "MPA-7.1."))),
    ("MPA2", lambda r: r[0].startswith("MPA2-")),
    ("rfc6581", lambda r: r[1] == "RFC 6581"),
    ("RFC5044/4.3", lambda r: r[1] == "RFC 5044" and r[2] == "4.3"),
    ("rfc5044/7.1", lambda r: r[1] == "RFC 5044" and (r[2] + ".").startswith("7.1.")),
    ("mpa", lambda r: r[0].startswith(("MPA-", "MPA2-"))),
    ("ddp", lambda r: r[0].startswith("DDP-")),
    ("rfc7306", lambda r: r[0].startswith("RDMAPX-")),
    ("rpcrdma", lambda r: r[0].startswith(("RPCR-", "RPCR0-", "BIDI-", "CMPD-", "EXP-"))),
    ("rpc", lambda r: r[0].startswith("RPC-")),
    ("rfc5531", lambda r: r[0].startswith("RPC-")),
    ("nfs", lambda r: r[0].startswith(("NFSULB-", "NFS3-", "NFS4-", "NFS41-"))),
    ("rfc8166", lambda r: r[1] == "RFC 8166"),
    ("rfc8166/4.3", lambda r: r[1] == "RFC 8166" and (r[2] + ".").startswith("4.3.")),
    ("rfc8167", lambda r: r[1] == "RFC 8167"),
    ("rfc8267", lambda r: r[1] == "RFC 8267"),
    ("rfc8881", lambda r: r[0].startswith("NFS41-")),
    ("rfc8797", lambda r: r[1] == "RFC 8797"),
    ("rfc5666", lambda r: r[1] == "RFC 5666"),
    ("rfc5667", lambda r: r[1] == "RFC 5667"),
    ("draft-lever-rpcrdma-v1-implementation-experience", lambda r: r[0].startswith("EXP-")),
    ("must", lambda r: r[3] in ("MUST", "MUST NOT", "REQUIRED", "SHALL")),
    ("should", lambda r: r[3] in ("SHOULD", "SHOULD NOT", "RECOMMENDED")),
    ("rfc6581,MPA-4.3", lambda r: r[1] == "RFC 6581" or r[0].startswith("MPA-4.3-")),
])
def test_selectors(check, selector, wanted):
    everything = rows(check)
    chosen = [row for row in everything if wanted(row)]
    assert chosen and rows(check, "--rules=" + selector) == chosen
    if len(chosen) < len(everything):
        assert rows(check, "--skip=" + selector) == [row for row in everything if not wanted(row)]


def test_selecting_and_skipping_together(check):
    assert [row[0] for row in rows(check, "--rules=MPA-4.3", "--skip=should")] == \
        [row[0] for row in rows(check, "--rules=MPA-4.3") if row[3] not in ("SHOULD", "SHOULD NOT")]


@pytest.mark.parametrize("selector", ["MPA-99", "rfc1", "rfc5044/99", "", "nonsense", "MPA-4.3,"])
def test_unknown_selector_says_what_is_allowed(check, selector):
    result = check("--list-rules", "--rules=" + selector)
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.startswith("iwarp-check: --rules: ") and "rfc5044/4.3" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_selection_of_nothing_is_an_error(check):
    result = check("--list-rules", "--rules=MPA-4.3-03", "--skip=MPA-4.3")
    assert result.returncode == 2 and "no rule" in result.stderr


def test_explain_every_rule(check, catalogue):
    for row in catalogue[::37]:
        result = check("--explain=" + row["id"])
        assert result.returncode == 0
        assert result.stdout.startswith(row["id"] + "\n")
        text = " ".join(result.stdout.split())
        for column in ("rule", "how", "cause", "severity"):
            assert " ".join(row[column].split()) in text
        assert f"{row['doc']} section {row['section']}" in text
        assert all(len(line) <= 80 or " " not in line.strip() for line in result.stdout.splitlines())


def test_explain_unknown_rule(check):
    for unknown, hint in (("nothing-like-it", "--list-rules"), ("MPA-4.1-5", "did you mean 'MPA-4.1-05'?")):
        result = check(f"--explain={unknown}")
        assert result.returncode == 2 and result.stdout == ""
        assert unknown in result.stderr and hint in result.stderr


def test_help_has_one_option_a_line(check):
    result = check("--help")
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert len(lines) <= 63 and max(map(len, lines)) <= 80
    options = [line for line in lines if line.startswith("  ") and line.lstrip().startswith("-")]
    assert len(options) > 25 and all(len(re.findall(r"(?:^|, )--[a-z]", line.strip())) == 1 for line in options
                                     if "--progress" not in line)
    for option in ("--format", "--output", "--rules", "--skip", "--fail-on", "--profile", "--waive", "--waivers",
                   "--strict-waivers", "--allow-empty", "--assume", "--list-rules", "--explain", "--print", "--progress", "--no-progress",
                   "-j", "-i", "--memory-limit", "--timers", "--version", "--help"):
        assert option in result.stdout


def test_version(check):
    assert check("--version").stdout.startswith("iwarp-check 1.0")
