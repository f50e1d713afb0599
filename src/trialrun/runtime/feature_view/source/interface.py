"""The role of an engine: it has each source as a table named by its uri, and runs statements over these tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from trialrun.runtime.feature_view.source.column_types import ColumnConversion

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.plan_query import PlanQuery


class Engine(Protocol):
    """Reads sources; all its methods raise Unreadable."""

    @property
    def readings(self) -> Mapping[str, Sequence[ColumnConversion]]:
        """How the columns of each source are read."""
        ...

    def relation(self, uri: str) -> str:
        """The rows of a source as its table has them, not yet in the types of the specification."""
        ...

    def all(self, text: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that gives few."""
        ...

    def latest(self, query: PlanQuery) -> Iterator[list[Sequence[Any]]]:
        """The rows of a query in batches, with the moments in microseconds, and the features as they are served."""
        ...

    def close(self) -> None:
        """Close it, and take away what it spilled."""
        ...
