"""Random views and the rows of their tables, and what any engine must serve and say of them, by a plain loop.

There is every kind of source, every type, nulls, NaN and hostile names.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from trialrun.runtime.feature_view.column import Type

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=9)
TYPES: tuple[Type, ...] = ("BOOL", "INT64", "DOUBLE", "STRING", "BYTES", "TIMESTAMP")
KINDS = ("warehouse", "no moments", "sparse", "dense", "joined", "rag", "continuous", "ids")
NAN, INFINITY = float("nan"), float("inf")
EARLY = datetime(1900, 2, 3, 4, 5, 6, 789)
VALUES: dict[str, Sequence[Any]] = {
    "BOOL": (True, False),
    "INT64": (0, 1, -1, 7, 2**63 - 1, -(2**63)),
    "DOUBLE": (0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, INFINITY, -INFINITY, NAN),
    "STRING": ("", "a", "A", "ab", "b ", "é", "\uff5e", "\U0001f600", "it's", "10", "9", "[1]", "\\", "a\0b"),
    "BYTES": (b"", b"\x00", b"a", b"a\x00", b"\xff\xfe", b"a\xff"),
    "TIMESTAMP": (datetime(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5, 600), EARLY, datetime(9999, 12, 31)),
}
IDS: dict[str, Sequence[int | str]] = {
    "STRING": ("", "a", "A", "é", "\uff5e", "\U0001f600", "it's", "10", "a\0b"),
    "INT64": (0, 1, 2, -3, 10, 2**63 - 1),
}
NAMES = (
    *("select", "a b", 'say "x"', "it's", "é", "\U0001f600", "line\nbreak", "moment_1", "choice", "preference_", "c0"),
    *("rowid", "source", "latest", "key_1", "touched", "latest_moment_", "group_1", "x" * 60, "0", "a.b", "$1", "{}"),
)
URIS = ("bq://t", "bq://it's", 'say "x"', "é", "source", "latest", "a b\nc", "{0}")
MOMENTS = (NOW - timedelta(hours=1), NOW - timedelta(days=40, microseconds=1), NOW, NOW - timedelta(hours=1), EARLY)
RAG = ("corpusId", "fileId", "chunkId", "chunk_data_type", "chunk_data", "embeddings", "file_original_uri")


@dataclass(frozen=True)
class ColumnType:
    """A type, and whether it is a list of it."""

    type: Type
    repeated: bool = False


@dataclass(frozen=True)
class Table:
    """A table with the columns by name; moments are in UTC without a zone."""

    uri: str
    columns: Mapping[str, ColumnType]
    keys: tuple[str, ...]
    moment: str | None
    rows: Sequence[Sequence[Any]]
    later: Sequence[Sequence[Any]] = ()
    sparse: bool = False
    only: tuple[str, str] | None = None

    @property
    def features(self) -> list[str]:
        """The columns that are served."""
        return [name for name in self.columns if name not in (*self.keys, self.moment)]


@dataclass(frozen=True)
class RandomView:
    """A view of some tables: its document, those of its groups, and what of it is asked for."""

    kind: str
    tables: Sequence[Table]
    document: Mapping[str, Any]
    groups: Sequence[Mapping[str, Any]] = ()
    ids: Sequence[tuple[int | str, ...]] | None = None
    dimension: int | None = None

    @property
    def is_incremental(self) -> bool:
        """Whether later rows come and are synced as well."""
        return any(table.later for table in self.tables)


def random_view(seed: int) -> RandomView:
    """The view of a seed."""
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    if kind in ("sparse", "dense", "joined") or (kind == "continuous" and draw.random() < 0.4):
        return _registry(draw, kind)
    if kind == "rag":
        return _rag(draw)
    table = _table(draw, 0, kind, has_moments=kind != "no moments")
    document: dict[str, Any] = {"warehouseSource": {"uri": table.uri, "entityIdColumns": list(table.keys)}}
    if kind == "continuous":
        document["syncConfig"] = {"continuous": True}
    ids = _ids(draw, table) if kind == "ids" else None
    return _with_index(draw, RandomView(kind, [table], document, ids=ids))


def _table(draw: random.Random, place: int, kind: str, *, has_moments: bool, keys: Sequence[str] = ()) -> Table:
    names = draw.sample(NAMES, 9)
    key_types = list(keys) or [draw.choice(("STRING", "INT64")) for _ in range(draw.choice((1, 1, 2)))]
    columns = {f"{names.pop()}": ColumnType(type) for type in key_types}
    id_names = tuple(columns)
    moment = draw.choice(("feature_timestamp", names.pop())) if has_moments else None
    if moment:
        columns[moment] = ColumnType("TIMESTAMP")
    for _ in range(draw.randint(1, 5)):
        columns[f"{names.pop()}{'' if kind != 'joined' else place}"] = ColumnType(
            draw.choice(TYPES), draw.random() < 0.35
        )
    shuffled = list(columns.items())
    draw.shuffle(shuffled)
    table = Table(draw.choice(URIS[place::3]), dict(shuffled), id_names, moment, ())
    later = _rows(draw, table, is_later=True) if kind == "continuous" and draw.random() < 0.8 else ()
    return replace(table, rows=_rows(draw, table), later=later)


def _rows(draw: random.Random, table: Table, *, is_later: bool = False) -> list[list[Any]]:
    """Rows that often share their entity, moment and values."""
    domain = {name: _domain(draw, name, table, is_later=is_later) for name in table.columns}
    return [[draw.choice(domain[name]) for name in table.columns] for _ in range(draw.choice((0, 1, 4, 9, 14, 40)))]


def _domain(draw: random.Random, name: str, table: Table, *, is_later: bool) -> list[Any]:
    column = table.columns[name]
    null: list[Any] = [None] if draw.random() < 0.6 else []
    if name in table.keys:
        return [*draw.sample(IDS[column.type], draw.choice((2, 3, 6))), *null]
    if name == table.moment:
        moments = [LATER - timedelta(hours=1), NOW + timedelta(seconds=1)] if is_later else [*MOMENTS]
        future = [] if draw.random() < 0.5 else [(LATER if is_later else NOW) + timedelta(microseconds=1)]
        return [moment.replace(tzinfo=None) for moment in [*draw.sample(moments, 2), *future]] + null
    values = VALUES[column.type]
    if column.repeated:
        lists = [[draw.choice(values) for _ in range(draw.randint(0, 3))] for _ in range(3)]
        return [*lists, *[[*items, draw.choice(values)] for items in lists[:1]], *null]
    return [*draw.sample(values, 2), *null]


def _registry(draw: random.Random, kind: str) -> RandomView:
    keys = [draw.choice(("STRING", "INT64")) for _ in range(draw.choice((1, 1, 2)))]
    tables, groups, asked = [], [], []
    for place in range(1 if kind in ("sparse", "dense") else draw.choice((2, 2, 3))):
        table = _table(draw, place, "joined", has_moments=True, keys=keys)
        is_sparse = kind == "sparse" or (kind != "dense" and draw.random() < 0.5)
        later = _rows(draw, table, is_later=True) if kind == "continuous" else ()
        table = replace(table, later=later, sparse=is_sparse)
        group = {"featureGroupId": f"g{place}", "uri": table.uri, "entityIdColumns": list(table.keys)}
        features = [{"id": name} for name in table.features]
        groups.append(group | {"timestampColumn": table.moment, "dense": not is_sparse, "features": features})
        asked.append({"featureGroupId": f"g{place}", "featureIds": table.features})
        tables.append(table)
    document: dict[str, Any] = {"featureRegistrySource": {"featureGroups": asked}}
    if kind == "continuous":
        document["syncConfig"] = {"continuous": True}
    return RandomView(kind, tables, document, groups)


def _rag(draw: random.Random) -> RandomView:
    columns = {name: ColumnType("DOUBLE", True) if name == "embeddings" else ColumnType("STRING") for name in RAG}
    if draw.random() < 0.7:
        columns["feature_timestamp"] = ColumnType("TIMESTAMP")
    moment = "feature_timestamp" if "feature_timestamp" in columns else None
    table = Table(draw.choice(URIS), columns, ("chunkId",), moment, ())
    rows = _rows(draw, table)
    for row in rows:
        row[0] = draw.choice(("7", "8"))
    only = ("corpusId", "7") if draw.random() < 0.6 else None
    source = {"uri": table.uri} | ({"ragCorpusId": 7} if only else {})
    table = replace(table, rows=rows, only=only)
    return _with_index(draw, RandomView("rag", [table], {"ragSource": source}))


def _with_index(draw: random.Random, view: RandomView) -> RandomView:
    (table,) = view.tables
    vectors = [name for name in table.features if table.columns[name] == ColumnType("DOUBLE", True)]
    if not vectors:
        return view
    texts = [name for name in table.features if table.columns[name] == ColumnType("STRING")]
    config = {"embeddingColumn": vectors[0], "embeddingDimension": 2, "filterColumns": texts, "bruteForceConfig": {}}
    return replace(view, document={**view.document, "indexConfig": config}, dimension=2)


def _ids(draw: random.Random, table: Table) -> list[tuple[int | str, ...]]:
    domains = [IDS[table.columns[key].type] for key in table.keys]
    return [tuple(draw.choice(domain) for domain in domains) for _ in range(draw.randint(0, 6))]


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
    return None if all(item is not None and abs(item) < 1e38 for item in vector) else "non-finite-vectors"


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
