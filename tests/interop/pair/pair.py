#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two guests on one link, each with an RDMA device in software: `ours` runs iwarp-gen, `linux` has NFS over RDMA.

  pair.py boot rxe|siw           boots both
  pair.py install                iwarp-gen of $IWARP_BUILD into `ours`
  pair.py run GUEST COMMAND      its output and exit status; $LIMIT seconds, default 120
  pair.py start GUEST COMMAND NAME   in the background
  pair.py log GUEST NAME         what it has said so far
  pair.py end GUEST NAME         SIGINT; its exit status
  pair.py capture [FILE]         the link, as pcap; without FILE: ends it
  pair.py stop                   powers both off
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent / "lab"
sys.path.insert(0, str(LAB))
import guest as lab  # noqa: E402 pylint: disable=wrong-import-position

GUESTS = {"ours": "10.1.1.1", "linux": "10.1.1.2"}
ADDRESSES6 = {"ours": "fd01::1", "linux": "fd01::2"}
SERVICES = {"ours": "none", "linux": "nfs,client"}
LIMIT = 120


def why_not():
    return lab.why_not()


class Pair:
    """Both guests, booted; with device None those that run already. Their files are below $IWARP_LAB/pair."""

    def __init__(self, device=None):
        self.lab = lab.lab_folder()
        self.top = self.lab / "pair"
        if device:
            self._boot(device)

    # ---- life ----

    def _pid(self, name):
        """Of the guest's QEMU; None: it is not running."""
        try:
            pid = int((self.top / name / "pid").read_text())
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if b"qemu" in command and str(self.top).encode() in command else None

    def _boot(self, device):
        if any(self._pid(name) for name in GUESTS):
            raise RuntimeError("a pair is running already: pair.py stop")
        self.image = lab.guests.build(lab.RELEASE)
        shutil.rmtree(self.top, ignore_errors=True)
        for number, name in enumerate(GUESTS, 1):
            self._start(number, name, device)
        for name in GUESTS:
            self._await(name, self.top / name / "job" / "ready", lab.BOOT_SECONDS)

    def _start(self, number, name, device):
        folder = self.top / name
        (folder / "job").mkdir(parents=True)
        link = self.top / "link"
        server = "on" if number == 1 else "off"
        with open(folder / "console.txt", "wb") as console:
            qemu = subprocess.Popen(  # pylint: disable=consider-using-with
                ["qemu-system-x86_64", "-machine", lab.MACHINE, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1",
                 "-m", "1024", "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-monitor", "none",
                 "-qmp", f"unix:{folder}/qmp,server=on,wait=off",
                 "-kernel", self.image / "vmlinuz", "-initrd", self.image / "initrd.gz",
                 "-append", "console=ttyS0 quiet loglevel=5 mitigations=off panic=-1 tsc=reliable "
                            f"pair={name} rdma={device} lab={SERVICES[name]}",
                 "-drive", f"file={self.image}/root.ext4,if=virtio,format=raw,snapshot=on,cache=unsafe",
                 "-virtfs", f"local,path={folder}/job,mount_tag=job,security_model=none",
                 "-netdev", f"stream,id=n0,server={server},addr.type=unix,addr.path={link}",
                 "-device", f"virtio-net-pci,netdev=n0,mac=52:54:00:0c:00:0{number}"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, start_new_session=True)
        (folder / "pid").write_text(str(qemu.pid))
        (folder / "count").write_text("0")
        for _ in range(200):  # the second one connects to it
            if link.exists():
                return
            time.sleep(0.05)
        raise RuntimeError(f"{name} did not start: " + (folder / "console.txt").read_text(errors="replace"))

    def stop(self):
        for name in GUESTS:
            if self._pid(name):
                (self.top / name / "job" / "stop").touch()
        end = time.monotonic() + 20
        while time.monotonic() < end and any(self._pid(name) for name in GUESTS):
            self._reap()
            time.sleep(0.1)
        for name in GUESTS:
            if pid := self._pid(name):
                os.kill(pid, signal.SIGKILL)
        self._reap()

    @staticmethod
    def _reap():
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass  # another process booted them

    # ---- commands ----

    def _await(self, name, path, seconds):
        end = time.monotonic() + seconds
        while not path.exists():
            if not self._pid(name):
                raise RuntimeError(f"{name} is not running:\n" + self.said(name, "../console.txt"))
            if time.monotonic() > end:
                raise TimeoutError(f"no {path.name} of {name} after {seconds} s:\n" + self.said(name, "boot.txt"))
            time.sleep(0.05)

    def said(self, name, file):
        path = self.top / name / "job" / file
        return path.read_text(encoding="utf-8", errors="replace")[-20000:] if path.exists() else ""

    def job(self, name):
        """The folder that the guest has as /job."""
        return self.top / name / "job"

    def run(self, name, script, seconds=LIMIT):
        """Exit status and output of a bash script in the guest; 137 when it took too long. One at a time."""
        job, counter = self.job(name), self.top / name / "count"
        count = int(counter.read_text()) + 1
        counter.write_text(str(count))
        (job / f"{count}.limit").write_text(str(seconds), encoding="utf-8")
        new = job / f"{count}.new"
        new.write_text(script, encoding="utf-8")
        new.rename(job / f"{count}.do")
        self._await(name, job / f"{count}.rc", seconds + 60)
        return int((job / f"{count}.rc").read_text(encoding="utf-8")), self.said(name, f"{count}.out")

    def start(self, name, command, what):
        """In the background; log(name, what) is what it says, end(name, what) ends it."""
        new = self.job(name) / f"{what}.sh"
        new.write_text(command + "\n", encoding="utf-8")
        status, said = self.run(name, f"""
            rm -f /job/{what}.rc /job/{what}.log
            (bash /job/{what}.sh >/job/{what}.log 2>&1 </dev/null & echo $! >/job/{what}.pid; wait $!; echo $? >/job/{what}.rc) \\
                >/dev/null 2>&1 </dev/null &
            """)
        if status != 0:
            raise RuntimeError(said)

    def log(self, name, what):
        return self.said(name, f"{what}.log")

    def wait_for(self, name, what, text, seconds=60):
        """Until its log has the text."""
        end = time.monotonic() + seconds
        while text not in self.log(name, what):
            if (self.job(name) / f"{what}.rc").exists() or time.monotonic() > end:
                raise RuntimeError(f"{what} did not say '{text}':\n" + self.log(name, what))
            time.sleep(0.1)

    def end(self, name, what, seconds=30):
        """SIGINT to it and what it has started; its exit status."""
        self.run(name, f"pid=$(cat /job/{what}.pid); pkill -INT -P $pid || kill -INT $pid")
        path = self.job(name) / f"{what}.rc"
        self._await(name, path, seconds)
        return int(path.read_text() or 0)

    def install(self, build):
        """iwarp-gen, with its verbs transport, of that build folder into `ours`."""
        job = self.job("ours")
        subprocess.run(["strip", "-o", job / "iwarp-gen", build / "traffic-gen" / "iwarp-gen"], check=True)
        for module in (build / "traffic-gen").glob("*.so"):
            shutil.copy(module, job)
        status, said = self.run("ours", "cp /job/iwarp-gen /usr/local/bin/; for f in /job/*.so; do [ ! -e $f ] || cp $f /usr/local/bin/; done")
        if status != 0:
            raise RuntimeError(said)

    # ---- capture ----

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
            raise RuntimeError(answer["error"]["desc"])

    def capture(self, path=None):
        """What is on the link, at our end, goes to that file; None ends it."""
        if path:
            self._qmp("ours", "object-add", **{"qom-type": "filter-dump", "id": "capture", "netdev": "n0",
                                               "file": str(pathlib.Path(path).resolve())})
        else:
            time.sleep(0.5)  # what is under way
            self._qmp("ours", "object-del", id="capture")


def main(arguments):
    commands = {"boot": 1, "install": 0, "run": 2, "start": 3, "log": 2, "end": 2, "capture": None, "stop": 0}
    if not arguments or arguments[0] not in commands or commands[arguments[0]] not in (None, len(arguments) - 1):
        sys.exit(__doc__)
    command, *rest = arguments
    if command == "boot":
        Pair(rest[0])
        return 0
    pair = Pair()
    if command == "install":
        pair.install(pathlib.Path(os.environ.get("IWARP_BUILD") or HERE.parents[2] / "build" / "release"))
    elif command == "run":
        status, said = pair.run(*rest, seconds=int(os.environ.get("LIMIT") or LIMIT))
        print(said, end="")
        return status
    elif command == "log":
        print(pair.log(*rest), end="")
    elif command == "end":
        return pair.end(*rest)
    else:
        getattr(pair, command)(*rest)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
