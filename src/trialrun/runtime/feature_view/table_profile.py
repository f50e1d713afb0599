"""What tables say of themselves as a whole: how many rows there are, and those that no sync reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.extraction import ColumnSelection
from trialrun.runtime.feature_view.format_value import format_value
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.source.interface import ColumnConversion, Engine, quote_identifier

MAX_EXAMPLES = 5


@dataclass(frozen=True)
class TableProfile:
    """How many rows there are to read, what is to be said of the others, and the moment that all tables have reached:
    of the newest row of the table that is furthest behind, None where one has no row. `next_row` is the moment of the
    first row that is later than the sync; None where there is none."""

    rows: int
    watermark: datetime | None
    next_row: datetime | None
    findings: tuple[DataFinding, ...]


def profile_tables(plan: SyncPlan, engine: Engine) -> TableProfile:
    """The facts of all tables of a plan; only the columns of entity ids and moments are read. Raises Unreadable."""
    tables = {(table.place.uri, table.moment, table.keys): table for table in reversed(plan.selections)}
    profiles = [_profile_table(plan, selection, engine) for selection in reversed(tables.values())]
    moments = [table_profile.watermark for table_profile in profiles]
    return TableProfile(
        sum(table_profile.rows for table_profile in profiles),
        min((moment for moment in moments if moment), default=None) if all(moments) else None,
        min((profile.next_row for profile in profiles if profile.next_row), default=None),
        (
            *(finding for table_profile in profiles for finding in table_profile.findings),
            *_type_mismatches(plan, engine),
        ),
    )


def _profile_table(plan: SyncPlan, selection: ColumnSelection, engine: Engine) -> TableProfile:
    counted = {"rows": "1 = 1", "null-entity-ids": _null_id(selection)}
    if selection.moment:
        moment, cutoff = quote_identifier(selection.moment.name), engine.dialect.literal(plan.bounds.cutoff)
        counted |= {"null-timestamps": f"{moment} IS NULL", "future-rows": f"{moment} > {cutoff}"}
        read = f"CASE WHEN {moment} <= {cutoff} THEN {moment} END"
        later = f"CASE WHEN {moment} > {cutoff} THEN {moment} END"
        ends = ", ".join(f"CAST({end} AS VARCHAR(40))" for end in (f"MAX({read})", f"MIN({later})"))
    else:
        ends = "NULL, NULL"
    sums = ", ".join(f"COUNT(CASE WHEN {condition} THEN 1 END)" for condition in counted.values())
    ((*counts, newest, following),) = engine.all(f"SELECT {sums}, {ends} FROM {_rows_of(selection, engine)}")
    numbers = dict(zip(counted, counts, strict=True))
    return TableProfile(
        numbers["rows"],
        _parse_timestamp(newest),
        _parse_timestamp(following),
        tuple(_findings(selection, engine, numbers, counted)),
    )


def _parse_timestamp(written: str | None) -> datetime | None:
    """A moment as an engine writes it."""
    return datetime.fromisoformat(written).replace(tzinfo=UTC) if written else None


def _findings(
    selection: ColumnSelection, engine: Engine, numbers: dict[str, int], conditions: dict[str, str]
) -> Iterator[DataFinding]:
    messages = {
        "null-entity-ids": "{} of {} rows with a null in the entity id; they are not served",
        "null-timestamps": "{} of {} rows without a timestamp; they are not read",
        "future-rows": "{} of {} rows later than the sync; they are not read",
    }
    if numbers["rows"] == 0:
        yield DataFinding("empty-source", f'"{selection.place.uri}" has no rows; nothing is served from it')
    for code, message in messages.items():
        if count := numbers.get(code):
            text = message.format(f"{count:,}", f"{numbers['rows']:,}")
            yield DataFinding(
                code, f'"{selection.place.uri}" has {text}', _examples(selection, engine, conditions[code])
            )


def _examples(selection: ColumnSelection, engine: Engine, condition: str) -> list[str]:
    """The first rows of a kind, by the entity id and the moment."""
    columns = [*selection.keys, *([selection.moment] if selection.moment else [])]
    names = [_text(column, engine) for column in columns]
    order = ", ".join(f"{place + 1} NULLS LAST" for place in range(len(names)))
    text = f"SELECT {', '.join(names)} FROM {_rows_of(selection, engine)} WHERE {condition}"
    return [
        ", ".join(f"{column.name} {format_value(value)}" for column, value in zip(columns, row, strict=True))
        for row in engine.all(f"{text} ORDER BY {order} LIMIT {MAX_EXAMPLES}")
    ]


def _type_mismatches(plan: SyncPlan, engine: Engine) -> Iterator[DataFinding]:
    """Values that are not of the type of their column and are read as null, table by table."""
    used: dict[str, set[str]] = {}
    for selection in plan.selections:
        columns = [
            *selection.keys,
            *([selection.moment] if selection.moment else []),
            *(column for _, column in selection.features),
        ]
        used.setdefault(selection.place.uri, set()).update(column.name for column in columns)
    for uri, names in used.items():
        unsure = [reading for reading in engine.readings[uri] if reading.unsure and reading.column.name in names]
        if unsure:
            yield from _table_type_mismatches(uri, engine, unsure)


def _table_type_mismatches(uri: str, engine: Engine, unsure: Sequence[ColumnConversion]) -> Iterator[DataFinding]:
    relation = engine.relation(uri)
    counts = ", ".join(f"COUNT(CASE WHEN {_mismatch_condition(reading)} THEN 1 END)" for reading in unsure)
    for reading, count in zip(unsure, engine.all(f"SELECT {counts} FROM {relation}")[0], strict=True):
        if count:
            text = (
                f"SELECT DISTINCT CAST({reading.raw} AS VARCHAR(200)) FROM {relation} WHERE "
                f"{_mismatch_condition(reading)}"
            )
            rows = engine.all(f"{text} ORDER BY 1 LIMIT {MAX_EXAMPLES}")
            yield DataFinding(
                "value-does-not-fit",
                f'"{uri}" has {count:,} values in column "{reading.column.name}" that are not '
                f"{reading.column.type_text}; they are read as null",
                [format_value(value) for (value,) in rows],
            )


def _mismatch_condition(reading: ColumnConversion) -> str:
    return f"{reading.raw} IS NOT NULL AND ({reading.expression}) IS NULL"


def _rows_of(selection: ColumnSelection, engine: Engine) -> str:
    """The rows that are meant at all: of a RAG source those of its corpus."""
    table = quote_identifier(selection.place.uri)
    if selection.only is None:
        return table
    column, value = selection.only
    condition = f"{quote_identifier(column)} = {engine.dialect.literal(value)}"
    return f"(SELECT * FROM {table} WHERE {condition}) AS selected"


def _text(column: Column, engine: Engine) -> str:
    """The text of an entity id or a moment, the same on all engines."""
    name = quote_identifier(column.name)
    return engine.dialect.timestamp_text.format(name) if column.type == "TIMESTAMP" else f"CAST({name} AS VARCHAR(200))"


def _null_id(selection: ColumnSelection) -> str:
    return " OR ".join(f"{quote_identifier(key.name)} IS NULL" for key in selection.keys)
