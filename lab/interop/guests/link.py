#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""link.py DEVICE [RELEASE [RELEASE]]: two guests on one link, `client` and `server`, each with the same kind of RDMA device (siw, rxe),
by hand. Lines of the standard input: GUEST COMMAND, a bash command; "capture FILE" records the link
from now on, "capture" ends the recording."""
import fcntl
import pathlib
import shutil
import sys
import time

import guests
from machine import Gone, Machine

HOSTS = {"client": 1, "server": 2, "ours": 1, "linux": 2}  # what they can be called; init has the same


def address(name):
    return f"10.1.1.{HOSTS[name]}"


class Link:
    """Boots both; link["client"] is a Machine. releases, services and memory (MiB) are by name of the guest, host 1 first. Their files
    are below $IWARP_LAB/link, and only one link runs there at a time."""

    def __init__(self, device, releases, services, memory=None):
        self.device = device
        self.top = guests.top() / "link"
        self.machines = {}
        self.top.parent.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.top.with_suffix(".lock"), "w", encoding="utf-8")  # pylint: disable=consider-using-with
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"guests run already below {self.top.parent}: wait for them, or set IWARP_LAB") from None
        shutil.rmtree(self.top, ignore_errors=True)
        try:
            for name in releases:
                self._start(name, guests.build(releases[name]), services[name], (memory or {}).get(name, 1024))
            for machine in self.machines.values():
                machine.ready()
        except RuntimeError:
            self.stop()
            raise

    def __getitem__(self, name):
        return self.machines[name]

    def _start(self, name, image, services, memory):
        link, number = self.top / "link", HOSTS[name]
        network = ["-netdev", f"stream,id=n0,server={'on' if number == 1 else 'off'},addr.type=unix,addr.path={link}",
                   "-device", f"virtio-net-pci,netdev=n0,mac=52:54:00:0c:00:0{number}"]
        self.machines[name] = Machine(name, image, self.top / name, network, self.device, services, f"pair={name}", memory=memory)
        for _ in range(400):  # the second connects to it
            if link.exists():
                return
            time.sleep(0.05)
        raise Gone(f"{name} did not start: " + self.machines[name].console())

    def capture(self, path=None):
        """Captures the link, at host 1's end, to that file; None ends it."""
        next(iter(self.machines.values())).capture(path)

    def stop(self):
        for machine in self.machines.values():
            machine.off()
        self.lock.close()


def main(device, client="bookworm", server=None):
    link = Link(device, {"client": client, "server": server or client}, {"client": "client", "server": "nfs"})
    try:
        print(f"guests: {', '.join(link.machines)}; their folders: {link.top}/GUEST/job, there /job", flush=True)
        for line in sys.stdin:
            name, _, rest = line.strip().partition(" ")
            if name == "capture":
                link.capture(pathlib.Path(rest) if rest else None)
            elif name in link.machines:
                status, said = link[name].run(rest)
                print(said, end="" if status == 0 else f"[{status}]\n", flush=True)
            else:
                print("GUEST COMMAND, or capture [FILE]", flush=True)
    finally:
        link.stop()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if 2 <= len(sys.argv) <= 4 else __doc__)
