"""Small views for the tests of stores: a layout in one line, and a load of a few rows."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.store.interface import OnlineStore, RowLayout, RowLoad, SyncCounts
from trialrun.runtime.feature_view.store.value_codec import to_microseconds

VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
DAY = timedelta(days=1)


def day(number: int) -> datetime:
    return datetime(2026, 11, number, tzinfo=UTC)


def at(number: int) -> int:
    """A day as the moment of a row."""
    return to_microseconds(day(number))


def column(text: str) -> Column:
    """The column that is written so: `likes INT64`, `embedding DOUBLE REPEATED`."""
    name, type, *mode = text.split()
    return Column(name, cast("Type", type), repeated=mode == ["REPEATED"])


def layout(*features: str, keys: Sequence[str] = ("id STRING",), moment_of: tuple[int, ...] = ()) -> RowLayout:
    return RowLayout(tuple(map(column, keys)), tuple(map(column, features)), moment_of)


def load(
    store: OnlineStore,
    rows: Iterable[Sequence[object]],
    of: RowLayout | None = None,
    *,
    synced: datetime | None = None,
    view: str = VIEW,
    **further: Any,
) -> SyncCounts:
    """Load rows of `likes INT64`, unless the layout is another one, synced on the last day of the month."""
    of = of or layout("likes INT64")
    return store.load(view, RowLoad(of, rows, synced or day(30), lambda: None, **further))


def served(store: OnlineStore, *ids: int | str, view: str = VIEW) -> list[object]:
    """The values of entities with ids of one part; None for one that is not served."""
    return [entity and dict(entity.values) for entity in store.fetch(view, [(id,) for id in ids])]
