"""Reads a comparison in a separate thread: first the table's figures, then the charts' data.

The thread that launches runs keeps the process's original CPUs; this one uses the CPUs the console is limited to during
a run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from textual.message import Message

from tui.compare.evidence import VariantEvidence
from tui.compare.reading import compare_runs, read_all_evidence
from tui.compare.schema import Comparison, QuantityName
from tui.console.messages import Broken
from tui.experiment.progress import variant_runs
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record, VariantRuns
from tui.system.errors import UserError


@dataclass
class ComparisonStarted(Message):
    """The runs of a comparison are being read."""

    runs: int


@dataclass
class ComparisonRead(Message):
    """The figures of a comparison."""

    what: ExperimentRecord | Sequence[VariantRuns]
    comparison: Comparison


@dataclass
class EvidenceRead(Message):
    """The data for a comparison's charts."""

    variants: tuple[VariantEvidence, ...]


@dataclass
class NotCompared(Message):
    """There is no comparison, and why, in one line."""

    reason: str


class ComparisonSource:
    """The runs of an experiment, or saved ones, until they are read."""

    def __init__(
        self, what: ExperimentRecord | Sequence[VariantRuns], post: Callable[[Message], object]
    ) -> None:
        """The thread calls ``post``."""
        self.what = what
        self._post = post
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="comparison-source", daemon=True).start()

    def close(self) -> None:
        """Stop reading; the result is no longer wanted."""
        self._closed.set()

    def _run(self) -> None:
        try:
            self._read()
        except _Unwanted:
            pass
        except UserError as error:
            self._tell(NotCompared(str(error)))
        except Exception as error:
            self._tell(Broken(error))

    def _tell(self, message: Message) -> None:
        if not self._closed.is_set():
            self._post(message)

    def _read(self) -> None:
        found, primary = self._variants()
        usable = [each for each in found if each.records]
        if len(usable) < 2:
            lacking = " and ".join(label for label, records in found if not records)
            raise UserError(
                f"no run of {lacking} can be compared" if lacking else "there is nothing to compare"
            )
        self._tell(ComparisonStarted(sum(len(records) for _, records in usable)))
        self._tell(ComparisonRead(self.what, compare_runs(usable, primary, self._wanted)))
        self._tell(EvidenceRead(read_all_evidence(usable, self._wanted)))

    def _variants(self) -> tuple[Sequence[VariantRuns], QuantityName]:
        if not isinstance(self.what, ExperimentRecord):
            return self.what, "rate"
        return variant_runs(self.what), cast(QuantityName, self.what.read().primary)

    def _wanted(self, records: Sequence[Record]) -> Iterator[Record]:
        """The records, as long as the result is wanted."""
        for record in records:
            if self._closed.is_set():
                raise _Unwanted
            yield record


class _Unwanted(Exception):
    """The result is no longer wanted."""
