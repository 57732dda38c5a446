#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""All generated captures but the large ones: captures/generated has few of them, and the SHA-256 of each.

tests/made_captures.py BUILD FOLDER: makes them in FOLDER; fails if one has not the SHA-256 of the manifest."""
import concurrent.futures
import csv
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

MANIFEST = pathlib.Path(__file__).resolve().parent.parent / "captures" / "generated" / "manifest.tsv"


def rows():
    with MANIFEST.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def play(build, folder):
    """Makes the captures with the commands of the manifest."""
    def one(row):
        path = folder / row["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        words = row["command"].split()
        assert words[0] == "iwarp-gen" and words[-2:] == ["-o", row["file"]], row
        subprocess.run([build / "traffic-gen" / "iwarp-gen", *words[1:-1], path], check=True, stdout=subprocess.DEVNULL)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, (row for row in rows() if row["kept"] != "large")))


def made(build):
    """The folder of the build directory with the captures; they are made again after the generator or the manifest changed."""
    folder = build / "captures" / "generated"
    folder.parent.mkdir(exist_ok=True)
    program = (build / "traffic-gen" / "iwarp-gen").stat()
    of = f"{program.st_mtime_ns} {program.st_size} {digest(MANIFEST)}\n"
    stamp = folder.with_suffix(".stamp")
    with folder.with_suffix(".lock").open("w") as lock:  # several runs of pytest use one build
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text(encoding="ascii") != of:
            stamp.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            play(build, folder)
            stamp.write_text(of, encoding="ascii")
    return folder


def main():
    build, folder = map(pathlib.Path, sys.argv[1:])
    play(build, folder)
    wrong = [row["file"] for row in rows() if row["kept"] != "large" and digest(folder / row["file"]) != row["sha256"]]
    if wrong:
        sys.exit(f"made_captures.py: not as in captures/generated/manifest.tsv: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
