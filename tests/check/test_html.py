# SPDX-License-Identifier: GPL-2.0-or-later
"""--format=html: the contents of the page, and a browser's view."""
import base64
import hashlib
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET

import pytest

import browser
from reports import each, read_report

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session")
def page(check, tmp_path_factory):
    """page(*arguments) -> (text, tree); written once for the same arguments."""
    folder, made = tmp_path_factory.mktemp("html"), {}

    def path_of(*arguments):
        if arguments not in made:
            path = folder / f"{len(made)}.html"
            result = check("--format=html", f"--output={path}", *arguments)
            assert result.returncode in (0, 1, 2, 3) and result.stdout == ""
            made[arguments] = path
        return made[arguments]

    def make(*arguments):
        text = path_of(*arguments).read_text(encoding="utf-8")
        return text, ET.fromstring(text)

    def undrawn(*arguments):
        """(octets, tree without drawings), which are the largest part."""
        parser = ET.iterparse(path_of(*arguments))
        for _, element in parser:
            if element.tag == SVG + "svg":
                element.clear()
        return path_of(*arguments).stat().st_size, parser.root
    make.paths, make.path_of, make.undrawn = made, path_of, undrawn
    return make


def words(element):
    return " ".join("".join(element.itertext()).split())


def classed(tree, tag, name):
    return [e for e in tree.iter(tag) if name in e.get("class", "").split()]


# ---- structure ----

def test_verdict_comes_first(page, bad, good, no_mpa):
    for capture, status, verdict in ((bad, "fail", "FAIL"), (good, "pass", "PASS"), (no_mpa, "nothing", "NOTHING TO CHECK")):
        _, tree = page(capture)
        header = tree.find("body")[0]
        assert header.tag == "header" and header.get("class") == status and header.find("h1").text == verdict
    assert page("/no/such/file")[1].find("body/header").get("class") == "trouble"


def test_says_what_the_json_report_says(page, report, bad, root):
    for capture in (bad, root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"):
        _, tree = page(capture)
        _, parsed = report(capture)
        connection = parsed["captures"][0]["connections"][0]
        article, = classed(tree, "article", "connection")
        assert connection["initiator"] in words(article.find("h3")) and connection["responder"] in words(article.find("h3"))
        told = [(group.get("data-rule"), words(figure.find("figcaption"))) for group in classed(article, "section", "group")
                for figure in classed(group, "figure", "finding")]
        found = [(f["rule"], f"frame {f['frame']}", f["found"], f["expected"]) for f in connection["findings"]]
        assert len(told) == len(found) and sorted(rule for rule, _ in told) == sorted(f[0] for f in found)
        for rule, frame, seen, expected in found:
            assert any(rule == r and frame in text and " ".join(seen.split()) in text and "expected " + " ".join(expected.split()) in text
                       for r, text in told)
        rows = {words(row[0]).split()[0]: row for row in tree.find(".//table[@class='matrix']/tbody")}
        assert rows.keys() == connection["rules"].keys()
        for rule, counts in connection["rules"].items():
            cell = rows[rule][2]
            name, sign = next((n, s) for n, s in (("failed", "✗"), ("passed", "✓"), ("inconclusive", "?")) if counts[n])
            assert cell.get("class") == name and cell.text == f"{sign} {counts[name]}"
        top = {words(row[0]): words(row[2]) for row in tree.find(".//section[@id='overview']//tbody")}
        times = {}
        for f in connection["findings"]:
            times[f["rule"]] = times.get(f["rule"], 0) + 1 + f.get("more", {"count": 0})["count"]
        assert top == {rule: f"{n:,}" for rule, n in times.items()}
        heading = next(words(h) for h in tree.iter("h2") if words(h).startswith("Not exercised"))
        assert heading.split()[4] == str(len(page_rules(tree)) + parsed["summary"]["rules_exercised"])
        assert len(page_rules(tree)) == int(heading.split()[2])


def page_rules(tree):
    return [rule for p in classed(tree, "p", "ids") for rule in p.text.split()]


def test_ladder_around_a_finding(page, report, bad, fault):
    _, tree = page(bad)
    _, parsed = report(bad)
    finding, = parsed["captures"][0]["connections"][0]["findings"]
    figure, = classed(tree, "figure", "finding")
    marked, = classed(figure, SVG + "g", "marked")
    texts = {e.get("class"): e.text for e in marked.iter(SVG + "text")}
    assert texts["frame"] == str(finding["frame"]) and texts["rule"] == fault and "error" in marked.get("class").split()
    assert texts["time"] == f"{finding['time']:.6f}" and texts["what"]
    head = next(e for e in marked.iter(SVG + "path") if e.get("class") == "head").get("d")
    assert head.startswith("M432 ") == (finding["direction"] == "initiator-to-responder")
    frames = [int(e.text) for e in figure.iter(SVG + "text") if e.get("class") == "frame"]
    assert len(frames) > 3 and frames == sorted(frames) and finding["frame"] in frames


def test_neighbouring_findings_share_a_ladder(page, root):
    """The rule's second finding is three frames after the first."""
    _, tree = page(root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap")
    group, = [group for group in classed(tree, "section", "group") if group.get("data-rule") == "CMPD-4.1-03"]
    first, second = classed(group, "figure", "finding")
    rows = [{e.get("class"): e.text for e in row.iter(SVG + "text")} for row in classed(first, SVG + "g", "marked")]
    assert [(row["frame"], row["rule"]) for row in rows] == [("8", "DDP-3-08"), ("13", "CMPD-4.1-03"), ("18", "CMPD-4.1-03")]
    assert second.find(SVG + "svg") is None and second.find("p/a").get("href") == "#" + first.find(SVG + "svg").get("id")


def test_the_worst_comes_first(page, check, report, bad, good, no_mpa, root):
    """Captures, rules and connections by severity, in any order on the command line; clean ones are collapsed."""
    worst = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    arguments = (good, no_mpa, bad, "/no/such/file", worst)
    _, tree = page(*arguments)
    captures, rules = tree.findall(".//section[@id='overview']//table")
    assert [words(row[1]) for row in captures.find("tbody")] == ["fail", "fail", "unreadable", "nothing checked", "pass"]
    assert [words(row[0]) for row in captures.find("tbody")] == [str(path) for path in (worst, bad, "/no/such/file", no_mpa, good)]
    assert words(tree.find(".//section[@id='overview']/h2")) == "5 captures: 2 fail, 1 pass"
    severities = [words(row[1]) for row in rules.find("tbody")]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    groups = {group.get("id"): group for group in classed(tree, "section", "group")}
    for row in rules.find("tbody"):
        assert groups[row.find("th/a").get("href")[1:]].get("data-rule") == words(row[0])
    main = tree.find("body/main")
    shown = [e.get("id") for e in main if e.tag == "article"]
    assert shown == ["c5-1", "c3-1"]
    assert [e.get("id") for e in main.find("section[@id='clean']/details").iter("article")] == ["c1-1"]
    assert tree.find("body/header/h1").text == "ERROR" and tree.find("head/title").text == "ERROR: 5 captures"
    facts = dict(zip((words(e) for e in tree.iter("dt")), (words(e) for e in tree.iter("dd"))))
    assert facts["Captures"] == "5" and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", facts["Written"])
    assert facts["Command"].startswith("iwarp-check --format=html --output=")
    assert "iwarp-check.html" in facts["In a browser"]


def test_only_what_is_not_good_names_the_page_for_browsers(page, good):
    assert "In a browser" not in [words(name) for name in page(good)[1].iter("dt")]


def test_no_words_of_the_inside(page, bad, root):
    for capture in (bad, root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"):
        text = words(page(capture)[1].find("body/main"))
        assert not re.search("read_re|send_|atomic_|immediate_|group", text)


def test_as_many_as_there_were(page, many):
    """The numbers include findings that were not kept."""
    _, tree = page.undrawn(many[0])
    times = {group.get("data-rule"): words(classed(group, "span", "times")[0]).lstrip("× ")
             for group in classed(tree, "section", "group") if classed(group, "span", "times")}
    top = {words(row[0]): words(row[2]) for row in tree.find(".//section[@id='overview']//tbody")}
    assert times.items() <= top.items() and max(int(n.replace(",", "")) for n in times.values()) >= 10_000
    every = sum(int(n.replace(",", "")) for n in top.values())
    assert every == sum(int(n) for n in re.findall(r"(\d+) (?:error|warning|note)s?", words(tree.find("body/header/p[@class='summary']"))))


def test_ladder_of_the_start(page, good):
    _, tree = page(good)
    start, = classed(tree, "details", "start")
    whats = [e.text for e in start.iter(SVG + "text") if "what" in e.get("class", "")]
    assert whats[:4] == ["TCP SYN", "TCP SYN, ACK", "MPA Request, revision 2", "MPA Reply, revision 2"] and len(whats) > 5
    y = [float(e.get("y")) for e in start.iter(SVG + "text") if e.get("class") == "frame"]
    assert y == sorted(y) and max(y) < float(start.find(".//" + SVG + "svg").get("viewBox").split()[3])


def test_ladder_tells_rpc(page, root):
    _, tree = page(root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap")
    whats = {e.text for e in tree.iter(SVG + "text") if "what" in e.get("class", "")}
    assert "Call NFS4 COMPOUND: SEQUENCE, PUTFH, GETXATTR" in whats and "Reply to NFS4 COMPOUND" in whats and "RDMA Write" in whats


def check_marks(tree):
    """In each picture, which findings may share, the findings' frames are marked, and no others."""
    ladders, wanted = {}, {}
    named = set(re.findall(r"frames? (\d+)", words(tree)))
    for figure in classed(tree, "figure", "finding"):
        svg = figure.find(SVG + "svg")
        name = svg.get("id") if svg is not None else figure.find("p/a").get("href")[1:]
        if svg is not None:
            ladders[name] = svg
        wanted.setdefault(name, set()).add(re.search(r"frame (\d+)", words(figure.find("figcaption")))[1])
    assert wanted.keys() == ladders.keys()
    for name, frames in wanted.items():
        marked = [e.text for row in classed(ladders[name], SVG + "g", "marked") for e in row.iter(SVG + "text") if e.get("class") == "frame"]
        assert frames <= set(marked) <= named, name
    return len(wanted)


def test_ladder_of_roce(page, root):
    """Connection management, packets of all kinds, RPC-over-RDMA and gaps of the capture; each finding is marked."""
    whats, details = set(), set()
    for capture in sorted((root / "captures" / "roce").glob("*.pcap")):
        _, tree = page(capture)
        check_marks(tree)
        texts = [(e.get("class", ""), e.text) for e in tree.iter(SVG + "text")]
        whats |= {text for name, text in texts if "what" in name}
        details |= {text for name, text in texts if name == "detail"}
    assert {"ConnectRequest", "ConnectReply", "ReadyToUse", "ConnectReject", "DisconnectRequest", "RDMA WRITE Only", "RDMA READ Request",
            "NAK", "Reply to NFS4 COMPOUND", "Call NFS4 COMPOUND: EXCHANGE_ID"} <= whats
    assert "remote access error" in details and "reason 8" in details


def test_every_finding_of_the_corpus_has_a_ladder(page, check, report, all_captures, tmp_path):
    """For any rule: a ladder has the finding's frame marked, here or further up."""
    captures = sorted(all_captures.glob("*/*.pcapng"))[::9]
    path = tmp_path / "page.html"
    for start in range(0, len(captures), 60):  # the page has no more ladders
        chosen = captures[start:start + 60]
        check("--format=html", f"--output={path}", *chosen)
        assert check_marks(ET.parse(path).getroot()) > 0


def test_waived(page, bad, good, fault):
    _, tree = page(f"--waive={fault}:firmware 1.2", "--waive=MPA-4.3-03", bad)
    group, = classed(tree, "section", "group")
    assert group.get("data-class") == "waived" and "firmware 1.2" in words(group)
    unused, = tree.findall(".//section[@id='waivers']//li")
    assert words(unused) == "MPA-4.3-03 (--waive)"


# ---- one file, no network, no scripts except ours ----

def test_self_contained(page, bad):
    text, tree = page(bad)
    for element in tree.iter():
        assert element.tag not in ("link", "img", "iframe", "object", "embed", "base", SVG + "image", SVG + "use")
        for name, value in element.attrib.items():
            assert not name.startswith("on") and name not in ("src", "style", "srcset", "action")
            assert name != "href" or value.startswith("#")
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "").replace('"http://www.w3.org/2000/svg"', "")
    assert "url(" not in text and "@import" not in text


def test_only_our_script_may_run(page, bad):
    _, tree = page(bad)
    policy = tree.find("head/meta[@http-equiv]").get("content")
    assert "default-src 'none'" in policy
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        element, = tree.iter(tag)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy


def test_hostile_names(check, bad, fault, tmp_path):
    evil = tmp_path / "<script>alert(1)<&'\"\x01\x1b]]>.pcapng"
    shutil.copy(bad, evil)
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text(f"- id: {fault}\n  why: '</script><img src=x onerror=alert(1)>'\n  link: 'javascript:alert(1)'\n", encoding="utf-8")
    out = tmp_path / "out.html"
    assert check("--format=html", f"--output={out}", f"--waivers={waivers}", evil, str(evil) + "<b>missing").returncode == 2
    tree = ET.fromstring(out.read_text(encoding="utf-8"))
    assert len(list(tree.iter("script"))) == 1 and not list(tree.iter("img")) and not list(tree.iter("b"))
    assert "<script>alert(1)<&'\"\\x01\\x1b]]>.pcapng" in words(tree.find(".//section[@class='capture']/h3"))
    assert all(not e.get("href", "#").startswith("javascript") for e in tree.iter())


def test_accessible(page, bad):
    _, tree = page(bad)
    assert tree.get("lang") == "en" and tree.find("head/title").text and tree.find("head/meta[@name='viewport']") is not None
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    for target in (e.get("href")[1:] for e in tree.iter("a")):
        assert target in ids
    for table in tree.iter("table"):
        assert table.find("caption") is not None and all(th.get("scope") for th in table.iter("th"))
    assert all(svg.get("aria-label") for svg in tree.iter(SVG + "svg"))
    levels = [int(e.tag[1]) for e in tree.iter() if e.tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:]))
    labelled = {child for label in tree.iter("label") for child in label}
    assert all(e in labelled for e in tree.iter() if e.tag in ("input", "select"))


def test_xmllint(page, bad):
    page(bad)
    path = page.paths[(bad,)]
    assert subprocess.run(["xmllint", "--noout", path], capture_output=True, check=False).returncode == 0
    told = subprocess.run(["xmllint", "--html", "--noout", path], capture_output=True, text=True, check=False).stderr
    errors = re.findall(r": HTML parser error : (.*)", told)  # it only knows HTML from before 2014
    assert [e for e in errors if not re.fullmatch(r"Tag (header|main|section|article|figure|figcaption|svg|g|path|rect|text|details|summary|output) invalid", e)] == []


# ---- large reports ----

@pytest.fixture(scope="session")
def many(build, tmp_path_factory):
    """100,000 packets with 10,000 findings: on one connection, and on thousands."""
    folder = tmp_path_factory.mktemp("many")

    def spoil(name, every, *arguments):
        path = folder / f"{name}.pcapng"
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *arguments, "-o", path], check=True, capture_output=True)
        data, at, seen, done = bytearray(path.stat().st_size), 0, 0, 0
        with path.open("rb") as file:
            file.readinto(data)
        while at < len(data) and done < 10_000:
            kind, length = struct.unpack_from("<II", data, at)
            if kind == 6:
                tcp = at + 28 + 14 + (data[at + 42] & 15) * 4
                payload, end = tcp + (data[tcp + 12] >> 4) * 4, at + 42 + struct.unpack_from(">H", data, at + 44)[0]
                if end - payload > 20 and data[payload:payload + 3] != b"MPA":
                    seen += 1
                    if seen % every == 0:
                        data[end - 1] ^= 0xFF  # the CRC
                        data[tcp + 16:tcp + 18] = bytes(2)  # the checksum, left to the interface
                        done += 1
            at += length
        path.write_bytes(data)
        return path
    return [spoil("one", 5, "operations", "--count=52000"), spoil("thousands", 2, "many", "--connections=8500")]


def test_large_pages_stay_small(page, check, many, tmp_path):
    for capture in many:
        size, tree = page.undrawn("--max-findings=0", capture)
        rest, failed, findings, faulty, connections = [], 0, 0, 0, 0
        with (tmp_path / "report.json").open("w+", encoding="utf-8") as file:
            check("--format=ndjson", "--max-findings=0", capture, stdout=file)
            file.seek(0)
            for one in each(file, "connections", rest):
                failed = max([failed, *(rule["failed"] for rule in one["rules"].values())])
                findings += len(one["findings"])
                faulty += bool(one["findings"])
                connections += 1
        parsed = read_report("".join(rest))
        assert parsed["captures"][0]["packets"] > 100_000 and parsed["summary"]["findings"]["error"] >= 10_000
        assert size < 20_000_000
        more = " ".join(words(p) for p in classed(tree, "p", "more"))
        if connections == 1:
            shown = len(classed(tree, "figure", "finding")) + len(tree.findall(".//table[@class='findings']/tbody/tr"))
            assert failed >= 10_000 and f"... and {findings - shown} more findings of this rule" in more
        else:
            assert f"100 of {faulty} connections with findings are shown in full" in more
            assert f"{connections - 30} more connections are counted only" in more


# ---- in a browser ----

@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    if browser.PROGRAM is None:
        told = "Chromium is not installed (./test installs it): the page is not tried in a browser"
        pytest.fail(told) if "IWARP_ALL" in os.environ else pytest.skip(told)
    started = browser.Browser(tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()


def test_large_pages_open_within_three_seconds(chromium, page, many):
    for capture in many:
        path = page.path_of("--max-findings=0", capture)
        # Processor time, the best of three: this machine may be busy.
        assert min(chromium.open(path) for _ in range(3)) < 3
        assert chromium.complaints() == []


VISIBLE = "Array.from(document.querySelectorAll('.group:not([hidden])')).map((e) => e.dataset.rule)"


def test_search_and_filters(chromium, page, root):
    capture = root / "captures" / "real" / "params" / "crc-good.pcap"
    _, tree = page(capture)
    path = page.paths[(capture,)]
    rules = [group.get("data-rule") for group in classed(tree, "section", "group")]
    assert len(rules) > 2
    chromium.open(path)
    assert chromium.complaints() == []
    assert chromium.evaluate(VISIBLE) == rules
    assert not chromium.evaluate("document.getElementById('tools').hidden")
    type_in = "(() => { const s = document.getElementById('search'); s.value = %r; s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    chromium.evaluate(type_in % rules[0].lower())
    assert chromium.evaluate(VISIBLE) == [rules[0]]
    assert chromium.evaluate("document.getElementById('shown').textContent").startswith(f"1 of {len(rules)} ")
    assert chromium.evaluate("document.querySelectorAll('.matrix tbody tr:not([hidden])').length") == 1
    chromium.evaluate(type_in % "no such words")
    assert chromium.evaluate(VISIBLE) == [] and chromium.evaluate("document.querySelector('article').hidden")
    chromium.evaluate(type_in % "")
    chromium.evaluate("document.querySelector('input[value=error]').click()")
    kept = [group.get("data-rule") for group in classed(tree, "section", "group") if group.get("data-class") != "error"]
    assert chromium.evaluate(VISIBLE) == kept
    chromium.evaluate("(() => { const s = document.getElementById('outcome'); s.value = 'failed'; s.dispatchEvent(new Event('input', {bubbles: true})); })()")
    failed = sum(row[1].get("class") == "failed" for row in tree.find(".//table[@class='matrix']/tbody"))
    assert chromium.evaluate("document.querySelectorAll('.matrix tbody tr:not([hidden])').length") == failed > 0
    chromium.open(path, fragment="#q=" + rules[-1])
    assert chromium.evaluate(VISIBLE) == [rules[-1]]


def test_tables_can_be_sorted(chromium, page, bad, good, root):
    worst = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    page(good, bad, worst)
    chromium.open(page.paths[(good, bad, worst)])
    assert chromium.complaints() == []
    column = "Array.from(document.querySelectorAll('.sortable')[0].tBodies[0].rows).map((row) => row.cells[%d].textContent)"
    click = "document.querySelectorAll('.sortable')[0].tHead.rows[0].cells[%d].querySelector('button').click()"
    names = chromium.evaluate(column % 0)
    assert names == [str(worst), str(bad), str(good)]
    chromium.evaluate(click % 0)
    assert chromium.evaluate(column % 0) == sorted(names)
    chromium.evaluate(click % 3)
    assert chromium.evaluate(column % 3) == sorted(chromium.evaluate(column % 3), key=int, reverse=True)
    chromium.evaluate(click % 3)
    assert chromium.evaluate(column % 0)[0] == str(good)
    chromium.open(page.paths[(good, bad, worst)], fragment="#c1-1")
    assert chromium.evaluate("document.getElementById('c1-1').closest('details').open")


@pytest.mark.parametrize("width, phone", [(360, True), (768, True), (1200, False)])
def test_fits_the_screen(chromium, page, root, width, phone):
    """Only tables in their own frames may be wider; letters of the ladder must be legible."""
    capture = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    page(capture)
    chromium.open(page.paths[(capture,)], width=width, height=800, phone=phone)
    assert chromium.evaluate("document.documentElement.scrollWidth") <= width
    assert chromium.evaluate("Math.max(...Array.from(document.querySelectorAll('svg')).map((e) => e.getBoundingClientRect().right))") <= width
    assert chromium.evaluate("document.querySelector('svg.ladder .what').getBoundingClientRect().height") > 7


def test_ladder_texts_stay_inside_and_apart(chromium, page, root):
    capture = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    page(capture)
    chromium.open(page.paths[(capture,)])
    assert chromium.evaluate("""(() => {
        const wrong = [];
        for (const details of document.querySelectorAll('details')) details.open = true;
        for (const svg of document.querySelectorAll('svg.ladder')) {
            const frame = svg.getBoundingClientRect();
            for (const row of svg.querySelectorAll('g')) {
                const boxes = Array.from(row.querySelectorAll('text')).map((t) => [t.textContent, t.getBoundingClientRect()]);
                for (const [text, box] of boxes) {
                    if (box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom) wrong.push(text);
                    for (const [other, b] of boxes)
                        if (other !== text && box.left < b.right && b.left < box.right && box.top + 4 < b.bottom && b.top + 4 < box.bottom)
                            wrong.push(text + ' / ' + other);
                }
            }
        }
        return wrong;
    })()""") == []


def contrast(chromium):
    """The lowest contrast between words of the page and their background (WCAG 2, section 1.4.3)."""
    return chromium.evaluate("""(() => {
        const parse = (c) => c.match(/[\\d.]+/g).map(Number);
        const luminance = (c) => parse(c).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        let least = 21;
        for (const element of document.querySelectorAll('h1, h2, h3, h4, p, td, th, span, summary, figcaption, dt, dd, caption')) {
            let behind = element;
            while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
            const a = luminance(getComputedStyle(element).color), b = luminance(getComputedStyle(behind || document.body).backgroundColor);
            least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
        }
        return least;
    })()""")


def test_contrast(chromium, page, root):
    capture = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    page(capture)
    for dark in (False, True):
        chromium.open(page.paths[(capture,)], dark=dark)
        assert contrast(chromium) >= 4.5
    assert chromium.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"


def test_paper(chromium, page, root, tmp_path):
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed (poppler-utils)")
    capture = root / "captures" / "real" / "params" / "crc-good.pcap"
    _, tree = page(capture)
    chromium.open(page.paths[(capture,)])
    chromium.paper(tmp_path / "page.pdf")
    text = subprocess.run(["pdftotext", "-layout", tmp_path / "page.pdf", "-"], check=True, capture_output=True, text=True).stdout
    for group in classed(tree, "section", "group"):
        assert group.get("data-rule") in text
    assert "How it began" in text and "MPA Request, revision 2" in text  # expanded for paper
    assert "placeholder" not in text and "Search" not in text


def test_paper_is_short(chromium, page, root, tmp_path):
    """Three findings do not need a sheet for every ten kept rules."""
    if shutil.which("pdfinfo") is None:
        pytest.skip("pdfinfo is not installed (poppler-utils)")
    capture = root / "captures" / "real" / "basic" / "ucmatose.pcap"
    page(capture)
    chromium.open(page.paths[(capture,)])
    chromium.paper(tmp_path / "page.pdf")
    said = subprocess.run(["pdfinfo", tmp_path / "page.pdf"], check=True, capture_output=True, text=True).stdout
    assert int(re.search(r"^Pages: +(\d+)", said, re.M)[1]) <= 6


def test_requirement_on_a_phone(chromium, page, root):
    capture = root / "captures" / "real" / "basic" / "ucmatose.pcap"
    page(capture)
    chromium.open(page.paths[(capture,)], width=390, height=800, phone=True)
    where = chromium.evaluate("Array.from(document.querySelectorAll('.rules td.requirement')).map((e) => "
                              "{ const r = e.getBoundingClientRect(); return [r.left, r.right, r.height]; })")
    assert len(where) == 2 and all(0 <= left < right <= 390 and height > 0 for left, right, height in where)


def test_many_columns_on_paper(chromium, page, many):
    """Ten connections and the requirement; nothing runs off the sheet."""
    chromium.open(page.path_of("--max-findings=0", many[1]), width=700)
    assert chromium.evaluate("document.querySelectorAll('.matrix thead th').length") == 33
    chromium.call("Emulation.setEmulatedMedia", media="print")
    seen = "Array.from(document.querySelectorAll('.matrix thead th')).filter((e) => e.offsetWidth).map((e) => e.textContent)"
    heads = chromium.evaluate(seen)
    assert heads[:2] == ["Rule", "All"] and re.fullmatch(r"1-\d+", heads[2]) and len(heads) == 13 and heads[-1] == "Requirement"
    assert chromium.evaluate("document.querySelector('.matrix').getBoundingClientRect().right") <= 700
    chromium.call("Emulation.setEmulatedMedia", media="")


# ---- --stats ----

@pytest.fixture(scope="session")
def slow(capture):
    """A client with several Calls in flight on a network that loses packets, and the same on RoCE."""
    return [capture("stack-nfs41", "--net=loss=0.02,reorder=0.02,delay=1", "--seed=4"),
            capture("stack-nfs41", "--transport=roce", "--net=loss=0.02,delay=1", "--seed=4")]


def section(tree):
    return next((e for e in tree.iter("section") if e.get("id") == "statistics"), None)


def test_no_statistics_without_the_option(page, good):
    assert section(page(good)[1]) is None


# Statements that are only likely, or repeat "What happened".
LIKELY = {"server-time", "moving-data", "round-trips", "idle-client", "one-call-at-a-time", "parts", "unanswered", "closed-window"}


def test_statistics_say_what_the_json_report_says(page, report, slow):
    """For a connection whose time a trouble explains, without likely causes."""
    left_out = 0
    for path in slow:
        _, parsed = report("--stats", path)
        part = section(page("--stats", path)[1])
        for connection in parsed["captures"][0]["connections"]:
            figures = connection["statistics"]
            explained = any(connection["id"] in trouble["connections"] for trouble in parsed["captures"][0]["trouble"])
            for finding in figures["findings"]:
                likely = explained and finding["id"] in LIKELY
                assert (finding["text"] in words(part) and finding["figures"] in words(part)) != likely, finding
                left_out += likely
            for row in figures["calls"]:
                assert row["name"] in words(part)
    assert left_out == 2
    assert section(page("--stats", *slow)[1]) is not None and "All connections together" in words(section(page("--stats", *slow)[1]))


def test_a_table_by_client_and_server_comes_first(page, report, capture, slow):
    """A mount with several connections has one row; one connection needs no such table."""
    table = next(section(page("--stats", *slow)[1]).iter("table"))
    assert words(next(table.iter("caption"))) == "By client and server"
    (row,) = list(table.iter("tr"))[1:]
    figures = [connection["statistics"]["calls"] for capture in report("--stats", *slow)[1]["captures"] for connection in capture["connections"]]
    calls = sum(each["calls"] for rows in figures for each in rows if each["direction"] != "reverse" and not each["name"].startswith("with "))
    assert [words(cell) for cell in row][:3] == ["192.0.2.1 -> 192.0.2.2", str(len(figures)), str(calls)]
    assert "By client and server" not in words(section(page("--stats", capture("nfs3"))[1]))


def seconds(text):
    value, unit = text.split()
    return float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]


def test_plots_cover_the_whole_connection(page, play, timed):
    """From its start-up, a second before the first Call, to its end, four seconds after the last."""
    path = timed(play(["I call nfs3.getattr", "R reply"] * 2), [10**9, 10**9 + 10**6, 2 * 10**9, 6 * 10**9])
    part = section(page("--stats", path)[1])
    ends = [[words(e) for e in figure.iter(SVG + "text")] for figure in classed(part, "figure", "plot") if "Payload moved" in words(figure)]
    assert ends and all(max(seconds(text) for text in texts if re.fullmatch(r"[\d.]+ (s|ms|µs)", text)) >= 6 for texts in ends), ends


def test_plots(page, slow):
    """Each kind, with a label; lines stay within the picture."""
    for path in slow:
        part = section(page("--stats", path)[1])
        titles = [words(e) for e in part.iter("figcaption")]
        assert {"Calls outstanding, and the limit by credits", "Call to Reply", "Payload moved"} <= set(titles)
        assert len(titles) >= 6
        for svg in (e for figure in classed(part, "figure", "plot") for e in figure.findall(SVG + "svg")):
            _, _, width, height = map(float, svg.get("viewBox").split())
            assert svg.get("aria-label") and "nan" not in ET.tostring(svg, "unicode") and "inf" not in ET.tostring(svg, "unicode")
            for line in svg.iter(SVG + "path"):
                for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", line.get("d")):
                    assert 0 <= float(x) <= width and 0 <= float(y) <= height


def test_statistics_are_well_formed(page, slow, root):
    for path in [*slow, root / "captures" / "real" / "net" / "snap96-rping.pcap", root / "captures" / "real" / "nfs" / "nfs41-recall.pcap"]:
        page("--stats", path)
        assert subprocess.run(["xmllint", "--noout", page.paths[("--stats", path)]], check=False).returncode == 0


@pytest.mark.parametrize("width, phone", [(360, True), (1200, False)])
def test_statistics_fit_the_screen(chromium, page, slow, width, phone):
    for path in slow:
        page("--stats", path)
        chromium.open(page.paths[("--stats", path)], width=width, height=4000, phone=phone)
        assert chromium.complaints() == [] and chromium.evaluate("document.documentElement.scrollWidth") <= width
        assert chromium.evaluate("Math.max(...Array.from(document.querySelectorAll('.plot > svg')).map((e) => e.getBoundingClientRect().right))") <= width
        assert chromium.evaluate("Math.min(...Array.from(document.querySelectorAll('.plot text')).map((e) => e.getBoundingClientRect().height))") > 8


def test_contrast_of_statistics(chromium, page, slow):
    page("--stats", slow[0])
    for dark in (False, True):
        chromium.open(page.paths[("--stats", slow[0])], height=4000, dark=dark)
        assert contrast(chromium) >= 4.5
