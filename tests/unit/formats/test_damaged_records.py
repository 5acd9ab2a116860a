"""Damaged records: whatever is wrong with one, the others are listed, and it gives a result or one clear line."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import recorded_runs, story
from tests.support.kept_runs import keep
from tui.compare.saved import variants_of_runs
from tui.console.run.frame import frame_of
from tui.findings.judge import judge
from tui.formats.export import FORMATS, export, render_record
from tui.record.control import is_running, request_stop
from tui.record.record import Follower, Record, read_state
from tui.record.state import RunState
from tui.summary.history import read_history
from tui.system.errors import UserError

TIMES = 200
SECONDS = 20
"""No reading of one record takes so long; a pipe that blocks would."""
FILES = ("events.jsonl", "summary.json", "runner.json", "plan.json")


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    def late(number: int, frame: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one finished run with all its files; short, so that damage falls on each kind of event."""
    folder = tmp_path_factory.mktemp("whole") / "2026-12-01_10-00-00_hello"
    record = keep(folder, recorded_runs.finished(rounds=2, seconds=0.5), alive=True)
    text = record.runner_path.read_text()
    record.runner_path.write_text(text.replace(f'"pid": {os.getpid()}', '"pid": 4000000'))
    record.plan_path.write_text('{"plan": {}}')
    return folder


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def pipe(path: Path, chance: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def unix_socket(path: Path, chance: random.Random) -> None:
    path.unlink()
    before = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.fchdir(before)
        os.close(before)


def endless(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def folder(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.mkdir()


def noise(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(chance.randrange(1, 3000)))


def odd_json(path: Path, chance: random.Random) -> None:
    path.write_text(
        chance.choice(["[]\n", "null\n", "[" * 100_000, '{"pid": [], "start": NaN}\n', "1e999\n"])
    )


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    *([flip] * 6), cut, cut, pipe, unix_socket, endless, folder, noise, odd_json,
)  # fmt: skip


def gives_a_result_or_one_line(read: Callable[[], object]) -> str | None:
    """Why it gives no result."""
    signal.alarm(SECONDS)
    try:
        read()
    except UserError as error:
        assert str(error) and "\n" not in str(error)
        return str(error)
    finally:
        signal.alarm(0)
    return None


def as_the_console_reads_it(record: Record) -> None:
    state, follower = RunState(), Follower(record)
    for event in follower.poll():
        state.apply(event)
    findings = judge(state).findings if state.started else ()
    frame_of(state, findings, run=record.name, now=state.now, running=False)


def test_whatever_is_damaged_the_others_are_listed_and_it_says_what_is_wrong(
    whole: Path, tmp_path: Path
) -> None:
    chance = random.Random(20261203)
    other = keep(tmp_path / "2026-12-02_10-00-00_other", story.run())
    for _ in range(TIMES):
        record = Record(tmp_path / whole.name)
        shutil.copytree(whole, record.folder)
        damage, name = chance.choice(DAMAGES), chance.choice(FILES)
        damage(record.folder / name, chance)
        signal.alarm(SECONDS)
        rows = {row.record: row for row in read_history(tmp_path)}
        signal.alarm(0)
        assert rows[other].verdict == "good"
        assert set(rows) == {other, record}
        gives_a_result_or_one_line(lambda record=record: as_the_console_reads_it(record))
        for form in chance.sample(sorted(FORMATS), 2):
            gives_a_result_or_one_line(lambda record=record, form=form: render_record(record, form))
        gives_a_result_or_one_line(
            lambda record=record: variants_of_runs([record.name, other.name], tmp_path)
        )
        assert not is_running(record)
        with pytest.raises(UserError):
            request_stop(record)
        shutil.rmtree(record.folder)


def without(folder: Path, *kinds: str) -> Record:
    """A copy of a record in which the last line of each kind is damaged by one bit."""
    record = Record(folder)
    lines = record.events_path.read_bytes().splitlines(keepends=True)
    for kind in kinds:
        last = max(i for i, line in enumerate(lines) if f'"type":"{kind}"'.encode() in line)
        lines[last] = bytes([lines[last][0] ^ 1]) + lines[last][1:]
    record.events_path.write_bytes(b"".join(lines))
    return record


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / whole.name))


def test_a_whole_summary_keeps_its_figures_and_the_export_says_what_is_lost(copy: Path) -> None:
    before = render_record(Record(copy), "text").splitlines()[0]
    record = without(copy, "round-ended", "load")
    text = render_record(record, "text")
    assert text.splitlines()[0] == before
    lines = len(record.events_path.read_bytes().splitlines())
    assert f"2 of {lines:,} lines of events.jsonl can't be read" in text
    assert f"#[Missing: 2 of {lines:,} lines" in render_record(record, "hgrm")
    assert "rate latency memory" in render_record(record, "csv").splitlines()[-1]


def test_a_lost_round_is_missing_and_the_verdict_says_so(copy: Path) -> None:
    record = without(copy, "round-ended")
    record.summary_path.unlink()
    text = render_record(record, "text")
    assert "Damaged record, without round 2:" in text
    assert "rate, latency and memory invalid" in text or "rate and latency and memory invalid" in text
    state = read_state(record)
    assert state.missing_rounds == (2,)


def test_a_lost_round_in_the_middle_does_not_shift_the_others(tmp_path: Path) -> None:
    record = keep(tmp_path / "a", recorded_runs.finished(rounds=3))
    wanted = read_state(record).rounds[2]
    lines = record.events_path.read_bytes().splitlines(keepends=True)
    second = [i for i, line in enumerate(lines) if b'"type":"round-ended"' in line][
        2
    ]  # the first is the warm-up
    lines[second] = b"?" + lines[second]
    record.events_path.write_bytes(b"".join(lines))
    record.summary_path.unlink()
    from tui.findings.judged import read_summary

    summary = read_summary(record)
    assert [row.number for row in summary.rounds] == [1, 3]
    assert wanted.result is not None and summary.rounds[1].good == wanted.result.tally.outcomes.ok
    assert summary.invalid == ("rate", "latency", "memory")


def test_without_readable_events_the_summary_is_exported(copy: Path, tmp_path: Path) -> None:
    record = Record(copy)
    before = render_record(record, "text").splitlines()[0]
    pipe(record.events_path, random.Random(1))
    text = render_record(record, "text")
    assert text.splitlines()[0] == before and "it is a named pipe, not a file" in text
    with pytest.raises(UserError, match="its summary is whole: export it as text, json or markdown"):
        export(record, "csv", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_damaged_runner_file_leaves_a_doubt(copy: Path, tmp_path: Path) -> None:
    record = Record(copy)
    record.summary_path.unlink()
    record.runner_path.write_text("[]")
    (row,) = read_history(tmp_path)
    assert row.verdict == "cut off"
    assert row.sentence.endswith("(runner.json is damaged, so it may still be running).")
    with pytest.raises(UserError, match=r"runner\.json is damaged, so its runner can't be asked to stop"):
        request_stop(record)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("started", '"9999999-01-01T00:00:00+00:00"'),
        ("started", '"9999-12-31T23:59:59+00:00"'),
        ("elapsed", "NaN"),
        ("elapsed", "-1.0"),
        ("elapsed", "1e300"),
    ],
)
def test_an_impossible_time_in_a_summary_is_damage(copy: Path, tmp_path: Path, key: str, value: str) -> None:
    record = Record(copy)
    lines = record.summary_path.read_text().splitlines()
    (place,) = [i for i, line in enumerate(lines) if line.startswith(f'  "{key}": ')]
    lines[place] = f'  "{key}": {value},'
    record.summary_path.write_text("\n".join(lines))
    (row,) = read_history(tmp_path)
    assert row.sentence == "Unreadable: summary.json is damaged."


def test_what_is_not_a_folder_of_runs_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"file: is not a folder; choose --runs DIR"):
        read_history(tmp_path / "file")


def test_a_run_of_an_impossible_year_is_listed(tmp_path: Path) -> None:
    keep(tmp_path / "9999-12-31_23-59-59_hello", story.run()).summary_path.write_text("{")
    assert [row.verdict for row in read_history(tmp_path)] == ["unreadable"]
