# SPDX-License-Identifier: GPL-2.0-or-later
"""
iwarp-tap on a client and its server, in guests, beside a capture of their link: all three say the same of NFS over RDMA. `./test
--all tap` runs it. The wire's packets are divided otherwise, so rules about single RDMA operations are exercised more often there,
or, as an operation is not seen, only there (docs/howto/capture.md).
"""
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "guests"))
import link  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.all, pytest.mark.skipif(not shutil.which("qemu-system-x86_64"), reason="needs guests: ./test --all tap")]
KERNELS = ["bookworm", "testing"]  # 6.1 and 7.2
VERSIONS = ["3", "4.0", "4.1", "4.2"]
ATTACH_SECONDS = 300  # emulated, where the host has other work
# Of these the wire alone can say something, or the operations are as many as its packets make them.
OF_OPERATIONS = {"RPCR-2.3.2-02", "RPCR-2.3.2-04", "RPCR-3.1-01", "RPCR-3.1-02", "RPCR-3.3.1-06", "RPCR-3.3.1-09", "RPCR-3.3.1-11", "RPCR-3.3.3-01",
                 "RPCR-3.3.3-05", "RPCR-3.4.3-01", "RPCR-3.4.3-02", "RPCR-3.4.5-06", "RPCR-3.4.5-09", "RPCR-3.4.5-10", "RPCR-3.4.5.1-02", "RPCR-3.4.6-04",
                 "RPCR-3.4.6-05", "RPCR-4.1.2-06", "RPCR-4.1.2-07", "EXP-4.5.1-01", "NFSULB-5.1-01", "NFSULB-6.3-02", "NFS3-3.3.7-02"}
WORK = """
mount.nfs 10.1.1.2:{export} /mnt -o vers={version},proto=rdma,port=20049{more} || exit 9
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


def install(machine, program):
    """With the libraries that it was linked with, which other releases have not."""
    libraries = machine.job / "lib"
    libraries.mkdir()
    for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
        path = line.split("=>")[-1].split()[0]
        if path.startswith("/") and not pathlib.Path(path).name.startswith(("libc.so", "ld-linux")):
            shutil.copy(path, libraries)
    shutil.copy(program, machine.job)


@pytest.fixture(scope="module", params=[f"{kernel}-{device}" for kernel in KERNELS for device in ("rxe", "siw")])
def recorded(request, build, tmp_path_factory):
    """Captures of the wire, of the server's tap and of the client's."""
    kernel, _, device = request.param.partition("-")
    program, folder = build / "tap" / "iwarp-tap", tmp_path_factory.mktemp("taps")
    if not program.exists():
        pytest.skip("iwarp-tap is not built")
    guests = link.Link(device, {"client": kernel, "server": kernel}, {"client": "client", "server": "nfs"})
    try:
        for machine in guests.machines.values():
            install(machine, program)
            machine.start("LD_LIBRARY_PATH=/job/lib /job/iwarp-tap -w /tmp/tap.pcapng -Z root", "tap", until="recording", seconds=ATTACH_SECONDS)
        guests.capture(folder / "wire.pcap")
        for version in VERSIONS:
            more = ",mountport=20048,nolock" if version == "3" else ""
            status, said = guests["client"].run(WORK.format(version=version, export="/srv/nfs" if version == "3" else "/", more=more), 300)
            assert status == 0, said
        guests["client"].run("sleep 3")
        for name, machine in guests.machines.items():
            assert machine.end("tap", 60) == 0 and "; 0 messages lost" in machine.log("tap")
            assert machine.run("cp /tmp/tap.pcapng /job/; mount -t debugfs d /sys/kernel/debug; ! grep -E 'rdma' /sys/kernel/debug/kprobes/list")[0] == 0
            shutil.copy(machine.job / "tap.pcapng", folder / f"{name}.pcapng")
        guests.capture()
    finally:
        guests.stop()
    return folder


@pytest.mark.parametrize("side", ["server", "client"])
def test_a_tap_and_the_wire_agree(build, recorded, side):
    wire, tap = rules(build, recorded / "wire.pcap"), rules(build, recorded / f"{side}.pcapng")
    both = sorted(set(wire) | set(tap))
    none = (0, 0, 0)
    differ = [rule for rule in both if bool(wire.get(rule, none)[1]) != bool(tap.get(rule, none)[1])]
    assert len(both) > 150 and not differ
    judged = [(wire.get(rule, none), tap.get(rule, none)) for rule in both if rule not in OF_OPERATIONS]
    all_of_wire, equal = sum(sum(a) for a, _ in judged), sum(min(x, y) for a, b in judged for x, y in zip(a, b))
    assert equal >= 0.999 * all_of_wire, (equal, all_of_wire)
