"""The runner process, ``python -m tui.run.execute RECORD``: makes the run, judges it and writes the summary."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from tui.findings.judged import write_summary
from tui.record.lock import Holder, MachineLock
from tui.record.record import Record
from tui.run.detached import BUSY
from tui.run.launched import read_launch
from tui.run.runner import Runner


async def execute(record: Record) -> Holder | None:
    """Make one run under the machine's lock. Returns who holds it if that prevents the run: then nothing is written."""
    launched = read_launch(record)
    lock = MachineLock(launched.profile.name, record.folder)
    other = await lock.acquire(announce=launched.concurrent)
    if other is not None and not launched.concurrent:
        return other
    runner = Runner(record, launched, disturbed_by=None if other is None else str(other))
    lock.visited = runner.disturbed
    try:
        await runner.run()
    finally:
        lock.visited = lambda visitor: None  # the record is closed
        lock.release()
    return None


def main() -> None:
    """Entry point."""
    record = Record(Path(sys.argv[1]))
    busy = asyncio.run(execute(record))
    if busy is not None:
        print(json.dumps(asdict(busy)), file=sys.stderr)
        sys.exit(BUSY)
    write_summary(record)


if __name__ == "__main__":
    main()
