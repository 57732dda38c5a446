# SPDX-License-Identifier: GPL-2.0-or-later
"""No shipped waiver file lets a faulty capture pass, unless its reason names that fault."""
import concurrent.futures
import re
import subprocess

import pytest

from reports import read_report

# By file: the faults that pass with this file, each with the entry whose reason names the fault.
NAMED = {
    "ganesha-6.5": {
        "RPCR-3.4.6.2-02": "RPCR-3.4.6.2-02",  # a READ writes more octets than it has, like a roundup
        "RPCR-3.4.6.2-02/returned": "RPCR-3.4.6.2-02",
        "RPCR-3.4.6.2-03": "RPCR-3.4.6.2-03",  # and returns a length that includes them
        "RPCR-3.5.3-10": "RPCR-3.5.3-10",  # a READ with a Write chunk and a Reply chunk is answered without the Write list
    },
    "linux-6.1-nfsd": {
        "CMPD-4.1-03/server": "CMPD-4.1-03",  # the server announces no invalidation, but invalidates
        "RPC-9-05/long": "RPC-9-05",  # GARBAGE_ARGS for a long SETACL
    },
    "linux-6.1-siw": {
        "MPA-3-03": "MPA-3-03",  # FPDUs longer than the MULPDU
        "MPA-4.1-05": "MPA-4.1-05", "MPA-4.1-06+ok": "MPA-4.1-05", "MPA-4.1-07+ok": "MPA-4.1-05",  # octets in the PAD
        "MPA-7.1.2-23": "MPA-7.1.2-23",  # the Responder sends first
        "MPA2-6-02": "MPA2-6-02",  # the reserved bit 0x08
        "RDMAP-5.2.1-18": "RDMAP-5.2.1-18",  # a Read of no octets is answered with octets
    },
    "linux-6.1-xprtrdma": {},
    "linux-6.12-nfsd": {"CMPD-4.1-03/server": "CMPD-4.1-03"},
    "linux-7.2-nfsd": {"CMPD-4.1-03/server": "CMPD-4.1-03"},
    "linux-7.2-siw": {"MPA-4.1-05": "MPA-4.1-05", "MPA-4.1-06+ok": "MPA-4.1-05", "MPA-4.1-07+ok": "MPA-4.1-05"},
}


def waived_rules(root):
    """Rules of entries for findings, without those for cases."""
    return {rule for path in (root / "waivers").glob("*.yaml") for rule in re.findall(r"^- id: ([^/\s]+)$", path.read_text(encoding="utf-8"), re.M)}


@pytest.fixture(scope="module")
def faults(build, root, all_captures, tmp_path_factory):
    """Fault: its capture. The manifest of captures/generated has one for each rule; for the rules of waivers, all faults are made, on both transports."""
    folder, rules, made = tmp_path_factory.mktemp("faults"), waived_rules(root), {}
    program, jobs = build / "traffic-gen" / "iwarp-gen", []
    for transport in ("iwarp", "roce"):
        listed = subprocess.run([program, "list", "faults", "--transport=" + transport], capture_output=True, text=True, check=True).stdout
        for fault, scenario, *_ in (line.split("\t") for line in listed.splitlines()):
            if re.split("[/+]", fault)[0] in rules:
                path = folder / f"{transport}-{fault.replace('/', '_')}.pcapng"
                jobs.append([program, "play", scenario, "--inject=" + fault, "--transport=" + transport, "-o", path])
                made[path] = fault
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda job: subprocess.run(job, check=True, capture_output=True), jobs))
    kept = {path: path.stem for path in all_captures.glob("*/*.pcapng")
            if path.parent.name != "conforming" and not path.stem.startswith("RPCR0-")}
    assert len(made) > 60 and len(kept) > 700
    return made | kept


def failing(check, faults, *options):
    """Path: rules of failing findings, and rules of waived findings."""
    result = check("--format=ndjson", "--no-progress", "--fail-on=warning", *options, *faults)
    parsed, found = read_report(result.stdout), {}
    for capture in parsed["captures"]:
        findings = [f for connection in capture["connections"] for f in connection["findings"]]
        found[capture["file"]] = ({f["rule"] for f in findings if not f["waived"] and f["severity"] != "note"},
                                  {f["rule"] for f in findings if f["waived"]})
    return found


@pytest.fixture(scope="module")
def bare(check, faults):
    return failing(check, faults)


def test_every_file_is_in_the_table(root):
    assert {path.stem for path in (root / "waivers").glob("*.yaml")} == set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_no_fault_passes_that_no_reason_names(check, faults, bare, name):
    passed = {}
    for path, (left, waived) in failing(check, faults, "--waivers=" + name).items():
        if bare[path][0] and not left:
            passed[{str(key): fault for key, fault in faults.items()}[path]] = waived
    assert {fault: {rule} for fault, rule in NAMED[name].items()} == passed


def test_no_unanswered_call_is_waived(check, faults, bare, root):
    """Even all files together do not waive everything: the remaining finding shows this."""
    silent = [path for path, (rules, _) in bare.items() if "RPCR-4.5.4-03" in rules]
    assert silent
    left = failing(check, silent, "--waivers=linux", "--waivers=ganesha")
    assert all("RPCR-4.5.4-03" in left[path][0] for path in silent)
    for path in (root / "waivers").glob("*.yaml"):
        assert not re.search(r"^- (?:id: RPCR-4\.5\.4-03\b|case: RPCR-4\.5\.4-03(?:/seen)?$)", path.read_text(encoding="utf-8"), re.M)
