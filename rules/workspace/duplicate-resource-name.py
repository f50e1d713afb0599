"""Two documents of one kind with the same name.

Resources are looked up by name: of two documents with one name, the one that is applied last silently replaces the
other, and which one that is depends on the order of the files.

The same applies to a feature group that two tables declare, and to a type or a variable of two SessionSchemas: the
first one counts, the other has no effect. A view also cannot take feature groups of two tables whose uris differ only
in case: some engines cannot distinguish them.

Specification: feature-view, section 2, FeatureView, and channel-config, section 2, ChannelConfig: name is the
identifier of the resource.

Good:

    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/users
    ---
    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/other/featureViews/users
    ---
    kind: Brand
    name: acme
    ---
    kind: Menu
    name: acme
    brand: acme

Bad:

    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/users
    labels: {team: search}
    ---
    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/users
    # line 6 <- is already taken by the FeatureView in this file

Bad:

    - {kind: Brand, name: acme}
    - {kind: Brand, name: acme}  # <- "acme" is already taken by the Brand in this file
    - {kind: Brand, name: acme}  # <- "acme" is already taken by the Brand in this file

Bad:

    kind: FeatureGroupTable
    featureGroupId: users
    uri: bq://a.b.users
    entityIdColumns: [id]
    features: [{id: age}]
    ---
    kind: FeatureGroupTable
    featureGroupId: users  # <- the feature group "users" is already declared in this file; keep one
    uri: bq://a.b.people
    entityIdColumns: [id]
    features: [{id: age}]

Bad:

    kind: SessionSchema
    variables: {weather: string}
    ---
    kind: SessionSchema
    variables:
      weather: int  # <- the variable "weather" is already declared in this file; keep one

Bad:

    - kind: FeatureGroupTable
      featureGroupId: guests
      uri: bq://p.d.guests
      entityIdColumns: [id]
      features: [{id: visits}]
    - kind: FeatureGroupTable
      featureGroupId: orders
      uri: bq://p.d.Guests
      entityIdColumns: [id]
      features: [{id: orders}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/both
      featureRegistrySource:
        featureGroups:
          - {featureGroupId: guests, featureIds: [visits]}
          - featureGroupId: orders  # <- its table "bq://p.d.Guests" differs from "bq://p.d.guests" only in case
            featureIds: [orders]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings, location_phrase
from trialrun.model.kinds import KINDS

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, SessionSchema
    from trialrun.model.feature_view import FeatureRegistrySource
    from trialrun.model.node import Resource

URI, TAKEN = "uri", "taken"
ANY_PROJECT = 0


@gather(*KINDS, keys=(1,))
def names(resource: Resource) -> Iterator[tuple[SymbolicLocation, list[str]]]:
    """The kind and the name of a document that has one."""
    name: str | None = getattr(resource, "name", None)
    if name:
        yield resource.location("name"), [type(resource).__name__, name]


@gather("FeatureGroupTable", keys=(1,))
def groups(group: FeatureGroupTable) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The feature group that a table declares, with its project where it names one, and its table."""
    if group.featureGroupId:
        yield group.location("featureGroupId"), ["feature group", group.featureGroupId, str(group.projectNumber or "")]
        if group.uri:
            yield group.location("uri"), [URI, group.uri, group.featureGroupId, group.projectNumber or ANY_PROJECT]


@gather("SessionSchema", keys=(1,))
def declarations(schema: SessionSchema) -> Iterator[tuple[SymbolicLocation, list[str]]]:
    """The types and variables that a schema declares."""
    for field, noun in (("types", "type"), ("variables", "variable")):
        for name in getattr(schema, field) or ():
            yield schema.location(field, name), [noun, name]


@gather("FeatureRegistrySource")
def taken(source: FeatureRegistrySource) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The groups that a view takes, where there are several."""
    groups = source.featureGroups or ()
    if len(groups) > 1:
        ids = [group.featureGroupId for group in groups]
        yield source.location("featureGroups"), [TAKEN, None, source.projectNumber or ANY_PROJECT, ids]


@rule(Facts, severity=Severity.ERROR)
def check_tables(facts: Facts) -> WorkspaceFindings:
    """Flag each group of a view whose table is called like that of an earlier one but for capitals."""
    tables: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.value[0] == URI:
            tables.setdefault(fact.value[2], []).append(fact)
    for fact in facts:
        first: dict[str, str] = {}
        for index, id_ in enumerate(fact.value[3] if fact.value[0] == TAKEN else ()):
            if (table := table_of(id_, fact.value[2], tables)) is None:
                continue
            uri = table.value[1]
            earlier = first.setdefault(uri.casefold(), uri)
            if earlier != uri:
                message = f'its table "{uri}" differs from "{earlier}" only in case; change one of them'
                yield WorkspaceFinding(fact.item(index, "featureGroupId"), message, related=(("the group", table),))


def table_of(id_: str | None, project: int, tables: Mapping[str, list[Fact]]) -> Fact | None:
    """The group of an id, of the project where both name one."""
    for table in tables.get(id_ or "", ()):
        if ANY_PROJECT in (project, table.value[3]) or project == table.value[3]:
            return table
    return None


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each name that an earlier document of the kind has."""
    first: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        if fact.value[0] in (URI, TAKEN):
            continue
        kind, name = fact.value[:2]
        earlier = first.setdefault(tuple(fact.value), fact)
        if earlier is fact:
            continue
        where = location_phrase(earlier, fact)
        message = f'the {kind} "{name}" is already declared in {where}; keep one'
        if kind in KINDS:
            message = f'the name "{name}" is already taken by the {kind} in {where}; give each its own'
        yield WorkspaceFinding(fact, message, related=(("taken here" if kind in KINDS else "declared here", earlier),))
