#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""suites.py ROLE...: the suites rpcrdma and nfs against Linux through an RDMA device, from boot to verdict with one command.

    python3 tests/interop/pair/suites.py rxe-nfs-server     # exit status 0: everything is as the table says
    python3 tests/interop/pair/suites.py --record all       # writes the tables anew; failures are then to be verified
    python3 tests/interop/pair/suites.py --compare all      # once more with what the last run left, without guests

In the pair's guest `ours` runs iwarp-gen test; `linux` is its server, or mounts it. QEMU records the link. The outcome of
each case is held against ../lab/expected/ROLE.tsv, and against what iwarp-check finds in the capture (agree.py): both have
to say the same of every case, or there is a reason why one of them cannot say it. Reports and captures are left in --out
(default build/pair)."""
import argparse
import dataclasses
import json
import pathlib
import shutil
import sys
import time

import agree
import pair

sys.path.insert(0, str(pair.LAB))
import table  # noqa: E402 pylint: disable=wrong-import-position

TOP = pathlib.Path(__file__).resolve().parents[3]
PORT = 20049
# Under emulation beside other work a second is not always enough for what takes a millisecond elsewhere.
PATIENCE = "--timeout=4 --accept-timeout=60 --recover-timeout=20 --settle=0.3 --seed=8166"
REPEATS = 2  # of what is not as expected: under load a guest may be late
MINUTES = 40


@dataclasses.dataclass(frozen=True)
class Role:
    """device: of both guests. mount: how Linux mounts; None: it is the server."""
    name: str
    device: str
    about: str
    options: str
    mount: str | None = None

    @property
    def dut(self):
        return "initiator" if self.mount else "responder"


def roles():
    server = f"rdma:{pair.GUESTS['linux']}:{PORT} --export=/srv/nfs --mount-port=20048"
    client = f"--listen rdma:{pair.GUESTS['ours']}:{PORT}"
    mount = f"proto=rdma,port={PORT}"
    for device, what in (("rxe", "soft RoCE"), ("siw", "soft iWARP")):
        yield Role(f"{device}-nfs-server", device, f"Linux NFS server over {what}, versions 3, 4.0, 4.1 and 4.2", server)
        yield Role(f"{device}-nfs-client", device, f"Linux NFS client over {what}, version 4.1", client, f"vers=4.1,{mount}")
        yield Role(f"{device}-nfs3-client", device, f"Linux NFS client over {what}, version 3", client + " --mount-port=20048",
                   f"vers=3,{mount},nolock,mountproto=tcp,mountport=20048")


ROLES = {role.name: role for role in roles()}


def run_suites(guests, role, out, cases=None):
    """One run of the suites with its capture; the report. cases: ids; None: all."""
    capture = out.with_suffix(".pcap")
    arguments = [role.options, "--suite=rpcrdma,nfs", f"--device='{role.about}'", "--format=json",
                 "--output=/job/report.json", f"--capture={capture.name}", PATIENCE]
    if cases:
        arguments.append(f"--rules={','.join(cases)}")
    (guests.job("ours") / "report.json").unlink(missing_ok=True)
    guests.capture(capture)
    try:
        # siw counts locked memory against the limit even of root.
        guests.start("ours", f"ulimit -l unlimited; iwarp-gen test {' '.join(arguments)}", "test")
        if role.mount:
            guests.wait_for("ours", "test", "listening on port")
            guests.start("linux", f"nfs-client-workload {pair.GUESTS['ours']} /mnt {role.mount}", "client")
        end = time.monotonic() + 60 * MINUTES
        done = guests.job("ours") / "test.rc"
        while not done.exists() and time.monotonic() < end:
            time.sleep(0.5)
        if not done.exists():
            guests.end("ours", "test", 60)
        if role.mount:
            guests.run("linux", "pkill -KILL -f nfs-client-workload; sleep 1; umount -f -l /mnt; true")
    finally:
        guests.capture()
    report = guests.job("ours") / "report.json"
    if not report.exists() or report.stat().st_size == 0:
        raise RuntimeError(f"{role.name}: no report:\n" + guests.log("ours", "test"))
    shutil.copy(report, out)
    return json.loads(out.read_text(encoding="utf-8"))


def test_role(build, role, folder, expected):
    """Report, and what the captures of all its runs show."""
    began = time.monotonic()
    guests = pair.Pair(role.device)
    try:
        guests.install(build)
        out = folder / f"{role.name}.json"
        report = run_suites(guests, role, out)
        shown = agree.judge(build, out.with_suffix(".pcap"), report, role.dut)
        for n in range(REPEATS if expected else 0):
            odd = [case for case in table.differences(expected, table.rows(report)) if "/seen" not in case]
            odd = [test["id"] for test in report["tests"] if test["id"] in odd]
            if not odd:
                break
            out = folder / f"{role.name}-again-{n + 1}.json"
            again = run_suites(guests, role, out, odd)
            shown.update(agree.judge(build, out.with_suffix(".pcap"), again, role.dut))
            better = {test["id"]: test for test in again["tests"]}
            report["tests"] = [better.get(test["id"], test) for test in report["tests"]]
            report.setdefault("repeated", []).extend(odd)
    finally:
        for name in pair.GUESTS:
            console = guests.top / name / "console.txt"
            if console.exists():
                shutil.copy(console, folder / f"{role.name}-{name}-console.txt")
        guests.stop()
    report["from_boot_to_report"] = time.monotonic() - began
    report["shown"] = shown
    report["tests"] += agree.seen(report["tests"], shown)
    (folder / f"{role.name}.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return report


def trouble(role, report, expected):
    """All that is not as it is to be, in words."""
    rows = table.rows(report)
    for case, what in table.differences(expected, rows).items():
        if case in rows or not case.endswith("/seen"):  # what is seen beside the cases is allowed; chance decides whether it shows
            yield f"{case} {what}"
    for case in table.unverified(expected):
        yield f"{case}: not verified by octets"
    yield from agree.disagreements(report["tests"], report["shown"], role.dut)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roles", nargs="+", choices=[*ROLES, "all"], metavar="ROLE")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    folder = options.out or options.build / "pair"
    folder.mkdir(parents=True, exist_ok=True)
    if not options.compare and pair.why_not():
        sys.exit(f"suites.py: {pair.why_not()}")
    good = True
    for name in ROLES if "all" in options.roles else options.roles:
        role = ROLES[name]
        if options.compare:
            report = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        else:
            report = test_role(options.build, role, folder, {} if options.record else table.load(name))
        if options.record:
            table.save(name, table.rows(report))
        counts = {}
        for test in report["tests"]:
            counts[test["outcome"]] = counts.get(test["outcome"], 0) + 1
        print(f"{name}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) +
              f"; {report['from_boot_to_report']:.0f} s from boot to verdict", flush=True)
        for line in trouble(role, report, table.load(name)):
            good = False
            print(f"  {line}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
