# SPDX-License-Identifier: GPL-2.0-or-later
"""packaging/iwarp-kit.spec: its packages have all installed files of a build; the version is the project's."""
import os
import re
import shutil
import subprocess

import pytest


def test_version(root):
    project = re.search(r"project\(iwarp-kit VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    spec = (root / "packaging" / "iwarp-kit.spec").read_text(encoding="utf-8")
    assert re.search(r"^Version: +(\S+)$", spec, re.M)[1] == project and f" - {project}-1\n" in spec


@pytest.mark.skipif(not shutil.which("rpmspec"), reason="no rpmspec")
@pytest.mark.parametrize("version", ["", "4.4.7", "4.10.0"])
def test_wireshark(root, tmp_path, version):
    """The plugins' package requires the minor version of its build; the spec can also be read without Wireshark, as for a source package."""
    if version:
        (tmp_path / "wireshark.pc").write_text(f"Name: wireshark\nDescription: Wireshark\nVersion: {version}\n", encoding="utf-8")
    result = subprocess.run(["rpmspec", "-P", root / "packaging" / "iwarp-kit.spec"], env=os.environ | {"PKG_CONFIG_LIBDIR": str(tmp_path)},
                            capture_output=True, text=True, check=False)
    wanted = {"": [""], "4.4.7": [" >= 4.4", " < 4.5"], "4.10.0": [" >= 4.10", " < 4.11"]}[version]
    assert result.returncode == 0, result.stderr
    assert re.findall(r"^Requires: +wireshark-cli(.*)$", result.stdout, re.M) == wanted


@pytest.mark.all
@pytest.mark.skipif(not shutil.which("rpmbuild"), reason="no rpmbuild")
def test_packages(build, root, tmp_path):
    """From the tests' build: rpmbuild reports a file in no package, and a missing file."""
    plugin = next((build / "plugins" / "run").rglob("iwarp.so"), None)
    if not plugin or not (build / "docs" / "iwarp-check.1.gz").exists():
        pytest.skip("the plugins or the manuals are not built")
    # Fedora's directories differ from those of the building system.
    folder = subprocess.run(["cmake", "--install", build, "--prefix", "/usr", "--component", "plugins"], env={"DESTDIR": str(tmp_path / "try"),
                            "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True).stdout
    wireshark = re.search(r"Installing: \S*?(/usr/\S*/wireshark)/plugins/", folder)[1]
    zsh = "vendor-completions" if (tmp_path / "try").exists() and shutil.which("dpkg") else "site-functions"
    defines = {"_topdir": tmp_path / "rpm", "build_folder": build, "wireshark_libdir": wireshark, "zsh_folder": zsh, "_prefix": "/usr", "_bindir": "/usr/bin",
               "_includedir": "/usr/include", "_datadir": "/usr/share", "_mandir": "/usr/share/man", "_docdir": "/usr/share/doc",
               "__os_install_post": "%{nil}", "debug_package": "%{nil}"}
    command = ["rpmbuild", "--nodeps", "--build-in-place", "--short-circuit", *(word for key, value in defines.items() for word in ("--define", f"{key} {value}"))]
    for stage in ("-bi", "-bb"):
        result = subprocess.run([*command, stage, root / "packaging" / "iwarp-kit.spec"], cwd=root, capture_output=True, text=True, check=False, timeout=550)
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
        assert "unpackaged" not in result.stderr
    names = {path.name.rsplit("-", 2)[0] for path in (tmp_path / "rpm").rglob("*.rpm")}
    assert names == {"iwarp-kit", "wireshark-iwarp", "iwarp-kit-verbs", "iwarp-target", "iwarp-tap", "iwarp-wire-devel", "iwarp-kit-doc"}
