"""Refused connections in the lines that nginx and Apache really write about them."""

from __future__ import annotations

from pathlib import Path

from tui.sampling.refusals import RefusalCounter

REGEX = r"\(11: Resource temporarily unavailable\) while connecting to upstream"


def refused(path: str) -> str:
    return (
        f"2026/11/30 22:45:12 [error] 4127#4127: *8 connect() to unix:{path} failed (11: Resource temporarily "
        f'unavailable) while connecting to upstream, client: 127.0.0.1, server: , request: "GET / HTTP/1.1", '
        f'upstream: "http://unix:{path}:/", host: "127.0.0.1:8001"\n'
    )


OTHER = "2026/11/30 22:45:12 [error] 4127#4127: *8 upstream prematurely closed connection, unix:/run/a.sock\n"


def test_only_new_lines_that_fit_count_each_for_its_socket(tmp_path: Path) -> None:
    log = tmp_path / "nginx.log"
    log.write_text(refused("/run/a.sock") * 3)
    counter = RefusalCounter(log, REGEX)
    addresses = ["/run/a.sock", "/run/a.sock.2"]
    assert counter.count(addresses) == {}
    with log.open("a") as file:
        file.write(refused("/run/a.sock") * 2 + OTHER + refused("/run/a.sock.2"))
    assert counter.count(addresses) == {"/run/a.sock": 2, "/run/a.sock.2": 1}
    assert counter.count(addresses) == {}


def test_a_line_that_is_still_being_written_counts_once_it_is_whole(tmp_path: Path) -> None:
    log = tmp_path / "nginx.log"
    counter = RefusalCounter(log, REGEX)
    line = refused("/run/a.sock")
    log.write_text(line[:100])
    assert counter.count([]) == {}
    with log.open("a") as file:
        file.write(line[100:])
    assert counter.count([]) == {"": 1}


def test_a_log_that_is_not_there_refuses_nothing(tmp_path: Path) -> None:
    assert RefusalCounter(tmp_path / "none.log", REGEX).count(["/run/a.sock"]) == {}
