# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened: answers of a server in trouble, and late answers."""
import re
import struct

import pytest

from stats import packets, retime

S = 10**9


@pytest.fixture
def happened(play, timed, report):
    """happened([(Call, contents of the Reply)], seconds between messages) -> the troubles of the capture"""
    def run(calls, step):
        steps = [line for call, reply in calls for line in (f"I call {call}", f"R reply {reply}")]
        return report(timed(play(steps), [int(n * step * S) for n in range(2 * len(calls))]))[1]["captures"][0]["trouble"]
    return run


GOOD = ("nfs3.getattr", "")


@pytest.mark.parametrize("step, kinds", [(1, ["server-busy"]), (0.5, [])])
def test_a_server_that_asks_to_try_again(happened, step, kinds):
    """For eight seconds; half of this is not reported."""
    trouble = happened([("nfs3.write", "status=10008")] * 5 + [GOOD], step)
    assert [each["kind"] for each in trouble] == kinds
    for each in trouble:
        assert each["level"] == "trouble" and each["count"] == 5 and each["lasted"] == pytest.approx(8 * step)
        assert "answered 5 Calls with NFS3ERR_JUKEBOX" in each["words"] and "(WRITE)" in each["words"] and "next" in each


def test_a_server_that_is_busy_now_and_then(happened):
    """The client is served at each next attempt: minutes between them are not spent waiting."""
    assert "server-busy" not in [each["kind"] for each in happened([("nfs3.write", "status=10008"), GOOD] * 4, 30)]


@pytest.mark.parametrize("call, reply, name, kind", [
    ("nfs3.read", "status=5", r"READ failed in frame \d+ with NFS3ERR_IO", "call-failed"),
    ("nfs3.write", "status=28", "NFS3ERR_NOSPC", "answered-with-error"),
    ("nfs3.getattr", "status=70", "NFS3ERR_STALE", "answered-with-error"),
    ("nfs3.lookup", "status=2", None, None),
    ("mount3.mnt", "status=13", r"MNT failed in frame \d+ with MNT3ERR_ACCES", "call-failed"),
    ("nfs3.read", "accept=4", "GARBAGE_ARGS", "call-failed"),
    ("nfs3.null", "accept=2 low=4 high=4", None, None),
    ("nfs3.null", "denied reject=1 auth=5", None, None),
])
def test_errors(happened, call, reply, name, kind):
    """Between successful Calls."""
    trouble = happened([GOOD, (call, reply), GOOD], 0.001)
    assert [each["kind"] for each in trouble] == ([kind] if kind else [])
    assert all(re.search(name, each["words"]) for each in trouble), trouble


def test_no_error_is_left_out(happened):
    """Even with many different errors on a connection."""
    errors = [("nfs3.write", status, f"NFS3ERR_{name}") for status, name in ((5, "IO"), (28, "NOSPC"), (69, "DQUOT"), (70, "STALE"), (10006, "SERVERFAULT"))]
    errors += [("mount3.mnt", status, f"MNT3ERR_{name}") for status, name in ((1, "PERM"), (2, "NOENT"), (5, "IO"), (13, "ACCES"), (10006, "SERVERFAULT"))]
    trouble = happened([GOOD] + [(call, f"status={status}") for call, status, _ in errors] + [GOOD], 0.001)
    assert [[name for each in trouble if f"with {name}" in each["words"]] for *_, name in errors] == [[name] for *_, name in errors]


@pytest.mark.parametrize("reply, name", [("accept=2 low=4 high=4", "PROG_MISMATCH"),
                                         ("denied reject=1 auth=5", "AUTH_TOOWEAK")])
def test_the_last_word(happened, reply, name):
    """A client that tries alternatives is well, unless its last attempt fails."""
    (trouble,) = happened([GOOD, ("nfs3.null", reply)], 0.001)
    assert trouble["kind"] == "call-failed" and name in trouble["words"]


def test_a_late_answer(check, play, timed, report):
    capture = timed(play(["I call nfs3.getattr", "R reply", "I call nfs3.read count=512", "R reply"]),
                    [0, S // 100, S // 50, 4 * S])
    (trouble,) = report(capture)[1]["captures"][0]["trouble"]
    assert trouble["kind"] == "slow-answer" and trouble["level"] == "note" and trouble["lasted"] == pytest.approx(3.98)
    assert trouble["words"].startswith("READ in frame ") and "only after 3.98 s" in trouble["words"]
    assert check(capture).stdout.startswith("PASS, but slow: a Call took 3.98 s")
    assert check("--fail-on=trouble", capture).returncode == 0


@pytest.mark.parametrize("transport", [[], ["--transport=roce"]])
@pytest.mark.parametrize("net, kinds", [(["--net=loss=0.05", "--seed=5"], ["sent-again-late"]), ([], [])])
def test_lost_packets(report, capture, tmp_path, transport, net, kinds):
    slow = retime(capture("nfs41", "--pcap", *transport, *net, suffix="pcap"), tmp_path / "slow.pcap", lambda frame: frame * S // 10)
    trouble = report(slow)[1]["captures"][0]["trouble"]
    assert sorted({each["kind"] for each in trouble} & {"sent-again-late"}) == kinds, trouble


@pytest.mark.parametrize("transport", [[], ["--transport=roce"]])
def test_a_copy_of_what_is_acknowledged_holds_nothing_up(report, capture, tmp_path, transport):
    """The client's packet is repeated after its acknowledgment, and then nothing comes for a minute."""
    found, link = packets(capture("nfs3", "--pcap", *transport, suffix="pcap").read_bytes())
    long = [k for k, (_, length, octets) in enumerate(found) if octets[26:30] == bytes((192, 0, 2, 1)) and length > 180]
    at, again = long[3], found[long[3]]
    with open(tmp_path / "again.pcap", "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link))
        for k, (captured, length, octets) in enumerate([*found[:at + 8], again, *found[at + 8:]]):
            out.write(struct.pack("<IIII", 1_000_000_000 + k // 1000 + (k > at + 8) * 60, k % 1000 * 1000, captured, length) + octets)
    trouble = report(tmp_path / "again.pcap")[1]["captures"][0]["trouble"]
    assert [each for each in trouble if each["kind"] == "sent-again-late"] == []
