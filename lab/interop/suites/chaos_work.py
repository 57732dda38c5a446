#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""chaos_work.py FOLDER SEED SECONDS: in a guest, on a mount whose server breaks connections (iwarp-gen serve --chaos). Steps are drawn from the
seed, each with a model of the tree beside it: what an operation says has to be what the model says, as if it had been executed
once, and what was acknowledged (fsync, O_SYNC) has to be there, also after the mount's memory is dropped. Prints a line for
each promise that was not kept; exit status: 0 all were."""
import errno
import os
import random
import sys
import time

FILES, FOLDERS, BLOCKS, BLOCK = 4, 4, 16, 4096
SLOW = 5  # seconds for a step: longer means that the client had to recover


class Broken(Exception):
    """A promise that was not kept."""


class Work:
    def __init__(self, top, seed):
        self.top, self.random = top, random.Random(seed)
        self.files = {}  # name: acknowledged octets
        self.folders = set()
        self.steps = self.slow = 0
        self.longest = 0.0

    def path(self, name):
        return f"{self.top}/{name}"

    def expect(self, what, due, function):
        """due: expected errno; 0: success."""
        try:
            function()
            found = 0
        except OSError as error:
            found = error.errno
        if found != due:
            raise Broken(f"{what}: expected {errno.errorcode.get(due, 'success')}; found {errno.errorcode.get(found, 'success')}")

    def make_folder(self):
        name = f"folder{self.random.randrange(FOLDERS)}"
        self.expect(f"mkdir {name}", errno.EEXIST if name in self.folders else 0, lambda: os.mkdir(self.path(name)))
        self.folders.add(name)

    def remove_folder(self):
        name = f"folder{self.random.randrange(FOLDERS)}"
        self.expect(f"rmdir {name}", 0 if name in self.folders else errno.ENOENT, lambda: os.rmdir(self.path(name)))
        self.folders.discard(name)

    def create(self):
        name = f"file{self.random.randrange(FILES)}"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        self.expect(f"create {name}", errno.EEXIST if name in self.files else 0, lambda: os.close(os.open(self.path(name), flags)))
        self.files.setdefault(name, b"")

    def some(self):
        return self.random.choice(sorted(self.files)) if self.files else None

    def write(self):
        """One to four blocks, written through or synchronised."""
        name = self.some()
        if not name:
            return
        at, n = self.random.randrange(BLOCKS) * BLOCK, self.random.randint(1, 4 * BLOCK)
        data, through = self.random.randbytes(n), self.random.random() < 0.5
        fd = os.open(self.path(name), os.O_WRONLY | (os.O_SYNC if through else 0))
        try:
            if os.pwrite(fd, data, at) != n:
                raise Broken(f"write {name}: less than {n} octets")
            if not through:
                os.fsync(fd)
        finally:
            os.close(fd)
        old = self.files[name].ljust(at, b"\0")
        self.files[name] = old[:at] + data + old[at + n:]

    def append(self):
        name = self.some()
        if not name or len(self.files[name]) > 4 * BLOCKS * BLOCK:
            return
        data = self.random.randbytes(self.random.randint(1, BLOCK))
        fd = os.open(self.path(name), os.O_WRONLY | os.O_APPEND | os.O_SYNC)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
        self.files[name] += data

    def read(self):
        name = self.some()
        if name:
            with open(self.path(name), "rb") as file:
                self.compare(name, file.read())

    def compare(self, name, found):
        due = self.files[name]
        if found != due:
            at = next((i for i, (a, b) in enumerate(zip(found, due)) if a != b), min(len(found), len(due)))
            raise Broken(f"{name}: {len(found)} octets of {len(due)}, other ones from {at} on: {found[at:at + 8].hex()}, not {due[at:at + 8].hex()}")

    def rename(self):
        name = self.some()
        to = f"file{self.random.randrange(FILES)}"
        if name:
            self.expect(f"rename {name} {to}", 0, lambda: os.rename(self.path(name), self.path(to)))
            self.files[to] = self.files.pop(name)

    def remove(self):
        name = f"file{self.random.randrange(FILES)}"
        self.expect(f"remove {name}", 0 if name in self.files else errno.ENOENT, lambda: os.unlink(self.path(name)))
        self.files.pop(name, None)

    def list(self):
        found = sorted(os.listdir(self.top))
        if found != sorted([*self.files, *self.folders]):
            raise Broken(f"the folder has {found}; expected {sorted([*self.files, *self.folders])}")

    def forget(self):
        """The client's cached data is fetched from the server again."""
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")

    def step(self):
        kinds = [self.make_folder, self.remove_folder, self.create, self.write, self.write, self.append, self.read, self.rename, self.remove,
                 self.list, self.forget]
        began = time.monotonic()
        self.random.choice(kinds)()
        took = time.monotonic() - began
        self.steps += 1
        self.slow += took > SLOW
        self.longest = max(self.longest, took)

    def check(self):
        self.forget()
        self.list()
        for name in self.files:
            with open(self.path(name), "rb") as file:
                self.compare(name, file.read())


def main(top, seed, seconds):
    work, end, status = Work(top, int(seed)), time.monotonic() + float(seconds), 0
    try:
        while time.monotonic() < end:
            work.step()
        work.check()
    except (Broken, OSError) as trouble:
        print(f"broken at step {work.steps + 1}: {trouble}")
        status = 1
    print(f"{work.steps} steps, {work.slow} of more than {SLOW} s, the longest {work.longest:.1f} s")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
