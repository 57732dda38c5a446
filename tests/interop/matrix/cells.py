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
TITLES = {"iwarp-gen": "iwarp-gen", "linux-6.1": "Linux 6.1", "linux-6.12": "Linux 6.12", "linux-7.2": "Linux 7.2",
          "ganesha": "Ganesha 6.5"}
DEVICE_TITLES = {"soft": "iwarp-gen's own iWARP over TCP", "siw": "soft iWARP (siw)", "rxe": "soft RoCE (rdma_rxe)"}


@dataclasses.dataclass(frozen=True)
class Cell:
    client: str
    server: str
    device: str
    version: str

    @property
    def name(self):
        return f"{self.client}+{self.server}+{self.device}+nfs{self.version}"

    @property
    def guests(self):
        """The releases of the client's and the server's guest; None: no guest."""
        if self.device == "soft":
            return None
        return tuple(RELEASES.get(one, RELEASE_OF_IWARP_GEN) for one in (self.client, self.server))


def why_never(cell):
    """Why this cell cannot exist; None: it can."""
    if cell.device == "soft" and (cell.client, cell.server) != ("iwarp-gen", "iwarp-gen"):
        return "iwarp-gen's own stack speaks with itself here; with siw the other side of a socket is a kernel"
    if cell.server == "ganesha" and cell.version in ("4.1", "4.2"):
        return "Ganesha 6.5 refuses NFSv4.1 and 4.2 over RDMA"
    return None


def all_cells():
    return [Cell(*four) for four in itertools.product(CLIENTS, SERVERS, DEVICES, VERSIONS)]


def possible():
    return [cell for cell in all_cells() if why_never(cell) is None]


def chosen(words):
    """Cells with all parts of one of the words: "linux-7.2+rxe", "ganesha", "nfs3+siw", "linux-6.1+linux-6.1"; without words
    all."""
    parts = [word.split("+") for word in words]
    known = set(CLIENTS + SERVERS + DEVICES + [f"nfs{version}" for version in VERSIONS])
    unknown = [part for word in parts for part in word if part not in known]
    if unknown:
        raise ValueError(f"no cell has '{unknown[0]}' in its name; its parts are of: {', '.join(sorted(known))}")
    return [cell for cell in possible()
            if not parts or any(collections.Counter(word) <= collections.Counter(cell.name.split("+")) for word in parts)]
