# SPDX-License-Identifier: GPL-2.0-or-later
"""The environment for testing a role: the guests, and iwarp-gen test against them. Each bench has suites(), again(), consoles(),
figures(), close(), and shown, iwarp-check's findings in the captures of its runs (agree.py), if it captures."""
import json
import shutil
import socket
import subprocess
import time

import agree
import guest as lab
import link
import tap

# Under emulation on a busy machine, actions of a millisecond may take more than a second.
PATIENCE = ["--timeout=4", "--accept-timeout=60",
            "--settle=0.2"]  # siw loses FPDUs that come right after its Reply; a separate case shows this
BY_SOCKET = ["--recover-timeout=6", "--start-timeout=30", "--reset-timeout=600"]  # a guest that does not recover is booted again
BY_DEVICE = ["--recover-timeout=20", "--seed=8166"]
MINUTES = 60
OURS, LINUX = link.address("ours"), link.address("linux")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def arguments(role, out, cases, resume):
    yield from [f"--suite={role.suites}", f"--device={role.device}", "--format=json", f"--output={out}", *PATIENCE]
    if cases or role.rules:
        yield f"--rules={','.join(cases or role.rules)}"
    if resume:
        yield f"--resume={resume}"


def read(role, out, said):
    if not out.exists() or out.stat().st_size == 0:
        raise RuntimeError(f"{role.name}: no report: {said[-2000:]}")
    return json.loads(out.read_text(encoding="utf-8"))


def run_here(role, out, command):
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * MINUTES)
    except subprocess.TimeoutExpired as late:
        raise RuntimeError(f"{role.name}: no report after {MINUTES} minutes") from late
    return read(role, out, f"status {done.returncode}: {done.stderr}")


class Sockets:
    """iwarp-gen on the host, one guest, booted again after each case that kills it."""

    def __init__(self, build, role):
        self.gen, self.role, self.shown = build / "traffic-gen" / "iwarp-gen", role, {}
        ports = {"host": lab.HOST, "port": free_port(), "mount": lab.PORTS["mount"] if role.at else free_port()}
        self.options = [option.format(**ports) for option in role.options]
        self.guest = lab.Guest(role.services, role.start and role.start.format(**ports))
        self.where = [self.guest.at(role.at)] if role.at else ["--listen", f"127.0.0.1:{ports['port']}"]

    def suites(self, out, cases=None, resume=None):
        """The report of a run. cases: ids; None: all of the role's suites. resume: a report whose cases do not run again."""
        return run_here(self.role, out, [self.gen, "test", *self.where, *arguments(self.role, out, cases, resume), *BY_SOCKET,
                                         *self.options, f"--write-capture={out.with_suffix('.pcapng')}",
                                         f"--reset-command={self.guest.reset_command}"])

    def again(self):
        self.guest.reboot()

    def figures(self):
        return {"boots": len(self.guest.boots), "boot_seconds": self.guest.boot_seconds}

    def consoles(self):
        return self.guest.consoles()

    def close(self):
        self.guest.close()


class OwnTcp:
    """iwarp-gen on the host with its own TCP, one guest at the other end of a TAP interface, which QEMU captures: the capture has
    exactly the segments sent."""

    def __init__(self, build, role):
        self.gen, self.role, self.shown = build / "traffic-gen" / "iwarp-gen", role, {}
        ports = {"host": tap.OWN, "port": lab.PORTS[role.at or "target"], "mount": lab.PORTS["mount"]}
        self.options = [option.format(**ports) for option in role.options]
        self.start = role.start and role.start.format(**ports)
        self.where = [f"{tap.GUEST}:{ports['port']}"] if role.at else ["--listen", f"{tap.OWN}:{ports['port']}"]
        began = time.monotonic()
        self.tapped = tap.Tapped(role.release or lab.RELEASE, services=",".join(role.services))
        self.boot_seconds = [time.monotonic() - began]
        self._begin()

    def _begin(self):
        if self.start:
            self.tapped.guest.run(self.start)

    def suites(self, out, cases=None, resume=None):
        self.tapped.guest.capture(out.with_suffix(".pcap"))
        try:
            return run_here(self.role, out, [self.gen, "test", *self.where, *self.tapped.wire, *arguments(self.role, out, cases, resume),
                                             *BY_SOCKET, *self.options])
        finally:
            self.tapped.guest.capture()

    def again(self):
        self.tapped.boot()
        self._begin()

    def figures(self):
        return {"boots": len(self.tapped.boots), "boot_seconds": self.boot_seconds}

    def consoles(self):
        return [boot.console() for boot in self.tapped.boots]

    def close(self):
        self.tapped.close()


class Devices:
    """iwarp-gen in the guest `ours`, Linux in the guest `linux`, an RDMA device in each; QEMU captures the link."""

    def __init__(self, build, role):
        self.build, self.role, self.shown = build, role, {}
        self.ports = {"host": OURS, "port": lab.PORTS["nfs"], "mount": lab.PORTS["mount"]}
        began = time.monotonic()
        self.link = link.Link(role.link, dict.fromkeys(("ours", "linux"), lab.RELEASE),
                              {"ours": "none", "linux": ",".join(role.services)}, {"linux": lab.MEMORY})
        self.boot_seconds = time.monotonic() - began
        self.link["ours"].install(build)

    def suites(self, out, cases=None, resume=None):
        ours, linux, capture = self.link["ours"], self.link["linux"], out.with_suffix(".pcap")
        report = ours.job / "report.json"
        report.unlink(missing_ok=True)
        if resume:
            shutil.copy(resume, ours.job / "earlier.json")
        where = f"rdma:{LINUX}:{self.ports['port']}" if self.role.at else f"--listen rdma:{OURS}:{self.ports['port']}"
        options = [option.format(**self.ports) for option in self.role.options]
        words = [f"'{word}'" for word in (*arguments(self.role, "/job/report.json", cases, resume and "/job/earlier.json"), *BY_DEVICE,
                                          *options, f"--capture={capture.name}")]
        self.link.capture(capture)
        try:
            # siw applies the limit of locked memory even to root.
            ours.start(f"ulimit -l unlimited; exec iwarp-gen test {where} {' '.join(words)}", "test",
                       None if self.role.at else "listening on port")
            if self.role.start:
                linux.run(self.role.start.format(**self.ports))
            end = time.monotonic() + 60 * MINUTES
            while not ours.is_over("test") and time.monotonic() < end:
                time.sleep(0.5)
            ours.end("test", 60)
            if self.role.start:
                linux.run("pkill -KILL -f nfs-client-workload; sleep 1; timeout 10 umount -f -l /mnt; true")
        finally:
            self.link.capture()
        found = read(self.role, report, ours.log("test"))
        shutil.copy(report, out)
        self.shown.update(agree.judge(self.build, capture, found, self.role.side))
        return found

    def again(self):
        """They are well, or the next run reports it."""

    def figures(self):
        return {"boots": 1, "boot_seconds": [self.boot_seconds]}

    def consoles(self):
        return [one.console() for one in self.link.machines.values()]

    def close(self):
        self.link.stop()


def boot(build, role):
    return (Devices if role.link else OwnTcp if role.wire else Sockets)(build, role)
