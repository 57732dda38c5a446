# SPDX-License-Identifier: GPL-2.0-or-later
"""The build's list of dependencies: it is CycloneDX, and names everything that the programs and plugins are linked with."""
import json
import re
import subprocess

import pytest

# Libraries of the C library, the compiler and Wireshark; else the pkg-config name for the library's name.
SYSTEM = re.compile(r"lib(c|m|gcc_s|pthread|dl)\.so|ld-linux|linux-vdso|libw(ireshark|iretap|sutil)\.so")
LIBRARIES = {"libglib-2.0": "glib-2.0", "libgobject-2.0": "glib-2.0", "libgio-2.0": "glib-2.0", "libgmodule-2.0": "glib-2.0", "libjson-glib-1.0": "json-glib-1.0",
             "libyaml-0": "yaml-0.1", "libxml2": "libxml-2.0", "libz": "zlib"}


@pytest.fixture(scope="module")
def bom(build):
    path = build / "packaging" / "iwarp-kit.cdx.json"
    if not path.exists():
        pytest.skip("the list was not made: its target, sbom, is not among those built")
    return json.loads(path.read_text(encoding="utf-8"))


def test_required_keys(bom, root):
    """Section by section of the CycloneDX 1.5 reference."""
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.5") and bom["version"] >= 1
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bom["serialNumber"])
    this = bom["metadata"]["component"]
    components = [this, *bom["components"]]
    for component in components:
        assert component["type"] in ("application", "library") and component["name"]
        assert re.match(r"\d", component["version"]) and component["purl"] == f"pkg:generic/{component['name']}@{component['version']}"
        assert [set(choice) for choice in component["licenses"]] == [{"expression"}]
    refs = [component["bom-ref"] for component in components]
    assert len(set(refs)) == len(refs) == len(bom["dependencies"])
    assert {depends["ref"] for depends in bom["dependencies"]} == set(refs)
    assert bom["dependencies"][0] == {"ref": this["bom-ref"], "dependsOn": refs[1:]}
    project = re.search(r"project\(iwarp-kit VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    assert (this["name"], this["version"]) == ("iwarp-kit", project)


def test_all_that_is_linked(bom, build):
    named = {component["name"]: component["version"] for component in bom["components"]}
    files = [build / "conformance" / "iwarp-check", build / "traffic-gen" / "iwarp-gen", *build.glob("lab/target/iwarp-target"), *build.glob("tap/iwarp-tap"),
             *build.glob("traffic-gen/*.so"), *build.glob("plugins/run/**/*.so")]
    linked = set()
    for path in files:
        said = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True).stdout
        linked |= {name for name in re.findall(r"NEEDED.*\[(.*)\]", said) if not SYSTEM.match(name)}
    assert linked
    for name in linked:
        stem = name.partition(".so")[0]
        assert LIBRARIES.get(stem, stem) in named, name


def test_versions_are_those_of_pkg_config(bom):
    for component in bom["components"]:
        if component["name"] != "wireshark":
            said = subprocess.run(["pkg-config", "--modversion", component["name"]], capture_output=True, text=True, check=True).stdout.strip()
            assert component["version"] == said


def test_the_same_again(bom, build, root):
    words = [f"{component['name']}={component['version']}" for component in reversed(bom["components"])]
    this = bom["metadata"]["component"]
    again = subprocess.run([root / "scripts" / "sbom", this["version"], this["externalReferences"][0]["url"], *words], check=True, capture_output=True).stdout
    assert again == (build / "packaging" / "iwarp-kit.cdx.json").read_bytes()
    missing = subprocess.run([root / "scripts" / "sbom", "1", "https://x.test", "zlib="], check=False, capture_output=True, text=True)
    assert missing.returncode == 1 and "no version of zlib" in missing.stderr
