#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""leaks.py SERVER [CONNECTIONS]: what a server of the matrix (linux-7.2, ganesha) keeps of connections that are over: iwarp-gen connects
over soft RoCE, says a NULL Call, and disconnects, so many times (default 12); after the first one, the last one, and a minute later the
RDMA objects and the memory in use of the server's guest."""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guests"))
import cells  # noqa: E402
import run  # noqa: E402

WORK = "with work nfs=3\nI null\n"
SHOW = "echo $(rdma resource show | grep -o 'pd .*'), $(free -m | awk '/^Mem/ {print $3}') MB used"


def show(booted, when):
    print(f"{when}: {booted['server'].run(SHOW)[1].strip()}", flush=True)


def main(server, connections="12"):
    if server not in cells.RELEASES:
        sys.exit(__doc__)
    booted = run.boot_surely("rxe", "iwarp-gen", server)
    try:
        client = booted["client"]
        (client.job / "work.scenario").write_text(WORK, encoding="utf-8")
        show(booted, "before")
        for n in range(int(connections)):
            status, said = client.run(f"iwarp-gen connect rdma:{run.SERVER}:20049 /job/work.scenario --export=/srv/nfs --mount-port=20048")
            if status != 0:
                sys.exit(f"connection {n + 1}: {said}")
            if n in (0, int(connections) - 1):
                show(booted, f"after connection {n + 1}")
        time.sleep(60)
        show(booted, "a minute later")
    finally:
        booted.stop()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if 2 <= len(sys.argv) <= 3 else __doc__)
