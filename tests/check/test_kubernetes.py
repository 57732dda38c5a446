# SPDX-License-Identifier: GPL-2.0-or-later
"""The Jobs of docs/howto/many-captures.md: valid by the API's description, as in Debian's python3-kubernetes, and their
commands run as in each pod."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from reports import read_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "many-captures.md"
SIMPLE = {"str": str, "int": int, "bool": bool, "object": object}


def jobs():
    """{name: manifest}"""
    section = PAGE.read_text(encoding="utf-8").split("\n## Kubernetes", 1)[1]
    found = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", section, re.M | re.S)]
    return {job["metadata"]["name"]: job for job in found}


def validate(models, value, kind, where):
    """Types, and no unknown fields; the models' constructors check required fields."""
    if kind.startswith("list["):
        assert isinstance(value, list), where
        for i, item in enumerate(value):
            validate(models, item, kind[5:-1], f"{where}[{i}]")
    elif kind.startswith("dict("):
        assert isinstance(value, dict), where
        for key, item in value.items():
            assert isinstance(key, str), where
            validate(models, item, kind[5:-1].split(", ", 1)[1], f"{where}.{key}")
    elif kind in SIMPLE:
        assert isinstance(value, SIMPLE[kind]) and (kind != "int" or not isinstance(value, bool)), where
    else:
        model = getattr(models, kind)
        names = {theirs: ours for ours, theirs in model.attribute_map.items()}
        assert isinstance(value, dict) and set(value) <= set(names), (where, set(value) - set(names))
        for key, item in value.items():
            validate(models, item, model.openapi_types[names[key]], f"{where}.{key}")
        model(**{names[key]: item for key, item in value.items()})


@pytest.fixture(scope="module")
def models():
    try:
        from kubernetes.client import models as found  # pylint: disable=import-outside-toplevel
    except ImportError:
        pytest.skip(f"{sys.executable} has no module kubernetes (Debian: python3-kubernetes)")
    return found


@pytest.mark.all
@pytest.mark.parametrize("name", ["iwarp-check", "iwarp-merge"])
def test_valid(models, name):
    job = jobs()[name]
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    validate(models, job, "V1Job", name)


@pytest.mark.all
@pytest.mark.parametrize("wrong", [{"completions": "7"}, {"completionmode": "Indexed"}, {"template": {}}])
def test_the_validation_can_fail(models, wrong):
    job = jobs()["iwarp-check"]
    job["spec"] |= wrong
    if wrong == {"template": {}}:
        job["spec"]["template"] = {"spec": {"restartPolicy": "Never"}}
    with pytest.raises((AssertionError, ValueError)):
        validate(models, job, "V1Job", "wrong")


def test_mounts_have_volumes():
    for job in jobs().values():
        pod = job["spec"]["template"]["spec"]
        container, = pod["containers"]
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        assert any(mount["mountPath"] == container["workingDir"] for mount in container["volumeMounts"])


def test_pods(build, check, good, bad, no_mpa, tmp_path):
    """One pod for each capture, then the merging pod, whose status is the verdict."""
    both = jobs()
    environment = os.environ | {"PATH": f"{build}/conformance:{os.environ['PATH']}"}
    files = ["traces/bad.pcapng", "traces/empty.pcapng", "traces/with blanks.pcapng"]
    (tmp_path / "traces").mkdir()
    (tmp_path / "reports").mkdir()
    for name, source in zip(files, (bad, no_mpa, good)):
        shutil.copy(source, tmp_path / name)
    (tmp_path / "traces.list").write_text("\n".join(files) + "\n")

    def pod(job, **more):
        container, = both[job]["spec"]["template"]["spec"]["containers"]
        return subprocess.run(container["command"], cwd=tmp_path, env=environment | more, check=False, timeout=60).returncode
    for index in range(len(files)):
        assert pod("iwarp-check", JOB_COMPLETION_INDEX=str(index)) == 0
    assert pod("iwarp-merge") == 1
    expected = check("--format=ndjson", *files, cwd=tmp_path)
    assert read_report((tmp_path / "all.ndjson").read_text()) == read_report(expected.stdout)
