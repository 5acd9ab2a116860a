"""Small charts as inline SVG, drawn from the same figures as the screen's: no script, no picture from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from tui.load.histogram import Bucket
from tui.report import units
from tui.run.state import RatePoint

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 34


@dataclass(frozen=True, slots=True)
class Line:
    """A named series of (seconds, value)."""

    name: str
    points: Sequence[tuple[float, float]]


def rate(points: Sequence[RatePoint]) -> str:
    """Good answers a second over time, the warm-up pale, errors on top of them."""
    if not points:
        return ""
    end = max(point.t1 for point in points)
    top = nice_top(max(point.rate + point.bad_rate for point in points))
    parts = []
    for point in points:
        x0, x1 = _x(point.t0, end), _x(point.t1, end)
        good, bad = _y(point.rate, top), _y(point.rate + point.bad_rate, top)
        kind = "pale" if point.round is None else "bar"
        parts.append(_box(x0, good, x1 - x0, _y(0, top) - good, kind))
        if point.bad:
            parts.append(_box(x0, bad, x1 - x0, good - bad, "bad"))
    return _chart(parts, _time_axis(end), _value_axis(top, units.rate), "requests per second over time")


def histogram(buckets: Iterable[Bucket], marks: Sequence[tuple[str, float | None]]) -> str:
    """Counts of latencies over a log axis in columns of equal width; ``marks`` are named seconds."""
    known = list(buckets)
    if not known:
        return ""
    low, high = math.log10(max(1, known[0].low)), math.log10(known[-1].high)
    span = max(high - low, 0.05)
    columns = [0] * 90
    for bucket in known:
        middle = math.log10(max(1.0, (bucket.low + bucket.high) / 2))
        columns[min(len(columns) - 1, int((middle - low) / span * len(columns)))] += bucket.count
    top, width = max(columns), (WIDTH - LEFT - RIGHT) / len(columns)

    def x(microseconds: float) -> float:
        return LEFT + (math.log10(max(1.0, microseconds)) - low) / span * (WIDTH - LEFT - RIGHT)

    parts = [
        _box(LEFT + place * width, _y(count, top), width, _y(0, top) - _y(count, top), "bar")
        for place, count in enumerate(columns)
        if count
    ]
    for name, seconds in marks:
        if seconds is not None:
            parts.append(_mark(x(seconds * 1e6), name))
    ticks = [
        (x(step * 10**power), units.duration(step * 10**power / 1e6))
        for power in range(math.floor(low), math.ceil(low + span))
        for step in (1, 2, 5)
        if low <= math.log10(step * 10**power) <= low + span
    ]
    return _chart(parts, ticks, _value_axis(top, lambda value: f"{value:,.0f}"), "latency of good answers")


def lines(series: Sequence[Line], title: str) -> str:
    """Several series of bytes over time."""
    shown = [line for line in series if line.points]
    if not shown:
        return ""
    end = max(t for line in shown for t, _ in line.points)
    top = nice_top(max(value for line in shown for _, value in line.points))
    parts = []
    for number, line in enumerate(shown):
        path = " ".join(f"{_x(t, end):.1f},{_y(value, top):.1f}" for t, value in line.points)
        parts.append(
            f'<polyline class="line c{number % 6}" points="{path}"><title>{escape(line.name)}</title></polyline>'
        )
    return _chart(parts, _time_axis(end), _value_axis(top, units.size), title)


def nice_top(value: float) -> float:
    """The next of 1, 2, 3, 5 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 3, 5, 10) if step * power >= value)


def _x(t: float, end: float) -> float:
    return LEFT + t / end * (WIDTH - LEFT - RIGHT)


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)


def _box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _mark(x: float, name: str) -> str:
    return (
        f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        f'<text x="{x + 3:.1f}" y="{TOP + 8}">{escape(name)}</text>'
    )


def _time_axis(end: float) -> list[tuple[float, str]]:
    step = nice_top(end / 8)
    return [(_x(number * step, end), f"{number * step:g} s") for number in range(int(end / step) + 1)]


def _value_axis(top: float, shown: object) -> list[tuple[float, str]]:
    assert callable(shown)
    return [(_y(share * top, top), shown(share * top)) for share in (0, 0.5, 1)]


def _chart(
    parts: Sequence[str], below: Sequence[tuple[float, str]], beside: Sequence[tuple[float, str]], title: str
) -> str:
    axis = [
        f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}">{escape(text)}</text>'
        for x, text in below
    ]
    for y, text in beside:
        axis.append(f'<text class="side" x="{LEFT - 8}" y="{y + 4:.1f}">{escape(text)}</text>')
        axis.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
    body = "".join([*axis, *parts])
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">{body}</svg>'
