# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened around RDMA: the network's and the hosts' answers to what the peers send."""
import struct

import pytest

from around import (ACK, ADDRESSES, CLIENT_MAC, FIN, MS, RST, S, SERVER_MAC, SYN, Connection, ethernet, ip, side_of, tags, unreachable, with_dscp,
                    write)
from captures import icrc, ip_header, records


@pytest.fixture
def troubles(report, tmp_path):
    """troubles(packets) -> the troubles of a capture with these packets"""
    def run(found):
        return report(write(tmp_path / "around.pcap", found))[1]["captures"][0]["trouble"]
    return run


# ---- MPA Requests without a Reply ----

def refused(found, n, flags, revision, version):
    for k in range(n):
        connection = Connection(found, k * 3 * S, 1022 - k, version=version).open()
        connection.request(revision)
        connection.send(1, flags | ACK, after=2 * MS)


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("flags, verb", [(RST, "reset"), (FIN, "closed")])
@pytest.mark.parametrize("revision, advice", [(2, "revision 1 only (RFC 6581 section 10)"), (1, "refuses MPA, or does not speak it")])
def test_a_request_answered_by_the_end(troubles, version, flags, verb, revision, advice):
    found = []
    refused(found, 3, flags, revision, version)
    (trouble,) = troubles(found)
    assert trouble["kind"] == "connect-refused" and trouble["count"] == 3
    assert f" {verb} the connection in frame 5, 2.00 ms after the MPA Request (revision {revision}) in frame 4" in trouble["words"]
    assert advice in trouble["next"]


def test_a_client_that_falls_back(troubles):
    """RFC 6581 section 10: the peer knows revision 1 only, and serves it."""
    found = []
    refused(found, 1, FIN, 2, 4)
    second = Connection(found, S, 1000).open()
    second.request(1)
    second.reply(1)
    assert troubles(found) == []


def test_a_revision_that_was_accepted_before(troubles):
    found = []
    first = Connection(found, 0, 1000).open()
    first.request(2)
    first.reply(2)
    second = Connection(found, S, 1001).open()
    second.request(2)
    second.send(1, RST | ACK)
    (trouble,) = troubles(found)
    assert "on connection 1" in trouble["next"] and "revision 1 only" not in trouble["next"]


def test_a_silent_listener(troubles):
    """TCP takes the Request, and nothing follows; the port answered before."""
    found = []
    first = Connection(found, 0, 1000).open()
    first.request()
    first.reply()
    second = Connection(found, 5 * S, 1001).open()
    second.request()
    second.send(1, ACK)
    second.send(0, FIN | ACK, after=30 * S)
    (trouble,) = troubles(found)
    assert trouble["kind"] == "connect-no-answer" and "the listener does not answer it" in trouble["next"]
    assert trouble["next"].endswith("; the server answered until 00:00:00.005, on connection 1")


def test_a_request_that_is_never_acknowledged(troubles):
    found = []
    connection = Connection(found).open()
    connection.request()
    for _ in range(4):
        connection.request(again=True)
    (trouble,) = troubles(found)
    assert trouble["kind"] == "connect-no-answer" and "never acknowledges the MPA Request" in trouble["next"]


# ---- ICMP ----

def packets_of(capture, scenario, transport, version=4):
    """A generated conversation: (packets, those of the client)."""
    options = [*(["--transport=roce"] if transport == "roce" else []), *(["--ipv6"] if version == 6 else [])]
    return records(capture(scenario, "--pcap", *options, suffix="pcap"))


def requests(found, n=4):
    """The first packet of the client, its ConnectRequest or SYN, n times without an answer."""
    time, length, octets = found[0]
    return [(time + k * S, length, octets) for k in range(n)]


def ip_of(octets):
    return octets[ip_header(octets)[1]:]


def answered(found, sender, **kind):
    """Each packet with an ICMP message about it."""
    after = []
    for time, length, octets in found:
        packet = unreachable(sender, ADDRESSES[6 if ip_of(octets)[0] >> 4 == 6 else 4][0], ip_of(octets), **kind)
        after += [(time, length, octets), (time + MS, 14 + len(packet), ethernet(packet, SERVER_MAC, CLIENT_MAC))]
    return after


def kinds(troubles):
    return [trouble["kind"] for trouble in troubles]


def find(troubles, kind):
    return [trouble for trouble in troubles if trouble["kind"] == kind]


WAYS = [("iwarp", 4), ("iwarp", 6), ("roce", 4), ("roce", 6)]


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]}-{way[1]}")
def way(request):
    return request.param


@pytest.fixture
def asked(capture, way):
    return requests(packets_of(capture, "nfs3", *way))


def test_the_host_answers_that_the_port_is_unreachable(troubles, way, asked):
    host = ADDRESSES[way[1]][1]
    (trouble,) = troubles(answered(asked, host, port=True))
    assert trouble["kind"] == "connect-no-answer" and trouble["count"] == 1
    assert f"{host} itself answers with ICMP port unreachable in frame 2, 4 times" in trouble["words"]
    assert ("RoCE is off there" in trouble["next"]) == (way[0] == "roce")


def test_a_firewall_answers(troubles, way, asked):
    firewall = ADDRESSES[way[1]][2]
    (trouble,) = troubles(answered(asked, firewall, port=True))
    assert f"{firewall} answers in its place with ICMP port unreachable in frame 2" in trouble["words"]
    assert trouble["next"].startswith(f"a firewall or router at {firewall} rejects {'UDP port 4791' if way[0] == 'roce' else 'TCP port '}")


def test_one_request_and_one_answer(troubles, way, asked):
    (trouble,) = troubles(answered(asked[:1], ADDRESSES[way[1]][1], port=True))
    assert trouble["kind"] == "connect-no-answer"


@pytest.mark.parametrize("version", [4, 6])
def test_icmp_that_began_before_the_connection(troubles, version):
    """An earlier connection, which worked, had the same answer."""
    found, later = [], []
    first = Connection(found, 0, 1000, version=version).open()
    first.request()
    first.reply()
    first.send(0, ACK)
    Connection(later, 60 * S, 1001, version=version).send(0, SYN)
    host = ADDRESSES[version][2]
    (trouble,) = troubles(found[:-1] + answered(found[-1:], host, port=True) + answered(later, host, port=True))
    assert f"TCP SYN sent, nothing came back; {host} answers in its place with ICMP port unreachable in frame 9" in trouble["words"]


@pytest.mark.parametrize("link", [113, 276])
def test_icmp_in_a_capture_of_all_interfaces(report, asked, way, tmp_path, link):
    """tcpdump -i any: Linux cooked headers."""
    def cooked(octets):
        if link == 113:
            return struct.pack(">HHH", 0, 1, 6) + octets[6:12] + bytes(2) + octets[12:]
        return octets[12:14] + struct.pack(">HIHBB", 0, 1, 1, 0, 6) + octets[6:12] + bytes(2) + octets[14:]

    path = tmp_path / "any.pcap"
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, link))
        for time, _, octets in answered(asked, ADDRESSES[way[1]][2], port=True):
            out.write(struct.pack("<IIII", *divmod(time, S), len(cooked(octets)), len(cooked(octets))) + cooked(octets))
    (trouble,) = report(path)[1]["captures"][0]["trouble"]
    assert "answers in its place with ICMP port unreachable in frame 2, 4 times" in trouble["words"]


def test_icmp_about_another_flow(troubles, way, asked):
    """A question to a name server on the same host."""
    client, server, _ = ADDRESSES[way[1]]
    question = ip(client, server, 17, struct.pack(">4H", 999, 53, 12, 0) + bytes(4))
    noise = unreachable(server, client, question, port=True)
    found = asked + [(asked[0][0] + 1, 14 + len(noise), ethernet(noise, SERVER_MAC, CLIENT_MAC))]
    (trouble,) = troubles(found)
    assert "ICMP" not in trouble["words"] and "RoCE is off" not in trouble["next"]


def test_icmp_in_a_healthy_conversation(troubles, capture, way):
    """A router names a smaller MTU, which the sender obeys."""
    found = packets_of(capture, "nfs3", *way)
    healthy = kinds(troubles(found))
    time, _, octets = found[len(found) // 2]
    packet = unreachable(ADDRESSES[way[1]][2], ADDRESSES[way[1]][0], ip_of(octets), mtu=1400)
    assert kinds(troubles(found + [(time + 1, 14 + len(packet), ethernet(packet, SERVER_MAC, CLIENT_MAC))])) == healthy


# ---- MAC addresses and VLAN tags ----

def tagged(octets, *vlans):
    return octets[:12] + tags(*vlans) + octets[12:]


def ask(mac, *vlans):
    """A question by ARP."""
    return b"\xff" * 6 + mac + tags(*vlans) + b"\x08\x06" + bytes(28)


def test_a_vlan_tag_is_missing(troubles, asked):
    """Other packets of the same adapter are in VLAN 100."""
    mac = asked[0][2][6:12]
    other = ask(mac, 100)
    (trouble,) = troubles([(asked[0][0] - S, len(other), other)] + asked)
    assert "these packets of the client have no VLAN tag (frame 2), other packets of the client have VLAN 100 (frame 1)" in trouble["words"]
    assert "look at the VLAN" in trouble["next"]


def test_the_server_is_in_another_vlan(troubles, asked):
    other = ask(asked[0][2][:6], 7)
    (trouble,) = troubles([(asked[0][0] - S, len(other), other)] + [(time, length + 4, tagged(octets, 9)) for time, length, octets in asked])
    assert "of the client have VLAN 9 (frame 2), other packets of the server have VLAN 7 (frame 1)" in trouble["words"]


def test_both_are_in_the_same_vlan(troubles, asked):
    """The client's adapter has another VLAN, too; the server speaks in the VLAN of the requests."""
    start, octets = asked[0][0] - S, asked[0][2]
    noise = [ask(octets[6:12], 100), ask(octets[6:12]), ask(octets[:6], 100)]
    found = [(start + k, len(packet), packet) for k, packet in enumerate(noise)]
    (trouble,) = troubles(found + [(time, length + 4, tagged(octets, 100)) for time, length, octets in asked])
    assert trouble["kind"] == "connect-no-answer" and "VLAN tag" not in trouble["words"]


def test_the_mirror_strips_the_tags_of_one_direction(troubles, capture, way):
    found = packets_of(capture, "nfs3", *way)
    healthy = troubles(found)
    assert troubles([(t, n + 4, tagged(octets, 100)) if side_of(octets) == 0 else (t, n, octets) for t, n, octets in found]) == healthy


def test_the_senders_own_mac_address(troubles, asked):
    (trouble,) = troubles([(time, length, octets[6:12] + octets[6:]) for time, length, octets in asked])
    assert "the client sends to its own MAC address (" in trouble["words"] and "from frame 1 on" in trouble["words"]
    assert "ip neigh" in trouble["next"]


def test_loopback_has_no_mac_addresses(troubles, asked):
    (trouble,) = troubles([(time, length, bytes(12) + octets[12:]) for time, length, octets in asked])
    assert "MAC" not in trouble["words"]


# ---- traffic classes, pause frames ----

@pytest.mark.parametrize("classes, differ", [((26, 0), True), ((26, 26), False)])
def test_traffic_classes(troubles, capture, way, classes, differ):
    found = [(time, length, octets if side_of(octets) is None else with_dscp(octets, classes[side_of(octets)]))
             for time, length, octets in packets_of(capture, "nfs3", *way)]
    told = find(troubles(found), "traffic-classes")
    assert len(told) == differ
    for trouble in told:
        assert trouble["level"] == "note" and "client have DSCP 26 (frame " in trouble["words"] and "server DSCP 0 (frame " in trouble["words"]


def pause(mac, priority, quanta):
    times = [quanta if k == priority else 0 for k in range(8)]
    return bytes.fromhex("0180c2000001") + mac + struct.pack(">HHH8H", 0x8808, 0x0101, 1 << priority, *times) + bytes(26)


@pytest.mark.parametrize("sender, who", [("client", "the client"), (None, "a switch, or another host")])
def test_pause_frames(troubles, capture, way, sender, who):
    """Twenty times: a pause of 3 ms, then an end to it."""
    found = packets_of(capture, "nfs3", *way)
    mac = next(octets for *_, octets in found if side_of(octets) == 0)[6:12] if sender else bytes.fromhex("02000000beef")
    later, pauses, at = 0, [], []
    for k, (time, length, octets) in enumerate(found):
        if k % 5 == 4 and len(pauses) < 40:
            for after, quanta in ((1, 0xFFFF), (3 * MS, 0)):
                pauses.append((time + later + after, 60, pause(mac, 3, quanta)))
            later += 3 * MS + 10
        at.append((time + later, length, octets))
    (trouble,) = find(troubles(at + pauses), "paused")
    n = len(pauses) // 2
    assert trouble["level"] == "note" and trouble["count"] == n and trouble["lasted"] == pytest.approx(n * 0.003, rel=0.01)
    assert trouble["words"].startswith(f"{n} pause frames of priority 3 from {mac.hex(':')} ({who}), from frame ")


def test_a_healthy_conversation(troubles, capture, way):
    assert set(kinds(troubles(packets_of(capture, "nfs3", *way)))) <= {"answered-with-error"}


# ---- cut packets ----

def cut(found, at, recorded):
    """A snap length cuts the packets; or a converter, which writes the cut length as the original length."""
    return [(time, length if recorded else min(length, at), octets[:at]) for time, length, octets in found]


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("way, at", [(way, at) for way in WAYS for at in (96, 116, 136) if (way, at) != (("roce", 6), 96)], indirect=["way"])
def test_cut_packets(check, report, capture, way, tmp_path, recorded, at):
    path = write(tmp_path / "cut.pcap", cut(packets_of(capture, "nfs3", *way), at, recorded))
    (trouble,) = find(report(path)[1]["captures"][0]["trouble"], "cut-packets")
    assert "RPC headers are cut" in trouble["words"] and "unknown" in trouble["words"]
    assert ("are shorter than their IP length" in trouble["words"]) == (not recorded)
    text = check(path).stdout
    assert "No trouble" not in text and not text.startswith("PASS:")


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("version, at", [(4, 68), (4, 76), (6, 96)])
def test_too_little_is_left_to_recognise_rpc(check, capture, tmp_path, recorded, version, at):
    """RoCE has no port that names the upper layer."""
    text = check(write(tmp_path / "cut.pcap", cut(packets_of(capture, "nfs3", "roce", version), at, recorded))).stdout
    assert "too little of each Send is left to recognise what it carries" in text and "No trouble" not in text


# ---- a transport that stops, or a service ----

TALK = ["I call nfs3.null", "R reply", "I call nfs3.write len=8192 read", "R pull", "R reply", "I call nfs3.read count=8192 write", "R reply"]


@pytest.fixture(params=["iwarp", "roce"])
def transport(request):
    return request.param


@pytest.fixture
def talk(play, transport):
    """NULL, a WRITE of 8192 octets, which the server reads, and a READ of 8192 octets."""
    return records(play(TALK, *(["--transport=roce"] if transport == "roce" else [])))


def quiet(found, seconds=120):
    """Much later, a foreign packet shows that the capture went on."""
    other = ask(bytes.fromhex("02000000aaaa"))
    return [*found, (found[-1][0] + seconds * S, len(other), other)]


def repeat(found, frames, times, apart=S):
    """These frames again and again at the end."""
    again, at = list(found), found[-1][0]
    for _ in range(times):
        at += apart
        again += [(at + k, *found[frame - 1][1:]) for k, frame in enumerate(frames)]
    return again


def advice(troubles, found):
    return find(troubles(quiet(found)), "call-unanswered")[0]["next"]


AT = {"iwarp": {"request": 9, "data": (10, 15), "whole": 18, "write": 23}, "roce": {"request": 10, "data": (11, 18), "whole": 18, "write": 25}}


def test_the_service_is_silent(troubles, transport, talk):
    """The server has all that it needs."""
    assert "not at the network" in advice(troubles, talk[:AT[transport]["whole"]])


@pytest.mark.parametrize("transport, alive", [("iwarp", True), ("iwarp", False), ("roce", True)], indirect=["transport"])
def test_data_of_the_client_do_not_arrive(troubles, transport, talk, alive):
    """The path's MTU becomes smaller in the middle of a WRITE, or the server's host dies. RoCE: a dead host does not ask again."""
    first, last = AT[transport]["data"]
    found = repeat(talk[:last], [first - 1, *range(first, last + 1)] if transport == "roce" else [first], 17)
    if transport == "iwarp" and alive:
        time, length, octets = talk[first - 2]  # the server's Read Request comes again, because its ACK is lost, too
        found.append((found[-1][0] + S, length, octets))
    text = advice(troubles, found)
    assert "not at the network" not in text and ("MTU" in text) == alive
    assert ("18 times" in text) and (alive or "its host" in text or "the host of the server is down" in text)


def test_data_of_the_server_do_not_arrive(troubles, transport, talk):
    first = AT[transport]["write"] - 2
    text = advice(troubles, repeat(talk[:AT[transport]["write"]], [first], 17))
    assert "not at the network" not in text and "18 times" in text


def test_the_client_does_not_answer_a_read_request(troubles, transport, talk):
    text = advice(troubles, talk[:AT[transport]["request"]])
    assert f"the server waits for the Read Response to its Read Request in frame {AT[transport]['request']}" in text


def test_the_server_stops_in_the_middle_of_an_answer(troubles, transport, talk):
    """Its host dies during a READ."""
    found = talk[:AT[transport]["write"]]
    if transport == "iwarp":
        found.append(talk[27])  # the client's ACK
    assert f"began to answer, and stopped in frame {AT[transport]['write']}" in advice(troubles, found)


def test_keepalives_are_not_answered(troubles, play):
    talk = records(play(TALK))[:18]
    ack, whole = next(octets for *_, octets in reversed(talk) if side_of(octets) == 0), talk[-1][0]
    at = ip_header(ack)[1]
    seq = struct.unpack(">I", ack[at + 24:at + 28])[0] + len(ack) - 54 - 1
    ip = ack[:16] + struct.pack(">H", 40) + ack[18:24] + b"\0\0" + ack[26:at + 20]  # without checksums, as hosts leave them to their adapters
    probe = ip + ack[at + 20:at + 24] + struct.pack(">I", seq) + ack[at + 28:at + 33] + b"\x10" + ack[at + 34:at + 36] + b"\0\0" + ack[at + 38:at + 40]
    text = advice(troubles, talk + [(whole + k * 10 * S, 54, probe) for k in range(1, 6)])
    assert "answered none of 5 keepalives from frame 19 on" in text and "not at the network" not in text


# ---- PSNs ----

def with_psn(octets, psn, syndrome=None):
    changed = bytearray(octets)
    kind, at = ip_header(octets)
    bth = at + 28
    changed[bth + 9:bth + 12] = psn.to_bytes(3, "big")
    if syndrome is not None:
        changed[bth + 12] = syndrome
    right, place = icrc(bytes(changed), kind, at)
    changed[place:place + 4] = right
    return bytes(changed)


def psn_of(octets):
    return int.from_bytes(octets[ip_header(octets)[1] + 37:ip_header(octets)[1] + 40], "big")


@pytest.mark.parametrize("step, naks", [(1000, True), (-1000, True), (-1000, False)])
def test_the_client_begins_at_a_wrong_psn(check, report, play, tmp_path, step, naks):
    talk = records(play(TALK, "--transport=roce"))
    named, wrong = psn_of(talk[3][2]), (psn_of(talk[3][2]) + step) & 0xFFFFFF
    call = (talk[3][0], talk[3][1], with_psn(talk[3][2], wrong))
    found = talk[:3] + [call] + ([(call[0] + 1, talk[4][1], with_psn(talk[4][2], named, 0x60))] if naks else [])
    path = write(tmp_path / "psn.pcap", quiet(repeat(found, [4], 7)))
    troubles = report(path)[1]["captures"][0]["trouble"]
    (trouble,) = find(troubles, "wrong-psn")
    assert f"the client begins with PSN {wrong} in frame 4, but the ConnectReply in frame 2 told it to begin with PSN {named}" in trouble["words"]
    assert ("NAK, PSN sequence error, in frame 5" in trouble["words"]) == naks
    if step > 0:
        assert "NULL in frame 4" in find(troubles, "call-unanswered")[0]["words"]
    assert "holes in the capture" not in check(path).stdout


@pytest.mark.parametrize("lost", [[3], [3, 4], [4]])
def test_packets_that_the_capture_lost_are_no_wrong_psn(troubles, play, lost):
    talk = records(play(TALK, "--transport=roce"))
    assert find(troubles([packet for k, packet in enumerate(talk) if k not in lost]), "wrong-psn") == []
