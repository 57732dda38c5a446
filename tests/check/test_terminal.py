# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report on a terminal: wrapped to its width, in colour; and its contents without --verbose."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

ESCAPE = re.compile(r"\033\[[0-9;]*m")


def read_all(terminal):
    text = b""
    try:
        while piece := os.read(terminal, 65536):
            text += piece
    except OSError:  # the other end was closed
        pass
    os.close(terminal)
    return text


@pytest.fixture
def on_terminal(build):
    """on_terminal(columns, *arguments, **environment) -> the terminal's text"""
    def run(columns, *arguments, **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | environment
        process = subprocess.Popen([build / "conformance" / "iwarp-check", "--no-progress", *arguments], stdout=theirs,
                                   stderr=subprocess.DEVNULL, env=env)
        os.close(theirs)
        text = read_all(ours)
        assert process.wait() in (0, 1)
        return text.decode().replace("\r\n", "\n")
    return run


@pytest.mark.parametrize("columns", [40, 72, 200])
def test_wrapped_to_the_terminal(on_terminal, check, bad, columns):
    whole = check(bad).stdout
    shown = ESCAPE.sub("", on_terminal(columns, bad))
    assert max(map(len, whole.splitlines())) > 100
    longest_word = max(len(word) for word in whole.split())
    assert max(map(len, shown.splitlines())) <= max(columns, longest_word + 8)
    assert shown.split() == whole.split()  # nothing is lost, nothing changes


def test_not_wrapped_elsewhere(check, bad, report):
    finding, = report(bad)[1]["captures"][0]["connections"][0]["findings"]
    assert sum(finding["found"] in line for line in check(bad).stdout.splitlines()) == 1


def test_colour(on_terminal, check, bad, good):
    assert "\033[1;31mFAIL\033[0m: " in on_terminal(80, bad) and "\033[1;32mPASS\033[0m: " in on_terminal(80, good)
    assert "\033" not in check(bad).stdout
    assert "\033[1;31mFAIL" in check("--color=always", bad).stdout
    for uncoloured in (on_terminal(80, "--color=never", bad), on_terminal(80, bad, NO_COLOR="1"), on_terminal(80, bad, TERM="dumb")):
        assert "\033" not in uncoloured
    assert "\033" in on_terminal(80, bad, NO_COLOR="") and "\033" in on_terminal(80, "--color=always", bad, NO_COLOR="1")
    result = check("--color=red", bad)
    assert result.returncode == 2 and "auto, always or never" in result.stderr


def test_colours_change_nothing_else(check, bad):
    assert ESCAPE.sub("", check("--color=always", bad).stdout) == check(bad).stdout


def test_a_line_on_rules(check, report, bad, catalogue):
    summary = check(bad).stdout.splitlines()[-1]
    held, violated, inconclusive, shown = (int(n or 0) for n in re.fullmatch(
        r"rules: (\d+) held, (\d+) violated, (?:(\d+) inconclusive, )?of (\d+) visible in captures \(--verbose lists them\)", summary).groups())
    rules = report(bad)[1]["captures"][0]["connections"][0]["rules"].values()
    assert violated == sum(rule["failed"] > 0 for rule in rules) > 0
    assert held == sum(rule["failed"] == 0 and rule["passed"] > 0 for rule in rules) > 20
    assert inconclusive == sum(rule["failed"] + rule["passed"] == 0 for rule in rules)
    verbose = check("--verbose", bad).stdout
    assert f"rules exercised: {held + violated}\n" in verbose and "rules: " not in verbose.splitlines()[-1]
    rest = len(catalogue) - held - violated
    assert f"not exercised: {rest} of {len(catalogue)} rules" in verbose
    never = {"can only be shown by an active test", "judged with other rules", "a permission", "concerns the inside", "concerns documents",
             "applies only with another", "applies only on another"}
    counted = re.findall(r"^  +(\d+)  ([a-z].*)$", verbose.partition("\nnot exercised")[2], re.M)
    assert shown == held + violated + sum(int(n) for n, why in counted if not any(why.startswith(each) for each in never)) < len(catalogue) - 500


def test_connections_without_findings_are_not_all_shown(check, capture):
    many = capture("many", "--connections=120")
    brief, full = check(many).stdout, check("--verbose", many).stdout
    assert brief.count("\n  connection ") == 20 and "\n  ... and 100 connections without findings; --verbose shows all\n" in brief
    assert full.count("\n  connection ") == 120 and "without findings;" not in full


def test_names_cannot_control_the_terminal(check, good, tmp_path):
    path = tmp_path / "\x1b]0;owned\x07.pcapng"
    path.write_bytes(good.read_bytes())
    for out in (check(path).stdout, check(path, str(path) + "missing").stdout):
        assert "\x1b" not in out and "\\x1b]0;owned\\x07.pcapng" in out


def stderr_on_terminal(build, good, pause):
    """The terminal output of iwarp-check, and the seconds from its start to the first octet of output. Its input comes after a pause."""
    ours, theirs = pty.openpty()
    begin = time.monotonic()
    process = subprocess.Popen([build / "conformance" / "iwarp-check", "-", good], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=theirs)
    os.close(theirs)
    time.sleep(pause)
    process.stdin.write(good.read_bytes())
    process.stdin.close()
    select.select([ours], [], [])
    first = time.monotonic() - begin
    text = read_all(ours)
    assert process.wait(60) == 0
    return text, first


def test_progress_appears_after_half_a_second(build, good):
    for pause in (0.7, 2, 6, 20):  # a busy machine may start it late
        text, first = stderr_on_terminal(build, good, pause)
        assert first >= 0.5
        if text:
            break
    assert b"100%" in text
    for _ in range(5):
        text, first = stderr_on_terminal(build, good, 0)
        assert text == b"" or first >= 0.5
