# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion by bash, zsh and fish: bash's own function, fish's `complete`, and the Tab key in bash and zsh."""
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
        script = (f"source {shlex.quote(str(root / 'packaging' / 'completions' / program))}; COMP_WORDS=({shlex.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; {function} {program} {shlex.quote(words[-1])} {shlex.quote(words[-2])}; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        result = subprocess.run(["bash", "--norc", "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True,
                                timeout=30, check=True)
        assert result.stderr == ""
        return set(result.stdout.splitlines()) - {""}
    return ask


@pytest.mark.parametrize("line, expected", [
    ("iwarp-check --form", {"--format="}),
    ("iwarp-check --format=n", {"ndjson"}),
    ("iwarp-check --format=", {"text", "ndjson", "junit", "html", "sarif", "github", "markdown", "tap"}),
    ("iwarp-check --strict", {"--strict-waivers"}),
    ("iwarp-check --fail-on=n", {"note", "never"}),
    ("iwarp-check --fail-on=t", {"trouble"}),
    ("iwarp-check --profile=r", {"rdmac", "rfc5666"}),
    ("iwarp-check --waivers=linux-n", {"linux-nfsd"}),
    ("iwarp-check --waivers=oth", {"other.pcap"}),
    ("iwarp-check --write-waivers=oth", {"other.pcap"}),
    ("iwarp-check --explain=MPA-4.3-0", {f"MPA-4.3-0{n}" for n in range(1, 10)}),
    ("iwarp-check --rules=mpa,nf", {"mpa,nfs"}),
    ("iwarp-check --assume=c", {"crc="}),
    ("iwarp-check --assume=crc=o", {"on", "off"}),
    ("iwarp-check --assume=ic", {"icrc="}),
    ("iwarp-check --assume=icrc=o", {"on", "off"}),
    ("iwarp-check --annotate=oth", {"other.pcap"}),
    ("iwarp-check -o oth", {"other.pcap"}),
    ("iwarp-check ", {"a capture.pcapng", "other.pcap"}),
    ("iwarp-check me", {"merge"}),
    ("iwarp-check merge --o", {"--output="}),
    ("iwarp-check merge --for", {"--format="}),
    ("iwarp-check merge --fail-on=w", {"warning"}),
    ("iwarp-gen pl", {"play"}),
    ("iwarp-gen test --mpa=o", {"ord="}),
    ("iwarp-gen test --transcript=f", {"full"}),
    ("iwarp-gen test --stre", {"--strength="}),
    ("iwarp-gen test --strength=", {"2", "3"}),
    ("iwarp-gen test --strength=2 --suite=startup,geo", {"startup,geometry"}),
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


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {root}/packaging/completions/iwarp-check; source {root}/packaging/completions/iwarp-gen"),
    "zsh": (["zsh", "-f", "-i"], "fpath=({root}/packaging/completions/zsh $fpath); autoload -Uz compinit; compinit -u -d {folder}/.dump"),
}


def typed(shell, line, wanted, root, environment, folder):
    """The terminal's text after Tab."""
    command, setup = SHELLS[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(shell, command, environment | {"PS1": "> ", "TERM": "dumb"})
    shown = b""

    def read_until(text, seconds=60):
        nonlocal shown
        end = time.monotonic() + seconds
        while text not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 4096).replace(b"\a", b"")  # zsh rings the bell
        assert text in shown, shown

    try:
        read_until(b"> ")
        os.write(terminal, setup.format(root=root, folder=folder).encode() + b"\n")
        os.write(terminal, b"echo re''ady\n")
        read_until(b"ready\r\n")
        shown = shown[shown.index(b"ready\r\n"):]
        read_until(b"> ")  # the terminal itself takes input before the prompt
        shown = b""
        os.write(terminal, line.encode() + b"\t")
        read_until(wanted.encode())
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line, wanted", [
    ("iwarp-check --form", "iwarp-check --format="), ("iwarp-check --format=ju", "--format=junit "),
    ("iwarp-check --profile=rf", "--profile=rfc5666 "), ("iwarp-check --waivers=linux-n", "--waivers=linux-nfsd"),
    ("iwarp-check a", r"a\ capture.pcapng"),
    ("iwarp-gen play marker-w", "play marker-walk "), ("iwarp-gen help con", "help connect "),
    ("iwarp-gen test --transcript=f", "--transcript=full "), ("iwarp-gen play rev1 -o a", r"-o a\ capture.pcapng"),
])
def test_tab_key(shell, line, wanted, root, environment, tmp_path):
    (tmp_path / "a capture.pcapng").touch()
    typed(shell, line, wanted, root, environment, tmp_path)


@pytest.fixture
def fish(root, environment, tmp_path):
    (tmp_path / "a capture.pcapng").touch()
    (tmp_path / "other.pcap").touch()

    def ask(line):
        script = "; ".join(f"source {root}/packaging/completions/fish/{name}.fish" for name in ("iwarp-check", "iwarp-gen"))
        result = subprocess.run(["fish", "--no-config", "-c", f"{script}; complete -C {shlex.quote(line)}"], cwd=tmp_path, timeout=30,
                                env=environment | {"HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
        assert result.stderr == ""
        return {word.split("\t")[0] for word in result.stdout.splitlines()}
    return ask


@pytest.mark.parametrize("line, expected", [
    ("iwarp-check --form", {"--format="}),
    ("iwarp-check --format=nd", {"--format=ndjson"}),
    ("iwarp-check --explain=MPA-4.3-0", {f"--explain=MPA-4.3-0{n}" for n in range(1, 10)}),
    ("iwarp-check --rules=mpa,shou", {"--rules=mpa,should"}),
    ("iwarp-check --annotate=oth", {"--annotate=other.pcap"}),
    ("iwarp-check --waivers=linux-n", {"--waivers=linux-nfsd"}),
    ("iwarp-check --waivers=oth", {"--waivers=other.pcap"}),
    ("iwarp-check me", {"merge"}),
    ("iwarp-check merge --out", {"--output="}),
    ("iwarp-gen pl", {"play"}),
    ("iwarp-gen --ver", {"--version"}),
    ("iwarp-gen help con", {"connect"}),
    ("iwarp-gen list fau", {"faults"}),
    ("iwarp-gen play marker-w", {"marker-walk"}),
    ("iwarp-gen play oth", {"other.pcap"}),
    ("iwarp-gen play marker-walk -o oth", {"other.pcap"}),
    ("iwarp-gen play --inj", {"--inject="}),
    ("iwarp-gen play --inject=MPA-4.1-05,MPA-4.3-09", {"--inject=MPA-4.1-05,MPA-4.3-09"}),
    ("iwarp-gen serve --service=s", {"--service=sink"}),
    ("iwarp-gen test --resume=oth", {"--resume=other.pcap"}),
])
def test_fish(fish, line, expected):
    assert fish(line) == expected


def test_fish_knows_all_commands(fish):
    assert {"play", "list", "connect", "listen", "serve", "test", "learn", "simulate", "report", "help"} == fish("iwarp-gen ") - {"--help", "--version"}
