"""The columns that a vector index of a view needs, and whether the table has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.record import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.extraction import column_called
from trialrun.runtime.feature_view.finding import CannotSync, SkippedCheck
from trialrun.runtime.feature_view.store.interface import Layout

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, IndexConfig

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class IndexColumns:
    """The embedding column and its dimension, where it is known, the filter columns and the crowding column."""

    embedding: str
    dimension: int | None
    filters: tuple[str, ...]
    crowding: str | None


def index_columns(view: FeatureView, layout: Layout) -> tuple[IndexColumns | None, tuple[SkippedCheck, ...]]:
    """The columns of the index of a view, None where it has none, and what only the rows tell. Raises CannotSync."""
    name = "indexConfig" if view.indexConfig else "vectorSearchConfig"
    config = view.indexConfig or view.vectorSearchConfig
    if config is None:
        return None, ()
    if not config.embeddingColumn:
        return None, (SkippedCheck("embedding-column", "embeddingColumn is not set, so there is no index to search"),)
    columns = (*layout.keys, *layout.features)
    embedding = column_called(config.embeddingColumn, columns, "the embedding", (name, "embeddingColumn"))
    if embedding.type not in ("DOUBLE", "INT64") or not embedding.repeated:
        raise CannotSync(
            f'the embedding column "{embedding.name}" is {embedding.shown}; it is FLOAT REPEATED',
            steps=(name, "embeddingColumn"),
        )
    found = IndexColumns(
        embedding.name,
        config.embeddingDimension,
        tuple(one.name for one in _filters(config, columns, name)),
        _crowding(config, columns, name),
    )
    return found, tuple(_skipped(config))


def _filters(config: IndexConfig, columns: tuple[Column, ...], name: str) -> Iterator[Column]:
    for index, filter in enumerate(config.filterColumns or ()):
        yield column_called(filter, columns, "a filter", (name, "filterColumns", index))


def _crowding(config: IndexConfig, columns: tuple[Column, ...], name: str) -> str | None:
    if not config.crowdingColumn:
        return None
    return column_called(config.crowdingColumn, columns, "crowding", (name, "crowdingColumn")).name


def _skipped(config: IndexConfig) -> Iterator[SkippedCheck]:
    if config.embeddingDimension is None:
        yield SkippedCheck("wrong-vector-length", "embeddingDimension is not set, so no length of a vector is wrong")
