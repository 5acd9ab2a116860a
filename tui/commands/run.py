"""A run without a screen: progress on stderr, the result on stdout, the exit status for a script."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tui.findings.codes import check_codes
from tui.findings.judged import summarise
from tui.formats.export import render
from tui.formats.progress import ProgressLine, progress_line
from tui.record.control import is_running, request_stop
from tui.record.record import Follower, Record
from tui.record.state import RunState
from tui.run.launch import AnotherMachine, launch
from tui.summary.limits import parse_limit
from tui.system.errors import UserError
from tui.system.signals import StopSignals

PERIOD = 0.2
"""Seconds between two looks at the record."""


def run_headless(
    profile: str,
    *,
    profiles: Path | None,
    runs: Path | None,
    overrides: Sequence[str],
    form: str,
    beside: bool,
    yes: bool = False,
    allow: Sequence[str] = (),
    fail_if: Sequence[str] = (),
) -> int:
    """Run a profile to its end. Returns the exit status: 0 good, 1 failed, or a quantity invalid, or over a limit.

    ``yes`` answers the question whether a load may be put on another machine; without it a terminal is asked.

    Raises UserError for what is wrong with the call or the profile (exit status 2).
    """
    limits = [parse_limit(text) for text in fail_if]
    check_codes(allow)
    signals = StopSignals()  # before the launch: a stop that comes meanwhile is then a stop like any other
    start = partial(
        launch, profile, profiles=profiles, runs=runs, overrides=overrides, beside=beside, allow=allow
    )
    try:
        record = start(remote=yes)
    except AnotherMachine as refusal:
        signals.rest()  # a question is left at once
        if not _agreed(refusal):
            raise UserError("nothing was started: no load is put on another machine without a yes") from None
        signals = StopSignals()
        record = start(remote=True)
    progress = ProgressLine()
    state = RunState()
    follower = Follower(record)
    asked = False
    while state.ended is None:
        alive = is_running(record)  # asked before the reading: what a dead runner wrote is then read whole
        for event in follower.poll():
            state.apply(event)
        if state.ended is not None or not alive:
            break
        if signals.let_go:
            return 128 + signal.SIGHUP
        if signals.stop and not asked:
            asked = True
            _ask_to_stop(record)
        progress.show(lambda width: progress_line(state)[:width])
        time.sleep(PERIOD)
    progress.clear()
    _wait_for_summary(record)
    summary = summarise(record, state)
    sys.stdout.write(render(record, state, form))
    sys.stdout.flush()
    if summary.exit_status and form != "text":
        print(f"stackdyno: {summary.sentence}", file=sys.stderr)
    broken = [why for limit in limits if (why := limit.broken_by(summary))]
    for why in broken:
        print(f"stackdyno: {why}", file=sys.stderr)
    return 1 if broken else summary.exit_status


def _agreed(refusal: AnotherMachine) -> bool:
    """Ask on the terminal; raises the refusal where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise refusal
    sys.stderr.write(f"{refusal.target}. Put a load on it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _ask_to_stop(record: Record) -> None:
    try:
        request_stop(record)
    except UserError as error:
        print(f"stackdyno: {error}", file=sys.stderr)


def _wait_for_summary(record: Record) -> None:
    """The runner writes the summary after its last event; a script may read it as soon as we return."""
    deadline = time.monotonic() + 5
    while is_running(record) and time.monotonic() < deadline:
        time.sleep(0.02)
