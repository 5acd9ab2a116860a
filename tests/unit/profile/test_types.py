"""Durations, sizes and CPU lists as people write them."""

import pytest

from tui.profile.types import (
    check_url_path,
    format_cpu_choice,
    format_duration,
    format_size,
    parse_cpu_choice,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30.0),
        ("2m", 120.0),
        ("500ms", 0.5),
        ("1.5s", 1.5),
        ("1h", 3600.0),
        ("0s", 0.0),
        ("0.1ms", 0.0001),
    ],
)
def test_durations_are_read_and_written_back(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (30, 'found 30, which has no unit; write "30s"'),
        (1.5, 'found 1.5, which has no unit; write "1.5s"'),
        ("30", 'found "30", which has no unit; write "30s"'),
        ("30 days", 'found "30 days"; write a duration in ms, s, m or h, such as "30s"'),
        ("-3s", 'found "-3s"; write a duration in ms, s, m or h, such as "30s"'),
        (True, 'found true; write a duration such as "30s", "2m" or "500ms"'),
    ],
)
def test_what_is_no_duration_says_what_to_write(value: object, message: str) -> None:
    with pytest.raises(ValueError, match="found") as error:
        parse_duration(value)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64k", 65536),
        ("100MB", 100_000_000),
        ("1GiB", 1 << 30),
        ("17", 17),
        ("1.5k", 1536),
        ("0", 0),
        ("3B", 3),
    ],
)
def test_sizes_are_read_and_written_back(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert parse_size(format_size(size)) == size


def test_a_whole_number_is_a_size_in_bytes() -> None:
    assert parse_size(4096) == 4096


@pytest.mark.parametrize("value", ["64x", "", -1, 1.5, True, "0.3", [1]])
def test_what_is_no_size_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="found"):
        parse_size(value)


@pytest.mark.parametrize(
    ("text", "cpus"), [("auto", "auto"), ("0", (0,)), ("0-3,8", (0, 1, 2, 3, 8)), ("8,0-3", (0, 1, 2, 3, 8))]
)
def test_cpu_choices_are_read_and_written_back(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpu_choice(text) == cpus
    assert parse_cpu_choice(format_cpu_choice(cpus)) == cpus


def test_a_bare_number_may_be_a_count_of_cpus_and_is_refused() -> None:
    with pytest.raises(ValueError, match='write "2" for CPU number 2'):
        parse_cpu_choice(2)


@pytest.mark.parametrize("value", ["", "3-1", "x", "auto,1", ["0"], True])
def test_what_is_no_cpu_list_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"CPU list|list of CPUs"):
        parse_cpu_choice(value)


@pytest.mark.parametrize("path", ["page", "", "/a b", "/ü", "/a#b", "/a\r\nX: y"])
def test_a_url_path_is_what_a_request_line_can_carry(path: str) -> None:
    with pytest.raises(ValueError, match="found"):
        check_url_path(path)
