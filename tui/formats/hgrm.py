"""The distribution of total times as HdrHistogram's percentile text (``.hgrm``), which its plotter reads.

Value in milliseconds, percentile as a share of one, the count up to that value, and 1/(1 - percentile). The levels
halve their distance to 100 % every ``TICKS`` lines, as HdrHistogram's own percentile iterator does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from tui.load.result import Times

TICKS = 5


def render(times: Times, *, invalid: bool = False, lost: str | None = None) -> str:
    """The text, ending with a newline: only the head if nothing was measured.

    It ends with a remark if the latency is invalid, and with ``lost``, which says what is missing.
    """
    lines = [f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}", ""]
    for value, percentile, count in points(times):
        line = f"{value * 1e3:12.3f} {percentile:.12f} {count:10d}"
        lines.append(line if percentile >= 1 else f"{line} {1 / (1 - percentile):14.2f}")
    if times.count and times.mean is not None and times.max is not None:
        mean, spread = times.mean * 1e3, (times.stdev or 0.0) * 1e3
        lines.append(f"#[Mean    = {mean:12.3f}, StdDeviation   = {spread:12.3f}]")
        lines.append(f"#[Max     = {times.max * 1e3:12.3f}, Total count    = {times.count:12d}]")
    if invalid:
        lines.append("#[Invalid: a finding makes the latency invalid]")
    if lost is not None:
        lines.append(f"#[Missing: {lost}]")
    return "\n".join(lines) + "\n"


def points(times: Times) -> Iterator[tuple[float, float, int]]:
    """Value in seconds, percentile 0..1, and the number of values at or below it; the last is the maximum at 1."""
    running = 0
    levels = _levels()
    level = next(levels)
    for bucket in times.histogram.buckets():
        running += bucket.count
        while level < 1 and level * times.count <= running < times.count:
            yield (bucket.high - 1) / 1e6, level, running
            level = next(levels)
    if times.count and times.max is not None:
        yield times.max, 1.0, times.count


def _levels() -> Iterator[float]:
    level = 0.0
    while True:
        yield level
        half = 2 ** (math.floor(math.log2(1 / (1 - level))) + 1)
        level += 1 / (TICKS * half)
