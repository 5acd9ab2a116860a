"""``stackdyno run``: a run without a screen; progress goes to stderr, the result to stdout."""

from __future__ import annotations

import argparse
import signal
import time
from functools import partial
from typing import TYPE_CHECKING

from tui.commands.asking import agree_to_trust, agreed
from tui.commands.export import FORMATS
from tui.commands.options import add_allow, add_concurrent, add_override
from tui.commands.output import complain, deliver
from tui.system.errors import UserError
from tui.system.signals import StopSignals

if TYPE_CHECKING:
    from tui.record.record import Record

EXAMPLES = """\
examples:
  stackdyno run gunicorn-sync
  stackdyno run nginx-gunicorn --set workers=4 --set cpus=0 --set load.cpus=1
  stackdyno run ./shop.toml --set load.duration=30s --set load.keepalive=true --format markdown

The result goes to stdout, progress to stderr. SIGINT and SIGTERM stop the run and summarise it so far; a second
one ends the command while the run is still stopping. SIGHUP (a lost terminal) leaves it running: `stackdyno attach`
shows it again.

exit status: 0 good, 1 the run failed or a quantity is invalid, 2 wrong usage or profile
"""
PERIOD = 0.2
"""Seconds between two reads of the record."""
ANSWERS = 1.5
"""Seconds for which a runner may take to say that it stops."""
IMPATIENT = 3.0
"""Seconds until the command ends after a second Ctrl-C, whatever the run does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to run, and how to judge and print it."""
    parser.add_argument("profile", metavar="PROFILE", help="a profile's name, or the path of its file")
    add_override(parser, "the profile")
    parser.add_argument("--format", choices=FORMATS, default="text", help="format of the result (text)")
    parser.add_argument("--fail-if", action="append", default=[], metavar="LIMIT",
                        help='exit with 1 if this holds: "p99 > 50ms", "rate < 2000", "memory > 300MB"')  # fmt: skip
    add_allow(parser)
    add_concurrent(parser)
    parser.add_argument("--yes", action="store_true", help="send load to another machine without asking")


def run(options: argparse.Namespace) -> int:
    """Run a profile to its end. Returns the exit status: 0 good; 1 failed, a quantity is invalid, or over a limit.

    Raises UserError if the arguments or the profile are wrong (exit status 2).
    """
    from tui.findings.codes import check_codes
    from tui.findings.judged import summarise
    from tui.formats.export import render
    from tui.formats.progress import ProgressLine, progress_line
    from tui.plan.trust import NotTrusted
    from tui.record.control import is_running, runner_pid
    from tui.record.held_up import HeldUp
    from tui.record.record import Follower
    from tui.record.series import MOST
    from tui.record.state import RunState
    from tui.run.launch import AnotherMachine, launch
    from tui.summary.limits import parse_limit
    from tui.system.procfs import is_alive, read_stat

    limits = [parse_limit(text) for text in options.fail_if]
    check_codes(options.allow)
    signals = StopSignals()  # before the launch, so that a signal during it stops the run as usual
    start = partial(
        launch,
        options.profile,
        profiles=options.profiles,
        runs=options.runs,
        overrides=options.overrides,
        concurrent=options.concurrent,
        allow=options.allow,
    )
    remote, record = options.yes, None
    while record is None:
        try:
            record = start(remote=remote, trust=options.trust)
        except NotTrusted as refusal:
            signals.rest()  # a signal ends the question at once
            agree_to_trust(refusal)
            signals = StopSignals()
        except AnotherMachine as refusal:
            signals.rest()
            if not agreed(f"{refusal.target}. Send load to it?", otherwise=refusal):
                raise UserError("nothing was started: load on another machine needs your consent") from None
            signals = StopSignals()
            remote = True
    progress = ProgressLine()
    state = RunState(most=MOST)
    follower = Follower(record)
    runner = read_stat(runner_pid(record) or 0)
    asked = False
    held_up: HeldUp | None = None
    twice: float | None = None
    while state.ended is None:
        alive = (
            is_running(record)
            or (runner is not None and not record.runner_path.exists() and is_alive(runner.identity))
        )  # its folder was deleted a moment ago; checked before reading, so that all output of an ended runner is read
        for event in follower.events():
            state.apply(event)
        if state.ended is not None or not alive:
            break
        if signals.let_go:
            return 128 + signal.SIGHUP
        if signals.stop and not asked:
            asked = True
            held_up = HeldUp(runner_pid(record) or 0)
            _ask_to_stop(record)
        if held_up is not None and (why := held_up.look()):
            progress.clear()
            complain(
                f"{record.name}: left it running, since {why}; it was asked to stop and does so once that continues"
                " (to end it at once: `kill -9` these pids, then `stackdyno clean`)"
            )
            return 1
        if signals.stops > 1:
            twice = twice or time.monotonic()
            if time.monotonic() - twice > IMPATIENT:
                progress.clear()
                complain(
                    f"{record.name}: left it while it is stopping; `stackdyno ps` shows it until it has ended"
                )
                return 1
        progress.show(lambda width: progress_line(state)[:width])
        time.sleep(PERIOD)
    progress.clear()
    _wait_for_summary(record)
    summary = summarise(record, state)
    text = render(record, state, options.format)
    signals.finish()
    deliver(text)
    for lost in (notice.text for notice in state.notices if notice.code in ("moved", "not-kept")):
        complain(lost)
    if summary.exit_status and options.format != "text":
        complain(summary.sentence)
    broken = [why for limit in limits if (why := limit.broken_by(summary))]
    for why in broken:
        complain(why)
    return 1 if broken else summary.exit_status


def _ask_to_stop(record: Record) -> None:
    from tui.record.control import request_stop

    try:
        request_stop(record, ANSWERS)
    except UserError as error:
        complain(str(error))


def _wait_for_summary(record: Record) -> None:
    """The runner writes the summary after its last event; a script may read it as soon as this command ends."""
    from tui.record.control import is_running

    deadline = time.monotonic() + 5
    while is_running(record) and time.monotonic() < deadline:
        time.sleep(0.02)
