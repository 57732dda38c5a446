# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wireshark profile: Wireshark knows its columns, colours and filters, and they show what they promise."""
import os
import re
import shutil

import pytest

FILES = "plugins/profile/iWARP"


@pytest.fixture(scope="module")
def profile(wireshark, root):
    """Installed as a user would copy it."""
    target = wireshark.folder / "home" / ".config" / "wireshark" / "profiles" / "iWARP"
    shutil.copytree(root / FILES, target)
    for path in [*target.parents][:4] + [target, *target.iterdir()]:
        if os.getuid() == 0:
            shutil.chown(path, 65534, 65534)
    return ["-C", "iWARP"]


def rules(root):
    for line in (root / FILES / "colorfilters").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            yield line.split("@")[1:3]


def buttons(root):
    for line in (root / FILES / "dfilter_buttons").read_text(encoding="utf-8").splitlines():
        if line.startswith('"TRUE"'):
            _, label, text, comment = re.findall(r'"([^"]*)"', line)
            assert comment
            yield label, text.replace("\\x22", '"')


def test_filters_compile(wireshark, root, generated):
    path = generated("nfs3")
    for name, text in [*rules(root), *buttons(root)]:
        result = wireshark.run("tshark", "-r", wireshark.readable(path), "-Y", text, "-c", "1")
        assert result.returncode == 0, (name, result.stderr)


def test_columns(wireshark, profile, generated):
    lines = wireshark.tshark(generated("nfs3"), *profile, "-Y", "rpcrdma.xid").splitlines()
    assert lines and all(re.search(r" Send", line) and "0x" in line for line in lines), lines[:3]
    with_finding = wireshark.tshark(generated("rev1", "--inject=MPA-4.1-05"), *profile, "-Y", "mpa")
    assert "MPA-4.1-05" in with_finding


def columns(wireshark, profile, root, path, *arguments):
    """[{title: text}] of the profile's columns, by their position in tshark's JSON output."""
    text = (root / FILES / "preferences").read_text(encoding="utf-8")
    wanted = re.findall(r'^\t"([^"]*)", "%Cus:([^"]*):0:[RU]"', text, re.M)
    fields = sorted({field for _, names in wanted for field in names.split(" or ")})
    frames = wireshark.fields(path, fields, *profile, *arguments)
    return [{title: [value for field in names.split(" or ") for value in frame[field]] for title, names in wanted} for frame in frames]


def test_columns_on_roce(wireshark, profile, root):
    """Each packet has an operation, and both directions of the connection have one number."""
    shown = columns(wireshark, profile, root, root / "captures" / "roce" / "nfs3-read-4k-64k.pcap", "-2", "-Y", "rpcrdma or infiniband.aeth")
    assert len(shown) > 50 and all(row["Operation"] for row in shown)
    assert len({tuple(row["Stream"]) for row in shown}) == 1 and shown[0]["Stream"]


@pytest.mark.parametrize("name", ["roce/nfs3-read-4k-64k.pcap", "real/nfslong/nfs42-long-setxattr.pcap"])
def test_xid_on_what_moves_octets(wireshark, profile, root, name):
    shown = columns(wireshark, profile, root, root / "captures" / name, "-2", "-Y", "rpcrdma.move.segment")
    assert len(shown) > 2 and all(len(set(row["XID"])) == 1 for row in shown)


def test_preferences_are_known(wireshark, profile, generated):
    result = wireshark.run("tshark", *profile, "-r", wireshark.readable(generated("rev1")), "-c", "1")
    assert result.returncode == 0 and "preference" not in result.stderr.lower(), result.stderr


def test_nothing_is_found_in_conforming_captures(wireshark, root, generated):
    """TCP's own remarks are not findings of the plugins."""
    text = dict(buttons(root))["Findings"]
    assert not wireshark.fields(generated("nfs3", "--net=reorder=0.1,dup=0.1"), [], "-2", "-Y", text)


def test_column_widths(root):
    """For each column of the preferences, in their order."""
    columns = re.findall(r'^\t"[^"]*", "([^"]*)"', (root / FILES / "preferences").read_text(encoding="utf-8"), re.M)
    recent = (root / FILES / "recent").read_text(encoding="utf-8")
    widths = re.findall(r'(%\w+|"[^"]*"), (\d+)', recent.split("column.width:")[1])
    assert [name.strip('"') for name, _ in widths] == [re.sub(r":0:[RU]$", "", column) for column in columns]
    assert all(int(width) >= 50 for _, width in widths)


def test_filters_on_roce(wireshark, root):
    path = root / "captures" / "roce" / "nfs3-read-4k-64k.pcap"
    texts = dict(buttons(root)) | dict(rules(root))
    for label in ("Findings", "Start-up", "Ends", "Calls", "iWARP, RoCE: RDMA Write", "iWARP, RoCE: start-up"):
        assert wireshark.fields(path, [], "-2", "-Y", texts[label]), label
    assert wireshark.fields(root / "captures" / "roce" / "op-write-badstag.pcap", [], "-Y", texts["RoCE: NAK"])


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_no_answer(wireshark, root, generated, transport):
    """The button passes the Call and the RDMA Read that the client refused, and nothing where all were answered."""
    text = dict(buttons(root))["No answer"]
    path = generated("rpcrdma", "--inject=RPCR-3.4.3-03/read", f"--transport={transport}")
    frames = wireshark.fields(path, ["rpcrdma.unanswered", "rpcrdma.move.segment"], "-2", "-Y", text)
    assert [(len(frame["rpcrdma.unanswered"]), len(frame["rpcrdma.move.segment"])) for frame in frames] == [(1, 0), (0, 1)]
    assert wireshark.fields(generated("rpcrdma", f"--transport={transport}"), [], "-2", "-Y", text) == []


def test_colour_of_no_answer(wireshark, root, generated):
    """A Call without an answer has a colour of its own: no earlier rule is about it."""
    texts = [text for _, text in rules(root)]
    path = generated("rpcrdma", "--inject=RPCR-4.5.4-03")
    call, = wireshark.fields(path, [], "-2", "-Y", "rpcrdma.unanswered")
    earlier = texts[:texts.index("rpcrdma.unanswered")]
    found = wireshark.fields(path, ["iwarp.finding"], "-2", "-Y", f"frame.number == {call['frame']} && ({' || '.join(f'({text})' for text in earlier)})")
    assert all(frame["iwarp.finding"] for frame in found)


@pytest.mark.parametrize("inject,label", [("MPA-4.1-08", "Bad CRC"), ("MPA-4.1-05", "Findings")])
def test_buttons_find(wireshark, root, generated, inject, label):
    """A button's filter passes its intended frame, and none of a capture without it."""
    text = dict(buttons(root))[label]
    scenario = "rev1"
    assert not wireshark.fields(generated(scenario), [], "-Y", text)
    assert wireshark.fields(generated(scenario, f"--inject={inject}"), [], "-Y", text)


def test_colours_are_distinct(root):
    names = [name for name, _ in rules(root)]
    assert len(names) == len(set(names)) and len(names) > 8
