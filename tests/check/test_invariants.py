# SPDX-License-Identifier: GPL-2.0-or-later
"""wire/invariant.h: a false statement stops a build for debugging, and costs a release build nothing."""
import subprocess

import pytest

TEXT = "the invariant is false"
PROGRAM = """
#include "wire/invariant.h"
#include <stdbool.h>

static int evaluated;

static bool counts(int n)
{
    evaluated++;
    return n == 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    INVARIANT(counts(argc));
    return evaluated;
}
"""


@pytest.mark.parametrize("options,true,false", [(["-DIWARP_INVARIANTS"], 1, -6), ([], 0, 0)], ids=["debug", "release"])
def test_statement(root, tmp_path, options, true, false):
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-I", root, *options, "-o", tmp_path / "program", tmp_path / "program.c"], check=True)
    assert subprocess.run([tmp_path / "program"], check=False).returncode == true
    done = subprocess.run([tmp_path / "program", "again"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == false
    assert ("main: " + TEXT + ": counts(argc)" in done.stderr) == bool(options)


def test_no_release_build_checks(build):
    if "IWARP_INVARIANTS:BOOL=ON" in (build / "CMakeCache.txt").read_text():
        pytest.skip("this build checks invariants")
    for program in ("conformance/iwarp-check", "traffic-gen/iwarp-gen"):
        assert TEXT.encode() not in (build / program).read_bytes()
