"""The campaign's process: ``python -m tui.campaign.execute FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from tui.campaign.process import claim
from tui.campaign.record import CampaignRecord
from tui.campaign.runner import CampaignRunner
from tui.system.errors import UserError


def main() -> None:
    """Entry point."""
    record = CampaignRecord(Path(sys.argv[1]))
    try:
        claim(record)
        CampaignRunner(record).run()
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
