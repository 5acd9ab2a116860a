"""What all tests share: a home of their own, and no quiet skips where everything is said to be installed."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
REQUIRE_ALL = os.environ.get("STACKDYNO_REQUIRE_ALL") == "1"
"""Turns "skipped: not installed" into a failure, so that a missing package can't hide a test."""


def pytest_configure(config: pytest.Config) -> None:
    """Each run starts four programs of ours, and compiling takes them half of a second: none compiles what one has.

    An environment that forbids bytecode (a container's image) means the tree; here it goes to the cache of pytest.
    """
    folder = str(config.rootpath / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = folder
    sys.dont_write_bytecode = False
    if config.option.collectonly:
        config.option.warn_unused_snapshots = True  # where no test runs, none uses its snapshot


LONG_FIRST = ("e2e/", "integration/experiment/", "integration/run/", "integration/shipped/", "integration/")
"""Folders whose tests start whole runs: what takes longest is begun first, so that nobody waits for one at the end."""
APART = ("e2e/", "integration/experiment/", "integration/run/", "integration/shipped/")
"""Folders whose tests go to whoever is free, and not with their file."""
TOGETHER = ("test_own_apps.py", "test_ordinary_user.py", "test_mistakes.py", "test_resources.py")
"""Files in those that stay together: they make an environment or runs once, or use up what the whole machine has."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        if item.get_closest_marker("alone"):
            return -1  # at the begin, where nothing has to end first
        place = item.path.relative_to(HERE).as_posix()
        return next((at for at, folder in enumerate(LONG_FIRST) if place.startswith(folder)), len(LONG_FIRST))

    items.sort(key=rank)


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """A test that starts a whole run is given out alone, all others by their file."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        apart = file.removeprefix("tests/").startswith(APART) and not file.endswith(TOGETHER)
        return nodeid if apart else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    return Scheduling(config, log)


@pytest.fixture(autouse=True)
def _machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests share the machine, but for those that assert how idle it is: those run while no other does."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent
    kind = fcntl.LOCK_EX if request.node.get_closest_marker("alone") else fcntl.LOCK_SH
    with (folder / "machine").open("w") as machine:
        with (folder / "gate").open("w") as gate:  # who waits for the machine lets nobody else in before
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(machine, kind)
        yield


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and profiles of the person at the keyboard are neither read nor written."""
    home = tmp_path_factory.getbasetemp() / "home"
    monkeypatch.setenv("STACKDYNO_LOCK", f"stackdyno-test-{os.getpid()}")
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if REQUIRE_ALL and report.skipped and "not installed" in _reason(report):
        report.outcome = "failed"
        report.longrepr = f"{_reason(report)}, but STACKDYNO_REQUIRE_ALL=1 says that everything is installed"
    return report


def _reason(report: pytest.TestReport) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else ""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """The profile, app and stack in ``tests/relay`` are data."""
    return True if collection_path == HERE / "relay" else None
