# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages: no errors from lintian, hardened, reproducible; in a fresh root of this release they install, work and
are removed without a trace. The tarball builds; the RPMs are inspected, not installed."""
import hashlib
import os
import platform
import re
import shutil
import subprocess

import pytest

pytestmark = [pytest.mark.all,
              pytest.mark.skipif(os.geteuid() != 0, reason="a fresh root can be made by root only")]
RELEASE = platform.freedesktop_os_release()["VERSION_CODENAME"]
NAMES = ["iwarp-kit", "wireshark-iwarp", "iwarp-kit-doc", "libiwarp-wire-dev", "iwarp-target", "iwarp-kit-verbs", "iwarp-tap"]


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=3600,
                            **options)
    assert result.returncode == 0, (command, result.stdout[-2000:], result.stderr[-2000:])
    return result.stdout


@pytest.fixture(scope="module")
def packages(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    run(root / "scripts" / "package", folder)
    return {name: next(folder.glob(f"{name}_*.deb")) for name in NAMES}


@pytest.fixture(scope="module")
def unpacked(packages, tmp_path_factory):
    top = tmp_path_factory.mktemp("unpacked")
    for path in packages.values():
        run("dpkg-deb", "-x", path, top)
    return top


@pytest.fixture(scope="module")
def tarball(root, packages, tmp_path_factory):
    """The source tarball, made from the packages' build directory."""
    folder = tmp_path_factory.mktemp("source")
    run("cpack", "--config", root / "build" / "package" / "CPackSourceConfig.cmake", "-B", folder)
    return next(folder.glob("*.tar.xz"))


@pytest.fixture(scope="module")
def fresh(packages, tmp_path_factory):
    """A minimal Debian with the packages in /tmp; inside(...) runs a command in it as `nobody` or root."""
    top = tmp_path_factory.mktemp("debian") / "root"
    run("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--include=tshark,gcc,libc6-dev,pkg-config",
        "--aptopt=Acquire::Check-Valid-Until \"false\"", RELEASE, top)
    # This machine's access to the registry.
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


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


def test_they_say_what_they_depend_on(packages):
    for name in ("iwarp-kit", "wireshark-iwarp", "iwarp-target"):
        assert "libc6" in field(packages[name], "Depends"), name
        assert field(packages[name], "Homepage")
    assert "libglib2.0" in field(packages["iwarp-kit"], "Depends")
    # A separate package has the libraries for RDMA devices.
    assert not re.search("librdmacm|libibverbs", field(packages["iwarp-kit"], "Depends"))
    for other in ("librdmacm1", "libibverbs1", "ibverbs-providers", "iwarp-kit (= "):
        assert other in field(packages["iwarp-kit-verbs"], "Depends")
    shown = run("pkg-config", "--modversion", "wireshark").strip()
    series = tuple(map(int, shown.split(".")[:2]))
    depends = field(packages["wireshark-iwarp"], "Depends")
    assert f"wireshark-common (>= {series[0]}.{series[1]})" in depends
    assert f"wireshark-common (<< {series[0]}.{series[1] + 1})" in depends
    for other in ("tshark", "wireshark"):
        assert other in field(packages["wireshark-iwarp"], "Enhances")


def test_documentation_has_what_its_pages_use(unpacked):
    papers = unpacked / "usr" / "share" / "doc" / "iwarp-kit-doc"
    assert (papers / "README.md").exists() and (papers / "captures" / "real" / "basic").is_dir()
    assert (unpacked / "usr" / "share" / "iwarp-kit" / "iwarp-check.schema.json").exists()


def test_hardened(unpacked):
    """Position-independent, relocations read-only before main(), stack protector, checked functions of libc."""
    def elf(*arguments):
        return run("readelf", "-W", *arguments)
    programs = [unpacked / "usr" / "bin" / name for name in ("iwarp-check", "iwarp-gen", "iwarp-target")]
    plugins = list(unpacked.glob("usr/lib/**/wireshark/**/*.so"))
    assert {path.stem for path in plugins} == {"iwarp"}
    for path in programs + plugins:
        assert re.search(r"Type:\s+DYN", elf("-h", path)), path
        dynamic = elf("-d", path)
        assert "BIND_NOW" in dynamic and "GNU_RELRO" in elf("-l", path), path
        assert path in plugins or "PIE" in dynamic, path
        assert "__stack_chk_fail" in elf("--dyn-syms", path), path
    for path in programs:
        assert re.search(r"__\w+_chk@", elf("--dyn-syms", path)), path


def test_reproducible(tarball, packages, tmp_path):
    """Built again from the tarball, in another directory: the same octets."""
    run("tar", "-C", tmp_path, "-xf", tarball)
    top = next(tmp_path.iterdir())
    run(top / "scripts" / "package", tmp_path / "again")
    for name, path in packages.items():
        again = next((tmp_path / "again").glob(f"{name}_*.deb"))
        assert hashlib.sha256(path.read_bytes()).hexdigest() == hashlib.sha256(again.read_bytes()).hexdigest(), name


def test_no_package_without_known_dependencies(root, packages, tmp_path):
    """Without dpkg-shlibdeps there is a message, and no package."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("cmake", "cpack", "sh", "ninja"):
        (tools / name).symlink_to(shutil.which(name))
    result = subprocess.run([shutil.which("cpack"), "-G", "DEB", "-B", tmp_path / "out"], cwd=root / "build" / "package",
                            env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and "install dpkg-dev and file" in result.stderr, result.stderr
    assert not list(tmp_path.rglob("*.deb"))


def test_rpm(root, packages, tmp_path):
    """Made and inspected; nothing here can install them."""
    run("cpack", "-G", "RPM", "-B", tmp_path, cwd=root / "build" / "package")
    found = {run("rpm", "-qp", "--qf", "%{NAME}", path): path for path in tmp_path.glob("*.rpm")}
    assert {"iwarp-kit-tools", "iwarp-kit-plugins", "iwarp-kit-doc"} <= set(found), found
    assert "/usr/bin/iwarp-check" in run("rpm", "-qlp", found["iwarp-kit-tools"]).splitlines()
    assert "libglib-2.0.so.0" in run("rpm", "-qp", "--requires", found["iwarp-kit-tools"])


def test_another_wireshark_refuses_the_plugins(fresh, packages):
    """If Wireshark is of the next series, apt names the dependency and installs nothing."""
    major, minor = re.search(r"wireshark-common \(<< (\d+)\.(\d+)\)", field(packages["wireshark-iwarp"], "Depends")).groups()
    control = fresh / "tmp" / "next" / "tree" / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    control.write_text(f"Package: wireshark-common\nVersion: {major}.{minor}.0-1\nArchitecture: all\n"
                       "Maintainer: nobody <nobody@example.org>\nDescription: the next series\n", encoding="utf-8")
    inside(fresh, "dpkg-deb -b /tmp/next/tree /tmp/next/wireshark-common.deb")
    said = inside(fresh, "apt-get -s -o APT::Sandbox::User=root install --no-install-recommends /tmp/wireshark-iwarp_*.deb "
                  "/tmp/next/wireshark-common.deb 2>&1 || test $? = 100")
    assert f"wireshark-iwarp : Depends: wireshark-common (< {major}.{minor})" in said, said


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
    said = inside(fresh, "iwarp-gen connect rdma:192.0.2.1:20049 mount-nfs41 2>&1 || test $? = 2", user="nobody")
    assert "no RDMA device" in said
    program = ('#include "wire/crc32c.h"\n#include <stdio.h>\n'
               'int main(void) { printf("%08x\\n", crc32c("123456789", 9)); return 0; }')
    (fresh / "tmp" / "crc.c").write_text(program, encoding="utf-8")
    said = inside(fresh, "cd /tmp; gcc crc.c $(pkg-config --static --cflags --libs iwarp-wire) -o crc; ./crc").strip()
    assert said == "e3069283"  # the check value of CRC32c

    inside(fresh, f"{apt} purge -y {' '.join(NAMES)} >/dev/null 2>&1")
    left = {path for path in files(fresh) - before if "iwarp" in path}
    assert not left
