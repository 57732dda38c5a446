# SPDX-License-Identifier: GPL-2.0-or-later
"""The real Wireshark on a virtual screen, used as by a person: opens a capture with findings in the profile, selects
frames in random order, opens windows from the menus, captures reference traffic from the extcap interface.
Screenshots go to $IWARP_SCREENSHOTS (default: build directory, screenshots/)."""
import os
import pathlib
import random
import shutil
import subprocess
import time

import pytest

TOOLS = ["Xvfb", "openbox", "xdotool", "import", "wireshark", "setpriv"]
USER = 65534
SIZE = (1500, 950)
CAPTURES = {"iwarp": "captures/real/nfslong/nfs42-long-setxattr.pcap", "roce": "captures/roce/nfs42-long-setxattr.pcap"}
pytestmark = [pytest.mark.all, pytest.mark.skipif(not all(map(shutil.which, TOOLS)),
                                                  reason=f"needs {', '.join(TOOLS)}; run scripts/packages --all")]


class Screen:
    """A display of its own with a window manager, and Wireshark on it."""

    def __init__(self, folder, build, root, shots):
        self.folder, self.shots, self.processes = folder, shots, []
        reader, writer = os.pipe()
        self.start("Xvfb", "-displayfd", str(writer), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", pass_fds=[writer])
        os.close(writer)
        with os.fdopen(reader, encoding="ascii") as pipe:
            self.environment = dict(os.environ, DISPLAY=":" + pipe.readline().strip())
        self.start("openbox", env=self.environment)
        home = folder / "home"
        shutil.copytree(root / "plugins" / "profile" / "iWARP", home / ".config" / "wireshark" / "profiles" / "iWARP")
        shutil.copytree(build / "plugins" / "run", folder / "plugins")
        (folder / "extcap").mkdir()
        shutil.copy(build / "traffic-gen" / "iwarp-extcap", folder / "extcap")
        (folder / "runtime").mkdir(mode=0o700)
        folder.chmod(0o755)

    def start(self, *command, **options):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL,  # pylint: disable=consider-using-with
                                   stderr=subprocess.DEVNULL, **options)
        self.processes.append(process)
        return process

    def wireshark(self, *arguments):
        """As root it would only load installed plugins."""
        prefix = []
        if os.getuid() == 0:
            for path in [self.folder, *self.folder.rglob("*")]:
                shutil.chown(path, USER, USER)
            prefix = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        environment = {"HOME": str(self.folder / "home"), "XDG_RUNTIME_DIR": str(self.folder / "runtime"),
                       "DISPLAY": self.environment["DISPLAY"], "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                       "WIRESHARK_PLUGIN_DIR": str(self.folder / "plugins"),
                       "WIRESHARK_EXTCAP_DIR": str(self.folder / "extcap")}
        return self.start(*prefix, "wireshark", "-C", "iWARP", *map(str, arguments), env=environment)

    def do(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True,
                              check=False, timeout=30).stdout.split()

    def window(self, name, seconds=60):
        """The id of the window whose title matches, when it is there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.do("search", "--onlyvisible", "--name", name)
            if found:
                time.sleep(1)
                return found[0]
            time.sleep(0.2)
        self.shot("missing")
        raise AssertionError(f"no window {name!r} after {seconds} s; see missing.png")

    def menu(self, main, *keys):
        self.do("windowactivate", "--sync", main)
        for key in keys:
            self.do("key", key)
            time.sleep(0.4)

    def shot(self, name):
        """When the screen is stable: Wireshark has read the packets again, and has drawn the results."""
        path, end, before = self.shots / f"{name}.png", time.monotonic() + 30, None
        while time.monotonic() < end:
            now = subprocess.run(["import", "-window", "root", "rgb:-"], env=self.environment, check=True, timeout=60,
                                 capture_output=True).stdout
            if now == before:
                break
            before = now
            time.sleep(1.5)
        subprocess.run(["import", "-window", "root", path], env=self.environment, check=True, timeout=60)
        return path

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def screen(tmp_path, build, root):
    shots = pathlib.Path(os.environ.get("IWARP_SCREENSHOTS") or build / "screenshots")
    shots.mkdir(parents=True, exist_ok=True)
    made = Screen(tmp_path, build, root, shots)
    for parent in list(tmp_path.parents)[:3]:  # pytest's folders are private to its user
        parent.chmod(parent.stat().st_mode | 0o055)
    yield made
    made.close()


def colours(path):
    said = subprocess.run(["identify", "-format", "%k", path], capture_output=True, text=True, check=True).stdout
    return int(said)


@pytest.mark.parametrize("link", CAPTURES)
def test_look_at_a_capture(screen, root, link):
    capture = screen.folder / "findings.pcap"
    shutil.copy(root / CAPTURES[link], capture)
    frames = int(subprocess.run(["capinfos", "-Mrc", capture], capture_output=True, text=True,
                                check=True).stdout.split()[-1])
    process = screen.wireshark("-r", capture)
    main = screen.window("findings.pcap")
    screen.do("windowmove", main, 0, 0, "windowsize", main, SIZE[0] - 20, SIZE[1] - 50)
    source = random.Random(1)
    for frame in [source.randint(1, frames) for _ in range(40)]:
        screen.menu(main, "ctrl+g")
        screen.do("type", str(frame))
        screen.do("key", "Return")
        time.sleep(0.1)
        assert process.poll() is None, f"Wireshark ended at frame {frame}"
    assert colours(screen.shot(f"frames-{link}")) > 50

    screen.menu(main, "alt+a", "Up", "Return")
    expert = screen.window("Expert Information")
    assert colours(screen.shot(f"expert-{link}")) > 50
    screen.do("windowclose", expert)

    for place, name, title in [(1, "rpcrdma", "RPC-over-RDMA"), (2, "rdmap", "RDMAP")]:
        screen.menu(main, "alt+s", *["Up"] * place, "Return")
        statistics = screen.window(title)
        assert colours(screen.shot(f"statistics-{name}-{link}")) > 50
        screen.do("windowclose", statistics)
        time.sleep(0.5)
    assert process.poll() is None


@pytest.mark.parametrize("link,frame,text", [("iwarp", 12, "tcp.stream eq 0 and rpcrdma.transaction == 2"),
                                             ("roce", 114, "rdma_ib.connection == 1")])
def test_conversation_filter(screen, root, link, frame, text):
    """For a frame that moves data: its transaction; on RoCE, both directions of the connection. Wireshark writes its filters at exit."""
    capture = screen.folder / "transaction.pcap"
    shutil.copy(root / {"iwarp": CAPTURES["iwarp"], "roce": "captures/roce/nfs3-read-4k-64k.pcap"}[link], capture)
    process = screen.wireshark("-r", capture, "-g", frame)
    main = screen.window("transaction.pcap")
    screen.menu(main, "alt+a", *["Down"] * 5, "Right", "Up")
    screen.shot(f"conversation-filter-{link}")
    screen.menu(main, "Return", "ctrl+q")
    process.wait(30)
    recent = (screen.folder / "home" / ".config" / "wireshark" / "recent_common").read_text(encoding="utf-8")
    assert f"recent.display_filter: {text}\n" in recent


def test_capture_reference_traffic(screen):
    """Starts on the interface directly, like the double click; the packets arrive and are dissected."""
    process = screen.wireshark("-k", "-i", "iwarp-reference")
    main = screen.window("(iWARP reference traffic|iwarp-reference|wireshark_)")
    screen.do("windowmove", main, 0, 0, "windowsize", main, SIZE[0] - 20, SIZE[1] - 50)
    time.sleep(3)
    assert process.poll() is None
    assert colours(screen.shot("extcap")) > 50
