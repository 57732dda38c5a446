# SPDX-License-Identifier: GPL-2.0-or-later
"""A case that compares the device's memory runs alone, as others might write there."""
import subprocess

import devices
from test_pairs import serve

ALONE = ["MPA-5.2-01", "DDP-4.1-02", "DDP-4.1-02/end"]


def messages(capture):
    """Times of messages by each client's port, from either side."""
    fields = subprocess.run(["tshark", "-nr", capture, "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.time_epoch", "-e", "tcp.srcport",
                             "-e", "tcp.dstport"], capture_output=True, text=True, check=True).stdout
    times = {}
    for line in fields.splitlines():
        when, *ports = line.split()
        for port in map(int, ports):
            times.setdefault(port, []).append(float(when))
    return times


def test_no_other_case_beside_it():
    with serve(service="sink") as port:
        run = devices.run_test([f"127.0.0.1:{port}", "--suite=mpa,ddp", "--skip=MPA-7.1.1,MPA-7.1.2"], 16, True)
    said = messages(run.capture)
    del said[port]
    for name in ALONE:
        assert run.tests[name]["outcome"] == "passed", run.tell()
        own = run.tests[name]["ports"]
        span = [time for each in own for time in said[each]]
        others = {other for other, times in said.items() if other not in own and any(min(span) < when < max(span) for when in times)}
        assert not others, f"{name} on {own}: {others}"
