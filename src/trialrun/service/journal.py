"""The journal of a service: a change is written before it is visible to anyone, and before it is answered.

So the end of the process loses none. Decisions: docs/decisions/runtime.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from trialrun.errors import StoreError
from trialrun.service.error import Status, service_error

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """The state of something by its kind and its name, from now on; None where it is gone."""

    kind: str
    name: str
    value: Json | None


class Journal:
    """Keeps the state of a service, in memory, for services of a library and of tests; `JournalFile` keeps it for good.

    Every method may raise StoreError.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Json]] = {}

    def write(self, records: Sequence[Record]) -> None:
        """Keep several states, all or none."""
        for record in records:
            known = self._values.setdefault(record.kind, {})
            if record.value is None:
                known.pop(record.name, None)
            else:
                known[record.name] = record.value

    def read(self, kind: str, prefix: str = "") -> Iterable[tuple[str, Json]]:
        """What is kept of a kind, by names that begin with a prefix, in the order in which names were written first."""
        return [(name, value) for name, value in self._values.get(kind, {}).items() if name.startswith(prefix)]

    def names(self, kind: str) -> Iterable[str]:
        """The names that are kept of a kind, in the order in which they were written first."""
        return [*self._values.get(kind, {})]

    def get(self, kind: str, name: str) -> Json | None:
        """What is kept of one name."""
        return self._values.get(kind, {}).get(name)


COUNTER = "counter"
"""The kind of records that count changes: the numbers of a process go on where those of the one before it ended."""


def counter_record(name: str, count: int) -> Record:
    """The record of a counter."""
    return Record(COUNTER, name, {"count": count})


def read_counter(journal: Journal, name: str) -> int:
    """What a counter stands at; 0 before its first record."""
    return int((journal.get(COUNTER, name) or {"count": 0})["count"])


@contextmanager
def refuse_unkept() -> Iterator[None]:
    """Refuse a request whose change the journal cannot keep."""
    try:
        yield
    except StoreError as error:
        raise service_error(Status.UNAVAILABLE, "cannot-store", str(error)) from error
