# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scenarios of NFS: jobs of a client on a file tree with a model, so that each answer is known."""
import random

JOBS = 25
FILE_MAX = 60000


class Jobs:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.version = self.random.choice(["2", "3", "4.0", "4.1", "4.2"])
        words = [f"nfs={self.version}"]
        for name, values in (("io", (1024, 4096, 8192, 20000)), ("list", (1024, 4096)), ("in-flight", (1, 3, 8)),
                             ("inline-up-to", (100, 700)), ("chunk-segments", (1, 2, 5)),
                             ("calls", ("as-needed", "as-needed", "long", "reduced"))):
            if self.random.random() < 0.6:
                words.append(f"{name}={self.random.choice(values)}")
        if self.version in ("4.1", "4.2"):
            words += ["backchannel"] * (self.random.random() < 0.5)
        words += ["no-crc"] * (self.random.random() >= 0.8)
        words += ["remote-invalidation=0"] * (self.random.random() >= 0.7)
        if self.random.random() < 0.6:
            size = self.random.choice([1024, 2048, 8192])
            words.append(f"send-size={size} receive-size={size}")
        if self.random.random() < 0.5:
            words.append(f"credits={self.random.choice([2, 3, 8, 64])}")
        if self.random.random() < 0.3:
            words.append(f"mss={self.random.choice([400, 1000])}")
        if self.random.random() < 0.3:
            for side in "IR":
                words += [f"markers{side}=1"] * (self.random.random() < 0.5) + [f"ird{side}={self.random.randrange(4, 9)} ord{side}=4"]
        # path -> "directory", ("link", text), or ("file", octets, pattern)
        self.tree = {}
        self.lines = ["with work " + " ".join(words)] + [f"I {line}" for _ in range(JOBS) for line in self.job().splitlines()]

    def of(self, kind):
        return [path for path, node in self.tree.items() if (node if isinstance(node, str) else node[0]) == kind]

    def fresh(self):
        parents = [""] + [d + "/" for d in self.of("directory")]
        return self.random.choice(parents) + f"n{len(self.tree)}-{self.random.randrange(1 << 20):x}"

    def job(self):
        files, directories, links = self.of("file"), self.of("directory"), self.of("link")
        kinds = ["mkdir", "write", "write", "null", "none", "statfs"]
        kinds += ["read", "read", "rewrite", "truncate", "getattr", "rename", "access", "remove"] * bool(files)
        kinds += ["files", "again"] * bool(directories) + ["readlink"] * bool(links)
        kinds += ["symlink"]
        return getattr(self, "do_" + self.random.choice(kinds))(files, directories, links)

    def do_null(self, *_):
        return "null"

    def do_statfs(self, *_):
        return "statfs /"

    def do_none(self, *_):
        return "getattr is/not/there expect=NOENT"

    def do_mkdir(self, *_):
        path = self.fresh()
        self.tree[path] = "directory"
        return f"mkdir {path}"

    def do_again(self, files, directories, links):
        return f"mkdir {self.random.choice(directories)} expect=EXIST"

    def do_write(self, *_):
        path, pattern = self.fresh(), self.random.randrange(9)
        octets = self.random.choice([0, 1, 500, self.random.randrange(FILE_MAX)])
        self.tree[path] = ("file", octets, pattern)
        return f"write {path} len={octets} pattern={pattern}"

    def do_rewrite(self, files, *_):
        path = self.random.choice(files)
        _, octets, pattern = self.tree[path]
        more = self.random.randrange(5000)
        self.tree[path] = ("file", octets + more, pattern)
        return f"write {path} at={octets} len={more} pattern={pattern}"

    def do_read(self, files, *_):
        path = self.random.choice(files)
        _, octets, pattern = self.tree[path]
        at = self.random.randrange(octets + 1)
        n = self.random.choice([octets - at, self.random.randrange(octets - at + 1)])
        return f"read {path} at={at} len={n} pattern={pattern}"

    def do_truncate(self, files, *_):
        path = self.random.choice(files)
        _, octets, pattern = self.tree[path]
        self.tree[path] = ("file", octets // 2, pattern)
        return f"truncate {path} len={octets // 2}"

    def do_getattr(self, files, *_):
        path = self.random.choice(files)
        return f"getattr {path} len={self.tree[path][1]}"

    def do_access(self, files, *_):
        return f"access {self.random.choice(files)}"

    def do_rename(self, files, *_):
        path, to = self.random.choice(files), self.fresh()
        self.tree[to] = self.tree.pop(path)
        return f"rename {path} to={to}"

    def do_remove(self, files, *_):
        path = self.random.choice(files)
        del self.tree[path]
        return f"remove {path}"

    def do_symlink(self, *_):
        path, text = self.fresh(), "t" * self.random.choice([1, 30, 200])
        self.tree[path] = ("link", text)
        return f"symlink {path} text={text}"

    def do_readlink(self, files, directories, links):
        path = self.random.choice(links)
        return f"readlink {path} text={self.tree[path][1]}"

    def do_files(self, files, directories, links):
        path = self.fresh()
        count = self.random.randrange(1, 30)
        self.tree[path] = "directory"
        self.tree.update({f"{path}/f{i}": ("file", 0, 0) for i in range(count)})
        return f"mkdir {path}\nfiles {path} count={count}\nlist {path} count={count}"

    def text(self):
        return "\n".join(self.lines) + "\n"
