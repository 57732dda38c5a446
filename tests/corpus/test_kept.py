# SPDX-License-Identifier: GPL-2.0-or-later
"""The generated captures: the generator makes the same octets, and they show what the manifest says."""
import pytest

from made_captures import digest, rows
from make_corpus import make

AGAIN = "cmake --build BUILD --target corpus writes captures/generated again"


@pytest.fixture(scope="module")
def kept(root):
    return root / "captures" / "generated"


@pytest.fixture(scope="module")
def made(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    make(build, folder)
    return folder


def test_manifest_is_right(kept, made):
    """It has the SHA-256 of each capture, so a capture that changed in any octet is found."""
    now = (made / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    then = (kept / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    changed = [line for line in now if line not in set(then)] + [line for line in then if line not in set(now)]
    assert not changed, AGAIN + "\n" + "\n".join(changed)
    assert now == then, AGAIN


def test_octets_are_the_same(kept):
    """Checks the captures that are kept in the tree. A release has the others, too."""
    sums = {row["file"]: row["sha256"] for row in rows() if row["kept"] != "large"}
    here = {str(path.relative_to(kept)) for path in kept.rglob("*.pcapng")}
    assert {row["file"] for row in rows() if row["kept"] == "yes"} <= here <= set(sums), AGAIN
    changed = sorted(file for file in here if digest(kept / file) != sums[file])
    assert not changed, f"{AGAIN}\n{len(changed)} differ: {', '.join(changed)}"


def test_others_are_made(all_captures):
    """The tests judge the same captures that the manifest lists."""
    sums = {row["file"]: row["sha256"] for row in rows() if row["kept"] != "large"}
    assert {str(path.relative_to(all_captures)) for path in all_captures.rglob("*.pcapng")} == set(sums)
    assert len(sums) > 1000
    changed = sorted(file for file in sums if digest(all_captures / file) != sums[file])
    assert not changed, f"{AGAIN}\n{len(changed)} differ: {', '.join(changed)}"


def test_small_enough_to_keep(kept):
    assert sum((kept / row["file"]).stat().st_size for row in rows() if row["kept"] == "yes") < 6_000_000
