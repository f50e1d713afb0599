"""The plan of a sync: its statements, row layout and checks, made from table schemas alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from trialrun.runtime.declaration import Catalog, DeclaredResource, documents_digest
from trialrun.runtime.feature_view.column import Column, find_column
from trialrun.runtime.feature_view.data_finding import CannotSync, DataFinding
from trialrun.runtime.feature_view.extraction import ColumnSelection, require_column, select_columns
from trialrun.runtime.feature_view.latest_rows_sql import RowBounds, latest_rows_statement
from trialrun.runtime.feature_view.source.columns import columns_read, table_columns
from trialrun.runtime.feature_view.source.engine import EngineCache, engine_dialect
from trialrun.runtime.feature_view.source.interface import Dialect, Engine, Statement
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, assumption_of, has_types
from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView

MAX_SHOWN = 6
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


@dataclass(frozen=True)
class SyncPlan:
    """How a view is synced: `statement` is what is run over the tables of `selections`, and `layout` what it gives.

    `checks` says what was found in order, `findings` what was not and does not stop a sync, and `skipped` what only the
    rows can tell. `incremental` says that it asks only for entities with rows since the last watermark. `digest` is of
    what the documents say of its rows, then of what it takes from where, whenever that is. `assumptions` are ids of
    docs/assumptions.md.
    """

    view: str
    statement: Statement
    layout: RowLayout
    checks: tuple[str, ...]
    skipped: tuple[DataFinding, ...]
    assumptions: tuple[str, ...]
    digest: str
    findings: tuple[DataFinding, ...]
    selections: tuple[ColumnSelection, ...]
    bounds: RowBounds
    index: IndexColumns | None = None

    @property
    def incremental(self) -> bool:
        """Whether only entities with newer rows are asked for."""
        return self.bounds.since is not None


def build_plan(
    view: DeclaredResource[FeatureView],
    catalog: Catalog,
    *,
    cutoff: datetime,
    since: datetime | None = None,
    ids: Sequence[EntityId] | None = None,
    options: Options = DEFAULT_OPTIONS,
    engine: EngineCache | None = None,
) -> SyncPlan:
    """The plan of a sync of rows until the cutoff, of entities with rows after `since`, or of some ids.

    Only schemas are read, by an `engine` that is kept for the rows if there is one. Raises CannotSync.
    """

    columns_of: dict[TableLocation, Columns] = {}

    def read(place: TableLocation) -> tuple[TableLocation, Columns]:
        place = replace(place, as_of=cutoff)
        columns_of[place] = columns_read(place, engine.of([place])) if engine else table_columns(place, options)
        return place, columns_of[place]

    selections = select_columns(view.node, catalog, read)
    served = _served_selections(selections)
    dialect = engine_dialect(options)
    rows = _row_layout(served)
    layout = replace(rows, keys=selections[0].keys)
    index, skipped = _find_index_columns(view.node, layout, selections)
    since = since if all(selection.moment for selection in served) else None
    # Statements write moments in UTC without saying so.
    bounds = RowBounds(
        cutoff.astimezone(UTC).replace(tzinfo=None),
        since and since.astimezone(UTC).replace(tzinfo=None),
        None if ids is None else tuple(ids),
    )
    text = latest_rows_statement(served, bounds, dialect=dialect)
    taken = [replace(one, place=replace(one.place, folder=""), steps=(), key_steps=()) for one in served]
    return SyncPlan(
        view.node.name or "",
        Statement(text, rows, len(served)),
        layout,
        tuple(_check_texts(served, index)),
        skipped,
        tuple(_assumptions(served, dialect, view.node, bounds)),
        documents_digest(view.node, catalog) + sha256(repr((taken, layout)).encode()).hexdigest()[:16],
        (*_column_findings(selections), *_missing_columns(columns_of)),
        served,
        bounds,
        index,
    )


@contextmanager
def open_engine_of(plan: SyncPlan, engines: EngineCache) -> Iterator[Engine]:
    """The engine of a plan's tables, for as long as it is needed. Raises CannotSync, also for what it cannot read."""
    try:
        yield engines.of([selection.place for selection in plan.selections])
    except Unreadable as error:
        raise CannotSync(f"the rows cannot be read: {error}", steps=plan.selections[0].steps) from error


def _served_selections(selections: Sequence[ColumnSelection]) -> tuple[ColumnSelection, ...]:
    """What is served of it: features of supported types, and tables with such features. Raises CannotSync for none."""
    served = []
    for selection in selections:
        features = tuple(feature for feature in selection.features if feature[1].type != "UNSUPPORTED")
        served += [replace(selection, features=features)] if features else []
    if served:
        return tuple(served)
    first = selections[0]
    columns = [column for selection in selections for _, column in selection.features]
    types = _first_of([f'"{column.name}" is {column.written_type}' for column in columns])
    if columns and first.steps[0] == "featureRegistrySource":
        raise CannotSync(
            f"the features of the view have types that cannot be served: {types}; take one of another type",
            steps=first.steps,
        )
    keys = ", ".join(f'"{key.name}"' for key in first.keys)
    why = f"{types}, which is not a feature type" if columns else "it has no other columns"
    raise CannotSync(f'"{first.place.uri}" has nothing to serve besides {keys}; {why}', steps=first.steps)


def _row_layout(served: Sequence[ColumnSelection]) -> RowLayout:
    """The rows of the statement over all tables: features of each keep the moments that they have there."""
    timestamp_indexes: list[int] = []
    for selection in served:
        first = max(timestamp_indexes, default=-1) + 1
        timestamp_indexes += [first + index for index in selection.timestamp_indexes]
    features = tuple(replace(column, name=name) for selection in served for name, column in selection.features)
    return RowLayout(served[0].keys, features, tuple(timestamp_indexes) if any(timestamp_indexes) else ())


def _column_findings(selections: Sequence[ColumnSelection]) -> Iterator[DataFinding]:
    features = [feature for selection in selections for feature in selection.features]
    columns = [(name, column) for name, column in features if column.type == "UNSUPPORTED"]
    if columns:
        names = _first_of([f'"{name}"' for name, _ in columns])
        has, are = ("has a type", "is") if len(columns) == 1 else ("have types", "are")
        yield DataFinding(
            "unsupported-type",
            f"{len(columns)} of the features {has} that cannot be served, and {are} left out: {names}; "
            "convert the column in the table",
            [f"{name}: {column.type_text}" for name, column in columns[:5]],
        )
    for selection in selections:
        read = (*selection.keys, *(column for _, column in selection.features))
        actual = {column.name.casefold(): column for column in read}
        differ = [
            f"{declared.name}: declared {declared.type_text}, is {column.type_text}"
            for declared in selection.place.declared
            if (column := actual.get(declared.name.casefold()))
            and (declared.type, declared.repeated) != (column.type, column.repeated)
        ]
        if differ:
            yield DataFinding(
                "declared-otherwise",
                f'the Source of "{selection.place.uri}" declares {len(differ)} of its columns with other types than '
                "the table has; fix the Source",
                differ[:5],
            )


def _missing_columns(columns_of: Mapping[TableLocation, Columns]) -> Iterator[DataFinding]:
    """The columns that a Source declares and its table does not have."""
    for place, columns in columns_of.items():
        names = {column.name.casefold() for column in columns}
        missing = [column.name for column in place.declared if column.name.casefold() not in names]
        if missing:
            shown = _first_of([f'"{name}"' for name in missing])
            yield DataFinding(
                "declared-missing",
                f'the Source of "{place.uri}" declares columns that the table does not have: {shown}; add them to '
                "the table, or fix the Source",
                missing[:5],
            )


def _check_texts(served: Sequence[ColumnSelection], index: IndexColumns | None) -> Iterator[str]:
    for selection in served:
        keys = ", ".join(f"{key.name} {key.type_text}" for key in selection.keys)
        yield f'"{selection.place.uri}" exists and has the entity id columns {keys}'
        if selection.moment:
            yield f'"{selection.place.uri}" has the timestamp column {selection.moment.name}'
    if index:
        yield f"the embedding column {index.embedding} is a list of numbers"
        if index.filters:
            yield f"the filter columns {', '.join(index.filters)} exist"
        if index.crowding:
            yield f"the crowding column {index.crowding} exists"


def _assumptions(
    served: Sequence[ColumnSelection], dialect: Dialect, view: FeatureView, bounds: RowBounds
) -> Iterator[str]:
    """The rows of docs/assumptions.md that this plan rests on; those that only some rows bring in come with them."""
    yield "sync-types"
    if view.featureRegistrySource:
        if any(selection.sparse for selection in served):
            yield "sync-sparse"
        if any(not selection.sparse for selection in served):
            yield "sync-dense"
        if len(served) > 1:
            yield "sync-groups"
    else:
        yield "sync-latest-row" if served[0].moment else "sync-no-moment"
    if view.ragSource:
        yield "sync-rag"
    if any(selection.moment for selection in served):
        yield "sync-cutoff"
    if bounds.since:
        yield "sync-incremental"
    yield from dialect.assumptions
    yield from dict.fromkeys(filter(None, (assumption_of(selection.place) for selection in served)))


def _find_index_columns(
    view: FeatureView, layout: RowLayout, tables: Sequence[ColumnSelection]
) -> tuple[IndexColumns | None, tuple[DataFinding, ...]]:
    """The columns of the index of a view, None where it has none, and what only the rows tell. Raises CannotSync.

    `tables` are what is taken from each table, also what is not served of it.
    """
    name = "indexConfig" if view.indexConfig else "vectorSearchConfig"
    config = view.indexConfig or view.vectorSearchConfig
    if config is None:
        unknown = view.unknown_value("indexConfig")
        return None, (DataFinding("embedding-column", f"its {unknown.words}"),) if unknown else ()
    if unknown := config.unknown_value("embeddingColumn"):
        return None, (DataFinding("embedding-column", f"its {unknown.words}, so there is no index to search"),)
    if not config.embeddingColumn:
        return None, (DataFinding("embedding-column", "embeddingColumn is not set, so there is no index to search"),)
    columns = (*layout.keys, *layout.features)
    embedding = _index_column(config.embeddingColumn, columns, tables, EMBEDDING, (name, "embeddingColumn"))
    if not embedding.repeated or not (embedding.type == "DOUBLE" or _may_be_floats(embedding, tables)):
        raise CannotSync(
            f'the embedding column "{embedding.name}" is {embedding.written_type}; it must be a list of floats',
            steps=(name, "embeddingColumn"),
        )
    filters = [
        _index_column(filter, columns, tables, "a filter", (name, "filterColumns", index)).name
        for index, filter in enumerate(config.filterColumns or ())
    ]
    crowding = config.crowdingColumn or None
    if crowding:
        crowding = _index_column(crowding, columns, tables, "crowding", (name, "crowdingColumn")).name
    index_columns = IndexColumns(embedding.name, config.embeddingDimension, tuple(filters), crowding)
    if config.embeddingDimension is None:
        unknown = config.unknown_value("embeddingDimension")
        why = f"its {unknown.words}" if unknown else "embeddingDimension is not set"
        reason = f"{why}, so the lengths of vectors are not checked"
        return index_columns, (DataFinding("wrong-vector-length", reason),)
    return index_columns, ()


def _index_column(name: str, columns: Columns, tables: Sequence[ColumnSelection], what: str, steps: Steps) -> Column:
    """The column of an index; for one that the table has and that is not served, the message gives the reason.

    An embedding is returned all the same: no column that is not served is a list of floats.
    """
    for table in [] if find_column(name, columns) else tables:
        unserved = [column for feature, column in table.features if column.type == "UNSUPPORTED" and feature == name]
        moment = [table.moment] if table.moment and table.moment.name == name else []
        if what == EMBEDDING and (unserved or moment):
            return (unserved or moment)[0]
        if unserved:
            raise CannotSync(
                f'the column "{name}" is {unserved[0].written_type}, which is not a feature type; '
                "convert it in the table",
                steps=steps,
            )
        if moment:
            raise CannotSync(f'the column "{name}" holds the timestamp, which is not served; take another', steps=steps)
    return require_column(name, columns, what, steps)


def _may_be_floats(column: Column, tables: Sequence[ColumnSelection]) -> bool:
    """Whether a list of integers is one of floats: in files of JSON, which have no types, unless a Source says so."""
    place = next((table.place for table in tables if column.name in [name for name, _ in table.features]), None)
    return (
        column.type == "INT64"
        and place is not None
        and find_column(column.name, place.declared) is None
        and not has_types(place)
    )


def _first_of(shown: Sequence[str]) -> str:
    """The first of some texts, for a message, and how many there are besides."""
    first = ", ".join(shown[:MAX_SHOWN])
    return f"{first} and {len(shown) - MAX_SHOWN} more" if len(shown) > MAX_SHOWN else first
