"""A recorded run at any moment is the run as it was live."""

from __future__ import annotations

import time
from copy import deepcopy
from itertools import accumulate

import pytest

from tests.support import recorded_runs as runs
from tests.support.console import append, frame_after, recorded
from tui.console.replay.recording import EVERY, copied, read_recording
from tui.record.record import read_events
from tui.record.state import fold
from tui.system.errors import UserError

KINDS = {"finished": runs.finished, "failed": runs.failed, "stopped": runs.stopped, "external": runs.external}


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_is_the_one_of_a_live_screen_with_the_events_up_to_then(tmp_path, kind):
    events = KINDS[kind]()
    replayed = read_recording(recorded(tmp_path / "run", events))
    times = list(accumulate((event.t for event in events), max))
    moments = sorted(set(times))
    backwards = [*moments[:: -len(moments) // 12], *moments[:: max(1, len(moments) // 12)]]
    for t in backwards:
        so_far = [event for event, at in zip(events, times, strict=True) if at <= t]
        ended = so_far[-1].type == "run-ended"
        running = not ended and (events[-1].type == "run-ended" or t < times[-1])
        assert replayed.frame(t) == frame_after(so_far, running=running), t


def test_between_two_events_only_time_passes(tmp_path):
    replayed = read_recording(recorded(tmp_path / "run", runs.finished()))
    early, late = replayed.frame(5.001), replayed.frame(5.149)
    assert late.status.elapsed >= early.status.elapsed and late.rate == early.rate


def test_a_copied_state_is_folded_on_and_the_first_stays(tmp_path):
    events = runs.finished(workers=6)
    half = len(events) // 2
    state = fold(events[:half])
    before, copy = deepcopy(state), copied(state)
    for event in events[half:]:
        copy.apply(event)
    assert state == before and copy == fold(events)


def test_a_jump_within_ten_minutes_and_many_workers_takes_less_than_a_fifth_of_a_second(tmp_path):
    """It folds from the nearest kept state, whichever way it goes; measured as the process's own time."""
    run = runs.Writer()
    run.begin(workers=32, rounds=10, duration=58.0)
    run.start(32)
    run.come_up(32)
    run.load(None, 2.0)
    for number in range(1, 11):
        run.load(number, 58.0)
    run.finish()
    replayed = read_recording(recorded(tmp_path / "run", run.events))
    assert len(run.events) > 20 * EVERY and replayed.length > 580
    for t in (500.0, 20.0, 583.0, 300.0):
        began = time.thread_time()
        replayed.frame(t)
        assert time.thread_time() - began < 0.2


def test_findings_have_the_time_when_they_were_first_made(tmp_path):
    events = runs.running(bad=400)
    replayed = read_recording(recorded(tmp_path / "run", events))
    found = [place for place in replayed.findings() if place is not None]
    assert found and [place.at for place in found] == sorted(place.at for place in found)
    for place in found:
        assert place.text in [finding.text for finding in replayed.frame(place.at).findings]
    at_end = {finding.text.split()[0] for finding in replayed.frame(replayed.length).findings}
    assert at_end <= {place.text.split()[0] for place in found}


def test_the_phases_are_places(tmp_path):
    replayed = read_recording(recorded(tmp_path / "run", runs.finished()))
    names = [place.text for place in replayed.phases]
    assert names == ["start", "warm-up", "round 1", "round 2", "round 3", "stop"]
    for place in replayed.phases[1:-1]:
        assert replayed.frame(place.at).status.phase.startswith(place.text.replace("warm-up", "warming up"))


def test_a_run_that_was_cut_off_is_one_at_its_end_only(tmp_path):
    replayed = read_recording(recorded(tmp_path / "run", runs.running()))
    assert replayed.frame(replayed.length - 0.1).running
    last = replayed.frame(replayed.length)
    assert not last.running and (last.status.verdict or "").startswith("cut off")


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    record = recorded(tmp_path / "run", runs.finished()[:40])
    whole = read_recording(record).length
    with record.events_path.open("a") as file:
        file.write('{"t": 99.0, "type": "pha')
    assert read_recording(record).length == whole


def test_a_damaged_line_is_left_out_and_said(tmp_path):
    events = runs.finished()
    record = recorded(tmp_path / "run", events[:60])
    with record.events_path.open("a") as file:
        file.write('{"type": "nonsense"}\n')
    append(record, events[60:])
    replayed = read_recording(record)
    assert replayed.length == fold(events).now
    assert "1 of" in replayed.at(replayed.length)[0].lost


@pytest.mark.parametrize("events", [[], runs.finished()[1:5]], ids=["nothing", "no beginning"])
def test_a_record_without_a_run_is_said_in_one_line(tmp_path, events):
    record = recorded(tmp_path / "run", [])
    append(record, events)
    with pytest.raises(UserError, match="contains no run"):
        read_recording(record)
    assert list(read_events(record)) == events
