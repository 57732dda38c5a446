# SPDX-License-Identifier: GPL-2.0-or-later
"""The roles in which Linux is tested: programs in its guest, and options of iwarp-gen test. Over a socket iwarp-gen is on the host with its
own iWARP; on a wire also with its own TCP; over an RDMA device it is in a second guest, on the same link."""
import dataclasses

import guest as lab

IWARP = "mpa,mpa2,ddp,rdmap,rdmapx"
NFS = "rpcrdma,nfs"
IDLE = ("--idle-timeout=40",)  # iwarp-target closes after 20 s
SERVER = ("--export=/srv/nfs", "--mount-port={mount}")
WORKLOAD = "(nfs-client-workload {host} /mnt %s >/job/client.txt 2>&1 &)"
CONNECT = "(iwarp-target --connect {host}:{port} --idle=20 2>/job/target.txt &)"
MOUNT_4_1 = WORKLOAD % "vers=4.1,proto=rdma,port={port}"
MOUNT_3 = WORKLOAD % "vers=3,proto=rdma,port={port},nolock,mountproto=tcp,mountport={mount}"


@dataclasses.dataclass(frozen=True)
class Role:
    """page: lab/results/PAGE.md. device: what the report calls it. services: of the guest. at: which of them is tested; None: the
    guest is the Initiator, and start what it does. link: the RDMA device by which both are on a link; None: over a socket, or on a wire, the
    guest's TAP interface. rules: beginnings of the cases; none: all of the suites. release: of the guest; None: lab.RELEASE. over_tap:
    cases whose segments and window have to reach the guest, which the forwarding of its ports makes anew: they run on a wire."""
    name: str
    page: str
    device: str
    suites: str
    services: tuple
    at: str | None = None
    start: str | None = None
    options: tuple = ()
    link: str | None = None
    wire: bool = False
    rules: tuple = ()
    release: str | None = None
    over_tap: tuple = ()

    @property
    def side(self):
        """The side of the device under test on its connections."""
        return "responder" if self.at else "initiator"


def of_nfs(link, over):
    prefix, page = (f"{link}-", "linux-nfs-rdma") if link else ("", "linux-nfs")
    service = () if link else ("--service=nfs",)  # over a device all suites are NFS's
    yield Role(f"{prefix}nfs-server", page, f"Linux NFS server{over}, versions 3, 4.0, 4.1 and 4.2", NFS, ("nfs",), at="nfs",
               options=(*service, *SERVER), link=link)
    yield Role(f"{prefix}nfs-client", page, f"Linux NFS client{over}, version 4.1", NFS, ("client",), start=MOUNT_4_1,
               options=service, link=link)
    yield Role(f"{prefix}nfs3-client", page, f"Linux NFS client{over}, version 3", NFS, ("client",), start=MOUNT_3,
               options=(*service, "--mount-port={mount}"), link=link)


def on_wire():
    """Segments that no kernel sends, to a kernel whose siw survives the rest (lab/upstream/siw/patches)."""
    about = {"suites": "mpa", "page": "siw-own-tcp", "wire": True, "rules": ("MPA-4.3-07", "MPA-5.1-06", "MPA-A."), "release": "siw-patched"}
    yield Role("wire-target", device="Linux 7.2 siw, Responder: iwarp-target", services=("target",), at="target", options=IDLE, **about)
    yield Role("wire-initiator", device="Linux 7.2 siw, Initiator: iwarp-target --connect", services=("none",),
               start=CONNECT, options=IDLE, **about)
    yield Role("wire-nfs-server", device="Linux 7.2 NFS server over siw", services=("nfs",), at="nfs",
               options=("--service=nfs", *SERVER), **about)


ROLES = {role.name: role for role in [
    Role("rping", "siw", "Linux siw, Responder: rping -s -P", IWARP, ("rping",), at="rping",
         options=("--idle-timeout=12",)),
    Role("target", "siw", "Linux siw, Responder: iwarp-target", IWARP, ("target",), at="target", options=IDLE,
         over_tap=("MPA-4.5-07", "RDMAP-6.1-11")),
    Role("initiator", "siw", "Linux siw, Initiator: iwarp-target --connect", IWARP, ("none",),
         start=CONNECT,
         options=(*IDLE, "--accept-timeout=20")),  # it connects at once; NFS clients first give up their work
    *of_nfs(None, ""), *of_nfs("rxe", " over soft RoCE"), *of_nfs("siw", " over soft iWARP"), *on_wire()]}
BY_SOCKET = [role for role in ROLES.values() if not role.link and not role.wire]
BY_WIRE = [role for role in ROLES.values() if role.wire]
BY_DEVICE = [role for role in ROLES.values() if role.link]
