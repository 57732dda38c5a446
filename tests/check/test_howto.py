# SPDX-License-Identifier: GPL-2.0-or-later
"""The how-tos and the README are run as written.

In docs/howto/*.md and README.md indented lines that begin with "$ " are commands, lines that begin with "> " continue them, and lines up to the next
command or the end of the block are their output, standard error included. "[...]" stands for anything in a line, alone for any number of lines.
127.0.0.1:7174 is replaced by a free port. Examples for CI servers may only contain commands that are run this way, too. Lines that begin with "# " are for
root, and are not run."""
import os
import pathlib
import re
import signal
import socket
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs" / "howto").glob("*.md")), ROOT / "README.md"]
PLUGINS = "tshark "  # commands that need the plugins run elsewhere


def commands(text):
    """[(line number, command, [line of output])]"""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("    "):
            inside = inside and not line.strip()  # a block continues after an empty line
            if inside:
                found[-1][2].append("")
            continue
        line = line[4:]
        if line.startswith("$ "):
            found.append((number, line[2:], []))
            inside = True
        elif inside and line.startswith("> ") and not found[-1][2]:
            found[-1] = (found[-1][0], found[-1][1] + "\n" + line[2:], [])
        elif line.startswith("# "):
            inside = False
        elif inside:
            found[-1][2].append(line)
    return found


def pattern_of(lines):
    while lines and not lines[-1]:
        lines = lines[:-1]
    parts = [r"(?:.*\n)*?" if line.strip() == "[...]" else ".*".join(map(re.escape, line.split("[...]"))) + "\n" for line in lines]
    return re.compile("".join(parts))


@pytest.fixture
def shell(build, tmp_path, request):
    """Runs a command in a shell; its background processes end with the test."""
    environment = os.environ | {"PATH": f"{build}/conformance:{build}/traffic-gen:{build}/tests/unit:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    page = request.node.callspec.params["page"]
    if "rdma:127.0.0.1" in page.read_text(encoding="utf-8"):  # on a software RDMA device
        device = build / "tests" / "rdma" / "libfake-rdma.so"
        if not device.exists():
            pytest.skip("librdmacm and libibverbs are not installed")
        environment["LD_PRELOAD"] = str(device)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{s.getsockname()[1]}"
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git"):
            (tmp_path / entry.name).symlink_to(entry)
    groups = []

    def run(command):
        process = subprocess.Popen(["bash", "-c", command.replace("127.0.0.1:7174", address)], cwd=tmp_path, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                   start_new_session=True)
        groups.append(process.pid)
        return process.communicate(timeout=300)[0].replace(address, "127.0.0.1:7174")
    yield run
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_as_written(page, shell):
    found = commands(page.read_text(encoding="utf-8"))
    assert found, "no commands"
    for number, command, output in found:
        if command.startswith(PLUGINS):
            continue
        said = shell(command)
        if not pattern_of(output).fullmatch(said):
            good = max(n for n in range(len(output) + 1) if pattern_of(output[:n]).match(said))
            pytest.fail(f"{page.name}:{number}: {command}\nfrom line {output[good:good + 1]} on it says otherwise:\n{said[:6000]}")


def test_readme_is_short():
    """A newcomer reads it to the end: how to capture and check a mount, and where to find the rest."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 138
    assert text.index("scripts/package ") < text.index("# iwarp-tap -w mount.pcap") < text.index("`tcpdump -i") < text.index("iwarp-check mount.pcap")
    assert all(word in text for word in ("./demo", "`./test`", "udp port 4791", "--waivers=linux"))


def test_ci_examples_say_what_was_run():
    text = (ROOT / "docs" / "howto" / "check-captures-in-ci.md").read_text(encoding="utf-8")
    run = {command for _, command, _ in commands(text)}
    github, gitlab = [yaml.safe_load(part) for part in re.findall(r"```yaml\n(.*?)```", text.split("\n## Ansible", 1)[0], re.S)]
    steps = github["jobs"]["iwarp-check"]["steps"]
    said = [step["run"].strip() for step in steps if "GITHUB_STEP_SUMMARY" not in step.get("run", "GITHUB_STEP_SUMMARY")] + gitlab["captures"]["script"]
    said += re.findall(r"sh '(.*)'", re.search(r"```groovy\n(.*?)```", text, re.S)[1])
    assert len(said) == 3 and set(said) <= run


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.stem)
def test_links(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert not target or (page.parent / target).exists(), target
