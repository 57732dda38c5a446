# SPDX-License-Identifier: GPL-2.0-or-later
"""The checker as WebAssembly (CMake preset web), run by Node with the surroundings that the page gives it. IWARP_WEB names its build folder."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORMATS = {"text": "txt", "html": "html", "ndjson": "ndjson", "junit": "xml", "sarif": "sarif", "markdown": "md", "tap": "tap", "github": "github"}
# The date of an HTML report, and the host of a JUnit report.
ENVIRONMENT = {"SOURCE_DATE_EPOCH": "1700000000", "HOSTNAME": os.uname().nodename}


class Web:
    """Runs of the checker, one after the other, in one Node."""
    def __init__(self, program):
        self.memory = 0  # octets, after the last run
        self.node = subprocess.Popen(["node", ROOT / "tests/web/run.mjs", ROOT / "web/page/wasi.js", program],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *arguments, files=(), outputs=()):
        """files, outputs: paths by the names that the program has for them. Returns the exit status, or the text of a trap."""
        job = {"arguments": [str(argument) for argument in arguments], "environment": ENVIRONMENT,
               "files": {name: str(path) for name, path in dict(files).items()},
               "outputs": {name: str(path) for name, path in dict(outputs).items()}}
        self.node.stdin.write(json.dumps(job) + "\n")
        self.node.stdin.flush()
        status, self.memory = json.loads(self.node.stdout.readline())
        return status

    def close(self):
        self.node.stdin.close()
        self.node.wait(60)


@pytest.fixture(scope="session")
def web_build():
    build = pathlib.Path(os.environ.get("IWARP_WEB", ROOT / "build" / "web"))
    if not (build / "web" / "iwarp-check.wasm").exists():
        pytest.skip("the checker is not built for browsers: cmake --preset web && cmake --build build/web")
    return build


@pytest.fixture(scope="session")
def web(web_build):
    if not shutil.which("node"):
        pytest.skip("Node is missing")
    runs = Web(web_build / "web" / "iwarp-check.wasm")
    yield runs
    runs.close()


@pytest.fixture
def both(build, web, tmp_path):
    """Judges captures with both programs: {name: (installed, web)}; names are those of the formats, "stdout", "stderr" and "status"."""
    def run(captures, *options, formats=FORMATS, more=()):
        names = {path.name: path for path in captures}
        given = {**names, **dict(more)}
        words = [word for form in formats for word in (f"--format={form}", f"--output=report.{FORMATS[form]}")]
        arguments = [*options, *words, *names]
        folders = [tmp_path / "installed", tmp_path / "web"]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name, path in given.items():
            (folders[0] / name).symlink_to(pathlib.Path(path).resolve())
        native = subprocess.run([build / "conformance/iwarp-check", *arguments], cwd=folders[0], env={**os.environ, **ENVIRONMENT, "TZ": "UTC"},
                                capture_output=True, stdin=subprocess.DEVNULL, check=False)
        outputs = {f"report.{FORMATS[form]}": folders[1] / f"report.{FORMATS[form]}" for form in formats}
        status = web(*arguments, files=given, outputs={"1": folders[1] / "out", "2": folders[1] / "err", **outputs})

        def report(folder, form):
            path = folder / f"report.{FORMATS[form]}"
            return path.read_bytes() if path.exists() else b""
        return {"status": (native.returncode, status), "stdout": (native.stdout, (folders[1] / "out").read_bytes()),
                "stderr": (native.stderr, (folders[1] / "err").read_bytes()),
                **{form: tuple(report(folder, form) for folder in folders) for form in formats}}
    return run
