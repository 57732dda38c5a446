# SPDX-License-Identifier: GPL-2.0-or-later
"""--both: captures of both ends, made from one conversation by moving times, and by leaving out packets."""
import re
import subprocess

import pytest

import forge

AHEAD, PATH, SLOW = 7_000_000_000, 400_000, 900_000_000  # ns


@pytest.fixture(name="ends")
def captures_of_both_ends(build, tmp_path):
    """(name) -> (path of the client's capture, path of the server's, the packets of both). The server answers one Call late."""
    def make(*options, lose=lambda client, server: None):
        whole = tmp_path / "whole.pcapng"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs3", "-o", whole, *options], check=True)
        packets = forge.read(whole)
        mine = packets[0][1][6:12]
        last = max(at for at, (_, octets) in enumerate(packets) if octets[6:12] == mine and len(octets) > 100 and at < len(packets) * 2 // 3)
        client, server = [], []
        for at, (time, octets) in enumerate(packets):
            time = at * 2 * PATH + (SLOW if at > last else 0)
            out = octets[6:12] == mine
            client.append((time if out else time + PATH, octets))
            server.append(((time + PATH if out else time) + AHEAD, octets))
        lose(client, server)
        paths = tmp_path / "client.pcap", tmp_path / "server.pcap"
        forge.write(paths[0], client)
        forge.write(paths[1], server)
        return *paths, packets
    return make


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_clocks_path_and_server(check, ends, transport):
    client, server, packets = ends(f"--transport={transport}")
    said = check("--both", client, server).stdout
    assert "the server's clock is 7.00 s later than the client's" in said
    ways = re.findall(r"from the (\w+) to the \w+: (\d+) packets in both captures, half of them within (\S+ \S+), the slowest in (\S+ \S+) ", said)
    assert [way[0] for way in ways] == ["client", "server"] and sum(int(way[1]) for way in ways) == len(packets)
    assert {way[2:] for way in ways} == {("400 µs", "400 µs")}
    assert "never came" not in said and "lacks" not in said
    slow = re.search(r"slow: NFS3 \w+ in frame \d+ of the client's capture took (\S+) ms: (\S+) ms at the server .*, 800 µs on the way", said)
    assert slow and float(slow[1]) > 900 and float(slow[2]) >= 900


def test_lost_between_them(check, ends):
    def lose(client, server):
        del server[10], client[14]
    client, server, packets = ends("--transport=roce", lose=lose)
    said = check("--both", client, server).stdout
    sides = ["client", "server"] if packets[10][1][6:12] == packets[0][1][6:12] else ["server", "client"]
    if sides[0] == "client":  # in the client's capture only: lost
        assert "1 packet never came to the server: frame 11 of the client's capture" in said
    else:
        assert "1 packet came to the client, but the server's capture lacks it" in said
    assert said.count("packet never came") + said.count("lacks it") == 2


def test_in_the_other_order_and_the_same_file(check, ends):
    client, server, _ = ends()
    said = check("--both", server, client).stdout
    assert "the server's clock is 7.00 s earlier than the client's" in said
    said = check("--both", client, client).stdout
    assert "each packet has the same time in both: they are copies of one capture" in said


def test_nothing_in_common(check, ends, good):
    said = check("--both", good, ends("--transport=roce")[1]).stdout
    assert "do not have packets of both ways in common; next: capture at both ends at the same time" in said


@pytest.mark.parametrize("files", [["good"], ["good", "good", "good"], ["good", "-"]])
def test_two_files_are_needed(check, good, files):
    result = check("--both", *[good if name == "good" else name for name in files])
    assert result.returncode == 2 and "--both: give two files, the client's capture and the server's" in result.stderr


def test_text_only(check, good):
    assert "--both needs --format=text" in check("--both", "--format=ndjson", good, good).stderr
