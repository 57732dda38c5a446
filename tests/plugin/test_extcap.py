# SPDX-License-Identifier: GPL-2.0-or-later
"""Reference traffic as a capture interface: the calls of Wireshark."""
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
        assert set(offered) >= {line.split("\t")[0] for line in listed.splitlines()} - {"bulk", "bulk-whole", "nfs-bulk", "many", "script"}
        assert len(re.findall(rf"^value \{{arg={argument}\}}.*\{{default=true\}}$", said, re.M)) == 1
    assert re.findall(r"^value \{arg=2\}\{value=([^}]*)\}", said, re.M) == ["iwarp", "roce"]


@pytest.mark.parametrize("arguments", [[], ["--extcap-interface=eth0", "--extcap-dlts"],
                                       [f"--extcap-interface={INTERFACE}", "--capture"],
                                       [f"--extcap-interface={INTERFACE}", "--capture", "--fifo=x", "--fault=MPA-0"]])
def test_wrong_use(extcap, arguments, tmp_path):
    result = extcap(*arguments, cwd=tmp_path)
    assert result.returncode == 2 and result.stderr and not list(tmp_path.iterdir())


def test_filter(extcap, tmp_path):
    """Verified while it is typed; only matching packets are written."""
    asked = [f"--extcap-interface={INTERFACE}", "--capture"]
    assert extcap(*asked, "--extcap-capture-filter=port 20049").returncode == 0
    wrong = extcap(*asked, "--extcap-capture-filter=prt 1")
    assert wrong.returncode == 2 and "syntax error" in wrong.stdout
    sizes = []
    for words in ("tcp", "src port 20049", "port 9"):
        path = tmp_path / "out.pcapng"
        assert extcap(*asked, "--at-once", f"--fifo={path}", f"--extcap-capture-filter={words}").returncode == 0
        sizes.append(path.stat().st_size)
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_roce(extcap, wireshark, check, tmp_path):
    """The same conversation on RoCE, with a fault, as from iwarp-gen play; a conversation without RPC-over-RDMA is refused."""
    path = tmp_path / "out.pcapng"
    asked = [f"--extcap-interface={INTERFACE}", "--capture", "--at-once", f"--fifo={path}", "--transport=roce"]
    assert extcap(*asked, "--scenario=nfs3").returncode == 0
    assert wireshark.fields(path, [], "-Y", "udp.dstport == 4791 and nfs")
    assert extcap(*asked, "--fault=RPCR-3.4.5-02").returncode == 0
    assert "RPCR-3.4.5-02, " in check(path).stdout
    refused = extcap(*asked, "--scenario=markers")
    assert refused.returncode != 0 and "RoCE" in refused.stderr


def test_tshark_lists_it(capturing):
    assert f"{INTERFACE} (iWARP reference traffic)" in capturing.run("tshark", "-D").stdout


def test_tshark_captures(capturing, wireshark):
    """Settings of the dialog arrive as preferences; the packets are the scenario's, at present times."""
    result = capturing.run("tshark", "-i", INTERFACE, "-o", "extcap.iwarp_reference.scenario:rev1",
                           "-o", "extcap.iwarp_reference.fault:MPA-4.1-05", "-o", "extcap.iwarp_reference.ipv6:true",
                           "-T", "fields", "-e", "frame.time_epoch", "-e", "ipv6.src", "-e", "_ws.expert.message")
    assert result.returncode == 0, result.stderr
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert len(lines) > 20 and all(address for _, address, _ in lines)
    assert sum("MPA-4.1-05" in expert for _, _, expert in lines) == 1
    assert abs(float(lines[0][0]) - time.time()) < 60
