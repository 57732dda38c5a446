# SPDX-License-Identifier: GPL-2.0-or-later
"""cmake --install: the places of files, and a working installation."""
import os
import re
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def install(build, tmp_path_factory):
    if not (build / "docs" / "iwarp-check.1.gz").exists():
        pytest.skip("the manuals are not built")

    def run(*arguments):
        staged = tmp_path_factory.mktemp("staged")
        result = subprocess.run(["cmake", "--install", build, *arguments], env=os.environ | {"DESTDIR": str(staged)},
                                capture_output=True, text=True, check=True, timeout=120)
        files = {str(path.relative_to(staged)) for path in staged.rglob("*") if path.is_file()}
        return staged, files, [line for line in result.stdout.splitlines() if "To use the plugins" in line]
    return run


def where(files, name):
    return sorted(path.removesuffix(name) for path in files if path.endswith("/" + name))


def wireshark_is_built(build):
    return (build / "plugins" / "run").exists()


def test_the_system(install, build):
    """By default the programs are in /usr/local, and the plugins are where the system's Wireshark looks."""
    _, files, hint = install("--prefix", "/usr/local")
    assert where(files, "iwarp-check.fish") == ["etc/fish/completions/"]
    assert where(files, "_iwarp-check") == ["usr/local/share/zsh/site-functions/"] and not hint
    if wireshark_is_built(build):
        plugin, = where(files, "iwarp.so")
        extcap, = where(files, "iwarp-extcap")
        assert re.fullmatch(r"usr/lib.*/wireshark/plugins/\d+\.\d+/epan/", plugin)
        assert extcap == plugin[:plugin.index("plugins/")] + "extcap/"
        assert "usr/share/wireshark/profiles/iWARP/preferences" in files


def test_a_prefix_of_ones_own(install, build):
    _, files, hint = install("--prefix", "/opt/iwarp")
    assert files and all(path.startswith("opt/iwarp/") for path in files)
    if wireshark_is_built(build):
        plugin, = where(files, "iwarp.so")
        assert len(hint) == 1 and f"WIRESHARK_PLUGIN_DIR=/{plugin.split('/plugins/')[0]}/plugins " in hint[0]
        assert f"WIRESHARK_EXTCAP_DIR=/{where(files, 'iwarp-extcap')[0].rstrip('/')};" in hint[0]


def test_zsh_of_packages(install):
    _, files, _ = install("--prefix", "/usr")
    wanted = "vendor-completions" if os.path.exists("/etc/debian_version") else "site-functions"
    assert where(files, "_iwarp-check") == [f"usr/share/zsh/{wanted}/"]


def test_links_of_installed_pages(install):
    staged, _, _ = install("--prefix", "/usr")
    folder = staged / "usr" / "share" / "doc" / "iwarp-kit-doc"
    pages = list(folder.rglob("*.md"))
    assert len(pages) > 20
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert not target or (page.parent / target).exists(), (page, target)


def test_the_waivers_are_there_to_be_read(install, root):
    staged, _, _ = install("--prefix", "/usr")
    for path in (root / "waivers").glob("*.yaml"):
        assert (staged / "usr/share/iwarp-kit/waivers" / path.name).read_bytes() == path.read_bytes()


def test_packages_of_a_build(root):
    """A build does not install packages that only tests need."""
    lines = (root / "packages.txt").read_text(encoding="utf-8").splitlines()
    build = {line.split()[0] for line in lines if line and not line.startswith(("#", "test:", "all:"))}
    assert {"cmake", "gcc", "libpcap-dev", "wireshark-dev"} <= build
    assert not build & {"valgrind", "zsh", "fish", "tshark", "libcmocka-dev", "python3-pytest"}


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed, and alone knows where it looks")
def test_fish_reads_what_is_installed(install):
    """fish finds the completions even if XDG_DATA_DIRS is not set, as after a login by ssh."""
    environment = {key: value for key, value in os.environ.items() if key != "XDG_DATA_DIRS"}
    paths = subprocess.run(["fish", "-c", "string join \\n $fish_complete_path"], env=environment, capture_output=True, text=True, check=True).stdout.split()
    for prefix in ("/usr/local", "/usr"):
        _, files, _ = install("--prefix", prefix)
        assert "/" + where(files, "iwarp-check.fish")[0].rstrip("/") in paths


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is not installed, and reads the file")
@pytest.mark.parametrize("prefix", ["/usr", "/opt/iwarp"])
def test_the_wire_library_is_found_wherever_it_is(install, prefix):
    """The directory may have been moved, as by DESTDIR."""
    staged, files, _ = install("--prefix", prefix)
    folder, = where(files, "iwarp-wire.pc")
    environment = os.environ | {"PKG_CONFIG_PATH": str(staged / folder), "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1"}
    flags = subprocess.run(["pkg-config", "--cflags", "iwarp-wire"], env=environment, capture_output=True, text=True, check=True).stdout.split()
    include, = [flag[2:] for flag in flags if flag.endswith("/iwarp-kit")]
    assert include.startswith(str(staged)) and os.path.isdir(include) and any(path.endswith("/wire/xdr.h") for path in files)


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed, and reads MANPATH")
@pytest.mark.usefixtures("install")  # skips where the manuals are not built
def test_the_manuals_of_the_build(build):
    for page in ("iwarp-check", "iwarp-gen", "iwarp-waivers", "iwarp-scenario"):
        found = subprocess.run(["man", "-w", page], env=os.environ | {"MANPATH": str(build / "share" / "man")}, capture_output=True, text=True, check=False)
        assert found.returncode == 0 and found.stdout.startswith(str(build)), found.stderr
