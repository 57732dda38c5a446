# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots that hang, and the guest that waits to be the next one, with simulated machines."""
import contextlib
import time

import pytest

import guest
from guest import machine


class Fake:
    """ready: after this many checks; None: never."""

    def __init__(self, ready, over=False):
        self.looks, self.ready, self.over, self.is_off, self.rests = 0, ready, over, False, False

    def is_ready(self):
        self.looks += 1
        return self.ready is not None and self.looks > self.ready

    def has_ended(self):
        return self.over

    def age(self):
        return self.looks

    def console(self):
        return "its timer is broken"

    def off(self):
        self.is_off = True

    def pause(self):
        self.rests = True

    def resume(self):
        self.rests = False

    def forward(self, *_):
        assert not self.rests


@pytest.fixture(autouse=True)
def looks_for_seconds(monkeypatch):
    monkeypatch.setattr(machine, "LATE_SECONDS", 3)
    monkeypatch.setattr(machine, "BOOT_SECONDS", 10)


@pytest.mark.parametrize("first, second, taken", [(Fake(0), Fake(0), 0), (Fake(None), Fake(2), 1), (Fake(5), Fake(8), 0), (Fake(None, over=True), Fake(2), 1)],
                         ids=["ready", "hangs", "late, and ready before the other", "is over"])
def test_first_ready(first, second, taken):
    begun = [first, second]
    rest = iter(begun)
    assert machine.first_ready(lambda: next(rest)) is begun[taken]
    assert not begun[taken].is_off and (begun[1 - taken].is_off or begun[1 - taken].looks == 0)


def test_none_is_ready():
    begun = [Fake(None) for _ in range(machine.TRIES)]
    rest = iter(begun)
    with pytest.raises(machine.Gone, match="its timer is broken"):
        machine.first_ready(lambda: next(rest))
    assert all(each.is_off for each in begun)


def test_who_is_to_be_next_rests(monkeypatch):
    """Until it is taken."""
    made = []
    monkeypatch.setattr(machine, "Machine", lambda *_, **__: made.append(Fake(0)) or made[-1])
    monkeypatch.setattr(guest.guests, "build", lambda _: None)

    def rests(one):
        end = time.monotonic() + 10
        while not one.rests and time.monotonic() < end:
            time.sleep(0.01)
        return one.rests

    with contextlib.closing(guest.Guest()) as booted:
        assert rests(made[1]) and not made[0].rests
        booted.reboot()
        assert made[0].is_off and not made[1].rests and rests(made[2])
    assert made[1].is_off and made[2].is_off


def test_machines_can_be_asked_so():
    """A Machine also has the methods that first_ready() calls."""
    for name in ("is_ready", "has_ended", "age", "console", "off", "pause", "resume"):
        assert getattr(machine.Machine, name).__code__.co_argcount == 1
