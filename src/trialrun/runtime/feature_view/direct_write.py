"""Views without a source: no table says what their columns are, so the values that are written into them do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import DirectWrite, OnlineStore, RowLayout, RowLoad, Snapshot
from trialrun.runtime.feature_view.store.value_codec import check_write

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView

KEY_COLUMN = "entity_id"
"""The entity id column of a view without a source; of several, each has its number behind."""
EXTEND_TIMEOUT = 10.0
"""For how many seconds a write that brings a new feature waits for another one that does."""


def has_source(view: FeatureView) -> bool:
    """Whether a view has a source, be it one that cannot be read."""
    return bool(view.members("source"))


def extend_layout(layout: RowLayout | None, parts: int, columns: Iterable[Column]) -> RowLayout:
    """A layout with the columns that it lacks; without one, entity ids are so many texts.

    A column whose name is there already stays as it is: whether a value fits it, its write tells.
    """
    if layout is None:
        names = [KEY_COLUMN] if parts <= 1 else [f"{KEY_COLUMN}_{number}" for number in range(1, parts + 1)]
        layout = RowLayout(tuple(Column(name, "STRING", required=True) for name in names), ())
    feature_names = {column.name for column in layout.features}
    added = {column.name: column for column in reversed([*columns]) if column.name not in feature_names}
    moments = (layout.timestamp_count,) * len(added) if layout.timestamp_indexes else ()
    return replace(
        layout,
        features=(*layout.features, *reversed(added.values())),
        timestamp_indexes=(*layout.timestamp_indexes, *moments),
    )


def widening_load(before: Snapshot | None, layout: RowLayout, now: datetime) -> RowLoad | None:
    """The load by which a view has further features, null until they are written; None where it has them."""
    wider = extend_layout(before.layout if before else None, len(layout.keys), layout.features)
    if before and wider == before.layout:
        return None
    at, watermark, plan = (before.synced_at, before.watermark, before.plan) if before else (now, None, "")
    return RowLoad(wider, (), at, lambda: watermark, plan, keep_vanished=True, is_sync=False)


def write_with_new_features(
    store: OnlineStore, view: str, layout: RowLayout, writes: Sequence[DirectWrite], *, now: datetime
) -> list[bool]:
    """Write values into a view without a source, which has the columns of the layout from then on.

    Each says whether it is served now. Raises InvalidWrite before anything is changed, and SyncRunning.
    """
    for write in writes:
        check_write(layout, write, now=now)
    snapshot = store.snapshot(view)
    written_features = {write.feature for write in writes}
    needed = replace(
        layout,
        features=tuple(feature for feature in layout.features if feature.name in written_features),
        timestamp_indexes=(),
    )
    if snapshot is None or not written_features <= {column.name for column in snapshot.layout.features}:
        store.extend(view, needed, now=now)
    return store.write(view, writes, now=now)


def explain_no_values(view: FeatureView, title: str, hint: str = "") -> str:
    """Why a view serves nothing: no sync was made yet, or no write where it has no source; `hint` is for a sync."""
    if has_source(view):
        return f"{title} was never synced" + (f"; {hint}" if hint else "")
    return f"{title} has no source, and nothing was written into it; write values directly"
