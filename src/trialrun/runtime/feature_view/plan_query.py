"""A query of a sync plan: the statement that one engine runs, and the layout of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.extraction import ColumnSelection
from trialrun.runtime.feature_view.source.location import TableLocation
from trialrun.runtime.feature_view.store.interface import RowLayout


@dataclass(frozen=True)
class PlanQuery:
    """One statement of a plan, for one engine: all tables that it joins, or one table."""

    extractions: tuple[ColumnSelection, ...]
    text: str
    ordered: bool

    @property
    def locations(self) -> list[TableLocation]:
        """Where its tables are."""
        return [selection.place for selection in self.extractions]

    @property
    def layout(self) -> RowLayout:
        """What its rows are made of; after that each has a choice for each table."""
        return row_layout(self.extractions)


def row_layout(selections: Sequence[ColumnSelection]) -> RowLayout:
    """The layout of the rows that are selected from some tables: the keys of the first, the features of all."""
    features = tuple(replace(column, name=name) for selection in selections for name, column in selection.features)
    timestamp_indexes: list[int] = []
    for selection in selections:
        first = max(timestamp_indexes, default=-1) + 1
        timestamp_indexes += [first + index for index in selection.extract.timestamp_indexes]
    return RowLayout(selections[0].keys, features, tuple(timestamp_indexes) if any(timestamp_indexes) else ())
