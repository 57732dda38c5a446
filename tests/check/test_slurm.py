# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipe for Slurm of docs/howto/many-captures.md, as written, on a Slurm of one node in a temporary directory."""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

import pytest

from reports import read_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "many-captures.md"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")

pytestmark = pytest.mark.all


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def blocks():
    """The scripts of the page: {name in their first comment: text}"""
    return {name: text for text, name in re.findall(r"^```bash\n(#!/bin/bash\n# (\S+):.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)}


def commands():
    """The commands that need Slurm."""
    section = PAGE.read_text(encoding="utf-8").split("## Slurm", 1)[1].split("\n## ", 1)[0]
    return re.search(r"^```sh\n(.*?)^```$", section, re.M | re.S).group(1)


CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm():
    """The environment in which sbatch finds it."""
    missing = [name for name in PROGRAMS if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing or os.geteuid() != 0:
        pytest.skip(f"needs root, and Slurm and munge of Debian; missing: {missing}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-slurm-"))  # short, because names of sockets are
    folder.chmod(0o755)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    host = socket.gethostname().split(".")[0]
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, host=host, ports=[free_port(), free_port()]))
    environment = os.environ | {"SLURM_CONF": str(configuration), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
    daemons, log = [], open(folder / "daemons.log", "w", encoding="utf-8")

    def start(*command):
        daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def logs():
        return "\n".join(path.read_text(encoding="utf-8", errors="replace")[-3000:] for path in sorted(folder.glob("*.log")))

    try:
        start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}", f"--pid-file={folder}/munge.pid",
              f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        until(lambda: (folder / "munge.socket").exists(), logs)
        start("slurmctld", "-D", "-f", str(configuration))
        start("slurmd", "-D", "-f", str(configuration), "-N", host)
        until(lambda: subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True,
                                     check=False).stdout.strip() == "idle", logs)
        yield environment, logs
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in reversed(daemons):
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(30)
            daemon.kill()
            daemon.wait()
        log.close()
        shutil.rmtree(folder)


def until(true, logs, seconds=120):
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit, logs()
        time.sleep(0.2)


def test_job_array(build, slurm, check, good, bad, no_mpa, tmp_path):
    environment, logs = slurm
    tmp_path.chmod(0o755)
    (tmp_path / "traces").mkdir()
    files = [tmp_path / "traces" / f"{name}.pcapng" for name in ("bad", "empty", "good", "one with blanks")]
    for path, source in zip(files, (bad, no_mpa, good, good)):
        shutil.copy(source, path)
    for name, text in blocks().items():
        (tmp_path / name).write_text(text)
    environment["PATH"] = f"{build}/conformance:{environment['PATH']}"
    done = subprocess.run(["bash", "-euc", commands()], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr + logs()
    until(lambda: subprocess.run(["squeue", "-h"], env=environment, capture_output=True, text=True, check=True).stdout == "", logs, 300)
    said = "".join(path.read_text() for path in tmp_path.glob("slurm-*.out"))
    assert (tmp_path / "all.ndjson").exists(), said + logs()
    expected = check("--format=ndjson", *[f"traces/{path.name}" for path in files], cwd=tmp_path)
    assert expected.returncode == 1 and read_report((tmp_path / "all.ndjson").read_text()) == read_report(expected.stdout)
    assert sorted(path.stem for path in (tmp_path / "reports").iterdir()) == [path.stem for path in files]
