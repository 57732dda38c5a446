#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run.py [--again] [--cured] [--judge] [--list] [--junit=FILE] [SUBSET...]: runs cells of the matrix that have no result, or one of other
programs, kernels or operations; then the page is made anew. A SUBSET is a cell's name, or parts of such: linux-7.2+rxe, ganesha, nfs3+siw.
Results go to lab/results/matrix/results.tar.zst, captures and whole reports to $IWARP_LAB/matrix. --cured: the same in guests with the patches of
lab/upstream/; results go to cured/ there, captures to $IWARP_LAB/matrix/cured."""
import argparse
import collections
import datetime
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent / "guests"), str(ROOT / "tests")]
import causes  # noqa: E402
import cells  # noqa: E402
import guests  # noqa: E402
import link  # noqa: E402
import page  # noqa: E402
import store  # noqa: E402
from reports import read_report  # noqa: E402

BUILD = pathlib.Path(os.environ.get("IWARP_BUILD") or ROOT / "build" / "release").resolve()
GEN, CHECK = BUILD / "traffic-gen" / "iwarp-gen", BUILD / "conformance" / "iwarp-check"
SERVER = link.address("server")
MOUNT_SECONDS, WORK_SECONDS = 60, 400
TRIES = 3  # of a cell in which something failed, so that the page says in how many of them; and of a boot
TROUBLE = re.compile(r"(?:BUG|WARNING|Oops|refcount_t|general protection)[^\n]*")


def work_folder(cured=False):
    folder = guests.top() / "matrix" / ("cured" if cured else "")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sum_of(*paths):
    return hashlib.sha256(b"".join(pathlib.Path(path).read_bytes() for path in paths)).hexdigest()[:16]


def version_of(implementation, cured=False):
    if implementation == "iwarp-gen":
        return subprocess.run([GEN, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    return guests.kernel(cells.release(implementation, cured))


def key(cell):
    """Everything that a result depends on: after a change the cell is run again."""
    return {"operations": sum_of(HERE / ("work.scenario.in" if cell.client == "iwarp-gen" else "operations.py")),
            "client": version_of(cell.client, cell.cured), "server": version_of(cell.server, cell.cured)}


def patches(cell):
    """The names of the patches in each side's guest."""
    return {side: guests.cures(release) for side, release in zip(("client", "server"), cell.guests or ())}


def result_of(cell):
    return store.get(page.DOCS, f"{cell.folder}/{cell.name}")


def is_done(cell):
    result = result_of(cell)
    now = key(cell)
    return result is not None and all(now[part] in (None, result["key"][part]) for part in now)


# ---- actions in a cell ----

def path_on(cell):
    """The export as a client names it."""
    if cell.server == "iwarp-gen" or (cell.server != "ganesha" and cell.version != "3"):
        return "/"
    return "/srv/nfs"


def scenario(cell):
    text = (HERE / "work.scenario.in").read_text(encoding="utf-8")
    root = "cell" if cell.device == "soft" or path_on(cell) == "/" or cell.version == "3" else "cell"
    return text.replace("@VERSION@", cell.version).replace("@ROOT@", root)


def linux_client(booted, cell):
    options = f"vers={cell.version},proto=rdma,port=20049,hard"
    if cell.version == "3":
        options += ",nolock,mountproto=tcp,mountport=20048"
    mount = f"timeout -s KILL {MOUNT_SECONDS} mount.nfs '{SERVER}:{path_on(cell)}' /mnt -o {options}"
    script = f"""
        {mount} || exit 90
        mkdir /mnt/cell && echo "mount	ok	"
        python3 /job/operations.py /mnt/cell {cell.version}
        umount /mnt && {mount} && cmp <(head -c 100 /mnt/cell/inline) /mnt/cell/inline && echo "remount	ok	" || echo "remount	failed	see the log"
        rm -rf /mnt/cell; umount /mnt
        """
    (booted["client"].job / "operations.py").write_bytes((HERE / "operations.py").read_bytes())
    status, said = booted["client"].run(script, WORK_SECONDS)
    done = {}
    for line in said.splitlines():
        if line.count("\t") == 2:
            name, outcome, why = line.split("\t")
            done[name] = {"outcome": outcome, "why": why}
    if status == 90 or not done:
        done = {"mount": {"outcome": "failed", "why": " ".join(said.split())[-300:] or "no answer"}}
    elif "Traceback" in said or (status != 137 and "sparse" not in done):
        raise link.Gone("the operations did not run to the end, through no fault of the server:\n" + said)
    elif status == 137:
        done["all"] = {"outcome": "failed", "why": f"not over after {WORK_SECONDS} s; the last one that ended was {list(done)[-1]}"}
    return done, said


def our_client(run, address, cell, export):
    """All operations at once: the first failure ends it, and the message names it."""
    arguments = ["--timeout=30"] + ([f"--export={export}"] if export != "/" else [])
    if cell.version == "3" and cell.server != "iwarp-gen":
        arguments.append("--mount-port=20048")
    status, said = run(scenario(cell), address, arguments)
    outcome = {"outcome": "ok" if status == 0 else "failed", "why": "" if status == 0 else " ".join(said.split())[-300:]}
    return {"scenario": outcome}, said


def in_guest(booted, cell):
    def run(text, address, arguments):
        (booted["client"].job / "work.scenario").write_text(text, encoding="utf-8")
        return booted["client"].run(f"iwarp-gen connect rdma:{address}:20049 /job/work.scenario {' '.join(arguments)}", WORK_SECONDS)
    done, said = our_client(run, SERVER, cell, path_on(cell))
    booted["server"].run("rm -rf /srv/nfs/cell")
    return done, said


def soft(cell, capture):
    """Both ends run here, on a free loopback address with the well-known port."""
    address = f"127.{random.randint(1, 254)}.{random.randint(1, 254)}.{random.randint(1, 254)}"
    with subprocess.Popen([GEN, "serve", f"{address}:20049", "--service=nfs"], stderr=subprocess.PIPE, text=True) as server:
        server.stderr.readline()

        def run(text, where, arguments):
            scenario_file = work_folder() / "work.scenario"
            scenario_file.write_text(text, encoding="utf-8")
            done = subprocess.run([GEN, "connect", f"{where}:20049", scenario_file, "-w", capture, *arguments], capture_output=True,
                                  text=True, check=False)
            return done.returncode, done.stderr
        try:
            return our_client(run, address, cell, "/")
        finally:
            server.send_signal(signal.SIGINT)


# ---- evaluation ----

def judge(capture):
    """Findings by side and rule, the basis of the verdict, and the shipped waivers that explain them."""
    done = subprocess.run([CHECK, "--format=ndjson", "--fail-on=warning", "--max-findings=0", capture], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return {"verdict": "unreadable", "why": done.stderr.strip(), "findings": {}, "rules_exercised": 0}
    report = read_report(done.stdout)
    found = collections.defaultdict(dict)
    for one in report["captures"]:
        for connection in one["connections"]:
            for finding in connection["findings"]:
                if finding["severity"] == "note":
                    continue
                side = "client" if finding["direction"] == "initiator-to-responder" else "server"
                kept = found[side].setdefault(finding["rule"], {"severity": finding["severity"], "section": finding["section"],
                                                                "document": finding["document"], "frame": finding["frame"],
                                                                "message": finding["message"], "times": 0})
                kept["times"] += 1
    text = subprocess.run([CHECK, "--fail-on=warning", capture], capture_output=True, text=True, check=False).stdout
    capture.with_suffix(".txt").write_text(text, encoding="utf-8")
    known = re.search(r"\(--waivers=(\S+)\)$", text, re.M)
    return {"verdict": report["summary"]["verdict"], "findings": found, "rules_exercised": report["summary"]["rules_exercised"],
            "connections": report["summary"]["connections"], "explained_by": known and known[1]}


def judge_again(wanted):
    """Judges earlier captures with the present iwarp-check."""
    for cell in wanted:
        capture, result = work_folder(cell.cured) / f"{cell.name}.pcap", result_of(cell)
        packed = capture.with_suffix(".pcap.zst")
        if result is None or not packed.exists():
            continue
        subprocess.run(["zstd", "-q", "-d", "-f", packed, "-o", capture], check=True)
        result["judged"] = judge(capture)
        capture.unlink()
        save(cell, result)


def save(cell, result):
    store.put(page.DOCS, f"{cell.folder}/{cell.name}", result)
    print(f"{cell.name}: {page.colour(cell, result)}, {result['seconds']} s: {page.in_short(cell, result)}", flush=True)


def pack(capture):
    """Judged, then compressed. (verdict, octets)"""
    if not capture.exists() or capture.stat().st_size <= 24:
        return {"verdict": "no capture", "findings": {}, "rules_exercised": 0}, 0
    judged, size = judge(capture), capture.stat().st_size
    subprocess.run(["zstd", "-q", "-f", "--rm", capture], check=True)
    return judged, size


def keep(cell, tries):
    """The last of the tries that came farthest is shown in full; its capture has the name of the cell."""
    shown = max(range(len(tries)), key=lambda n: (not page.failed(tries[n]), not hangs(tries[n]["operations"]), n))
    folder = work_folder(cell.cured)
    for n, one in enumerate(tries):
        (folder / f"{one['capture'].stem}.log").write_text(one["said"], encoding="utf-8")
        one["judged"], one["octets"] = pack(one["capture"])
        for kept in folder.glob(f"{one['capture'].stem}.*") if n == shown else []:
            kept.rename(folder / (cell.name + kept.name.removeprefix(one["capture"].stem)))
    save(cell, {"cell": cell.name, "key": key(cell), "run": datetime.date.today().isoformat(), "patches": patches(cell),
                "seconds": sum(one["seconds"] for one in tries), "operations": tries[shown]["operations"],
                "judged": tries[shown]["judged"], "capture_octets": tries[shown]["octets"], "kernel": tries[shown]["kernel"],
                "shown": shown + 1,
                "tries": [{"seconds": one["seconds"]} if n == shown else
                          {"seconds": one["seconds"], "failed": page.failed(one), "kernel": one["kernel"], "findings": one["judged"]["findings"]}
                          for n, one in enumerate(tries)]})


# ---- cells that share guests ----

def boot(device, client, server, cured=False):
    services = {"client": "none" if client == "iwarp-gen" else "client",
                "server": {"iwarp-gen": "none", "ganesha": "ganesha"}.get(server, "nfs")}
    booted = link.Link(device, {"client": cells.release(client, cured), "server": cells.release(server, cured)}, services,
                       {"server": 6144 if server == "ganesha" else 1024})  # it registers 64 MB for a connection
    for name, one in (("client", client), ("server", server)):
        if one == "iwarp-gen":
            booted[name].install(BUILD)
    return booted


def kernel_trouble(booted, name, before):
    """Lines of the kernel's log since then that say that it is not well."""
    _, log = booted[name].run("dmesg", 30)
    lines = TROUBLE.findall(log)
    return lines[len(before.get(name, [])):], {**before, name: lines}


def once(booted, cell, capture):
    booted["server"].run("rm -rf /srv/nfs/cell")  # what a cell before may have left
    booted.capture(capture)
    try:
        if cell.server == "iwarp-gen":
            booted["server"].start("iwarp-gen serve rdma::20049 --service=nfs --mount-port=20048", "serve",
                         "nfs listening on RDMA port 20049")
        done, said = (in_guest if cell.client == "iwarp-gen" else linux_client)(booted, cell)
        if cell.server == "iwarp-gen":
            booted["server"].end("serve")
            said += "\n-- server --\n" + booted["server"].log("serve")
        return done, said
    finally:
        booted.capture()


def all_failed(done):
    return all(one["outcome"] == "failed" for one in done.values())


def hangs(done):
    """A mount does, the first one or the second."""
    return all_failed(done) or done.get("remount", {}).get("outcome") == "failed"


def boot_surely(device, client, server, cured=False):
    for again in range(TRIES):
        try:
            return boot(device, client, server, cured)
        except link.Gone as gone:
            if again + 1 == TRIES:
                raise
            print(f"boots again: {str(gone).splitlines()[0]}", file=sys.stderr, flush=True)
    raise AssertionError


class Pair:
    """The guests of a group of cells: booted when they are needed, and again after trouble."""

    def __init__(self, cell):
        self.of, self.booted, self.before = cell, None, {}

    def attempt(self, cell, capture):
        """Once through the cell."""
        if self.booted is None:
            self.booted, self.before = boot_surely(self.of.device, self.of.client, self.of.server, self.of.cured), {}
        began, trouble = time.monotonic(), {}
        done, said = once(self.booted, cell, capture)
        for name in self.booted.machines:
            lines, self.before = kernel_trouble(self.booted, name, self.before)
            if lines:
                trouble[name] = lines[:5]
        if trouble or all_failed(done):
            self.stop()
        return {"operations": done, "said": said, "kernel": trouble, "capture": capture, "seconds": round(time.monotonic() - began)}

    def stop(self):
        if self.booted:
            self.booted.stop()
        self.booted = None


def tries_of(cell, attempt):
    """One try if nothing fails in it, else TRIES: the page says in how many of them something failed, and by whose fault."""
    tries, folder = [], work_folder(cell.cured)
    for left in folder.glob(f"{cell.name}.try*"):
        left.unlink()
    while len(tries) < TRIES and (not tries or page.failed(tries[0])):
        tries.append(attempt(cell, folder / f"{cell.name}.try{len(tries) + 1}.pcap"))
    return tries


def run_group(group):
    pair = Pair(group[0])
    for cell in group:
        try:
            keep(cell, tries_of(cell, pair.attempt))
        except link.Gone as gone:
            print(f"{cell.name}: {gone}", file=sys.stderr, flush=True)
            pair.stop()
    pair.stop()


def without_guests(cell, capture):
    began = time.monotonic()
    done, said = soft(cell, capture)
    return {"operations": done, "said": said, "kernel": {}, "capture": capture, "seconds": round(time.monotonic() - began)}


def run(wanted):
    def group_of(cell):
        return cell.device, cell.client, cell.server
    for cell in wanted:
        if cell.device == "soft":
            keep(cell, tries_of(cell, without_guests))
    in_guests = sorted((cell for cell in wanted if cell.device != "soft"), key=group_of)
    for _, group in itertools.groupby(in_guests, group_of):
        run_group(list(group))


def ours_to_blame(cell, result):
    """The errors of this project's client or server, or None; errors of others are on the page, and fail no test here."""
    if result is None:
        return "the cell has no result: its guests did not run to the end"
    for side, who in (("client", cell.client), ("server", cell.server)):
        broken = [rule for rule, finding in sorted(result["judged"]["findings"].get(side, {}).items())
                  if causes.of_finding(cell, side, rule, finding["message"]) is None]
        if who == "iwarp-gen" and broken:
            return f"iwarp-gen as {side} breaks {', '.join(broken)}"
    if cell.client == cell.server == "iwarp-gen" and page.failed(result):
        return f"iwarp-gen on iwarp-gen: {page.failed(result)}"
    return None


def junit(results):
    suite = ElementTree.Element("testsuite", name="matrix")
    for cell, result in results.items():
        case = ElementTree.SubElement(suite, "testcase", classname="matrix", name=cell.name, time=str(result["seconds"] if result else 0))
        if why := ours_to_blame(cell, result):
            ElementTree.SubElement(case, "failure", message=why)
    return ElementTree.tostring(suite, encoding="unicode") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[1])
    parser.add_argument("--again", action="store_true", help="also cells that have a result")
    parser.add_argument("--cured", action="store_true", help="in guests with the patches of upstream/")
    parser.add_argument("--judge", action="store_true", help="run nothing; judge the captures of before with the iwarp-check of now")
    parser.add_argument("--list", action="store_true", help="their names, and what became of them")
    parser.add_argument("--junit", metavar="FILE", help="a test for each cell: it fails where iwarp-gen is at fault, or without a result")
    parser.add_argument("subset", nargs="*")
    options = parser.parse_args()
    try:
        chosen = cells.chosen(options.subset, options.cured)
    except ValueError as error:
        sys.exit(f"run.py: {error}")
    if options.list:
        for cell in chosen:
            result = result_of(cell)
            print(f"{cell.name:40} {page.colour(cell, result) if result else 'not run yet'}")
        return
    if options.judge:
        judge_again(chosen)
    else:
        run([cell for cell in chosen if options.again or not is_done(cell)])
    page.write()
    if options.junit:
        pathlib.Path(options.junit).write_text(junit({cell: result_of(cell) for cell in chosen}), encoding="utf-8")


if __name__ == "__main__":
    main()
