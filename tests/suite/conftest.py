# SPDX-License-Identifier: GPL-2.0-or-later
"""A test during which this machine held the tester up, as a report of the tester says, shows nothing if it fails: it runs again, twice at most."""
import pytest
from _pytest.runner import runtestprotocol

import devices

RUNS = 3


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for _ in range(RUNS):
        devices.Run.held_up = False
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not devices.Run.held_up or not any(report.failed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
