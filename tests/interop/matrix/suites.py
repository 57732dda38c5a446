#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""suites.py SERVER DEVICE [OPTION...]: iwarp-gen test --suite=rpcrdma,nfs, from a guest, on a server of the matrix (linux-7.2, ganesha):
docs/interop/suites/SERVER+DEVICE.json has the outcome of each case. OPTIONs are for iwarp-gen test: --reuse. A failure counts as
verified where a table of ../lab/expected has the same case with the same words, whose octets were held against the document; the
others are taken from its report, and are claims of one run."""
import datetime
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "guests"), str(HERE.parent / "lab")]
import cells  # noqa: E402
import link  # noqa: E402
import page  # noqa: E402
import run  # noqa: E402
import table  # noqa: E402

RESULTS = run.ROOT / "docs" / "interop" / "suites"
PATIENCE = ["--timeout=4", "--accept-timeout=60", "--recover-timeout=20", "--settle=0.3", "--seed=8166"]
MINUTES = 14


def verified(device, test):
    """The deviation that a table has for the same observation; None: nobody has held this one against the document."""
    for name in (f"{device}-nfs-server", "nfs-server"):
        row = table.load(name).get(test["id"])
        if row and row["outcome"] == test["outcome"] == "failed" and table.found(test) in row["found"].split(table.OR):
            return row["deviation"]
    return None


def summary(server, device, options, report):
    tests = {test["id"]: {"outcome": test["outcome"], "actual": table.steady(test["actual"]),
                          **({"deviation": verified(device, test)} if test["outcome"] == "failed" else {})} for test in report["tests"]}
    return {"server": server, "device": device, "kernel": run.version_of(server), "options": options, "run": datetime.date.today().isoformat(),
            "state": report["state"], "starts": report.get("server_starts", 1), "deaths": report.get("deaths", []), "tests": tests}


# A server that does not live on after a case is started again, and the run goes on with the next one.
RESTART = {"ganesha": "kill -KILL $(cat /tmp/ganesha.pid); sleep 2; rm -f /tmp/ganesha.pid; LD_LIBRARY_PATH=/usr/local/lib ganesha.nfsd "
                      "-f /tmp/ganesha.conf -L /job/ganesha.log -p /tmp/ganesha.pid -N EVENT; "
                      "until ss -ltn | grep -q :20048; do sleep 0.5; done; sleep 12"}
STARTS = 40


def run_once(booted, arguments, end):
    """iwarp-gen test, until it is over, or time is."""
    client = booted["client"]
    client.start(f"ulimit -l unlimited; exec iwarp-gen test {' '.join(arguments)}", "test")
    while time.monotonic() < end and not client.is_over("test"):
        time.sleep(1)
    client.end("test")
    time.sleep(2)


def test(server, device, options):
    booted = run.boot_surely(device, "iwarp-gen", server)
    try:
        capture = run.work_folder() / f"suites+{server}+{device}.pcap"
        capture.unlink(missing_ok=True)
        booted.capture(capture)
        arguments = [f"rdma:{run.SERVER}:20049", "--export=/srv/nfs", "--mount-port=20048", "--suite=rpcrdma,nfs", "--format=json",
                     "--output=/job/report.json", *PATIENCE, *options]
        report, end, said = booted["client"].job / "report.json", time.monotonic() + 60 * MINUTES, ""
        for starts in range(STARTS):
            resumed = ["--resume=/job/earlier.json"] if starts else []
            run_once(booted, [*arguments, *resumed], end)
            said += booted["client"].log("test")
            if not report.exists():
                raise link.Gone("no report:\n" + said)
            found = json.loads(report.read_text(encoding="utf-8"))
            found["server_starts"] = starts + 1
            if found["state"] in ("alive", "unknown") or server not in RESTART or time.monotonic() > end:
                break
            try:
                booted["client"].run("cp /job/report.json /job/earlier.json")
                booted["server"].run(RESTART[server], 90)
            except link.Gone as gone:  # what there is stays
                print(f"the server cannot be started again: {str(gone).splitlines()[0]}", file=sys.stderr, flush=True)
                break
        booted.capture()
        (run.work_folder() / f"suites+{server}+{device}.log").write_text(said, encoding="utf-8")
        return found
    finally:
        booted.stop()


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in cells.RELEASES or sys.argv[2] not in cells.DEVICES:
        sys.exit(__doc__)
    server, device, *options = sys.argv[1:]
    report = test(server, device, options)
    (run.work_folder() / f"suites+{server}+{device}.json").write_text(json.dumps(report), encoding="utf-8")
    result = summary(server, device, options, report)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{server}+{device}.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    counts = {}
    for one in result["tests"].values():
        counts[one["outcome"]] = counts.get(one["outcome"], 0) + 1
    print(f"{server}+{device}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) + f"; {result['state']}")
    page.write()


if __name__ == "__main__":
    main()
