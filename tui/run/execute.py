"""The runner process, ``python -m tui.run.execute RECORD``: makes the run, judges it and writes the summary."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tui.findings.judged import write_summary
from tui.record.lock import MachineLock
from tui.record.record import Record
from tui.run.launched import read_launch
from tui.run.runner import Runner


async def execute(record: Record) -> None:
    """Make one run under the machine's lock."""
    launched = read_launch(record)
    lock = MachineLock(launched.profile.name)
    other = await lock.acquire()
    runner = Runner(record, launched, disturbed_by=other)
    lock.visited = runner.disturbed
    try:
        await runner.run(refuse=other is not None and not launched.concurrent)
    finally:
        lock.visited = lambda visitor: None  # the record is closed
        lock.release()


def main() -> None:
    """Entry point."""
    record = Record(Path(sys.argv[1]))
    asyncio.run(execute(record))
    write_summary(record)


if __name__ == "__main__":
    main()
