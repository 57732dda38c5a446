#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tap.py RELEASE [DEVICE [SERVICES]]: one guest at the other end of a TAP interface of this host, by hand: iwarp-gen on the host meets it
with a TCP of its own (--wire). Lines of the standard input: a bash command for the guest; capture FILE, what is on the link from now
on; capture, no longer; boot, which begins anew."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import guests
import machine

GUEST = "10.1.1.2"  # as in init, for pair=server
OWN = "10.1.1.9"    # iwarp-gen's; the host's kernel has no address there


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise machine.Gone(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Tapped:
    """The booted guest, for machine.Machine. Its files have their own directory, so many can run at a time."""

    def __init__(self, release, device="siw", services="none", cpus=1, memory=1024):
        self.image, self.device, self.services = guests.build(release), device, services
        self.size = {"cpus": cpus, "memory": memory}
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-tap-"))
        self.interface = f"iwarp{os.getpid()}"
        self.boots = []
        ip("tuntap", "add", self.interface, "mode", "tap")
        try:
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{self.interface}/disable_ipv6").write_text("1", encoding="ascii")
            ip("link", "set", self.interface, "up")
            self.boot()
        except BaseException:
            self.close()
            raise

    @property
    def guest(self):
        return self.boots[-1]

    @property
    def wire(self):
        """Options of iwarp-gen."""
        return [f"--wire={self.interface}", f"--wire-address={OWN}/24"]

    def boot(self):
        """Boots again if it runs: its disk is in the initial state."""
        network = ["-netdev", f"tap,id=n0,ifname={self.interface},script=no,downscript=no,vnet_hdr=off",
                   "-device", "virtio-net-pci,netdev=n0,mac=52:54:00:0c:00:02"]
        for again in range(machine.TRIES):
            if self.boots:
                self.guest.off()
            self.boots.append(machine.Machine("the guest", self.image, self.top / str(len(self.boots) + 1), network, self.device,
                                              self.services, "pair=server", **self.size))
            try:
                self.guest.ready()
                return
            except machine.Gone:
                if again + 1 == machine.TRIES:
                    raise

    def close(self):
        if self.boots:
            self.guest.off()
        subprocess.run(["ip", "link", "del", self.interface], capture_output=True, check=False)
        shutil.rmtree(self.top, ignore_errors=True)


def main(release, device="siw", services="nfs,target,rping"):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("tap.py: stopped"))  # the guest ends, too
    tapped = Tapped(release, device, services)
    try:
        print(f"guest: {GUEST}; its folder: {tapped.guest.job}, there /job; iwarp-gen: {' '.join(tapped.wire)}", flush=True)
        for line in sys.stdin:
            name, _, rest = line.strip().partition(" ")
            if name == "capture":
                try:
                    tapped.guest.capture(pathlib.Path(rest) if rest else None)
                except machine.Gone as trouble:
                    print(trouble, flush=True)  # one already runs, or none
            elif name == "boot":
                tapped.boot()
                print(f"booted: {tapped.guest.job}", flush=True)
            else:
                status, said = tapped.guest.run(line)
                print(said, end="" if status == 0 else f"[{status}]\n", flush=True)
    finally:
        tapped.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if 2 <= len(sys.argv) <= 4 else __doc__)
