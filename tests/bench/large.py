# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures too large for a disk: through a pipe, with as much memory and time an octet as a tenth of them."""
import os
import subprocess
import tempfile
import time

GB = 10 ** 9


def piped(build, scenario, size):
    """(peak memory in MiB, CPU seconds, seconds) of iwarp-check reading this many GB while iwarp-gen writes them."""
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as memory:
        begin = time.monotonic()
        with subprocess.Popen([build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--size={int(size * GB)}", "-o", "-"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as gen:
            check = subprocess.Popen(["time", "-q", "-f", "%M", "-o", memory.name, build / "conformance" / "iwarp-check", "--summary",
                                      "--no-progress", "-"], stdin=gen.stdout, stdout=subprocess.PIPE, text=True)
            gen.stdout.close()
            said = check.stdout.read()
            _, status, usage = os.wait4(check.pid, 0)
            check.returncode = os.waitstatus_to_exitcode(status)
        # One connection without a finding, not cut short.
        assert check.returncode == 0 and gen.returncode == 0 and said.split("\t")[1:3] == ["PASS", "1"], said
        return int(memory.read()) / 1024, usage.ru_utime + usage.ru_stime, time.monotonic() - begin


def large(build, size):
    """Limits for a pipe of this many GB, and of a tenth."""
    limits = []
    for scenario, what in (("bulk", "RDMA Writes"), ("nfs-bulk", "NFS")):
        peaks, cpu = [], []
        for part in (size / 10, size):
            peak, seconds, elapsed = piped(build, scenario, part)
            peaks.append(peak)
            cpu.append(seconds)
            print(f"iwarp-check, {what}, {part:g} GB through a pipe: {peak:.1f} MiB peak, {seconds:.1f} s CPU, {elapsed:.1f} s "
                  f"({1000 * part / elapsed:.0f} MB/s with the generator beside it)", flush=True)
        limits += [(f"iwarp-check, {what} through a pipe: peak memory of {size} GB against a tenth", peaks[1] / peaks[0], 1.1, "x"),
                   (f"iwarp-check, {what} through a pipe: CPU time of {size} GB against a tenth", cpu[1] / cpu[0], 12, "x")]
    return limits
