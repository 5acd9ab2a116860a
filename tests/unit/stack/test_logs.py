"""Why a server ended, from what it wrote."""

from pathlib import Path

import pytest

from tui.stack.logs import cause

DJANGO = """\
[2026-11-30 23:25:26 +0000] [26891] [ERROR] Exception in worker process
Traceback (most recent call last):
  File "/srv/shop/wsgi.py", line 3, in <module>
    ValueError
    ^^^^^^^^^^
django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.

[2026-11-30 23:25:26 +0000] [26891] [INFO] Worker exiting (pid: 26891)
[2026-11-30 23:25:26 +0000] [26890] [ERROR] Shutting down: Master
"""
CHAINED = """\
Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
RuntimeError: no database
"""
LOADER = """\
[2026-11-30 23:25:26 +0000] [26891] [INFO] Booting worker with pid: 26891
Failed to find attribute 'nope' in 'shop'.
[2026-11-30 23:25:26 +0000] [26891] [INFO] Worker exiting (pid: 26891)
[2026-11-30 23:25:26 +0000] [26890] [ERROR] Reason: App failed to load.
"""


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (DJANGO, "django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty"),
        (CHAINED, "RuntimeError: no database"),
        ("nginx: [emerg] no port in upstream\n", "no port in upstream"),
        ("app.rb:3:in `<main>'\n  LoadError: cannot load such file\n", "LoadError: cannot load such file"),
    ],
)
def test_an_exception_or_an_emergency_is_the_cause(tmp_path: Path, log: str, why: str) -> None:
    (tmp_path / "server.log").write_text(log)
    assert cause(tmp_path, whatever=False) == why


def test_the_last_words_of_who_has_ended_are_not_the_servers_own(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text(LOADER)
    assert cause(tmp_path, whatever=True) == "Failed to find attribute 'nope' in 'shop'"
    assert cause(tmp_path, whatever=False) is None
    log.write_text("starting\n" + "[12:00] [3] [INFO] so be it\n" * 5)
    assert cause(tmp_path, whatever=True) == "so be it"
    log.write_text("")
    assert cause(tmp_path, whatever=True) is None
