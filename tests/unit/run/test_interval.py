"""An interval of load is measured between the moments for which it was planned."""

from __future__ import annotations

import asyncio
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tui.run.interval import IntervalReader
from tui.system.cpus import usable_cpus

CPUS: Any = SimpleNamespace(server_cpus=usable_cpus()[:1], load_cpus=usable_cpus()[-1:])


@pytest.fixture
def looks() -> list[int]:
    return []


@pytest.fixture
def reader(looks: list[int]) -> IntervalReader:
    """One whose stack has used a second more at each look."""
    seconds = count(10)

    def look() -> float:
        looks.append(next(seconds))
        return float(looks[-1])

    return IntervalReader(cast("Any", CPUS), look)


async def until(looks: list[int], many: int) -> None:
    async with asyncio.timeout(5):
        while len(looks) < many:  # noqa: ASYNC110 (the reader tells nobody)
            await asyncio.sleep(0.005)


async def _planned(reader: IntervalReader, looks: list[int], duration: float | None) -> float:
    reader.begin()
    reader.planned(asyncio.get_running_loop().time() + 0.02, duration)
    await until(looks, 2 if duration is None else 3)
    return reader.end().stack_cpu


def test_without_a_plan_it_is_from_begin_to_end(reader: IntervalReader) -> None:
    reader.begin()
    assert reader.end().stack_cpu == 1.0
    reader.begin()
    assert reader.end().stack_cpu == 1.0


def test_what_is_planned_begins_and_ends_by_itself(reader: IntervalReader, looks: list[int]) -> None:
    assert asyncio.run(_planned(reader, looks, 0.03)) == 1.0
    assert looks == [10, 11, 12], "the end that is asked for later changes nothing"


def test_one_of_requests_ends_when_it_has_ended(reader: IntervalReader, looks: list[int]) -> None:
    assert asyncio.run(_planned(reader, looks, None)) == 1.0
    assert looks == [10, 11, 12]


def test_one_that_ends_early_is_not_read_again_at_its_planned_end(
    reader: IntervalReader, looks: list[int]
) -> None:
    async def cut_short() -> None:
        reader.begin()
        now = asyncio.get_running_loop().time()
        reader.planned(now + 0.01, 0.05)
        await until(looks, 2)
        assert reader.end().stack_cpu == 1.0
        await asyncio.sleep(now + 0.08 - asyncio.get_running_loop().time())

    asyncio.run(cut_short())
    assert looks == [10, 11, 12]


def test_the_strain_is_that_on_the_cpus_of_the_run(reader: IntervalReader) -> None:
    reader.begin()
    end = asyncio.run(_after_a_tick(reader))
    assert set(end) == {*CPUS.server_cpus, *CPUS.load_cpus}
    assert all(0 <= share <= 1 for share in end.values())


async def _after_a_tick(reader: IntervalReader) -> dict[int, float]:
    await asyncio.sleep(0.05)  # of the clock of /proc/stat, on each CPU
    return reader.end().strain.steal
