"""A run's summary with its judgement: every summary comes from here."""

from __future__ import annotations

from tui.findings.judge import judge, judge_cut_off
from tui.findings.lost_lines import beside_a_summary
from tui.record.control import is_running
from tui.record.record import Record, read_state
from tui.record.state import RunState
from tui.summary import reading
from tui.summary.schema import Summary
from tui.summary.summary import summary_of


def summarise(record: Record, state: RunState) -> Summary:
    """The summary of a folded record that has ended, is running, or was cut off.

    Of a damaged one it is the kept summary, if that is whole, with a finding on what is lost.
    """
    if state.lost is not None and (kept := reading.kept_summary(record)) is not None:
        return summary_beside(kept, state.lost)
    running = state.ended is None and is_running(record)
    judged = judge(state) if running or state.ended is not None else judge_cut_off(state)
    return summary_of(record, state, judged, running=running)


def summary_beside(kept: Summary, lost: str) -> Summary:
    """A kept summary of a record whose events are damaged; ``lost`` says in what way."""
    findings = (beside_a_summary(lost), *(each for each in kept.findings if each.code != "lines-lost"))
    return kept.model_copy(update={"findings": findings})


def write_summary(record: Record) -> Summary:
    """Summarise a record and keep the summary in it."""
    summary = summarise(record, read_state(record))
    reading.keep(record, summary)
    return summary


def read_summary(record: Record) -> Summary:
    """A run's summary: the kept one if this version wrote it, else computed from the run's events.

    Raises:
        UserError: The record is damaged.
    """
    return reading.kept_summary(record) or summarise(record, read_state(record))
