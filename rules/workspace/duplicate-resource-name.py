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

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support import feature_groups, references
from trialrun.lint.rule_support.feature_groups import DeclaredGroup, GroupsOfView
from trialrun.lint.rule_support.references import DeclaredName
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings
from trialrun.model.kinds import KINDS

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, SessionSchema
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Resource


@gather(*KINDS, facts=(DeclaredName,), keys=("name",))
def names(resource: Resource) -> Gathered[DeclaredName]:
    """The kind and the name of a document that has one."""
    return references.declared_name(resource)


@gather("FeatureGroupTable", facts=(DeclaredName, DeclaredGroup), keys=("name",))
def groups(group: FeatureGroupTable) -> Gathered[DeclaredName | DeclaredGroup]:
    """The feature group that a table declares, and its table."""
    yield from references.name_of_group(group)
    yield from feature_groups.declared_group(group)


@gather("SessionSchema", facts=(DeclaredName,), keys=("name",))
def declarations(schema: SessionSchema) -> Gathered[DeclaredName]:
    """The types and variables that a schema declares."""
    return references.names_of_schema(schema)


@gather("FeatureView", facts=(GroupsOfView,))
def taken(view: FeatureView) -> Gathered[GroupsOfView]:
    """The groups that a view takes."""
    return feature_groups.groups_of_view(view)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each name that an earlier document of the kind has, and tables of a view that differ only in case."""
    yield from references.repeated_names(facts)
    yield from feature_groups.tables_differing_in_case(facts)
