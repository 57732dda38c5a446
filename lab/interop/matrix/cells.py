# SPDX-License-Identifier: GPL-2.0-or-later
"""The cells of the matrix: a client, a server, the RDMA device between them, a version of NFS. A cell's name has all four."""
import collections
import dataclasses
import itertools

CLIENTS = ["iwarp-gen", "linux-6.1", "linux-6.12", "linux-7.2"]
SERVERS = ["iwarp-gen", "linux-6.1", "linux-6.12", "linux-7.2", "ganesha"]
DEVICES = ["soft", "siw", "rxe"]
VERSIONS = ["3", "4.0", "4.1", "4.2"]
# The guest of an implementation (guests/releases.yaml). iwarp-gen runs in its peer's guest.
RELEASES = {"linux-6.1": "bookworm", "linux-6.12": "trixie", "linux-7.2": "testing", "ganesha": "ganesha"}
RELEASE_OF_IWARP_GEN = "bookworm"
GANESHA = "6.5"
CURED = "-cured"  # ends the name of the guest that is like one of these, with the patches of lab/upstream/
TITLES = {"iwarp-gen": "iwarp-gen", "linux-6.1": "Linux 6.1", "linux-6.12": "Linux 6.12", "linux-7.2": "Linux 7.2",
          "ganesha": f"Ganesha {GANESHA}"}
DEVICE_TITLES = {"soft": "iwarp-gen's own iWARP over TCP", "siw": "soft iWARP (siw)", "rxe": "soft RoCE (rdma_rxe)"}


@dataclasses.dataclass(frozen=True)
class Cell:
    client: str
    server: str
    device: str
    version: str
    cured: bool = False  # with patches in the guests

    @property
    def name(self):
        return f"{self.client}+{self.server}+{self.device}+nfs{self.version}"

    @property
    def folder(self):
        """The path of the archive of lab/results/matrix, with the results."""
        return "cured" if self.cured else "cells"

    @property
    def guests(self):
        """The releases of the client's and the server's guest; None: no guest."""
        if self.device == "soft":
            return None
        return tuple(release(one, self.cured) for one in (self.client, self.server))


def release(implementation, cured=False):
    return RELEASES.get(implementation, RELEASE_OF_IWARP_GEN) + (CURED if cured else "")


def why_never(cell):
    """Why this cell cannot exist; None: it can."""
    if cell.device == "soft" and (cell.client, cell.server) != ("iwarp-gen", "iwarp-gen"):
        return "iwarp-gen's own stack speaks with itself here; with siw the other side of a socket is a kernel"
    if cell.server == "ganesha" and cell.version in ("4.1", "4.2"):
        return "Ganesha 6.5 refuses NFSv4.1 and 4.2 over RDMA"
    return None


def all_cells(cured=False):
    return [Cell(*four, cured) for four in itertools.product(CLIENTS, SERVERS, DEVICES, VERSIONS)]


def possible(cured=False):
    return [cell for cell in all_cells(cured) if why_never(cell) is None]


def chosen(words, cured=False):
    """A word with four parts is the name of one cell; with fewer parts it stands for the cells that have them all, in any order:
    "linux-7.2+rxe", "ganesha", "nfs3+siw", "linux-6.1+linux-6.1". Without words all."""
    parts = [word.split("+") for word in words]
    known = set(CLIENTS + SERVERS + DEVICES + [f"nfs{version}" for version in VERSIONS])
    unknown = [part for word in parts for part in word if part not in known]
    if unknown:
        raise ValueError(f"no cell has '{unknown[0]}' in its name; its parts are of: {', '.join(sorted(known))}")
    names = {cell.name for cell in possible()}
    missing = [word for word, its in zip(words, parts) if len(its) >= 4 and word not in names]
    if missing:
        raise ValueError(f"no cell has the name {missing[0]}")

    def is_meant(cell, word):
        its = cell.name.split("+")
        return word == its if len(word) >= 4 else collections.Counter(word) <= collections.Counter(its)
    return [cell for cell in possible(cured) if not parts or any(is_meant(cell, word) for word in parts)]
