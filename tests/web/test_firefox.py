# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check.html, opened from the disk in Firefox: what a browser does by itself. test_page.py tests the functions of the page."""
import gzip
import pathlib
import socket
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "check"))
import firefox  # noqa: E402
import painted  # noqa: E402
from browsed import ASKS, FAILS, FREE, IN_WORKER, PASSES, arrives, ask, drop, outcome, report, undated, verdict, wait_for  # noqa: E402


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not firefox.PROGRAM:
        pytest.skip("Firefox is missing")
    one = firefox.Firefox(tmp_path_factory.mktemp("firefox"))
    yield one
    one.close()


@pytest.fixture
def page(browser, web_build):
    browser.open(web_build / "web" / "iwarp-check.html")
    return browser


def test_a_capture_is_judged(page, build, tmp_path):
    (tmp_path / FAILS.name).symlink_to(FAILS)
    subprocess.run([build / "conformance/iwarp-check", "--progress", "--format=html", "--output=report.html", "--format=ndjson",
                    "--output=report.ndjson", "--format=junit", "--output=report.xml", FAILS.name], cwd=tmp_path, capture_output=True, check=False)
    page.choose(FAILS)
    kind, words = outcome(page)
    assert kind == "fail" and words.startswith("FAIL, in ")
    assert verdict(page) == "FAIL"
    assert undated(report(page)) == undated((tmp_path / "report.html").read_text(encoding="utf-8"))


def test_the_script_of_the_report_runs(page):
    page.choose(FAILS)
    outcome(page)
    page.frame("#report")
    try:
        wait_for(lambda: page.evaluate("document.readyState") == "complete")
        assert page.evaluate("document.getElementById('shown').textContent") == "3 of 3 entries shown"
        assert page.evaluate("getComputedStyle(document.querySelector('header')).borderLeftStyle") == "solid"
    finally:
        page.frame()


@pytest.mark.parametrize("again", [1, 2, 10])
def test_the_report_is_painted(page, again):
    page.choose(FAILS)
    outcome(page)
    for _ in range(1, again):
        page.evaluate("document.getElementById('check').click()")
        outcome(page)
    wait_for(lambda: not painted.is_blank(page.picture("#report")), 20)


def test_dropped_and_compressed(page):
    drop(page, ("small.pcap.gz", gzip.compress(PASSES.read_bytes())))
    assert outcome(page)[0] == "pass"
    assert "small.pcap.gz" in report(page)


def test_cancel(page):
    data = PASSES.read_bytes()
    drop(page, ("endless.pcap", data, 500_000_000 // len(data)))
    wait_for(lambda: page.evaluate("document.getElementById('progress').value > 0"), 120)
    page.evaluate("document.getElementById('cancel').click()")
    assert outcome(page, 5) == ("trouble", "Cancelled")
    page.choose(FAILS)
    assert outcome(page)[0] == "fail"


@pytest.mark.parametrize("way", ASKS)
def test_a_request_is_refused(page, browser, tmp_path, way):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        ask(page, way, address)
        assert not arrives(listener, 1)
        (tmp_path / "free.html").write_text(FREE, encoding="utf-8")
        browser.open(tmp_path / "free.html")
        ask(browser, way, address)
        assert arrives(listener, 20), "without the policy the request should arrive"


def test_a_worker_may_not_ask_either(page):
    assert page.evaluate(IN_WORKER) == "connect-src"
