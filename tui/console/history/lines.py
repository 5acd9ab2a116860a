"""The list of kept runs as lines: a head, a row for each run, and the details of the selected one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from rich.cells import cell_len

from tui.console.drawing.lines import (
    EMPTY,
    GLYPHS,
    MARK_STYLES,
    MARKED,
    Line,
    Mark,
    Piece,
    StyleName,
    clip,
    finding_lines,
    fit,
    joined,
    plain,
    right,
    signed,
    wrapped,
)
from tui.console.history.rows import HistoryRow
from tui.console.words import counted
from tui.experiment.rows import ExperimentRow, ExperimentVerdict
from tui.summary import units
from tui.summary.history import RunRow, Verdict

ROOMY = 32
"""From this many cells on, the name is the profile's title."""
WIDE = 110
"""From this width on, a row shows its stack, and its full verdict."""
BLANK = "–"


MARKS: dict[Verdict | ExperimentVerdict, Mark] = {
    "good": "good",
    "complete": "good",
    "interrupted": "warning",
    "stopped": "warning",
    "invalid": "invalid",
    "failed": "invalid",
    "cut off": "invalid",
    "unreadable": "invalid",
}
RUNNING: Piece = ("measured", "●")


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide each column is; 0 leaves it out."""

    name: int
    stack: int
    verdict: int
    when: int = 11
    rate: int = 9
    p99: int = 10
    memory: int = 10

    @classmethod
    def of(cls, width: int) -> Columns:
        """The columns of a list of this width; the name gets the rest."""
        stack, verdict = (18, 26) if width >= WIDE else (0, 12)
        narrow = cls(0, stack, verdict)
        taken = 3 + narrow.when + 1 + narrow.rate + narrow.p99 + narrow.memory + 2 + verdict
        return cls(max(4, width - taken - (stack + 3 if stack else 0)), stack, verdict)

    @property
    def wide(self) -> bool:
        return self.stack > 0


def head_line(width: int) -> Line:
    """The columns' heads."""
    columns = Columns.of(width)
    words = ["   ", fit("when", columns.when), " ", fit("profile", columns.name)]
    if columns.wide:
        words += ["  ", fit("stack", columns.stack)]
    words += [right("req/s", columns.rate), right("p99", columns.p99), right("memory", columns.memory)]
    return (("faint", "".join([*words, "  ", fit("verdict", columns.verdict)])),)


def row_line(row: HistoryRow, width: int, *, selected: bool, marked: bool, today: date) -> Line:
    """One run or experiment: what it was, its figures, how it ended; a sign marks an invalid figure."""
    columns = Columns.of(width)
    pieces: list[Piece] = [
        ("measured", ("▸" if selected else " ") + (f"{MARKED} " if marked else "  ")),
        ("quiet", fit(when(row.started, today), columns.when)),
        *(_run_pieces(row, columns) if isinstance(row, RunRow) else _experiment_pieces(row, columns)),
        ("plain", "  "),
        *_verdict(row, columns),
    ]
    return (("chosen", fit(plain(tuple(pieces)), width)),) if selected else tuple(pieces)


def _run_pieces(row: RunRow, columns: Columns) -> list[Piece]:
    style: StyleName = "plain" if row.verdict in ("good", "running") else "quiet"
    name = row.title if columns.name >= ROOMY else row.profile
    stack: list[Piece] = [("quiet", f"  {fit(row.stack, columns.stack)}")] if columns.stack else []
    return [
        (style, f" {fit(name, columns.name)}"),
        *stack,
        _figure(row, "rate", row.rate, units.rate(row.rate), columns.rate, "strong"),
        _figure(row, "latency", row.p99, units.duration(row.p99), columns.p99),
        _figure(row, "memory", row.memory, units.size(row.memory), columns.memory),
    ]


def _experiment_pieces(row: ExperimentRow, columns: Columns) -> list[Piece]:
    """An experiment has no figures: its title takes their columns."""
    room = columns.name + columns.rate + columns.p99 + columns.memory
    return [("strong", f" {fit(row.title, room + (columns.stack + 2 if columns.stack else 0))}")]


def when(started: datetime | None, today: date) -> str:
    """When a run began, in 11 cells: with the time of day if it was this year, else just the date."""
    if started is None:
        return BLANK
    return f"{started:%m-%d %H:%M}" if started.year == today.year else f"{started:%Y-%m-%d}"


def _figure(
    row: RunRow, quantity: str, value: float | None, text: str, room: int, style: StyleName = "plain"
) -> Piece:
    if value is None:
        return "faint", right(units.UNKNOWN if row.rounds else BLANK, room)
    if quantity in row.invalid:
        return "error", right(f"{GLYPHS['invalid']} {text}", room)
    return style, right(text, room)


def sign(row: HistoryRow) -> Piece:
    """The verdict's glyph in its colour."""
    if row.verdict == "running":
        return RUNNING
    mark = MARKS[row.verdict]
    return MARK_STYLES[mark], GLYPHS[mark]


def _verdict(row: HistoryRow, columns: Columns) -> Line:
    style, glyph = sign(row)
    words = row.words if columns.wide else row.verdict
    return (style, f"{glyph} "), (
        "plain" if MARKS.get(row.verdict) == "good" else style,
        fit(words, columns.verdict - 2),
    )


def detail_lines(row: HistoryRow, width: int, height: int) -> list[Line]:
    """The selected row: what it is, its verdict as a sentence, and a run's findings or an experiment's variants."""
    if isinstance(row, ExperimentRow):
        return [
            clip((("strong", row.title),), width),
            *signed(sign(row), row.sentence, width, "strong"),
            *_variants(row),
        ][:height]
    workers: Line = (("quiet", counted(row.workers, "worker")),) if row.workers is not None else ()
    facts = [(("quiet", row.stack),) if row.stack else (), workers]
    if row.rounds:
        facts.append((("quiet", counted(row.rounds, "round")),))
    if row.p50 is not None:
        facts.append((("quiet", f"p50 {units.duration(row.p50)}"),))
    if row.elapsed is not None:
        facts.append((("quiet", f"took {units.duration(row.elapsed)}"),))
    lines = [
        clip((("strong", row.title), ("plain", "  "), *joined(facts)), width),
        *signed(sign(row), row.sentence, width, "strong"),
    ]
    room = height - len(lines)
    found: list[Line] = []
    for finding in row.findings:
        text = finding.text + (" (allowed)" if finding.allowed else "")
        found += finding_lines(
            "note" if finding.allowed else finding.severity, text, finding.remedy or "", width
        )
    if len(found) > room > 0:
        found = [*found[: room - 1], (("quiet", f"  … {counted(len(row.findings), 'finding')} in all"),)]
    return lines + found


def _variants(row: ExperimentRow) -> Iterator[Line]:
    room = max((cell_len(label) for label, _, _ in row.variants), default=0)
    for label, good, failed in row.variants:
        lacking: Line = (("warning", f"   {failed} without a result"),) if failed else ()
        yield (("plain", f"  {fit(label, room)}"), ("quiet", f"  {counted(good, 'good run')}"), *lacking)


def empty_lines(text: str, width: int) -> list[Line]:
    """Why the list is empty, and what to do."""
    return [EMPTY, *wrapped(text, max(8, width - 4), "quiet", first="  ", rest="  ")]
