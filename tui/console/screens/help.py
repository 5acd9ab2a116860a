"""What the screen shows and what the keys do."""

from __future__ import annotations

from textual.content import Content

SECTIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Keys",
        (
            ("1-9  ↑ ↓  [ ]", "select a profile; this never disturbs a run"),
            ("r  enter", "run the selected profile"),
            ("s", "stop the run; what was measured is summarised"),
            ("e", "export the result: asks for format and file"),
            ("v", "view the selected profile's file"),
            ("l", "the server's log, followed"),
            ("f", "all findings, with their evidence"),
            ("p", "the profiles as a list over the screen"),
            ("j k", "scroll the workers"),
            ("ctrl+p", "all commands, also the screenshot and the themes"),
            ("q", "quit; asks what becomes of a run that goes on"),
        ),
    ),
    (
        "Rate",
        (
            ("█", "good answers a second, from zero"),
            ("×", "errors a second, stacked on top: anything that wasn't the expected answer"),
            ("now", "over the last second"),
            (
                "mean",
                "good answers divided by measured seconds of all rounds; the warm-up (dimmed) never counts",
            ),
        ),
    ),
    (
        "Latency",
        (
            (
                "closed loop",
                "a connection sends its next request when the answer is there. A server that stalls is asked",
            ),
            ("", "less, so this is the service time, not what a person who arrives at any moment would wait"),
            ("┊", "where p50, p90, p99 and the slowest lie; the axis is logarithmic"),
            ("–", "fewer than ten answers lie beyond this percentile, so it says nothing"),
        ),
    ),
    (
        "Workers",
        (
            ("bound, on", "the CPUs it may use, and the one it last ran on; ! where a thread may use others"),
            ("RSS", "resident memory, shared pages counted fully in each process; read twice a second"),
            (
                "PSS",
                "shared pages divided by those who share them: the only one that adds up. Reading it makes the",
            ),
            ("", "kernel walk the page tables, so processes are read in turn, and it may be older than RSS"),
            ("USS", "memory of its own, which is free when it ends"),
            ("█ ░", "its own and shared memory, on the scale of the largest process"),
            ("sharing saves", "sum of RSS less sum of PSS"),
            ("n/a", "couldn't be measured; another user's process shows RSS only"),
        ),
    ),
    (
        "Findings",
        (
            ("✗", "a quantity is invalid and says so in every export"),
            ("▲", "a warning: read before you compare"),
            ("●", "a note"),
        ),
    ),
)


def help_text() -> Content:
    """All of it, the left column aligned."""
    width = max(len(name) for _, rows in SECTIONS for name, _ in rows) + 3
    parts: list[str | Content | tuple[str, str]] = []
    for title, rows in SECTIONS:
        parts.append((f"{title}\n", "bold"))
        for name, words in rows:
            parts += [(f"  {name:<{width}}", "$accent"), f"{words}\n"]
        parts.append("\n")
    return Content.assemble(*parts)
