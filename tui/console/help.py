"""What the screen shows and what the keys do."""

from __future__ import annotations

from textual.content import Content

from tui.console.drawing.lines import plain, wrapped

WIDTH = 70
"""Cells that a page has on a terminal of 80 columns."""

SECTIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Keys",
        (
            ("1-9 ↑ ↓ [ ]", "select a profile; this never disturbs a run"),
            ("r enter", "run the selected profile"),
            ("s", "stop the run; what was measured is summarised"),
            ("space", "mark the selected profile for a comparison, or unmark it"),
            ("c", "compare what is marked; without a mark, show the newest comparison"),
            ("e", "export the result: asks for format and file"),
            ("v", "view the selected profile's file"),
            ("l", "the server's log, followed"),
            ("f", "all findings, with their evidence and what to do"),
            ("h", "the kept runs: open, compare, export, delete; / filters, space marks"),
            ("p", "the profiles as a list over the screen"),
            ("j k", "scroll the workers"),
            ("a", "follow a run that was started elsewhere"),
            ("ctrl+p", "all commands, the screenshot and the colours too"),
            ("?", "this page"),
            ("q", "quit; asks what becomes of a run that goes on"),
        ),
    ),
    (
        "Rate",
        (
            ("█", "good answers a second, from zero; dimmed in the warm-up, which never counts"),
            ("×", "on top of them: anything that wasn't the expected answer"),
            ("now", "over the last second"),
            ("mean", "good answers divided by measured seconds of all rounds"),
        ),
    ),
    (
        "Open loop",
        (
            (
                "planned",
                "Requests start by a schedule of load.rate a second, whatever the server does; ┄ draws it.",
            ),
            ("sent", "requests begun a second; one waits while no connection is free"),
            ("achieved", "good answers divided by measured seconds; less than planned is a finding"),
            (
                "never sent",
                "planned, and still waiting at a round's end: how many, and for how long the oldest",
            ),
            (
                "latency",
                "from the planned start, so a stall is in the latency of all that were planned in it",
            ),
            (
                "service time",
                "From the begin of a request to its last byte, known at a round's end. Where the latency is longer, "
                "requests waited before they could be sent.",
            ),
            (
                "schedule lag",
                "Planned start to begin where a connection was free: the load itself was late. In exports.",
            ),
            (
                "caught up",
                "After a stall, what waited goes out as soon as it can: faster than planned, and a finding.",
            ),
        ),
    ),
    (
        "Latency",
        (
            (
                "closed loop",
                "A connection sends its next request when the answer is there. A server that stalls is asked less, so "
                "this is the service time, not the wait of a person who comes at any moment.",
            ),
            ("┊", "where p50, p90, p99 and the slowest lie; the axis is logarithmic"),
            ("–", "fewer than ten answers lie beyond this percentile, so it says nothing"),
        ),
    ),
    (
        "Workers",
        (
            ("bound, on", "the CPUs it may use (! where a thread may use others), and where it last ran"),
            ("cpu", "share of one CPU; CPU seconds in all once it has ended"),
            ("RSS", "resident memory, shared pages counted fully in each process; read twice a second"),
            (
                "PSS",
                "Shared pages divided by those who share them: the one that adds up. To read it the kernel walks the "
                "page tables, so processes are read in turn, and it may be older than RSS.",
            ),
            ("USS", "memory of its own: what is free when it ends"),
            ("█ ░", "its own and its shared memory, on the scale of the largest process"),
            ("memory", "anonymous, shared-memory and swapped PSS of all: what two stacks may be compared by"),
            ("sharing saves", "sum of RSS less sum of PSS"),
            ("growth", "RSS now less RSS at the first good answer; the trend begins there too"),
            ("requests", "answered since the first round began, where a status page of the server tells it"),
            ("busy 3 of 4", "what a status page of the server says; connections where it knows no workers"),
            ("n/a", "couldn't be measured: another user's process shows RSS only"),
        ),
    ),
    (
        "Listen queues",
        (
            (
                "3 of 128",
                "connections that wait to be accepted, of how many may; the kernel lets one more wait",
            ),
            ("most", "the longest queue that was seen in the rounds; it is looked at four times a second"),
            (
                "dropped",
                "A full TCP socket drops a connection attempt; the client tries again after 1, 3 and 7 s.",
            ),
            (
                "refused",
                "A full unix socket refuses at once, mostly to become a 502; counted from the front's log.",
            ),
        ),
    ),
    (
        "Comparison",
        (
            ("✓ ▼", "better and worse than A: more than the noise between starts of the same thing"),
            ("≈", "can't tell: it may be chance"),
            ("no verdict", "With fewer than six starts a side there is only the range of what came out."),
            (
                "4,716–4,908",
                "Beside a median: in 95 of 100 comparisons the true one lies in there; below six starts the smallest "
                "and the largest.",
            ),
            ("├┼┤", "the same interval over a bar; ┼ is the median"),
            ("¹", "why a cell is blank, or of fewer starts: below the table"),
            ("1-5 ← →", "the pages of a small terminal; i says everything in words, e exports it"),
        ),
    ),
    (
        "Findings",
        (
            ("✗", "a quantity is invalid, and says so in every export"),
            ("▲", "a warning: read it before you compare"),
            ("●", "a note"),
        ),
    ),
)


def help_text() -> Content:
    """All of it, the words in a column of their own."""
    room = max(len(name) for _, rows in SECTIONS for name, _ in rows) + 4
    lines: list[Content] = []
    for title, rows in SECTIONS:
        lines.append(Content.styled(title, "bold"))
        for name, words in rows:
            for i, line in enumerate(wrapped(words, WIDTH - room)):
                head = f"  {name if i == 0 else '':<{room - 2}}"
                lines.append(Content.assemble((head, "$accent"), plain(line)))
        lines.append(Content(""))
    return Content("\n").join(lines[:-1])
