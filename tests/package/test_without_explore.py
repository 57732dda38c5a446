# SPDX-License-Identifier: GPL-2.0-or-later
"""A build with IWARP_EXPLORE=OFF: iwarp-gen plays and tests, and says of each part of traffic-gen/explore that it is missing."""
import subprocess

import pytest

pytestmark = pytest.mark.all
MISSING = "not in this iwarp-gen, which was built with IWARP_EXPLORE=OFF"


@pytest.fixture(scope="module")
def gen(root, tmp_path_factory):
    build = tmp_path_factory.mktemp("build")
    options = [f"-DIWARP_{part}=OFF" for part in ("EXPLORE", "PLUGINS", "TESTS", "TAP")]
    subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *options], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build, "--target", "iwarp-gen"], check=True, capture_output=True)
    return build / "traffic-gen" / "iwarp-gen"


@pytest.mark.parametrize("what, command", [
    ("learn", "learn 127.0.0.1:9"), ("simulate", "simulate --count=1"), ("--strength", "test 127.0.0.1:9 --strength=2"),
    ("--chaos", "connect 127.0.0.1:9 --chaos=1"), ("list inputs", "list inputs"), ("list pairs", "list pairs")])
def test_missing(gen, what, command):
    result = subprocess.run([gen, *command.split()], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"iwarp-gen: {what}: {MISSING}\n")


def test_others(gen, tmp_path):
    subprocess.run([gen, "play", "rdmap", "-o", tmp_path / "rdmap.pcapng"], check=True)
    assert "rdmap" in subprocess.run([gen, "list", "scenarios"], check=True, capture_output=True, text=True).stdout
