"""The columns that a vector index of a view needs, and whether the table has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, find_column
from trialrun.runtime.feature_view.data_finding import CannotSync, SkippedCheck
from trialrun.runtime.feature_view.extraction import ColumnSelection, require_column
from trialrun.runtime.feature_view.source.location import has_types
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, IndexConfig

Steps = tuple[str | int, ...]
Columns = tuple[Column, ...]
EMBEDDING = "the embedding"


@dataclass(frozen=True)
class IndexColumns:
    """The embedding column and its dimension, where it is known, the filter columns and the crowding column."""

    embedding: str
    dimension: int | None
    filters: tuple[str, ...]
    crowding: str | None


def find_index_columns(
    view: FeatureView, layout: RowLayout, tables: Sequence[ColumnSelection], options: Options
) -> tuple[IndexColumns | None, tuple[SkippedCheck, ...]]:
    """The columns of the index of a view, None where it has none, and what only the rows tell. Raises CannotSync.

    `tables` are what is taken from each table, also what is not served of it.
    """
    name = "indexConfig" if view.indexConfig else "vectorSearchConfig"
    config = view.indexConfig or view.vectorSearchConfig
    if config is None:
        return None, ()
    if not config.embeddingColumn:
        return None, (SkippedCheck("embedding-column", "embeddingColumn is not set, so there is no index to search"),)
    columns = (*layout.keys, *layout.features)
    embedding = _index_column(config.embeddingColumn, columns, tables, EMBEDDING, (name, "embeddingColumn"))
    if not embedding.repeated or not (embedding.type == "DOUBLE" or _may_be_floats(embedding, tables, options)):
        raise CannotSync(
            f'the embedding column "{embedding.name}" is {embedding.written_type}; it must be a list of floats',
            steps=(name, "embeddingColumn"),
        )
    index_columns = IndexColumns(
        embedding.name,
        config.embeddingDimension,
        tuple(filter_column.name for filter_column in _filter_columns(config, columns, tables, name)),
        _crowding_column(config, columns, tables, name),
    )
    return index_columns, tuple(_skipped_checks(config))


def _index_column(name: str, columns: Columns, tables: Sequence[ColumnSelection], what: str, steps: Steps) -> Column:
    """The column of an index; for one that the table has and that is not served, the message gives the reason.

    An embedding is returned all the same: no column that is not served is a list of floats.
    """
    for extraction in [] if find_column(name, columns) else tables:
        features = {feature: column for feature, column in extraction.features if column.type == "UNSUPPORTED"}
        moment = extraction.moment if extraction.moment and extraction.moment.name == name else None
        unserved = features.get(name) or moment
        if unserved and what == EMBEDDING:
            return unserved
        if unserved and unserved is not moment:
            raise CannotSync(
                f'the column "{name}" is {unserved.written_type}, which is not a feature type; convert it in the table',
                steps=steps,
            )
        if unserved:
            raise CannotSync(f'the column "{name}" holds the timestamp, which is not served; take another', steps=steps)
    return require_column(name, columns, what, steps)


def _may_be_floats(column: Column, tables: Sequence[ColumnSelection], options: Options) -> bool:
    """Whether a list of integers is one of floats: in files of JSON, which have no types, unless a Source says so."""
    place = next((table.place for table in tables if column.name in [name for name, _ in table.features]), None)
    return (
        column.type == "INT64"
        and place is not None
        and find_column(column.name, place.declared) is None
        and not has_types(place)
    )


def _filter_columns(
    config: IndexConfig, columns: Columns, tables: Sequence[ColumnSelection], name: str
) -> Iterator[Column]:
    for index, filter in enumerate(config.filterColumns or ()):
        yield _index_column(filter, columns, tables, "a filter", (name, "filterColumns", index))


def _crowding_column(config: IndexConfig, columns: Columns, tables: Sequence[ColumnSelection], name: str) -> str | None:
    if not config.crowdingColumn:
        return None
    return _index_column(config.crowdingColumn, columns, tables, "crowding", (name, "crowdingColumn")).name


def _skipped_checks(config: IndexConfig) -> Iterator[SkippedCheck]:
    if config.embeddingDimension is None:
        yield SkippedCheck(
            "wrong-vector-length", "embeddingDimension is not set, so the lengths of vectors are not checked"
        )
