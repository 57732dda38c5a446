#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""operations.py FOLDER VERSION: in a guest, on a mounted server: kinds of operation, each by itself, with what comes back compared.
Prints a line for each operation: NAME, tab, "ok", "failed" or "none" (the version lacks the
operation), tab, the reason. Needs python3-minimal alone."""
import errno
import fcntl
import os
import sys

LARGE = 160000


def octets(n, seed=1):
    """The same for the same seed; no two blocks of a page are equal."""
    return b"".join(b"%08x%08x" % (seed, i) for i in range(n // 16 + 1))[:n]


def compare(found, wanted, what):
    if found != wanted:
        at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
        raise AssertionError(f"{what}: {len(found)} octets for {len(wanted)}, the first difference at {at}")


def forget(path):
    """Removes everything from the client's cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def write(path, data, flags=0):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    try:
        while data:
            data = data[os.write(fd, data):]
        os.fsync(fd)
    finally:
        os.close(fd)


def read(path):
    forget(path)
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def round_trip(name, n, seed=1):
    write(name, octets(n, seed))
    compare(read(name), octets(n, seed), name)


def inline():
    round_trip("inline", 100)


def chunks():
    round_trip("chunks", LARGE)


def sizes():
    for n in (1, 2, 3, 102, 407, 1023, 2999, 4097, 65537):
        round_trip(f"size-{n}", n, n)


def empty():
    round_trip("empty", 0)


def direct():
    """By dd, whose buffers have the alignment of O_DIRECT."""
    write("/tmp/direct", octets(65536, 5))
    for arguments in ("if=/tmp/direct of=direct oflag=direct", "if=direct of=/tmp/back iflag=direct"):
        assert os.system(f"dd bs=16k status=none {arguments}") == 0, arguments
    with open("/tmp/back", "rb") as file:
        compare(file.read(), octets(65536, 5), "O_DIRECT")


def append():
    write("append", octets(3000))
    write("append", octets(3001, 2), os.O_APPEND)
    compare(read("append"), octets(3000) + octets(3001, 2), "append")


def overwrite():
    write("over", octets(20000))
    fd = os.open("over", os.O_WRONLY)
    os.pwrite(fd, octets(777, 9), 5001)
    os.fsync(fd)
    os.close(fd)
    compare(read("over"), octets(5001) + octets(777, 9) + octets(20000)[5778:], "overwrite")


def truncate():
    write("truncate", octets(9000))
    os.truncate("truncate", 1001)
    compare(read("truncate"), octets(1001), "truncate")
    os.truncate("truncate", 5000)
    compare(read("truncate"), octets(1001) + bytes(3999), "grow")


def folders():
    os.makedirs("a/b/c")
    try:
        os.rmdir("a")
    except OSError as error:
        assert error.errno == errno.ENOTEMPTY, error
    os.removedirs("a/b/c")


def readdir():
    os.mkdir("many")
    names = sorted(f"a-file-with-a-rather-long-name-{i:03}" for i in range(300))
    for name in names:
        os.close(os.open(f"many/{name}", os.O_CREAT | os.O_WRONLY, 0o644))
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
    compare(sorted(os.listdir("many")), names, "names")
    for name in names:
        os.unlink(f"many/{name}")
    os.rmdir("many")


def symlink():
    for n in (5, 1000):
        text = octets(n).decode()
        os.symlink(text, f"symlink-{n}")
        compare(os.readlink(f"symlink-{n}"), text, f"a link of {n}")


def hard_link():
    write("one", octets(50))
    os.link("one", "two")
    compare(read("two"), octets(50), "link")
    assert os.stat("one").st_nlink == 2, os.stat("one").st_nlink


def rename():
    write("from", octets(60))
    write("to", octets(61))
    os.rename("from", "to")
    compare(read("to"), octets(60), "rename")
    assert not os.path.exists("from")


def remove():
    write("gone", b"x")
    os.unlink("gone")
    assert not os.path.exists("gone")


def attributes():
    write("attributes", b"x")
    os.chmod("attributes", 0o751)
    os.utime("attributes", ns=(1_500_000_000_000_000_000, 1_400_000_000_000_000_000))
    found = os.stat("attributes")
    assert (found.st_mode & 0o777, int(found.st_mtime), found.st_size) == (0o751, 1_400_000_000, 1), found


def exclusive():
    os.close(os.open("exclusive", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        os.open("exclusive", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return
    raise AssertionError("it was created twice")


def locks():
    if VERSION == "3":
        return "none", "NLM is not over RDMA"
    write("locked", octets(100))
    with open("locked", "r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 10, 20)
        fcntl.lockf(file, fcntl.LOCK_UN, 10, 20)
    return None


def fifo():
    os.mkfifo("fifo")
    assert os.stat("fifo").st_mode & 0o170000 == 0o010000


def space():
    found = os.statvfs(".")
    assert found.f_blocks > 0 and found.f_bavail <= found.f_blocks, found


def xattr():
    if VERSION != "4.2":
        return "none", "of version 4.2"
    write("xattr", b"x")
    for n in (10, 2001, 30000 if os.environ.get("LARGE_XATTR") else 3001):
        os.setxattr("xattr", "user.a", octets(n))
        compare(os.getxattr("xattr", "user.a"), octets(n), f"an attribute of {n}")
    # A client may list its own attributes, such as system.nfs4_acl.
    names = [name for name in os.listxattr("xattr") if name.startswith("user.")]
    assert names == ["user.a"], names
    os.removexattr("xattr", "user.a")
    return None


def copy():
    if VERSION != "4.2":
        return "none", "of version 4.2"
    write("copied", octets(100000, 3))
    source, to = os.open("copied", os.O_RDONLY), os.open("copy", os.O_CREAT | os.O_RDWR, 0o644)
    done = os.copy_file_range(source, to, 100000)
    os.close(source)
    os.close(to)
    compare(read("copy")[:done], octets(100000, 3)[:done], "copy")
    return None


def allocate():
    if VERSION != "4.2":
        return "none", "of version 4.2"
    fd = os.open("allocate", os.O_CREAT | os.O_RDWR, 0o644)
    os.posix_fallocate(fd, 0, 50000)
    os.close(fd)
    assert os.stat("allocate").st_size == 50000
    return None


def sparse():
    fd = os.open("sparse", os.O_CREAT | os.O_RDWR, 0o644)
    os.pwrite(fd, b"end", LARGE)
    os.fsync(fd)
    os.close(fd)
    compare(read("sparse"), bytes(LARGE) + b"end", "a hole")


OPERATIONS = [inline, chunks, sizes, empty, direct, append, overwrite, truncate, folders, readdir, symlink, hard_link, rename, remove,
              attributes, exclusive, locks, fifo, space, xattr, copy, allocate, sparse]


def main():
    os.chdir(sys.argv[1])
    for operation in OPERATIONS:
        try:
            outcome, why = operation() or ("ok", "")
        except Exception as error:  # pylint: disable=broad-except # whatever it is, it is the answer
            outcome, why = "failed", f"{type(error).__name__}: {error}".replace("\n", " ").replace("\t", " ")
        print(f"{operation.__name__}\t{outcome}\t{why}", flush=True)


if __name__ == "__main__":
    VERSION = sys.argv[2]
    main()
