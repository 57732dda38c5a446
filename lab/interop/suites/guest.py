# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest whose ports the host reaches through forwarding: Linux with siw, the RDMA tools and NFS
over RDMA. The guest reaches the host's loopback as 10.0.2.2."""
import os
import pathlib
import random
import shutil
import socket
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guests"))
import guests  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position

RELEASE = os.environ.get("IWARP_RELEASE") or "bookworm"  # of guests/releases.yaml
HOST = "10.0.2.2"  # the host's address as seen by the guest
MEMORY = 5120  # MiB: with 4096 or less, Linux's NFS server takes less than 1 MiB at once
PORTS = {"rping": 7174, "target": 7175, "nfs": 20049, "mount": 20048}


def why_not():
    """Why this machine cannot boot the guest; None: it can."""
    if os.geteuid() != 0:
        return "the guest's image can be built by root only"
    missing = [tool for tool in ("qemu-system-x86_64", "mmdebstrap", "mke2fs", "cpio", "depmod", "xz") if not shutil.which(tool)]
    return f"{', '.join(missing)} missing; run scripts/packages --all" if missing else None


def free_address():
    """A loopback address on which all of these ports are free: NFSv4 over RDMA has one port only (RFC 8267 section 6.3)."""
    source = random.Random()
    while True:
        address = f"127.{source.randint(1, 254)}.{source.randint(0, 255)}.{source.randint(1, 254)}"
        try:
            for port in PORTS.values():
                with socket.socket() as probe:
                    probe.bind((address, port))
            return address
        except OSError:
            continue


class Guest:
    """One guest, booted; run() runs a command in it; at(name) is the address of its servers from here.

    services: only these (rping, target, nfs; client: needed for mounting); None: all. start: a script that is run after each
    boot. reset_command is for `iwarp-gen test --reset-command`: another guest takes its place, at the same ports, and the
    command ends when it is ready. That guest was booted beside it, as a boot takes longer than most cases."""

    def __init__(self, services=None, start=None):
        self.image = guests.build(RELEASE)
        self.services = services
        self.start = start
        self.address = free_address()
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-job-"))
        self.boots = []  # the last one is running
        self.begun = 0  # number of boots begun, finished or not
        self.spare = None  # the next one
        self.rests = False  # the spare is ready, and paused: even an idle guest takes half a core
        self.boot_seconds = []
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self._boot()
        self.keeper = threading.Thread(target=self._keep, daemon=True)
        self.keeper.start()

    def _next(self):
        """Each boot has its own directory, so that its output remains."""
        network = ["-netdev", "user,id=n0", "-device", "virtio-net-pci,netdev=n0"]
        self.begun += 1
        return machine.Machine("the guest", self.image, self.top / str(self.begun), network,
                               services=",".join(self.services or ()), cpus=2, memory=MEMORY)

    def _boot(self):
        began = time.monotonic()
        if self.rests:
            self.spare.resume()
            self.rests = False
        self.boots.append(machine.first_ready(self._next, [self.spare] if self.spare else []))
        self.spare = None
        self.boots[-1].forward(self.address, PORTS.values())
        if self.start:
            status, said = self.run(self.start)
            if status != 0:
                raise machine.Gone(f"the start script ended with {status}:\n{said}")
        self.boot_seconds.append(time.monotonic() - began)
        self.spare = self._next()

    def reboot(self):
        with self.lock:
            self.boots[-1].off()
            self._boot()

    @property
    def reset_command(self):
        wish = self.top / "reset"
        return f"touch {wish}; while [ -e {wish} ]; do sleep 0.1; done; [ ! -e {wish}.failed ]"

    def _rest(self):
        with self.lock:
            if self.spare and not self.rests and self.spare.is_ready() and not self.spare.has_ended():
                self.spare.pause()
                self.rests = True

    def _keep(self):
        wish = self.top / "reset"
        while not self.closing.wait(0.1):
            self._rest()
            if wish.exists():
                try:
                    self.reboot()
                except (OSError, RuntimeError) as trouble:
                    (self.top / "reset.failed").write_text(str(trouble), encoding="utf-8")
                wish.unlink()

    def at(self, name):
        return f"{self.address}:{PORTS[name]}"

    def consoles(self):
        """The kernel's console messages, for each boot."""
        return [boot.console() for boot in self.boots]

    def run(self, script, seconds=machine.LIMIT):
        with self.lock:
            return self.boots[-1].run(script, seconds)

    def close(self):
        self.closing.set()
        self.keeper.join()
        for each in filter(None, (self.boots[-1], self.spare)):
            each.off()
        shutil.rmtree(self.top, ignore_errors=True)


if __name__ == "__main__":  # for trying things by hand: boots, prints the ports, waits for Enter
    guest = Guest()
    for what in PORTS:
        print(f"{what:8} {guest.at(what)}")
    try:
        while line := input("guest# "):
            print(*guest.run(line)[::-1])
    except EOFError:
        pass
    finally:
        guest.close()
