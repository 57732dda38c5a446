# SPDX-License-Identifier: GPL-2.0-or-later
"""GNU parallel over ssh as in docs/howto/many-captures.md, with our own sshd on the loopback."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest

from reports import read_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "many-captures.md"
PATHS = os.environ["PATH"] + ":/usr/sbin:/sbin"

pytestmark = pytest.mark.all

CONFIGURATION = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv PATH={build}/conformance:/usr/bin:/bin
"""


def command():
    """The page's command that needs other machines."""
    section = PAGE.read_text(encoding="utf-8").split("## GNU parallel", 1)[1].split("\n## ", 1)[0]
    return re.search(r"^```sh\n(.*?)^```$", section, re.M | re.S).group(1)


@pytest.fixture
def login(build, tmp_path):
    """How parallel reaches another machine, which is this one."""
    missing = [name for name in ("sshd", "ssh", "rsync", "parallel") if not shutil.which(name, path=PATHS)]
    if missing or os.geteuid() != 0:
        pytest.skip(f"needs root, and openssh-server, rsync and parallel of Debian; missing: {missing}")
    tmp_path.chmod(0o755)
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    (tmp_path / "sshd_config").write_text(CONFIGURATION.format(port=port, folder=tmp_path, build=build))
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    with open(tmp_path / "sshd.log", "w", encoding="utf-8") as log:
        daemon = subprocess.Popen([shutil.which("sshd", path=PATHS), "-D", "-e", "-f", tmp_path / "sshd_config"], stderr=log)
    try:
        limit = time.monotonic() + 60
        while "listening" not in (tmp_path / "sshd.log").read_text():
            assert daemon.poll() is None and time.monotonic() < limit, (tmp_path / "sshd.log").read_text()
            time.sleep(0.1)
        yield (f"ssh -p {port} -i {tmp_path}/key -o StrictHostKeyChecking=no -o UserKnownHostsFile={tmp_path}/known "
               "-o IdentitiesOnly=yes -F none 127.0.0.1")
    finally:
        daemon.terminate()
        daemon.wait()


def test_machines(build, login, check, good, bad, tmp_path):
    (tmp_path / "traces").mkdir()
    for name, source in (("bad", bad), ("good", good), ("other", good)):
        shutil.copy(source, tmp_path / "traces" / f"{name}.pcapng")
    (tmp_path / "machines").write_text(f"2/{login}\n")
    environment = os.environ | {"PATH": f"{build}/conformance:{PATHS}", "PARALLEL_HOME": str(tmp_path / "parallel")}
    (tmp_path / "parallel").mkdir()
    (tmp_path / "parallel" / "will-cite").touch()
    done = subprocess.run(["bash", "-c", f"mkdir -p reports; {command()}"], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 1, done.stdout + done.stderr + (tmp_path / "sshd.log").read_text()
    assert sorted(path.stem for path in (tmp_path / "reports").iterdir()) == ["bad", "good", "other"]
    merged = subprocess.run([build / "conformance" / "iwarp-check", "merge", "--output=all.ndjson", *sorted((tmp_path / "reports").iterdir())],
                            cwd=tmp_path, check=False)
    expected = check("--format=ndjson", *[f"traces/{name}.pcapng" for name in ("bad", "good", "other")], cwd=tmp_path)
    assert merged.returncode == expected.returncode == 1 and read_report((tmp_path / "all.ndjson").read_text()) == read_report(expected.stdout)
