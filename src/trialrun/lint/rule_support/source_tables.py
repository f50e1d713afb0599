"""The tables of a workspace as rules across files see them: what its Sources say, and who names which column.

Facts come from every document that names a uri or its columns; the schema of a table that declares no columns is read
when it is checked, so that a verdict that is kept never rests on data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import NameOrNames, referenced_names, split_names
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.terraform import is_terraform_path
from trialrun.values.suggest import NameIndex
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView, IndexConfig
    from trialrun.model.node import Node


LOCATION_FIELDS = ("files", "format", "database", "table")
INDEX_CONFIGS = ("indexConfig", "vectorSearchConfig")
INDEX_COLUMNS = ("embeddingColumn", "filterColumns", "crowdingColumn")
UNSET_TIMESTAMP_COLUMN = "no timestampColumn"
"""The field of a use that nobody wrote: of the column that holds the timestamp of a group unless it names another."""
IMPLIED_TIMESTAMP_COLUMN = "implied timestampColumn"
"""The field of a use that nobody wrote: of the column that holds the timestamp of a view's table, if it has it."""
DEFAULT_TIMESTAMP_COLUMN = "feature_timestamp"
MAX_SHOWN = 6


class TypedColumn(Protocol):
    """A column of a table, as the runtime reads it."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def type(self) -> str:
        """What a feature of the column would be."""

    @property
    def repeated(self) -> bool:
        """Whether it is a list of that."""

    @property
    def source_type(self) -> str:
        """The words of the table."""

    @property
    def written_type(self) -> str:
        """The type in words for a message: FLOAT where the table says so, though the feature is a DOUBLE."""


ColumnsOf = Callable[[Mapping[str, Any], str], Sequence[TypedColumn] | str]
"""The columns of a Source, known by its fields, in a folder, or the reason why they are unknown."""


class DeclaredSource(NamedTuple):
    """What a Source says; `is_clear` is whether all of its columns could be read. A column is name, type and mode."""

    uri: str | None
    is_clear: bool
    fields: dict[str, Any]


class TableUri(NamedTuple):
    """The uri that a source of a view, or a feature group, names."""

    uri: str


class ColumnUse(NamedTuple):
    """The columns of a table that a field names."""

    uri: str
    field: str
    names: NameOrNames
    dimension: int | None


def source_facts(source: Source) -> Gathered[DeclaredSource]:
    """What a Source says."""
    from trialrun.model.node import TruncatedList

    columns = source.columns or []
    is_refused = source.has("columns") and source.columns is None
    is_cut = isinstance(columns, TruncatedList) or any(None in (column.name, column.type) for column in columns)
    fields: dict[str, Any] = {name: value for name in LOCATION_FIELDS if (value := getattr(source, name)) is not None}
    if columns:
        fields["columns"] = [[column.name, column.type, column.mode or "NULLABLE"] for column in columns]
    if source.timestampColumn:
        fields["timestampColumn"] = source.timestampColumn
    yield source.location("uri"), DeclaredSource(source.uri or None, not (is_refused or is_cut), fields)


def uri_facts(node: Node) -> Gathered[TableUri]:
    """The uri that a source of a view, or a feature group, names."""
    if uri := getattr(node, "uri", None):
        yield node.location("uri"), TableUri(uri)


def uses_of_view(view: FeatureView) -> Gathered[ColumnUse]:
    """The columns that a view names of the table of its uri, and the one that holds the timestamp unless it is told."""
    warehouse = view.warehouseSource
    if warehouse and warehouse.uri:
        yield from _use_facts(warehouse, ("entityIdColumns",), warehouse.uri)
    source = warehouse or view.ragSource
    if source and source.uri and len(view.members("source")) == 1:
        implied = ColumnUse(source.uri, IMPLIED_TIMESTAMP_COLUMN, DEFAULT_TIMESTAMP_COLUMN, None)
        yield source.location("uri"), implied
        for config in index_configs(view):
            yield from _use_facts(config, INDEX_COLUMNS, source.uri, config.embeddingDimension)


def index_configs(view: FeatureView) -> Iterator[IndexConfig]:
    """The index configs of a view: one, if it is right."""
    yield from (config for name in INDEX_CONFIGS if (config := getattr(view, name)) is not None)


def uses_of_group(group: FeatureGroupTable) -> Gathered[ColumnUse]:
    """The columns that a feature group names of its table; the column of a feature is its id.

    The timestamp column of a group that names none is reported at its uri.
    """
    if not group.uri:
        return
    yield from _use_facts(group, ("entityIdColumns", "timestampColumn"), group.uri)
    if not group.has("timestampColumn"):
        yield group.location("uri"), ColumnUse(group.uri, UNSET_TIMESTAMP_COLUMN, DEFAULT_TIMESTAMP_COLUMN, None)
    for feature in group.features or ():
        if feature.column:
            yield from _use_facts(feature, ("column",), group.uri)
        elif not feature.has("column"):
            yield from _use_facts(feature, ("id",), group.uri)


def uses_of_source(source: Source) -> Gathered[ColumnUse]:
    """The column that a Source names of its own table."""
    if source.uri:
        yield from _use_facts(source, ("timestampColumn",), source.uri)


def _use_facts(node: Node, fields: Iterable[str], uri: str, dimension: int | None = None) -> Gathered[ColumnUse]:
    for field in fields:
        yield from ((place, ColumnUse(uri, field, names, dimension)) for place, names in referenced_names(node, field))


def format_names(names: Sequence[str]) -> str:
    """The first of some names, for a message."""
    return first_of([f'"{name}"' for name in names])


def first_of(shown: Sequence[str]) -> str:
    """The first of some texts, for a message, and how many there are besides."""
    first = ", ".join(shown[:MAX_SHOWN])
    return f"{first} and {len(shown) - MAX_SHOWN} more" if len(shown) > MAX_SHOWN else first


@dataclass(frozen=True)
class KnownTable:
    """A table whose columns are known; `source` is the fact of the Source that declares it."""

    source: Fact[DeclaredSource]
    columns: Mapping[str, TypedColumn]

    @property
    def is_declared(self) -> bool:
        """Whether the Source declares them, instead of the table."""
        return "columns" in self.source.value.fields

    @property
    def folder(self) -> str:
        """The folder of the Source."""
        return os.path.dirname(absolute_path(self.source.path))

    @property
    def timestamp(self) -> str:
        """The name of the column that holds the timestamp of a row, unless that is none."""
        name: str = self.source.value.fields.get("timestampColumn", DEFAULT_TIMESTAMP_COLUMN)
        return name

    @property
    def timestamp_column(self) -> TypedColumn | None:
        """The column that holds the timestamp of a row: the named one, else feature_timestamp in any capitals."""
        if named := self.source.value.fields.get("timestampColumn"):
            return self.columns.get(named)
        return next((self.columns[name] for name in self.columns if name.casefold() == DEFAULT_TIMESTAMP_COLUMN), None)

    @cached_property
    def names(self) -> NameIndex:
        """The names of its columns."""
        return NameIndex(self.columns)

    @cached_property
    def formatted_columns(self) -> str:
        """Its first columns, for a message."""
        return format_names(list(self.columns))


class TableIndex:
    """The tables of a workspace by uri; of several Sources of one uri the first counts."""

    def __init__(
        self,
        sources: Iterable[Fact[DeclaredSource]],
        columns_of: ColumnsOf,
    ) -> None:
        self.sources = list(sources)
        self._columns_of = columns_of
        self._first: dict[str | None, Fact[DeclaredSource]] = {}
        self._tables: dict[str, KnownTable | None] = {}
        self.unreadable: dict[str, tuple[Fact[DeclaredSource], str]] = {}
        """Of the uris that were resolved, those whose columns could not be read: the Source, and why."""
        for fact in self.sources:
            self._first.setdefault(fact.value.uri, fact)

    def similar_uri(self, uri: str) -> str | None:
        """The one uri of the same data set whose table's name is close."""
        parent, dot, table = uri.rpartition(".")
        names = self._names_by_parent.get(parent)
        near = names.suggest(table) if names else None
        return parent + dot + near if near else None

    @cached_property
    def _names_by_parent(self) -> dict[str, NameIndex]:
        tables: dict[str, list[str]] = {}
        for parent, _, table in (uri.rpartition(".") for uri in self._first if uri is not None):
            tables.setdefault(parent, []).append(table)
        return {parent: NameIndex(names) for parent, names in tables.items()}

    @property
    def is_clear(self) -> bool:
        """Whether the uri of every Source could be read."""
        return None not in self._first

    def source(self, uri: str | None) -> Fact[DeclaredSource] | None:
        """The Source that counts for a uri."""
        return self._first.get(uri)

    def resolve(self, uri: str) -> KnownTable | None:
        """The table of a uri; None if no Source is of it, its errors are reported elsewhere, or it is `unreadable`."""
        if uri not in self._tables:
            self._tables[uri] = self._resolve(uri)
        return self._tables[uri]

    def _resolve(self, uri: str) -> KnownTable | None:
        fact = self._first.get(uri)
        if fact is None or not fact.value.is_clear or not fact.is_complete:
            return None
        if not fact.value.fields.keys() & {"files", "database", "columns"}:  # an error of the Source itself
            return None
        columns = self._columns_of(fact.value.fields, os.path.dirname(absolute_path(fact.path)))
        if isinstance(columns, str):
            self.unreadable[uri] = fact, columns
            return None
        return KnownTable(fact, {column.name: column for column in columns})


SKIPPED_RULES = "unknown-column, column-type and rag-columns"


def unknown_columns(facts: Facts, tables: TableIndex) -> WorkspaceFindings:
    """The columns that their table does not have."""
    for use in facts.of(ColumnUse):
        table = tables.resolve(use.value.uri)
        if table is not None and use.value.field != IMPLIED_TIMESTAMP_COLUMN:
            yield from _unknown(use, table)


def _unknown(use: Fact[ColumnUse], table: KnownTable) -> WorkspaceFindings:
    for fact, name in split_names(use, use.value.names):
        if name and name not in table.columns:
            what_to_do = table.names.did_you_mean(name, otherwise=f"it has {table.formatted_columns}")
            if use.value.field == UNSET_TIMESTAMP_COLUMN:
                what_to_do = ", which holds the timestamp where no timestampColumn is set; set it"
            message = f'there is no column "{name}" in "{use.value.uri}"{what_to_do}'
            yield WorkspaceFinding(fact, message, related=(("the source", table.source),))


def unreadable_tables(facts: Facts, tables: TableIndex) -> WorkspaceFindings:
    """A note on each table that no column was compared with."""
    uris = [*(fact.value.uri for fact in facts.of(TableUri)), *(fact.value.uri for fact in facts.of(ColumnUse))]
    for uri in dict.fromkeys(uris):
        tables.resolve(uri)
        if uri not in tables.unreadable:
            continue
        source, reason = tables.unreadable[uri]
        yield WorkspaceFinding(
            source,
            f'the columns of "{uri}" are unknown, so {SKIPPED_RULES} skip it: {reason}',
            severity=Severity.NOTE,
            help="its declared `columns` are checked anywhere",
            not_checked=(f"columns of {uri}", reason),
        )


def undeclared_tables(facts: Facts, tables: TableIndex) -> WorkspaceFindings:
    """A note on each uri that no Source declares, where it is first named; none where one could not be read."""
    first: dict[str, Fact[TableUri]] = {}
    declares = any(not is_terraform_path(source.path) for source in tables.sources)
    for fact in facts.of(TableUri) if tables.is_clear and declares else ():
        if tables.source(fact.value.uri) is None:
            first.setdefault(fact.value.uri, fact)
    for uri, fact in first.items():
        near = tables.similar_uri(uri)
        what_to_do = f'; did you mean "{near}"?' if near else "; declare it to have them checked"
        message = f'no Source declares "{uri}", so its columns are not checked{what_to_do}'
        not_checked = (f"columns of {uri}", "no Source declares it")
        yield WorkspaceFinding(fact, message, severity=Severity.NOTE, rests_on_absence=True, not_checked=not_checked)


def repeated_sources(tables: TableIndex) -> WorkspaceFindings:
    """A note on each Source of a uri that another one declares before."""
    for fact in tables.sources:
        uri, first = fact.value.uri, tables.source(fact.value.uri)
        if uri and first is not None and first is not fact and not is_terraform_path(fact.path):
            message = f'another Source of "{uri}" comes first, so this one is ignored; remove one'
            yield WorkspaceFinding(fact, message, related=(("the first", first),), severity=Severity.NOTE)
