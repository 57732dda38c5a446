# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened: answers that say that the server is in trouble, and answers that come late."""
import re

import pytest

from stats import retime

S = 10**9


@pytest.fixture
def happened(play, timed, report):
    """happened([(Call, what the Reply says)], seconds from each message to the next) -> the troubles of the capture"""
    def run(calls, step):
        steps = [line for call, reply in calls for line in (f"client: {{call: {call}}}", f"server: {{reply: {reply}}}")]
        return report(timed(play(steps), [int(n * step * S) for n in range(2 * len(calls))]))[1]["captures"][0]["trouble"]
    return run


GOOD = ("nfs3.getattr", "{}")


@pytest.mark.parametrize("step, kinds", [(0.5, ["server-busy"]), (0.05, [])])
def test_a_server_that_asks_to_try_again(happened, step, kinds):
    """For some seconds; a tenth of that is nothing to talk of."""
    trouble = happened([("nfs3.write", "{status: 10008}")] * 5 + [GOOD], step)
    assert [each["kind"] for each in trouble] == kinds
    for each in trouble:
        assert each["level"] == "trouble" and each["count"] == 5 and each["lasted"] == pytest.approx(8 * step)
        assert "answered 5 Calls with NFS3ERR_JUKEBOX" in each["words"] and "(WRITE)" in each["words"] and "next" in each


@pytest.mark.parametrize("call, reply, name, kind", [
    ("nfs3.read", "{status: 5}", r"READ failed in frame \d+ with NFS3ERR_IO", "call-failed"),
    ("nfs3.write", "{status: 28}", "NFS3ERR_NOSPC", "answered-with-error"),
    ("nfs3.getattr", "{status: 70}", "NFS3ERR_STALE", "answered-with-error"),
    ("nfs3.lookup", "{status: 2}", None, None),
    ("mount3.mnt", "{status: 13}", r"MNT failed in frame \d+ with MNT3ERR_ACCES", "call-failed"),
    ("nfs3.read", "{accept-stat: GARBAGE_ARGS}", "GARBAGE_ARGS", "call-failed"),
    ("nfs3.null", "{accept-stat: PROG_MISMATCH, low: 4, high: 4}", None, None),
    ("nfs3.null", "{denied: AUTH_ERROR, auth-stat: 5}", None, None),
])
def test_errors(happened, call, reply, name, kind):
    """Between Calls that go well."""
    trouble = happened([GOOD, (call, reply), GOOD], 0.001)
    assert [each["kind"] for each in trouble] == ([kind] if kind else [])
    assert all(re.search(name, each["words"]) for each in trouble), trouble


@pytest.mark.parametrize("reply, name", [("{accept-stat: PROG_MISMATCH, low: 4, high: 4}", "PROG_MISMATCH"),
                                         ("{denied: AUTH_ERROR, auth-stat: 5}", "AUTH_TOOWEAK")])
def test_the_last_word(happened, reply, name):
    """A client that tries one thing after the other is well, unless nothing else follows."""
    (trouble,) = happened([GOOD, ("nfs3.null", reply)], 0.001)
    assert trouble["kind"] == "call-failed" and name in trouble["words"]


def test_a_late_answer(check, play, timed, report):
    capture = timed(play(["client: {call: nfs3.getattr}", "server: reply", "client: {call: nfs3.read, count: 512}", "server: reply"]),
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
