"""What status pages of real servers say while rounds run. That they count right is checked for every stack that is run.

Rounds last long enough for a page that is read once a second.
"""

from __future__ import annotations

from typing import Any

from tests.support.checking import run, workers
from tests.support.command import Command

SHORT = ("load.rounds=2", "load.warmup=300ms", "load.connections=20", "load.duration=1200ms")


def page(summary: dict[str, Any], name: str) -> dict[str, Any]:
    """One page, which was also read while the rounds ran."""
    (found,) = [each for each in summary["status"] if each["name"] == name]
    assert found["reads_in_rounds"] >= 1
    told: dict[str, Any] = found
    return told


def test_busy_workers_and_their_requests_next_to_busy_connections_of_the_front(stackdyno: Command) -> None:
    summary = run(stackdyno, "nginx-php-fpm", *SHORT)
    fpm, nginx = page(summary, "php-fpm"), page(summary, "nginx")
    assert (fpm["unit"], nginx["unit"]) == ("workers", "connections")
    number = summary["stack"]["workers"]
    assert 0 < fpm["busy_most"] <= number
    assert fpm["busy_mean"] + fpm["idle_mean"] == number
    assert 0 < nginx["busy_most"] <= 20
    assert all(worker["requests"] for worker in workers(summary))
    fronts = [process for process in summary["processes"] if process["role"] == "front"]
    assert [front["requests"] for front in fronts] == [None]
    assert [each["name"] for each in summary["listen_queues"]["sockets"]][1:] == [
        "php.sock",
        "php_status.sock",
    ]


def test_a_page_that_a_worker_answers_itself(stackdyno: Command) -> None:
    summary = run(stackdyno, "apache-mod-php", *SHORT)
    apache = page(summary, "apache")
    assert apache["busy_mean"] + apache["idle_mean"] + 1 == summary["stack"]["workers"]
    assert all(worker["requests"] for worker in workers(summary))


def test_a_command(stackdyno: Command) -> None:
    summary = run(stackdyno, "passenger-apache", *SHORT, "load.duration=4s", "load.rounds=1")
    passenger = page(summary, "passenger")
    assert passenger["busy_mean"] + passenger["idle_mean"] == summary["stack"]["workers"]
    assert passenger["queue_most"] is not None
    assert page(summary, "apache")["unit"] == "threads"
    assert all(worker["requests"] for worker in workers(summary))


def test_a_queue_in_front(stackdyno: Command) -> None:
    haproxy = page(run(stackdyno, "haproxy-thin", *SHORT), "haproxy")
    assert haproxy["queue_most"] > 0
    assert haproxy["idle_most"] is None


def test_a_stack_without_a_page_has_none(stackdyno: Command) -> None:
    summary = run(stackdyno, "gunicorn-sync")
    assert summary["status"] == []
    assert all(row["requests"] is None for row in summary["processes"])
