# SPDX-License-Identifier: GPL-2.0-or-later
"""The kept captures: the generator makes the same octets, and they show what the manifest says."""
import pytest

from make_corpus import make

AGAIN = "cmake --build BUILD --target corpus writes captures/generated again"


@pytest.fixture(scope="module")
def kept(root):
    return root / "captures" / "generated"


@pytest.fixture(scope="module")
def made(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    return folder, make(build, folder)


def test_manifest_is_right(kept, made):
    now = (made[0] / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    then = (kept / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    changed = [line for line in now if line not in set(then)] + [line for line in then if line not in set(now)]
    assert not changed, AGAIN + "\n" + "\n".join(changed)
    assert now == then, AGAIN


def test_octets_are_the_same(kept, made):
    folder, rows = made
    files = {file for file, is_kept, *_ in rows if is_kept == "yes"}
    assert files == {str(path.relative_to(kept)) for path in kept.rglob("*.pcapng")}, AGAIN
    changed = sorted(f for f in files if (folder / f).read_bytes() != (kept / f).read_bytes())
    assert not changed, f"{AGAIN}\n{len(changed)} differ: {', '.join(changed)}"


def test_small_enough_to_keep(kept):
    assert sum(path.stat().st_size for path in kept.rglob("*")) < 12_000_000
