# SPDX-License-Identifier: GPL-2.0-or-later
"""A wrong command line: one line that says what to do, status 2, nothing on standard output."""
import pytest


@pytest.mark.parametrize("arguments, hint", [
    ([], "--help"),
    (["--no-such-option", "x"], "--help"),
    (["--format=xml", "x"], "text, ndjson, junit, html, sarif, github, markdown and tap"),
    (["--list-rules", "--format=junit"], "text and json"),
    (["--list-rules", "--format=html"], "text and json"),
    (["--annotate=y.pcapng", "x", "y"], "one capture"),
    (["--fail-on=fatal", "x"], "error, warning, note or never"),
    (["--profile=ieee", "x"], "ietf, rdmac or rfc5666"),
    (["--assume=markers=maybe", "x"], "none, both, to-responder or to-initiator"),
    (["--assume=crc=1", "x"], "on or off"),
    (["--assume=icrc=1", "x"], "on or off"),
    (["--assume=inline=0", "x"], "number of octets"),
    (["--assume=qp=0x11", "x"], "such as 0x11:0x22"),
    (["--assume=qp=17:1", "x"], "such as 0x11:0x22"),
    (["--assume=qp=17:-2", "x"], "such as 0x11:0x22"),
    (["--assume=qp=17:34:51", "x"], "such as 0x11:0x22"),
    (["--assume=qp=0x1000000:5", "x"], "such as 0x11:0x22"),
    (["--assume=" + ",".join(["qp=2:3"] * 65), "x"], "at most 64"),
    (["--assume=inline=1023", "x"], "1024 to 262144"),
    (["--assume=inline=262145", "x"], "1024 to 262144"),
    (["--assume=colour=red", "x"], "markers="),
    (["--assume=crc", "x"], "crc=on|off"),
    (["--timers=react", "x"], "react=S"),
    (["--timers=react=soon", "x"], "seconds"),
    (["--timers=react=0", "x"], "greater than 0"),
    (["--timers=react=nan", "x"], "seconds"),
    (["--memory-limit=lots", "x"], "512K"),
    (["--memory-limit=-1", "x"], "512K"),
    (["--memory-limit=99999999999999G", "x"], "512K"),
    (["-j", "0", "x"], "1 to 256"),
    (["-j", "x", "x"], "--help"),
    (["--max-findings=-1", "x"], "0 keeps all"),
    (["--progress", "--no-progress", "x"], "combined"),
    (["--waive=nothing-like-it", "x"], "--list-rules"),
    (["--waive=MPA-4.1-5", "x"], "no rule 'MPA-4.1-5' (did you mean 'MPA-4.1-05'?)"),
    (["--rules=MPA-4.1-5", "x"], "'MPA-4.1-5' selects no rule (did you mean 'MPA-4.1-05'?)"),
    (["--skip=cloudy", "x"], "'cloudy' selects no rule: give a rule id"),
    (["--explain=RPCR-2.2.4.2-2"], "no rule 'RPCR-2.2.4.2-2' (did you mean 'RPCR-2.2.4.2-02'?)"),
    (["--formt=json", "x"], "--formt=json (did you mean --format?)"),
    (["merge", "--ouput=x", "y"], "--ouput=x (did you mean --output?)"),
    (["merge", "-q", "y"], "merge --help"),
    (["--format=ndjson", "--counts=rule", "x"], "choose capture or connection"),
    (["--counts=connection", "x"], "--counts needs --format=ndjson"),
    (["--waivers=/no/such/file", "x"], "/no/such/file"),
    (["-i", "lo", "-r", "x"], "give only one of them"),
    (["-i", "no-such-interface"], "no-such-interface"),
])
def test_usage(check, arguments, hint):
    result = check(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("iwarp-check: ") and len(result.stderr.splitlines()) == 1
    assert hint in result.stderr
    assert result.stderr.count("No such device") <= 1
    if "no-such-interface" not in arguments:
        assert result.stdout == ""


@pytest.mark.parametrize("options", [
    ["--assume=markers=both,crc=on,inline=4096"], ["--assume=markers=none", "--assume=crc=off"],
    ["--assume=markers=to-responder"], ["--timers=react=0.5,close=1,reply=2,start=3,idle=4"], ["--memory-limit=64K"],
    ["--profile=rdmac"], ["--profile=rfc5666"], ["--max-findings=0"], ["-j2"], ["-j", "2"], ["--rules=mpa", "--skip=ddp"],
    ["--skip=nfs,rpcrdma"], ["--assume=inline=1024"], ["--assume=inline=262144"],
])
def test_accepted(check, good, options):
    assert check(*options, good).returncode == 0
