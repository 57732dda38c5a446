# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts in TCP headers that the TCP dissector does not pass on: SYN options, FIN, RST, acknowledgments, time."""
import re

import pytest

import cases
from reports import read_report

ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
BY_PAYLOAD = ["-d", "ip.proto==6,tcp"]  # the user's choice: headers are not read then
SHOWN = ["iwarp.finding", "_ws.expert.message", "tcp.len", "frame.protocols"]
# The finding is at a frame without payload; for each layer.
BARE = ["MPA-7.2-03", "MPA-A.3-04", "RDMAP-6.2.1-01", "RPC-3-01"]
# At a frame with payload: a missing message although there is time, or octets acknowledged by segments without payload.
LATER = ["DDP-6.2.1-02", "MPA-1.2-04", "MPA-4.2-04", "MPA-4.5-05", "MPA-7.1.1-25", "MPA-7.1.1-28/short", "MPA-8-14", "MPA-A.1-05",
         "MPA2-9.1-16", "RDMAP-5.2.1-14", "RPCR-4.5.4-03/idle", "RPCR-4.5-01/reset"]


@pytest.fixture(scope="module")
def faulty(generated):
    """The capture of a fault: its scenario from the program's own list."""
    scenarios = {row[0]: row[1] for row in cases.listed("faults")}
    return lambda fault: generated(scenarios[fault], f"--inject={fault}")


def said(check, path):
    report = read_report(check("--format=ndjson", path).stdout)["captures"][0]
    return {(finding["frame"], finding["rule"]) for one in report["connections"] for finding in one["findings"]}


def shown(wireshark, path, *options):
    frames = wireshark.fields(path, SHOWN, *ORDER, *options, "-Y", "iwarp.finding")
    return frames, {(frame["frame"], rule) for frame in frames for rule in frame["iwarp.finding"]}


@pytest.mark.parametrize("fault", BARE)
def test_at_a_frame_without_payload(wireshark, check, faulty, fault):
    path, rule = faulty(fault), fault
    frames, found = shown(wireshark, path)
    assert found == said(check, path)
    here, = (frame for frame in frames if rule in frame["iwarp.finding"])
    assert here["tcp.len"] == ["0"]
    assert any(re.match(re.escape(rule) + ": ", text) for text in here["_ws.expert.message"])
    assert here["frame.protocols"] == ["eth:ethertype:ip:tcp"]  # nothing in between


@pytest.mark.parametrize("fault", LATER)
def test_what_segments_without_payload_show(wireshark, check, faulty, fault):
    path = faulty(fault)
    assert shown(wireshark, path)[1] == said(check, path) != set()


@pytest.mark.parametrize("fault", [*BARE, "RPCR-4.5.4-03/idle", "MPA-7.1.1-25"])
def test_without_headers_nothing_is_guessed(wireshark, faulty, fault):
    """If another dissector handles TCP, silence and missing options mean nothing."""
    assert fault.split("/")[0] not in {rule for _, rule in shown(wireshark, faulty(fault), *BY_PAYLOAD)[1]}


def test_without_headers_payload_is_judged(wireshark, check, faulty):
    path = faulty("MPA-4.1-05")
    assert shown(wireshark, path, *BY_PAYLOAD)[1] == said(check, path) != set()
