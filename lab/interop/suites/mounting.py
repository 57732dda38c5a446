# SPDX-License-Identifier: GPL-2.0-or-later
"""Actions on a mounted server, by Linux and by our client: the same in the lab and in the pair."""

# For our client: SCENARIO.format(version=...). Without READLINK: with a Write chunk Linux 6.1 sends NFSv4's count as data
# (lab/results/siw.md).
SCENARIO = """
with work nfs={version} in-flight=4
I mkdir v{version}
I write v{version}/large len=1000000 pattern=2
I read v{version}/large len=1000000 pattern=2
I files v{version} count=100
I list v{version} count=101
I rename v{version}/large to=v{version}/other
I remove v{version}/other
I list v{version} count=100
"""


def workload(where, version, mount_port, proto="rdma", seconds=60):
    """A shell script for Linux, with SERVER:/PATH; all_done() checks its output."""
    options = f"vers={version},proto={proto},port=20049,hard"
    if version == "3":
        options += f",nolock,mountproto=tcp,mountport={mount_port}"
    mount = f"timeout {seconds} mount.nfs '{where}' /mnt -o {options}"
    return f"""
        set -e
        {mount}
        dd if=/dev/urandom of=/tmp/there bs=64k count=16 2>/dev/null
        dd if=/tmp/there of=/mnt/file bs=256k conv=fsync 2>/dev/null
        mkdir /mnt/many
        for i in $(seq 500); do : > /mnt/many/a-file-with-a-rather-long-name-$i; done
        ln -s a-file /mnt/link
        umount /mnt
        {mount} # nothing is cached any more
        sha256sum < /tmp/there
        sha256sum < /mnt/file
        ls /mnt/many | wc -l
        ls -l /mnt/many | wc -l
        readlink /mnt/link
        rm -r /mnt/many
        umount /mnt
        """


def all_done(said):
    there, back, names, lines, link = said.splitlines()[-5:]
    return there == back and names == "500" and lines == "501" and link == "a-file"
