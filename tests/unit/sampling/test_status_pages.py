"""StatusReading pages as the servers really write them (in ``pages/``), read by the definitions that are shipped.

LiteSpeed's report is written after its documentation: there is no package of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.status import VALUES
from tui.sampling.status_pages import Format, StatusError, StatusPage, StatusReading, WorkerStatus

PAGES = Path(__file__).parent / "pages"


def shipped(stack: str, source: str) -> StatusPage:
    definition, _ = Catalogue(search=[shipped_folder()]).stack(stack)
    status = definition.status[source]
    return StatusPage(
        status.format,
        find=status.find,
        rows=status.rows,
        values={key: getattr(status, key) for key in VALUES if getattr(status, key)},
        workers={key: text for key, text in status.workers or () if text},
    )


def page(
    form: Format = "json", *, find: dict[str, str] | None = None, rows: str = "", **values: str
) -> StatusPage:
    return StatusPage(form, find=find or {}, rows=rows, values=values, workers={})


@pytest.mark.parametrize(
    ("stack", "source", "file", "said"),
    [
        ("nginx-gunicorn", "nginx", "nginx.txt", StatusReading(busy=18, idle=0, requests=4782)),
        ("apache-mod-wsgi", "apache", "apache.html", StatusReading(busy=3, idle=0, requests=7795)),
        ("haproxy-thin", "haproxy", "haproxy.csv", StatusReading(busy=19, queue=17, requests=3405)),
        ("openlitespeed", "openlitespeed", "litespeed.txt", StatusReading(busy=3, idle=1, queue=87)),
    ],
)
def test_what_a_server_says_of_itself(stack: str, source: str, file: str, said: StatusReading) -> None:
    """It was read for the third time: nginx and Apache count those requests."""
    assert shipped(stack, source).parse((PAGES / file).read_text(), reads=3) == said


@pytest.mark.parametrize(
    ("stack", "source", "file", "said", "workers"),
    [
        (
            "nginx-php-fpm", "php-fpm", "php-fpm.json", (3, 1, None, 10666),
            [(12888, 2676, False), (12889, 2675, True), (12890, 2668, True), (12891, 2647, True)],
        ),
        ("uwsgi", "uwsgi", "uwsgi.json", (1, 1, None, None), [(12968, 9452, True)]),
        (
            "puma", "puma", "puma.json", (2, None, 2, 494),
            [(13008, 120, None), (13009, 131, None), (13012, 118, None), (13013, 125, None)],
        ),
        (
            "apache-passenger", "passenger", "passenger.xml", (4, 0, 29, 673),
            [(10741, 205, True), (10761, 156, True), (10779, 156, True), (10797, 156, True)],
        ),
        (
            "apache-mod-php", "apache", "apache.html", (3, 0, None, 7797),
            [(13154, 1935, True), (13155, 1968, True), (13156, 1951, True), (13157, 1943, True)],
        ),
    ],
)  # fmt: skip
def test_what_a_server_says_of_its_workers(
    stack: str,
    source: str,
    file: str,
    said: tuple[int | None, ...],
    workers: list[tuple[int, int, bool | None]],
) -> None:
    status = shipped(stack, source).parse((PAGES / file).read_text(), reads=1)
    expected = [WorkerStatus(*worker) for worker in workers]
    assert list(status.workers)[: len(expected)] == expected
    told = (status.busy, status.idle, status.queue, status.requests)
    assert [value for value, wanted in zip(told, said, strict=True) if wanted is not None] == [
        wanted for wanted in said if wanted is not None
    ]


def test_a_worker_of_puma_that_has_not_reported_yet_is_unknown() -> None:
    said = '{"worker_status": [{"pid": 7, "last_status": {}}]}'
    assert shipped("puma", "puma").parse(said, 1).workers == (WorkerStatus(7, None, None),)


def test_what_looks_like_a_number_is_one() -> None:
    csv = page("csv", busy="rows[0].a + rows[1].a", queue="rows[0].b * 2")
    assert csv.parse("# a,b\n1,2.5\n40,\n", 1) == StatusReading(busy=41, queue=5)


def test_what_is_left_blank_is_unknown_and_not_zero() -> None:
    assert page("csv", busy="rows[0].b").parse("a,b\n1,\n", 1).busy is None


@pytest.mark.parametrize(
    ("reader", "said", "complaint"),
    [
        (page("json", busy="doc.busy"), "<html>Not found</html>", "isn't json: '<html>Not found</html>'"),
        (page("json", busy="doc.busy"), "{}", "busy can't be computed from the answer.* has no attribute 'busy'"),
        (page("json", busy="doc.busy.so"), "{}", "busy can't be computed from the answer"),
        (page("json", busy="1 // doc.none"), '{"none": 0}', "busy can't be computed from the answer"),
        (page("json", busy="doc.state"), '{"state": "idle"}', "busy gives 'idle', which is no number"),
        (page("text", find={"n": r"Busy: (\d+)"}, busy="n"), "nothing\nhere", "n isn't in the answer: 'nothing here'"),
        (page("xml", find={"n": ".//busy"}, busy="n"), "<a/>", r"there is no element \.//busy"),
        (page("xml", rows=".//p", busy="rows | length"), "<a>", "isn't xml"),
    ],
)  # fmt: skip
def test_what_does_not_fit_has_a_reason(reader: StatusPage, said: str, complaint: str) -> None:
    with pytest.raises(StatusError, match=complaint):
        reader.parse(said, 1)


def test_expressions_can_do_nothing_but_look() -> None:
    with pytest.raises(StatusError, match="busy can't be computed from the answer"):
        page("json", busy="doc.__class__.__mro__").parse("{}", 1)
