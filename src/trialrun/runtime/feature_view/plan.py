"""The plan of a sync: its statements, row layout and checks, made from table schemas alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NoReturn

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.data_finding import CannotSync, DataFinding, SkippedCheck
from trialrun.runtime.feature_view.extraction import ColumnSelection, select_columns
from trialrun.runtime.feature_view.index_columns import IndexColumns, find_index_columns
from trialrun.runtime.feature_view.latest_rows_sql import RowBounds, latest_rows_statement
from trialrun.runtime.feature_view.source.columns import columns_read, table_columns
from trialrun.runtime.feature_view.source.engine import EngineCache, engine_kind
from trialrun.runtime.feature_view.source.interface import Engine, EngineKind, Statement
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, assumption_of
from trialrun.runtime.feature_view.source_documents import digest_documents as documents_digest
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.store.interface import EntityId


MAX_SHOWN = 6


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
    skipped: tuple[SkippedCheck, ...]
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

    def columns(place: TableLocation) -> tuple[Column, ...]:
        place = replace(place, as_of=cutoff)
        return columns_read(place, engine.of([place])) if engine else table_columns(place, options)

    selections = tuple(
        replace(selection, place=replace(selection.place, as_of=cutoff))
        for selection in select_columns(view.node, catalog, columns)
    )
    served = _served_selections(selections)
    kind = engine_kind(options)
    findings = (*_unsupported_columns(selections), *_mismatched_declarations(selections))
    layout = replace(row_layout(served), keys=selections[0].keys)
    index, skipped = find_index_columns(view.node, layout, selections, options)
    since = since if all(selection.moment for selection in served) else None
    bounds = RowBounds(_to_naive_utc(cutoff), since and _to_naive_utc(since), None if ids is None else tuple(ids))
    text = latest_rows_statement([selection.extract for selection in served], bounds, dialect=kind.dialect)
    return SyncPlan(
        view.node.name or "",
        Statement(text, row_layout(served), len(served)),
        layout,
        tuple(_check_texts(served, index)),
        skipped,
        tuple(_assumptions(served, kind, view.node, bounds)),
        documents_digest(view.node, catalog) + _digest(served, layout),
        findings,
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


def row_layout(selections: Sequence[ColumnSelection]) -> RowLayout:
    """The layout of the rows that are selected from some tables: the keys of the first, the features of all."""
    features = tuple(replace(column, name=name) for selection in selections for name, column in selection.features)
    timestamp_indexes: list[int] = []
    for selection in selections:
        first = max(timestamp_indexes, default=-1) + 1
        timestamp_indexes += [first + index for index in selection.extract.timestamp_indexes]
    return RowLayout(selections[0].keys, features, tuple(timestamp_indexes) if any(timestamp_indexes) else ())


def _served_selections(selections: Sequence[ColumnSelection]) -> tuple[ColumnSelection, ...]:
    """What is served of it: features of supported types, and tables with such features."""
    supported = [
        replace(
            column_selection,
            features=tuple(feature for feature in column_selection.features if feature[1].type != "UNSUPPORTED"),
        )
        for column_selection in selections
    ]
    served = tuple(column_selection for column_selection in supported if column_selection.features)
    if not served:
        _refuse_without_features(selections)
    return served


def _refuse_without_features(selections: Sequence[ColumnSelection]) -> NoReturn:
    """Say that nothing can be served, and why, in the words of the rule column-type. Raises CannotSync."""
    first = selections[0]
    columns = [column for selection in selections for _, column in selection.features]
    types = ", ".join(f'"{column.name}" is {column.written_type}' for column in columns[:MAX_SHOWN])
    if columns and first.steps[0] == "featureRegistrySource":
        raise CannotSync(
            f"the features of the view have types that cannot be served: {types}; take one of another type",
            steps=first.steps,
        )
    keys = ", ".join(f'"{key.name}"' for key in first.keys)
    why = f"{types}, which is not a feature type" if columns else "it has no other columns"
    raise CannotSync(f'"{first.place.uri}" has nothing to serve besides {keys}; {why}', steps=first.steps)


def _unsupported_columns(selections: Sequence[ColumnSelection]) -> Iterator[DataFinding]:
    columns = [
        (name, column)
        for column_selection in selections
        for name, column in column_selection.features
        if column.type == "UNSUPPORTED"
    ]
    if columns:
        names = ", ".join(f'"{name}"' for name, _ in columns[:MAX_SHOWN])
        yield DataFinding(
            "unsupported-type",
            f"{len(columns)} of the features {'has a type' if len(columns) == 1 else 'have types'} that cannot be "
            f"served, and {'is' if len(columns) == 1 else 'are'} left out: {names}; convert the column in the table",
            [f"{name}: {column.type_text}" for name, column in columns[:5]],
        )


def _mismatched_declarations(selections: Sequence[ColumnSelection]) -> Iterator[DataFinding]:
    """Columns that a Source declares otherwise than its table has them, of those that are read."""
    for column_selection in selections:
        read = {
            column.name.casefold(): column
            for column in (*column_selection.keys, *(column for _, column in column_selection.features))
        }
        differ = [
            f"{declared.name}: declared {declared.type_text}, is {actual.type_text}"
            for declared in column_selection.place.declared
            if (actual := read.get(declared.name.casefold()))
            and (declared.type, declared.repeated) != (actual.type, actual.repeated)
        ]
        if differ:
            yield DataFinding(
                "declared-otherwise",
                f'the Source of "{column_selection.place.uri}" declares '
                f"{len(differ)} of its columns with other types than the table "
                "has; fix the Source",
                differ[:5],
            )


def _check_texts(served: Sequence[ColumnSelection], index: IndexColumns | None) -> Iterator[str]:
    for column_selection in served:
        keys = ", ".join(f"{key.name} {key.type_text}" for key in column_selection.keys)
        yield f'"{column_selection.place.uri}" exists and has the entity id columns {keys}'
        if column_selection.moment:
            yield f'"{column_selection.place.uri}" has the timestamp column {column_selection.moment.name}'
    if index:
        yield f"the embedding column {index.embedding} is a list of numbers"
        if index.filters:
            yield f"the filter columns {', '.join(index.filters)} exist"
        if index.crowding:
            yield f"the crowding column {index.crowding} exists"


def _assumptions(
    served: Sequence[ColumnSelection], kind: EngineKind, view: FeatureView, bounds: RowBounds
) -> Iterator[str]:
    """The rows of docs/assumptions.md that this plan rests on; those that only some rows bring in come with them."""
    yield "sync-types"
    if view.featureRegistrySource:
        if any(column_selection.sparse for column_selection in served):
            yield "sync-sparse"
        if any(not column_selection.sparse for column_selection in served):
            yield "sync-dense"
        if len(served) > 1:
            yield "sync-groups"
    else:
        yield "sync-latest-row" if served[0].moment else "sync-no-moment"
    if view.ragSource:
        yield "sync-rag"
    if any(column_selection.moment for column_selection in served):
        yield "sync-cutoff"
    if bounds.since:
        yield "sync-incremental"
    yield from kind.assumptions
    yield from dict.fromkeys(filter(None, (assumption_of(column_selection.place) for column_selection in served)))


def _digest(served: Sequence[ColumnSelection], layout: RowLayout) -> str:
    taken = [(replace(column_selection.place, folder=""), column_selection.extract) for column_selection in served]
    return sha256(repr((taken, layout)).encode()).hexdigest()[:16]


def _to_naive_utc(moment: datetime) -> datetime:
    """A moment in UTC without saying so, as statements write it."""
    return moment.astimezone(UTC).replace(tzinfo=None)
