#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""crashes.py [--build FOLDER] [--mended] [NAME...]: what ends siw's listener or the kernel, each in a guest of its own, with the shortest
command of iwarp-gen that does it. Prints what the guest's kernel said; status 0: each did what lab/results/siw-crashes.md says. With --mended,
for IWARP_RELEASE=siw-patched: none did anything, the kernel complains of nothing, and siw takes the next connection."""
import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import time

import bench
import roles

TOP = pathlib.Path(__file__).resolve().parents[3]
WAIT = 30
COMPLAINT = re.compile(r".*(?:BUG:|WARNING:|Oops|refcount_t:).*")
NEXT = "MPA2-6-09"  # a case that siw passes in both roles


@dataclasses.dataclass(frozen=True)
class Crash:
    """trace: a pattern in the kernel's messages; None: no message, and the port no longer listens."""
    name: str
    role: str
    rules: str
    trace: str | None


CRASHES = {crash.name: crash for crash in [
    Crash("empty-reply", "initiator", "MPA2-6-09/none", r"BUG: kernel NULL pointer dereference.*siw_cm_work_handler"),
    Crash("listener", "rping", "MPA-7.1.1-30", None),
    Crash("long-reply", "initiator", "MPA-7.1.1-31", r"BUG: kernel NULL pointer dereference.*siw_cm_work_handler"),
    Crash("peer-to-peer", "rping", "MPA2-12-01", r"kernel BUG at drivers/infiniband/core/iwcm\.c"),
]}


def happened(crash, guest):
    """Waits for it."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if crash.trace and re.search(crash.trace, guest.consoles()[-1], re.S):
            return True
        if not crash.trace and "7174" not in guest.run("ss -ltn")[1]:
            return True
        time.sleep(1)
    return False


def play(tested, rules):
    """Exit status of iwarp-gen, and the beginning of its report."""
    command = [tested.gen, "test", *tested.where, f"--rules={rules}", "--timeout=4", "--settle=0.2", "--accept-timeout=60"]
    print("iwarp-gen " + " ".join(command[1:]), flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    print(f"status {done.returncode}\n" + "\n".join(done.stdout.splitlines()[:12]), done.stderr[-600:])
    return done.returncode


def reproduce(build, crash, mended):
    """Whether everything was as described, and the kernel's messages."""
    tested = bench.Sockets(build, roles.ROLES[crash.role])
    try:
        play(tested, crash.rules)
        if not mended:
            return happened(crash, tested.guest), tested.consoles()[-1]
        good = play(tested, NEXT) == 0
        return good and not COMPLAINT.search(tested.consoles()[-1]), tested.consoles()[-1]
    finally:
        tested.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build" / "release")
    parser.add_argument("--mended", action="store_true")
    options = parser.parse_args()
    good = True
    for name in options.names or CRASHES:
        as_described, said = reproduce(options.build, CRASHES[name], options.mended)
        print("\n".join(line for line in said.splitlines() if "speed is unknown" not in line)[-6000:])
        what = "mended" if options.mended else "as described"
        print(f"{name}: {what if as_described else 'NOT ' + what}", flush=True)
        good &= as_described
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
