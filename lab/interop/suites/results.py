#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""results.py FOLDER: writes lab/results/siw.md, siw-own-tcp.md, linux-nfs.md and linux-nfs-rdma.md from proof.py's reports in the
directory, with manually verified data (expected/deviations.tsv). Pages of roles without a report stay as they are."""
import collections
import json
import pathlib
import sys

import results_devices
import roles
import table

RESULTS = pathlib.Path(__file__).resolve().parents[3] / "lab" / "results"
OUTCOMES = ["passed", "failed", "unstable", "died", "inconclusive", "not applicable"]
OCTETS_SHOWN = 80
FRAMES_SHOWN = 6
TITLES = {"siw": "Linux soft-iWARP, tested", "siw-own-tcp": "Linux soft-iWARP and segments that no kernel sends",
          "linux-nfs": "Linux NFS over RDMA, tested"}
ABOUT = {
    "siw": "siw of Linux 6.1 (Debian 12), as Responder with `rping`, which any Debian has, and with "
           "[`iwarp-target`](../../docs/howto/targets.md), which offers all that the suites need; as Initiator with the latter. "
           "[Segments that no kernel sends](siw-own-tcp.md) have a page of their own.",
    "siw-own-tcp": "siw of Linux 7.2 (with the [patches](../upstream/siw/patches) that keep it alive) as Responder and Initiator, and the "
                   "NFS server over it, in a guest at the end of a TAP interface, on which iwarp-gen has "
                   "[a TCP of its own](../../docs/howto/own-tcp.md). All failures are of one fault of siw; with [three lines changed]"
                   "(../upstream/siw/siw-trailer.md) what our own TCP plays passes in all three roles, so it hides no other.",
    "linux-nfs": "The NFS server and the NFS client of Linux 6.1 (Debian 12) over siw, versions 3, 4.0, 4.1 and 4.2. What siw "
                 "itself does is in [siw.md](siw.md).",
}


def verdict(reports):
    failed = {test["id"] for _, report in reports for test in report["tests"] if test["outcome"] in ("failed", "died")}
    deaths = {test["id"] for _, report in reports for test in report["tests"] if test["outcome"] == "died"}
    cases = {test["id"] for _, report in reports for test in report["tests"]}
    shown = {test["id"] for _, report in reports for test in report["tests"] if test["outcome"] in ("passed", "failed", "died")}
    explained = len(keys(reports))
    open_cases = len(cases) - len(shown)
    yield (f"**{'Does not conform' if failed else 'Conforms'}: {len(failed)} of {len(shown)} conclusive cases fail"
           f"{f', in {explained} deviation' + 's' * (explained != 1) if failed else ''}."
           + (f" {len(deaths)} cases end its service or crash its kernel: {', '.join(sorted(deaths))}." if deaths else
              " It survived every case.") + "** " +
           (f"{open_cases} of {len(cases)} cases {'was' if open_cases == 1 else 'were'} inconclusive or not applicable in every role; the reasons are below."
            if open_cases else f"Each of the {len(cases)} cases was conclusive in at least one role."))


def keys(reports):
    """Deviation: the cases that show it, by role."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for role, report in reports:
        rows = table.load(role.name)
        for test in report["tests"]:
            if test["outcome"] in ("failed", "died"):
                found[rows.get(test["id"], {}).get("deviation") or "not verified"][role.name].append(test["id"])
    return found


def overview(reports):
    yield "| role | tested | " + " | ".join(OUTCOMES) + " | boots | from boot to report |"
    yield "|---" * (len(OUTCOMES) + 4) + "|"
    for role, report in reports:
        count = collections.Counter(test["outcome"] for test in report["tests"])
        yield (f"| {role.name} | {role.device} | " + " | ".join(str(count[outcome]) for outcome in OUTCOMES) +
               f" | {report['boots']} | {report['from_boot_to_report'] / 60:.0f} min |")


def frames(test):
    shown = test["frames"]
    if "without the oddity" in test["actual"]: # a comparison follows on a separate connection
        shown = [frame for frame in shown if frame["connection"] == 1]
    yield "```"
    for frame in shown[-FRAMES_SHOWN:]:
        arrow = "test >    " if frame["from"] == "test" else "  < device"
        yield f"{frame['seconds']:8.3f} {arrow} {frame['what']}"
        octets = frame["octets"] or ""
        shown = octets[:2 * OCTETS_SHOWN]
        for at in range(0, len(shown), 64):
            yield " " * 20 + " ".join(shown[at:at + 64][word:word + 8] for word in range(0, len(shown[at:at + 64]), 8))
        if len(octets) > len(shown):
            yield " " * 20 + f"... {frame['length']} octets in all"
    yield "```"


def example(tests, cases):
    """A test with evidence; for "RULE/seen" a test that showed it."""
    for name, ids in cases.items():
        for case in ids:
            if tests[name, case]["frames"]:
                return tests[name, case]
    name, ids = next(iter(cases.items()))
    rule = ids[0].removesuffix("/seen")
    for (role, _), test in tests.items():
        if role == name and any(line.startswith(rule + ":") for line in test["observations"]):
            return {**test, **{key: tests[name, ids[0]][key] for key in ("document", "section", "level", "requirement",
                                                                         "expected", "actual")}, "id": ids[0]}
    return tests[name, ids[0]]


def deviations(reports):
    known = table.deviations()
    tests = {(role.name, test["id"]): test for role, report in reports for test in report["tests"]}
    found = keys(reports)
    yield "| deviation | shown by |"
    yield "|---|---|"
    for key, cases in found.items():
        title = known.get(key, {}).get("title", key)
        shown = dict.fromkeys(case for ids in cases.values() for case in ids)
        yield f"| [{title}](#{key}) | {', '.join(shown)} |"
    for key, cases in found.items():
        yield ""
        yield f"### {key}"
        yield ""
        yield known.get(key, {}).get("title", key) + ". " + known.get(key, {}).get("text", "Not verified by hand yet.")
        yield ""
        for name, ids in cases.items():
            yield f"- {name}: " + ", ".join(ids)
        test = example(tests, cases)
        yield ""
        yield (f"{test['id']}, {test['document']} section {test['section']}, {test['level']}: *{test['requirement']}* Stimulus: "
               f"{test['stimulus']}. Expected: {test['expected']}. Found: {test['actual']}.")
        yield ""
        yield from frames(test)


def reasons(reports, outcome):
    """Cases without a result, by reason."""
    for role, report in reports:
        by_reason = collections.defaultdict(list)
        for test in report["tests"]:
            if test["outcome"] == outcome:
                by_reason[table.steady(test["actual"])].append(test["id"])
        if by_reason:
            yield ""
            yield f"{role.name}:"
            yield ""
        for reason, cases in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            yield f"- {len(cases)}: {reason} ({', '.join(cases)})"


def page(name, reports):
    yield "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->"
    yield f"# {TITLES[name]}"
    yield ""
    yield from verdict(reports)
    yield ""
    yield ABOUT[name]
    yield ""
    yield from overview(reports)
    yield ""
    yield ("Each row comes from one unattended command, such as `python3 "
           f"lab/interop/suites/proof.py {reports[0][0].name}`; the times are those of software emulation on two cores. It boots the "
           "guest, runs the suites, reboots the guest whenever a case has crashed it, and compares every outcome with "
           "`lab/interop/suites/expected/`; `results.py` there wrote this page from the reports. Each failure was checked against "
           "the octets on the wire and the wording of the document.")
    if name == "siw":
        yield ""
        yield "What ends siw's service or its kernel, and how to see it: [siw-crashes.md](siw-crashes.md)."
    yield ""
    yield "## Deviations"
    yield ""
    yield from deviations(reports)
    for outcome, title in (("unstable", "Unstable"), ("inconclusive", "Inconclusive"), ("not applicable", "Not applicable")):
        lines = list(reasons(reports, outcome))
        if lines:
            yield ""
            yield f"## {title}"
            yield from lines


PAGES = {"siw": page, "siw-own-tcp": page, "linux-nfs": page, "linux-nfs-rdma": lambda _, reports: results_devices.page(reports)}


def main(folder):
    for name, lines in PAGES.items():
        paths = [(role, folder / f"{role.name}.json") for role in roles.ROLES.values() if role.page == name]
        reports = [(role, json.loads(path.read_text(encoding="utf-8"))) for role, path in paths if path.exists()]
        for _, report in reports:
            report["tests"] = [test for test in report["tests"] if table.is_asked(test)]
        if reports:
            (RESULTS / f"{name}.md").write_text("\n".join(lines(name, reports)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
