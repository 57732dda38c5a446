# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen test --capture-filter: the printed filter selects the packets of a run, and no others."""
import shutil
import subprocess

import pytest

import devices


def printed(*args, status=0):
    done = subprocess.run([devices.GEN, "test", *args, "--capture-filter"], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


@pytest.mark.parametrize("args,text", [
    (["127.0.0.1:7174"], "tcp port 7174 and host 127.0.0.1\n"),
    (["[2001:db8::1]:99", "--suite=mpa"], "tcp port 99 and host 2001:db8::1\n"),
    (["--listen", ":7174"], "tcp port 7174\n"),
    (["--listen", "127.0.0.1:7174"], "tcp port 7174 and host 127.0.0.1\n"),
])
def test_what_is_printed(args, text):
    assert printed(*args) == text


@pytest.mark.parametrize("args,message", [
    (["--listen"], "name one (--listen :7174)"),
    (["no-such-host.invalid:7"], "no-such-host.invalid: "),
    (["127.0.0.1:7174:"], "is not HOST:PORT"),
])
def test_what_cannot_be(args, message):
    assert message in printed(*args, status=2)


@pytest.mark.skipif(not (shutil.which("tcpdump") and shutil.which("mergecap")), reason="tcpdump and mergecap are not installed")
def test_it_selects_the_run(tmp_path):
    """Two runs in one capture: the filter of one run selects its packets."""
    def packets(capture, *selection):
        return subprocess.run(["tcpdump", "-nr", capture, *selection], capture_output=True, text=True, check=True).stdout.splitlines()

    runs = [devices.run_responder([], ["--rules=DDP-7.1-01,DDP-4.1-03"], record=True) for _ in range(2)]
    both = tmp_path / "both.pcapng"
    subprocess.run(["mergecap", "-w", both, *(run.capture for run in runs)], check=True)
    syn = next(line for line in packets(runs[0].capture) if "Flags [S]," in line)
    port = syn.split(" > ")[1].split(":")[0].rsplit(".", 1)[1]
    own = len(packets(runs[0].capture))
    assert 10 < own == len(packets(both, printed(f"127.0.0.1:{port}").strip())) < len(packets(both))
