"""The latest rows of random views by a plain loop over the rows: what any engine must serve, and say of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.runtime.feature_view.random_views import ColumnType, RandomView, Table

Id = tuple[int | str, ...]
Value = tuple[Any, datetime | None]
EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Entity:
    """An entity: its features with the moments that they are of, and how many rows each table had to choose from."""

    values: dict[str, Value]
    choices: tuple[int | None, ...]


def order_of(value: Any) -> tuple[Any, ...]:
    """A key by which values of a type are ordered: nulls least, and NaN above infinity."""
    if value is None:
        return (0,)
    if isinstance(value, list):
        return (1, [order_of(item) for item in value])
    return (1, 1, 0) if isinstance(value, float) and math.isnan(value) else (1, 0, value)


def latest(view: RandomView, cutoff: datetime) -> dict[Id, Entity]:
    """The entities that are served by the rows until a moment, in the order of their ids."""
    by_table = [_latest_of_table(table, cutoff) for table in view.tables]
    ids = {id for entities in by_table for id in entities}
    if view.ids is not None:
        ids &= set(view.ids)
    return {id: _joined(view, [entities.get(id) for entities in by_table]) for id in sorted(ids)}


def _joined(view: RandomView, parts: Sequence[Entity | None]) -> Entity:
    values: dict[str, Value] = {}
    for table, part in zip(view.tables, parts, strict=True):
        values |= part.values if part else dict.fromkeys(table.features, (None, None))
    return Entity(values, tuple(part.choices[0] if part else None for part in parts))


def _latest_of_table(table: Table, cutoff: datetime) -> dict[Id, Entity]:
    groups: dict[Id, list[dict[str, Any]]] = {}
    for row in selected(table):
        id = tuple(row[key] for key in table.keys)
        if None not in id and (table.moment is None or (row[table.moment] and row[table.moment] <= cutoff)):
            groups.setdefault(id, []).append(row)
    choose = _sparse if table.sparse else _row
    return {id: choose(table, rows) for id, rows in groups.items()}


def selected(table: Table) -> list[dict[str, Any]]:
    """The rows that are meant at all."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in (*table.rows, *table.later)]
    return [row for row in rows if table.only is None or row[table.only[0]] == table.only[1]]


def _row(table: Table, rows: Sequence[dict[str, Any]]) -> Entity:
    if table.moment:
        newest = max(row[table.moment] for row in rows)
        rows = [row for row in rows if row[table.moment] == newest]
    row = max(rows, key=lambda row: [order_of(row[name]) for name in table.features])
    moment = row[table.moment] if table.moment else None
    return Entity({name: (row[name], moment) for name in table.features}, (len(rows),))


def _sparse(table: Table, rows: Sequence[dict[str, Any]]) -> Entity:
    assert table.moment
    values: dict[str, Value] = {}
    several = False
    for name in table.features:
        there = [row for row in rows if row[name] is not None]
        newest = max((row[table.moment] for row in there), default=None)
        of_it = [row[name] for row in there if row[table.moment] == newest]
        several |= len(of_it) > 1
        values[name] = (max(of_it, key=order_of, default=None), newest)
    return Entity(values, (2 if several else 1,))


def findings(view: RandomView, cutoff: datetime) -> Iterator[tuple[str, int | None, list[str]]]:
    """The code, the count and the examples of all that is to be said of the rows."""
    for table in view.tables:
        yield from _table_findings(table, cutoff)
    entities = latest(view, cutoff)
    ties = {code: sorted(_several(view, entities, code)) for code in ("timestamp-ties", "duplicate-entity-ids")}
    yield from ((code, len(ids), shown(ids)) for code, ids in ties.items() if ids)
    if view.dimension is not None:
        yield from _vector_findings(view, entities)


def _table_findings(table: Table, cutoff: datetime) -> Iterator[tuple[str, int | None, list[str]]]:
    rows = selected(table)
    if not rows:
        yield "empty-source", None, []
    moment = table.moment
    kinds = {
        "null-entity-ids": [row for row in rows if None in [row[key] for key in table.keys]],
        "null-timestamps": [row for row in rows if moment and row[moment] is None],
        "future-rows": [row for row in rows if moment and row[moment] and row[moment] > cutoff],
    }
    names = [*table.keys, *([moment] if moment else [])]
    for code, of_it in kinds.items():
        texts = [[None if row[name] is None else text_of(row[name]) for name in names] for row in of_it]
        first = sorted(texts, key=lambda row: [(text is None, text or "") for text in row])[:5]
        if of_it:
            yield code, len(of_it), [example(names, row) for row in first]


def example(names: Sequence[str], texts: Sequence[str | None]) -> str:
    """A row as an example shows it."""
    return ", ".join(f"{name} {'null' if text is None else text}" for name, text in zip(names, texts, strict=True))


def text_of(value: Any) -> str:
    """An entity id or a moment in an example."""
    if not isinstance(value, datetime):
        return str(value)
    return value.isoformat(" ", "microseconds").rstrip("0").rstrip(".")


def _several(view: RandomView, entities: dict[Id, Entity], code: str) -> Iterator[Id]:
    for id, entity in entities.items():
        for table, choice in zip(view.tables, entity.choices, strict=True):
            if (choice or 1) > 1 and code == ("timestamp-ties" if table.moment else "duplicate-entity-ids"):
                yield id


def shown(ids: Sequence[Id]) -> list[str]:
    """The first of some ids as examples."""
    return [str(id[0]) if len(id) == 1 else f"({', '.join(map(str, id))})" for id in ids[:5]]


def _vector_findings(view: RandomView, entities: dict[Id, Entity]) -> Iterator[tuple[str, int | None, list[str]]]:
    config = view.document["indexConfig"]
    vectors = {id: entity.values[config["embeddingColumn"]][0] for id, entity in entities.items()}
    codes = {id: _vector_problem(vector, view.dimension) for id, vector in vectors.items()}
    for code in ("null-vectors", "wrong-vector-length", "non-finite-vectors"):
        if ids := [id for id, problem in codes.items() if problem == code]:
            yield code, len(ids), shown(ids)
    table = view.tables[0]
    for name in [name for name in table.features if name in config["filterColumns"]] if entities else []:
        if all(entity.values[name][0] is None for entity in entities.values()):
            yield "null-filter-column", None, []


def _vector_problem(vector: list[float | None] | None, dimension: int | None) -> str | None:
    if vector is None:
        return "null-vectors"
    if len(vector) != dimension:
        return "wrong-vector-length"
    return None if all(item is not None and math.isfinite(item) for item in vector) else "non-finite-vectors"


def microseconds(moment: datetime | None) -> int | None:
    """A moment as engines give it."""
    return None if moment is None else (moment - EPOCH) // timedelta(microseconds=1)


def comparable(value: Any, column: ColumnType) -> Any:
    """A value that equals itself: NaN as a text, and moments in lists without their zone."""
    if isinstance(value, list | tuple):
        return [comparable(item, column) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value
