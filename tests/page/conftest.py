# SPDX-License-Identifier: Apache-2.0
"""A run in which every test was skipped (no node, no browser) is skipped: 77 for CTest."""


def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter and not reporter.stats.get("passed"):
        session.exitstatus = 77
