# SPDX-License-Identifier: GPL-2.0-or-later
"""The checker of the web page writes the same report on each capture as the installed program, octet for octet."""
import pathlib
import re

import made_captures
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

GENERATED = ROOT / "captures" / "generated"
FOLDERS = sorted({path.parent.relative_to(ROOT) for path in (ROOT / "captures").rglob("*.pcap*")} |
                 {(GENERATED / row["file"]).parent.relative_to(ROOT) for row in made_captures.rows()})
SECONDS = re.compile(rb' (time|timestamp)="[^"]*"')  # JUnit: how long a run took, and when


def differences(both):
    found = []
    for name, pair in both.items():
        one, other = (SECONDS.sub(b"", text) if name == "junit" else text for text in pair)
        if one != other and isinstance(one, bytes) and isinstance(other, bytes):
            at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
            found.append(f"{name} at octet {at}: {one[max(at - 60, 0):at + 60]} / {other[max(at - 60, 0):at + 60]}")
        elif one != other:
            found.append(f"{name}: {one} / {other}")
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_each_capture(both, all_captures, folder):
    own = (ROOT / folder).is_relative_to(GENERATED)
    captures = sorted((all_captures / folder.name if own else ROOT / folder).glob("*.pcap*"))
    assert captures
    bad = {path.name: found for path in captures if (found := differences(both([path], formats=("text", "html", "ndjson", "junit"))))}
    assert not bad


SAMPLE = sorted((ROOT / "captures/real").rglob("*.pcap*"))[::7] + sorted((ROOT / "captures/roce").glob("*.pcap*"))[::3]


@pytest.mark.parametrize("options", [["--stats"], ["--verbose", "--max-findings=0"], ["--profile=rdmac"], ["--profile=rfc5666"], ["--waivers=linux"],
                                     ["--counts=connection"], ["--print"], ["--summary"], ["--quiet", "--fail-on=note,trouble"],
                                     ["--rules=rfc8166", "--skip=must"], ["--memory-limit=64K"]], ids=" ".join)
def test_options(both, options):
    bad = {path.name: found for path in SAMPLE if (found := differences(both([path], *options)))}
    assert not bad


def test_several_captures_in_one_report(both):
    assert not differences(both(SAMPLE, "--stats"))


@pytest.mark.parametrize("options", [["--help"], ["--version"], ["--list-rules"], ["--list-rules", "--format=json"], ["--list-waivers"],
                                     ["--explain=MPA-7.1.2-10"], ["--no-such-option"], ["--waivers=nothing"], ["--timers=close"], ["-c", "x"],
                                     ["--memory-limit"], ["--progres"], ["-jx"], ["--waive=MPA-0"]], ids=" ".join)
def test_without_a_capture(both, options):
    assert not differences(both([], *options, formats=()))


def test_what_the_page_cannot_do_is_said(web, tmp_path):
    for arguments in (["merge", "a.ndjson"], ["-i", "eth0"], ["-D"], ["--annotate=out.pcapng", "a.pcap"], ["-w", "out.pcap", "a.pcap"],
                      ["-r", "a.pcap", "tcp"]):
        assert web(*arguments, files={"a.pcap": SAMPLE[0]}, outputs={"2": tmp_path / "err"}) == 2
        assert "of the web page" in (tmp_path / "err").read_text(encoding="utf-8"), arguments
