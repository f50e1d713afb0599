"""The journal of a service: a change is written before it is visible to anyone, and before it is answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from trialrun.lazy_dataclass import dataclass

Json = dict[str, Any]


class JournalError(Exception):
    """A journal that cannot be written or read; the message says why, then what to do."""


@dataclass(frozen=True, slots=True)
class Record:
    """The state of something by its kind and its name, from now on; None where it is gone."""

    kind: str
    name: str
    value: Json | None


class Journal(Protocol):
    """Keeps the state of a service. Every method may raise JournalError."""

    def write(self, records: Sequence[Record]) -> None:
        """Keep several states, all or none; when this returns, the end of the process does not lose them."""
        ...

    def read(self, kind: str, prefix: str = "") -> Iterable[tuple[str, Json]]:
        """What is kept of a kind, by names that begin with a prefix, in the order in which names were written first."""
        ...

    def names(self, kind: str) -> Iterable[str]:
        """The names that are kept of a kind, in the order in which they were written first."""
        ...

    def get(self, kind: str, name: str) -> Json | None:
        """What is kept of one name."""
        ...


COUNTER = "counter"
"""The kind of records that count changes: the numbers of a process go on where those of the one before it ended."""


def counter_record(name: str, count: int) -> Record:
    """The record of a counter."""
    return Record(COUNTER, name, {"count": count})


def read_counter(journal: Journal, name: str) -> int:
    """What a counter stands at; 0 before its first record."""
    return int((journal.get(COUNTER, name) or {"count": 0})["count"])
