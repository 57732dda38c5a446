# SPDX-License-Identifier: GPL-2.0-or-later
"""lab/results/linux-nfs-rdma.md: the roles that are tested over RDMA devices, beside the same over a socket."""
import collections

import table

OUTCOMES = ["passed", "failed", "inconclusive", "not applicable"]


def sockets(reports):
    """The roles in which the same was tested over a TCP socket."""
    return {role.name.split("-", 1)[1] for role, _ in reports}


def by_deviation(role):
    """Deviation: cases that show it."""
    found = collections.defaultdict(list)
    for name, row in table.load(role).items():
        if table.may_fail(row):
            found[row["deviation"] or "not verified"].append(name)
    return found


def overview(reports):
    yield "| role | tested | " + " | ".join(OUTCOMES) + " | from boot to verdict |"
    yield "|---" * (len(OUTCOMES) + 3) + "|"
    for role, report in reports:
        count = collections.Counter(test["outcome"] for test in report["tests"])
        yield (f"| {role.name} | {role.device} | " + " | ".join(str(count[outcome]) for outcome in OUTCOMES) +
               f" | {report['from_boot_to_report'] / 60:.0f} min |")


def deviations(reports):
    known = table.deviations()
    found = collections.defaultdict(dict)
    for role, _ in reports:
        for key, cases in by_deviation(role.name).items():
            found[key][role.name] = cases
    yield "| deviation | soft RoCE | siw | over a socket |"
    yield "|---|---|---|---|"
    by_socket = {name: by_deviation(name) for name in sorted(sockets(reports))}
    for key in dict.fromkeys([*found, *(key for one in by_socket.values() for key in one)]):
        title = known.get(key, {}).get("title", key)
        of = {device: sorted({case for role, cases in found[key].items() if role.startswith(device) for case in cases})
              for device in ("rxe", "siw")}
        socket = sorted({case for one in by_socket.values() for case in one.get(key, [])})
        yield f"| {title} | {', '.join(of['rxe']) or 'no'} | {', '.join(of['siw']) or 'no'} | {', '.join(socket) or 'no'} |"


def page(reports):
    failed = {case for role, _ in reports for cases in by_deviation(role.name).values() for case in cases}
    keys = {key for role, _ in reports for key in by_deviation(role.name)}
    yield "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->"
    yield "# Linux NFS over RDMA, tested through RDMA devices"
    yield ""
    what = " and ".join(["the NFS server"] + ["the NFS client"] * any(role.start for role, _ in reports))
    yield (f"**Does not conform: {len(failed)} cases fail, in {len(keys)} deviations.** {what[0].upper() + what[1:]} of Linux 6.1 "
           "(Debian 12), reached by `iwarp-gen test rdma:HOST:PORT` through soft RoCE (rdma_rxe) and through soft iWARP (siw). "
           "[Over a TCP socket](linux-nfs.md) the octets below RDMA operations are seen as well; each deviation that both "
           "show is explained there, with its octets.")
    yield ""
    yield from overview(reports)
    yield ""
    yield ("Each row comes from one command, such as `python3 lab/interop/suites/proof.py "
           f"{reports[0][0].name}`; `./test --all siw roce` runs them all. The times are those of software emulation. It boots two "
           "guests, runs the suites in one of them against the other one, records the link, and compares every outcome with `lab/interop/suites/expected/`. `iwarp-check` judges the "
           "recording: of every case that passed it finds no breach of the case's rule, and of every case that failed it finds that "
           "rule broken, or one that says more, or `lab/interop/suites/agree.py` says why a capture cannot show it. Ids that end in "
           "`/seen` are what it finds beside the cases.")
    yield ""
    yield "## Deviations"
    yield ""
    yield from deviations(reports)
    own = [key for key in keys if not any(key in by_deviation(name) for name in sockets(reports))]
    known = table.deviations()
    for key in sorted(own):
        yield ""
        yield f"### {key}"
        yield ""
        yield known.get(key, {}).get("title", key) + ". " + known.get(key, {}).get("text", "Not verified by hand yet.")
