# SPDX-License-Identifier: GPL-2.0-or-later
"""lab/upstream/: each report and each patch has the form in which its project wants them."""
import pathlib
import re
import subprocess

import pytest

UPSTREAM = pathlib.Path(__file__).resolve().parents[2] / "lab" / "upstream"
HEAD = ["subject", "component", "seen with", "fixes", "trace", "capture", "patch"]
NEEDED = ["What the document says", "How to see it"]
SECTIONS = [*NEEDED, "Cause", "Trace", "Patch"]
LONGEST = 75  # of a subject, as scripts/checkpatch.pl has it for a line of a commit
# The beginning of a subject, by directory (one for each project).
PREFIXES = {"nfsd": "svcrdma|SUNRPC|NFSD", "siw": "RDMA/siw|RDMA/iwcm", "ganesha": "RDMA|RPCAL|MainNFSD",
            "wireshark": "iWARP MPA|iWARP DDP/RDMAP|RPC over RDMA|TCP"}
PATCH_HEAD = re.compile(r"From 0{40} Mon Sep 17 00:00:00 2001\nFrom: [^\n]+(?:\n [^\n]*)?<[^\n>]+@[^\n>]+>\nDate: [^\n]+\n"
                        r"Subject: \[PATCH(?: \d\.\d+)?\] (?P<subject>[^\n]+(?:\n [^\n]+)*)\n(?:MIME-Version: [^\n]*\n(?:Content-[^\n]+\n)+)?\n"
                        r"(?P<body>.+?)\n---\n(?P<stat>(?: \S+ +\| +\d+ [+-]+\n)+) \d+ files? changed[^\n]*\n", re.S)
REPORTS = sorted(path for name in PREFIXES for path in (UPSTREAM / name).glob("*.md"))
PATCHES = sorted(path for path in UPSTREAM.glob("**/*.patch") if not path.is_symlink())


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


def read(text):
    """The head of a report, in its order, and its sections."""
    title, items = re.match(r"<!-- SPDX-[^\n]+-->\n# ([^\n]+)\n\n((?:- \*\*.*\n(?:  .*\n)*)+)\n", text).groups()
    head = [(name, flat(value)) for name, value in re.findall(r"^- \*\*([^*]+)\*\*: ((?:.+\n)(?:  .*\n)*)", items, re.M)]
    return title, head, re.findall(r"^## (.*)$", text, re.M)


def patches_of(path):
    """STEM.patch, and STEM.NAME.patch for another part of the project."""
    return sorted(path.parent.glob(f"{path.stem}.*patch"))


def subject_of(patch):
    return flat(PATCH_HEAD.match(patch.read_text(encoding="utf-8"))["subject"])


def faults(path, text):
    """Items that a maintainer would miss."""
    _, items, sections = read(text)
    if [name for name, _ in items] != HEAD:
        yield f"its head is not {HEAD}"
        return
    head = dict(items)
    subject = head["subject"].strip("`")
    if not re.match(rf"(?:{PREFIXES[path.parent.name]}): \S", subject) or len(subject) > LONGEST or subject.endswith("."):
        yield f"subject: {subject}"
    if not re.match(r"`[0-9a-f]{12} \(\".+\"\)`|not known: \S|none: \S", head["fixes"]):
        yield f"fixes: {head['fixes']}"
    if (head["trace"] == "[below](#trace)") != ("Trace" in sections) or not re.match(r"\[below\]\(#trace\)$|none", head["trace"]):
        yield f"trace: {head['trace']}"
    if not re.search(r"\d+\.\d+", head["seen with"]):
        yield f"no version: {head['seen with']}"
    for capture in re.findall(r"`([^`]+)`", head["capture"]):
        if not (UPSTREAM.parents[1] / capture).exists() or capture not in text.split("## How to see it")[1]:
            yield f"capture: {capture}"
    if "`" not in head["capture"] and not head["capture"].startswith("none: "):
        yield f"capture: {head['capture']}"
    patches = {patch.name for patch in patches_of(path)}
    linked = set(re.findall(r"\]\(([^)]+\.patch)\)", head["patch"]))
    if not patches <= linked or not all((path.parent / name).exists() for name in linked) or not (
            patches or re.match(r"none\b.*: \S", head["patch"])):
        yield f"patch: {head['patch']}"
    if path.with_suffix(".patch").exists() and subject_of(path.with_suffix(".patch")) != subject:
        yield f"subject: {subject}: the patch has another one"
    known = re.match(r"`([0-9a-f]{12} \(.+\))`", head["fixes"])
    if path.with_suffix(".patch").exists() and known and f"\nFixes: {known[1]}\n" not in path.with_suffix(".patch").read_text(encoding="utf-8"):
        yield f"fixes: {known[1]}: the patch does not say so"
    if sections != [name for name in SECTIONS if name in sections] or not set(NEEDED) <= set(sections):
        yield f"sections: {sections}"
    if not re.search(r"^    (?:\$|\[\w+\]) \S|^```\n", text.split("## How to see it")[1], re.M):
        yield "no command shows it"


@pytest.mark.parametrize("path", REPORTS, ids=[path.stem for path in REPORTS])
def test_report(path):
    assert not list(faults(path, path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("old, new, fault", [
    ("- **fixes**: not known: ", "- **fixes**: ", "fixes"),
    ("- **trace**: [below](#trace)", "- **trace**: none", "trace"),
    ("long-read.pcap`", "long-red.pcap`", "capture"),
    ("Ganesha 6.5 with ntirpc 6.3 on Linux 6.12", "Ganesha", "no version"),
    ("`RDMA: a READ", "`A READ", "subject"),
    ("- **component**", "- **part**", "its head"),
    ("## What the document says", "## Why", "sections"),
    ("- **patch**: ", "- **patch**: later", "patch"),
])
def test_a_fault_is_noticed(old, new, fault):
    path = UPSTREAM / "ganesha" / "ganesha-long-read.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    assert fault in [found.split(":")[0].split(" is ")[0] for found in faults(path, text.replace(old, new))]


@pytest.mark.parametrize("path", PATCHES, ids=[path.stem for path in PATCHES])
def test_patch(path):
    """As git format-patch writes it, for its report; git counts its lines as it says itself."""
    text = path.read_text(encoding="utf-8")
    assert list(UPSTREAM.glob(f"*/{path.name.split('.')[0]}.md"))
    head = PATCH_HEAD.match(text)
    assert head and all(len(line) <= LONGEST or line.startswith(("  ", "Fixes: ")) for line in head["body"].splitlines()), head["body"]
    assert "Signed-off-by" not in text
    counted = subprocess.run(["git", "apply", "--numstat", path], capture_output=True, text=True, check=True, cwd="/").stdout
    said = {name: int(lines) for name, lines in re.findall(r"^ (\S+) +\| +(\d+) ", head["stat"], re.M)}
    assert said == {name: int(added) + int(removed) for added, removed, name in
                    (line.split("\t") for line in counted.splitlines())}
