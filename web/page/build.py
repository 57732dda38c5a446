#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""build.py OUT WASM VERSION: makes the page: one file, whose policy allows only its own script and style, and the report's."""
import base64
import gzip
import hashlib
import html
import itertools
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST = 1_000_000  # octets of the page


def text_of(path):
    return path.read_text(encoding="utf-8")


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def shipped():
    """The names that --waivers accepts: those of the files, and of their groups, which leave out some words after the first."""
    names = set()
    for path in (ROOT / "waivers").glob("*.yaml"):
        first, *rest = path.stem.split("-")
        names |= {"-".join([first, *words]) for n in range(len(rest) + 1) for words in itertools.combinations(rest, n)}
    return sorted(names)


def policy(script, style):
    """For this page and the report in its frame, which inherits the policy."""
    scripts = hashed(script), hashed(text_of(ROOT / "conformance/report/report.js"))
    styles = hashed(style), hashed(text_of(ROOT / "support/page.css") + text_of(ROOT / "conformance/report/report.css"))
    return (f"default-src 'none'; script-src {' '.join(scripts)} 'wasm-unsafe-eval'; style-src {' '.join(styles)}; worker-src blob:; "
            "base-uri 'none'; form-action 'none'")


def main():
    out, program, version = sys.argv[1:]
    packed = gzip.compress(pathlib.Path(program).read_bytes(), 9, mtime=0)
    parts = {
        "script": text_of(HERE / "page.js").replace("{{shipped}}", json.dumps(shipped())),
        "style": text_of(HERE / "page.css"),
        "worker": text_of(HERE / "wasi.js") + text_of(HERE / "worker.js"),
        "program": base64.b64encode(packed).decode(),
        "version": html.escape(version),
    }
    if "</script" in parts["script"] + parts["worker"]:
        sys.exit("build.py: a script ends inside itself")
    parts["policy"] = policy(parts["script"], parts["style"])
    page = re.sub(r"\{\{(\w+)\}\}", lambda name: parts[name[1]], text_of(HERE / "page.html")).encode()
    if len(page) > MOST:
        sys.exit(f"build.py: the page has {len(page)} octets, and may have {MOST}")
    pathlib.Path(out).write_bytes(page)


main()
