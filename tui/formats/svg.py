"""Small charts as inline SVG, from the same figures as the screen's charts: no scripts, nothing external."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from tui.load.histogram import Bucket
from tui.record.series import RatePoint
from tui.summary import units

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 34


@dataclass(frozen=True, slots=True)
class Line:
    """A named series of (seconds, value)."""

    name: str
    points: Sequence[tuple[float, float]]


def rate(points: Sequence[RatePoint]) -> str:
    """Good answers per second over time, the warm-up pale, errors stacked on top."""
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
    axis = _LogAxis(known[0].low, known[-1].high)
    columns = axis.columns(known)
    top, width = max(columns), (WIDTH - LEFT - RIGHT) / len(columns)
    parts = [
        _box(LEFT + place * width, _y(count, top), width, _y(0, top) - _y(count, top), "bar")
        for place, count in enumerate(columns)
        if count
    ]
    for name, seconds in marks:
        if seconds is not None:
            parts.append(_mark(axis.x(seconds * 1e6), name))
    return _chart(
        parts, axis.ticks(), _value_axis(top, lambda value: f"{value:,.0f}"), "latency of good answers"
    )


def histograms(series: Sequence[tuple[str, Sequence[Bucket]]], title: str) -> str:
    """Several histograms as overlaid outlines, each as shares of its count."""
    shown = [(place, name, buckets) for place, (name, buckets) in enumerate(series) if buckets]
    if not shown:
        return ""
    axis = _LogAxis(
        min(buckets[0].low for _, _, buckets in shown), max(buckets[-1].high for _, _, buckets in shown)
    )
    shares = {}
    for place, _, buckets in shown:
        columns = axis.columns(buckets)
        shares[place] = [count / sum(columns) for count in columns]
    top = nice_top(max(max(each) for each in shares.values()))
    width = (WIDTH - LEFT - RIGHT) / _LogAxis.COLUMNS
    parts = []
    for place, name, _ in shown:
        path = " ".join(
            f"{LEFT + (column + 0.5) * width:.1f},{_y(share, top):.1f}"
            for column, share in enumerate(shares[place])
        )
        parts.append(_polyline(place, path, name))
    return _chart(parts, axis.ticks(), _value_axis(top, lambda share: f"{share * 100:.3g} %"), title)


class _LogAxis:
    """Microseconds over a log axis in columns of equal width."""

    COLUMNS = 90

    def __init__(self, low: float, high: float) -> None:
        self._low = math.log10(max(1, low))
        self._span = max(math.log10(high) - self._low, 0.05)

    def x(self, microseconds: float) -> float:
        share = (math.log10(max(1.0, microseconds)) - self._low) / self._span
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def columns(self, buckets: Sequence[Bucket]) -> list[int]:
        counts = [0] * self.COLUMNS
        for bucket in buckets:
            middle = math.log10(max(1.0, (bucket.low + bucket.high) / 2))
            place = int((middle - self._low) / self._span * self.COLUMNS)
            counts[min(self.COLUMNS - 1, place)] += bucket.count
        return counts

    def ticks(self) -> list[tuple[float, str]]:
        high = self._low + self._span
        return [
            (self.x(step * 10**power), units.duration(step * 10**power / 1e6))
            for power in range(math.floor(self._low), math.ceil(high))
            for step in (1, 2, 5)
            if self._low <= math.log10(step * 10**power) <= high
        ]


def lines(series: Sequence[Line], title: str, words: Callable[[float], str] = units.size) -> str:
    """Several series over time; ``words`` formats their values, as bytes unless given."""
    shown = [(place, line) for place, line in enumerate(series) if line.points]
    if not shown:
        return ""
    end = max(t for _, line in shown for t, _ in line.points)
    top = nice_top(max(value for _, line in shown for _, value in line.points))
    parts = []
    for place, line in shown:
        path = " ".join(f"{_x(t, end):.1f},{_y(value, top):.1f}" for t, value in line.points)
        parts.append(_polyline(place, path, line.name))
    return _chart(parts, _time_axis(end), _value_axis(top, words), title)


def nice_top(value: float) -> float:
    """Rounded up to 1, 2, 3 or 5 times a power of ten."""
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


def _polyline(number: int, path: str, name: str) -> str:
    return f'<polyline class="line c{number % 6}" points="{path}"><title>{escape(name)}</title></polyline>'


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
    parts: Sequence[str], below: Sequence[tuple[float, str]], left: Sequence[tuple[float, str]], title: str
) -> str:
    axis = [
        f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}">{escape(text)}</text>'
        for x, text in below
    ]
    for y, text in left:
        axis.append(f'<text class="side" x="{LEFT - 8}" y="{y + 4:.1f}">{escape(text)}</text>')
        axis.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
    body = "".join([*axis, *parts])
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">{body}</svg>'
