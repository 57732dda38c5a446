#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""chaos.py client RELEASE VERSION SEED SECONDS: Linux of a guest mounts a server over siw that breaks its connections, and works
(chaos_work.py), to say what it did not recover from.
chaos.py server RELEASE SEED STEPS: our client breaks its connections to the NFS server of a guest (docs/howto/chaos.md).

In both iwarp-gen is on the host with a TCP of its own, at the other end of the guest's TAP interface."""
import contextlib
import pathlib
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guests"))
import tap  # noqa: E402 pylint: disable=wrong-import-position

MOUNT_SECONDS, REST_SECONDS = 100, 300  # a client waits for a minute before it treats a Call as lost
PATIENCE = ["--timeout=10", "--first-delay=0.3"]  # siw loses FPDUs that come right after its Reply


@contextlib.contextmanager
def serving(build, tapped, log, *options):
    """iwarp-gen serve in the background; log: a path."""
    with open(log, "w", encoding="utf-8") as file:
        server = subprocess.Popen([build / "traffic-gen" / "iwarp-gen", "serve", ":20049", "--service=nfs", "--verbose", *options,
                                   *tapped.wire], stderr=file)
    try:
        while "listening on port" not in log.read_text(encoding="utf-8"):
            if server.poll() is not None:
                raise RuntimeError(log.read_text(encoding="utf-8"))
            time.sleep(0.1)
        yield
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def ended(log):
    """Connections ended by the server: the number of faults."""
    return log.read_text(encoding="utf-8").count(": closed") - 1  # the last was closed by the client


def client(build, tapped, version, seed, seconds):
    """Exit status of the work, its output, and the faults."""
    guest = tapped.guest
    log = guest.folder / "serve.log"
    shutil.copy(HERE / "chaos_work.py", guest.job)
    with serving(build, tapped, log, f"--chaos={seed}"):
        status, said = guest.run(f"""
            timeout {MOUNT_SECONDS} mount.nfs {tap.OWN}:/ /mnt -o vers={version},proto=rdma,port=20049,hard || exit
            python3 /job/chaos_work.py /mnt {seed} {seconds}
            status=$?
            timeout {MOUNT_SECONDS} umount /mnt || umount -l /mnt
            exit $status
            """, seconds + REST_SECONDS)
    return status, said, ended(log)


def server(build, tapped, seed, steps):
    """Exit status of connect --chaos, and its output."""
    done = subprocess.run([build / "traffic-gen" / "iwarp-gen", "connect", f"{tap.GUEST}:20049", f"--chaos={seed}", f"--count={steps}",
                           *PATIENCE, *tapped.wire], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main(what, release, *rest):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("chaos.py: stopped"))  # the guest ends, too
    build = HERE.parents[2] / "build" / "release"
    tapped = tap.Tapped(release, services="client" if what == "client" else "nfs")
    try:
        if what == "client":
            version, seed, seconds = rest
            status, said, faults = client(build, tapped, version, seed, int(seconds))
            print(f"{said}{faults} connections were ended")
        else:
            seed, steps = rest
            status, said = server(build, tapped, seed, steps)
            print(said)
        return status
    finally:
        tapped.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if (sys.argv[1:2], len(sys.argv)) in ((["client"], 6), (["server"], 5)) else __doc__)
