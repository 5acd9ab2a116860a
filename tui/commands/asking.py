"""Questions on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.system.errors import UserError
from tui.system.text import plain, printable

if TYPE_CHECKING:
    from tui.plan.trust import NotTrusted


def agreed(question: str, *, otherwise: UserError) -> bool:
    """Ask on stderr; anything but y or yes means no. Raises ``otherwise`` if there is no terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise otherwise
    sys.stderr.write(f"{printable(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def agree_to_trust(refusal: NotTrusted) -> None:
    """Show what would be started and ask; a yes is remembered.

    Raises:
        NotTrusted: There is no terminal.
        UserError: Anything but a yes.
    """
    from tui.plan.trust import remember

    started = "".join(f"\n  {plain(command)}" for command in refusal.commands)
    places = ", ".join(refusal.places)
    if not agreed(f"{places}: not trusted yet. It would start:{started}\nTrust it?", otherwise=refusal):
        raise UserError("nothing was started: what isn't trusted doesn't run")
    remember(refusal.digests)


def trusting(check: Callable[[], None]) -> None:
    """Make a check that may raise NotTrusted; if it does, ask."""
    from tui.plan.trust import NotTrusted

    try:
        check()
    except NotTrusted as refusal:
        agree_to_trust(refusal)
