import pytest

from tui.summary import units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "n/a"),
        (0.000_042, "42 µs"),
        (0.0019, "1.90 ms"),
        (0.0123, "12.3 ms"),
        (0.25, "250 ms"),
        (3.2, "3.20 s"),
        (59.9, "59.9 s"),
        (125, "2 min 5 s"),
        (7260, "2 h 1 min"),
    ],
)
def test_duration(value: float | None, text: str) -> None:
    assert units.duration(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "n/a"),
        (0, "0 B"),
        (999, "999 B"),
        (999_600, "1.00 MB"),
        (41_300_000, "41.3 MB"),
        (2.5e9, "2.50 GB"),
        (-1500, "-1.50 kB"),
    ],
)
def test_size(value: float | None, text: str) -> None:
    assert units.size(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "n/a"), (4812.4, "4,812"), (9.684, "9.68"), (0, "0.00"), (999.7, "1,000")]
)
def test_rate(value: float | None, text: str) -> None:
    assert units.rate(value) == text


def test_share_and_count() -> None:
    assert units.share(0.213) == "21 %"
    assert units.share(None) == "n/a"
    assert units.count(57120) == "57,120"
