"""Two documents of one kind never have the same name.

A name is how a resource is found: of two documents with one name, the one that is applied last replaces the other
without a word, and which one that is depends on the order of the files.

The same goes for a feature group that two tables declare, and for a type or a variable of two SessionSchemas: the first
one counts, and the other one says nothing. A view also cannot take feature groups of two tables whose uris differ in
capitals only: engines that read them cannot tell one from the other.

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
          - featureGroupId: orders  # <- its table "bq://p.d.Guests" differs from "bq://p.d.guests" in capitals only
            featureIds: [orders]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place, Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.rule_support.tables_of_groups import TAKEN, URI, groups, taken, unlike_uris
from trialrun.lint.workspace_rules import Clash, Clashes, Facts, whereabouts
from trialrun.model.kinds import KINDS

if TYPE_CHECKING:
    from trialrun.model.companion import SessionSchema
    from trialrun.model.node import Resource


__all__ = ["check", "groups", "taken"]


@gather(*KINDS, keys=(1,))
def names(resource: Resource) -> Iterator[tuple[Place, list[str]]]:
    """The kind and the name of a document that has one."""
    name: str | None = getattr(resource, "name", None)
    if name:
        yield resource.at("name"), [type(resource).__name__, name]


@gather("SessionSchema", keys=(1,))
def declarations(schema: SessionSchema) -> Iterator[tuple[Place, list[str]]]:
    """The types and variables that a schema declares."""
    for field, noun in (("types", "type"), ("variables", "variable")):
        for name in getattr(schema, field) or ():
            yield schema.at(field, name), [noun, name]


@rule(Facts, severity=Severity.ERROR)
def check_tables(facts: Facts) -> Clashes:
    """Flag each group of a view whose table is called like that of an earlier one but for capitals."""
    return unlike_uris(facts)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> Clashes:
    """Flag each name that an earlier document of the kind has."""
    first: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        if fact.value[0] in (URI, TAKEN):
            continue
        kind, name = fact.value[:2]
        earlier = first.setdefault(tuple(fact.value), fact)
        if earlier is fact:
            continue
        where = whereabouts(earlier, fact)
        message = f'the {kind} "{name}" is already declared in {where}; keep one'
        if kind in KINDS:
            message = f'the name "{name}" is already taken by the {kind} in {where}; give each its own'
        yield Clash(fact, message, related=(("taken here" if kind in KINDS else "declared here", earlier),))
