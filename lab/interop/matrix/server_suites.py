#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""server_suites.py SERVER DEVICE [OPTION...]: iwarp-gen test --suite=rpcrdma,nfs, from a guest, on a server of the matrix (linux-7.2, ganesha):
suites/SERVER+DEVICE.json in lab/results/matrix/results.tar.zst has the outcome of each case. OPTIONs are for iwarp-gen test: --reuse. A failure counts as
verified where a table of ../lab/expected has the same case with the same words, whose octets were held against the document; the
others are taken from its report, and are claims of one run."""
import datetime
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "guests"), str(HERE.parent / "suites")]
import cells  # noqa: E402
import link  # noqa: E402
import page  # noqa: E402
import run  # noqa: E402
import store  # noqa: E402
import suite_tables  # noqa: E402
import table  # noqa: E402

PATIENCE = ["--timeout=4", "--accept-timeout=60", "--recover-timeout=20", "--settle=0.2", "--seed=8166"]


def verified(device, test):
    """The deviation that a table has for the same observation; None: nobody has held this one against the document."""
    for name in (f"{device}-nfs-server", "nfs-server"):
        row = table.load(name).get(test["id"])
        if row and test["outcome"] in suite_tables.FAILS and table.is_as(row, {"outcome": test["outcome"], "found": table.found(test)}):
            return row["deviation"]
    return None


def summary(server, device, options, report):
    tests = {test["id"]: {"outcome": test["outcome"], "actual": table.steady(test["actual"]),
                          **({"deviation": verified(device, test)} if test["outcome"] in suite_tables.FAILS else {})} for test in report["tests"]}
    return {"server": server, "device": device, "kernel": run.version_of(server), "options": options, "run": datetime.date.today().isoformat(),
            "state": report["state"], "starts": report.get("server_starts", 1), "deaths": report.get("deaths", []), "tests": tests}


MINUTES = 45
BOOTS = 12  # a server that does not live on after a case is started again, or its guest is, and the run goes on with the next one
RESTART = {"ganesha": "pkill -KILL ganesha.nfsd; sleep 1; rm -f /tmp/ganesha.pid; LD_LIBRARY_PATH=/usr/local/lib ganesha.nfsd "
                      "-f /tmp/ganesha.conf -L /job/ganesha.log -p /tmp/ganesha.pid -N EVENT; "
                      "until ss -ltn | grep -q :20048; do sleep 0.5; done; sleep 12"}
WISH = "touch /job/reset; while [ -e /job/reset ]; do sleep 0.2; done; [ ! -e /job/reset.failed ]"


def restart(booted, server):
    """Answers requests of the reset command that iwarp-gen test runs in the client's guest."""
    job = booted["client"].job
    try:
        status, said = booted["server"].run(RESTART[server], 90)
        if status != 0:
            raise link.Gone(said)
    except link.Gone as gone:
        (job / "reset.failed").write_text(str(gone), encoding="utf-8")
    (job / "reset").unlink()


def run_once(booted, server, arguments, capture, end):
    """iwarp-gen test, until it is over, or time is. The text of its report, and its messages."""
    client = booted["client"]
    booted.capture(capture)
    client.start(f"ulimit -l unlimited; exec iwarp-gen test {' '.join(arguments)}", "test")
    while time.monotonic() < end and not client.is_over("test"):
        time.sleep(0.5)
        if (client.job / "reset").exists():
            restart(booted, server)
    client.end("test", 120)
    booted.capture()
    report = client.job / "report.json"
    if not report.exists():
        raise link.Gone("no report:\n" + client.log("test"))
    return report.read_text(encoding="utf-8"), client.log("test")


def test(server, device, options):
    """The report, with how often the server's guest was booted. --resume: goes on with what the last run left."""
    folder, name = run.work_folder(), f"suites+{server}+{device}"
    before = folder / f"{name}-before.json"
    if "--resume" not in options:
        before.unlink(missing_ok=True)
    arguments = [f"rdma:{run.SERVER}:20049", "--export=/srv/nfs", "--mount-port=20048", "--suite=rpcrdma,nfs", "--format=json",
                 "--output=/job/report.json", *PATIENCE, *(option for option in options if option != "--resume")]
    if server in RESTART:
        arguments += [f"--reset-command='{WISH}'", "--reset-timeout=300"]
    said, end, boots = "", time.monotonic() + 60 * MINUTES, 0
    while boots < BOOTS and time.monotonic() < end:
        boots += 1
        booted = run.boot_surely(device, "iwarp-gen", server)
        try:
            resumed = []
            if before.exists():
                (booted["client"].job / "earlier.json").write_bytes(before.read_bytes())
                resumed = ["--resume=/job/earlier.json"]
            report, log = run_once(booted, server, [*arguments, *resumed], folder / f"{name}-{boots}.pcap", end)
            before.write_text(report, encoding="utf-8")
            said += log
        except link.Gone as gone:  # what there is stays
            print(f"boot {boots}: {str(gone).splitlines()[0]}", file=sys.stderr, flush=True)
            continue
        finally:
            booted.stop()
        if json.loads(report)["state"] in ("alive", "unknown"):
            break
    (folder / f"{name}.log").write_text(said, encoding="utf-8")
    if not before.exists():
        sys.exit(f"server_suites.py: no report of {server} in {boots} boots")
    return {**json.loads(before.read_text(encoding="utf-8")), "server_starts": boots}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in cells.RELEASES or sys.argv[2] not in cells.DEVICES:
        sys.exit(__doc__)
    server, device, *options = sys.argv[1:]
    report = test(server, device, options)
    (run.work_folder() / f"suites+{server}+{device}.json").write_text(json.dumps(report), encoding="utf-8")
    result = summary(server, device, [option for option in options if option != "--resume"], report)
    store.put(page.DOCS, f"suites/{server}+{device}", result)
    counts = {}
    for one in result["tests"].values():
        counts[one["outcome"]] = counts.get(one["outcome"], 0) + 1
    print(f"{server}+{device}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) + f"; {result['state']}")
    page.write()


if __name__ == "__main__":
    main()
