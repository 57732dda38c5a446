# SPDX-License-Identifier: GPL-2.0-or-later
"""An Ansible connection to a running guest without ssh: through its directory /job, as used by machine.py. ANSIBLE_CONNECTION_PLUGINS is this
directory; the host's variable iwarp_guest_job is the guest's /job as this machine sees it."""
import pathlib
import shutil
import sys
import time

from ansible.errors import AnsibleConnectionFailure, AnsibleFileNotFound
from ansible.plugins.connection import ConnectionBase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import machine  # noqa: E402 pylint: disable=wrong-import-position

DOCUMENTATION = """
name: guest
short_description: a guest of lab/interop/guests
description: Runs tasks in a guest through the folder that it shares with this machine, as root.
options:
  job:
    description: The folder that the guest has as /job.
    vars: [{name: iwarp_guest_job}]
    required: true
  seconds:
    description: A task that takes longer is killed.
    vars: [{name: iwarp_guest_seconds}]
    type: int
    default: 300
"""
IN_GUEST = pathlib.PurePosixPath("/job")


class Connection(ConnectionBase):
    """One task at a time: there is one /job."""
    transport = "guest"
    has_pipelining = False

    def _connect(self):
        self._connected = True
        return self

    @property
    def _job(self):
        return pathlib.Path(self.get_option("job"))

    def exec_command(self, cmd, in_data=None, sudoable=True):
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        seconds = self.get_option("seconds")
        number = machine.give(self._job, f"exec 2>{IN_GUEST}/ansible.err\n{cmd}\n", seconds)
        status = self._job / f"{number}.rc"
        end = time.monotonic() + seconds + 120
        while not status.exists():
            if time.monotonic() > end:
                raise AnsibleConnectionFailure(f"the guest of {self._job} does not answer: is it running?")
            time.sleep(0.05)
        return int(status.read_text(encoding="utf-8")), (self._job / f"{number}.out").read_bytes(), (self._job / "ansible.err").read_bytes()

    def _copy(self, source, target, what):
        status, _, said = self.exec_command(f"cp '{source}' '{target}'", sudoable=False)
        if status != 0:
            raise AnsibleFileNotFound(f"{what}: {said.decode(errors='replace')}")

    def put_file(self, in_path, out_path):
        super().put_file(in_path, out_path)
        shutil.copyfile(in_path, self._job / "ansible.file")
        self._copy(IN_GUEST / "ansible.file", out_path, out_path)

    def fetch_file(self, in_path, out_path):
        super().fetch_file(in_path, out_path)
        self._copy(in_path, IN_GUEST / "ansible.file", in_path)
        shutil.copyfile(self._job / "ansible.file", out_path)

    def close(self):
        self._connected = False
