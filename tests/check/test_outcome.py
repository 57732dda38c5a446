# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened: requests that fail again and again, and mounts that the server refuses."""
import pathlib
import re

import pytest

S = 10**9
TYPES = pathlib.Path(__file__).resolve().parents[2] / "wire" / "nfs_types.txt"
SESSION = ["I call nfs41.compound ops=exchange_id", "R reply", "I call nfs41.compound ops=create_session", "R reply"]
READ = {2: "nfs2.read", 3: "nfs3.read", 4: "nfs41.compound ops=sequence,putfh,read:512"}
V3 = [1, 2, 5, 6, 13, 17, 18, 19, 20, 21, 22, 27, 28, 30, 31, 63, 66, 69, 70, 71, *range(10001, 10009)]


def statuses():
    """{number: name}, of all versions."""
    text = re.search(r"^statuses ((?:.|\n )*)", TYPES.read_text(encoding="utf-8"), re.M).group(1).split()
    return {int(number): name for number, name in reversed(list(zip(text[::2], text[1::2]))) if number != "0"}


def session(*lines, start="with nfs"):
    return [start, *SESSION, *lines]


def calls(call, reply, n):
    return [f"I call {call}", f"R reply {reply}"] * n


@pytest.fixture
def trouble(play, report):
    """trouble([statement], *options of iwarp-gen) -> what happened"""
    def run(lines, *options):
        return report(play(lines[1:], *options, start=lines[0]))[1]["captures"][0]["trouble"]
    return run


def repeated(found):
    return [each for each in found if each["kind"] == "request-repeated"]


@pytest.mark.parametrize("version, numbers", [(3, V3), (4, sorted(statuses()))], ids=["v3", "v4"])
@pytest.mark.parametrize("transport", [[], ["--transport=roce"]], ids=["iwarp", "roce"])
def test_each_status(trouble, version, numbers, transport):
    """A READ that fails 20 times in the same way is never silent, and its line says who has to do what."""
    results = "results=3 " if version == 4 else ""
    lines = []
    for number in numbers:
        lines += ["next with nfs" if lines else "with nfs", *(SESSION if version == 4 else []),
                  *calls(READ[version], f"{results}status={number}", 20)]
    found = trouble(lines, *transport)
    names = statuses() | ({10008: "JUKEBOX"} if version == 3 else {13: "ACCESS"})
    for number in numbers:
        (line,) = [each for each in repeated(found) if f"with NFS{version}ERR_{names[number]}," in each["words"]]
        assert line["count"] == 20 and line["words"].startswith("READ failed 20 times") and line["next"] and line["level"] == "trouble"
        assert re.search(r": (the client|client and server) ", line["words"]), line


@pytest.mark.parametrize("call, status", [
    ("nfs3.lookup", 2), ("nfs3.create", 17), ("nfs3.access", 13), ("nfs3.remove", 2), ("nfs3.rmdir", 66), ("nfs3.setattr", 1),
    ("acl3.getacl", 10004)])
def test_an_ordinary_answer(trouble, call, status):
    """However often a program asks."""
    call = call.replace("acl3", "nfsacl3")
    assert not repeated(trouble(["with nfs", *calls(call, f"status={status}", 30)]))


@pytest.mark.parametrize("ops, results, status", [("lookup", 3, 2), ("open,getfh", 3, 17), ("remove", 3, 2), ("lock", 3, 10010),
                                                  ("access", 3, 13), ("verify", 3, 10027)])
def test_an_ordinary_answer_of_version_4(trouble, ops, results, status):
    found = trouble(session(*calls(f"nfs41.compound ops=sequence,putfh,{ops}", f"results={results} status={status}", 30)))
    assert not repeated(found), found


@pytest.mark.parametrize("failures, lines", [(2, 0), (4, 0), (5, 1)])
@pytest.mark.parametrize("then", ["", "results=3 status=10024"])
def test_a_few_tries_are_normal(trouble, failures, lines, then):
    """Then the request succeeds, or the capture ends."""
    read = READ[4]
    found = trouble(session(*calls(read, "results=3 status=10024", failures - bool(then)), f"I call {read}", f"R reply {then}"))
    assert len(repeated(found)) == lines
    assert all(("succeeded in frame" in each["words"]) != bool(then) for each in repeated(found))


def test_another_stateid_is_another_request(trouble):
    """A client that refreshes its stateid each time is not in a loop over one stateid."""
    lines = [line for n in range(12) for line in calls(f"nfs41.compound ops=sequence,putfh,read:512 op2.state_seqid={n + 1}", "results=3 status=10024", 1)]
    assert not repeated(trouble(session(*lines)))


def test_the_same_stateid_at_other_offsets(trouble):
    lines = [line for n in range(12) for line in calls(f"nfs41.compound ops=sequence,putfh,read:512 op2.offset={n * 512}", "results=3 status=10025", 1)]
    (found,) = repeated(trouble(session(*lines)))
    assert found["count"] == 12 and "with the same stateid" in found["words"]


def test_version_4_0_counts_its_requests(trouble):
    """The seqid of a CLOSE changes each time, and the request is the same."""
    lines = [line for n in range(8) for line in calls(f"nfs40.compound ops=putfh,close op1.seqid={n}", "results=2 status=10023", 1)]
    (found,) = repeated(trouble(["with nfs", *lines]))
    assert found["count"] == 8 and found["words"].startswith("CLOSE failed")


@pytest.mark.parametrize("pause, kinds", [(0.001, ["request-repeated"]), (2, ["server-busy"]), (0.2, [])])
def test_who_waits_and_who_does_not(play, timed, report, pause, kinds):
    """NFS4ERR_DELAY: a client that tries again at once, and a server that is busy for long."""
    lines = session(*calls(READ[4], "results=3 status=10008", 12), f"I call {READ[4]}", "R reply")
    times = [int(n / 2 * pause * S) for n in range(len(lines) - 1)]
    found = report(timed(play(lines[1:], start=lines[0]), times))[1]["captures"][0]["trouble"]
    assert [each["kind"] for each in found] == kinds
    assert all("without waiting" in each["words"] for each in repeated(found))


@pytest.mark.parametrize("number", [10008, 10010, 10012, 10013, 10015, 10045, 10046, 10057, 10058, 10061, 10074, 10086])
def test_a_server_that_is_busy_for_long(play, timed, report, number):
    """Every status that asks the client to wait."""
    lines = session(*calls(READ[4], f"results=3 status={number}", 20))
    (found,) = report(timed(play(lines[1:], start=lines[0]), [n * S // 4 for n in range(len(lines) - 1)]))[1]["captures"][0]["trouble"]
    assert found["kind"] == "server-busy" and f"NFS4ERR_{statuses()[number]}" in found["words"]


def test_a_lock_that_another_client_holds(play, timed, report):
    lines = session(*calls("nfs41.compound ops=sequence,putfh,lock", "results=3 status=10010", 20))
    assert not report(timed(play(lines[1:], start=lines[0]), [n * S // 4 for n in range(len(lines) - 1)]))[1]["captures"][0]["trouble"]


def test_over_connections(trouble):
    """A client that reconnects before each attempt."""
    lines = session(*calls(READ[4], "results=3 status=10023", 1))
    for _ in range(7):
        lines += session(*calls(READ[4], "results=3 status=10023", 1), start="next with nfs")
    (found,) = repeated(trouble(lines))
    assert found["count"] == 8


@pytest.mark.parametrize("step, guilty", [(2, True), (1, False)])
def test_a_slot_whose_sequence_is_skipped(trouble, step, guilty):
    """The client's fault if it skips; else nobody is accused."""
    call = "nfs41.compound ops=sequence,putfh,getattr op0.slotid=3 op0.sequenceid={}"
    lines, sequence = calls(call.format(1), "", 1), 1
    for _ in range(3):
        lines += calls(call.format(sequence + step), "results=1 status=10063", 1) + calls(call.format(sequence + 1), "", 1)
        sequence += 1
    (found,) = repeated(trouble(session(*lines)))
    assert ("the client skips: it used sequence 4 of slot 3 after sequence 2" in found["words"]) == guilty
    assert ("client and server disagree" in found["words"]) != guilty


# ---- mounts ----

MOUNTED = [*SESSION, "I call nfs41.compound ops=sequence,reclaim_complete", "R reply", "I call nfs41.compound ops=sequence,putrootfh,getfh,getattr", "R reply",
           "I call nfs41.compound ops=sequence,putfh,lookup:export,getfh,getattr", "R reply",
           "I call nfs41.compound ops=sequence,putfh,lookup:data,getfh,getattr", "R reply"]
STEPS = [(1, "results=1 status=10017", "EXCHANGE_ID"), (3, "results=1 status=10022", "CREATE_SESSION"), (5, "results=2 status=10034", "RECLAIM_COMPLETE"),
         (7, "results=2 status=10016", "PUTROOTFH"), (9, "results=3 status=2", "LOOKUP of /export"), (11, "results=3 status=13", "LOOKUP of /export/data")]


@pytest.mark.parametrize("at, reply, what", STEPS, ids=[step[2].replace("/", "-") for step in STEPS])
@pytest.mark.parametrize("transport", [[], ["--transport=roce"]], ids=["iwarp", "roce"])
def test_a_refused_mount(trouble, at, reply, what, transport):
    lines = [*MOUNTED[:at], f"R reply {reply}"]
    first, *others = trouble(["with nfs", *lines], *transport)
    assert first["kind"] == "mount-refused" and f"the mount was refused: {what} failed in frame" in first["words"] and first["next"]
    assert not others


@pytest.mark.parametrize("at, reply, what", STEPS[:4])
def test_a_mount_that_succeeds_in_the_end(trouble, at, reply, what):
    """A client may probe, and go on another way."""
    lines = [*MOUNTED[:at], f"R reply {reply}", *MOUNTED[at - 1:], "I call nfs41.compound ops=sequence,putfh,access", "R reply"]
    assert not [each for each in trouble(["with nfs", *lines]) if each["kind"] == "mount-refused"], what


def test_a_name_that_is_missing_in_a_mount(trouble):
    lines = [*MOUNTED, "I call nfs41.compound ops=sequence,putfh,access", "R reply", *calls("nfs41.compound ops=sequence,putfh,lookup:no,getfh", "results=3 status=2", 1)]
    assert not trouble(["with nfs", *lines])


def test_a_session_that_is_never_used(play, timed, report):
    lines = [*SESSION, *SESSION]
    found = report(timed(play(lines, start="with nfs"), [n * S for n in range(8)]))[1]["captures"][0]["trouble"]
    assert any(each["kind"] == "mount-refused" and "made 2 sessions" in each["words"] and "used none" in each["words"] for each in found), found


@pytest.mark.parametrize("status, words", [(1, "port 40001 is above 1023"), (13, "port 40001 is above 1023"), (5, "storage")])
def test_a_refused_mount_of_version_3(trouble, status, words):
    (found,) = trouble(["with nfs", "I call nfs3.null", "R reply", "I call nfs3.fsinfo", f"R reply status={status}"])
    assert found["kind"] == "mount-refused" and "the mount was refused: FSINFO failed in frame" in found["words"] and words in found["next"]


def test_a_stale_handle_of_an_old_mount(trouble):
    """The capture begins after the mount."""
    assert "mount-refused" not in [each["kind"] for each in trouble(["with nfs", *calls("nfs3.getattr", "status=70", 3)])]


def test_a_root_that_is_stale(trouble):
    (found,) = trouble(["with nfs", "I call nfs3.fsinfo", "R reply", "I call nfs3.getattr", "R reply status=70"])
    assert found["kind"] == "mount-refused" and "GETATTR failed in frame" in found["words"]


def test_a_refused_export(trouble):
    (found,) = trouble(["with nfs", "I call mount3.mnt path=/srv/data", "R reply status=13"])
    assert found["kind"] == "mount-refused" and "MNT of /srv/data failed" in found["words"]


@pytest.mark.parametrize("apart, lines", [(120 * S, 0), (S // 1000, 1)])
def test_layouts_that_the_server_does_not_give(play, timed, report, apart, lines):
    """A client may ask again after minutes."""
    asked = session(*calls("nfs41.compound ops=sequence,putfh,layoutget", "results=3 status=10059", 12))
    capture = timed(play(asked[1:], start=asked[0]), [n // 2 * apart + n * S // 10000 for n in range(len(asked) - 1)])
    assert len(repeated(report(capture)[1]["captures"][0]["trouble"])) == lines


# ---- tables ----

def test_replies_by_status(play, report, check, schema):
    lines = session(*calls(READ[4], "results=3 status=10024", 3), *calls(READ[4], "", 2))
    capture = play(lines[1:], start=lines[0])
    rows = report(capture)[1]["captures"][0]["connections"][0]["rpcrdma"]["statuses"]
    assert [(row["name"], row["status_name"], row["replies"]) for row in rows if row["name"] == "READ"] == [("READ", "NFS4ERR_OLD_STATEID", 3), ("READ", "NFS4_OK", 2)]
    text = check(capture).stdout
    assert "Replies with errors: 3 READ NFS4ERR_OLD_STATEID\n" in text and "NFS4_OK" not in text
    assert "2 READ NFS4_OK" in check("-v", capture).stdout and "Replies with errors: 3 READ" in check("--stats", capture).stdout
    assert "NFS4ERR_OLD_STATEID" in check("--format=html", capture).stdout
    assert '"rpcrdma.replies.READ.NFS4ERR_OLD_STATEID" value="3"' in check("-v", "--format=junit", capture).stdout
    printed = check("--print=ndjson", capture).stdout.splitlines()
    assert sum('"type" : "call"' in line and '"status" : "NFS4ERR_OLD_STATEID"' in line for line in printed) == 3
    assert all('"source" : "192.0.2.' in line and '"destination" : "192.0.2.' in line for line in printed)


@pytest.mark.parametrize("lines, gaps, n", [
    (1, [1] * 9, 10), (0, [100] * 9, 10), (0, [100, 1, 1, 100, 1, 1, 1, 100, 1], 10), (1, [80] * 9, 10), (1, [100] * 4 + [1] * 5, 6),
    (1, [1] * 5 + [10000], 7)], ids=["loop", "seldom", "a few now and then", "once a lease", "a loop after single failures", "again after the loop"])
def test_failures_that_are_far_apart(play, timed, report, lines, gaps, n):
    """gaps: seconds between failures of the same request; n: how many of them make the line."""
    script = session(*calls(READ[4], "results=3 status=10024", len(gaps) + 1))
    times = [n * S // 1000 for n in range(4)]
    for gap in [1, *gaps]:
        times += [times[-1] + gap * S, times[-1] + gap * S + S // 1000]
    found = repeated(report(timed(play(script[1:], start=script[0]), times))[1]["captures"][0]["trouble"])
    assert [each["count"] for each in found] == [n] * lines


@pytest.mark.parametrize("apart, lines", [(1, 1), (120, 0)])
def test_failures_on_many_connections_that_are_far_apart(play, timed, report, apart, lines):
    script = [line for n in range(8) for line in [*(["next with nfs"] if n else []), *calls("nfs3.read", "status=5", 1)]]
    found = report(timed(play(script, start="with nfs"), [n // 2 * apart * S + n % 2 * S // 1000 for n in range(16)]))[1]
    assert len(repeated(found["captures"][0]["trouble"])) == lines


def without_start(source, target, packets_of_start):
    """A copy without the first packets."""
    data, at = source.read_bytes(), 24
    for _ in range(packets_of_start):
        at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
    target.write_bytes(data[:24] + data[at:])
    return target


@pytest.mark.parametrize("start, at, reply, words", [
    (0, 3, "results=1 status=10022", "the mount was refused: CREATE_SESSION"),
    (5, 3, "results=1 status=10022", "the mount was refused, or not resumed: CREATE_SESSION"),
    (5, 9, "results=3 status=2", "the mount was refused: LOOKUP of /export")])
def test_a_capture_that_starts_late(play, report, tmp_path, start, at, reply, words):
    """After the start-up of the connection, only the steps up to RECLAIM_COMPLETE are those of a client that recovers, too."""
    source = play([*MOUNTED[:at], f"R reply {reply}"], start="with nfs")
    (found,) = report(without_start(source, tmp_path / "late.pcap", start))[1]["captures"][0]["trouble"]
    assert found["kind"] == "mount-refused" and words in found["words"]


def test_a_client_that_lost_its_session(trouble):
    """The session is from before the capture."""
    lines = [*calls(READ[4], "results=1 status=10052", 1), SESSION[0], "R reply results=1 status=10017"]
    assert any("the mount was refused, or not resumed: EXCHANGE_ID failed" in each["words"] for each in trouble(["with nfs", *lines]))


def test_a_name_that_is_missing_after_a_client_recovered(play, report, tmp_path):
    """The start and the mount are older than the capture: a program looks up a name."""
    source = play([*SESSION, *calls("nfs41.compound ops=sequence,putfh,lookup:no,getfh", "results=3 status=2", 1)], start="with nfs")
    assert not report(without_start(source, tmp_path / "late.pcap", 5))[1]["captures"][0]["trouble"]
