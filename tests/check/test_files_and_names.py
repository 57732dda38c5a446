# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports overwrite nothing that the run reads, and names of files mean what they seem to mean."""
import json
import os
import shutil

import pytest


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make another user's link")
@pytest.mark.parametrize("owner,follows", [(65534, False), (0, True)])
def test_links_in_sticky_directories(check, good, tmp_path, owner, follows):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    os.chown(shared, 1, 1)
    target, link = tmp_path / "target", shared / "link"
    target.write_text("precious")
    link.symlink_to(target)
    os.lchown(link, owner, owner)
    assert check("-o", link, good).returncode == 0
    assert link.is_symlink() == follows and (target.read_text() != "precious") == follows
    assert "PASS" in link.read_text()


def test_a_shipped_list_goes_before_a_file_of_that_name(check, good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linux-nfsd").write_text("no: waivers")
    assert check("--waivers=linux-nfsd", good).returncode == 0
    assert check("--waivers=./linux-nfsd", good).returncode == 2


def test_rotate_spares_its_input(check, good, tmp_path):
    capture = tmp_path / "r-00002.pcap"
    shutil.copy(good, capture)
    before = capture.read_bytes()
    result = check("--rotate=1", "-o", tmp_path / "r.pcap", capture)
    assert result.returncode == 2 and "one of the captures" in result.stderr and capture.read_bytes() == before
    assert os.listdir(tmp_path) == ["r-00002.pcap"]


def test_output_spares_the_waivers(check, good, tmp_path):
    waivers = tmp_path / "w.yaml"
    waivers.write_text("- id: MPA-4.1-05\n  why: known\n")
    before = waivers.read_bytes()
    result = check("-o", waivers, f"--waivers={waivers}", good)
    assert result.returncode == 2 and "read by --waivers" in result.stderr and waivers.read_bytes() == before


def test_merge_refuses_a_part_after_the_last(check, good, tmp_path):
    check("--rotate=0.001", "--format=ndjson", "-o", tmp_path / "r.json", good)
    parts = sorted(tmp_path.glob("r-*.json"))
    lines = [json.loads(line) for line in parts[-1].read_text().splitlines()]
    for line in lines:
        if "part" in line:
            line["part"]["first"] = line["part"]["last"] = line["part"]["last"] + 1
    later = tmp_path / "later.json"
    later.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert check("merge", *parts).returncode == 0
    result = check("merge", *parts, later)
    assert result.returncode == 2 and "whose last part is" in result.stderr


def test_www_in_a_name_is_no_link(check, bad, tmp_path):
    name = tmp_path / "www.example.com.pcap"
    shutil.copy(bad, name)
    said = check("--format=markdown", name).stdout
    assert "www&#46;example" in said and "www." not in said
