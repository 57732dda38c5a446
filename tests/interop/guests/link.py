# SPDX-License-Identifier: GPL-2.0-or-later
"""Two guests of any releases on one link, `client` and `server`, each with the same kind of RDMA device: what pair.Pair is for
iwarp-gen and one Linux. Their files are below $IWARP_LAB/link."""
import ctypes
import fcntl
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import guests

ADDRESSES = {"client": "10.1.1.1", "server": "10.1.1.2"}
MACHINE = "q35,pit=off"  # see ../lab/guest.py
BOOT_SECONDS = 400
LIMIT = 120


def die_with_us():
    """In QEMU, before it is QEMU: SIGKILL when whoever booted it is gone, however that ended."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Gone(RuntimeError):
    """A guest does not answer any more."""


class Link:
    """Boots both. releases, services and memory (MiB) by name of the guest."""

    def __init__(self, device, releases, services, memory=None):
        self.device = device
        self.top = guests.top() / "link"
        self.count = {}
        self.qemu = {}
        self.top.parent.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.top.with_suffix(".lock"), "w", encoding="utf-8")  # pylint: disable=consider-using-with
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"guests run already below {self.top.parent}: wait for them, or set IWARP_LAB") from None
        shutil.rmtree(self.top, ignore_errors=True)
        for number, name in enumerate(ADDRESSES, 1):
            self._start(number, name, guests.build(releases[name]), services[name], (memory or {}).get(name, 1024))
        try:
            for name in ADDRESSES:
                self._await(name, self.job(name) / "ready", BOOT_SECONDS)
        except RuntimeError:
            self.stop()
            raise

    def job(self, name):
        return self.top / name / "job"

    def _start(self, number, name, image, services, memory):
        folder = self.top / name
        self.job(name).mkdir(parents=True)
        link = self.top / "link"
        self.count[name] = 0
        with open(folder / "console.txt", "wb") as console:
            self.qemu[name] = subprocess.Popen(  # pylint: disable=consider-using-with
                ["qemu-system-x86_64", "-machine", MACHINE, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1",
                 "-m", str(memory), "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-monitor", "none",
                 "-qmp", f"unix:{folder}/qmp,server=on,wait=off",
                 "-kernel", image / "vmlinuz", "-initrd", image / "initrd.gz",
                 "-append", "console=ttyS0 quiet loglevel=5 mitigations=off panic=-1 tsc=reliable no_timer_check "
                            f"pair={name} rdma={self.device} lab={services}",
                 "-drive", f"file={image}/root.ext4,if=virtio,format=raw,snapshot=on,cache=unsafe",
                 "-virtfs", f"local,path={self.job(name)},mount_tag=job,security_model=none",
                 "-netdev", f"stream,id=n0,server={'on' if number == 1 else 'off'},addr.type=unix,addr.path={link}",
                 "-device", f"virtio-net-pci,netdev=n0,mac=52:54:00:0c:00:0{number}"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, preexec_fn=die_with_us)
        for _ in range(400):  # the second one connects to it
            if link.exists():
                return
            time.sleep(0.05)
        raise Gone(f"{name} did not start: " + self.said(name, "../console.txt"))

    def _await(self, name, path, seconds):
        end = time.monotonic() + seconds
        while not path.exists():
            if self.qemu[name].poll() is not None:
                raise Gone(f"{name} is not running:\n" + self.said(name, "../console.txt"))
            if time.monotonic() > end:
                raise Gone(f"no {path.name} of {name} after {seconds} s:\n" + self.said(name, "boot.txt"))
            time.sleep(0.05)

    def said(self, name, file):
        path = self.job(name) / file
        return path.read_text(encoding="utf-8", errors="replace")[-20000:] if path.exists() else ""

    def run(self, name, script, seconds=LIMIT):
        """Exit status and output of a bash script in the guest; 137 when it took too long."""
        self.count[name] += 1
        count, job = self.count[name], self.job(name)
        (job / f"{count}.limit").write_text(str(seconds), encoding="utf-8")
        new = job / f"{count}.new"
        new.write_text(script, encoding="utf-8")
        new.rename(job / f"{count}.do")
        self._await(name, job / f"{count}.rc", seconds + 120)
        return int((job / f"{count}.rc").read_text(encoding="utf-8")), self.said(name, f"{count}.out")

    def start(self, name, command, what, until=None, seconds=60):
        """In the background; what it says is in WHAT.log. until: the text that it says when it is ready."""
        self.run(name, f"(exec {command}) >/job/{what}.log 2>&1 </dev/null & echo $! >/job/{what}.pid")
        end = time.monotonic() + seconds
        while until and until not in self.said(name, f"{what}.log"):
            if time.monotonic() > end:
                raise Gone(f"{what} did not say '{until}':\n" + self.said(name, f"{what}.log"))
            time.sleep(0.1)

    def end(self, name, what):
        self.run(name, f"kill -INT $(cat /job/{what}.pid); sleep 0.5")

    def install(self, name, build):
        """iwarp-gen, with its verbs transport."""
        job = self.job(name)
        subprocess.run(["strip", "-o", job / "iwarp-gen", build / "traffic-gen" / "iwarp-gen"], check=True)
        shutil.copy(build / "traffic-gen" / "iwarp-gen-verbs.so", job)
        status, said = self.run(name, "cp /job/iwarp-gen /job/iwarp-gen-verbs.so /usr/local/bin/")
        if status != 0:
            raise Gone(said)

    def _qmp(self, name, command, **arguments):
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect(str(self.top / name / "qmp"))
            lines = stream.makefile("rw")
            lines.readline()
            for each in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                lines.write(json.dumps(each) + "\n")
                lines.flush()
                answer = {}
                while "return" not in answer and "error" not in answer:
                    answer = json.loads(lines.readline())
        if "error" in answer:
            raise Gone(answer["error"]["desc"])

    def capture(self, path=None):
        """What is on the link, at the client's end, goes to that file; None ends it."""
        if path:
            self._qmp("client", "object-add", **{"qom-type": "filter-dump", "id": "capture", "netdev": "n0",
                                                 "file": str(pathlib.Path(path).resolve())})
        else:
            time.sleep(0.5)  # what is under way
            self._qmp("client", "object-del", id="capture")

    def stop(self):
        for qemu in self.qemu.values():
            if qemu.poll() is None:
                qemu.send_signal(signal.SIGKILL)
            qemu.wait()
        self.lock.close()


if __name__ == "__main__":
    sys.exit(__doc__)
