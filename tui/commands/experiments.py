"""Shared by ``compare`` and ``suite``: start or continue an experiment, follow it, and say how it ended."""

from __future__ import annotations

import signal
from collections.abc import Callable

from tui.commands.output import complain
from tui.experiment.progress import Progress
from tui.experiment.record import ExperimentRecord
from tui.experiment.watching import watch_experiment
from tui.system.signals import StopSignals


def carry_out(
    begin: Callable[[], ExperimentRecord],
    show: Callable[[ExperimentRecord], int],
    *,
    lost: str,
    again: Callable[[ExperimentRecord], str],
) -> int:
    """Follow an experiment to its end, show its result, and return the exit status.

    Args:
        begin: Starts it, or finds one that is running or was interrupted.
        show: Prints the result; returns an exit status.
        lost: Why there can be no result if too few variants can run.
        again: How to continue one that was stopped or cut off.
    """
    signals = StopSignals()  # before the launch, so that a signal during it stops the experiment as usual
    try:
        record = begin()
        progress = watch_experiment(record, signals)
    finally:
        signals.rest()
    if progress is None:
        return 1 if signals.stop else 128 + signal.SIGHUP
    return max(show(record), _say_how_it_ended(progress, lost, again(record)))


def _say_how_it_ended(progress: Progress, lost: str, again: str) -> int:
    """Complain about an incomplete experiment; return the exit status."""
    ended = progress.ended
    if ended is not None and ended.verdict == "complete":
        return 0
    done = f"{len(progress.done)} of {progress.total} runs are done"
    if ended is None:
        complain(f"interrupted, {done}: the experiment's process died; {again}")
    elif progress.lost is not None:
        complain(f"given up, {done}: {lost}: {progress.lost}")
    else:
        complain(f"{ended.verdict}, {done}: {ended.reason}; {again}")
    return 1
