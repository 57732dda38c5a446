#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""differ.py [--build=FOLDER] [--wireshark=FOLDER] [--verbose] SOURCE...: what the plugins and Wireshark's own dissectors show of the same
captures, field by field. SOURCE: generated (those of captures/generated/manifest.tsv), real (captures of real implementations, those of $IWARP_CAPTURES, too),
seeds[=N] (conversations of iwarp-gen by N seeds, default 2), mutants[=N] (captures that were damaged, N sets, default 2), or files and
folders with captures. --wireshark: tshark of that folder, with the patches of lab/upstream/wireshark; a reason that has a patch does not count
then. Exit status: 0 every difference has a reason, 1 one has none."""
import argparse
import bisect
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "plugin"), str(ROOT)]

import captures  # noqa: E402
import made_captures  # noqa: E402
from judge import Judge  # noqa: E402
from reasons import REASONS  # noqa: E402
from shark import Wireshark  # noqa: E402

TOGETHER = 6 << 20  # octets of captures for one run of tshark
MEASURING = ("bulk", "nfs-bulk", "many")  # long scenarios without new cases
TROUBLE = ("", "loss=0.02", "reorder=0.05", "dup=0.05", "resegment=0.3")
LISTED = 200
PATCHES = ROOT / "lab" / "upstream" / "wireshark"


def captures_in(path):
    return [path] if path.is_file() else sorted([*path.rglob("*.pcap"), *path.rglob("*.pcapng")])


def real():
    folders = [ROOT / "captures" / name for name in ("real", "roce", "ulp")]
    if "IWARP_CAPTURES" in os.environ:
        folders.append(pathlib.Path(os.environ["IWARP_CAPTURES"]))
    found = {}
    for path in (path for folder in folders for path in captures_in(folder)):
        found.setdefault((path.parent.name, path.name), path)
    return list(found.values())


def scenarios(build, transport):
    out = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "scenarios", f"--transport={transport}"], check=True,
                         capture_output=True, text=True).stdout
    return [name for name in (line.split("\t")[0] for line in out.splitlines()) if not name.startswith(MEASURING)]


def seeds(build, count, folder):
    """Each scenario with other seeds than the default, on iWARP and on RoCE; some with disturbances, unless they have their own."""
    for seed in range(2, 2 + count):
        for transport in ("iwarp", "roce"):
            for number, scenario in enumerate(scenarios(build, transport)):
                trouble = TROUBLE[(number + seed) % len(TROUBLE)] if transport == "iwarp" or seed % 2 else ""
                trouble = trouble.replace("resegment", "rnr") if transport == "roce" else trouble
                out = folder / f"{scenario}-{transport}-{seed}.pcap"
                run = [build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--seed={seed}", f"--transport={transport}", "--pcap", "-o", out]
                with_trouble = trouble and not subprocess.run([*run, f"--net={trouble}"], check=False, capture_output=True).returncode
                if not with_trouble:
                    subprocess.run(run, check=True, capture_output=True)
                yield out


def mutants(build, count, folder):
    """Generated captures with damage and correct checksums: tests/fuzz/mutate.c. Ten sets have each capture once."""
    every = captures_in(made_captures.made(build))
    for seed in range(count):
        for number, path in enumerate(every[seed::max(count, 10)]):
            for rate in ("0.02", "0.2"):
                out = folder / f"mutant-{seed}-{rate}-{path.stem}.pcap"
                subprocess.run([build / "tests" / "fuzz" / "mutate", str(1000 * number + seed + 1), rate, path, out],
                               check=True, capture_output=True)
                yield out


def sources(names, build, folder):
    for name in names:
        kind, _, count = name.partition("=")
        if kind in ("seeds", "mutants"):
            yield from (seeds if kind == "seeds" else mutants)(build, int(count or 2), folder)
        elif name == "real":
            yield from real()
        elif name == "generated":
            yield from captures_in(made_captures.made(build))
        else:
            found = captures_in(pathlib.Path(name)) if pathlib.Path(name).exists() else []
            if not found:
                sys.exit(f"differ.py: no captures in '{name}'; give captures, folders with some, or generated, real, seeds, mutants")
            yield from found


def groups(paths):
    """The number of captures that one run of tshark reads."""
    group, size = [], 0
    for path in paths:
        if group and size + path.stat().st_size > TOGETHER:
            yield group
            group, size = [], 0
        group.append(path)
        size += path.stat().st_size
    if group:
        yield group


class Tally:
    def __init__(self):
        self.captures = self.frames = self.same = self.agreed = 0
        self.reasons, self.unexplained = collections.Counter(), []

    def add(self, shark, paths, folder):
        merged = folder / "merged.pcap"
        parts, others = captures.merge([(path, path) for path in paths], merged)
        for path in others:
            print(f"{path}: not of Ethernet, left out", file=sys.stderr)
        judge, firsts = Judge(shark, merged, folder), [part.first for part in parts]
        for verdict in judge.verdicts():
            if verdict.reason:
                self.reasons[verdict.reason.name] += 1
            else:
                part = parts[bisect.bisect(firsts, verdict.frame) - 1]
                self.unexplained.append((part.name, verdict.frame - part.first + 1, verdict))
        self.captures += len(parts)
        self.frames += parts[-1].last if parts else 0
        self.same += sum(judge.same.values())
        self.agreed += sum(judge.agreed.values())
        shark.forget(merged)


def patched(build, wireshark):
    """Wireshark of that folder, without the reasons that the patches mend."""
    os.environ["PATH"] = f"{wireshark}:{os.environ['PATH']}"
    REASONS[:] = [one for one in REASONS if not one.report or not (PATCHES / f"{one.report}.patch").exists()]
    shark = Wireshark(build)
    if shark.run("sh", "-c", "command -v tshark").stdout.strip() != str(wireshark / "tshark"):
        sys.exit(f"differ.py: no tshark in {wireshark} that an unprivileged user can run")
    return shark


def text(path, frame, verdict):
    said = "-" if verdict.opinion is None else str(verdict.opinion)[:60]
    return (f"{os.path.relpath(path, ROOT)} frame {frame}: {verdict.pair.ours} {str(verdict.ours)[:60]}, "
            f"{verdict.pair.theirs[0]} {str(verdict.theirs)[:60]}, octets {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[1])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("IWARP_BUILD", ROOT / "build" / "release")))
    parser.add_argument("--wireshark", type=pathlib.Path, metavar="FOLDER", help="with the tshark of a patched Wireshark")
    parser.add_argument("--verbose", action="store_true", help="say what was looked at as it goes")
    parser.add_argument("source", nargs="+")
    options = parser.parse_args()
    if not list((options.build / "plugins").glob("run/*/epan/iwarp.so")):
        sys.exit(f"differ.py: no plugins in {options.build}; build them, or name the folder by --build")
    shark = patched(options.build, options.wireshark.resolve()) if options.wireshark else Wireshark(options.build)
    folder, tally = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-differ-")), Tally()
    shark.patience = 3600
    try:
        for group in groups(sources(options.source, options.build, folder)):
            tally.add(shark, group, folder)
            if options.verbose:
                print(f"{tally.captures} captures, {tally.frames} frames, {len(tally.unexplained)} without a reason", flush=True)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(shark.folder)
    print(f"{tally.captures} captures, {tally.frames} frames; values that are the same: {tally.same}; as the octets have them: {tally.agreed}")
    for one in REASONS:
        print(f"{tally.reasons[one.name]:8} {one.name}")
    for found in tally.unexplained[:LISTED]:
        print(text(*found))
    print(f"differences without a reason: {len(tally.unexplained)}")
    return 1 if tally.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
