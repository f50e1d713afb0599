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

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support.references import ANY_PROJECT, may_be_same
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameOrNames
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureRegistrySource


class RegisteredFeature(NamedTuple):
    """A feature of a group with its column, and whether that is an entity id column."""

    group: str
    project: int
    id: str
    column: str
    is_entity_id: bool


class TakenFeatures(NamedTuple):
    """The features that a view takes of a group, which are no other view's concern."""

    project: int
    names: NameOrNames
    group_id: str


@gather("FeatureGroupTable", facts=(RegisteredFeature,), keys=("group",))
def features(table: FeatureGroupTable) -> Gathered[RegisteredFeature]:
    """Each feature of a group with its column, and whether that is an entity id column."""
    group, project, ids = table.featureGroupId, table.projectNumber or ANY_PROJECT, table.entityIdColumns or ()
    for feature in table.features or ():
        column = feature.column if feature.has("column") else feature.id
        if group and feature.id and column:
            place = feature.location("column" if feature.column else "id")
            yield place, RegisteredFeature(group, project, feature.id, column, column in ids)


@gather("FeatureRegistrySource", facts=(TakenFeatures,))
def taken(source: FeatureRegistrySource) -> Gathered[TakenFeatures]:
    """The features that a view takes of each group."""
    from trialrun.lint.rule_support.references import referenced_names

    for group in source.featureGroups or ():
        if group.featureGroupId:
            for location, names in referenced_names(group, "featureIds"):
                yield location, TakenFeatures(source.projectNumber or ANY_PROJECT, names, group.featureGroupId)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each feature id that is an entity id column, then the features of groups that no view takes."""
    from trialrun.lint.rule_support.references import split_names

    registered: dict[tuple[str, str], list[Fact[RegisteredFeature]]] = {}
    for feature in facts.of(RegisteredFeature):
        registered.setdefault((feature.value.group, feature.value.id), []).append(feature)
    reported: list[Fact[RegisteredFeature]] = []
    for fact in facts.of(TakenFeatures):
        for use, name in split_names(fact, fact.value.names):
            entity_ids = [
                entity_id for entity_id in registered.get((fact.value.group_id, name), ()) if may_mean(fact, entity_id)
            ]
            if entity_ids and all(entity_id.value.is_entity_id for entity_id in entity_ids):
                reported += entity_ids
                yield WorkspaceFinding(
                    use, message(entity_ids[0], "take another"), related=(("registered here", entity_ids[0]),)
                )
    for feature in facts.of(RegisteredFeature):
        if feature.value.is_entity_id and feature not in reported:
            yield WorkspaceFinding(feature, message(feature, "remove it"))


def may_mean(taken: Fact[TakenFeatures], feature: Fact[RegisteredFeature]) -> bool:
    """Whether a view may take a feature of this group: of the project, where both name one."""
    return may_be_same(taken.value.project, feature.value.project)


def message(feature: Fact[RegisteredFeature], what_to_do: str) -> str:
    """What is wrong with a feature."""
    group, _, id_, column, _ = feature.value
    return f'the feature "{id_}" is the entity id column "{column}" of the feature group "{group}"; {what_to_do}'
