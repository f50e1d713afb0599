"""The statement that finds the latest values of each entity: standard SQL, one text for DuckDB and other engines.

The latest moment of each entity is looked for in the entity id and timestamp columns alone; only rows of that moment
are then read in full, and a row number decides between those that share it. So whole rows are never sorted or held
for entities that have newer ones, and ties come out the same on every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.interface import STANDARD, Dialect, quote_identifier
from trialrun.runtime.feature_view.store.interface import EntityId

RESERVED_NAME = re.compile(
    r"(preference|choice|latest_moment|moment_\d+|key_\d+|group_\d+|touched)(?P<end>_*)$", re.IGNORECASE
)
QUOTED_OR_LINE_BREAK = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*')|\n""")
"""A name or a text, which may have line breaks of its own, or a line break of the statement."""


@dataclass(frozen=True, slots=True)
class SelectedColumn:
    """A feature that is taken from a table: its name, its column, and whether its values may be null."""

    name: str
    column: str
    nullable: bool = True


@dataclass(frozen=True)
class TableSelection:
    """What is taken from one table: columns of the entity id, of the moment, and of features.

    `sparse` takes the latest value of each feature that is not null, else the latest row is taken as it is. `only`
    names a column and the value that rows must have in it.
    """

    table: str
    keys: tuple[str, ...]
    moment: str | None
    features: tuple[SelectedColumn, ...]
    sparse: bool = False
    only: tuple[str, str | int] | None = None

    @property
    def timestamp_indexes(self) -> tuple[int, ...]:
        """For each feature which moment of a row is its own; features that are never null share that of the row."""
        if self.moment is None or not self.sparse:
            return (0,) * len(self.features)
        shared = int(any(not feature.nullable for feature in self.features))
        own = [place for place, column in enumerate(self.features) if column.nullable]
        return tuple(own.index(place) + shared if column.nullable else 0 for place, column in enumerate(self.features))

    @property
    def timestamp_count(self) -> int:
        """How many moments a row has."""
        return max(self.timestamp_indexes, default=0) + 1


@dataclass(frozen=True)
class RowBounds:
    """Which rows count: none after `cutoff`; with `since` all rows of the entities that have one from then on.

    `ids` are the only entities that are asked for.
    """

    cutoff: datetime
    since: datetime | None = None
    ids: tuple[EntityId, ...] | None = None


def latest_rows_statement(extracts: Sequence[TableSelection], bounds: RowBounds, *, dialect: Dialect = STANDARD) -> str:
    """The text. It gives the entity id, the moments and then the features of all extracts, and the choice of each.

    The choice is how many rows there were to choose the latest from, above 1 where values were; it is null where the
    extract has no row of the entity.
    """
    text = _StatementBuilder(extracts, bounds, dialect)
    expressions, lines = text.changed_entities(), text.latest_of_table(extracts[0])
    if len(extracts) > 1:
        groups, lines = text.join_tables()
        expressions += groups
    return "\n".join([*(["WITH " + ",\n".join(expressions)] if expressions else []), *lines])


@dataclass(frozen=True)
class _StatementBuilder:
    extracts: Sequence[TableSelection]
    bounds: RowBounds
    dialect: Dialect

    def reserved_name(self, name: str) -> str:
        """A name of ours that no column and no table has."""
        columns = (name for extract in self.extracts for name in (extract.table, *_column_names(extract)))
        names = (feature.name for extract in self.extracts for feature in extract.features)
        ends = [len(match["end"]) for column in (*columns, *names) if (match := RESERVED_NAME.match(column))]
        return name + "_" * (max(ends, default=-1) + 1)

    @property
    def key_names(self) -> list[str]:
        """What the entity id's columns are called where tables are joined."""
        return [self.reserved_name(f"key_{place}") for place, _ in enumerate(self.extracts[0].keys, 1)]

    def changed_entities(self) -> list[str]:
        """The entities that have rows since the watermark, as a named part of the statement."""
        if self.bounds.since is None:
            return []
        since, cutoff = self.dialect.literal(self.bounds.since), self.dialect.literal(self.bounds.cutoff)
        parts = [
            f"  SELECT {_join_comma(map(quote_identifier, extract.keys))} FROM {quote_identifier(extract.table)}\n"
            f"  WHERE {quote_identifier(extract.moment or '')} >= {since} AND "
            f"{quote_identifier(extract.moment or '')} <= {cutoff}"
            for extract in self.extracts
        ]
        return [
            f"{self.reserved_name('touched')} ({_join_comma(self.key_names)}) AS (\n"
            + "\n  UNION\n".join(parts)
            + "\n)"
        ]

    def latest_of_table(self, extract: TableSelection) -> list[str]:
        """The latest values that one table has."""
        if extract.moment is None:
            return self._any_row(extract)
        return self._sparse(extract, extract.moment) if extract.sparse else self._latest_row(extract, extract.moment)

    def join_tables(self) -> tuple[list[str], list[str]]:
        """The latest values of each table as named parts, and what joins them: one row for an entity of any of them."""
        names = [self.reserved_name(f"group_{place}") for place, _ in enumerate(self.extracts, 1)]
        both = list(zip(names, self.extracts, strict=True))
        select_list = [
            *(f"{_coalesce(f'{name}.{key}' for name in names)} AS {key}" for key in self.key_names),
            *(f"{name}.{moment}" for name, extract in both for moment in self._moment_names(extract)),
            *(f"{name}.{quote_identifier(feature.name)}" for name, extract in both for feature in extract.features),
            *(f"{name}.{self.reserved_name('choice')}" for name in names),
        ]
        lines = [*_select(select_list), f"FROM {names[0]}"]
        for place, name in enumerate(names[1:], 1):
            same = (
                f"{_coalesce(f'{before}.{key}' for before in names[:place])} = {name}.{key}" for key in self.key_names
            )
            lines.append(f"FULL OUTER JOIN {name} ON {' AND '.join(same)}")
        return [self._group(name, extract) for name, extract in both], lines

    def _group(self, name: str, extract: TableSelection) -> str:
        features = (quote_identifier(feature.name) for feature in extract.features)
        columns = [*self.key_names, *self._moment_names(extract), *features, self.reserved_name("choice")]
        return f"{name} ({_join_comma(columns)}) AS (\n" + "\n".join(_indent(self.latest_of_table(extract))) + "\n)"

    def _moment_names(self, extract: TableSelection) -> list[str]:
        return [self.reserved_name(f"moment_{place}") for place in range(1, extract.timestamp_count + 1)]

    def _where(self, extract: TableSelection) -> list[str]:
        conditions = [f"{quote_identifier(key)} IS NOT NULL" for key in extract.keys]
        if extract.moment:
            conditions.append(f"{quote_identifier(extract.moment)} <= {self.dialect.literal(self.bounds.cutoff)}")
        if extract.only:
            conditions.append(f"{quote_identifier(extract.only[0])} = {self.dialect.literal(extract.only[1])}")
        if self.bounds.ids is not None:
            conditions.append(self._id_filter(extract.keys, self.bounds.ids))
        if self.bounds.since is not None:
            conditions.append(
                f"({_join_comma(map(quote_identifier, extract.keys))}) "
                f"IN (SELECT * FROM {self.reserved_name('touched')})"
            )
        return [f"WHERE {conditions[0]}", *(f"  AND {condition}" for condition in conditions[1:])]

    def _row_filter(self, extract: TableSelection) -> list[str]:
        if extract.only is None:
            return []
        return [f"WHERE source.{quote_identifier(extract.only[0])} = {self.dialect.literal(extract.only[1])}"]

    def _id_filter(self, keys: Sequence[str], ids: Sequence[EntityId]) -> str:
        """That a row is of one of the ids, which is first looked up column by column: there may be many ids."""
        if not ids:
            return "1 = 0"
        columns = [dict.fromkeys(column) for column in zip(*ids, strict=True)]
        lists = [self._is_one_of(key, values) for key, values in zip(keys, columns, strict=True)]
        if len(keys) == 1:
            return lists[0]
        by_first: dict[EntityId, list[int | str]] = {}
        for id in dict.fromkeys(ids):
            by_first.setdefault(id[:-1], []).append(id[-1])
        same = [self._id_group(keys, first, last) for first, last in by_first.items()]
        return " AND ".join([*lists, _any_of(same)])

    def _id_group(self, keys: Sequence[str], first: EntityId, last: Iterable[int | str]) -> str:
        """That a row is of one of the ids that differ in their last column alone."""
        same = (
            f"{quote_identifier(key)} = {self.dialect.literal(value)}"
            for key, value in zip(keys[:-1], first, strict=True)
        )
        return f"({' AND '.join([*same, self._is_one_of(keys[-1], last)])})"

    def _is_one_of(self, key: str, values: Iterable[int | str]) -> str:
        return f"{quote_identifier(key)} IN ({_join_comma(map(self.dialect.literal, values))})"

    def _any_row(self, extract: TableSelection) -> list[str]:
        """One row of each entity of a table without moments, the one with the greatest values."""
        inner = [
            *_select([*map(quote_identifier, _column_names(extract)), *self._preferred(extract)]),
            f"FROM {quote_identifier(extract.table)}",
            *self._where(extract),
        ]
        return self._preferred_of(inner, f"CAST(NULL AS TIMESTAMP) AS {self.reserved_name('moment_1')}", extract)

    def _latest_row(self, extract: TableSelection, moment: str) -> list[str]:
        """The latest row of each entity; of several, the one with the greatest values."""
        keys = _join_comma(map(quote_identifier, extract.keys))
        latest = [
            f"SELECT {keys}, MAX({quote_identifier(moment)}) AS {self.reserved_name('latest_moment')}",
            f"FROM {quote_identifier(extract.table)}",
            *self._where(extract),
            f"GROUP BY {keys}",
        ]
        columns = (f"source.{quote_identifier(name)}" for name in _column_names(extract))
        inner = [
            *_select([*columns, *self._preferred(extract, "source.")]),
            f"FROM {quote_identifier(extract.table)} AS source",
            *self._join_latest(
                latest,
                extract.keys,
                f"source.{quote_identifier(moment)} = latest.{self.reserved_name('latest_moment')}",
            ),
            *self._row_filter(extract),
        ]
        return self._preferred_of(inner, quote_identifier(moment), extract)

    def _preferred(self, extract: TableSelection, prefix: str = "") -> list[str]:
        """The place of a row among those of its entity, the greatest values first, and how many these are."""
        keys = _join_comma(prefix + quote_identifier(key) for key in extract.keys)
        columns = dict.fromkeys(feature.column for feature in extract.features) or dict.fromkeys(extract.keys)
        order = ",\n    ".join(f"{prefix}{quote_identifier(name)} DESC NULLS LAST" for name in columns)
        number = f"ROW_NUMBER() OVER (\n  PARTITION BY {keys}\n  ORDER BY\n    {order}\n)"
        return [
            f"{number} AS {self.reserved_name('preference')}",
            f"COUNT(*) OVER (PARTITION BY {keys}) AS {self.reserved_name('choice')}",
        ]

    def _preferred_of(self, inner: Sequence[str], moment: str, extract: TableSelection) -> list[str]:
        features = (_alias(quote_identifier(feature.column), feature.name) for feature in extract.features)
        select_list = [*map(quote_identifier, extract.keys), moment, *features, self.reserved_name("choice")]
        return [
            *_select(select_list),
            "FROM (",
            *_indent(inner),
            ") AS ranked",
            f"WHERE {self.reserved_name('preference')} = 1",
        ]

    def _sparse(self, extract: TableSelection, moment: str) -> list[str]:
        """The latest value of each feature that is not null; of several of one moment, the greatest."""
        names, when = self._moment_names(extract), f"source.{quote_identifier(moment)}"
        both = list(zip(extract.features, extract.timestamp_indexes, strict=True))
        values = [
            f"CASE WHEN {when} = latest.{names[at]} THEN source.{quote_identifier(feature.column)} END"
            for feature, at in both
        ]
        several = "\n  OR ".join(f"COUNT({value}) > 1" for value in values) or "1 = 0"
        select_list = [
            *(f"source.{quote_identifier(key)}" for key in extract.keys),
            *(f"MAX(latest.{name}) AS {name}" for name in names),
            *(
                f"MAX({value}) AS {quote_identifier(feature.name)}"
                for feature, value in zip(extract.features, values, strict=True)
            ),
            f"CASE WHEN {several}\n  THEN 2 ELSE 1 END AS {self.reserved_name('choice')}",
        ]
        moments = [f"latest.{name}" for name in (*names, self.reserved_name("latest_moment"))]
        return [
            *_select(select_list),
            f"FROM {quote_identifier(extract.table)} AS source",
            *self._join_latest(self._moments(extract, moment), extract.keys, f"{when} IN ({_join_comma(moments)})"),
            *self._row_filter(extract),
            f"GROUP BY {_join_comma(f'source.{quote_identifier(key)}' for key in extract.keys)}",
        ]

    def _join_latest(self, latest: Sequence[str], keys: Sequence[str], last: str) -> list[str]:
        first, *others = [*(f"source.{quote_identifier(key)} = latest.{quote_identifier(key)}" for key in keys), last]
        conditions = [f"  ON {first}", *(f"  AND {condition}" for condition in others)]
        return ["JOIN (", *_indent(latest), ") AS latest", *conditions]

    def _moments(self, extract: TableSelection, moment: str) -> list[str]:
        """For each entity the moments of its values that are not null, and of its latest row."""
        maxima = {0: f"MAX({quote_identifier(moment)})"}
        for feature, at in zip(extract.features, extract.timestamp_indexes, strict=True):
            if feature.nullable:
                maxima[at] = (
                    f"MAX(CASE WHEN {quote_identifier(feature.column)} IS NOT NULL THEN {quote_identifier(moment)} END)"
                )
        moments = [f"{maxima[at]} AS {name}" for at, name in enumerate(self._moment_names(extract))]
        latest = f"MAX({quote_identifier(moment)}) AS {self.reserved_name('latest_moment')}"
        keys = list(map(quote_identifier, extract.keys))
        return [
            *_select([*keys, *moments, latest]),
            f"FROM {quote_identifier(extract.table)}",
            *self._where(extract),
            f"GROUP BY {_join_comma(keys)}",
        ]


def _column_names(extract: TableSelection) -> list[str]:
    moment = [extract.moment] if extract.moment else []
    return list(dict.fromkeys([*extract.keys, *moment, *(feature.column for feature in extract.features)]))


def _alias(value: str, name: str) -> str:
    return value if value == quote_identifier(name) else f"{value} AS {quote_identifier(name)}"


def _any_of(conditions: Sequence[str]) -> str:
    """That one of many conditions holds, in halves: engines bound how deep a condition is."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return f"({_any_of(conditions[:half])} OR {_any_of(conditions[half:])})"


def _coalesce(values: Iterable[str]) -> str:
    expressions = list(values)
    return f"COALESCE({_join_comma(expressions)})" if len(expressions) > 1 else expressions[0]


def _select(columns: Sequence[str]) -> list[str]:
    return ["SELECT", *_indent([*(f"{column}," for column in columns[:-1]), columns[-1]])]


def _indent(lines: Iterable[str]) -> list[str]:
    return [f"  {QUOTED_OR_LINE_BREAK.sub(_indent_line_break, text)}" for text in lines]


def _indent_line_break(match: re.Match[str]) -> str:
    return match[1] or "\n  "


def _join_comma(words: Iterable[str]) -> str:
    return ", ".join(words)
