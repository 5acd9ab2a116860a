"""The campaign's process: ``python -m tui.campaign.execute FOLDER``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from tui.campaign.process import claim
from tui.campaign.record import CampaignRecord
from tui.campaign.runner import STOPS, CampaignRunner
from tui.system.errors import UserError


def main() -> None:
    """Entry point."""
    record = CampaignRecord(Path(sys.argv[1]))
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # one that comes before it is listened to isn't lost
    try:
        claim(record)
        CampaignRunner(record).run()
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
