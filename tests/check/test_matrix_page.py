# SPDX-License-Identifier: GPL-2.0-or-later
"""The matrix of iwarp-gen report in a browser: on a screen, and on a phone."""
import os
import subprocess

import pytest

import browser


@pytest.fixture(scope="module")
def matrix(build, tmp_path_factory):
    """Three devices, one of which fails."""
    folder, program = tmp_path_factory.mktemp("matrix"), build / "traffic-gen" / "iwarp-gen"
    reports = []
    for name, options in (("card-1.1", []), ("card-1.2", ["--misbehave=MPA-8-02/crc"]), ("a device with a long name", [])):
        device = subprocess.Popen([program, "serve", "127.0.0.1:0", "--service=echo", *options], stderr=subprocess.PIPE, text=True)
        try:
            address = "127.0.0.1:" + device.stderr.readline().split()[-1]
            reports.append(folder / f"{len(reports)}.json")
            run = subprocess.run([program, "test", address, "--rules=MPA-8,MPA-4.1", f"--device={name}", "--format=json", "-o",
                                  reports[-1], "-j", "8"], capture_output=True, text=True)
            assert run.returncode == (1 if options else 0), run.stderr
        finally:
            device.kill()
            device.communicate()
    subprocess.run([program, "report", *reports, "-o", folder / "matrix.html"], check=True)
    return folder / "matrix.html"


@pytest.mark.parametrize("width, phone", [(360, True), (1200, False)])
def test_fits_the_screen(matrix, tmp_path, width, phone):
    if browser.PROGRAM is None:
        told = "Chromium is not installed (./test installs it): the page is not tried in a browser"
        pytest.fail(told) if "IWARP_ALL" in os.environ else pytest.skip(told)
    chromium = browser.Browser(tmp_path)
    try:
        chromium.open(matrix, width=width, height=800, phone=phone)
        assert chromium.complaints() == []
        assert chromium.evaluate("document.documentElement.scrollWidth") <= width
        assert chromium.evaluate("document.querySelector('ul a').textContent") == "MPA-8-02/crc"
        target = chromium.evaluate("document.querySelector(document.querySelector('ul a').getAttribute('href')).tagName")
        assert target == "SECTION"
        rows = "Array.from(document.querySelectorAll('.matrix tbody tr:not([hidden]) th')).map((e) => e.firstChild.textContent)"
        every = chromium.evaluate(rows)
        choose = ("(() => { const s = document.getElementById('%s'); s.value = '%s';"
                  " s.dispatchEvent(new Event('input', {bubbles: true})); })()")
        for value in ("failed", "differs"):
            chromium.evaluate(choose % ("outcome", value))
            assert chromium.evaluate(rows) == ["MPA-8-02/crc"] and len(every) > 5
        chromium.evaluate(choose % ("outcome", ""))
        chromium.evaluate(choose % ("search", "mpa-8-02/CRC"))
        assert chromium.evaluate(rows) == ["MPA-8-02/crc"]
        assert chromium.evaluate("document.getElementById('shown').textContent") == f"1 of {len(every)} cases shown"
    finally:
        chromium.close()
