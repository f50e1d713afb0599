"""A journal that ends with its process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trialrun.service.journal.interface import Json, Record


class MemoryJournal:
    """Keeps states in memory, for services of a library and of tests."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Json]] = {}

    def write(self, records: Sequence[Record]) -> None:
        """Keep several states."""
        for record in records:
            known = self._values.setdefault(record.kind, {})
            if record.value is None:
                known.pop(record.name, None)
            else:
                known[record.name] = record.value

    def read(self, kind: str, prefix: str = "") -> Iterator[tuple[str, Json]]:
        """What is kept of a kind, by names that begin with a prefix, in the order in which names were written first."""
        for name, value in [*self._values.get(kind, {}).items()]:
            if name.startswith(prefix):
                yield name, value

    def names(self, kind: str) -> list[str]:
        """The names that are kept of a kind, in the order in which they were written first."""
        return [*self._values.get(kind, {})]

    def get(self, kind: str, name: str) -> Json | None:
        """What is kept of one name."""
        return self._values.get(kind, {}).get(name)
