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

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support import feature_groups
from trialrun.lint.rule_support.feature_groups import DeclaredGroup, GroupsOfView, may_be_same, taken_groups
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView

Feature = tuple[Fact[DeclaredGroup], str, str]
"""A feature of a group: where its column is said, its id, and its column."""


@gather("FeatureGroupTable", facts=(DeclaredGroup,), keys=("group_id",))
def declared(table: FeatureGroupTable) -> Gathered[DeclaredGroup]:
    """A feature group with its entity id and its features."""
    return feature_groups.declared_group(table)


@gather("FeatureView", facts=(GroupsOfView,))
def taken(view: FeatureView) -> Gathered[GroupsOfView]:
    """The features that a view takes of each group, which are no other view's concern."""
    return feature_groups.groups_of_view(view)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each feature id that is an entity id column, then the features of groups that no view takes."""
    registered: dict[tuple[str | None, str], list[Feature]] = {}
    for group in facts.of(DeclaredGroup):
        for index, id_, column, field in group.value.features if group.value.group_id else ():
            if id_ and column:
                feature = group.item("features", index, field), id_, column
                registered.setdefault((group.value.group_id, id_), []).append(feature)
    reported: list[Fact[DeclaredGroup]] = []
    for view in facts.of(GroupsOfView):
        for _, group_id, features in taken_groups(view):
            for use, name in features:
                meant = [
                    feature
                    for feature in registered.get((group_id, name), ())
                    if may_be_same(view.value.project, feature[0].value.project)
                ]
                if meant and all(map(is_entity_id, meant)):
                    reported += (place for place, *_ in meant)
                    related = (("registered here", meant[0][0]),)
                    yield WorkspaceFinding(use, message(meant[0], "take another"), related=related)
    for feature in (feature for features in registered.values() for feature in features):
        if is_entity_id(feature) and feature[0] not in reported:
            yield WorkspaceFinding(feature[0], message(feature, "remove it"))


def is_entity_id(feature: Feature) -> bool:
    """Whether the column of a feature is one of the entity id."""
    group, _, column = feature
    return column in group.value.entity_id


def message(feature: Feature, what_to_do: str) -> str:
    """What is wrong with a feature."""
    group, id_, column = feature
    what = f'the feature "{id_}" is the entity id column "{column}" of the feature group "{group.value.group_id}"'
    return f"{what}; {what_to_do}"
