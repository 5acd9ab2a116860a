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


async def execute(record: Record) -> Holder | bool:
    """Make one run under the machine's lock. Returns whether all its events are kept, so that it can be summarised.

    If somebody holds the lock and so prevents the run, it returns who that is: then nothing is written.
    """
    launched = read_launch(record)
    lock = MachineLock(launched.profile.name, record.folder)
    other = await lock.acquire(announce=launched.concurrent)
    if other is not None and not launched.concurrent:
        return other
    runner = Runner(record, launched, disturbed_by=None if other is None else str(other))
    lock.visited = runner.disturbed
    try:
        return await runner.run()
    finally:
        lock.visited = lambda visitor: None  # the record is closed
        lock.release()


def main() -> None:
    """Entry point."""
    record = Record(Path(sys.argv[1]))
    done = asyncio.run(execute(record))
    if isinstance(done, Holder):
        print(json.dumps(asdict(done)), file=sys.stderr)
        sys.exit(BUSY)
    if done:
        write_summary(record)


if __name__ == "__main__":
    main()
