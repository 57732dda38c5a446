# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by the tests of hostile captures."""
import subprocess

import pytest


@pytest.fixture(scope="session")
def sanitized(build):
    """Memory figures have no meaning then."""
    said = subprocess.run(["ldd", build / "conformance" / "iwarp-check"], capture_output=True, text=True, check=True)
    return "libasan" in said.stdout
