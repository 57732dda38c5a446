# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian source package: it builds, lintian has no complaints, and its autopkgtest passes on the installed packages."""
import os
import shutil
import subprocess

import pytest

pytestmark = [pytest.mark.all, pytest.mark.skipif(not shutil.which("dh") or not shutil.which("lintian"), reason="needs debhelper and lintian")]

# Runs as if the packages were installed: in a namespace with a layer over the machine's /usr.
INSTALLED = """
set -e
mount -t tmpfs none {work}
mkdir {work}/upper {work}/work
mount -t overlay overlay -o lowerdir=/usr,upperdir={work}/upper,workdir={work}/work /usr
for package in {packages}; do dpkg -x $package /; done
sh {test}
"""


# Packages must not depend on these: one is built by a careful user, the other far away.
SURROUNDINGS = [(0o077, f"parallel={os.cpu_count()}", {"TZ": "UTC", "LC_ALL": "C"}),
                (0o022, "parallel=3", {"TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "USER": "somebody",
                                       "CCACHE_DISABLE": "1"})]


def build_packages(root, folder, tree, surroundings, options=""):
    umask, parallel, variables = surroundings
    tree.mkdir()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout
    subprocess.run(["cpio", "-0pdm", "--quiet", tree], input=files, cwd=root, check=True)
    environment = os.environ | variables | {"DEB_BUILD_OPTIONS": f"nocheck {parallel} {options}"}
    old = os.umask(umask)
    try:
        result = subprocess.run(["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=tree, env=environment, capture_output=True, text=True, check=False)
    finally:
        os.umask(old)
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr[-5000:]
    return folder


@pytest.fixture(scope="module")
def built(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("debian")
    return build_packages(root, folder, folder / "iwarp-kit", SURROUNDINGS[0])


def different(one, other):
    """Names of the packages that differ, and of those in one directory only."""
    names = [{path.name for path in folder.glob("*.deb")} for folder in (one, other)]
    assert names[0]
    return [name for name in sorted(names[0] | names[1])
            if name not in names[0] & names[1] or (one / name).read_bytes() != (other / name).read_bytes()]


def test_the_same_again(built, root, tmp_path):
    """Built and trained later, in another directory and by another user: the same octets."""
    assert different(built, build_packages(root, tmp_path, tmp_path / "another-folder", SURROUNDINGS[1])) == []


def test_the_same_without_training(root, tmp_path):
    folders = [tmp_path / "one", tmp_path / "another"]
    for folder, surroundings in zip(folders, SURROUNDINGS):
        folder.mkdir()
        build_packages(root, folder, folder / folder.name, surroundings, "nopgo")
    assert different(*folders) == []


def test_lintian(built):
    changes, = built.glob("*.changes")
    result = subprocess.run(["lintian", "--pedantic", "--allow-root", changes], capture_output=True, text=True, check=False)
    # Only Debian 12's lintian requires a field that testing's rejects.
    said = [line for line in result.stdout.splitlines() if "silent-on-rules-requiring-root" not in line]
    assert result.returncode == 0 and not said


def test_permissions(built):
    for package in built.glob("*.deb"):
        listing = subprocess.run(["dpkg", "-c", package], capture_output=True, text=True, check=True).stdout.splitlines()
        modes = {line.split()[0] for line in listing if line[0] != "l"}
        assert modes <= {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"}, package


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a namespace of its own")
def test_autopkgtest(built, root, tmp_path):
    packages = " ".join(str(next(built.glob(name + "_*.deb"))) for name in ("iwarp-kit", "iwarp-kit-doc", "wireshark-iwarp"))
    built.chmod(0o755)
    script = INSTALLED.format(work=tmp_path, packages=packages, test=root / "debian" / "tests" / "check-and-dissect")
    result = subprocess.run(["unshare", "-m", "bash", "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
