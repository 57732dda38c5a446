# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugins on captures in practice: in tunnels, and in records of other link types, with iwarp-check's findings."""
import subprocess

import pytest

import captures
import tunnels
from test_infiniband import found_by_checker, found_by_plugin

# Tunnels that Wireshark only recognises with these options.
TOLD = {"VXLAN of old Linux, over IPv6": ["-d", "udp.port==8472,vxlan"], "MPLS, Ethernet": ["-d", "mpls.label==100,pwethnocw"]}


@pytest.fixture(scope="module")
def faulty(build, tmp_path_factory):
    """The records of captures with findings, in IPv4 and IPv6."""
    folder, found = tmp_path_factory.mktemp("faulty"), []
    for number, options in enumerate(([], ["--ipv6", "--vlan"])):
        path = folder / f"{number}.pcapng"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "rpcrdma", "--inject=RPCR-3.3.1-04", "--transport=roce", *options,
                        "-o", path], check=True)
        found.append(captures.records(path))
    return found


def compare(wireshark, check, path, *options):
    expected = found_by_checker(check, path)
    assert expected
    assert found_by_plugin(wireshark, path, list(options)) == found_by_plugin(wireshark, path, ["-2", *options]) == expected


@pytest.mark.parametrize("tunnel", tunnels.TUNNELS)
def test_tunnel(wireshark, check, faulty, tmp_path, tunnel):
    for records in faulty:
        path = tmp_path / "tunnel.pcap"
        tunnels.write(path, tunnels.tunnelled(records, tunnel))
        compare(wireshark, check, path, *TOLD.get(tunnel, []))


def test_link_types(wireshark, check, faulty, tmp_path):
    for records in faulty:
        path = tmp_path / "records.pcap"
        tunnels.write(path, tunnels.erf(records), tunnels.ERF)
        compare(wireshark, check, path)
        tunnels.write(path, tunnels.nflog(records), tunnels.NFLOG)
        compare(wireshark, check, path)
