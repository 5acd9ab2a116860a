"""What the start of a command may cost: heavy modules are imported where they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tui.cli import COMMANDS

HEAVY = ("textual", "pydantic", "httpx", "jinja2", "psutil", "asyncio")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["profiles", "check", "--help"], *([name, "--help"] for name in COMMANDS)],
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from tui.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit:\n"
        "    pass\n"
        "print([name for name in sys.modules if '.' not in name], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout
    assert not [name for name in HEAVY if f"'{name}'" in done.stderr]


def test_a_terminal_without_utf_8_gets_no_traceback() -> None:
    import os

    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "tui.cli", "profiles"], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
