#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pairs.py RELEASE DEVICE [OPTION...]: what fails in combination (docs/howto/test-combinations.md) in one guest, at whose TAP interface
iwarp-gen has a TCP of its own: what is cut into segments arrives as these. DEVICE: rping, target or nfs, servers over siw, or
initiator, iwarp-target that connects. OPTIONs are for iwarp-gen test, such as --suite=startup or --waivers=FILE. A guest that dies is
booted again. Prints the report; status: iwarp-gen's.

    python3 lab/interop/suites/pairs.py siw-patched target --suite=startup,geometry"""
import pathlib
import signal
import subprocess
import sys
import threading

import guest as lab
import roles
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
OPTIONS = {"target": ["--idle-timeout=40"], "rping": ["--idle-timeout=12"], "initiator": ["--idle-timeout=40", "--accept-timeout=60"],
           "nfs": ["--service=nfs", "--export=/srv/nfs", "--mount-port=20048"]}
OUR_PORT = 7175
# siw loses FPDUs that come right after its Reply; under emulation a guest may be late.
PATIENCE = ["--timeout=3", "--settle=0.2", "--recover-timeout=8", "--reset-timeout=300"]


class Reset:
    """A command for iwarp-gen that boots the guest again: it ends when the guest is ready. start: a script after each boot."""

    def __init__(self, tapped, start):
        self.tapped, self.start, self.wish, self.over = tapped, start, tapped.top / "reset", threading.Event()
        self._begin()
        self.thread = threading.Thread(target=self._keep, daemon=True)
        self.thread.start()

    @property
    def command(self):
        return f"touch {self.wish}; while [ -e {self.wish} ]; do sleep 0.1; done"

    def _begin(self):
        if self.start:
            self.tapped.guest.run(self.start)

    def _keep(self):
        while not self.over.wait(0.1):
            if self.wish.exists():
                self.tapped.boot()
                self._begin()
                self.wish.unlink()

    def close(self):
        self.over.set()
        self.thread.join()


def combine(build, tapped, device, options):
    """Exit status of iwarp-gen; the options decide where its report goes."""
    connects = device == "initiator"
    where = ["--listen", f"{tap.OWN}:{OUR_PORT}"] if connects else [f"{tap.GUEST}:{lab.PORTS[device]}"]
    reset = Reset(tapped, roles.CONNECT.format(host=tap.OWN, port=OUR_PORT) if connects else None)
    try:
        return subprocess.run([build / "traffic-gen" / "iwarp-gen", "test", *where, "--strength=2", *tapped.wire, *PATIENCE,
                               *OPTIONS[device], f"--reset-command={reset.command}", *options], check=False).returncode
    finally:
        reset.close()


def main(release, device, *options):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("pairs.py: stopped"))  # the guest ends, too
    tapped = tap.Tapped(release, services="none" if device == "initiator" else device)
    try:
        status = combine(TOP / "build" / "release", tapped, device, options)
        for boot in tapped.boots:
            print(boot.console()[-6000:], file=sys.stderr)
        return status
    finally:
        tapped.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 and sys.argv[2] in OPTIONS else __doc__)
