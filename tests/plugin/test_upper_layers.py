# SPDX-License-Identifier: GPL-2.0-or-later
"""Upper layers other than RPC-over-RDMA: the plugins agree with iwarp-check, and others keep their ports."""
import re
import struct
import subprocess

import pytest

from many import Many

SIW = ["nvme-siw-basic", "iser-siw-basic", "srp-siw-basic", "srp-siw-login-rejected"]
ROCE = ["nvme-rxe-basic", "iser-rxe-basic", "srp-rxe-basic"]
NVME = 4420
# Wireshark's own dissector of NVMe over RDMA fails on log pages without their command.
BUILTIN = {("nvme-rxe-basic", 0)}


def capture(root, name):
    return root / "captures" / "ulp" / f"{name}.pcap"


def without_start(path, tmp_path, first):
    """The capture without its first packets."""
    if first == 0:
        return path
    octets, at = path.read_bytes(), 24
    order = "<" if octets[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    for _ in range(first):
        at += 16 + struct.unpack_from(order + "I", octets, at + 8)[0]
    cut = tmp_path / f"{first}-{path.name}"
    cut.write_bytes(octets[:24] + octets[at:])
    return cut


def told_by_check(build, path):
    """frame -> messages, from lines such as "12 0.1 > [nvme: command Read cid 0x1 512 octets]"."""
    run = subprocess.run([build / "conformance" / "iwarp-check", "--print", path], capture_output=True, text=True, check=False)
    found = {}
    for frame, text in re.findall(r"^(\d+) .*\[(?:nvme|iser|srp): (.*)\]", run.stdout, re.M):
        found.setdefault(int(frame), []).append(text)
    return found


def told_by_plugin(wireshark, path, *options):
    frames = wireshark.fields(path, ["rdma_ulp.message"], *options, "-Y", "rdma_ulp")
    return {frame["frame"]: frame["rdma_ulp.message"] for frame in frames}


@pytest.mark.parametrize("passes", [[], ["-2"]], ids=["one-pass", "two-passes"])
@pytest.mark.parametrize("name", [*SIW, "srp-rxe-basic"])
def test_as_the_checker_says(wireshark, build, root, name, passes):
    """The private data identify it, so the first pass knows it from the first Send on."""
    path = capture(root, name)
    wanted = told_by_check(build, path)
    assert told_by_plugin(wireshark, path, *passes) == wanted
    assert (len(wanted) > 30) != name.endswith("rejected")


# For any beginning of the capture; a rejected connection has only a few packets.
STARTS = [(name, first) for name in SIW + ROCE for first in (0, 3, 10, 40, 150) if first <= 3 or not name.endswith("rejected")]


WELL = [start for start in STARTS if start not in BUILTIN]


@pytest.fixture(scope="module")
def begun_late(wireshark, root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("late")
    return Many(wireshark, folder / "all.pcap", {(name, first): without_start(capture(root, name), folder, first) for name, first in WELL})


@pytest.mark.parametrize("name,first", WELL)
def test_nothing_is_malformed(begun_late, name, first):
    assert begun_late.fields((name, first), [], "-Y", "tcp || infiniband")
    for passes in ([], ["-2"]):
        assert begun_late.fields((name, first), [], *passes, "--enable-heuristic", "mpa_midstream_tcp", "-Y", "_ws.malformed") == []
        assert begun_late.fields((name, first), [], *passes, "-Y", "rpcrdma || rpcordma") == []


# Programs with their own use for Sends: data, which Wireshark's heuristics must not get.
FOREIGN = ["roce/op-good-start", "roce/ib-send-bw-start", "roce/rc-pingpong", "real/perftest/ib-send-bw-64"]


@pytest.mark.parametrize("first", [0, 3, 4, 5, 6, 10])
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_sends_are_data(wireshark, root, tmp_path, name, first):
    cut = without_start(root / "captures" / f"{name}.pcap", tmp_path, first)
    for passes in ([], ["-2"]):
        assert wireshark.fields(cut, [], *passes, "-Y", "rpcrdma || rpcordma || rdma_ulp || rpc || _ws.malformed") == []
        assert first > 0 or wireshark.fields(cut, [], *passes, "-Y", "data.data")


def test_only_its_own_connections(wireshark, generated):
    """No other upper layer claims noise or RPC-over-RDMA."""
    for scenario in ("operations", "atomics", "rpcrdma", "nfs41-chunks", "terminates"):
        assert told_by_plugin(wireshark, generated(scenario), "-2") == {}


def nvme_over_tcp(path):
    """A start-up of NVMe/TCP, with the first PDU in two segments."""
    def packet(source, target, source_port, target_port, seq, ack, flags, data=b""):
        segment = struct.pack(">HHIIBBHHH", source_port, target_port, seq, ack, 0x50, flags, 65535, 0, 0) + data
        header = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(segment), 1, 0, 64, 6, 0, 192, 0, 2, source, 192, 0, 2, target)
        return bytes(12) + b"\x08\x00" + header + segment

    def pdu(kind, header_length, body):
        return bytes([kind, 0, header_length, 0]) + struct.pack("<I", 8 + len(body)) + body

    request, response = pdu(0, 128, bytes(120)), pdu(1, 128, bytes(120))
    command = pdu(4, 72, bytes([0x7F, 0x40, 1, 0, 1]) + bytes(59))
    frames = [packet(1, 2, 1025, NVME, 100, 0, 0x02), packet(2, 1, NVME, 1025, 500, 101, 0x12), packet(1, 2, 1025, NVME, 101, 501, 0x10),
              packet(1, 2, 1025, NVME, 101, 501, 0x18, request[:50]), packet(1, 2, 1025, NVME, 151, 501, 0x18, request[50:]),
              packet(2, 1, NVME, 1025, 501, 229, 0x18, response), packet(1, 2, 1025, NVME, 229, 629, 0x18, command)]
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, octets in enumerate(frames):
            file.write(struct.pack("<IIII", 1, number, len(octets), len(octets)) + octets)
    return path


def test_the_owner_of_a_port_keeps_it(wireshark, tmp_path):
    """MPA is looked for on the port of NVMe/TCP first, and claims only MPA."""
    path = nvme_over_tcp(tmp_path / "nvme-over-tcp.pcap")
    for passes in ([], ["-2"]):
        frames = wireshark.fields(path, ["nvme-tcp.type"], *passes, "-Y", "nvme-tcp")
        assert [frame["frame"] for frame in frames] == [5, 6, 7]
        assert not wireshark.fields(path, [], *passes, "-Y", "mpa")
        assert not wireshark.fields(path, [], *passes, "--disable-protocol", "nvme-tcp", "-Y", "nvme-tcp || mpa")
        for off in (["--disable-protocol", "mpa"], ["--disable-heuristic", "mpa_tcp"]):
            assert len(wireshark.fields(path, [], *passes, *off, "-Y", "nvme-tcp")) == 3


@pytest.mark.parametrize("off", [["--disable-protocol", "mpa"], ["--disable-heuristic", "mpa_tcp"]], ids=["protocol", "heuristic"])
def test_mpa_is_switched_off_on_these_ports_too(wireshark, root, off):
    assert wireshark.fields(capture(root, "nvme-siw-basic"), [], *off, "-Y", "mpa") == []


def test_decode_as_has_the_last_word(wireshark, root):
    assert wireshark.fields(capture(root, "nvme-siw-basic"), [], "-d", "tcp.port==4420,http", "-Y", "mpa") == []


def test_mpa_without_the_owner_of_the_port(wireshark, root):
    path = capture(root, "nvme-siw-basic")
    assert told_by_plugin(wireshark, path, "--disable-protocol", "nvme-tcp") == told_by_plugin(wireshark, path) != {}
