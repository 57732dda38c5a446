# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that no receiver accepts change no finding and no verdict (docs/threat-model.md, "Which packets count")."""
import random
import subprocess

import pytest

import forge
import roce_copies
import tunnels
from reports import read_report

ABOUT_IT = "MPA-1.2-04"  # a warning: an acknowledgment of octets that were never sent is what was put in
SCENARIOS = {  # a conforming conversation, and one with a violation in its second half
    "iwarp": ("rpcrdma", "RPCR-3.4.6-05"),
    "roce": ("rpcrdma", "RPCR-3.4.6-05"),
}


@pytest.fixture(scope="module", name="plain")
def plain_captures(build, tmp_path_factory):
    """(transport, faulty) -> packets."""
    folder = tmp_path_factory.mktemp("plain")
    found = {}
    for transport, (scenario, fault) in SCENARIOS.items():
        for faulty in (False, True):
            path = folder / f"{transport}-{faulty}.pcapng"
            subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--transport={transport}",
                            *([f"--inject={fault}"] if faulty else []), "-o", path], check=True)
            found[transport, faulty] = forge.read(path)
    return found


def judge(check, path, packets, *options):
    """(status, findings, {kind of refused packet: number}, the report)"""
    forge.write(path, packets)
    result = check("--format=ndjson", *options, path)
    report = read_report(result.stdout)
    findings, refused = [], {}
    for connection in report["captures"][0]["connections"]:
        findings += sorted((finding["rule"], finding["message"].split("frame")[0]) for finding in connection["findings"] if finding["rule"] != ABOUT_IT)
        for kind, pair in connection["counts"].items():
            if kind in ("damaged_segments", "without_ack_flag", "unsent_acknowledged", "outside_window", "old_timestamp", "other_version", "other_partition"):
                refused[kind] = refused.get(kind, 0) + sum(pair.values() if isinstance(pair, dict) else pair)
    return result.returncode, findings, refused, report


def places(packets, transport, n=6):
    """Places of data, in the middle of the conversation, where each side has sent before."""
    if transport == "iwarp":
        data = [at for at, segment in forge.segments(packets) if segment.data and not segment.flags & forge.FIN][6:-12]
    else:
        data = forge.of_roce(packets, roce_copies.SEND)[3:-1]
    return random.Random(1).sample(data, min(n, len(data)))


@pytest.mark.parametrize("faulty", (False, True), ids=("conforming", "faulty"))
@pytest.mark.parametrize("kind", forge.OF_TCP)
def test_segments(check, plain, tmp_path, kind, faulty):
    packets = plain["iwarp", faulty]
    status, findings, refused, _ = judge(check, tmp_path / "plain.pcap", packets)
    assert (status, bool(findings), refused) == (int(faulty), faulty, {})
    for at in places(packets, "iwarp"):
        forged = forge.put(packets, at, forge.OF_TCP[kind](*forge.of_both(packets, at)))
        now, found, refused, _ = judge(check, tmp_path / "forged.pcap", forged)
        assert (now, found) == (status, findings), f"before frame {at + 1}"
        assert sum(refused.values()) > 0, "the report does not say that packets were ignored"


@pytest.mark.parametrize("faulty", (False, True), ids=("conforming", "faulty"))
@pytest.mark.parametrize("kind", forge.OF_ROCE)
def test_roce(check, plain, tmp_path, kind, faulty):
    packets = plain["roce", faulty]
    status, findings, _, _ = judge(check, tmp_path / "plain.pcap", packets)
    assert (status, bool(findings)) == (int(faulty), faulty)
    for at in places(packets, "roce"):
        send = packets[at][1]
        acks = [octets for _, octets in packets[:at] if roce_copies.opcode(octets) is not None and octets[roce_copies.BTH] == 0x11
                and octets[26:30] == send[30:34]]
        if not acks:
            continue
        forged = forge.put(packets, at, forge.OF_ROCE[kind](send, acks[-1]))
        now, found, _, _ = judge(check, tmp_path / "forged.pcap", forged)
        assert (now, found) == (status, findings), f"before frame {at + 1}"


def test_a_damaged_copy_is_no_copy(check, plain, tmp_path):
    """A few microseconds before each segment, one with other octets in the middle: its checksum is wrong."""
    packets = plain["iwarp", True]
    expected = judge(check, tmp_path / "plain.pcap", packets)
    forged = []
    for time, octets in packets:
        if len(octets) > 150:
            damaged = octets[:100] + bytes(octet ^ 0xFF for octet in octets[100:110]) + octets[110:]
            forged.append((time - 5_000, damaged))
        forged.append((time, octets))
    assert judge(check, tmp_path / "forged.pcap", forged)[:2] == expected[:2]


@pytest.mark.parametrize("name", ("gre", "tzsp", "ipip"))
def test_another_tunnel_is_another_network(check, plain, tmp_path, name):
    """A segment of the connection in a tunnel of somebody else ends nothing."""
    packets = plain["iwarp", True]
    expected = judge(check, tmp_path / "plain.pcap", packets)
    for at in places(packets, "iwarp", 3):
        mine, _ = forge.of_both(packets, at)
        inner = mine.made(data=b"", flags=forge.RST | forge.ACK)
        outer = {
            "gre": lambda: tunnels.over_ipv4(47, b"\0\0\x65\x58" + inner),  # pylint: disable=cell-var-from-loop
            "ipip": lambda: tunnels.over_ipv4(4, inner[14:]),  # pylint: disable=cell-var-from-loop
            "tzsp": lambda: tunnels.over_ipv4(17, b"\x90\x90\x90\x90" + (12 + len(inner) + 1).to_bytes(2, "big")  # pylint: disable=cell-var-from-loop
                                              + b"\0\0" + b"\1\0\0\1" + b"\1" + inner),  # pylint: disable=cell-var-from-loop
        }[name]()
        assert judge(check, tmp_path / "forged.pcap", forge.put(packets, at, [outer]))[:2] == expected[:2]


def test_a_forgotten_datagram_is_said(check, plain, tmp_path):
    """First fragments of foreign datagrams, more than there is room for: an octet that was dropped may have been a violation."""
    packets = plain["iwarp", False]
    at = places(packets, "iwarp")[0]
    strangers = []
    for number in range(400):
        octets = bytearray(forge.ipv4(packets[at][1], bytes(24)))
        octets[18:22] = number.to_bytes(2, "big") + b"\x20\0"
        octets[26:30] = b"\x0a\x63" + number.to_bytes(2, "big")
        octets[24:26] = b"\0\0"
        strangers.append(bytes(octets))
    forged = forge.put(packets, at, strangers)
    status, findings, _, report = judge(check, tmp_path / "forged.pcap", forged)
    assert status == 2 and not findings and report["captures"][0]["given_up"] > 100
    assert "for lack of room" in report["captures"][0]["warning"]
    assert judge(check, tmp_path / "few.pcap", forge.put(packets, at, strangers[:100]))[0] == 0
