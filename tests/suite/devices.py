# SPDX-License-Identifier: GPL-2.0-or-later
"""The devices that the suites are tested on, and runs of iwarp-gen test against them."""
import atexit
import json
import os
import pathlib
import subprocess
import shutil
import tempfile

BUILD = pathlib.Path(os.environ.get("IWARP_BUILD", "build/debug")).resolve()
GEN = BUILD / "traffic-gen/iwarp-gen"
CHECK = BUILD / "conformance/iwarp-check"
SAMPLE_DEVICE = BUILD / "tests/suite/sample-device"
TIMES = ["--timeout=0.4", "--start-timeout=1.2", "--idle-timeout=1.2", "--accept-timeout=5", "--confirm=1"]
DEADLINE = 600  # seconds: a process that has not ended by then hangs, however busy the machine is


class Run:
    held_up = False  # whether any run since the test began was: conftest.py

    def __init__(self, status, report, errors, capture):
        self.status, self.report, self.errors, self.capture = status, report, errors, capture
        self.tests = {test["id"]: test for test in report["tests"]} if report else {}
        if any("this machine held the tester up" in test["actual"] for test in self.tests.values()):
            Run.held_up = True

    def outcome(self, which):
        return sorted(name for name, test in self.tests.items() if test["outcome"] == which)

    def shown_to_fail(self):
        """The failed cases, and those whose failure does not count because this machine was busy."""
        busy = {name for name, test in self.tests.items() if test["actual"].endswith("the case itself: failed")}
        return busy | set(self.outcome("failed"))

    def tell(self):
        return "\n".join(f"{test['outcome']:15} {name}: {test['actual']}" for name, test in self.tests.items())


def work_folder():
    """Removed at exit: recordings are read until then."""
    folder = tempfile.mkdtemp(prefix="iwarp-suite-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run_responder(device_args, test_args=(), jobs=8, record=False):
    """iwarp-gen test against our Responder; device_args: a mutant's id, options of the device."""
    device = subprocess.Popen([SAMPLE_DEVICE, "responder", "127.0.0.1", "0", *device_args], stdout=subprocess.PIPE, text=True)
    try:
        port = device.stdout.readline().strip()
        assert port, f"the device did not start: {device_args}"
        return run_test([f"127.0.0.1:{port}", *test_args], jobs, record)
    finally:
        device.kill()
        device.wait()


def run_initiator(device_args, test_args=(), jobs=4, record=False):
    """The same with an Initiator, which connects repeatedly."""
    folder = work_folder()
    output, capture = f"{folder}/report.json", f"{folder}/all.pcapng"
    command = [GEN, "test", "--listen", "127.0.0.1:0", "--format=json", f"--output={output}", f"--jobs={jobs}", *TIMES, *test_args]
    if record:
        command += ["-w", capture]
    return listen(command, lambda port: [SAMPLE_DEVICE, "initiator", "127.0.0.1", port, *device_args], output,
                  capture if record else None)


def listen(command, device_of, output, capture=None, timeout=DEADLINE, **how):
    """Runs iwarp-gen test --listen, and the command device_of(port) for the device."""
    test = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=how.get("env"))
    line = test.stderr.readline()
    device = None
    try:
        if "listening on port" in line:
            device = subprocess.Popen(device_of(line.split()[-1]), **how)
        _, errors = test.communicate(timeout=timeout)
    finally:
        test.kill()
        if device:
            device.kill()
            device.wait()
    return finish(test.returncode, output, line + errors, capture)


def run_test(args, jobs, record):
    folder = work_folder()
    output, capture = f"{folder}/report.json", f"{folder}/all.pcapng"
    command = [GEN, "test", "--format=json", f"--output={output}", f"--jobs={jobs}", *TIMES, *args]
    if record:
        command += ["-w", capture]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    return finish(done.returncode, output, done.stderr, capture if record else None)


def finish(status, output, errors, capture):
    report = json.loads(pathlib.Path(output).read_text()) if os.path.exists(output) else None
    if not capture:
        shutil.rmtree(os.path.dirname(output))
    return Run(status, report, errors, capture)


def listed(what):
    lines = subprocess.run([GEN, "list", what], capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in lines.splitlines()]
