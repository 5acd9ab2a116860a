"""Reading and writing lists of CPUs."""

import pytest

from tui.system.cpus import format_cpu_list, parse_cpu_list


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0", (0,)),
        ("0-3,8", (0, 1, 2, 3, 8)),
        ("8,0-3", (0, 1, 2, 3, 8)),
        ("1,1,0-1", (0, 1)),
        ("2-2", (2,)),
        (" 0 , 2-3 ", (0, 2, 3)),
        ("0-8191", tuple(range(8192))),
    ],
)
def test_lists_as_people_write_them(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpu_list(text) == cpus


@pytest.mark.parametrize(
    "text", ["", "a", "0,", ",0", "-1", "0-", "0-1-2", "0x1", "1.5", "0 1", "٣", "0-7:2", "auto"]
)
def test_what_is_no_list_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(
        ValueError, match="not a list of CPUs: write numbers and ranges, such as 0 or 0-3,8"
    ) as error:
        parse_cpu_list(text)
    assert repr(text) in str(error.value)


def test_a_range_that_runs_backwards_is_named() -> None:
    with pytest.raises(ValueError, match="the range 3-1 runs backwards"):
        parse_cpu_list("0,3-1")


@pytest.mark.parametrize("text", ["8192", "0-99999"])
def test_a_number_beyond_every_machine_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no machine has a CPU"):
        parse_cpu_list(text)


@pytest.mark.parametrize(
    ("cpus", "text"),
    [((), ""), ((5,), "5"), ((0, 1), "0-1"), ((8, 3, 2, 1, 0, 8), "0-3,8"), ((0, 2, 4), "0,2,4")],
)
def test_the_shortest_list_is_written(cpus: tuple[int, ...], text: str) -> None:
    assert format_cpu_list(cpus) == text


def test_what_is_written_reads_as_the_same_cpus() -> None:
    for mask in range(1, 1 << 8):
        cpus = tuple(cpu for cpu in range(8) if mask >> cpu & 1)
        assert parse_cpu_list(format_cpu_list(cpus)) == cpus
