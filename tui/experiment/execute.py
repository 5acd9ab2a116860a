"""The experiment's process: ``python -m tui.experiment.execute FOLDER``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from tui.experiment.process import claim
from tui.experiment.record import ExperimentRecord
from tui.experiment.runner import STOPS, ExperimentRunner
from tui.system.errors import UserError


def main() -> None:
    """Entry point."""
    record = ExperimentRecord(Path(sys.argv[1]))
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # a signal that arrives before its handler isn't lost
    try:
        claim(record)
        ExperimentRunner(record).run()
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
