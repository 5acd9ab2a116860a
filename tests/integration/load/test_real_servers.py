"""nginx and gunicorn, with their own word for how many requests came."""

import time

import pytest

from tests.support.raw_server import run


async def test_nginx_on_kept_connections(nginx):
    result = await run(nginx.address, requests=3000, connections=20, processes=2, expect_body=nginx.body)
    assert result.tally.outcomes.ok == nginx.requests_logged(3000)
    assert result.tally.opened == 20
    assert result.tally.reused == 2980
    assert result.server.startswith("nginx/")
    assert result.http_version == "1.1"
    assert result.total.percentile(50) <= result.total.percentile(99) <= result.total.max


async def test_nginx_with_a_connection_a_request(nginx):
    result = await run(
        nginx.address, requests=500, connections=10, processes=2, keepalive=False, expect_body=nginx.body
    )
    assert (
        result.tally.outcomes.ok == nginx.requests_logged(500) == result.tally.opened == result.connect.count
    )


async def test_nginx_that_ends_each_connection_after_ten_requests(nginx):
    # keepalive_requests 10 on this path: nginx announces the tenth answer as the last.
    result = await run(nginx.address, path="/ten/", requests=205, connections=2, expect_body=nginx.body)
    assert result.tally.outcomes.ok == 205
    assert result.tally.opened in (21, 22)
    assert result.tally.retried == 0


async def test_thousands_of_connections_keep_the_deadline(nginx):
    before = time.monotonic()
    result = await run(nginx.address, duration=0.5, connections=3000, expect_body=nginx.body)
    assert time.monotonic() - before < 10
    assert result.seconds == pytest.approx(0.5)
    assert result.tally.outcomes.ok > 0


async def test_nginx_over_a_unix_socket(nginx):
    result = await run(f"unix:{nginx.socket}", requests=500, connections=5, expect_body=nginx.body)
    assert result.tally.outcomes.ok == nginx.requests_logged(500)


async def test_nginx_picks_the_site_by_the_host_header(nginx):
    result = await run(nginx.address, host="other.example", requests=10, expect_body=None, expect_status=418)
    assert result.tally.outcomes.ok == 10


@pytest.mark.parametrize("method", ["HEAD", "POST"])
async def test_other_methods(nginx, method):
    expected = {
        "HEAD": {"expect_status": 200},
        "POST": {"expect_status": 405, "expect_body": None, "body": b"a=1"},
    }
    result = await run(nginx.address, method=method, requests=50, connections=2, **expected[method])
    assert result.tally.outcomes.ok == 50


async def test_nginx_killed_in_mid_round(nginx):
    ticks = []

    def on_tick(tick):
        ticks.append(tick)
        if len(ticks) == 2:
            nginx.kill()

    result = await run(
        nginx.address, duration=0.8, connections=8, tick=0.1, expect_body=nginx.body, listen=on_tick
    )
    outcomes = result.tally.outcomes
    assert outcomes.ok > 0
    assert outcomes.connect > 0
    assert outcomes.total == result.tally.sent
    assert ticks[-2].tally.outcomes.ok == 0


async def test_gunicorn_sync_workers_close_each_connection(gunicorn):
    result = await run(
        gunicorn, requests=300, connections=6, processes=2, keepalive=False, expect_body=b"Hello, World!\n"
    )
    assert result.tally.outcomes.ok == result.tally.opened == 300
    assert result.server == "gunicorn"


async def test_gunicorn_sync_workers_asked_to_keep_connections(gunicorn):
    result = await run(gunicorn, requests=300, connections=6, expect_body=b"Hello, World!\n")
    assert result.tally.outcomes.ok == result.tally.opened == 300
