"""Columns that a table does not have, and tables of which none are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place, Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather
from trialrun.lint.rule_support.source_tables import (
    INDEX_COLUMNS,
    UNSET_TIMESTAMP_COLUMN,
    URI,
    USE,
    Known,
    Tables,
    Unknown,
    index_configs,
    said,
    shown,
    uris,
    uses_of_group,
    uses_of_source,
    uses_of_view,
)
from trialrun.lint.workspace_rules import Clash, Clashes, Facts

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView

TAKEN = "taken"
KEYS = "keys"
NOT_MADE = "unknown-column, column-type and rag-columns"


def taken(view: FeatureView) -> Iterator[tuple[Place, list[Any]]]:
    """The index columns of a view of feature groups, the features that it takes, and the groups."""
    from trialrun.lint.rule_support.references import written
    from trialrun.model.node import Shortened

    source = view.featureRegistrySource
    groups = source.featureGroups if source and view.members("source") == ["featureRegistrySource"] else None
    if not groups or isinstance(groups, Shortened) or any(type(group.featureIds) is not list for group in groups):
        return
    features = [id_ for group in groups for id_ in group.featureIds or ()]
    ids = [group.featureGroupId for group in groups]
    for config in index_configs(view):
        for field in INDEX_COLUMNS:
            yield from ((place, [TAKEN, None, names, features, ids]) for place, names in written(config, field))


def entity_ids(facts: Facts) -> dict[str, list[str]]:
    """The entity id columns of each feature group, of all projects together."""
    keys: dict[str, list[str]] = {}
    for fact in facts:
        if fact.value[0] == KEYS:
            keys.setdefault(fact.value[2], []).extend(fact.value[3])
    return keys


def unknown(use: Fact, table: Known[Any]) -> Clashes:
    """The columns of a use that the table does not have."""
    from trialrun.lint.rule_support.references import one_by_one

    for one, name in one_by_one(use, use.value[3]):
        if name and name not in table.columns:
            what_to_do = table.names.did_you_mean(name, otherwise=f"it has {table.shown}")
            if use.value[2] == UNSET_TIMESTAMP_COLUMN:
                what_to_do = ", which holds the timestamp where no timestampColumn is set; set it"
            message = f'there is no column "{name}" in "{use.value[1]}"{what_to_do}'
            yield Clash(one, message, related=(("the source", table.source),))


def not_taken(use: Fact, keys: Mapping[str, list[str]]) -> Clashes:
    """The index columns of a view of feature groups that are no features which it takes, nor entity id columns."""
    from trialrun.lint.rule_support.references import Names, one_by_one

    _, _, names, features, groups = use.value
    is_clear = all(group in keys for group in groups)
    entity_id = keys.get(groups[0], [])  # the entity id of the view has the names of its first group
    for one, name in one_by_one(use, names) if is_clear else ():
        if name and name not in features and name not in entity_id:
            what_to_do = Names(features).did_you_mean(name, otherwise=f"it takes {shown(features)}")
            yield Clash(one, f'the view takes no feature "{name}"{what_to_do}')


def not_read(uri: str, unread: Unknown) -> Clash:
    """The note that a table could not be compared with."""
    message = f'the columns of "{uri}" are not known, so {NOT_MADE} say nothing of it: {unread.reason}'
    return Clash(
        unread.source,
        message,
        severity=Severity.NOTE,
        help="its declared `columns` are checked anywhere",
        not_checked=(f"columns of {uri}", unread.reason),
    )


def undeclared(facts: Facts, tables: Tables[Any]) -> Clashes:
    """A note on each uri that no Source declares, where it is first named; silent where one could not be read."""

    first: dict[str, Fact] = {}
    for fact in facts:
        if tables.is_clear and fact.value[0] == URI and tables.first(fact.value[1]) is None:
            first.setdefault(fact.value[1], fact)
    for uri, fact in first.items():
        near = tables.near(uri)
        what_to_do = f'; did you mean "{near}"?' if near else "; declare it to have them checked"
        message = f'no Source declares "{uri}", so its columns are not checked{what_to_do}'
        not_checked = (f"columns of {uri}", "no Source declares it")
        yield Clash(fact, message, severity=Severity.NOTE, is_of_absence=True, not_checked=not_checked)


def repeated(tables: Tables[Any]) -> Clashes:
    """A note on each Source of a uri that another one declares before."""
    for fact in tables.sources:
        first = tables.first(fact.value[1])
        if fact.value[1] and first is not None and first is not fact:
            message = f'another Source of "{fact.value[1]}" comes first, so this one is not looked at; remove one'
            yield Clash(fact, message, related=(("the first", first),), severity=Severity.NOTE)


@gather("Source", keys=(1,))
def sources(source: Source) -> Iterator[tuple[Place, list[Any]]]:
    """What a Source says of its table, and the column that it names."""
    yield from said(source)
    yield from uses_of_source(source)


@gather("FeatureGroupTable", keys=(1,))
def groups(group: FeatureGroupTable) -> Iterator[tuple[Place, list[Any]]]:
    """The uri of a feature group, the columns that it names, and its entity id, which views of it have for columns."""
    yield from uris(group)
    yield from uses_of_group(group)
    if type(group.entityIdColumns) is list:
        yield group.at("featureGroupId"), [KEYS, None, group.featureGroupId, group.entityIdColumns]


@gather("FeatureView", keys=(1,))
def views(view: FeatureView) -> Iterator[tuple[Place, list[Any]]]:
    """The uris of a view, the columns that it names, and what it takes from feature groups for columns."""

    for source in (view.warehouseSource, view.ragSource):
        if source is not None:
            yield from uris(source)
    yield from uses_of_view(view)
    yield from taken(view)


def unknown_columns(facts: Facts, columns_of: Callable[..., Sequence[Any] | str]) -> Clashes:
    """Each column that its table lacks, and each table that no column was compared with."""
    tables = Tables(facts, columns_of)
    if not tables.sources:
        return
    keys = entity_ids(facts)
    untold: dict[str, Unknown] = {}
    for fact in facts:
        table = tables.of(fact.value[1]) if fact.value[0] in (URI, USE) else None
        if isinstance(table, Unknown):
            untold.setdefault(fact.value[1], table)
        elif isinstance(table, Known) and fact.value[0] == USE:
            yield from unknown(fact, table)
        elif fact.value[0] == TAKEN:
            yield from not_taken(fact, keys)
    for uri, unread in untold.items():
        yield not_read(uri, unread)
    yield from undeclared(facts, tables)
    yield from repeated(tables)
