# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures in practice: in tunnels, and in records of other link types, the findings are the same."""

import pytest

import captures
import tunnels
from reports import read_report

# On both transports, conforming and faulty, with IPv6 and VLAN tags, with MPA's Markers and with TCP segments in IP fragments.
SAMPLES = {
    "iwarp-fault": ["rev1", "--inject=MPA-4.4-12"],
    "iwarp-nfs": ["nfs41"],
    "iwarp-ipv6-vlan": ["markers", "--inject=MPA-4.3-04/short", "--ipv6", "--vlan"],
    "iwarp-fragments": ["fragments"],
    "roce-fault": ["rpcrdma", "--inject=RPCR-3.3.1-04", "--transport=roce"],
    "roce-ipv6-vlan": ["nfs3", "--transport=roce", "--ipv6", "--vlan"],
}


@pytest.fixture(scope="module")
def plain(gen, tmp_path_factory):
    """name -> its records"""
    folder, found = tmp_path_factory.mktemp("plain"), {}
    for name, arguments in SAMPLES.items():
        path = folder / f"{name}.pcapng"
        run = gen("play", *arguments, "-o", path)
        assert run.returncode == 0, run.stderr
        found[name] = captures.records(path)
    return found


@pytest.fixture
def said(check, tmp_path):
    """iwarp-check's results for records, without the file and its size: [(connection, findings)]"""
    def say(records, linktype=tunnels.ETHERNET, snap=262144):
        path = tmp_path / "capture.pcap"
        tunnels.write(path, records, linktype, snap)
        report = read_report(check("--format=ndjson", "--counts=connection", path).stdout)
        return report["captures"][0]["connections"]
    return say


def nothing(check, tmp_path, records, *options):
    path = tmp_path / "nothing.pcap"
    tunnels.write(path, records)
    return check(*options, path).stdout


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("tunnel", tunnels.TUNNELS)
def test_tunnel(plain, said, tunnel, name):
    expected = said(plain[name])
    assert expected
    assert said(tunnels.tunnelled(plain[name], tunnel)) == expected


@pytest.mark.parametrize("name", SAMPLES)
def test_link_types(plain, said, name):
    expected = said(plain[name])
    assert said(tunnels.erf(plain[name]), tunnels.ERF) == expected
    assert said(tunnels.nflog(plain[name]), tunnels.NFLOG) == expected
    assert said(tunnels.nflog(plain[name], ">"), tunnels.NFLOG) == expected


@pytest.mark.parametrize("snap", [60, 96, 160, 256])
@pytest.mark.parametrize("tunnel", ["VXLAN", "GRE, Ethernet", "ERSPAN III", "MPLS, Ethernet", "TZSP"])
@pytest.mark.parametrize("name", ["iwarp-nfs", "roce-fault"])
def test_cut(plain, said, tunnel, name, snap):
    """The snap length grows by the tunnel's headers."""
    more = len(tunnels.TUNNELS[tunnel](bytes(64))) - 64
    assert said(tunnels.tunnelled(plain[name], tunnel), snap=snap + more) == said(plain[name], snap=snap)


@pytest.mark.parametrize("name", ["iwarp-fault", "roce-fault"])
def test_networks(plain, said, name):
    """The same addresses in two networks, and outside them, are three connections."""
    expected = [connection["findings"] for connection in said(plain[name])]

    def in_network(vni):
        return [(time, length + 50, tunnels.over_ipv4(17, tunnels.udp(4789, tunnels.vxlan(octets, vni)))) for time, length, octets in plain[name]]

    found = said([record for each in zip(plain[name], in_network(5), in_network(6)) for record in each])
    assert len(found) == 3 * len(expected)
    for connection in found:
        rules = [(finding["rule"], finding["message"]) for finding in connection["findings"]]
        assert rules in [[(finding["rule"], finding["message"]) for finding in findings] for findings in expected]


@pytest.mark.parametrize("name", ["iwarp-fault", "roce-fault"])
def test_fragments_outside(plain, said, name):
    """Each outer packet comes as two fragments; the second completes it."""
    found = []
    for number, (time, _, octets) in enumerate(plain[name]):
        datagram = tunnels.udp(4789, tunnels.vxlan(octets))
        at = len(datagram) // 2 & ~7
        for piece, field in ((datagram[:at], 0x2000), (datagram[at:], at // 8)):
            packet = tunnels.ipv4(17, piece, field, number)
            found.append((time, 14 + len(packet), tunnels.ethernet(tunnels.IPV4, packet)))
    rules = [[(finding["rule"], finding["message"]) for finding in connection["findings"]] for connection in said(plain[name])]
    assert [[(finding["rule"], finding["message"]) for finding in connection["findings"]] for connection in said(found)] == rules


def test_depth_is_bounded(check, tmp_path, plain):
    deep = plain["iwarp-fault"]
    for _ in range(9):
        deep = tunnels.tunnelled(deep, "GRE, IP")
    assert "packets of other protocols" in nothing(check, tmp_path, deep)


@pytest.mark.parametrize("outer, name", [
    (lambda f: tunnels.over_ipv4(17, tunnels.udp(3544, f)), "Teredo (UDP port 3544)"),
    (lambda f: tunnels.over_ipv6(50, f), "IPsec (IP protocol 50)"),
    (lambda f: tunnels.over_ipv4(47, tunnels.gre(0x880B, f, 0x2001, bytes(4))), "GRE (IP protocol 47)"),
    (lambda f: tunnels.ethernet(0x88E5, f), "MACsec (Ethernet type 0x88e5)"),
])
def test_others_are_named(check, tmp_path, plain, outer, name):
    records = [(time, len(outer(octets)), outer(octets)) for time, _, octets in plain["iwarp-fault"]]
    assert f"{len(records)} packets of {name}, not looked into" in nothing(check, tmp_path, records)
