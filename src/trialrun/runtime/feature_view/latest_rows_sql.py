"""The statement that finds the latest values of each entity: standard SQL, one text for DuckDB and other engines.

The latest moment of each entity is looked for in the entity id and timestamp columns alone; only rows of that moment
are then read in full, and a row number decides between those that share it. So whole rows are never sorted or held
for entities that have newer ones, and ties come out the same on every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from trialrun.runtime.feature_view.extraction import ColumnSelection
from trialrun.runtime.feature_view.source.interface import STANDARD, Dialect, quote_identifier
from trialrun.runtime.feature_view.store.interface import EntityId

RESERVED_NAME = re.compile(
    r"(preference|choice|latest_moment|moment_\d+|key_\d+|group_\d+|touched)(?P<end>_*)$", re.IGNORECASE
)
QUOTED_OR_LINE_BREAK = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*')|\n""")
"""A name or a text, which may have line breaks of its own, or a line break of the statement."""


@dataclass(frozen=True)
class RowBounds:
    """Which rows count: none after `cutoff`; with `since` all rows of the entities that have one from then on.

    `ids` are the only entities that are asked for.
    """

    cutoff: datetime
    since: datetime | None = None
    ids: tuple[EntityId, ...] | None = None


def latest_rows_statement(tables: Sequence[ColumnSelection], bounds: RowBounds, *, dialect: Dialect = STANDARD) -> str:
    """The text. It gives the entity id, the moments and then the features of all tables, and the choice of each.

    The choice is how many rows there were to choose the latest from, above 1 where values were; it is null where the
    table has no row of the entity.
    """
    builder = _StatementBuilder(tables, bounds, dialect)
    parts = [builder.changed_entities(bounds.since)] if bounds.since else []
    if len(tables) == 1:
        lines = builder.latest_of_table(tables[0])
    else:
        groups, lines = builder.join_tables()
        parts += groups
    return "\n".join([*(["WITH " + ",\n".join(parts)] if parts else []), *lines])


@dataclass(frozen=True)
class _StatementBuilder:
    tables: Sequence[ColumnSelection]
    bounds: RowBounds
    dialect: Dialect

    def reserved_name(self, name: str) -> str:
        """A name of ours that no column and no table has."""
        columns = (name for table in self.tables for name in (table.place.uri, *(one.name for one in table.columns)))
        names = (name for table in self.tables for name, _ in table.features)
        ends = [len(match["end"]) for column in (*columns, *names) if (match := RESERVED_NAME.match(column))]
        return name + "_" * (max(ends, default=-1) + 1)

    def _key_names(self) -> list[str]:
        return [self.reserved_name(f"key_{place}") for place, _ in enumerate(self.tables[0].keys, 1)]

    def _moment_names(self, table: ColumnSelection) -> list[str]:
        return [self.reserved_name(f"moment_{place}") for place in range(1, table.timestamp_count + 1)]

    def changed_entities(self, since: datetime) -> str:
        """The entities that have rows since the watermark, as a named part of the statement."""
        start, cutoff = self.dialect.literal(since), self.dialect.literal(self.bounds.cutoff)
        parts = []
        for table in self.tables:
            moment = quote_identifier(table.moment.name if table.moment else "")
            parts.append(
                f"  SELECT {', '.join(_quoted_keys(table))} FROM {quote_identifier(table.place.uri)}\n"
                f"  WHERE {moment} >= {start} AND {moment} <= {cutoff}"
            )
        united = "\n  UNION\n".join(parts)
        return f"{self.reserved_name('touched')} ({', '.join(self._key_names())}) AS (\n{united}\n)"

    def latest_of_table(self, table: ColumnSelection) -> list[str]:
        """The latest values that one table has."""
        if table.moment and table.sparse:
            return self._latest_values(table, quote_identifier(table.moment.name))
        return self._latest_row(table, quote_identifier(table.moment.name) if table.moment else None)

    def join_tables(self) -> tuple[list[str], list[str]]:
        """The latest values of each table as named parts, and what joins them: one row for an entity of any of them."""
        names = [self.reserved_name(f"group_{place}") for place, _ in enumerate(self.tables, 1)]
        choice, key_names, groups = self.reserved_name("choice"), self._key_names(), []
        moments, features = list[str](), list[str]()
        for name, table in zip(names, self.tables, strict=True):
            columns = [*self._moment_names(table), *(quote_identifier(feature) for feature, _ in table.features)]
            moments += [f"{name}.{column}" for column in columns[: table.timestamp_count]]
            features += [f"{name}.{column}" for column in columns[table.timestamp_count :]]
            lines = "\n".join(_indent(self.latest_of_table(table)))
            groups.append(f"{name} ({', '.join([*key_names, *columns, choice])}) AS (\n{lines}\n)")
        keys = (f"{_coalesce(f'{name}.{key}' for name in names)} AS {key}" for key in key_names)
        select = [*_select([*keys, *moments, *features, *(f"{name}.{choice}" for name in names)]), f"FROM {names[0]}"]
        for place, name in enumerate(names[1:], 1):
            same = (f"{_coalesce(f'{before}.{key}' for before in names[:place])} = {name}.{key}" for key in key_names)
            select.append(f"FULL OUTER JOIN {name} ON {' AND '.join(same)}")
        return groups, select

    def _where(self, table: ColumnSelection) -> list[str]:
        keys = _quoted_keys(table)
        conditions = [f"{key} IS NOT NULL" for key in keys]
        if table.moment:
            conditions.append(f"{quote_identifier(table.moment.name)} <= {self.dialect.literal(self.bounds.cutoff)}")
        if table.only:
            conditions.append(self._only(*table.only))
        if self.bounds.ids is not None:
            conditions.append(self._id_filter(keys, self.bounds.ids))
        if self.bounds.since is not None:
            conditions.append(f"({', '.join(keys)}) IN (SELECT * FROM {self.reserved_name('touched')})")
        return [f"WHERE {conditions[0]}", *(f"  AND {condition}" for condition in conditions[1:])]

    def _only(self, column: str, value: str) -> str:
        return f"{quote_identifier(column)} = {self.dialect.literal(value)}"

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
        same = []
        for first, last in by_first.items():  # the ids that differ in their last column alone
            parts = (f"{key} = {self.dialect.literal(value)}" for key, value in zip(keys[:-1], first, strict=True))
            same.append(f"({' AND '.join([*parts, self._is_one_of(keys[-1], last)])})")
        return " AND ".join([*lists, _any_of(same)])

    def _is_one_of(self, key: str, values: Iterable[int | str]) -> str:
        return f"{key} IN ({', '.join(map(self.dialect.literal, values))})"

    def _latest_row(self, table: ColumnSelection, moment: str | None) -> list[str]:
        """The latest row of each entity, any without moments; of several, the one with the greatest values."""
        prefix, choice = "source." if moment else "", self.reserved_name("choice")
        preference, latest_moment = self.reserved_name("preference"), self.reserved_name("latest_moment")
        keys = _quoted_keys(table)
        partition = ", ".join(prefix + key for key in keys)
        ordered = dict.fromkeys(quote_identifier(column.name) for _, column in table.features) or dict.fromkeys(keys)
        order = ",\n    ".join(f"{prefix}{column} DESC NULLS LAST" for column in ordered)
        columns = dict.fromkeys(quote_identifier(column.name) for column in table.columns)
        inner = _select(
            [
                *(prefix + column for column in columns),
                f"ROW_NUMBER() OVER (\n  PARTITION BY {partition}\n  ORDER BY\n    {order}\n) AS {preference}",
                f"COUNT(*) OVER (PARTITION BY {partition}) AS {choice}",
            ]
        )
        if moment:
            latest = [f"SELECT {', '.join(keys)}, MAX({moment}) AS {latest_moment}"]
            inner += self._from_latest(table, latest, f"source.{moment} = latest.{latest_moment}")
        else:
            inner += [f"FROM {quote_identifier(table.place.uri)}", *self._where(table)]
        features = []
        for name, column in table.features:
            value, own = quote_identifier(column.name), quote_identifier(name)
            features.append(value if value == own else f"{value} AS {own}")
        own_moment = moment or f"CAST(NULL AS TIMESTAMP) AS {self.reserved_name('moment_1')}"
        return [
            *_select([*keys, own_moment, *features, choice]),
            "FROM (",
            *_indent(inner),
            ") AS ranked",
            f"WHERE {preference} = 1",
        ]

    def _latest_values(self, table: ColumnSelection, moment: str) -> list[str]:
        """The latest value of each feature that is not null; of several of one moment, the greatest."""
        keys, names, latest_moment = _quoted_keys(table), self._moment_names(table), self.reserved_name("latest_moment")
        maxima, values = {0: f"MAX({moment})"}, []
        for (_, feature), at in zip(table.features, table.timestamp_indexes, strict=True):
            column = quote_identifier(feature.name)
            if not feature.required:
                maxima[at] = f"MAX(CASE WHEN {column} IS NOT NULL THEN {moment} END)"
            values.append(f"CASE WHEN source.{moment} = latest.{names[at]} THEN source.{column} END")
        several = "\n  OR ".join(f"COUNT({value}) > 1" for value in values) or "1 = 0"
        served = (quote_identifier(name) for name, _ in table.features)
        select_list = [
            *(f"source.{key}" for key in keys),
            *(f"MAX(latest.{name}) AS {name}" for name in names),
            *(f"MAX({value}) AS {name}" for name, value in zip(served, values, strict=True)),
            f"CASE WHEN {several}\n  THEN 2 ELSE 1 END AS {self.reserved_name('choice')}",
        ]
        moments = (f"{maxima[at]} AS {name}" for at, name in enumerate(names))
        latest = _select([*keys, *moments, f"MAX({moment}) AS {latest_moment}"])
        is_latest = f"source.{moment} IN ({', '.join(f'latest.{name}' for name in (*names, latest_moment))})"
        group_by = f"GROUP BY {', '.join(f'source.{key}' for key in keys)}"
        return [*_select(select_list), *self._from_latest(table, latest, is_latest), group_by]

    def _from_latest(self, table: ColumnSelection, latest: Sequence[str], is_latest: str) -> list[str]:
        """The rows of a table beside the latest moments of their entities, which `latest` selects, where they match."""
        keys, name = _quoted_keys(table), quote_identifier(table.place.uri)
        moments = [*latest, f"FROM {name}", *self._where(table), f"GROUP BY {', '.join(keys)}"]
        first, *others = [*(f"source.{key} = latest.{key}" for key in keys), is_latest]
        return [
            f"FROM {name} AS source",
            "JOIN (",
            *_indent(moments),
            ") AS latest",
            f"  ON {first}",
            *(f"  AND {condition}" for condition in others),
            *([f"WHERE source.{self._only(*table.only)}"] if table.only else []),
        ]


def _quoted_keys(table: ColumnSelection) -> list[str]:
    return [quote_identifier(key.name) for key in table.keys]


def _any_of(conditions: Sequence[str]) -> str:
    """That one of many conditions holds, in halves: engines bound how deep a condition is."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return f"({_any_of(conditions[:half])} OR {_any_of(conditions[half:])})"


def _coalesce(values: Iterable[str]) -> str:
    expressions = list(values)
    return f"COALESCE({', '.join(expressions)})" if len(expressions) > 1 else expressions[0]


def _select(columns: Sequence[str]) -> list[str]:
    return ["SELECT", *_indent([*(f"{column}," for column in columns[:-1]), columns[-1]])]


def _indent(lines: Iterable[str]) -> list[str]:
    return ["  " + QUOTED_OR_LINE_BREAK.sub(lambda match: match[1] or "\n  ", text) for text in lines]
