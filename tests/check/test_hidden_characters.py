# SPDX-License-Identifier: GPL-2.0-or-later
"""Terminals act on controls, and format characters reorder text: names and messages show them as \\xNN, whatever writes them."""
import re
import shutil
import subprocess

import pytest

# CSI as C1 and as a raw octet, DEL, ESC, a line end, right-to-left override, isolate, zero width space, line separator.
NAME = b"a%\xc2\x9b31m\x9b\x7f\x1b[1m\r\n\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xe2\x80\xa8b.pcap".decode("utf-8", "surrogateescape")
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def clean(text):
    found = HIDDEN.search(text)
    assert not found, ascii(text[max(0, found.start() - 40):found.end() + 40])
    return text


@pytest.fixture
def names(bad, tmp_path):
    shutil.copy(bad, tmp_path / NAME)
    return [tmp_path / NAME, tmp_path / (NAME + "-missing")]


@pytest.mark.parametrize("options", [[f"--format={name}"] for name in ("text", "ndjson", "junit", "html", "sarif", "github", "markdown", "tap")]
                         + [["--summary"], ["--print"], ["-v"], ["--quiet"], ["--color=never", "--stats"]], ids=" ".join)
def test_reports(check, names, options):
    why = f"--waive=MPA-4.1-05:{NAME}"
    for arguments in ([*options, *names], [*options, names[1]], [*options, why, names[0]], [*options, f"--waive=MPA-4.3-03:{NAME}", names[0]]):
        result = check(*arguments)
        clean(result.stdout)
        clean(result.stderr)


def test_github_decodes_to_the_name(check, names):
    line = next(line for line in check("--format=github", names[0]).stdout.splitlines() if line.startswith("::error "))
    assert re.fullmatch(r"::error file=[^:,]*,title=[^:]*::.*", line) and "a%25\\xc2\\x9b31m" in line


@pytest.mark.parametrize("arguments", [["--output={}/x", "{0}"], ["--{}=1"], ["--format={}"], ["--waivers={}"], ["--explain={}"], ["-r", "{}"],
                                       ["-i", "{}"], ["--rules={}"], ["merge", "{}"], ["merge", "--{}"], ["--annotate={}/x", "{}"]], ids=" ".join)
def test_messages_of_iwarp_check(check, names, arguments):
    result = check(*(argument.format(names[0]) for argument in arguments))
    clean(result.stdout)
    assert len(clean(result.stderr).splitlines()) >= (arguments[0] != "-r")


@pytest.mark.parametrize("arguments", [["play", "{}"], ["play", "rev1", "-o", "{}/x"], ["{}"], ["help", "{}"], ["play", "rev1", "--inject={}"],
                                       ["test", "{}"], ["script", "{}"], ["report", "{}"], ["list", "{}"], ["play", "rev1", "--{}"]], ids=" ".join)
def test_messages_of_iwarp_gen(build, arguments):
    result = subprocess.run([build / "traffic-gen" / "iwarp-gen", *(argument.format(NAME) for argument in arguments)], capture_output=True,
                            check=False, stdin=subprocess.DEVNULL, timeout=60)
    clean(result.stdout.decode())
    assert result.returncode != 0 and clean(result.stderr.decode())


def test_messages_of_extcap(build):
    extcap = next(build.rglob("iwarp-extcap"))
    result = subprocess.run([extcap, "--extcap-interface=iwarp-reference", "--capture", "--fifo=/dev/null", "--fault=" + NAME.replace("\udc9b", "")], capture_output=True, check=False)
    assert result.returncode != 0 and "no fault" in clean(result.stderr.decode())
