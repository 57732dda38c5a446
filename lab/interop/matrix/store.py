#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the results of the matrix are: one archive, results.tar.zst beside the page, and results.tsv, which says what is in there.
A result has a name: cells/CELL, cured/CELL or suites/SERVER+DEVICE.

store.py ARCHIVE...: takes from the archives of other hosts the results that are missing here, and those of later runs."""
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import pathlib
import sys

LOADER = importlib.machinery.SourceFileLoader("archive", str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "archive"))
archive = importlib.util.module_from_spec(importlib.util.spec_from_loader("archive", LOADER))
LOADER.exec_module(archive)

NAME = "results.tar.zst"


@functools.lru_cache(maxsize=4)
def files_of(path, _changed):
    return archive.read(path)


def files(path):
    return files_of(path, path.stat().st_mtime_ns) if path.exists() else {}


def get(docs, name):
    """A result, or None."""
    octets = files(docs / NAME).get(f"{name}.json")
    return json.loads(octets) if octets else None


def folder(docs, name):
    """All results of a folder, by the rest of their names."""
    return {pathlib.PurePath(file).name.removesuffix(".json"): json.loads(octets)
            for file, octets in sorted(files(docs / NAME).items()) if file.startswith(name + "/")}


def index(has):
    """Reviewers of a new archive see its changes here."""
    yield "file\trun\tsha256\n"
    for name, octets in sorted(has.items()):
        yield f"{name}\t{json.loads(octets)['run']}\t{hashlib.sha256(octets).hexdigest()}\n"


def write(docs, has):
    docs.mkdir(parents=True, exist_ok=True)
    archive.write(docs / NAME, has)
    (docs / "results.tsv").write_text("".join(index(has)), encoding="utf-8")


def put(docs, name, result):
    octets = (json.dumps(result, indent=1, sort_keys=True) + "\n").encode()
    write(docs, files(docs / NAME) | {f"{name}.json": octets})


def take(docs, others):
    has = dict(files(docs / NAME))
    for path in others:
        for name, octets in files(path).items():
            if name not in has or json.loads(octets)["run"] > json.loads(has[name])["run"]:
                has[name] = octets
    write(docs, has)


if __name__ == "__main__":
    import page
    take(page.DOCS, map(pathlib.Path, sys.argv[1:]))
    page.write()
