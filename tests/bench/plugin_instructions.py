# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions of tshark for an FPDU, counted by callgrind: with our plugins, with its built-in dissectors, and with no dissector for the TCP payload.

The program's start does not count: it is measured on a capture of one FPDU and subtracted."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from reports import read_report  # noqa: E402

NOBODY = 65534
PORT = {"bulk": 7174, "nfs-bulk": 20049}

# name -> scenario, size in kB, its options
CAPTURES = {
    "RDMA Writes": ("bulk", 2000, ["--ulpdu=1400"]),
    "NFS": ("nfs-bulk", 2000, ["--ulpdu=1400"]),
    "64-octet RDMA Writes": ("bulk", 150, ["--ulpdu=64"]),
}
# name -> options with our plugins, options with the built-in dissectors, divisor of the size
MODES = {
    "summary": ([], [], 1),
    "two passes": (["-2"], ["-2"], 1),
    "filter": (["-Y", "mpa"], ["-Y", "iwarp_mpa"], 2),
    "details (-V)": (["-V"], ["-V"], 4),
}


def version():
    """tshark's version: others spend other instructions."""
    first = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return re.search(r"\d+\.\d+\.\d+", first).group(0)


def prefix():
    """As root, tshark only loads installed plugins, so root runs it as an unprivileged user."""
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []


def install(build, folder):
    """The plugins where that user can read them, and an empty directory to run without them."""
    shutil.copytree(build / "plugins" / "run", folder / "plugins")
    (folder / "none").mkdir()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)


class Tshark:
    """tshark under callgrind, in a directory with plugins/ and none/."""

    def __init__(self, build, folder):
        self.build, self.folder, self.starts = build, folder, {}
        install(build, folder)

    def play(self, scenario, size, options):
        capture = self.folder / "capture.pcapng"
        subprocess.run([self.build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--size={size}k", *options, "-o", capture], check=True)
        capture.chmod(0o644)
        return capture

    def run(self, plugins, capture, options):
        environment = dict(os.environ, HOME=str(self.folder), WIRESHARK_PLUGIN_DIR=str(self.folder / plugins))
        run = subprocess.run([*prefix(), "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "tshark", "-r", capture, *options],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True, env=environment)
        return int(re.search(r"Collected : (\d+)", run.stderr).group(1))

    def start(self, plugins, options):
        key = (plugins, *options)
        if key not in self.starts:
            self.starts[key] = self.run(plugins, self.play("bulk", 1, []), options)
        return self.starts[key]

    def spent(self, name, divisor, *ways):
        """Each way is plugins/ or none/ and the options."""
        scenario, size, options = CAPTURES[name]
        starts = [self.start(*way) for way in ways]
        capture = self.play(scenario, size // divisor, options)
        fpdus = count_fpdus(self.build, capture)
        return [round((self.run(plugins, capture, more) - start) / fpdus) for (plugins, more), start in zip(ways, starts)]


def count_fpdus(build, capture):
    """FPDUs of the only connection."""
    run = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", capture], capture_output=True, check=True)
    return sum(read_report(run.stdout)["captures"][0]["connections"][0]["counts"]["fpdus"])


def measure(build, captures=CAPTURES, modes=MODES):
    """"capture, mode" -> instructions for an FPDU with our plugins, and with the built-in dissectors"""
    found = {}
    with tempfile.TemporaryDirectory(prefix="iwarp-instructions-") as name:
        tshark = Tshark(build, pathlib.Path(name))
        for capture in captures:
            for mode in modes:
                ours, theirs, divisor = MODES[mode]
                found[f"{capture}, {mode}"] = tshark.spent(capture, divisor, ("plugins", ours), ("none", theirs))
    return found


def measure_undissected(build):
    """capture -> instructions for an FPDU that no dissector parses"""
    with tempfile.TemporaryDirectory(prefix="iwarp-instructions-") as name:
        tshark = Tshark(build, pathlib.Path(name))
        return {capture: tshark.spent(capture, 1, ("none", ["-d", f"tcp.port=={PORT[scenario]},data"]))[0]
                for capture, (scenario, _, _) in CAPTURES.items()}
