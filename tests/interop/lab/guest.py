# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest of the lab: Linux with siw, the RDMA tools and NFS over RDMA, under software emulation. The host reaches its
servers through forwarded ports; the guest reaches the host's loopback as 10.0.2.2."""
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guests"))
import guests  # noqa: E402 pylint: disable=wrong-import-position

RELEASE = os.environ.get("IWARP_RELEASE") or "bookworm"  # of guests/releases.yaml
HOST = "10.0.2.2"  # of the host, as the guest sees it
PORTS = {"rping": 7174, "target": 7175, "nfs": 20049, "mount": 20048}
BOOT_SECONDS = 240
# Without the PIT, against which a guest's kernel may find its clock to be 30 times as fast as it is where the host has other
# work to do: its timers are then over before anything has happened.
MACHINE = "q35,pit=off"


def lab_folder():
    return guests.top()


def why_not():
    """What keeps this machine from booting the guest; None: nothing."""
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
    """One guest, booted; run() does something in it; at(name) is where its servers are reached from here.

    services: of these it has only those (rping, target, nfs; client: what mounting needs); None: all. start: a script that
    is run after each boot. reset_command is for `iwarp-gen test --reset-command`: the guest boots again, at the same
    ports, and the command ends when it is ready."""

    def __init__(self, services=None, start=None):
        self.folder = guests.build(RELEASE)
        self.services = services
        self.start = start
        self.address = free_address()
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-job-"))
        self.boots = 0
        self.boot_seconds = []
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self._boot()
        self.keeper = threading.Thread(target=self._keep, daemon=True)
        self.keeper.start()

    def _boot(self):
        """Each boot has a folder of its own, /job of the guest, so that what it said remains."""
        began = time.monotonic()
        self.boots += 1
        self.count = 0
        self.job = self.top / str(self.boots)
        self.job.mkdir()
        forwards = "".join(f",hostfwd=tcp:{self.address}:{port}-:{port}" for port in PORTS.values())
        services = f" lab={','.join(self.services)}" if self.services else ""
        with open(self.job / "console.txt", "wb") as console:
            self.qemu = subprocess.Popen(  # pylint: disable=consider-using-with
                ["qemu-system-x86_64", "-machine", MACHINE, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2",
                 "-m", "2048", "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-monitor", "none",
                 "-kernel", self.folder / "vmlinuz", "-initrd", self.folder / "initrd.gz",
                 "-append", f"console=ttyS0 quiet loglevel=5 mitigations=off panic=-1 tsc=reliable{services}",
                 "-drive", f"file={self.folder}/root.ext4,if=virtio,format=raw,snapshot=on,cache=unsafe",
                 "-virtfs", f"local,path={self.job},mount_tag=job,security_model=none",
                 "-netdev", f"user,id=n0{forwards}", "-device", "virtio-net-pci,netdev=n0"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)
        self._await(self.job / "ready", BOOT_SECONDS)
        if self.start:
            status, said = self.run(self.start)
            if status != 0:
                raise RuntimeError(f"the start script ended with {status}:\n{said}")
        self.boot_seconds.append(time.monotonic() - began)

    def _end(self):
        if self.qemu.poll() is None:
            self.qemu.kill()
        self.qemu.wait()

    def reboot(self):
        """As by pulling the plug: what the guest wrote is lost."""
        with self.lock:
            self._end()
            self._boot()

    @property
    def reset_command(self):
        wish = self.top / "reset"
        return f"touch {wish}; while [ -e {wish} ]; do sleep 0.1; done; [ ! -e {wish}.failed ]"

    def _keep(self):
        wish = self.top / "reset"
        while not self.closing.wait(0.1):
            if wish.exists():
                try:
                    self.reboot()
                except (OSError, RuntimeError, TimeoutError) as trouble:
                    (self.top / "reset.failed").write_text(str(trouble), encoding="utf-8")
                wish.unlink()

    def at(self, name):
        return f"{self.address}:{PORTS[name]}"

    def _await(self, path, seconds):
        end = time.monotonic() + seconds
        while not path.exists():
            if self.qemu.poll() is not None:
                raise RuntimeError("the guest ended:\n" + self.said("console.txt"))
            if time.monotonic() > end:
                raise TimeoutError(f"no {path.name} of the guest after {seconds} s:\n" + self.said("boot.txt"))
            time.sleep(0.05)

    def said(self, name):
        path = self.job / name
        return path.read_text(encoding="utf-8", errors="replace")[-4000:] if path.exists() else ""

    def consoles(self):
        """What the kernel said on the console, of each boot: the trace of a crash."""
        return [(self.top / str(n + 1) / "console.txt").read_text(encoding="utf-8", errors="replace")
                for n in range(self.boots)]

    def run(self, script, seconds=120):
        """Exit status and output of a shell script in the guest; 137 when it took too long."""
        with self.lock:
            self.count += 1
            (self.job / f"{self.count}.limit").write_text(str(seconds), encoding="utf-8")
            new = self.job / f"{self.count}.new"
            new.write_text(script, encoding="utf-8")
            new.rename(self.job / f"{self.count}.do")
            self._await(self.job / f"{self.count}.rc", seconds + 30)
            return int((self.job / f"{self.count}.rc").read_text(encoding="utf-8")), self.said(f"{self.count}.out")

    def close(self):
        self.closing.set()
        self.keeper.join()
        (self.job / "stop").touch()
        try:
            self.qemu.wait(20)
        except subprocess.TimeoutExpired:
            pass
        self._end()
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
