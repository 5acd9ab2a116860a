"""The keys, and the commands of the palette: the same actions by two ways."""

from __future__ import annotations

from textual.binding import Binding

BINDINGS: list[Binding] = [
    Binding("r,enter", "run", "run", key_display="r", tooltip="Run the selected profile"),
    Binding("s", "stop", "stop", tooltip="Stop the run and summarise it"),
    Binding("a", "attach", "attach", tooltip="Follow the run that goes on"),
    Binding("space", "mark", "mark", tooltip="Mark the selected profile for a comparison, or unmark it"),
    Binding(
        "c", "compare", "compare", tooltip="Compare what is marked; without a mark show the newest comparison"
    ),
    Binding("e", "export", "export", tooltip="Export the result"),
    Binding("l", "log", "log", tooltip="Show the server's log"),
    Binding("f", "findings", "findings", tooltip="Show all findings"),
    Binding("h", "history", "history", tooltip="List the runs that are kept"),
    Binding("p", "profiles", "list", tooltip="Show the profiles as a list"),
    Binding("question_mark", "help", "help", key_display="?", tooltip="Explain the screen and the keys"),
    Binding("q", "quit_console", "quit", tooltip="Leave the console"),
    Binding("v", "view", "file", show=False, tooltip="Show the selected profile's file"),
    Binding("ctrl+c,ctrl+q", "quit_console", "quit", show=False, system=True),
    Binding("up,left_square_bracket", "move(-1)", "Previous profile", show=False),
    Binding("down,right_square_bracket", "move(1)", "Next profile", show=False),
    Binding("j,shift+down", "scroll_workers(1)", "Workers down", show=False),
    Binding("k,shift+up", "scroll_workers(-1)", "Workers up", show=False),
    *(Binding(str(digit), f"select({digit - 1})", f"Profile {digit}", show=False) for digit in range(1, 10)),
]

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("Run the selected profile", "r", "run"),
    ("Stop the run", "s", "stop"),
    ("Mark the selected profile, or unmark it", "space", "mark"),
    ("Compare the marked profiles, or show the newest comparison", "c", "compare"),
    ("Export the result", "e", "export"),
    ("Show the server's log", "l", "log"),
    ("Show all findings", "f", "findings"),
    ("Show the selected profile's file", "v", "view"),
    ("List the runs that are kept", "h", "history"),
    ("List the profiles", "p", "profiles"),
    ("Save a screenshot", "an SVG file in the folder of runs", "save_screenshot"),
    ("Help", "?", "help"),
    ("Quit", "q", "quit_console"),
)
"""(title, key or remark, action)."""
