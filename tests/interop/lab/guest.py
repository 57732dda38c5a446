# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest of the lab: Linux with siw, the RDMA tools and NFS over RDMA, under software emulation. The host reaches its
servers through forwarded ports; the guest reaches the host's loopback as 10.0.2.2."""
import os
import pathlib
import random
import shutil
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HOST = "10.0.2.2"  # of the host, as the guest sees it
PORTS = {"rping": 7174, "target": 7175, "nfs": 20049, "mount": 20048}
BOOT_SECONDS = 240


def lab_folder():
    return pathlib.Path(os.environ.get("IWARP_LAB") or pathlib.Path(tempfile.gettempdir()) / "iwarp-lab")


def why_not():
    """What keeps this machine from booting the guest; None: nothing."""
    if os.geteuid() != 0:
        return "the guest's image can be built by root only"
    missing = [tool for tool in ("qemu-system-x86_64", "mmdebstrap", "mke2fs", "cpio", "depmod") if not shutil.which(tool)]
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
    """One boot. run() does something in the guest; at(name) is where its servers are reached from here."""

    def __init__(self):
        self.folder = lab_folder()
        subprocess.run([HERE / "build-guest", self.folder], check=True, timeout=1800)
        self.job = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-job-"))
        self.address = free_address()
        self.count = 0
        forwards = "".join(f",hostfwd=tcp:{self.address}:{port}-:{port}" for port in PORTS.values())
        self.console = open(self.job / "console.txt", "wb")  # pylint: disable=consider-using-with
        self.qemu = subprocess.Popen(  # pylint: disable=consider-using-with
            ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2",
             "-m", "2048", "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-monitor", "none",
             "-kernel", self.folder / "vmlinuz", "-initrd", self.folder / "initrd.gz",
             "-append", "console=ttyS0 quiet loglevel=4 mitigations=off panic=-1 tsc=reliable",
             "-drive", f"file={self.folder}/root.ext4,if=virtio,format=raw,snapshot=on,cache=unsafe",
             "-virtfs", f"local,path={self.job},mount_tag=job,security_model=none",
             "-netdev", f"user,id=n0{forwards}", "-device", "virtio-net-pci,netdev=n0"],
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT)
        self._await(self.job / "ready", BOOT_SECONDS)

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

    def run(self, script, seconds=120):
        """Exit status and output of a shell script in the guest; 137 when it took too long."""
        self.count += 1
        (self.job / f"{self.count}.limit").write_text(str(seconds), encoding="utf-8")
        new = self.job / f"{self.count}.new"
        new.write_text(script, encoding="utf-8")
        new.rename(self.job / f"{self.count}.do")
        self._await(self.job / f"{self.count}.rc", seconds + 30)
        return int((self.job / f"{self.count}.rc").read_text(encoding="utf-8")), self.said(f"{self.count}.out")

    def close(self):
        (self.job / "stop").touch()
        try:
            self.qemu.wait(20)
        except subprocess.TimeoutExpired:
            self.qemu.kill()
            self.qemu.wait()
        self.console.close()
        shutil.rmtree(self.job, ignore_errors=True)


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
