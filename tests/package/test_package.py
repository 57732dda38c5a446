# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages: no errors by lintian; in a fresh Debian 12 they install, work and go without a trace."""
import os
import shutil
import subprocess

import pytest

pytestmark = [pytest.mark.all,
              pytest.mark.skipif(os.geteuid() != 0, reason="a fresh root can be made by root only")]
NAMES = ["iwarp-kit", "wireshark-iwarp", "iwarp-kit-doc", "libiwarp-wire-dev", "iwarp-target"]


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=1200,
                            **options)
    assert result.returncode == 0, (command, result.stdout[-2000:], result.stderr[-2000:])
    return result.stdout


@pytest.fixture(scope="module")
def packages(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    run(root / "scripts" / "package", folder)
    return {name: next(folder.glob(f"{name}_*.deb")) for name in NAMES}


@pytest.fixture(scope="module")
def fresh(packages, tmp_path_factory):
    """A minimal Debian 12 with the packages in /tmp; run(...) does something in it as `nobody` or root."""
    top = tmp_path_factory.mktemp("debian") / "root"
    run("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--include=tshark,gcc,libc6-dev,pkg-config", "bookworm",
        top)
    # The way to the registry is this machine's.
    shutil.copytree("/etc/apt", top / "etc" / "apt", dirs_exist_ok=True)
    shutil.copy("/etc/resolv.conf", top / "etc" / "resolv.conf")
    inside(top, "apt-get -qq -o APT::Sandbox::User=root update")
    for path in packages.values():
        shutil.copy(path, top / "tmp")
    yield top
    shutil.rmtree(top, ignore_errors=True)


def inside(top, script, user=None):
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/tmp"] if user else []
    return run("chroot", top, *as_user, "sh", "-ec", script)


def files(top):
    return set(inside(top, "find / -xdev -path /proc -prune -o -path /sys -prune -o -path /tmp -prune -o -print")
               .splitlines())


def test_lintian(packages):
    for path in packages.values():
        said = subprocess.run(["lintian", "--allow-root", path], capture_output=True, text=True, check=False).stdout
        assert not [line for line in said.splitlines() if line.startswith("E:")], said


def test_install_use_remove(fresh):
    apt = "DEBIAN_FRONTEND=noninteractive apt-get -qq -o APT::Sandbox::User=root"
    before = files(fresh)
    inside(fresh, f"{apt} install -y --no-install-recommends /tmp/*.deb >/dev/null 2>&1")

    inside(fresh, "iwarp-gen play nfs3 -o /tmp/good.pcapng; iwarp-check /tmp/good.pcapng", user="nobody")
    inside(fresh, "iwarp-gen play rev1 --inject=MPA-4.1-05 -o /tmp/bad.pcapng", user="nobody")
    report = inside(fresh, "iwarp-check /tmp/bad.pcapng || test $? = 1", user="nobody")
    assert "MPA-4.1-05" in report
    assert "READ" in inside(fresh, "tshark -r /tmp/good.pcapng -Y rpcrdma.xid 2>/dev/null", user="nobody")
    shown = inside(fresh, "tshark -r /tmp/bad.pcapng -Y '_ws.expert.message contains \"MPA-4.1-05\"' 2>/dev/null",
                   user="nobody")
    assert len(shown.splitlines()) == 1
    said = inside(fresh, "iwarp-target 2>&1 || test $? = 2", user="nobody")
    assert "no RDMA device" in said or "/dev/infiniband/rdma_cm" in said
    program = ('#include "wire/crc32c.h"\n#include <stdio.h>\n'
               'int main(void) { printf("%08x\\n", crc32c("123456789", 9)); return 0; }')
    (fresh / "tmp" / "crc.c").write_text(program, encoding="utf-8")
    said = inside(fresh, "cd /tmp; gcc crc.c $(pkg-config --static --cflags --libs iwarp-wire) -o crc; ./crc").strip()
    assert said == "e3069283"  # the check value of CRC32c

    inside(fresh, f"{apt} purge -y {' '.join(NAMES)} >/dev/null 2>&1")
    left = {path for path in files(fresh) - before if "iwarp" in path}
    assert not left
