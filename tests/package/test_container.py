# SPDX-License-Identifier: GPL-2.0-or-later
"""packaging/Containerfile, run in roots instead of a container engine: the same files copied, the same commands run."""
import os
import re
import shlex
import shutil
import subprocess

import pytest

pytestmark = [pytest.mark.all,
              pytest.mark.skipif(os.geteuid() != 0, reason="a fresh root can be made by root only")]


def stages(text):
    """[(image, name, [(instruction, rest)])]"""
    found = []
    for line in re.sub(r"\\\n", "", text).splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            found.append((image, name, []))
        elif word and word != "#":
            found[-1][2].append((word, rest))
    return found


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=3000, **options)
    assert result.returncode == 0, (command, result.stdout[-2000:], result.stderr[-2000:])
    return result.stdout


class Stage:
    def __init__(self, top, image):
        self.top, self.folder, self.user = top, "/", []
        release = re.fullmatch(r"debian:(\w+)-slim", image)[1]
        run("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--aptopt=Acquire::Check-Valid-Until \"false\"", release, top)
        shutil.copy("/etc/resolv.conf", top / "etc" / "resolv.conf")
        (top / "etc" / "apt" / "apt.conf.d" / "90sandbox").write_text('APT::Sandbox::User "root";\n')

    def run(self, command):
        script = f"mount -t proc proc {self.top}/proc; mount --rbind /dev {self.top}/dev; " \
                 f"exec chroot {self.top} {' '.join(self.user)} sh -ec {shlex.quote(f'cd {self.folder}; {command}')}"
        return run("unshare", "--mount", "--pid", "--fork", "sh", "-ec", script)


def test_image(root, tmp_path):
    done = {}
    try:
        for image, name, steps in stages((root / "packaging" / "Containerfile").read_text(encoding="utf-8")):
            stage = done[name] = Stage(tmp_path / (name or "final"), image)
            for word, rest in steps:
                if word == "COPY" and rest.startswith("--from="):
                    source, pattern, target = re.fullmatch(r"--from=(\w+) /(\S+) (\S+)", rest).groups()
                    for path in done[source].top.glob(pattern):
                        shutil.copy(path, str(stage.top) + target)
                elif word == "COPY":
                    (stage.top / "src").mkdir()
                    run("bash", "-ec", "git ls-files -z --cached --others --exclude-standard | tar --null -T - -c | "
                        f"tar -x -C {shlex.quote(str(stage.top / 'src'))}", cwd=root)
                elif word == "WORKDIR":
                    stage.folder = rest
                    (stage.top / rest[1:]).mkdir(exist_ok=True)
                elif word == "USER":
                    stage.user = ["setpriv", f"--reuid={rest}", "--clear-groups"]
                elif word == "RUN":
                    stage.run(rest)
        shutil.copy(next((root / "captures" / "real" / "basic").glob("*.pcap")), done[""].top / "work" / "a.pcap")
        assert "exercised" in done[""].run("id -u | grep -vx 0 >/dev/null; iwarp-check --fail-on=never a.pcap")
    finally:
        for stage in done.values():
            shutil.rmtree(stage.top, ignore_errors=True)

