# SPDX-License-Identifier: GPL-2.0-or-later
"""What bash completes, asked for as bash asks, and once with the Tab key in a terminal."""
import os
import pty
import re
import select
import shlex
import subprocess
import time

import pytest


@pytest.fixture(scope="module")
def environment(build):
    return os.environ | {"PATH": f"{build}/conformance:{build}/traffic-gen:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"}


@pytest.fixture
def complete(root, environment, tmp_path):
    (tmp_path / "a capture.pcapng").touch()
    (tmp_path / "other.pcap").touch()

    def ask(line):
        """The line up to the cursor, split as readline splits it."""
        words = re.findall(r"[^\s=]+|=", line)
        if not line or line[-1].isspace():
            words.append("")
        program = words[0]
        function = "_" + program.replace("-", "_")
        script = (f"source {shlex.quote(str(root / 'completions' / program))}; COMP_WORDS=({shlex.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; {function} {program} {shlex.quote(words[-1])} {shlex.quote(words[-2])}; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        result = subprocess.run(["bash", "--norc", "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True,
                                timeout=30, check=True)
        assert result.stderr == ""
        return set(result.stdout.splitlines()) - {""}
    return ask


@pytest.mark.parametrize("line, expected", [
    ("iwarp-check --form", {"--format="}),
    ("iwarp-check --format=j", {"json", "junit"}),
    ("iwarp-check --format=", {"text", "json", "junit", "html", "sarif", "github", "markdown"}),
    ("iwarp-check --strict", {"--strict-waivers"}),
    ("iwarp-check --fail-on=n", {"note", "never"}),
    ("iwarp-check --profile=r", {"rdmac", "rfc5666"}),
    ("iwarp-check --explain=MPA-4.3-0", {f"MPA-4.3-0{n}" for n in range(1, 10)}),
    ("iwarp-check --rules=mpa,nf", {"mpa,nfs"}),
    ("iwarp-check --assume=c", {"crc="}),
    ("iwarp-check --assume=crc=o", {"on", "off"}),
    ("iwarp-check --annotate=oth", {"other.pcap"}),
    ("iwarp-check -o oth", {"other.pcap"}),
    ("iwarp-check ", {"a capture.pcapng", "other.pcap"}),
    ("iwarp-check me", {"merge"}),
    ("iwarp-check merge --o", {"--output="}),
    ("iwarp-check merge --for", set()),
    ("iwarp-check merge --fail-on=w", {"warning"}),
    ("iwarp-gen pl", {"play"}),
    ("iwarp-gen test --mpa=o", {"ord="}),
    ("iwarp-gen test --transcript=f", {"full"}),
    ("iwarp-gen test --resume=oth", {"other.pcap"}),
    ("iwarp-gen play --inj", {"--inject="}),
    ("iwarp-gen play --inject=MPA-4.1-05,MPA-4.3-09", {"MPA-4.1-05,MPA-4.3-09"}),
    ("iwarp-gen play marker-w", {"marker-walk"}),
    ("iwarp-gen play oth", {"other.pcap"}),
    ("iwarp-gen play marker-walk -o oth", {"other.pcap"}),
    ("iwarp-gen list fau", {"faults"}),
    ("iwarp-gen help co", {"connect"}),
    ("iwarp-gen connect --as-device=r", {"rpc"}),
    ("iwarp-gen test --write", {"--write-capture="}),
    ("iwarp-gen play --net=re", {"reorder=", "resegment="}),
    ("iwarp-gen test --form", {"--format="}),
])
def test_completion(complete, line, expected):
    got = complete(line)
    assert got == expected if not line.startswith("iwarp-gen play --inject") else expected <= got


def test_all_options_are_offered(complete, check):
    offered = complete("iwarp-check --")
    assert offered == set(re.findall(r"--[a-z][a-z-]*=?", check("--help").stdout)) and len(offered) > 20


def test_all_commands_are_offered(complete):
    assert {"play", "list", "connect", "listen", "serve", "test"} <= complete("iwarp-gen ")


def test_scenarios_and_files(complete):
    assert {"rev1", "rev2", "a capture.pcapng"} <= complete("iwarp-gen play ")


def typed(line, wanted, root, environment, folder):
    """What stands on the terminal after Tab."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment | {"PS1": "> ", "TERM": "dumb"})
    shown = b""

    def read_until(text, seconds=20):
        nonlocal shown
        end = time.monotonic() + seconds
        while text not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 4096)
        assert text in shown, shown

    try:
        read_until(b"> ")
        for name in ("iwarp-check", "iwarp-gen"):
            os.write(terminal, f"source {root}/completions/{name}\n".encode())
        os.write(terminal, b"echo re''ady\n")
        read_until(b"ready\r\n> ")  # what is typed before the prompt the terminal takes for itself
        shown = b""
        os.write(terminal, line.encode() + b"\t")
        read_until(wanted.encode())
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


@pytest.mark.parametrize("line, wanted", [
    ("iwarp-check --form", "iwarp-check --format="), ("iwarp-check --format=ju", "--format=junit "),
    ("iwarp-check --profile=rf", "--profile=rfc5666 "), ("iwarp-check a", r"a\ capture.pcapng"),
    ("iwarp-gen play marker-w", "play marker-walk "),
])
def test_tab_key(line, wanted, root, environment, tmp_path):
    (tmp_path / "a capture.pcapng").touch()
    typed(line, wanted, root, environment, tmp_path)
