# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened around RDMA: the network's and the hosts' answers to what the peers send."""
import pytest

from around import ACK, FIN, MS, RST, S, Connection, write


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
    assert trouble["next"].endswith("; it did until 00:00:00.005, connection 1")


def test_a_request_that_is_never_acknowledged(troubles):
    found = []
    connection = Connection(found).open()
    connection.request()
    for _ in range(4):
        connection.request(again=True)
    (trouble,) = troubles(found)
    assert trouble["kind"] == "connect-no-answer" and "never acknowledges the MPA Request" in trouble["next"]
