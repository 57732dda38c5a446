# SPDX-License-Identifier: GPL-2.0-or-later
"""
Captures of iwarp-tap, read by iwarp-check. The kernel's part is played by tests/tap_events.py,
which makes the records that the
server's or the client's kernel would have given of a capture of RoCE, and tests/tap/tap_replay.c, which is the rest of iwarp-tap.
"""
import json
import pathlib
import re
import shutil
import signal
import struct
import subprocess

import pytest

from tests import captures, tap_events

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "howto" / "capture.md"


def of_page(table, *sides):
    """The rules in a table of the page, in its rows about a tap on these sides. A number without a document has that of the one before."""
    _, there, rest = PAGE.read_text(encoding="utf-8").partition(f"\n| {table} | by a tap on |")
    assert there
    found, document = set(), ""
    for row in rest.partition("\n\n")[0].splitlines()[2:]:
        _, _, where, rules, _ = row.split("|")
        for name, rule in re.findall(r"(?:\b([A-Z][A-Z0-9]*)-)?\b(\d[\d.]*-\d+)", rules if where.strip() in sides else ""):
            document = name or document
            found.add(f"{document}-{rule}")
    return found


# The rules that a fault breaks on the wire but a tap cannot show, and findings that only a tap gives.
UNSEEN = {side: of_page("not seen", side, "both") for side in ("server", "client")}
NAMED = {side: of_page("found instead", side) for side in ("server", "client")}
NEVER_LEFT = of_page("found instead", "both")  # on a host that dies; not where records are made from a capture
assert all(UNSEEN.values()) and NAMED["client"] and NEVER_LEFT
FAULTS = ["RPCR-4.5-01", "RPCR-4.1.2-02", "RPCR-4.3.1-03", "RPCR-2.2.2-04", "RPCR-3.3.1-05", "RPCR-3.4.6-04", "RPCR-3.4.6-10", "CMPD-4.1-03", "RPC-9-02",
          "RPCR-3.4.3-03", "RPCR-3.3.3-01", "RPCR-3.1-01", "RPCR-2.3.2-03"]


@pytest.fixture(scope="session")
def replay(build, tmp_path_factory):
    """The capture of a tap at that side of the connections of a capture."""
    program = build / "tests" / "tap" / "tap-replay"
    if not program.exists():
        pytest.skip("tap-replay is not built")
    folder = tmp_path_factory.mktemp("tap")

    def make(path, server, *options):
        out = folder / f"{path.stem}-{'server' if server else 'client'}{len(list(folder.iterdir()))}.pcapng"
        subprocess.run([program, out, *options], input=tap_events.records(path, server), check=True, stderr=subprocess.PIPE)
        return out
    return make


@pytest.fixture(scope="session")
def played(build, tmp_path_factory):
    """A scenario, or a fault, on RoCE."""
    folder = tmp_path_factory.mktemp("played")

    def make(*arguments):
        out = folder / ("-".join(re.sub(r"\W+", "_", argument) for argument in arguments) + ".pcapng")
        if not out.exists():
            subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *arguments, "--transport=roce", "-o", out], check=True, capture_output=True)
        return out
    return make


def outcomes(check, path):
    run = check("--format=ndjson", "--verbose", path)
    return next(line for line in map(json.loads, run.stdout.splitlines()) if line["type"] == "capture")["rules"]


def failed(rules):
    return {rule for rule, counts in rules.items() if counts["failed"]}


def scenario_of(build, fault):
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], capture_output=True, text=True, check=True).stdout
    return next(line.split("\t")[1] for line in listed.splitlines() if line.split("\t")[0] == fault)


@pytest.mark.parametrize("scenario", ["nfs3", "nfs40", "nfs41", "nfs42", "rpcrdma"])
@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_a_tap_says_what_the_wire_says(check, played, replay, scenario, server):
    wire, tap = outcomes(check, played(scenario)), outcomes(check, replay(played(scenario), server))
    assert failed(wire) == failed(tap) == set()
    exercised = {rule for rule, counts in wire.items() if counts["passed"]} & {rule for rule, counts in tap.items() if counts["passed"]}
    assert len(exercised) > 60 and not {rule for rule in tap if rule.startswith(("MPA", "DDP", "RDMAP"))}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_names_the_fault(build, check, played, replay, fault):
    path = played(scenario_of(build, fault), f"--inject={fault}")
    wire, tap = failed(outcomes(check, path)), failed(outcomes(check, replay(path, True)))
    assert wire and not tap - wire
    assert wire - tap <= UNSEEN["server"]


@pytest.mark.parametrize("fault", ["RPCR-3.3.1-03", "RPCR-3.3.1-05", "RPCR-3.3.3-03", "RPCR-6.3-01", "NFSULB-6.7.2-01"])
def test_a_client_names_its_faults(build, check, played, replay, fault):
    """A client knows which Replies had reached it before its next Call, without any Acknowledge."""
    assert fault in failed(outcomes(check, replay(played(scenario_of(build, fault), f"--inject={fault}"), False)))


@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_a_refusal_excuses_the_error_after_it(check, played, replay, server):
    """The Call broke a connection, as its memory was refused, which a tap does not see, and is sent again: ERR_CHUNK is right then."""
    path = replay(played("rpcrdma", "--inject=RPCR-4.5.3-04+ok"), server)
    said = check(path).stdout
    assert "RPCR-4.5-12" not in said and "RDMA_ERROR" in said


@pytest.mark.all  # some minutes
def test_every_fault(build, check, replay, tmp_path):
    """A capture of the tap gives every finding that a tap can see, and no others."""
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], capture_output=True, text=True, check=True).stdout
    rules, wrong = {}, []
    for fault, scenario in (line.split("\t")[:2] for line in listed.splitlines()):
        path = tmp_path / f"{fault}.pcapng"
        made = subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, f"--inject={fault}", "--transport=roce", "-o", path],
                              capture_output=True, check=False)
        if made.returncode == 0:
            rules[fault] = path
    assert len(rules) > 400
    taps = [(fault, server, replay(path, server)) for fault, path in rules.items() for server in (True, False)]
    judged = {}
    for at in range(0, len(rules), 200):
        judged.update(by_file(check, list(rules.values())[at:at + 200]))
    for at in range(0, len(taps), 200):
        judged.update(by_file(check, [path for _, _, path in taps[at:at + 200]]))
    for fault, server, path in taps:
        wire, tap = judged[str(rules[fault])], judged[str(path)]
        side = "server" if server else "client"
        more, less = tap - wire - NAMED[side], wire - tap - UNSEEN[side]
        if more or less:
            wrong.append((fault, side, sorted(more), sorted(less)))
    assert not wrong


def by_file(check, paths):
    lines = map(json.loads, check("--format=ndjson", "--no-progress", *paths).stdout.splitlines())
    return {line["file"]: failed(line["rules"]) for line in lines if line["type"] == "capture"}


def test_nothing_is_said_of_what_was_found_in_memory(build, check, played, replay):
    """The server writes where nobody offered memory. The server's kernel sees the Write, the
    client's kernel only the contents of its memory."""
    path = played(scenario_of(build, "RPCR-3.4.6-04"), "--inject=RPCR-3.4.6-04")
    assert "RPCR-3.4.6-04" in failed(outcomes(check, replay(path, True)))
    assert "RPCR-3.4.6-04" not in outcomes(check, replay(path, False))


def test_the_report_says_what_it_is(check, played, replay):
    path = replay(played("nfs41"), True)
    said = check(path).stdout
    assert "kernel tap, timed by its host, transport not recorded" in said and "path MTU" not in said
    assert "connection 1: 192.0.2.1:40001 -> 192.0.2.2:20049" in said
    connection = next(line for line in map(json.loads, check("--format=ndjson", path).stdout.splitlines()) if line["type"] == "connection")
    assert connection["transport"] == "tap" and connection["ib"]["queue_pairs"] == [None, None] and connection["ib"]["path_mtu"] is None
    assert "Call to Reply" in check("--stats", path).stdout


@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_statistics_count_nothing_that_was_invented(check, played, replay, server):
    """Statistics have neither packets nor parts, and on a client no RDMA by the server, which was not observed. The report says so."""
    path = replay(played("nfs3"), server)
    assert "packets are not counted: the kernel tap invented them" in check("--stats", path).stdout
    assert "Towards" not in check("--stats", path).stdout
    connections = [line for line in map(json.loads, check("--format=ndjson", "--stats", path).stdout.splitlines()) if line["type"] == "connection"]
    statistics = connections[0]["statistics"]
    sides = [statistics["initiator"], statistics["responder"]]
    assert statistics["tapped"] and statistics["mtu"] is None
    assert all(side["carrier"]["packets"] == side["carrier"]["octets"] == 0 for side in sides)
    kinds = {name for side in sides for name, counts in side["operations"].items() if counts and counts["count"]}
    assert "send" in kinds and ("write" in kinds) == ("read" in kinds) == server
    assert all(counts["parts"] == 0 for side in sides for counts in side["operations"].values() if counts)
    assert any(row["to_first_operation"]["count"] for row in statistics["calls"]) == server
    assert any(row["octets_written"] for row in statistics["calls"])
    wire = next(line for line in map(json.loads, check("--format=ndjson", "--stats", played("nfs3")).stdout.splitlines()) if line["type"] == "connection")
    assert not wire["statistics"]["tapped"] and wire["statistics"]["initiator"]["carrier"]["packets"]


def test_a_reply_that_was_never_done_is_not_delivered(check, played, build, tmp_path):
    """The server's kernel has posted the last Reply, and the adapter never said that the client's had it."""
    records, parts, at = tap_events.records(played("nfs3"), True), [], 0
    while at < len(records):
        size = int.from_bytes(records[at:at + 4], "little")
        parts.append(records[at:at + 4 + size])
        at += 4 + size
    kinds = [int.from_bytes(part[4 + 32:4 + 36], "little") for part in parts]
    last = max(i for i, kind in enumerate(kinds) if kind == tap_events.SENT)
    times = int.from_bytes(parts[last][4:12], "little")
    late = bytearray(parts[last][:4 + struct.calcsize(tap_events.RECORD)])  # the connection is over ten seconds later
    late[4:12] = (times + 10**10).to_bytes(8, "little")
    late[4 + 32:4 + 36] = tap_events.LEAVE.to_bytes(4, "little")
    kept = [part for i, part in enumerate(parts) if i != last and kinds[i] not in (tap_events.LEAVE, tap_events.LEFT, tap_events.GONE)]
    out = tmp_path / "undelivered.pcapng"
    subprocess.run([build / "tests" / "tap" / "tap-replay", out], input=b"".join(kept) + bytes(late), check=True, stderr=subprocess.PIPE)
    said = check(out).stdout
    assert "every Call was answered" not in said and "never" in said


@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_headers_have_no_file_data(check, played, replay, server):
    path = played("nfs3")
    whole, headers = replay(path, server), replay(path, server, "--headers")
    assert failed(outcomes(check, headers)) == set()
    # Packets without octets are not in the file, but nothing is missing.
    assert any(octets[9] for _, _, octets in captures.pcapng(headers.read_bytes()))
    for rule in ("RPCR-3.4.3-01", "RPCR-3.4.6-05", "RPCR-4.1.2-07", "RPCR-3.3.1-04"):
        assert outcomes(check, headers).get(rule) == outcomes(check, whole).get(rule), rule
    assert not any(counts["inconclusive"] for counts in outcomes(check, headers).values())
    data = max((o.octets for c in tap_events.connections(path) for o in c.operations if o.what in ("write", "answer")), key=len)
    assert data[100:140] in whole.read_bytes() and data[100:140] not in headers.read_bytes()


def words(*values):
    return struct.pack(f">{len(values)}I", *values)


SECRET = b"file data that remain on the host"
OPAQUE = words(len(SECRET)) + SECRET + bytes(-len(SECRET) % 4)
CREDENTIAL = words(0, 0, 0, 0)
WRITE = words(38) + bytes(16 + 8) + words(2) + OPAQUE
WRITE_SAME = words(70) + bytes(16) + words(2) + bytes(8 * 4 + 4 + 8) + OPAQUE
READ_PLUS = words(68) + bytes(16 + 8) + words(4096)
READ_PLUS_RESULT = words(68, 0, 1, 1, 0) + bytes(8) + OPAQUE


def of_version_42(operation, reads=b""):
    """The Send of a Call."""
    return words(4711, 1, 32, 0) + reads + words(0, 0, 0) + words(4711, 0, 2, 100003, 4, 1) + CREDENTIAL + words(0, 2, 2, 24) + operation


@pytest.mark.parametrize("sends", [
    [of_version_42(WRITE)], [of_version_42(WRITE_SAME)],
    [of_version_42(WRITE, words(1, 96, 5, 40, 0, 0))],  # a chunk of something else
    [of_version_42(READ_PLUS), words(4711, 1, 32, 0, 0, 0, 0) + words(4711, 1, 0, 0, 0, 0) + words(0, 0, 2, 24, 0) + READ_PLUS_RESULT],
], ids=["WRITE", "WRITE_SAME", "another chunk", "READ_PLUS"])
def test_headers_have_no_file_data_of_any_operation(played, build, tmp_path, sends):
    parts, out, size = split(tap_events.records(played("nfs41"), True)), tmp_path / "headers.pcapng", struct.calcsize(tap_events.RECORD)
    after = max(i for i, part in enumerate(parts) if kind_of(part) == tap_events.RECEIVED)
    made = parts[after][4:4 + size]
    for number, octets in enumerate(sends):
        n = len(octets)
        record = made[:16] + struct.pack("<QQIIII", 900 + number, 0, tap_events.HEAD if number else tap_events.RECEIVED, n, n, n) + made[48:] + octets
        parts.insert(after + 1 + number, struct.pack("<I", len(record)) + record)
    for options, there in (([], True), (["--headers"], False)):
        subprocess.run([build / "tests" / "tap" / "tap-replay", out, *options], input=b"".join(parts), check=True, stderr=subprocess.PIPE)
        assert (SECRET in out.read_bytes()) == there


@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_headers_of_small_files_pack_well(check, build, replay, tmp_path, server):
    """READs and WRITEs of 4 KiB: at most 2 % of the octets, as docs/howto/capture.md says. Nothing invented is random."""
    if not shutil.which("zstd"):
        pytest.skip("needs zstd")
    scenario, wire, packed = tmp_path / "small.scenario", tmp_path / "wire.pcapng", tmp_path / "packed.pcapng.zst"
    scenario.write_text("with work nfs=4.2 io=4096 in-flight=1 inline-up-to=512\nI write file len=1638400\nI read file len=1638400\n", encoding="utf-8")
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, "--transport=roce", "--mtu=9000", "-o", wire], check=True, capture_output=True)
    tapped = replay(wire, server, "--headers")
    subprocess.run(["zstd", "-q", tapped, "-o", packed], check=True)
    assert tapped.stat().st_size < 0.19 * wire.stat().st_size and packed.stat().st_size < 0.02 * wire.stat().st_size
    assert outcomes(check, packed) == outcomes(check, tapped)


@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_two_namespaces_with_the_same_addresses(check, played, build, tmp_path, server):
    """At the same time, and with the same ports: they stay two connections, each as it is alone."""
    records, at, both = tap_events.records(played("nfs41"), server), 0, b""
    while at < len(records):
        size = int.from_bytes(records[at:at + 4], "little")
        record = records[at:at + 4 + size]
        other = int.from_bytes(record[12:20], "little") + (1 << 32)
        both += record + record[:12] + other.to_bytes(8, "little") + record[20:]
        at += 4 + size
    lines = []
    for name, octets in (("one", records), ("two", both)):
        path = tmp_path / f"{name}.pcapng"
        subprocess.run([build / "tests" / "tap" / "tap-replay", path], input=octets, check=True, stderr=subprocess.PIPE)
        lines.append([json.loads(line) for line in check("--format=ndjson", "--verbose", path).stdout.splitlines()])
    one, two = ([line for line in each if line["type"] == "connection"] for each in lines)
    assert len(two) == 2 * len(one) > 0 and {line["initiator"] for line in two} == {line["initiator"] for line in one}
    alone, twice = (next(line for line in each if line["type"] == "capture")["rules"] for each in lines)
    assert {rule: counts["passed"] for rule, counts in twice.items()} == {rule: 2 * counts["passed"] for rule, counts in alone.items()}
    assert not failed(twice)


@pytest.mark.parametrize("scenario", ["nfs40", "nfs41", "nfs42", "rpcrdma"])
@pytest.mark.parametrize("server", [True, False], ids=["server", "client"])
def test_losses_make_inconclusive(check, played, build, tmp_path, scenario, server):
    """Each tenth record is lost: nobody is accused, and the report says that something is missing."""
    parts = split(tap_events.records(played(scenario), server))
    for first in range(10):
        out = [bytes(4) if i % 10 == first else part for i, part in enumerate(parts)]
        subprocess.run([build / "tests" / "tap" / "tap-replay", tmp_path / f"lossy{first}.pcapng"], input=b"".join(out), check=True, stderr=subprocess.PIPE)
    run = check("--format=ndjson", "--verbose", "--no-progress", *(tmp_path / f"lossy{first}.pcapng" for first in range(10)))
    judged = [line for line in map(json.loads, run.stdout.splitlines()) if line["type"] == "capture"]
    assert len(judged) == 10
    for first, line in enumerate(judged):
        assert failed(line["rules"]) == set() and any(counts["inconclusive"] for counts in line["rules"].values()), (first, failed(line["rules"]))
        assert line["dropped"] == len(range(first, len(parts), 10))


def split(records):
    parts, at = [], 0
    while at < len(records):
        size = int.from_bytes(records[at:at + 4], "little")
        parts.append(records[at:at + 4 + size])
        at += 4 + size
    return parts


def kind_of(part):
    return int.from_bytes(part[4 + 32:4 + 36], "little")


@pytest.mark.parametrize("lost", ["a block of a Write", "the octets of a Read", "a block of the last Write"])
def test_incomplete_items_accuse_nobody(check, played, build, tmp_path, lost):
    """The kernel's part has said nothing of a loss."""
    parts = split(tap_events.records(played("nfs3"), True))
    later = [i for i, part in enumerate(parts) if kind_of(part) == tap_events.WRITE and not part[4 + 57]]
    read = next(part[4 + 16:4 + 24] for part in parts if kind_of(part) == tap_events.READ)
    if lost == "the octets of a Read":
        parts = [part for part in parts if kind_of(part) != tap_events.READ_OCTETS or part[4 + 16:4 + 24] != read]
    else:
        del parts[later[0 if lost == "a block of a Write" else -1]]
    path = tmp_path / "incomplete.pcapng"
    run = subprocess.run([build / "tests" / "tap" / "tap-replay", path], input=b"".join(parts), check=True, stderr=subprocess.PIPE)
    assert b" 0 dropped, 1 incomplete" in run.stderr
    summary = next(line for line in map(json.loads, check("--format=ndjson", "--verbose", path).stdout.splitlines()) if line["type"] == "capture")
    assert summary["dropped"] == 0 and not failed(summary["rules"]) and any(counts["inconclusive"] for counts in summary["rules"].values())


def test_private_data_that_were_not_read_are_not_judged(check, played, build, tmp_path):
    parts, size = split(tap_events.records(played("nfs41"), True)), struct.calcsize(tap_events.RECORD)
    at = next(i for i, part in enumerate(parts) if kind_of(part) == tap_events.ASKED)
    parts[at] = struct.pack("<I", size) + parts[at][4:40] + struct.pack("<III", 0, 0, 200) + parts[at][52:4 + size]
    path = tmp_path / "unread.pcapng"
    run = subprocess.run([build / "tests" / "tap" / "tap-replay", path], input=b"".join(parts), check=True, stderr=subprocess.PIPE)
    assert b" 0 dropped, 1 incomplete" in run.stderr
    summary = next(line for line in map(json.loads, check("--format=ndjson", "--verbose", path).stdout.splitlines()) if line["type"] == "capture")
    assert summary["dropped"] == 0 and not failed(summary["rules"])


def test_each_number_of_losses_includes_the_earlier_ones(check, played, build, tmp_path):
    path = tmp_path / "end.pcapng"
    subprocess.run([build / "tests" / "tap" / "tap-replay", path], input=tap_events.records(played("nfs41"), True) + bytes(12), check=True, stderr=subprocess.PIPE)
    assert next(line for line in map(json.loads, check("--format=ndjson", path).stdout.splitlines()) if line["type"] == "capture")["dropped"] == 3


def test_the_command_line(build):
    program = build / "tap" / "iwarp-tap"
    if not program.exists():
        pytest.skip("iwarp-tap is not built")

    def run(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert run("--version").stdout.startswith("iwarp-tap ") and run("--help").returncode == 0
    for arguments, words in ((["-w"], "a value is missing after -w"), (["--peer=a", "-w", "-"], '--peer: unusable value "a"'),
                             (["--port=0", "-w", "-"], "--port: unusable"), ([], "-w FILE is missing"), (["-w", "x", "y"], 'unexpected argument "y"'),
                             (["--nothing"], "unknown option --nothing")):
        said = run(*arguments)
        assert said.returncode == 2 and said.stderr.startswith("iwarp-tap: ") and words in said.stderr, said.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_it(build, tmp_path, name):
    program, out = build / "tap" / "iwarp-tap", tmp_path / "ended.pcapng"
    if not program.exists():
        pytest.skip("iwarp-tap is not built")
    with subprocess.Popen([program, "-w", out], stderr=subprocess.PIPE, text=True) as tap:
        said = tap.stderr.readline()
        if "waiting for it" not in said and "recording" not in said:
            pytest.skip(said)
        tap.send_signal(getattr(signal, name))
        assert tap.wait(20) == 0 and out.stat().st_size > 0


def test_the_manual_has_every_option(build, root):
    program = build / "tap" / "iwarp-tap"
    if not program.exists():
        pytest.skip("iwarp-tap is not built")
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    manual = (root / "docs" / "iwarp-tap.8").read_text(encoding="utf-8")
    for option in re.findall(r"--([a-z]+)", said):
        assert f"Fl -{option}" in manual, option


@pytest.mark.parametrize("scenario", ["RPCR-3.4.6-10", "RPCR-3.1-01", None])
def test_a_strangers_marker_changes_no_verdict(check, build, played, tmp_path, scenario):
    """Each packet of a capture of RoCE, with the marker of a tap in its copy: a connection of its own."""
    plain = played(scenario_of(build, scenario), f"--inject={scenario}") if scenario else played("stack-nfs3")
    mixed = tmp_path / "mixed.pcap"
    with mixed.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, captures.ETHERNET))
        for time, length, octets in captures.records(plain):
            for packet in (b"\x02tap\0\0\x02k\x10\0\0\0" + octets[12:18] + b"\x12\x34" + octets[20:], octets):  # another identification
                out.write(struct.pack("<IIII", *divmod(time, 10**9), len(packet), length) + packet)
    lines = [json.loads(line) for line in check("--format=ndjson", "--verbose", mixed).stdout.splitlines()]
    mine = [line for line in lines if line["type"] == "connection" and line["transport"] == "roce2"]
    alone = [json.loads(line) for line in check("--format=ndjson", "--verbose", plain).stdout.splitlines()]
    expected = [line for line in alone if line["type"] == "connection"]
    assert len(mine) == len(expected) > 0
    assert [sorted(found["rule"] for found in line["findings"]) for line in mine] == [
        sorted(found["rule"] for found in line["findings"]) for line in expected]
