#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions of iwarp-check for an FPDU and for a connection, and of tshark for an FPDU with our plugins and without, counted by callgrind:
repeatable, unlike times.

Each figure of iwarp-check is the difference of two runs, on a capture and on one of twice the size, so that start and end of the program do
not count. Prints tables; --record writes instructions.json, which test_instructions.py compares with."""
import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import plugin_instructions
from reports import read_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = pathlib.Path(__file__).with_name("instructions.json")

# name -> the unit of the cost, the scenario, its options by size (1 or 2)
MEASURED = {
    "1400-octet RDMA Writes": ("fpdu", "bulk", lambda size: [f"--size={size * 1500}k"]),
    "64-octet RDMA Writes": ("fpdu", "bulk", lambda size: [f"--size={size * 200}k", "--ulpdu=64"]),
    "1400-octet RDMA Writes with Markers": ("fpdu", "bulk", lambda size: [f"--size={size * 1500}k", "--markers"]),
    "NFS": ("fpdu", "nfs-bulk", lambda size: [f"--size={size * 3000}k"]),
    "NFS metadata": ("fpdu", "nfs-metadata", lambda size: [f"--count={size * 8}"]),
    "Reads and Atomics": ("fpdu", "operations", lambda size: [f"--count={size * 500}"]),
    "connections": ("connection", "many", lambda size: [f"--connections={size * 200}"]),
}


def compiler(build):
    """Name and version of the compiler: others generate other instructions."""
    for path in (build / "CMakeFiles").glob("*/CMakeCCompiler.cmake"):
        text = path.read_text(encoding="utf-8")
        return " ".join(re.search(rf'set\(CMAKE_C_COMPILER_{key} "([^"]*)"\)', text).group(1) for key in ("ID", "VERSION"))
    return "unknown"


def is_release(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return "CMAKE_BUILD_TYPE:STRING=RelWithDebInfo" in cache and not re.search("IWARP_SANITIZE:STRING=.", cache)


def instructions(build, capture, *options):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", build / "conformance" / "iwarp-check",
                          "--no-progress", "--summary", *options, capture], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def units(build, capture, unit):
    run = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", capture], capture_output=True, check=False)
    connections = read_report(run.stdout)["captures"][0]["connections"]
    return len(connections) if unit == "connection" else sum(sum(c["counts"]["fpdus"]) for c in connections)


def measure(build, *extra):
    """name -> instructions each, with these options of iwarp-check"""
    found = {}
    with tempfile.TemporaryDirectory(prefix="iwarp-instructions-") as folder:
        for name, (unit, scenario, options) in MEASURED.items():
            spent, number = [], []
            for size in (1, 2):
                capture = pathlib.Path(folder) / f"{size}.pcapng"
                subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, *options(size), "-o", capture], check=True)
                spent.append(instructions(build, capture, *extra))
                number.append(units(build, capture, unit))
            found[name] = round((spent[1] - spent[0]) / (number[1] - number[0]))
    return found


def spoil_crcs(capture):
    """Makes the CRC of each FPDU in a capture of `bulk` wrong, at the end of each segment; TCP checksums stay right."""
    octets = bytearray(capture.read_bytes())
    at = 0
    while at < len(octets):
        kind, size, _, _, _, captured = struct.unpack_from("<IIIIII", octets, at)
        if kind == 6 and captured > 100:
            end, checksum = at + 28 + captured, at + 28 + 14 + 20 + 16
            crc = int.from_bytes(octets[end - 4:end], "big")
            spoilt = crc ^ 0x5A5A5A5A
            octets[end - 4:end] = spoilt.to_bytes(4, "big")
            less, more = ((word << 8 if captured % 2 else word) % 0xFFFF for word in (crc, spoilt))
            total = (~int.from_bytes(octets[checksum:checksum + 2], "big") & 0xFFFF) - less + more
            octets[checksum:checksum + 2] = (~(total % 0xFFFF) & 0xFFFF).to_bytes(2, "big")
        at += size
    capture.write_bytes(octets)


def measure_wrong_crcs(build):
    """[(what, instructions of an FPDU, the same with a wrong CRC)]"""
    found = []
    with tempfile.TemporaryDirectory(prefix="iwarp-instructions-") as folder:
        for scenario, options in (("bulk", ["--ulpdu=1400"]), ("bulk", ["--ulpdu=1400", "--markers"]), ("bulk-whole", ["--ulpdu=64000"]),
                                  ("bulk-whole", ["--ulpdu=64000", "--markers"])):
            spent = {}
            for size in (3, 6):
                capture = pathlib.Path(folder) / "bulk.pcapng"
                subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--size={size}M", *options, "-o", capture], check=True)
                number = units(build, capture, "fpdu")
                spent["right", size] = instructions(build, capture), number
                spoil_crcs(capture)
                assert units(build, capture, "fpdu") == number
                spent["wrong", size] = instructions(build, capture), number
            found.append((" ".join([scenario, *options]),
                          *(round((spent[how, 6][0] - spent[how, 3][0]) / (spent[how, 6][1] - spent[how, 3][1])) for how in ("right", "wrong"))))
    return found


def print_check(build, recorded):
    found = measure(build)
    for name, count in found.items():
        before = recorded["instructions"].get(name)
        change = f"{100 * (count / before - 1):+8.1f} %" if before else ""
        print(f"{name:<40} {count:8} per {MEASURED[name][0]:<10} {change}")
    recorded.update(compiler=compiler(build), instructions=found)


def print_plugins(build, recorded):
    found, ratios = plugin_instructions.measure(build), {}
    print(f"{'an FPDU in tshark ' + plugin_instructions.version():<40}     ours built-in    ratio before")
    for name, (ours, theirs) in found.items():
        ratios[name] = round(ours / theirs, 3)
        print(f"{name:<40} {ours:8} {theirs:8} {ratios[name]:8.3f} {recorded.get('plugins', {}).get('ratios', {}).get(name, '')}")
    for name, count in plugin_instructions.measure_undissected(build).items():
        theirs = found[f"{name}, summary"][1]
        print(f"{name + ', undissected':<40} {count:8} {theirs:8} {count / theirs:8.3f}")
    recorded["plugins"] = {"wireshark": plugin_instructions.version(), "ratios": ratios}


PARTS = {"check": print_check, "plugins": print_plugins}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--only", choices=PARTS, help="of iwarp-check, or of the plugins, which takes ten minutes")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    arguments = parser.parse_args()
    if not is_release(arguments.build):
        sys.exit(f"{arguments.build} is no release build")
    recorded = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"instructions": {}}
    for name, part in PARTS.items():
        if arguments.only in (None, name):
            part(arguments.build, recorded)
    if arguments.record:
        RECORD.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
