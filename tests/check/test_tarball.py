# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/tarball: what a release has."""
import hashlib
import subprocess
import tarfile

import pytest

from made_captures import rows


def test_the_tarball_has_all_captures(build, root, tmp_path):
    """The captures in git, and the captures of which git has the SHA-256."""
    if not (root / ".git").exists():
        pytest.skip("not in git")
    path = tmp_path / "iwarp-kit-9.9.tar.xz"
    subprocess.run([root / "scripts" / "tarball", build, "9.9", path], check=True)
    inside = "iwarp-kit-9.9/captures/generated/"
    with tarfile.open(path) as tar:
        sums = {member.name.removeprefix(inside): hashlib.sha256(tar.extractfile(member).read()).hexdigest()
                for member in tar if member.name.startswith(inside) and member.name.endswith(".pcapng")}
        assert "iwarp-kit-9.9/CMakeLists.txt" in tar.getnames()
    assert sums == {row["file"]: row["sha256"] for row in rows() if row["kept"] != "large"}
