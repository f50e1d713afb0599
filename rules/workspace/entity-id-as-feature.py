"""Entity id that is listed as a feature.

Values are looked up by the entity id, so it is not a value: a view that takes it as a feature is refused. The finding
is at each feature id by which a view takes it; if no view does, at the feature of the declared group.

Specification: feature-view, FeatureRegistrySource, FeatureGroup: "featureIds (array of string, required, identifiers of
features within the group)".

Good:

    - kind: FeatureGroupTable
      featureGroupId: guests
      uri: bq://p.d.guests
      entityIdColumns: [guest_id]
      features: [{id: guest, column: guest_name}, {id: visits}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
      featureRegistrySource: {featureGroups: [{featureGroupId: guests, featureIds: [guest, visits]}]}

Bad:

    - kind: FeatureGroupTable
      featureGroupId: guests
      uri: bq://p.d.guests
      entityIdColumns: [guest_id, store_id]
      features:
        - {id: guest_id}
        - {id: store, column: store_id}  # <- the feature "store" is the entity id column "store_id"
        - {id: visits}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
      featureRegistrySource:
        featureGroups:
          - featureGroupId: guests
            featureIds:
              - guest_id  # <- the feature "guest_id" is the entity id column "guest_id" of the feature group "guests"
              - visits
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureRegistrySource

FEATURE, TAKEN = "feature", "taken"
ANY_PROJECT = 0


@gather("FeatureGroupTable", keys=(1,))
def features(table: FeatureGroupTable) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """Each feature of a group with its column, and whether that is an entity id column."""
    group, project, ids = table.featureGroupId, table.projectNumber or ANY_PROJECT, table.entityIdColumns or ()
    for feature in table.features or ():
        column = feature.column if feature.has("column") else feature.id
        if group and feature.id and column:
            place = feature.location("column" if feature.column else "id")
            yield place, [FEATURE, group, project, feature.id, column, column in ids]


@gather("FeatureRegistrySource")
def taken(source: FeatureRegistrySource) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The features that a view takes of a group, which are no other view's concern."""
    from trialrun.lint.rule_support.references import referenced_names

    for group in source.featureGroups or ():
        for place, names in referenced_names(group, "featureIds") if group.featureGroupId else ():
            yield place, [TAKEN, None, source.projectNumber or ANY_PROJECT, names, group.featureGroupId]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each feature id that is an entity id column, then the features of groups that no view takes."""
    from trialrun.lint.rule_support.references import split_names

    registered: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        if fact.value[0] == FEATURE:
            registered.setdefault((fact.value[1], fact.value[3]), []).append(fact)
    told: list[Fact] = []
    for fact in facts:
        for one, name in split_names(fact, fact.value[3]) if fact.value[0] == TAKEN else ():
            meant = [each for each in registered.get((fact.value[4], name), ()) if may_mean(fact, each)]
            if meant and all(each.value[5] for each in meant):
                told += meant
                yield WorkspaceFinding(one, message(meant[0], "take another"), related=(("registered here", meant[0]),))
    for fact in facts:
        if fact.value[0] == FEATURE and fact.value[5] and fact not in told:
            yield WorkspaceFinding(fact, message(fact, "remove it"))


def may_mean(taken: Fact, feature: Fact) -> bool:
    """Whether a view may take a feature of this group: of the project, where both name one."""
    return taken.value[2] == feature.value[2] or ANY_PROJECT in (taken.value[2], feature.value[2])


def message(feature: Fact, what_to_do: str) -> str:
    """What is wrong with a feature."""
    _, group, _, id_, column, _ = feature.value
    return f'the feature "{id_}" is the entity id column "{column}" of the feature group "{group}"; {what_to_do}'
