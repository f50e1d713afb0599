"""Feature that its feature group does not have.

A sync of an unregistered feature fails, or serves nothing. Reported only in a workspace that declares feature groups:
then each group that a view takes is one of them, and each feature one of the group's. Groups with the same id are
distinguished by their project, if both the view and the group name one.

Specification: feature-view, FeatureRegistrySource, FeatureGroup: "featureIds (array of string, required, identifiers of
features within the group)".

Good:

    - kind: FeatureGroupTable
      featureGroupId: guests
      uri: bq://p.d.guests
      entityIdColumns: [id]
      features: [{id: visits}, {id: spend, column: spend_30d}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
      featureRegistrySource: {projectNumber: "7", featureGroups: [{featureGroupId: guests, featureIds: [spend]}]}

Bad:

    - kind: FeatureGroupTable
      featureGroupId: guests
      projectNumber: "7"
      uri: bq://p.d.guests
      entityIdColumns: [id]
      features: [{id: visits}, {id: spend, column: spend_30d}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
      featureRegistrySource:
        featureGroups:
          - featureGroupId: guest  # <- no feature group of the workspace has the id "guest"; did you mean "guests"?
            featureIds: [visits]
          - featureGroupId: guests
            featureIds:
              - visit  # <- the feature group "guests" has no feature "visit"; did you mean "visits"?
              - spend_30d  # <- the feature group "guests" has no feature "spend_30d"
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/others
      featureRegistrySource:
        projectNumber: "8"
        featureGroups:
          - featureGroupId: guests  # <- the feature group "guests" is declared for project 7, not for 8
            featureIds: [visits]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support.feature_groups import DeclaredGroup, Registry, TakenFeatures, TakenGroup
from trialrun.lint.rule_support.references import ANY_PROJECT
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureRegistrySource


@gather("FeatureGroupTable", facts=(DeclaredGroup,), keys=("group_id",))
def tables(table: FeatureGroupTable) -> Gathered[DeclaredGroup]:
    """The id and the project of a group, its features, and whether all of them could be read."""
    from trialrun.model.node import TruncatedList

    ids = [feature.id for feature in table.features or ()]
    is_all = bool(ids) and None not in ids and not isinstance(table.features, TruncatedList)
    features, project = [id_ for id_ in ids if id_], table.projectNumber or ANY_PROJECT
    yield table.location("featureGroupId"), DeclaredGroup(table.featureGroupId or None, project, features, is_all)


@gather("FeatureRegistrySource", facts=(TakenGroup, TakenFeatures))
def taken(source: FeatureRegistrySource) -> Gathered[TakenGroup | TakenFeatures]:
    """The groups that a view takes features from, which are no other view's concern, and the features of each."""
    from trialrun.lint.rule_support.references import referenced_names

    project = source.projectNumber or ANY_PROJECT
    for index, group in enumerate(source.featureGroups or ()):
        if group.featureGroupId:
            location = source.location("featureGroups", index, "featureGroupId")
            yield location, TakenGroup(group.featureGroupId, project)
            for place, names in referenced_names(group, "featureIds"):
                yield place, TakenFeatures(group.featureGroupId, project, names)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each group that is not declared, and each feature that a declared group lacks."""
    registry = Registry(list(facts.of(DeclaredGroup)))
    if registry.is_declared:
        for group in facts.of(TakenGroup):
            yield from registry.unknown_group(group)
        for features in facts.of(TakenFeatures):
            yield from registry.unknown_features(features)
