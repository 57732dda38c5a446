#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests: what they are made of is in releases.yaml, and each is built once.

  guests.py list             releases, their kernels, and which of them are built
  guests.py build RELEASE    below $IWARP_LAB/RELEASE (default $TMPDIR/iwarp-lab), from Debian's packages
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
BUILD_SECONDS = 3600


def releases():
    return yaml.safe_load((HERE / "releases.yaml").read_text(encoding="utf-8"))


def top():
    return pathlib.Path(os.environ.get("IWARP_LAB") or pathlib.Path(tempfile.gettempdir()) / "iwarp-lab")


def folder(release):
    return top() / release


def kernel(release):
    """The kernel of the built image: 6.1.0-56-amd64; None: there is none."""
    path = folder(release) / "kernel"
    return path.read_text(encoding="utf-8").strip() if (folder(release) / "built").exists() else None


def cures(release):
    """Names of the patches that the built image has: of its kernel, and of programs that are built from source in the guest below it."""
    listed = folder(release) / "cures"
    sources = folder(releases().get(release, {}).get("cured", release)) / "root" / "from-source" / "patches"
    return (listed.read_text(encoding="utf-8").split() if listed.exists() else []) + sorted(path.stem for path in sources.glob("*.patch"))


def copy_base(base, to):
    """Parts of the guest that it is based on: root, kernel, siw."""
    if not (to / "root" / ".built").exists():
        to.mkdir(parents=True, exist_ok=True)
        for part in ("root", "kernel", "version", "vmlinuz"):
            subprocess.run(["cp", "-a", "--reflink=auto", base / part, to / part], check=True)


def build(release):
    """The image's directory; builds it if it is missing or out of date."""
    known = releases()
    if release not in known:
        raise ValueError(f"no release '{release}'; of releases.yaml: {', '.join(known)}")
    about = known[release]
    if "cured" in about:
        subprocess.run([HERE / "build-cured", build(about["cured"]), folder(release)], check=True, timeout=BUILD_SECONDS)
        return folder(release)
    if "base" in about:
        copy_base(build(about["base"]), folder(release))
    words = {"SUITE": about["suite"], "PACKAGES": " ".join(about["packages"]), "SOURCES": " ".join(about.get("source", [])),
             "BUILD": " ".join(about.get("build", [])), "PATCHES": about.get("patches", ""), "SOURCE_PATCHES": about.get("source_patches", "")}
    subprocess.run([HERE / "build-guest", folder(release)], check=True, timeout=BUILD_SECONDS, env=os.environ | words)
    return folder(release)


def main(arguments):
    if arguments == ["list"]:
        for name, about in releases().items():
            print(f"{name:10} Linux {about['linux']:5} {'+'.join(about['devices']):8} {kernel(name) or 'not built'}")
    elif len(arguments) == 2 and arguments[0] == "build":
        try:
            print(build(arguments[1]))
        except ValueError as error:
            sys.exit(f"guests.py: {error}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
