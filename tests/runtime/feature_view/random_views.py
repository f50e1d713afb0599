"""Random views and the rows of their tables: every kind of source, every type, nulls, NaN and hostile names."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    dimension: int | None = field(default=None)

    @property
    def is_incremental(self) -> bool:
        """Whether later rows come and are synced as well."""
        return any(table.later for table in self.tables)


def random_view(seed: int) -> RandomView:
    """The view of a seed."""
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    if kind in ("sparse", "dense", "joined"):
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
    return Table(table.uri, table.columns, id_names, moment, _rows(draw, table), later)


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
    for place in range(draw.choice((2, 2, 3)) if kind == "joined" else 1):
        table = _table(draw, place, "joined", has_moments=True, keys=keys)
        is_sparse = kind == "sparse" or (kind == "joined" and draw.random() < 0.5)
        table = Table(table.uri, table.columns, table.keys, table.moment, table.rows, sparse=is_sparse)
        group = {"featureGroupId": f"g{place}", "uri": table.uri, "entityIdColumns": list(table.keys)}
        features = [{"id": name} for name in table.features]
        groups.append(group | {"timestampColumn": table.moment, "dense": not is_sparse, "features": features})
        asked.append({"featureGroupId": f"g{place}", "featureIds": table.features})
        tables.append(table)
    return RandomView(kind, tables, {"featureRegistrySource": {"featureGroups": asked}}, groups)


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
    table = Table(table.uri, columns, table.keys, moment, rows, only=only)
    return _with_index(draw, RandomView("rag", [table], {"ragSource": source}))


def _with_index(draw: random.Random, view: RandomView) -> RandomView:
    (table,) = view.tables
    vectors = [name for name in table.features if table.columns[name] == ColumnType("DOUBLE", True)]
    if not vectors:
        return view
    texts = [name for name in table.features if table.columns[name] == ColumnType("STRING")]
    config = {"embeddingColumn": vectors[0], "embeddingDimension": 2, "filterColumns": texts, "bruteForceConfig": {}}
    document = {**view.document, "indexConfig": config}
    return RandomView(view.kind, view.tables, document, view.groups, view.ids, dimension=2)


def _ids(draw: random.Random, table: Table) -> list[tuple[int | str, ...]]:
    domains = [IDS[table.columns[key].type] for key in table.keys]
    return [tuple(draw.choice(domain) for domain in domains) for _ in range(draw.randint(0, 6))]
