# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures for testing the plugins: real ones, and those of iwarp-gen's scenarios and faults."""
import functools
import os
import pathlib
import re
import subprocess

from tests.conftest import build_folder

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def counted(folder):
    """FPDUs by file name, from the tables of a README.md beside captures: | name | packets | streams | FPDUs | ..."""
    counts = {}
    for readme in folder.rglob("README.md"):
        for line in readme.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) > 5 and re.search(r"\.pcap(ng)?$", cells[1]) and cells[4].isdigit() and cells[3] != "0":
                counts[cells[1]] = int(cells[4])
    return counts


def real():
    """Real captures: {name: (path, FPDUs of an independent count, or None)}."""
    folders = [ROOT / "captures" / "real"]
    if "IWARP_CAPTURES" in os.environ:
        folders.append(pathlib.Path(os.environ["IWARP_CAPTURES"]))
    found = {}
    for folder in folders:
        counts = counted(folder)
        for path in sorted([*folder.rglob("*.pcap"), *folder.rglob("*.pcapng")]):
            if path.parent.name != "roce":
                found.setdefault(path.name, (path, counts.get(path.name)))
    return found


def roce():
    """Captures of RoCE and InfiniBand beside those of the tree."""
    return sorted((pathlib.Path(os.environ["IWARP_CAPTURES"]) / "roce").glob("*.pcap")) if "IWARP_CAPTURES" in os.environ else []


def listed(what, *options):
    """Rows of iwarp-gen list scenarios|faults."""
    program = build_folder() / "traffic-gen" / "iwarp-gen"
    if not program.exists():
        return []
    result = subprocess.run([program, "list", what, *options], check=True, capture_output=True, text=True, timeout=60)
    return [line.split("\t") for line in result.stdout.splitlines()]


# Faults that make RPC messages unreadable for their dissectors. Our own layers are still read.
BROKEN_RPC = re.compile(r"fault (RPCR0?|RPC|BIDI|CMPD|EXP|NFSULB|NFS\d?)-")
PAYLOAD = {"NFS", "RPC", "MOUNT", "NLM", "NSM", "NFSACL", "NFS CB", "_ws.malformed"}


def malformed(case, frames):
    """Unexpected malformed items in these frames."""
    found = {name.strip("[]").removeprefix("Malformed Packet: ") for frame in frames for value in frame["_ws.malformed"]
             for name in value.split(",")}
    return found - PAYLOAD if BROKEN_RPC.match(case) else found


@functools.cache
def names():
    """All cases: real captures by file name, scenarios and faults by name; value: iwarp-gen's arguments, or None."""
    cases = dict.fromkeys(real())
    cases |= {"scenario " + row[0]: [row[0]] for row in listed("scenarios") if "bulk" not in row[0] and row[0] != "many"}
    cases |= {"fault " + row[0]: [row[1], f"--inject={row[0]}"] for row in listed("faults")}
    return cases
