"""The main screen's keys, the palette's commands, and the help page that explains them and the figures."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding
from textual.content import Content

from tui.console.drawing.lines import plain, wrapped

BINDINGS: list[Binding] = [
    Binding("r,enter", "run", "run", key_display="r", tooltip="Run the selected profile"),
    Binding("s", "stop", "stop", tooltip="Stop the run and summarise it"),
    Binding("a", "attach", "attach", tooltip="Follow the run that is in progress"),
    Binding("space", "mark", "mark", tooltip="Mark the selected profile for a comparison, or unmark it"),
    Binding(
        "c", "compare", "compare", tooltip="Compare what is marked; without a mark show the newest comparison"
    ),
    Binding("e", "export", "export", tooltip="Export the result"),
    Binding("l", "log", "log", tooltip="Show the server's log"),
    Binding("f", "findings", "findings", tooltip="Show all findings"),
    Binding("h", "history", "history", tooltip="List the kept runs"),
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
    ("List the kept runs", "h", "history"),
    ("List the profiles", "p", "profiles"),
    ("Save a screenshot", "an SVG file in the folder of runs", "save_screenshot"),
    ("Help", "?", "help"),
    ("Quit", "q", "quit_console"),
)
"""(title, key or remark, action)."""

REPLAY: tuple[str, tuple[tuple[str, str], ...]] = (
    "Replay",
    (
        ("space", "play or pause; at the end, play again from the start"),
        ("← →", "5 seconds back or on"),
        ("[ ]", "the start of the previous or the next phase; so do pgup pgdn and shift+← →"),
        ("n N", "pause where the next or the previous finding was first made"),
        ("+ - > <", "faster or slower: 1, 2, 4, 8, 16, 32 and 64 times"),
        ("t g", "go to a time or a phase: 12.5, 1:05, round 2"),
        ("home end", "the start and the end of the run"),
        ("e", "export the whole run"),
        ("l f", "the server's whole log; the findings of the moment that is shown"),
        ("q esc", "leave the replay; a click on the bar or the list goes there"),
        ("┃ ▲", "on the bar: a phase begins; a finding is first made"),
    ),
)
"""The keys and signs of a replay."""

WIDTH = 70
"""Cells that fit on a page in an 80-column terminal."""

SECTIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Keys",
        (
            ("1-9 ↑ ↓ [ ]", "select a profile; this never disturbs a run"),
            ("r enter", "run the selected profile"),
            ("s", "stop the run and summarise what was measured"),
            ("space", "mark or unmark the selected profile for a comparison"),
            ("c", "compare the marked profiles; with none marked, show the newest comparison"),
            ("e", "export the result; asks for format and file"),
            ("v", "view the selected profile's file"),
            ("l", "follow the server's log"),
            ("f", "all findings, with evidence and remedy"),
            ("h", "the kept runs: open, compare, export or delete them"),
            ("p", "the profiles as a list over the screen"),
            ("j k", "scroll the workers"),
            ("a", "follow a run that was started elsewhere"),
            ("ctrl+p", "all commands, including screenshot and theme"),
            ("?", "this page"),
            ("q", "quit; asks first while something is running"),
        ),
    ),
    (
        "Rate",
        (
            ("█", "good answers per second, from zero; dimmed in the warm-up, which never counts"),
            ("×", "on top of them: every other answer, and every request that got none"),
            ("now", "over the last second"),
            ("mean", "good answers divided by the measured seconds of all rounds"),
        ),
    ),
    (
        "Open loop",
        (
            (
                "planned",
                "Requests start on a schedule at load.rate per second, whatever the server does; ┄ marks that rate.",
            ),
            ("sent", "requests sent per second; a request waits if no connection is free"),
            ("achieved", "good answers divided by measured seconds; fewer than planned is a finding"),
            (
                "never sent",
                "planned requests that were still waiting when a round ended, and how long the oldest had waited",
            ),
            (
                "latency",
                "from the planned start, so a stall counts for every request that was planned during it",
            ),
            (
                "service time",
                "From sending a request to its last byte, known when a round ends. If the latency is longer, "
                "requests were waiting to be sent.",
            ),
            (
                "schedule lag",
                "From planned start to sending, with a connection free: how late the load itself was. In exports.",
            ),
            (
                "caught up",
                "After a stall, waiting requests are sent as fast as possible, faster than planned: a finding.",
            ),
        ),
    ),
    (
        "Latency",
        (
            (
                "closed loop",
                "A connection sends its next request once it has its answer. A stalled server gets fewer requests, so "
                "this is the service time, not the wait of a user who arrives at a random moment.",
            ),
            ("┊", "where p50, p90, p99 and the slowest are; the axis is logarithmic"),
            ("–", "too few answers: fewer than ten are slower than this percentile"),
        ),
    ),
    (
        "Workers",
        (
            ("bound, on", "the CPUs it may use (! if a thread may use others), and the one it last ran on"),
            ("cpu", "share of one CPU; total CPU seconds after it has ended"),
            ("RSS", "resident memory, shared pages counted in full in every process; read twice a second"),
            (
                "PSS",
                "Shared pages divided among their users, so it adds up. Reading it makes the kernel walk the page "
                "tables, so processes are read in turn and it may be older than RSS.",
            ),
            ("USS", "private memory: what is freed when the process ends"),
            ("█ ░", "private and shared memory, on the scale of the largest process"),
            ("memory", "anonymous, shared-memory and swapped PSS of all: the figure to compare stacks by"),
            ("sharing saves", "sum of RSS minus sum of PSS"),
            ("growth", "RSS now minus RSS at the first good answer; the trend starts there too"),
            ("requests", "answered since the first round began, if a status page of the server counts them"),
            ("busy 3 of 4", "from a status page of the server; connections if it doesn't count workers"),
            ("n/a", "couldn't be measured: another user's process shows RSS only"),
        ),
    ),
    (
        "Listen queues",
        (
            (
                "3 of 128",
                "connections waiting to be accepted, and the backlog; the kernel lets one more wait",
            ),
            ("most", "the longest queue seen in the rounds; it is read four times a second"),
            (
                "dropped",
                "A full TCP socket drops a connection attempt; the client retries after 1, 3 and 7 s.",
            ),
            (
                "refused",
                "A full unix socket refuses at once, which usually becomes a 502; counted from the front's log.",
            ),
        ),
    ),
    (
        "Comparison",
        (
            ("✓ ▼", "better or worse than A, by more than the noise between identical runs"),
            ("≈", "can't tell: it may be noise"),
            ("no verdict", "Fewer than six runs per variant only give the range of their results."),
            (
                "4,716–4,908",
                "Next to a median: in 95 of 100 comparisons the true median is in this interval. With fewer than six "
                "runs, the smallest and the largest.",
            ),
            ("├┼┤", "the same interval over a bar; ┼ is the median"),
            ("¹", "a note below the table: why a cell is blank or covers fewer runs"),
            ("1-5 ← →", "the pages of a small terminal; i shows it all in words, e exports it"),
        ),
    ),
    (
        "History",
        (
            ("/", "filter by stack, profile or title"),
            ("space", "mark a run or experiment; c compares the marked runs, d deletes what is marked"),
            ("r", "replay the run: its screen from the first second to the last"),
        ),
    ),
    REPLAY,
    (
        "Findings",
        (
            ("✗", "a figure is invalid, and marked so in every export"),
            ("▲", "a warning: read it before you compare"),
            ("●", "a note"),
        ),
    ),
)


FIGURES = ("Rate", "Open loop", "Latency", "Workers", "Listen queues", "Findings")
"""The sections that explain the screen of a run."""


def replay_help_text() -> Content:
    """The keys of a replay, and the figures on its screen."""
    return help_text((REPLAY, *(section for section in SECTIONS if section[0] in FIGURES)))


def help_text(sections: Sequence[tuple[str, tuple[tuple[str, str], ...]]] = SECTIONS) -> Content:
    """The whole page, with the explanations in a second column."""
    room = max(len(name) for _, rows in SECTIONS for name, _ in rows) + 4
    lines: list[Content] = []
    for title, rows in sections:
        lines.append(Content.styled(title, "bold"))
        for name, words in rows:
            for i, line in enumerate(wrapped(words, WIDTH - room)):
                head = f"  {name if i == 0 else '':<{room - 2}}"
                lines.append(Content.assemble((head, "$accent"), plain(line)))
        lines.append(Content(""))
    return Content("\n").join(lines[:-1])
