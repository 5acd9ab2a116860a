"""The kernel's settings that say how many ports a client has, and when one is taken again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.sampling.ports import local_ports, reused_after


def settings(folder: Path, **values: str) -> Path:
    for name, value in values.items():
        (folder / name).write_text(f"{value}\n")
    return folder


def test_the_range_counts_both_ends(tmp_path: Path) -> None:
    assert local_ports(settings(tmp_path, ip_local_port_range="32768\t60999")) == 28_232
    assert local_ports(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("reuse", "host", "after"),
    [
        ("2", "127.0.0.1", 1.0),
        ("2", "::1", 1.0),
        ("2", "192.0.2.7", None),
        ("1", "192.0.2.7", 1.0),
        ("0", "127.0.0.1", None),
    ],
)
def test_reuse_is_for_all_for_loopback_or_for_none(
    tmp_path: Path, reuse: str, host: str, after: float | None
) -> None:
    assert reused_after(host, settings(tmp_path, tcp_tw_reuse=reuse, tcp_timestamps="1")) == after


def test_reuse_has_a_delay_and_needs_timestamps(tmp_path: Path) -> None:
    kernel = settings(tmp_path, tcp_tw_reuse="1", tcp_tw_reuse_delay="250", tcp_timestamps="1")
    assert reused_after("192.0.2.7", kernel) == 0.25
    settings(tmp_path, tcp_timestamps="0")
    assert reused_after("192.0.2.7", kernel) is None


def test_a_kernel_that_tells_nothing_reuses_nothing(tmp_path: Path) -> None:
    assert reused_after("127.0.0.1", tmp_path) is None
