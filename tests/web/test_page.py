# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check.html, opened from the disk in Chromium: captures are dropped on it, and it shows the report; no request leaves it."""
import base64
import gzip
import pathlib
import re
import socket
import struct
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "check"))
import browser  # noqa: E402
import painted  # noqa: E402
from browsed import ASKS, FAILS, FREE, IN_WORKER, PASSES, arrives, ask, drop, outcome, report, said, undated, verdict, wait_for  # noqa: E402

REPORTS = {"html": "html", "ndjson": "ndjson", "junit": "xml"}


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    if not browser.PROGRAM:
        pytest.skip("Chromium is missing")
    one = browser.Browser(tmp_path_factory.mktemp("chromium"))
    yield one
    one.close()


@pytest.fixture(scope="session")
def page_file(web_build):
    return web_build / "web" / "iwarp-check.html"


@pytest.fixture
def page(chromium, page_file):
    chromium.open(page_file)
    return chromium


def choose(page, *paths, selector="#files"):
    """As if chosen in the dialog for files."""
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])


def targets(page, kind):
    return [one["targetId"] for one in page.call("Target.getTargets")["targetInfos"] if one["type"] == kind]


def attached(page, kind):
    """What runs in a process or a thread of its own, "iframe" or "worker": evaluates in it."""
    wait_for(lambda: targets(page, kind))
    session = page.call("Target.attachToTarget", targetId=targets(page, kind)[-1], flatten=True)["sessionId"]

    def evaluate(script):
        before, page.session = page.session, session
        try:
            return page.evaluate(script)
        finally:
            page.session = before
    return evaluate


# ---- judging ----

def test_size(page_file):
    assert page_file.stat().st_size <= 1_000_000


def test_a_capture_is_judged_within_two_seconds(page):
    """Seconds of processor time, because the test machine has other work: for the page, the program and the report."""
    before = browser.spent(page.process.pid)
    choose(page, FAILS)
    kind, words = outcome(page)
    assert browser.spent(page.process.pid) - before < 2
    assert kind == "fail" and words.startswith("FAIL, in ")
    assert verdict(page) == "FAIL"


def test_reports_are_those_of_the_program(page, check, tmp_path):
    (tmp_path / FAILS.name).symlink_to(FAILS)
    words = [word for form, suffix in REPORTS.items() for word in (f"--format={form}", f"--output=report.{suffix}")]
    check("--progress", *words, FAILS.name, cwd=tmp_path)
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    choose(page, FAILS)
    outcome(page)
    for number, suffix in enumerate(REPORTS.values()):
        page.evaluate(f"document.querySelectorAll('#downloads a')[{number}].click()")
        downloaded = tmp_path / f"iwarp-check-report.{suffix}"
        wait_for(lambda: downloaded.exists() and downloaded.stat().st_size > 0)
        assert undated(downloaded.read_text(encoding="utf-8")) == undated((tmp_path / f"report.{suffix}").read_text(encoding="utf-8")), suffix
    assert undated(report(page)) == undated((tmp_path / "report.html").read_text(encoding="utf-8"))


def test_the_script_of_the_report_runs(page):
    choose(page, FAILS)
    outcome(page)
    inside = attached(page, "iframe")
    wait_for(lambda: inside("document.readyState") == "complete")
    assert re.fullmatch(r"\d+ of \d+ entries shown", inside("shown.textContent"))
    assert inside("getComputedStyle(document.querySelector('header')).borderLeftStyle") == "solid"


def test_several_captures(page):
    drop(page, ("one.pcap", FAILS.read_bytes()), ("two.pcap", PASSES.read_bytes()), ("two.pcap", PASSES.read_bytes()))
    assert outcome(page)[0] == "fail"
    assert all(name in report(page) for name in ("one.pcap", "two.pcap", "(2) two.pcap"))


def test_gzip(page):
    drop(page, ("small.pcap.gz", gzip.compress(PASSES.read_bytes())))
    assert outcome(page)[0] == "pass"
    drop(page, ("cut.pcap.gz", gzip.compress(PASSES.read_bytes())[:-4]))  # all packets are there, but the length at the end is not
    assert outcome(page)[0] == "trouble"
    drop(page, ("cut.pcap.gz", gzip.compress(PASSES.read_bytes())[:-100]))
    assert outcome(page)[0] == "trouble"
    assert said(page).startswith("cut.pcap.gz ends too early, or its compressed data are damaged: only what could be decompressed was checked")
    assert "cut.pcap.gz" in report(page)  # with the packets before the end


@pytest.mark.parametrize(("suffix", "program"), [("zst", "zstd"), ("lz4", "lz4")])
def test_what_the_browser_cannot_decompress(page, suffix, program):
    """The page says what to do, and judges the other captures."""
    data = subprocess.run([program, "-c", PASSES], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    drop(page, (f"small.pcap.{suffix}", data), ("plain.pcap", FAILS.read_bytes()))
    assert outcome(page)[0] == "trouble"
    assert f"small.pcap.{suffix}: cannot be decompressed: {program}: decompress the file first, with {program} -d" in said(page)
    assert "plain.pcap" in report(page)


def test_what_is_compressed_twice(page):
    drop(page, ("twice.pcap.gz", gzip.compress(gzip.compress(PASSES.read_bytes()))))
    assert outcome(page)[0] == "trouble"
    assert "twice.pcap.gz: cannot be decompressed: gzip: decompress the file first, with gzip -d" in said(page)


def test_what_is_no_capture(page):
    drop(page, ("a.txt", b"no capture at all, but a text"))
    assert outcome(page)[0] == "trouble"
    assert "a.txt: not a pcap or pcapng file" in said(page)


def test_options(page, tmp_path):
    choose(page, FAILS)
    assert outcome(page)[0] == "fail"
    page.evaluate("shipped.value = 'linux-6.1-siw', document.getElementById('check').click()")
    assert not outcome(page)[1].startswith("FAIL")
    assert "--waivers=linux-6.1-siw" in report(page)
    own = tmp_path / "mine.yaml"
    own.write_text("- id: NO-SUCH-RULE\n", encoding="utf-8")
    choose(page, own, selector="#waivers")
    page.evaluate("shipped.value = '', document.getElementById('check').click()")
    assert outcome(page)[0] == "trouble"
    assert "waivers.yaml:1:" in said(page)
    page.evaluate("waivers.value = '', profile.value = 'rdmac', stats.checked = true, document.getElementById('check').click()")
    outcome(page)
    assert "--stats --profile=rdmac" in report(page)


def test_one_click_leaves_known_deviations_out(page):
    """The report names the list of known deviations; the page has a button for it."""
    choose(page, ROOT / "captures/real/nfslong/nfs42-long-setxattr.pcap")
    assert outcome(page)[0] == "fail"
    assert page.evaluate("known.textContent") == "Check again without the known deviations of linux-nfsd"
    page.evaluate("known.click()")
    assert outcome(page)[0] == "pass"
    assert "--waivers=linux-nfsd" in report(page)


def test_waiver_lists_are_those_of_the_program(page, check):
    offered = page.evaluate("Array.from(shipped.options, (option) => option.value)")[1:]
    for name in offered:
        assert check(f"--waivers={name}", "--quiet", PASSES).returncode == 0, name
    words = check("--waivers=no-such-list", "--quiet", PASSES).stderr
    assert len(offered) > 10 and all(name in words for name in offered)
    assert {"linux-nfsd", "linux", "linux-7.2-siw"} < set(offered)


# ---- the page ----

def frame_picture(page):
    """The pixels when the report's frame fills the window."""
    page.evaluate("document.getElementById('report').scrollIntoView(), new Promise((done) => setTimeout(done, 300))")
    return base64.b64decode(page.call("Page.captureScreenshot", format="png")["data"])


@pytest.mark.parametrize("again", [1, 2, 10])
def test_the_report_is_painted(page, again):
    choose(page, FAILS)
    outcome(page)
    for _ in range(1, again):
        page.evaluate("document.getElementById('check').click()")
        outcome(page)
    wait_for(lambda: not painted.is_blank(frame_picture(page)))


def test_a_blank_frame_is_noticed(page):
    """As the report's frame, but with no text in it."""
    choose(page, FAILS)
    outcome(page)
    page.evaluate("document.getElementById('report').srcdoc = ''")
    wait_for(lambda: painted.is_blank(frame_picture(page)))


@pytest.mark.parametrize("name", ["nfs42-long-setxattr", "nfs3-long-setacl"])
def test_the_line_is_the_verdict_of_the_report(page, name):
    """The verdict has its colour: a capture in which Calls failed is not green."""
    choose(page, ROOT / f"captures/real/nfslong/{name}.pcap")
    kind, words = outcome(page)
    assert words.startswith(verdict(page)) and kind != "pass" and kind == re.search('<header class="([a-z]+)"', report(page))[1]
    inside = attached(page, "iframe")
    wait_for(lambda: inside("document.readyState") == "complete")
    header = inside("getComputedStyle(document.querySelector('header h1')).color")
    assert page.evaluate("getComputedStyle(document.getElementById('outcome')).color") == header or kind == "nothing"


def test_a_changed_option_marks_the_verdict(page):
    choose(page, FAILS)
    assert outcome(page)[0] == "fail"
    page.evaluate("stats.click()")
    assert page.evaluate("outcome.className") == "fail old" and "with other options than now" in page.evaluate("outcome.textContent")
    page.evaluate("document.getElementById('check').click()")
    assert outcome(page)[0] == "fail" and "other options" not in page.evaluate("outcome.textContent")


def test_many_captures_take_one_line(page):
    drop(page, *((f"capture-{i}.pcap", PASSES.read_bytes()[:200]) for i in range(300)))
    outcome(page)
    assert page.evaluate("chosen.textContent").endswith(" and 295 more, 60 kB in all")
    assert page.evaluate("chosen.offsetHeight") < 120


def test_a_name_cannot_turn_the_line_round(page):
    drop(page, ("one\u202efdp.pcap", PASSES.read_bytes()))
    outcome(page)
    assert page.evaluate("chosen.textContent").startswith("one\\u{202e}fdp.pcap (")

@pytest.mark.parametrize("dark", [False, True])
def test_phone(chromium, page_file, dark):
    chromium.open(page_file, width=360, height=740, phone=True, dark=dark)
    choose(chromium, FAILS)
    outcome(chromium)
    assert chromium.evaluate("document.documentElement.scrollWidth") <= 360
    red = int(re.search(r"\d+", chromium.evaluate("getComputedStyle(document.body).backgroundColor"))[0])
    assert red < 60 if dark else red > 200


def test_keyboard(page):
    choose(page, FAILS)
    outcome(page)
    assert not page.evaluate("setup.open")
    page.evaluate("document.querySelector('#setup summary').click()")
    reached = []
    for _ in range(12):
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.download || ''"))
    wanted = ["files", "shipped", "waivers", "profile", "stats", "check", *(f"iwarp-check-report.{suffix}" for suffix in REPORTS.values())]
    assert [name for name in reached if name in wanted][:len(wanted)] == wanted


# ---- nothing leaves it ----

@pytest.mark.parametrize("way", ASKS)
def test_a_request_is_refused(page, chromium, tmp_path, way):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        ask(page, way, address)
        assert not arrives(listener, 1)  # Chromium may connect before it asks the policy; it sends nothing
        free = tmp_path / "free.html"
        free.write_text(FREE, encoding="utf-8")
        chromium.open(free)
        ask(chromium, way, address)
        assert arrives(listener, 20), "without the policy the request should arrive"


def test_a_worker_may_not_ask_either(page):
    assert page.evaluate(IN_WORKER) == "connect-src"


# ---- large and hostile captures ----

def test_a_large_capture_is_read_in_pieces(page, build, tmp_path):
    large = tmp_path / "large.pcapng"
    subprocess.run([build / "traffic-gen/iwarp-gen", "play", "bulk", "--size=400M", "-o", large], check=True)
    choose(page, FAILS)
    outcome(page)
    before = browser.peak(page.process.pid)
    choose(page, large)
    assert outcome(page)[0] == "pass"
    assert 0 < before and browser.peak(page.process.pid) - before < 300 << 20 < large.stat().st_size
    large.unlink()


def test_markup_in_the_name(page):
    name = "<img src=x onerror=document.title='hurt'>&\"'.pcap"
    drop(page, (name, FAILS.read_bytes()), ("-rf", PASSES.read_bytes()), ("report.html", PASSES.read_bytes()))
    assert outcome(page)[0] == "fail"
    assert page.evaluate("document.getElementById('chosen').textContent").startswith(name)
    assert page.evaluate("document.querySelector('img')") is None
    inside = attached(page, "iframe")
    wait_for(lambda: inside("document.readyState") == "complete")
    assert not inside("document.querySelector('img')") and "<img src=x" in inside("document.body.textContent")
    assert page.evaluate("document.title") != "hurt"


def spoilt_texts(data):
    """Each text in a capture is a link of the same length."""
    def link(text):
        return b"<a href=//x.y>".ljust(len(text[0]), b"y")
    return data[:24] + re.sub(rb"[a-zA-Z0-9._/@-]{14,}", link, data[24:])


def test_markup_in_the_capture(page):
    """The report contains only numbers from a capture, and its own words."""
    data = spoilt_texts((ROOT / "captures/real/nfs/nfs41-names.pcap").read_bytes())
    assert data.count(b"<a href") > 3
    drop(page, ("<a href=x.invalid>here</a>.pcap", data))
    page.evaluate("stats.checked = true, document.getElementById('check').click()")
    outcome(page)
    inside = attached(page, "iframe")
    wait_for(lambda: inside("document.readyState") == "complete")
    assert inside("Array.from(document.links, (link) => link.getAttribute('href')).filter((to) => !to.startsWith('#'))") == []
    assert inside("document.querySelector('img, iframe, object, embed, base, link, [http-equiv=refresh], [target]')") is None
    assert "<a href=x.invalid>here</a>.pcap" in inside("document.body.textContent")


LEAVES = {"itself": "location = address", "top": "top.location = address", "window": "open(address)",
          "link": "document.body.appendChild(Object.assign(document.createElement('a'), {href: address, target: '_top'})).click()"}


@pytest.mark.parametrize("way", LEAVES)
def test_the_report_opens_no_page(page, way):
    """The frame cannot do this even if its own script tries."""
    choose(page, FAILS)
    outcome(page)
    inside = attached(page, "iframe")
    page.evaluate("addEventListener('securitypolicyviolation', (event) => { window.refused = event.effectiveDirective; }), 0")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        answer = inside(f"(() => {{ const address = '{address}'; try {{ return String({LEAVES[way]}); }} catch (error) {{ return error.name; }} }})()")
        if way == "itself":
            wait_for(lambda: page.evaluate("window.refused") == "frame-src")
        elif way in ("top", "window"):
            assert answer == {"top": "SecurityError", "window": "null"}[way]
        assert not arrives(listener, 1)
    assert page.evaluate("location.protocol + outcome.className") == "file:fail"


def test_no_script_opens_a_page(page_file):
    [own] = re.findall(r"<script>(.*?)</script>", page_file.read_text(encoding="utf-8"), re.S)
    for script in own, (ROOT / "conformance/report/report.js").read_text(encoding="utf-8"):
        assert "use strict" in script
        assert not re.search(r"\blocation(\.href)?\s*=[^=]|\blocation\.(assign|replace)|\bopen\(|\.submit\(|innerHTML|insertAdjacentHTML|document\.write|\beval\b",
                             script)


def test_links_of_the_page_are_downloads(page):
    choose(page, FAILS)
    outcome(page)
    assert page.evaluate("Array.from(document.links, (link) => [link.protocol, link.download !== ''])") == [["blob:", True]] * 3


def test_files_dragged_over_the_report_reach_the_page(page):
    choose(page, FAILS)
    outcome(page)
    page.evaluate("document.dispatchEvent(new DragEvent('dragover', {cancelable: true})), 0")
    assert page.evaluate("getComputedStyle(document.getElementById('report')).pointerEvents") == "none"
    page.evaluate("document.dispatchEvent(new DragEvent('dragleave', {cancelable: true})), 0")
    assert page.evaluate("getComputedStyle(document.getElementById('report')).pointerEvents") == "auto"


def test_cancel(page):
    """A capture of 500 MB would take long; its worker ends at once, and the page continues."""
    data = PASSES.read_bytes()
    drop(page, ("endless.pcap", data, 500_000_000 // len(data)))
    wait_for(lambda: page.evaluate("document.getElementById('progress').value > 0"), 120)
    page.evaluate("document.getElementById('cancel').click()")
    assert outcome(page, 5) == ("trouble", "Cancelled")
    wait_for(lambda: len(targets(page, "worker")) == 1)
    choose(page, FAILS)
    assert outcome(page)[0] == "fail"


def many_connections(n):
    """SYNs of n connections to the port of NFS over RDMA, each with an MPA Request."""
    out = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
    request = b"MPA ID Req Frame\x40\x01\x00\x00"
    for i in range(n):
        for flags, sequence, payload in ((0x02, 0, b""), (0x18, 1, request)):
            tcp = struct.pack("!HHIIBBHHH", 1024 + i % 60000, 20049, sequence, 1 if payload else 0, 0x50, flags, 8192, 0, 0) + payload
            ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, bytes([10, 1, i // 60000 % 256, 1]), b"\x0a\x02\x00\x01")
            frame_octets = b"\x02\0\0\0\0\2\x02\0\0\0\0\1\x08\0" + ip + tcp
            out.append(struct.pack("<IIII", i // 1000, i % 1000, len(frame_octets), len(frame_octets)) + frame_octets)
    return b"".join(out)


def test_memory_is_bounded(web, tmp_path):
    path = tmp_path / "many.pcap"
    path.write_bytes(many_connections(200_000))
    assert web("--memory-limit=32M", "--quiet", "many.pcap", files={"many.pcap": path}) in (0, 1, 2, 3)
    assert web.memory < 256 << 20


def test_the_page_is_made_the_same_again(page_file, tmp_path):
    version = re.search(r"^project\(iwarp-kit VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
    again = tmp_path / "again.html"
    subprocess.run([sys.executable, ROOT / "web/page/build.py", again, page_file.parent / "iwarp-check.wasm", version], check=True)
    assert again.read_bytes() == page_file.read_bytes()
