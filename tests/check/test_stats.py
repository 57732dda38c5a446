# SPDX-License-Identifier: GPL-2.0-or-later
"""--stats: figures of captures whose times are known, and what they come down to in words."""
import re
import subprocess

import pytest

from stats import messages, retime

MS, US = 10**6, 10**3


@pytest.fixture
def play(build, tmp_path):
    """play([step], *options) -> pcap; "call" and "reply" of the steps are those of iwarp-scenario(5)."""
    def run(steps, *options, connection="rpc-over-rdma: true"):
        lines = ["# SPDX-License-Identifier: GPL-2.0-or-later", "name: timed", 'summary: "its times are set by the test"',
                 f"connection: {{{connection}}}", "steps:", *(f"  - {step}" for step in steps)]
        (tmp_path / "timed.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", tmp_path / "timed.yaml", *options, "--pcap", "-o", tmp_path / "timed.pcap"],
                       check=True, capture_output=True)
        return tmp_path / "timed.pcap"
    return run


@pytest.fixture
def timed(check, tmp_path):
    """timed(pcap, [time of each RPC-over-RDMA message, ns]) -> pcap. What comes before a message has the time of the one before that."""
    def run(source, times):
        said = messages(check("--print", source).stdout)
        assert len(said) == len(times)
        at = dict(zip([message[0] for message in said], times))
        assert len(at) == len(times), "two messages in a frame"

        def time_of(frame):
            return max((time for message, time in at.items() if message <= frame), default=0)
        return retime(source, tmp_path / "retimed.pcap", time_of)
    return run


def section(result):
    """The part of the text report that --stats adds."""
    return result.stdout.partition("\nwhy is it slow?\n")[2]


def test_without_the_option_nothing_is_said(check, good):
    assert "why is it slow" not in check(good).stdout


def test_a_client_serialised_by_grants_of_zero(check, play, timed):
    """Each Call takes 84 us; the next one follows after 2 us, as the client had it ready all the time."""
    steps = ["client: {call: nfs3.getattr}", "server: {reply: {credits: 0}}"] * 100
    times = [MS + n // 2 * 86 * US + n % 2 * 84 * US for n in range(200)]
    said = section(check("--stats", timed(play(steps), times)))
    assert "98 % of the time the client had as many Calls outstanding as it had credits: 1.\n" in said
    assert ("at the limit for 8.40 ms of 8.60 ms; credits granted: 0, requested: 32; the next Call followed 2.00 µs (median) after a Reply "
            "had freed a credit; 100 of 100 Replies granted 0 credits\n") in said
    assert "mend the server\n" in said
    assert re.search(r"NFS3 GETATTR +100 +84.0 µs +84.0 µs +84.0 µs +84.0 µs\n", said)
    assert said.index("% of the time the client had as many") < said.index("server"), "the most important comes first"


def test_an_idle_client(check, play, timed):
    """One Call each 10 ms, answered within one."""
    steps = ["client: {call: nfs3.getattr}", "server: {reply: {credits: 16}}"] * 20
    times = [MS + n // 2 * 10 * MS + n % 2 * MS for n in range(40)]
    said = section(check("--stats", timed(play(steps), times)))
    assert "90 % of the time the client waited for nothing: it had no Call outstanding.\n" in said
    assert "no Call outstanding for 171 ms; 19 pauses between a Reply and the next Call, median 9.00 ms, longest 9.00 ms\n" in said
    assert "as many Calls outstanding as it had credits" not in said
    assert "The client had a single Call outstanding for 100 % of the time that it waited at all, though it had 16 credits.\n" in said


def test_calls_without_reply_are_counted_but_not_timed(check, play, timed):
    steps = ["client: {call: nfs3.getattr}", "server: {reply: {credits: 16}}", "client: {call: nfs3.access}", "client: {call: nfs3.getattr}",
             "server: reply"]
    capture = play(steps)
    said = section(check("--stats", timed(capture, [MS, 2 * MS, 3 * MS, 4 * MS, 9 * MS])))
    assert "1 Call has no Reply in the capture.\n" in said
    assert re.search(r"NFS3 GETATTR +2 +1 +1.00 ms +1.00 ms +1.00 ms +1.00 ms\n", said)
    assert re.search(r"NFS3 ACCESS +1 +- +6.00 ms +6.00 ms +6.00 ms +6.00 ms\n", said)
