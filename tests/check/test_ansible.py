# SPDX-License-Identifier: GPL-2.0-or-later
"""The Ansible role of packaging/ansible: a workload on the loopback, captured and judged, green and red; also ansible-lint."""
import json
import os
import re
import shutil
import socket
import subprocess

import pytest
import yaml

pytestmark = [pytest.mark.all, pytest.mark.skipif(not shutil.which("ansible-playbook"), reason="no ansible-playbook")]
PLAY = """
- name: Try the role
  hosts: all
  gather_facts: false
  roles:
    - iwarp_check
"""


@pytest.fixture
def play(build, root, tmp_path):
    """play(NAME=VALUE, ...) -> (exit status, output, directory of the results)"""
    if os.geteuid() != 0:
        pytest.skip("tcpdump needs root")
    (tmp_path / "play.yml").write_text(PLAY)
    environment = os.environ | {"ANSIBLE_ROLES_PATH": str(root / "packaging" / "ansible" / "roles"), "ANSIBLE_LOCALHOST_WARNING": "False",
                                "ANSIBLE_HOME": str(tmp_path / "ansible"), "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local"), "LC_ALL": "C.UTF-8",
                                "ANSIBLE_REMOTE_TEMP": str(tmp_path / "remote"), "PATH": f"{build}/conformance:{build}/traffic-gen:{os.environ['PATH']}"}

    def run(*options, **variables):
        settings = {"iwarp_check_interface": "lo", "iwarp_check_results": str(tmp_path / "results"), "ansible_python_interpreter": "/usr/bin/python3"}
        (tmp_path / "vars.json").write_text(json.dumps(settings | variables))
        result = subprocess.run(["ansible-playbook", "-i", "localhost,", "-c", "local", "-e", f"@{tmp_path}/vars.json", *options,
                                 tmp_path / "play.yml"],
                                cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=500)
        return result.returncode, result.stdout + result.stderr, tmp_path / "results"
    return run


def conversation(build, port, *options):
    """A server and its client on the loopback, as one command."""
    gen = build / "traffic-gen" / "iwarp-gen"
    return (f"{gen} listen 127.0.0.1:{port} rev1 {' '.join(options)} >/dev/null 2>&1 & sleep 1; "
            f"{gen} connect 127.0.0.1:{port} rev1 {' '.join(options)}; wait")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_green(play, build):
    port = free_port()
    status, said, results = play(iwarp_check_filter=f"port {port}", iwarp_check_workload=conversation(build, port))
    assert status == 0, said
    assert (results / "localhost.txt").read_text().startswith("PASS: ")
    assert "<testsuite " in (results / "localhost.xml").read_text() and (results / "localhost.html").stat().st_size > 1000


def test_red(play, build):
    port = free_port()
    status, said, results = play(iwarp_check_filter=f"port {port}", iwarp_check_workload=conversation(build, port, "--inject=MPA-4.1-05"),
                                 iwarp_check_waivers=[])
    assert status != 0 and "MPA-4.1-05" in said and (results / "localhost.txt").read_text().startswith("FAIL: ")


def test_waived(play, build, tmp_path):
    port = free_port()
    (tmp_path / "known.yaml").write_text("- id: MPA-4.1-05\n  why: known\n")
    status, said, _ = play(iwarp_check_filter=f"port {port}", iwarp_check_workload=conversation(build, port, "--inject=MPA-4.1-05"),
                           iwarp_check_waivers=[str(tmp_path / "known.yaml")])
    assert status == 0, said


def test_a_workload_that_fails_and_one_without_traffic(play, build):
    """The capture is judged nevertheless; nothing to check is not green."""
    port = free_port()
    status, said, results = play(iwarp_check_filter=f"port {port}", iwarp_check_workload=conversation(build, port) + "; false")
    assert status != 0 and (results / "localhost.txt").read_text().startswith("PASS: "), said
    status, said, _ = play(iwarp_check_filter=f"port {port}", iwarp_check_workload="true")
    assert status != 0 and "NOTHING TO CHECK" in said


def test_check_mode(play, tmp_path):
    """ansible-playbook --check: nothing is run, captured or judged, and there is no error."""
    status, said, results = play("--check", iwarp_check_driver="siw", iwarp_check_workload=f"touch {tmp_path}/ran")
    assert status == 0 and "failed=0" in said, said
    assert not results.exists() and not (tmp_path / "ran").exists()


@pytest.mark.skipif(not shutil.which("ansible-lint"), reason="no ansible-lint")
def test_lint(root, tmp_path):
    shutil.copytree(root / "packaging" / "ansible", tmp_path / "ansible")
    result = subprocess.run(["ansible-lint", "--offline", "--nocolor", "--profile", "production", "check-nfs-rdma.yml", "roles"], cwd=tmp_path / "ansible",
                            env=os.environ | {"HOME": str(tmp_path), "PATH": f"/usr/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"},
                            capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_page_names_what_there_is(root):
    """Variables in the example of docs/howto/check-captures-in-ci.md are those of the role."""
    page = (root / "docs" / "howto" / "check-captures-in-ci.md").read_text(encoding="utf-8").split("\n## Ansible", 1)[1].split("\n## ", 1)[0]
    known = yaml.safe_load((root / "packaging" / "ansible" / "roles" / "iwarp_check" / "defaults" / "main.yml").read_text(encoding="utf-8"))
    play, = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
    assert set(play["vars"]) <= set(known) and play["roles"] == ["iwarp_check"]
    assert set(re.findall(r"`(iwarp_check_\w+)", page)) <= set(known)
