"""Columns that a table does not have, and tables whose columns nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import NameOrNames
from trialrun.lint.rule_support.source_tables import (
    IMPLIED_TIMESTAMP_COLUMN,
    INDEX_COLUMNS,
    UNSET_TIMESTAMP_COLUMN,
    C,
    ColumnUse,
    KnownTable,
    TableIndex,
    TableUri,
    UnreadableTable,
    format_names,
    index_configs,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView

SKIPPED_RULES = "unknown-column, column-type and rag-columns"


class EntityId(NamedTuple):
    """The entity id columns of a feature group, which views of it have for columns."""

    group_id: str | None
    columns: list[str]


class IndexedNames(NamedTuple):
    """The names in a field of the index of a view of feature groups, and the features and the groups of the view."""

    names: NameOrNames
    features: list[str]
    group_ids: list[str | None]


def entity_id(group: FeatureGroupTable) -> Gathered[EntityId]:
    """The entity id of a feature group, where all of it could be read."""
    if type(group.entityIdColumns) is list:
        yield group.location("featureGroupId"), EntityId(group.featureGroupId, group.entityIdColumns)


def indexed_names(view: FeatureView) -> Gathered[IndexedNames]:
    """The index columns of a view of feature groups, the features that it takes, and the groups."""
    from trialrun.lint.rule_support.references import referenced_names
    from trialrun.model.node import TruncatedList

    source = view.featureRegistrySource
    groups = source.featureGroups if source and view.members("source") == ["featureRegistrySource"] else None
    if not groups or isinstance(groups, TruncatedList) or any(type(group.featureIds) is not list for group in groups):
        return
    features = [id_ for group in groups for id_ in group.featureIds or ()]
    ids = [group.featureGroupId for group in groups]
    for config in index_configs(view):
        for field in INDEX_COLUMNS:
            for location, names in referenced_names(config, field):
                yield location, IndexedNames(names, features, ids)


def unknown_columns(facts: Facts, tables: TableIndex[C]) -> WorkspaceFindings:
    """The columns that their table does not have."""
    for use in facts.of(ColumnUse):
        table = tables.resolve(use.value.uri)
        if isinstance(table, KnownTable) and use.value.field != IMPLIED_TIMESTAMP_COLUMN:
            yield from _unknown(use, table)


def _unknown(use: Fact[ColumnUse], table: KnownTable[C]) -> WorkspaceFindings:
    from trialrun.lint.rule_support.references import split_names

    for fact, name in split_names(use, use.value.names):
        if name and name not in table.columns:
            what_to_do = table.names.did_you_mean(name, otherwise=f"it has {table.formatted_columns}")
            if use.value.field == UNSET_TIMESTAMP_COLUMN:
                what_to_do = ", which holds the timestamp where no timestampColumn is set; set it"
            message = f'there is no column "{name}" in "{use.value.uri}"{what_to_do}'
            yield WorkspaceFinding(fact, message, related=(("the source", table.source),))


def unknown_features(facts: Facts) -> WorkspaceFindings:
    """The index columns of views of feature groups that are neither features of the view nor its entity id."""
    columns: dict[str | None, list[str]] = {}
    for fact in facts.of(EntityId):
        columns.setdefault(fact.value.group_id, []).extend(fact.value.columns)
    for use in facts.of(IndexedNames):
        yield from _not_taken(use, columns)


def _not_taken(use: Fact[IndexedNames], entity_ids: Mapping[str | None, list[str]]) -> WorkspaceFindings:
    from trialrun.lint.rule_support.references import NameSuggester, split_names

    names, features, groups = use.value
    if not all(group in entity_ids for group in groups):
        return
    entity_id = entity_ids.get(groups[0], [])  # the entity id of the view has the names of its first group
    for fact, name in split_names(use, names):
        if name and name not in features and name not in entity_id:
            what_to_do = NameSuggester(features).did_you_mean(name, otherwise=f"it takes {format_names(features)}")
            yield WorkspaceFinding(fact, f'the view takes no feature "{name}"{what_to_do}')


def unreadable_tables(facts: Facts, tables: TableIndex[C]) -> WorkspaceFindings:
    """A note on each table that no column was compared with."""
    unreadable: dict[str, UnreadableTable] = {}
    uris = [*(fact.value.uri for fact in facts.of(TableUri)), *(fact.value.uri for fact in facts.of(ColumnUse))]
    for uri in uris:
        table = tables.resolve(uri)
        if isinstance(table, UnreadableTable):
            unreadable[uri] = table
    for uri, skipped in unreadable.items():
        yield WorkspaceFinding(
            skipped.source,
            f'the columns of "{uri}" are unknown, so {SKIPPED_RULES} skip it: {skipped.reason}',
            severity=Severity.NOTE,
            help="its declared `columns` are checked anywhere",
            not_checked=(f"columns of {uri}", skipped.reason),
        )


def undeclared_tables(facts: Facts, tables: TableIndex[C]) -> WorkspaceFindings:
    """A note on each uri that no Source declares, where it is first named; none where one could not be read."""
    first: dict[str, Fact[TableUri]] = {}
    for fact in facts.of(TableUri) if tables.is_clear else ():
        if tables.source(fact.value.uri) is None:
            first.setdefault(fact.value.uri, fact)
    for uri, fact in first.items():
        near = tables.similar_uri(uri)
        what_to_do = f'; did you mean "{near}"?' if near else "; declare it to have them checked"
        message = f'no Source declares "{uri}", so its columns are not checked{what_to_do}'
        not_checked = (f"columns of {uri}", "no Source declares it")
        yield WorkspaceFinding(fact, message, severity=Severity.NOTE, rests_on_absence=True, not_checked=not_checked)


def repeated_sources(tables: TableIndex[C]) -> WorkspaceFindings:
    """A note on each Source of a uri that another one declares before."""
    for fact in tables.sources:
        uri, first = fact.value.uri, tables.source(fact.value.uri)
        if uri and first is not None and first is not fact:
            message = f'another Source of "{uri}" comes first, so this one is ignored; remove one'
            yield WorkspaceFinding(fact, message, related=(("the first", first),), severity=Severity.NOTE)
