"""The page itself: a query of the timetable, and templates filled with the result."""

import sqlite3
import threading
from html import escape
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent
TIMETABLE = (FOLDER / "page.sql").read_text("utf-8")
QUERY = "SELECT minute, kind, line, terminus, platform FROM board WHERE stop = ? AND minute >= ? LIMIT 24"
PAGE = Template((FOLDER / "page.template").read_text("utf-8"))
ROW = Template('<tr class="$kind"><td>$time</td><td>$line</td><td>$terminus</td><td>$platform</td></tr>\n')

_of_thread = threading.local()


def body() -> bytes:
    """The page of about 2.5 KB."""
    stop, start = "Harbour Bridge", 8 * 60
    board = [
        {
            "kind": kind,
            "time": clock(minute),
            "line": line,
            "terminus": escape(terminus),
            "platform": platform,
        }
        for minute, kind, line, terminus, platform in database().execute(QUERY, (stop, start))
    ]
    rows = "".join(map(ROW.substitute, board))
    page = PAGE.substitute(
        stop=escape(stop), start=clock(start), rows=rows, count=len(board), last=board[-1]["time"]
    )
    return page.encode()


def database() -> sqlite3.Connection:
    """This thread's in-memory database, built at its first request: connections can't cross threads or forks."""
    if not hasattr(_of_thread, "database"):
        connection = sqlite3.connect(":memory:")
        connection.executescript(TIMETABLE)
        _of_thread.database = connection
    return _of_thread.database


def clock(minute: int) -> str:
    """A minute of the day as HH:MM."""
    return f"{minute // 60:02d}:{minute % 60:02d}"
