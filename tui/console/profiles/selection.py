"""The selected profile and the marked ones; selecting or marking never disturbs a run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui.console.profiles.rows import ProfileRow
from tui.system.errors import UserError

MOST = 5
"""The maximum of marked profiles: the screen has colours and room for this many variants."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The profiles, with the cursor and the marks on them."""

    rows: tuple[ProfileRow, ...] = ()
    reading: bool = True
    """They haven't been read yet."""
    index: int = 0
    chosen: bool = False
    """The user or a run has selected a profile, so reading the profiles doesn't select the default."""
    awaited: str = ""
    """The name of the profile to select when the profiles have been read."""
    marked: tuple[str, ...] = ()
    """Names in the order they were marked; the first is the baseline of a comparison."""

    @property
    def row(self) -> ProfileRow | None:
        """The selected profile."""
        return self.rows[self.index] if self.index < len(self.rows) else None

    @property
    def marked_rows(self) -> tuple[ProfileRow, ...]:
        """The marked profiles, in the order of the marks."""
        return tuple(row for name in self.marked for row in self.rows if row.name == name)

    def read(self, rows: tuple[ProfileRow, ...], default: int) -> Selection:
        """The profiles have been read."""
        keep = self.chosen and self.index < len(rows)
        known = replace(self, rows=rows, reading=False, index=self.index if keep else default)
        return known.select_name(self.awaited) if self.awaited else known

    def select(self, index: int) -> Selection:
        """Select a profile by its position, if that exists or may exist."""
        if index < 0 or (not self.reading and index >= len(self.rows)):
            return self
        return replace(self, index=index, chosen=True, awaited="")

    def select_name(self, name: str) -> Selection:
        """Select a run's profile, now or when the profiles have been read."""
        index = next((i for i, row in enumerate(self.rows) if row.name == name), None)
        if index is not None:
            return self.select(index)
        return replace(self, awaited=name) if self.reading else self

    def mark(self, index: int) -> Selection:
        """Mark a profile for a comparison, or unmark it.

        Raises:
            UserError: It can't run, or too many are marked.
        """
        if index >= len(self.rows):
            return self
        row = self.rows[index]
        if row.name in self.marked:
            return replace(self, marked=tuple(name for name in self.marked if name != row.name))
        if row.state != "ready":
            raise UserError(f"{row.refusal}; it can't be compared")
        if len(self.marked) == MOST:
            raise UserError(f"{MOST} profiles are already marked; no more can be compared at once")
        return replace(self, marked=(*self.marked, row.name))

    def unmark_all(self) -> Selection:
        return replace(self, marked=())
