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
from trialrun.lint.rule_support import feature_groups
from trialrun.lint.rule_support.feature_groups import DeclaredGroup, GroupsOfView, Registry, taken_groups
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView


@gather("FeatureGroupTable", facts=(DeclaredGroup,), keys=("group_id",))
def tables(table: FeatureGroupTable) -> Gathered[DeclaredGroup]:
    """A feature group with its features."""
    return feature_groups.declared_group(table)


@gather("FeatureView", facts=(GroupsOfView,))
def taken(view: FeatureView) -> Gathered[GroupsOfView]:
    """The groups that a view takes features from, which are no other view's concern, and the features of each."""
    return feature_groups.groups_of_view(view)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each group that is not declared, and each feature that a declared group lacks."""
    registry = Registry(list(facts.of(DeclaredGroup)))
    for view in facts.of(GroupsOfView) if registry.is_declared else ():
        for place, group, features in taken_groups(view):
            yield from registry.unknown_group(place.item("featureGroupId"), group, view.value.project)
            yield from registry.unknown_features(group, view.value.project, features)
