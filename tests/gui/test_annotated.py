# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of iwarp-check --annotate in a Wireshark without plugins: its comments are in the packet's details."""
import subprocess
import time

from test_wireshark_gui import Screen, pytestmark, screen  # noqa: F401  pylint: disable=unused-import

CAPTURE = "captures/real/nfslong/nfs42-long-setxattr.pcap"
COMMENT = "B7F774"  # Wireshark's background of packet comments


def pixels(path, colour):
    said = subprocess.run(["convert", path, "-fill", "black", "+opaque", "#" + colour, "-fill", "white", "-opaque", "#" + colour,
                           "-format", "%[fx:w*h*mean]", "info:"], capture_output=True, text=True, check=True).stdout
    return float(said)


def test_comments_are_seen(screen, check, root):  # noqa: F811
    annotated = screen.folder / "annotated.pcapng"
    assert check(f"--annotate={annotated}", root / CAPTURE).returncode == 1
    for plugins in (screen.folder / "plugins").rglob("*.so"):
        plugins.unlink()
    for path in screen.folder.glob("home/.config/wireshark/profiles/iWARP/*"):
        path.unlink()  # 4.4 warns of colours for fields that it lacks, in a window
    process = screen.wireshark("-r", annotated, "-Y", 'frame.comment contains "CMPD-"', "-g", "13")
    main = screen.window("annotated.pcapng")
    screen.do("windowsize", "--sync", main, "100%", "100%")
    screen.do("windowactivate", "--sync", main)
    time.sleep(3)
    assert not screen.do("search", "--onlyvisible", "--name", "Error|Warning")
    closed = pixels(screen.shot("annotated"), COMMENT)
    assert closed > 500
    screen.do("mousemove", 68, 542, "click", 1, "key", "Right", "Down", "Down", "mousemove", 700, 400)
    time.sleep(1)
    assert pixels(screen.shot("annotated"), COMMENT) > closed  # the comment itself
    assert process.poll() is None
