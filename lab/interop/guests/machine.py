# SPDX-License-Identifier: GPL-2.0-or-later
"""One guest: a QEMU process and a directory /job, through which the guest gets work. The caller
decides whether it is alone or on a link (link.py,
../lab/guest.py)."""
import ctypes
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time

BOOT_SECONDS = 120
LATE_SECONDS = 30  # a boot that takes longer may never end: another is started beside it
TRIES = 3  # boots: under emulation on a busy machine, a kernel may find its timer broken
LIMIT = 120
# Without the PIT: comparing with it on a busy host, a guest's kernel may take its clock for 30 times as fast, and its timers then
# expire too early.
MACHINE = "q35,pit=off"
KERNEL = "console=ttyS0 quiet loglevel=5 mitigations=off panic=-1 tsc=reliable no_timer_check"


class Gone(RuntimeError):
    """A guest, or a program in it, does not answer any more."""


def die_with_us():
    """In the child before QEMU starts: SIGKILL when the parent ends for any reason."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def give(job, script, seconds):
    """Gives the guest of this /job a bash script with a time limit; returns its number N. N.rc exists when it is over. Any process may
    do this, one at a time."""
    number = 1
    while (job / f"{number}.limit").exists():
        number += 1
    (job / f"{number}.limit").write_text(str(seconds), encoding="utf-8")
    new = job / f"{number}.new"
    new.write_text(script, encoding="utf-8")
    new.rename(job / f"{number}.do")
    return number


def first_ready(begin, begun=()):
    """The first ready machine: among the given ones, or those that begin() makes when one is late. The others are switched off."""
    machines = list(begun) or [begin()]
    while True:
        for machine in machines:
            if machine.is_ready():
                for other in machines:
                    if other is not machine:
                        other.off()
                return machine
        if len(machines) < TRIES and (machines[-1].has_ended() or machines[-1].age() > LATE_SECONDS):
            machines.append(begin())
        if machines[-1].has_ended() or machines[-1].age() > BOOT_SECONDS:
            for machine in machines:
                machine.off()
            raise Gone(f"no guest has booted, the last one within {machines[-1].age():.0f} s:\n" + machines[-1].console()[-4000:])
        time.sleep(0.05)


class Machine:
    """Booted from that image into that new directory; ready() waits until it accepts work. device: siw or rxe. services: of
    guests/init. network: of QEMU. words: added to the kernel's command line. memory: MiB."""

    def __init__(self, name, image, folder, network, device="siw", services="", words="", cpus=1, memory=1024):
        self.name, self.folder, self.job, self.begun = name, folder, folder / "job", time.monotonic()
        self.job.mkdir(parents=True)
        append = f"{KERNEL} rdma={device} {words}" + (f" lab={services}" if services else "")
        with open(folder / "console.txt", "wb") as console:
            self.qemu = subprocess.Popen(  # pylint: disable=consider-using-with
                ["qemu-system-x86_64", "-machine", MACHINE, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(cpus),
                 "-m", str(memory), "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-monitor", "none",
                 "-qmp", f"unix:{folder}/qmp,server=on,wait=off",
                 "-kernel", image / "vmlinuz", "-initrd", image / "initrd.gz", "-append", append,
                 "-drive", f"file={image}/root.ext4,if=virtio,format=raw,snapshot=on,cache=unsafe",
                 "-virtfs", f"local,path={self.job},mount_tag=job,security_model=none", *network],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, preexec_fn=die_with_us)

    def ready(self):
        self._await(self.job / "ready", BOOT_SECONDS)

    def is_ready(self):
        return (self.job / "ready").exists()

    def has_ended(self):
        return self.qemu.poll() is not None

    def age(self):
        return time.monotonic() - self.begun

    def off(self):
        """Like pulling the plug: the guest's disk writes are lost."""
        if self.qemu.poll() is None:
            self.qemu.kill()
        self.qemu.wait()

    def _await(self, path, seconds):
        end = time.monotonic() + seconds
        while not path.exists():
            if self.qemu.poll() is not None:
                raise Gone(f"{self.name} is not running:\n" + self.console()[-4000:])
            if time.monotonic() > end:
                raise Gone(f"no {path.name} of {self.name} after {seconds} s:\n" + self.said("boot.txt"))
            time.sleep(0.05)

    # ---- output ----

    def said(self, file):
        """The end of a file in /job."""
        path = self.job / file
        return path.read_text(encoding="utf-8", errors="replace")[-20000:] if path.exists() else ""

    def log(self, what):
        """The output of a background program so far."""
        return self.said(f"{what}.log")

    def console(self):
        """The kernel's messages: the trace of a crash."""
        return (self.folder / "console.txt").read_text(encoding="utf-8", errors="replace")

    # ---- actions ----

    def run(self, script, seconds=LIMIT):
        """Exit status and output of a bash script in the guest; 137 when it took too long. One at a time."""
        number = give(self.job, script, seconds)
        self._await(self.job / f"{number}.rc", seconds + 120)
        return int((self.job / f"{number}.rc").read_text(encoding="utf-8")), self.said(f"{number}.out")

    def start(self, script, what, until=None, seconds=60):
        """In the background, as WHAT. until: its text when ready."""
        (self.job / f"{what}.sh").write_text(script + "\n", encoding="utf-8")
        status, said = self.run(f"""
            rm -f /job/{what}.rc /job/{what}.log
            (bash /job/{what}.sh >/job/{what}.log 2>&1 </dev/null & echo $! >/job/{what}.pid; wait $!; echo $? >/job/{what}.rc) \\
                >/dev/null 2>&1 </dev/null &
            """)
        if status != 0:
            raise Gone(said)
        end = time.monotonic() + seconds
        while until and until not in self.log(what):
            if self.is_over(what) or time.monotonic() > end:
                raise Gone(f"{what} did not say '{until}':\n" + self.log(what))
            time.sleep(0.1)

    def is_over(self, what):
        return (self.job / f"{what}.rc").exists()

    def end(self, what, seconds=30):
        """Sends SIGINT to it and its children; returns its exit status."""
        self.run(f"pid=$(cat /job/{what}.pid); pkill -INT -P $pid || kill -INT $pid")
        path = self.job / f"{what}.rc"
        self._await(path, seconds)
        return int(path.read_text(encoding="utf-8") or 0)

    def install(self, build):
        """iwarp-gen of that build folder, with its verbs transport."""
        subprocess.run(["strip", "-o", self.job / "iwarp-gen", build / "traffic-gen" / "iwarp-gen"], check=True)
        shutil.copy(build / "traffic-gen" / "iwarp-gen-verbs.so", self.job)
        status, said = self.run("cp /job/iwarp-gen /job/iwarp-gen-verbs.so /usr/local/bin/")
        if status != 0:
            raise Gone(said)

    # ---- its network ----

    def _qmp(self, command, **arguments):
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect(str(self.folder / "qmp"))
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
        return answer["return"]

    def forward(self, address, ports):
        """From now on these ports of the host's address lead to the same ports of the guest. Its network is user networking."""
        for port in ports:
            said = self._qmp("human-monitor-command", **{"command-line": f"hostfwd_add n0 tcp:{address}:{port}-:{port}"})
            if said.strip():
                raise Gone(f"{self.name}: {said.strip()}")

    def pause(self):
        """Stands still, its clocks too, until resume()."""
        self._qmp("stop")

    def resume(self):
        self._qmp("cont")

    def capture(self, path=None):
        """Each frame of its network n0 goes to that pcap file; None ends it."""
        if path:
            self._qmp("object-add", **{"qom-type": "filter-dump", "id": "capture", "netdev": "n0",
                                       "file": str(pathlib.Path(path).resolve())})
        else:
            time.sleep(0.5)  # packets under way
            self._qmp("object-del", id="capture")
