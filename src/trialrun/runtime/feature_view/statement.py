"""The statement that finds the latest values of each entity: standard SQL, one text for DuckDB and other engines.

The latest moment of each entity is looked for in the entity id and timestamp columns alone; only rows of that moment
are then read in full, and a row number decides between those that share it. So whole rows are never sorted or held
for entities that have newer ones, and ties come out the same on every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.record import dataclass

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.interface import EntityId

Dialect = Literal["standard", "sqlite"]
TIMES = "%Y-%m-%d %H:%M:%S.%f"


@dataclass(frozen=True, slots=True)
class Taken:
    """A feature that is taken from a table: its name, its column, and whether its values may be null."""

    name: str
    column: str
    nullable: bool = True


@dataclass(frozen=True)
class Extract:
    """What is taken from one table: columns of the entity id, of the moment, and of features.

    `sparse` takes the latest value of each feature that is not null, else the latest row is taken as it is. `only`
    names a column and the value that rows must have in it.
    """

    table: str
    keys: tuple[str, ...]
    moment: str | None
    features: tuple[Taken, ...]
    sparse: bool = False
    only: tuple[str, str | int] | None = None


@dataclass(frozen=True)
class Bounds:
    """Which rows count: none after `cutoff`; with `since` all rows of the entities that have a newer one.

    `ids` are the only entities that are asked for.
    """

    cutoff: datetime
    since: datetime | None = None
    ids: tuple[EntityId, ...] | None = None


def statement(
    extracts: Sequence[Extract], bounds: Bounds, *, dialect: Dialect = "standard", ordered: bool = False
) -> str:
    """The text. It gives the entity id, the moment, the features of all extracts, and for each extract its choice.

    The choice is how many rows there were to choose the latest from, above 1 where values were; it is null where the
    extract has no row of the entity. `ordered` asks for the order of the entity ids. Only one extract has a text in
    the dialect of SQLite.
    """
    text = _Text(extracts, bounds, dialect)
    named, lines = text.touched(), text.one(extracts[0])
    if len(extracts) > 1:
        groups, lines = text.joined()
        named += groups
    if ordered:
        lines.append(f"ORDER BY {_comma(str(place) for place, _ in enumerate(extracts[0].keys, 1))}")
    return "\n".join([*(["WITH " + ",\n".join(named)] if named else []), *lines])


def quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object, dialect: Dialect = "standard") -> str:
    """A value as SQL writes it: a text, a number or a moment."""
    if isinstance(value, datetime):
        shown = f"'{value.strftime(TIMES) if value.year >= 1000 else value.isoformat(' ')}'"
        return shown if dialect == "sqlite" else f"TIMESTAMP {shown}"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class _Text:
    extracts: Sequence[Extract]
    bounds: Bounds
    dialect: Dialect

    def touched(self) -> list[str]:
        """The entities that have rows since the watermark, as a named part of the statement."""
        if self.bounds.since is None:
            return []
        since, cutoff = literal(self.bounds.since, self.dialect), literal(self.bounds.cutoff, self.dialect)
        parts = [
            f"  SELECT {_comma(map(quoted, one.keys))} FROM {quoted(one.table)}\n"
            f"  WHERE {quoted(one.moment or '')} > {since} AND {quoted(one.moment or '')} <= {cutoff}"
            for one in self.extracts
        ]
        names = _comma(f"key_{place}" for place, _ in enumerate(self.extracts[0].keys, 1))
        return [f"touched ({names}) AS (\n" + "\n  UNION\n".join(parts) + "\n)"]

    def one(self, extract: Extract) -> list[str]:
        """The latest values that one table has."""
        if extract.moment is None:
            return self._any_row(extract)
        return self._sparse(extract, extract.moment) if extract.sparse else self._latest_row(extract, extract.moment)

    def joined(self) -> tuple[list[str], list[str]]:
        """The latest values of each table as named parts, and what joins them: one row for an entity of any of them."""
        names = [f"group_{place}" for place, _ in enumerate(self.extracts, 1)]
        keys = [f"key_{place}" for place, _ in enumerate(self.extracts[0].keys, 1)]
        both = list(zip(names, self.extracts, strict=True))
        shown = [
            *(f"{_first(f'{name}.{key}' for name in names)} AS {key}" for key in keys),
            f"{_newest([f'{name}.moment' for name in names])} AS moment",
            *(f"{name}.{quoted(one.name)}" for name, extract in both for one in extract.features),
            *(f"{name}.choice AS choice_{place}" for place, name in enumerate(names, 1)),
        ]
        lines = [*_select(shown), f"FROM {names[0]}"]
        for place, name in enumerate(names[1:], 1):
            same = (f"{_first(f'{before}.{key}' for before in names[:place])} = {name}.{key}" for key in keys)
            lines.append(f"FULL OUTER JOIN {name} ON {' AND '.join(same)}")
        return [self._named(name, extract, keys) for name, extract in both], lines

    def _named(self, name: str, extract: Extract, keys: Sequence[str]) -> str:
        columns = [*keys, "moment", *(quoted(one.name) for one in extract.features), "choice"]
        return f"{name} ({_comma(columns)}) AS (\n" + "\n".join(_in(self.one(extract))) + "\n)"

    def _conditions(self, extract: Extract) -> list[str]:
        found = [f"{quoted(key)} IS NOT NULL" for key in extract.keys]
        if extract.moment:
            found.append(f"{quoted(extract.moment)} <= {literal(self.bounds.cutoff, self.dialect)}")
        if extract.only:
            found.append(f"{quoted(extract.only[0])} = {literal(extract.only[1])}")
        if self.bounds.ids is not None:
            found.append(_among(extract.keys, self.bounds.ids))
        if self.bounds.since is not None:
            found.append(f"({_comma(map(quoted, extract.keys))}) IN (SELECT * FROM touched)")
        return found

    def _where(self, extract: Extract) -> list[str]:
        first, *others = self._conditions(extract)
        return [f"WHERE {first}", *(f"  AND {one}" for one in others)]

    def _any_row(self, extract: Extract) -> list[str]:
        """One row of each entity of a table without moments, the one with the greatest values."""
        inner = [
            *_select([*_columns(extract), *_choice(extract)]),
            f"FROM {quoted(extract.table)}",
            *self._where(extract),
        ]
        return _first_of(inner, [*map(quoted, extract.keys), "CAST(NULL AS TIMESTAMP) AS moment"], extract)

    def _latest_row(self, extract: Extract, moment: str) -> list[str]:
        """The latest row of each entity; of several, the one with the greatest values."""
        latest = [
            f"SELECT {_comma(map(quoted, extract.keys))}, MAX({quoted(moment)}) AS latest_moment",
            f"FROM {quoted(extract.table)}",
            *self._where(extract),
            f"GROUP BY {_comma(map(quoted, extract.keys))}",
        ]
        inner = [
            *_select([*_columns(extract, "source."), *_choice(extract, "source.")]),
            f"FROM {quoted(extract.table)} AS source",
            "JOIN (",
            *_in(latest),
            ") AS latest",
            *_on(extract.keys, f"source.{quoted(moment)} = latest.latest_moment"),
            *_only(extract),
        ]
        return _first_of(inner, [*map(quoted, extract.keys), quoted(moment)], extract)

    def _sparse(self, extract: Extract, moment: str) -> list[str]:
        """The latest value of each feature that is not null; of several of one moment, the greatest."""
        at = {one.name: f"latest.moment_{place}" for place, one in enumerate(extract.features, 1) if one.nullable}
        when = f"source.{quoted(moment)}"
        values = {
            name: f"CASE WHEN {when} = {at.get(name, 'latest.latest_moment')} THEN source.{quoted(column)} END"
            for name, column in ((one.name, one.column) for one in extract.features)
        }
        several = "\n  OR ".join(f"COUNT({value}) > 1" for value in values.values()) or "1 = 0"
        shown = [
            *(f"source.{quoted(key)}" for key in extract.keys),
            f"MAX(latest.newest_value) AS {quoted(moment)}",
            *(f"MAX({value}) AS {quoted(name)}" for name, value in values.items()),
            f"CASE WHEN {several}\n  THEN 2 ELSE 1 END AS choice",
        ]
        return [
            *_select(shown),
            f"FROM {quoted(extract.table)} AS source",
            "JOIN (",
            *_in(self._moments(extract, moment)),
            ") AS latest",
            *_on(extract.keys, f"{when} IN ({_comma(['latest.latest_moment', *at.values()])})"),
            *_only(extract),
            f"GROUP BY {_comma(f'source.{quoted(key)}' for key in extract.keys)}",
        ]

    def _moments(self, extract: Extract, moment: str) -> list[str]:
        """For each entity the moment of its latest row, of its newest value, and of the newest of each feature."""
        nullable = [(place, quoted(one.column)) for place, one in enumerate(extract.features, 1) if one.nullable]
        latest = f"MAX({quoted(moment)})"
        newest = latest
        if nullable and len(nullable) == len(extract.features):
            some = " OR ".join(f"{column} IS NOT NULL" for _, column in nullable)
            newest = f"COALESCE(MAX(CASE WHEN {some} THEN {quoted(moment)} END), {latest})"
        each = [
            f"MAX(CASE WHEN {column} IS NOT NULL THEN {quoted(moment)} END) AS moment_{place}"
            for place, column in nullable
        ]
        keys = list(map(quoted, extract.keys))
        return [
            *_select([*keys, f"{latest} AS latest_moment", f"{newest} AS newest_value", *each]),
            f"FROM {quoted(extract.table)}",
            *self._where(extract),
            f"GROUP BY {_comma(keys)}",
        ]


def _first_of(inner: Sequence[str], leading: Sequence[str], extract: Extract) -> list[str]:
    """The rows that come first among those of their entity."""
    features = (_named_as(quoted(one.column), one.name) for one in extract.features)
    preference, choice = _own_names(extract)
    return [*_select([*leading, *features, choice]), "FROM (", *_in(inner), ") AS ranked", f"WHERE {preference} = 1"]


def _own_names(extract: Extract) -> tuple[str, str]:
    """Names for the row number and the count that are not names of columns."""
    taken = {
        name.casefold() for name in [*extract.keys, extract.moment or "", *(one.column for one in extract.features)]
    }
    ends = ("", *(f"_{number}" for number in range(2, len(taken) + 3)))
    end = next(end for end in ends if not {f"preference{end}", f"choice{end}"} & taken)
    return f"preference{end}", f"choice{end}"


def _named_as(value: str, name: str) -> str:
    return value if value == quoted(name) else f"{value} AS {quoted(name)}"


def _columns(extract: Extract, prefix: str = "") -> list[str]:
    names = dict.fromkeys(
        [*extract.keys, *([extract.moment] if extract.moment else []), *(one.column for one in extract.features)]
    )
    return [prefix + quoted(name) for name in names]


def _choice(extract: Extract, prefix: str = "") -> list[str]:
    """The place of a row among those of its entity, the greatest values first, and how many these are."""
    keys = _comma(prefix + quoted(key) for key in extract.keys)
    names = dict.fromkeys(one.column for one in extract.features) or dict.fromkeys(extract.keys)
    order = ",\n    ".join(f"{prefix}{quoted(name)} DESC NULLS LAST" for name in names)
    preference, choice = _own_names(extract)
    number = f"ROW_NUMBER() OVER (\n  PARTITION BY {keys}\n  ORDER BY\n    {order}\n) AS {preference}"
    return [number, f"COUNT(*) OVER (PARTITION BY {keys}) AS {choice}"]


def _only(extract: Extract) -> list[str]:
    return [f"WHERE source.{quoted(extract.only[0])} = {literal(extract.only[1])}"] if extract.only else []


def _on(keys: Sequence[str], last: str) -> list[str]:
    first, *others = [*(f"source.{quoted(key)} = latest.{quoted(key)}" for key in keys), last]
    return [f"  ON {first}", *(f"  AND {one}" for one in others)]


def _among(keys: Sequence[str], ids: Sequence[EntityId]) -> str:
    if not ids:
        return "1 = 0"
    if len(keys) == 1:
        return f"{quoted(keys[0])} IN ({_comma(literal(one[0]) for one in ids)})"
    pairs = (
        " AND ".join(f"{quoted(key)} = {literal(part)}" for key, part in zip(keys, one, strict=True)) for one in ids
    )
    return "(" + " OR ".join(f"({pair})" for pair in pairs) + ")"


def _newest(moments: Sequence[str]) -> str:
    never = "TIMESTAMP '0001-01-01 00:00:00'"
    return f"NULLIF(GREATEST({_comma(f'COALESCE({one}, {never})' for one in moments)}), {never})"


def _first(values: Iterable[str]) -> str:
    found = list(values)
    return f"COALESCE({_comma(found)})" if len(found) > 1 else found[0]


def _select(columns: Sequence[str]) -> list[str]:
    return ["SELECT", *_in([*(f"{one}," for one in columns[:-1]), columns[-1]])]


def _in(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for text in lines for line in text.split("\n")]


def _comma(words: Iterable[str]) -> str:
    return ", ".join(words)
