# SPDX-License-Identifier: GPL-2.0-or-later
"""
iwarp-tap on a client and its server, in guests, beside a capture of their link: all three say the same of NFS over RDMA. `./test
--all tap` runs it. docs/howto/capture.md lists exactly the rules that count differently, or are not exercised.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

from tests.check import test_kernel_tap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "guests"))
import link  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.all, pytest.mark.skipif(not shutil.which("qemu-system-x86_64"), reason="needs guests: ./test --all tap")]
KERNELS = ["bookworm", "trixie", "testing"]  # 6.1, 6.12 and 7.2
SERVERS = KERNELS + ["ganesha"]
VERSIONS = ["3", "4.0", "4.1", "4.2"]
ATTACH_SECONDS = 300  # emulated, where the host has other work
WORK = """
for try in 1 2 3; do  # siw's server may read the first FPDU only when the next one comes
    timeout -s KILL 60 mount.nfs 10.1.1.2:{export} /mnt -o vers={version},proto=rdma,port=20049{more} && break
done
mountpoint -q /mnt || exit 9
mkdir -p /mnt/{version}
for i in $(seq 30); do echo hello $i > /mnt/{version}/f$i; cat /mnt/{version}/f$i; done > /dev/null
dd if=/dev/urandom of=/mnt/{version}/big bs=64k count=12 status=none; sync; echo 3 > /proc/sys/vm/drop_caches
cat /mnt/{version}/big > /dev/null; ls -lR /mnt > /dev/null; ln -s target /mnt/{version}/l; readlink /mnt/{version}/l > /dev/null
mv /mnt/{version}/f1 /mnt/{version}/g1; rm /mnt/{version}/f*; umount /mnt
"""


def rules(build, path):
    said = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", "--verbose", path], capture_output=True, text=True, check=False)
    all_rules = next(line for line in map(json.loads, said.stdout.splitlines()) if line["type"] == "capture")["rules"]
    return {rule: (counts["passed"], counts["failed"], counts["inconclusive"]) for rule, counts in all_rules.items()
            if not rule.startswith(("MPA", "DDP", "RDMAP", "SEC"))}


IN = "env PATH=/tmp/bin:$PATH LD_LIBRARY_PATH=/tmp/lib"


def install(machine, *programs):
    """With the libraries that they were linked with, which other releases have not; for any user."""
    libraries = machine.job / "lib"
    libraries.mkdir()
    for program in programs:
        for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
            path = line.split("=>")[-1].split()[0]
            if path.startswith("/") and not pathlib.Path(path).name.startswith(("libc.so", "libm.so", "ld-linux")):
                shutil.copy(path, libraries)
        shutil.copy(program, machine.job)
    assert machine.run("mkdir /tmp/bin; cp -r /job/lib /tmp/; cp /job/iwarp-* /tmp/bin/; chmod -R a+rX /tmp/bin /tmp/lib")[0] == 0


LINKS = [f"{client}+{server}+{device}" for client in KERNELS for server in SERVERS for device in ("rxe", "siw")
         if (server, device) != ("ganesha", "siw")]  # Ganesha asks more of a device than siw has


@pytest.fixture(scope="module", params=LINKS)
def recorded(request, build, tmp_path_factory):
    """Captures of the wire, of the server's tap (not of Ganesha, whose RDMA is its own) and of the client's."""
    client, server, device = request.param.split("+")
    program, folder = build / "tap" / "iwarp-tap", tmp_path_factory.mktemp(request.param)
    ganesha = server == "ganesha"
    if not program.exists():
        pytest.skip("iwarp-tap is not built")
    guests = link.Link(device, {"client": client, "server": server}, {"client": "client", "server": "ganesha" if ganesha else "nfs"},
                       {"server": 6144 if ganesha else 1024})
    tapped = {name: machine for name, machine in guests.machines.items() if not (ganesha and name == "server")}
    try:
        for machine in tapped.values():
            install(machine, program)
            machine.start(f"{IN} iwarp-tap -w /tmp/tap.pcapng -Z root", "tap", until="recording", seconds=ATTACH_SECONDS)
        guests.capture(folder / "wire.pcap")
        for version in VERSIONS:
            if ganesha and version in ("4.1", "4.2"):  # it refuses them over RDMA
                continue
            more = ",mountport=20048,nolock" if version == "3" else ""
            export = "/srv/nfs" if ganesha or version == "3" else "/"
            status, said = guests["client"].run(WORK.format(version=version, export=export, more=more), 300)
            assert status == 0, said
        guests["client"].run("sleep 3")
        for name, machine in tapped.items():
            assert machine.end("tap", 60) == 0 and "; 0 messages lost, 0 incomplete" in machine.log("tap")
            assert machine.run("cp /tmp/tap.pcapng /job/; mount -t debugfs d /sys/kernel/debug; ! grep -E 'rdma' /sys/kernel/debug/kprobes/list")[0] == 0
            shutil.copy(machine.job / "tap.pcapng", folder / f"{name}.pcapng")
        guests.capture()
    finally:
        guests.stop()
    return folder


def listed():
    """Rules listed on the page: those that a server counts by segment and a client does not exercise, and those that neither exercises."""
    page = (ROOT / "docs" / "howto" / "capture.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if re.match(r"\| of (single|rpcbind)", line)]
    assert len(rows) == 2 and "by segment" in rows[0][2] and all("not exercised" in cell for cell in (rows[0][3], *rows[1][2:4]))
    return [set(re.findall(r"[A-Z]+-[0-9.]+-[0-9]+", row[1])) for row in rows]


@pytest.mark.parametrize("side", ["server", "client"])
def test_a_tap_and_the_wire_agree(build, recorded, side):
    if not (recorded / f"{side}.pcapng").exists():
        pytest.skip("Ganesha has no RDMA in the kernel")
    wire, tap = rules(build, recorded / "wire.pcap"), rules(build, recorded / f"{side}.pcapng")
    by_segment, unseen = listed()
    unseen |= by_segment if side == "client" else set()
    assert not unseen & set(tap)
    none = (0, 0, 0)
    both = sorted((set(wire) | set(tap)) - unseen)
    verdicts = [rule for rule in both if [n > 0 for n in wire.get(rule, none)[:2]] != [n > 0 for n in tap.get(rule, none)[:2]]]
    assert len(both) > 150 and len(verdicts) <= 0.01 * len(both), verdicts
    assert not [rule for rule in both if tap.get(rule, none)[1] and not wire.get(rule, none)[1]]
    judged = [(wire.get(rule, none), tap.get(rule, none)) for rule in both if rule not in by_segment]
    all_of_wire, equal = sum(sum(a) for a, _ in judged), sum(min(x, y) for a, b in judged for x, y in zip(a, b))
    print(f"{recorded.name} {side}: {equal} of {all_of_wire} judgements equal ({100 * equal / all_of_wire:.3f} %), "
          f"{len(both) - len(verdicts)} of {len(both)} rules")
    assert equal >= 0.999 * all_of_wire, (equal, all_of_wire)


RIGHTS = "setpriv --reuid=65534 --regid=65534 --clear-groups"
CAPABILITIES = f"{RIGHTS} --inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon"
STOP = "rpc.nfsd 0; umount /proc/fs/nfsd; sleep 1; rmmod rpcrdma; ! lsmod | grep -q ^rpcrdma"
BEGIN = "modprobe nfsd; modprobe rpcrdma; mount -t nfsd nfsd /proc/fs/nfsd; exportfs -ra"
SERVE = """
rpc.nfsd -V 4.0 -H 0.0.0.0 --lease-time 10 --grace-time 10 4 || rpc.nfsd -H 0.0.0.0 --lease-time 10 --grace-time 10 4
grep -q rdma /proc/fs/nfsd/portlist || echo rdma 20049 > /proc/fs/nfsd/portlist
echo Y > /proc/fs/nfsd/v4_end_grace || sleep 10
"""
MOUNT = "mount.nfs 10.1.1.2:/ /mnt -o vers=4.2,proto=rdma,port=20049 && ls -lR /mnt > /dev/null; umount /mnt"


def await_words(machine, what, words):
    end = time.monotonic() + ATTACH_SECONDS
    while words not in machine.log(what):
        assert time.monotonic() < end and not machine.is_over(what), machine.log(what)
        time.sleep(0.2)


@pytest.mark.parametrize("kernel", KERNELS)
def test_rights_and_change(build, kernel):
    """What is missing is named; two capabilities are enough; modules, servers and adapters may come later, and go; iwarp-check judges at once."""
    if not (build / "tap" / "iwarp-tap").exists():
        pytest.skip("iwarp-tap is not built")
    guests = link.Link("rxe", {"client": kernel, "server": kernel}, {"client": "client", "server": "nfs"})
    try:
        client, server = guests["client"], guests["server"]
        for machine in guests.machines.values():
            install(machine, build / "tap" / "iwarp-tap", build / "conformance" / "iwarp-check")
        status, said = client.run(f"{RIGHTS} {IN} iwarp-check -i kernel")
        assert status == 2 and "iwarp-tap: not permitted" in said and "iwarp-tap could not begin" in said
        assert client.run("sysctl -w kernel.perf_event_paranoid=3")[0] == 0
        status, said = client.run(f"{CAPABILITIES} {IN} iwarp-tap -w /dev/null -d 1", ATTACH_SECONDS)
        assert status == 0 or "kernel.perf_event_paranoid is above 2" in said, said
        assert client.run("sysctl -w kernel.perf_event_paranoid=2")[0] == 0
        status, said = client.run(f"{CAPABILITIES} {IN} iwarp-tap -w /dev/null -d 1", ATTACH_SECONDS)
        assert status == 0 and "0 messages lost" in said, said

        assert server.run(STOP)[0] == 0
        server.start(f"{IN} iwarp-tap -w /tmp/later.pcapng", "later", until="module rpcrdma is not loaded: waiting for it")
        assert server.run(BEGIN)[0] == 0
        await_words(server, "later", "iwarp-tap: recording")
        status, said = server.run("grep -h CapEff $(grep -l '^Name:.iwarp-tap$' /proc/[0-9]*/status)")
        rights = sorted(int(line.split()[1], 16) & ~(1 << 21) for line in said.splitlines())  # but for CAP_SYS_ADMIN
        assert status == 0 and rights == [0, 1 << 34 | 1 << 38 | 1 << 39], said  # CAP_SYSLOG, CAP_PERFMON, CAP_BPF
        status, said = server.run(SERVE + "rdma link del rxe0; rmmod rdma_rxe; modprobe rdma_rxe; rdma link add rxe0 type rxe netdev "
                                  "$(ls /sys/class/net | grep -v '^lo$' | head -1)")
        assert status == 0, said
        client.start(f"{IN} iwarp-check -i kernel --format=ndjson -w /tmp/live.pcap -Z root 'port 20049' > /tmp/live.ndjson", "live")
        status, said = client.run(f"until [ $(stat -c %s /tmp/live.pcap) -gt 0 ] 2>/dev/null; do sleep 0.2; done; sleep 2; {MOUNT}", ATTACH_SECONDS)
        assert status == 0, said
        assert server.run(STOP)[0] == 0
        await_words(server, "later", "module rpcrdma was unloaded: waiting for it")
        assert server.run(BEGIN)[0] == 0
        await_words(server, "later", "the module is loaded again: recording")
        status, said = server.run(SERVE)
        assert status == 0, said
        status, said = client.run(f"sleep 2; {MOUNT}", ATTACH_SECONDS)
        assert status == 0, said
        assert client.end("live", 60) in (0, 1) and server.end("later", 60) == 0, client.log("live")
        assert " of 2 connections written" in server.log("later") and server.log("later").count("waiting for it") == 2, server.log("later")
        lines = [json.loads(line) for line in client.run("cat /tmp/live.ndjson")[1].splitlines()]
        assert [line["transport"] for line in lines if line["type"] == "connection"] == ["tap", "tap"]
        status, said = client.run("mount -t securityfs s /sys/kernel/security; echo confidentiality > /sys/kernel/security/lockdown; "
                                  f"{IN} iwarp-tap -w /dev/null")
        assert status == 2 and "locked down for confidentiality" in said
    finally:
        guests.stop()


MOVE = """
rdma link del rxe0 2>/dev/null
ip netns add {new}
ip {old} link set {device} netns {new}
ip netns exec {new} bash -c '
    ip addr add 10.1.1.1/24 dev {device}; ip link set {device} up; ip link set lo up
    rdma link add rxe0 type rxe netdev {device}
    until grep -q ffff:0a01:0101 /sys/class/infiniband/rxe0/ports/1/gids/*; do sleep 0.1; done
    {mount}'
"""


def test_network_namespaces(build):
    """Mounts in two namespaces with the same addresses are two connections. rdma_rxe of older kernels is in the first namespace only."""
    if not (build / "tap" / "iwarp-tap").exists():
        pytest.skip("iwarp-tap is not built")
    guests = link.Link("rxe", {"client": "testing", "server": "testing"}, {"client": "client", "server": "nfs"})
    try:
        for machine in guests.machines.values():
            install(machine, build / "tap" / "iwarp-tap", build / "conformance" / "iwarp-check")
            machine.start(f"{IN} iwarp-tap -w /tmp/tap.pcapng -Z root", "tap", until="recording", seconds=ATTACH_SECONDS)
        device = guests["client"].run("ls /sys/class/net | grep -v '^lo$' | head -1")[1].strip()
        for old, new in (("", "one"), ("-n one", "two")):
            status, said = guests["client"].run(MOVE.format(old=old, new=new, device=device, mount=MOUNT), 300)
            assert status == 0, said
        for machine in guests.machines.values():
            assert machine.end("tap", 60) == 0 and "; 0 messages lost, 0 incomplete" in machine.log("tap")
            said = machine.run(f"{IN} iwarp-check --format=ndjson /tmp/tap.pcapng")[1]
            found = [line for line in map(json.loads, said.splitlines()) if line["type"] == "connection"]
            assert len(found) == 2 and all(line["initiator"].startswith("10.1.1.1:") and line["responder"] == "10.1.1.2:20049" for line in found), said
    finally:
        guests.stop()


FAULTS_MINUTES = 10  # most of its cases; one may wait for a server that says nothing


def broken(build, path):
    """{client's address and port: rules that are broken}"""
    said = subprocess.run([build / "conformance" / "iwarp-check", "--format=ndjson", "--max-findings=0", path], capture_output=True, text=True, check=False)
    found = {}
    for line in map(json.loads, said.stdout.splitlines()):
        if line["type"] == "connection":
            found.setdefault(line["initiator"], []).append({finding["rule"] for finding in line["findings"]})
    return found


GEN = ("iwarp-gen test {where} --suite=rpcrdma,nfs --timeout=4 --accept-timeout=60 --recover-timeout=20 --settle=0.2 --seed=8166")


def provoke(guests, gen, linux, script, words, tmp_path):
    """iwarp-gen runs in one guest and Linux with a tap in the other, for some minutes."""
    linux.start(f"{IN} iwarp-tap -w /tmp/tap.pcapng -Z root", "tap", until="recording", seconds=ATTACH_SECONDS)
    guests.capture(tmp_path / "wire.pcap")
    gen.start(f"ulimit -l unlimited; exec {GEN.format(where=script)}", "test", until=words)
    if words:
        linux.start("nfs-client-workload 10.1.1.2 /mnt vers=4.1,proto=rdma,port=20049", "work")
    limit = time.monotonic() + 60 * FAULTS_MINUTES
    while time.monotonic() < limit and not gen.is_over("test"):
        time.sleep(1)
    guests.capture()  # both captures end before iwarp-gen, which answers clients as long as it runs
    assert linux.end("tap", 60) == 0 and "; 0 messages lost" in linux.log("tap")
    assert linux.run("cp /tmp/tap.pcapng /job/")[0] == 0
    shutil.copy(linux.job / "tap.pcapng", tmp_path)


LATE = 10  # connections: the tap ends some seconds after the wire's capture


def only_in(mine, other):
    """Leaves out connections that began after the other capture had ended."""
    names = list(mine)
    while names and names[-1] not in other and len(mine) - len(names) < LATE:
        names.pop()
    return set(names) - set(other)


def assert_named(build, folder, side):
    """The tap shows the same findings as the wire on each connection, except those that the page lists."""
    wire, tap = broken(build, folder / "wire.pcap"), broken(build, folder / "tap.pcapng")
    wrong, same = [], 0
    for name in set(wire) & set(tap):
        for on_wire, in_tap in zip(wire[name], tap[name]):
            same += len(on_wire & in_tap)
            more, less = in_tap - on_wire - test_kernel_tap.NAMED[side] - test_kernel_tap.NEVER_LEFT, on_wire - in_tap - test_kernel_tap.UNSEEN[side]
            if more or less:
                wrong.append((name, sorted(more), sorted(less)))
    print(f"{len(wire)} connections on the wire, {len(tap)} in the tap, {same} findings in both")
    assert len(only_in(wire, tap) | only_in(tap, wire)) <= 2, set(wire) ^ set(tap)  # they may be under way at the end
    assert not wrong, wrong
    return len(wire), same


def missing(build):
    return not (build / "tap" / "iwarp-tap").exists() or not (build / "traffic-gen" / "iwarp-gen-verbs.so").exists()


def test_faults_of_a_client(build, tmp_path):
    """iwarp-gen provokes Linux's server."""
    if missing(build):
        pytest.skip("iwarp-tap or iwarp-gen's verbs are not built")
    guests = link.Link("rxe", {"client": "bookworm", "server": "testing"}, {"client": "client", "server": "nfs"})
    try:
        guests["client"].install(build)
        install(guests["server"], build / "tap" / "iwarp-tap")
        provoke(guests, guests["client"], guests["server"], "rdma:10.1.1.2:20049 --export=/srv/nfs --mount-port=20048", None, tmp_path)
    finally:
        guests.stop()
    connections, same = assert_named(build, tmp_path, "server")
    assert connections > 100 and same > 100


def test_faults_of_a_server(build, tmp_path):
    """iwarp-gen provokes Linux's client, which mounts from it again and again."""
    if missing(build):
        pytest.skip("iwarp-tap or iwarp-gen's verbs are not built")
    guests = link.Link("rxe", {"client": "testing", "server": "bookworm"}, {"client": "client", "server": "none"})
    try:
        guests["server"].install(build)
        install(guests["client"], build / "tap" / "iwarp-tap")
        provoke(guests, guests["server"], guests["client"], "--listen rdma:10.1.1.2:20049", "listening on port", tmp_path)
    finally:
        guests.stop()
    connections, same = assert_named(build, tmp_path, "client")
    assert connections > 20 and same > 20
