# SPDX-License-Identifier: GPL-2.0-or-later
"""A build from source is hardened like Debian's packages."""
import re
import subprocess

import pytest


def elf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def cache(build):
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    values = dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.M))
    if values["CMAKE_BUILD_TYPE"] == "Debug" or values["IWARP_SANITIZE"] or values["IWARP_FUZZ"] == "ON" or values["IWARP_COVERAGE"] == "ON":
        pytest.skip("builds for debugging, sanitizers, fuzzing and coverage are not hardened")
    return values


@pytest.fixture(scope="module")
def programs(build):
    return [path for path in (build / "conformance" / "iwarp-check", build / "traffic-gen" / "iwarp-gen", build / "lab" / "target" / "iwarp-target", build / "tap" / "iwarp-tap",
                              build / "traffic-gen" / "iwarp-extcap") if path.exists()]


@pytest.fixture(scope="module")
def files(build, programs):
    modules = [*build.glob("traffic-gen/*.so"), *build.glob("plugins/run/**/*.so")]
    return programs + modules


def test_loaded_for_good(cache, programs, files):
    """ Programs load at a random address, and all data that the loader writes is read-only before
    main()."""
    assert len(programs) >= 2
    for path in files:
        assert re.search(r"Type:\s+DYN", elf("-h", path)), path
        assert "GNU_RELRO" in elf("-l", path) and re.search(r"BIND_NOW|FLAGS_1.*NOW", elf("-d", path)), path
        assert path not in programs or re.search(r"FLAGS_1.*PIE", elf("-d", path)), path
        stack = re.search(r"GNU_STACK.*", elf("-l", path))[0]
        assert "RWE" not in stack, path


def test_checked(cache, programs, files):
    """Stacks have a guard, and copies into objects of known size are checked by libc."""
    for path in files:
        # A module that only forwards calls has nothing on its stack.
        if cache["IWARP_HAS__fstack_protector_strong"] and path.name != "iwarp-gen-verbs.so":
            assert "__stack_chk_fail" in elf("--dyn-syms", path), path
    for path in programs:
        assert re.search(r"__\w+_chk@", elf("--dyn-syms", path)), path


def test_jumps_land_where_they_may(cache, programs):
    """Control-flow enforcement: main() is called by its address. The note in the file needs support in libc's start-up code."""
    if not cache.get("IWARP_HAS__fcf_protection") or "Advanced Micro Devices X86-64" not in elf("-h", programs[0]):
        pytest.skip("the compiler, or the processor, has no control-flow enforcement")
    for path in programs:
        said = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", path], check=True, capture_output=True, text=True).stdout
        assert re.search(r"<main>:\n\s+\w+:\s+endbr64", said), path
