# SPDX-License-Identifier: GPL-2.0-or-later
"""Reference traffic as a capture interface: as Wireshark asks for it."""
import re
import shutil
import subprocess
import time

import pytest

INTERFACE = "iwarp-reference"


@pytest.fixture(scope="module")
def extcap(build):
    def run(*arguments, **options):
        return subprocess.run([build / "traffic-gen" / "iwarp-extcap", *arguments], capture_output=True, text=True,
                              timeout=60, check=False, **options)
    return run


@pytest.fixture(scope="module")
def capturing(wireshark, build):
    """tshark that finds the program among its extcap programs; live capture as an ordinary user."""
    folder = wireshark.folder / "extcap"
    folder.mkdir(mode=0o755)
    shutil.copy(build / "traffic-gen" / "iwarp-extcap", folder)
    wireshark.environment["WIRESHARK_EXTCAP_DIR"] = str(folder)
    yield wireshark
    del wireshark.environment["WIRESHARK_EXTCAP_DIR"]


def test_dialog(extcap, build):
    """Every scenario and every fault can be chosen, and each value belongs to an argument of that number."""
    said = extcap(f"--extcap-interface={INTERFACE}", "--extcap-config").stdout
    numbers = [int(number) for number in re.findall(r"^arg \{number=(\d+)\}", said, re.M)]
    assert numbers == list(range(len(numbers)))
    for argument, kind in enumerate(["scenarios", "faults"]):
        listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", kind], capture_output=True, text=True,
                                check=True).stdout
        offered = re.findall(rf"^value \{{arg={argument}\}}\{{value=([^}}]*)\}}\{{display=[^{{}}]+\}}", said, re.M)
        assert set(offered) >= {line.split("\t")[0] for line in listed.splitlines()} - {"bulk", "nfs-bulk", "many", "script"}
        assert len(re.findall(rf"^value \{{arg={argument}\}}.*\{{default=true\}}$", said, re.M)) == 1


@pytest.mark.parametrize("arguments", [[], ["--extcap-interface=eth0", "--extcap-dlts"],
                                       [f"--extcap-interface={INTERFACE}", "--capture"],
                                       [f"--extcap-interface={INTERFACE}", "--capture", "--fifo=x", "--fault=MPA-0"]])
def test_wrong_use(extcap, arguments, tmp_path):
    result = extcap(*arguments, cwd=tmp_path)
    assert result.returncode == 2 and result.stderr and not list(tmp_path.iterdir())


def test_tshark_lists_it(capturing):
    assert f"{INTERFACE} (iWARP reference traffic)" in capturing.run("tshark", "-D").stdout


def test_tshark_captures(capturing, wireshark):
    """What the dialog sets arrives as preferences; the packets are those of the scenario, now."""
    result = capturing.run("tshark", "-i", INTERFACE, "-o", "extcap.iwarp_reference.scenario:rev1",
                           "-o", "extcap.iwarp_reference.fault:MPA-4.1-05", "-o", "extcap.iwarp_reference.ipv6:true",
                           "-T", "fields", "-e", "frame.time_epoch", "-e", "ipv6.src", "-e", "_ws.expert.message")
    assert result.returncode == 0, result.stderr
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert len(lines) > 20 and all(address for _, address, _ in lines)
    assert sum("MPA-4.1-05" in expert for _, _, expert in lines) == 1
    assert abs(float(lines[0][0]) - time.time()) < 60
