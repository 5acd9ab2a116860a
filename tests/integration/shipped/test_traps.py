"""What the reference articles stumbled over, on real servers: full queues, and memory that is shared or isn't."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.checking import comparable, good, needs
from tests.support.command import Command

ROUND = (
    "--set", "load.requests=500", "--set", "load.rounds=1", "--set", "load.warmup=0s",
    "--set", "load.timeout=2500ms",
)  # fmt: skip


def trapped(stackdyno: Command, profile: str, *overrides: str) -> dict[str, Any]:
    """The summary of one round, whatever became of it; its outcomes add up, and its rate is of good answers."""
    needs(profile, *overrides)
    words = [word for override in overrides for word in ("--set", override)]
    done = stackdyno.run(profile, *ROUND, *words, "--format", "json")
    assert done.out, done.err
    summary = done.summary
    assert summary["verdict"] == "good", summary["reason"]
    result = summary["result"]
    assert sum(result["outcomes"].values()) == result["sent"] == 500
    assert result["good"] == result["outcomes"]["ok"]
    assert result["requests_per_second"] == pytest.approx(result["good"] / result["seconds"])
    return summary


def socket(summary: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        each for each in summary["listen_queues"]["sockets"] if each["name"].startswith(name)
    )
    return found


def overflow(summary: dict[str, Any]) -> dict[str, Any]:
    (found,) = (each for each in summary["findings"] if each["code"] == "listen-overflow")
    assert found["severity"] == "warning"
    return dict(found)


def test_a_unix_socket_with_a_backlog_of_5_refuses_and_that_is_never_in_the_rate(stackdyno: Command) -> None:
    summary = trapped(stackdyno, "fcgi-unix-backlog-5")
    result = summary["result"]
    refused = result["outcomes"]["status"]
    assert (result["good"] > 0, refused > 0) == (True, True)
    assert result["bad"] == refused == result["statuses"]["502"]
    queue = socket(summary, "app-0")
    assert (queue["backlog"], queue["refusals"]) == (5, refused)
    assert overflow(summary)["quantities"] == ["rate"]
    assert set(summary["invalid"]) >= {"rate", "latency"}


def test_a_socket_a_worker_that_nginx_never_gives_up_refuses_nothing(stackdyno: Command) -> None:
    assert trapped(stackdyno, "fcgi-unix-each", "load.connections=100")["result"]["good"] == 500


def test_nginx_gives_all_workers_up_after_one_refusal_each(stackdyno: Command) -> None:
    summary = trapped(stackdyno, "fcgi-unix-each-max-fails")
    result = summary["result"]
    assert result["bad"] == result["outcomes"]["status"] == result["statuses"]["502"] > result["good"]
    refusals = [socket(summary, f"app-{copy}")["refusals"] for copy in range(4)]
    assert sum(refusals) < result["bad"], "most are answered without a worker having been asked"


def test_a_tcp_port_with_a_backlog_of_8_drops_connections(stackdyno: Command) -> None:
    before = listen_overflows()
    summary = trapped(stackdyno, "fcgi-tcp-backlog-8")
    assert listen_overflows() > before
    result = summary["result"]
    assert result["outcomes"]["status"] == 0
    assert result["outcomes"]["timeout"] > 0 or result["total"]["max"] > 0.9, "they are tried again after 1 s"
    queue = socket(summary, "app")
    assert (queue["kind"], queue["backlog"]) == ("tcp", 8)
    assert queue["drops"] > 0
    assert overflow(summary)["quantities"] == ["latency"]


def listen_overflows() -> int:
    """How often the kernel dropped a connection of this machine because the queue was full."""
    names, values = (
        line.split()
        for line in Path("/proc/net/netstat").read_text().splitlines()
        if line.startswith("TcpExt:")
    )
    return int(dict(zip(names, values, strict=True))["ListenOverflows"])


@pytest.mark.parametrize(
    ("shared", "apart"),
    [
        (("unicorn-heavy",), ("unicorn-heavy", "options.preload=false")),
        (("passenger-heavy",), ("passenger-heavy-direct",)),
    ],
)
def test_workers_that_are_forked_from_a_loaded_app_share_its_memory(
    stackdyno: Command, shared: tuple[str, ...], apart: tuple[str, ...]
) -> None:
    """The app has 100 MB: four workers have it once, or four times."""
    roles = {"master": 1, "worker": 4} | ({"front": 1} if shared[0].startswith("passenger") else {})
    once, four_times = (comparable(good(stackdyno, *run, roles=roles)) for run in (shared, apart))
    assert once < 0.6 * four_times
