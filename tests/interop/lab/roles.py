# SPDX-License-Identifier: GPL-2.0-or-later
"""The roles in which Linux is tested, and how: what runs in the guest, and which options iwarp-gen test has."""
import dataclasses
import socket

import guest as lab

IWARP = "mpa,mpa2,ddp,rdmap,rdmapx"
# Under emulation beside other work a second is not always enough for what takes a millisecond elsewhere.
PATIENCE = ["--timeout=4", "--start-timeout=30", "--idle-timeout=40", "--accept-timeout=60", "--recover-timeout=20",
            "--reset-timeout=600",
            "--settle=0.3"]  # siw loses sight of FPDUs that come right after its Reply; a case of its own shows that


@dataclasses.dataclass(frozen=True)
class Role:
    """services: of the guest. at: which of them is tested; None: the guest is the Initiator, and start what it does."""
    name: str
    page: str
    device: str
    suites: str
    services: tuple
    at: str | None = None
    start: str | None = None
    options: tuple = ()
    minutes: int = 60


ROLES = {role.name: role for role in [
    Role("rping", "siw", "Linux siw, Responder: rping -s -P", IWARP, ("rping",), at="rping"),
    Role("target", "siw", "Linux siw, Responder: iwarp-target", IWARP, ("target",), at="target"),
    Role("initiator", "siw", "Linux siw, Initiator: iwarp-target --connect", IWARP, ("none",),
         start="(iwarp-target --connect {host}:{port} --idle=20 2>/job/target.txt &)"),
    Role("nfs-server", "linux-nfs", "Linux NFS server, versions 3, 4.0, 4.1 and 4.2", "rpcrdma,nfs", ("nfs",), at="nfs",
         options=("--service=nfs", "--export=/srv/nfs", f"--mount-port={lab.PORTS['mount']}")),
    Role("nfs-client", "linux-nfs", "Linux NFS client, version 4.1", "rpcrdma,nfs", ("client",),
         start="(nfs-client-workload {host} /mnt vers=4.1,proto=rdma,port={port} >/job/client.txt 2>&1 &)",
         options=("--service=nfs",)),
    Role("nfs3-client", "linux-nfs", "Linux NFS client, version 3", "rpcrdma,nfs", ("client",),
         start="(nfs-client-workload {host} /mnt vers=3,proto=rdma,port={port},nolock,mountproto=tcp,mountport={mount} "
               ">/job/client.txt 2>&1 &)",
         options=("--service=nfs", "--mount-port={mount}")),
]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def boot(role):
    """The guest in that role, and the arguments by which iwarp-gen test finds it, or waits for it."""
    ports = {"host": lab.HOST, "port": free_port(), "mount": free_port()}
    options = [option.format(**ports) for option in role.options]
    if role.at:
        guest = lab.Guest(role.services)
        return guest, [guest.at(role.at), *options]
    return lab.Guest(role.services, role.start.format(**ports)), ["--listen", f"127.0.0.1:{ports['port']}", *options]
