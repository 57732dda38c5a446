# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC-over-RDMA and NFS on RoCE from iwarp-gen: every conforming scenario without a finding, every fault with its finding, also with
disturbances; tshark's built-in dissector can read everything.

IWARP_ROCE_SEEDS is the number of clients of each scenario for each kind of disturbance."""
import collections
import concurrent.futures
import itertools
import os
import shutil
import subprocess

import pytest

from captures import merge
from generated import ROCE_NETS, base, findings, judge, layer, lines, listed_faults, name, outcomes, profile
from test_corpus import NOTES, check_fault, expected, show

SEEDS = int(os.environ.get("IWARP_ROCE_SEEDS", "3"))
NETS = (*ROCE_NETS, "capture-loss=0.05")
WAYS = (("--ipv6", "--vlan"), ("--mtu=9000",), ("--mtu=420",))  # path MTU 1024, 4096, 256
CHUNK = 100  # captures per call of iwarp-check
LAYERS = {"rpcrdma", "rpc", "nfs"}

# A capture without its first or last packets shows another connection, or none; and the only packet of a message and its acknowledgement
# may both be missing.
LOSSY = "capture-loss"

PARTLY_SEEN = {"rpcrdma-hole", "rpcrdma-late", "rpcrdma-late-reply"}  # the capture has the retransmission when the first copy is missing

ALL_FAULTS = listed_faults()
ON_ROCE = {fault.id for fault in listed_faults("--transport=roce")}

Job = collections.namedtuple("Job", "name scenario arguments")


@pytest.fixture(scope="module")
def played(build, gen, tmp_path_factory):
    """Plays jobs and judges them: name -> capture object of the report; counts: of judge()."""
    folder = tmp_path_factory.mktemp("roce")

    def make(job):
        path = folder / (job.name + ".pcapng")
        run = gen("play", job.scenario, "--transport=roce", *job.arguments, "-o", path)
        assert run.returncode == 0, (job, run.stderr)
        return path

    def batch(part, counts):
        paths = [make(job) for job in part]
        captures = judge(build, paths, rules=profile(paths[0]), counts=counts)
        for path in paths:
            path.unlink()
        return captures

    def run(jobs, counts=False):
        parts = []
        for rules in ("ietf", "rfc5666"):
            same = [job for job in jobs if profile(job.name) == rules]
            parts += [same[i:i + CHUNK] for i in range(0, len(same), CHUNK)]
        result = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for captures in pool.map(lambda part: batch(part, counts), parts):
                result.update(captures)
        assert len(result) == len(jobs)
        return result
    return run


@pytest.fixture(scope="module")
def on_roce(gen):
    return [row[0] for row in lines(gen, "scenarios", "--transport=roce")]


@pytest.fixture(scope="module")
def faults_on_roce():
    return [fault for fault in ALL_FAULTS if fault.id in ON_ROCE]


@pytest.fixture(scope="module")
def not_on_roce(gen):
    return dict(lines(gen, "not-on-roce"))


@pytest.fixture(scope="module")
def captures(played, on_roce, faults_on_roce):
    return played([Job(s, s, []) for s in on_roce] +
                  [Job(name(f.id), f.scenario, ["--inject=" + f.id]) for f in faults_on_roce], counts=True)


def complaints(capture, scenario):
    return [f for f in findings(capture) if f.rule not in NOTES.get(scenario, ())]


def test_conforming_scenarios(captures, on_roce):
    assert len(on_roce) > 40
    wrong = [f"{s}:\n{show(found)}" for s in on_roce if (found := complaints(captures[s], s))]
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def proper(played, faults_on_roce):
    """The proper answers to stimuli, all of a scenario in one capture: jobs, and the captures by name."""
    of = collections.defaultdict(list)
    for fault in faults_on_roce:
        if "+ok" in fault.id:
            of[profile(name(fault.id)), fault.scenario].append(fault.id)
    jobs = [Job(("old-" if rules != "ietf" else "") + "proper-" + s, s, ["--inject=" + ",".join(ids)]) for (rules, s), ids in of.items()]
    return jobs, played(jobs)


def blamed(capture, frame):
    """The rules of findings in the conversations at this frame."""
    return {f["rule"] for connection in capture["connections"] if connection["start_frame"] <= frame <= connection["end_frame"]
            for f in connection["findings"]}


@pytest.mark.parametrize("snap", [96, 118, 128, 160, 200, 256])
def test_snap_length_blames_nobody(played, captures, on_roce, proper, snap):
    """Conforming conversations stay conforming, and every Send is counted."""
    jobs, whole = proper
    cut = played([Job(job.name, job.scenario, [*job.arguments, f"--snaplen={snap}"])
                  for job in [*(Job(s, s, []) for s in on_roce), *jobs]])
    wrong = []
    for key, capture in cut.items():
        uncut = captures[key] if key in on_roce else whole[key]
        if extra := [f for f in findings(capture) if f.rule not in blamed(uncut, f.frame)]:
            wrong.append(f"{key}:\n{show(extra)}")
    assert not wrong, "\n".join(wrong)
    cut_sends, sends = ({key: sum(c["counts"]["operations"].get("send", 0) for c in of[key]["connections"]) for key in on_roce}
                        for of in (cut, captures))
    assert cut_sends == sends


def test_packets(captures):
    """All packets are RoCE v2, with connection management from beginning to end and right invariant CRCs."""
    for key, capture in captures.items():
        assert capture["connections"], key
        for connection in capture["connections"]:
            assert connection["transport"] == "roce2", key
            icrc = connection["ib"]["icrc"]
            assert icrc["right"] > 0 and icrc["wrong"] == icrc["unknown"] == 0, (key, icrc)


@pytest.mark.parametrize("fault", [fault for fault in ALL_FAULTS if fault.id in ON_ROCE], ids=lambda fault: fault.id)
def test_each_fault_yields_exactly_its_finding(request, few, play_fault, rules, fault):
    capture = play_fault(fault, "--transport=roce") if few else request.getfixturevalue("captures")[name(fault.id)]
    check_fault(fault, capture, rules, f"iwarp-gen play {fault.scenario} --transport=roce")


def test_every_fault_is_played_or_refused_with_a_reason(gen, faults, faults_on_roce, not_on_roce, tmp_path):
    have = {fault.id for fault in faults_on_roce}
    of_layers = {fault.id for fault in faults if layer(fault.id) in LAYERS}
    assert have | set(not_on_roce) == of_layers and not have & set(not_on_roce)
    for fault in faults:
        if fault.id in not_on_roce:
            run = gen("play", fault.scenario, "--transport=roce", "--inject=" + fault.id, "-o", tmp_path / "x")
            assert run.returncode == 2 and f"{fault.id} cannot be shown on RoCE: {not_on_roce[fault.id]}" in run.stderr


def test_every_judged_rule_has_its_fault_and_its_witness(captures, on_roce, faults_on_roce, not_on_roce, rules):
    broken = {base(fault.id) for fault in faults_on_roce if "+" not in fault.id}
    excused = {base(fault) for fault in not_on_roce}
    judged = [rule.id for rule in rules.values() if rule.judged and layer(rule.id) in LAYERS]
    assert [rule for rule in judged if rule not in broken | excused] == []
    passed = set()
    for key in on_roce + [name(fault.id) for fault in faults_on_roce if "+" in fault.id]:
        passed |= {rule for rule, (good, bad) in outcomes(captures[key]).items() if good and not bad}
    assert [rule for rule in judged if rule not in passed | excused] == []


def test_proper_answers_pass(captures, faults_on_roce, not_on_roce):
    for fault in faults_on_roce:
        good, bad = outcomes(captures[name(fault.id)])[base(fault.id)]
        if "+ok" in fault.id:
            assert not bad and (good or base(fault.id) in not_on_roce), (fault.id, good, bad)


def test_other_ways_change_nothing(played, captures, on_roce):
    """IPv6, VLAN tags and path MTUs: as many messages, and rules that pass."""
    jobs = [Job(f"{s}{''.join(way)}", s, way) for s in on_roce for way in WAYS]
    seen = played(jobs)
    for job in jobs:
        assert not complaints(seen[job.name], job.scenario), (job, show(complaints(seen[job.name], job.scenario)))
        for a, b in zip(captures[job.scenario]["connections"], seen[job.name]["connections"]):
            assert a["rpcrdma"] == b["rpcrdma"], job


def calls(capture):
    return [sorted((str(call["name"]), call["direction"], call["calls"], call["replies"], call["errors"])
                   for call in connection["rpcrdma"]["calls"]) for connection in capture["connections"]]


def test_trouble_blames_nobody(played, captures, on_roce):
    """Loss, reordering, duplicates, Sends without a Receive, and packets that the capture lacks."""
    jobs = [Job(f"{s}-{net}", s, ["--net=" + net, f"--connections={SEEDS}"]) for s, net in itertools.product(on_roce, NETS)]
    seen = played(jobs)
    wrong = []
    for job in jobs:
        found = [f for f in complaints(seen[job.name], job.scenario) if f.severity != "note"]
        if found:
            wrong.append(f"{' '.join(job.arguments)} {job.scenario}\n{show(found)}")
        if LOSSY not in job.name and job.scenario not in PARTLY_SEEN:
            assert sorted(calls(captures[job.scenario]) * SEEDS) == sorted(calls(seen[job.name])), job
    assert not wrong, f"{len(wrong)} of {len(jobs)} captures\n" + "\n".join(wrong)


def test_faults_in_trouble_blame_nothing_else(played, captures, faults_on_roce, rules):
    nets = [net for net in NETS if LOSSY not in net]
    jobs = [Job(f"{name(f.id)}-{net}", f.scenario, ["--inject=" + f.id, "--net=" + net])
            for i, f in enumerate(faults_on_roce) for net in nets[i % len(nets):][:1]]
    seen = played(jobs)
    wrong = []
    for fault, job in zip(faults_on_roce, jobs):
        known = {f.rule for f in findings(captures[name(fault.id)])} | expected(fault, rules) | fault.also
        found = [f for f in findings(seen[job.name]) if f.severity != "note" and f.rule not in known]
        if found:
            wrong.append(f"{' '.join(job.arguments)} {job.scenario}\n{show(found)}")
    assert not wrong, f"{len(wrong)} of {len(jobs)} captures\n" + "\n".join(wrong)


def test_trouble_shows(played):
    """The disturbances of --net occur: repeated requests and responses, NAKs of each kind."""
    seen = played([Job(f"loss-{seed}", "rpcrdma-segments", ["--net=loss=0.1,rnr=0.1", f"--seed={seed}"]) for seed in range(1, 4)])
    sums = collections.Counter()
    for capture in seen.values():
        for connection in capture["connections"]:
            ib = connection["ib"]
            sums["again"] += sum(ib["retransmitted"])
            sums["responses again"] += sum(ib["repeated_responses"])
            sums["rnr"] += sum(ib["naks"]["receiver_not_ready"])
            sums["nak"] += sum(ib["naks"]["sequence"])
    assert all(sums[key] for key in ("again", "responses again", "rnr", "nak")), sums


def test_numbers_wrap(gen, check, tmp_path):
    """A path of 256 octets and first PSNs close to the end of 24 bits."""
    text = ("with rpcrdma isnI=0xfffff0 isnR=0xfffff8; I call nfs3.null; R reply; I call nfs3.write len=8192 read; R pull; R reply;"
            "I call nfs3.read count=8192 write; R reply; I call nfs3.readdir count=16384 reply=16384; R reply entries=200")
    run = gen("play", "script", "--script=" + text, "--transport=roce", "--mtu=400", "-o", tmp_path / "wrap.pcapng")
    assert run.returncode == 0, run.stderr
    assert "path MTU 256" in check("--fail-on=note", tmp_path / "wrap.pcapng").stdout
    psns = tshark(tmp_path / "wrap.pcapng", "-T", "fields", "-e", "infiniband.bth.psn").split()
    assert "16777215" in psns and "0" in psns
    assert check("--fail-on=note", tmp_path / "wrap.pcapng").returncode == 0


@pytest.mark.parametrize("arguments,message", [
    (("marker-walk", "--transport=roce", "--inject=MPA-4.3-09"), "MPA-4.3-09 is a fault of MPA; it does not exist on RoCE"),
    (("rdmap", "--transport=roce", "--inject=RDMAP-4.1-01"), "RDMAP-4.1-01 is a fault of RDMAP; it does not exist on RoCE"),
    (("markers", "--transport=roce"), "markers is not about RPC-over-RDMA"),
    (("bulk", "--transport=roce"), "--transport"),
    (("nfs3", "--transport=tcp"), "--transport: 'tcp' is neither iwarp nor roce"),
    (("nfs3", "--transport=roce", "--net=window=8192"), "--net: 'window=8192' is none of loss="),
    (("nfs3", "--net=rnr=0.1"), "--net: 'rnr=0.1' is none of loss="),
    (("nfs3", "--transport=roce", "--mtu=200"), "--mtu: 200 has no room for packets of the smallest path MTU"),
    (("script", "--transport=roce", "--script=with rpcrdma; I call nfs3.null; R reply; I imm"), "'imm' cannot be carried out"),
    (("script", "--transport=roce", "--script=with rpcrdma; I send msn=7"), "a field of it is one of MPA, DDP or RDMAP"),
    (("script", "--transport=roce", "--script=with rpcrdma; I send @2=7"), "it changes octets of a ULPDU"),
    (("script", "--transport=roce", "--script=with rpcrdma; I call nfs3.null net=fragmented"), "are not fragmented"),
    (("script", "--transport=roce", "--script=with rpcrdma pd-lenI=60; I call nfs3.null"), "56 octets of private data"),
])
def test_refusals(gen, tmp_path, arguments, message):
    run = gen("play", *arguments, "-o", tmp_path / "x.pcapng")
    assert run.returncode == 2 and message in run.stderr, run.stderr
    assert not (tmp_path / "x.pcapng").exists()


def test_the_same_arguments_give_the_same_file(gen, tmp_path):
    for path in ("a", "b"):
        run = gen("play", "nfs41", "--transport=roce", "--net=loss=0.1,dup=0.1,reorder=0.1,jitter=1", "-o", tmp_path / path)
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# ---- tshark without plugins ----


def tshark(path, *options):
    if not shutil.which("tshark"): # on an emulated architecture: scripts/packages
        pytest.skip("no tshark")
    environment = {**os.environ, "WIRESHARK_PLUGIN_DIR": "/nonexistent", "HOME": "/nonexistent"}
    return subprocess.run(["tshark", "-n", "-r", path, *options], capture_output=True, text=True, check=True,
                          env=environment).stdout


def test_the_built_in_dissector_reads_it(gen, on_roce, faults_on_roce, tmp_path):
    """No packet is malformed up to the transport's payload; the dissector of RPC-over-RDMA is left out, because it calls Replies with
    data in Write chunks malformed, also on real traffic. RoCE has a UDP checksum of 0 on IPv6, too."""
    bad_ones = "(udp and !infiniband) or _ws.malformed or (_ws.expert.severity >= 6291456 and !udp.checksum.zero)"
    of = collections.defaultdict(list)
    for fault in faults_on_roce:
        of[fault.scenario].append(fault.id)
    jobs = [(s, []) for s in on_roce] + [(s, ["--inject=" + ",".join(ids)]) for s, ids in of.items()]
    jobs += [("rpcrdma-segments", ["--ipv6", "--vlan", "--net=loss=0.1,rnr=0.1,dup=0.1"])]
    paths = {(scenario, *arguments): tmp_path / f"{i}.pcapng" for i, (scenario, arguments) in enumerate(jobs)}
    for (scenario, *arguments), path in paths.items():
        run = gen("play", scenario, "--transport=roce", *arguments, "-o", path)
        assert run.returncode == 0, run.stderr
    parts, others = merge(paths.items(), tmp_path / "all.pcap")
    assert len(parts) == len(jobs) and not others
    bad = tshark(tmp_path / "all.pcap", "--disable-protocol", "rpcordma", "-Y", bad_ones, "-T", "fields", "-e", "frame.number").split()
    assert not bad, {part.name for part in parts if any(part.first <= int(frame) <= part.last for frame in bad)}


def test_real_ends_move_the_same_on_both_transports(gen, build, on_roce, captures, tmp_path):
    """Queue pairs with NFS clients and servers: as many calls and octets of each kind as over MPA."""
    works = [s for s in on_roce if s.startswith(("stack-", "mount-"))]
    assert len(works) == 16
    paths = [tmp_path / f"{s}.pcapng" for s in works]
    for scenario, path in zip(works, paths):
        assert gen("play", scenario, "-o", path).returncode == 0
    for scenario, capture in judge(build, paths).items():
        assert [c["rpcrdma"] for c in capture["connections"]] == [c["rpcrdma"] for c in captures[scenario]["connections"]]
