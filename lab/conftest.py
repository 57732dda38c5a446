# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests below lab/ have the fixtures and hooks of those below tests/."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from tests.conftest import *  # noqa: E402,F403 pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
