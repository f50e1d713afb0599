"""A view takes features that its feature groups have.

A sync of a feature that nobody registered fails, or serves nothing. It is told only in a workspace that declares
feature groups: then each group that a view takes is one of them, and each feature one of the group's. Groups of one id
are told apart by their project, where the view and the group both name one.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameSuggester
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureRegistrySource

TABLE, GROUP, FEATURES = "table", "group", "features"
ANY_PROJECT = 0


@gather("FeatureGroupTable", keys=(1,))
def tables(table: FeatureGroupTable) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The id and the project of a group, its features, and whether all of them could be read."""
    from trialrun.model.node import TruncatedList

    ids = [feature.id for feature in table.features or ()]
    is_all = bool(ids) and None not in ids and not isinstance(table.features, TruncatedList)
    value = [
        TABLE,
        table.featureGroupId or None,
        table.projectNumber or ANY_PROJECT,
        [id_ for id_ in ids if id_],
        is_all,
    ]
    yield table.location("featureGroupId"), value


@gather("FeatureRegistrySource")
def taken(source: FeatureRegistrySource) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The groups that a view takes features from, which are no other view's concern, and the features of each."""
    from trialrun.lint.rule_support.references import referenced_names

    project = source.projectNumber or ANY_PROJECT
    for index, group in enumerate(source.featureGroups or ()):
        if group.featureGroupId:
            yield (
                source.location("featureGroups", index, "featureGroupId"),
                [GROUP, None, group.featureGroupId, project],
            )
            for place, names in referenced_names(group, "featureIds"):
                yield place, [FEATURES, None, group.featureGroupId, project, names]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each group that is not declared, and each feature that a declared group lacks."""
    registry = Registry([fact for fact in facts if fact.value[0] == TABLE])
    for fact in facts if registry.is_declared else ():
        if fact.value[0] == GROUP:
            yield from registry.unknown_group(fact)
        elif fact.value[0] == FEATURES:
            yield from registry.unknown_features(fact)


class Registry:
    """The declared feature groups, by id."""

    def __init__(self, declared: list[Fact]) -> None:
        from trialrun.lint.rule_support.references import NameSuggester

        self.is_declared = bool(declared)
        self._by_id: dict[str, list[Fact]] = {}
        for fact in declared:
            self._by_id.setdefault(fact.value[1] or "", []).append(fact)
        self._ids = NameSuggester(self._by_id)
        self._features: dict[tuple[str, int], NameSuggester | None] = {}

    def unknown_group(self, fact: Fact) -> WorkspaceFindings:
        """A group that is not declared, or for another project; silent where a declared id could not be read."""
        _, _, name, project = fact.value
        of_name = self._by_id.get(name)
        if of_name is None and "" not in self._ids:
            what_to_do = self._ids.did_you_mean(name, otherwise="declare it, or take another")
            yield WorkspaceFinding(fact, f'no feature group of the workspace has the id "{name}"{what_to_do}')
        elif of_name and not self._tables(name, project):
            message = f'the feature group "{name}" is declared for project {of_name[0].value[2]}, not for {project}'
            yield WorkspaceFinding(fact, f"{message}; correct one of the two", related=(("declared here", of_name[0]),))

    def unknown_features(self, fact: Fact) -> WorkspaceFindings:
        """Features that no group of this id has; silent where some of its features could not be read."""
        from trialrun.lint.rule_support.references import split_names

        _, _, group, project, names = fact.value
        known = self._known(group, project)
        if known is None:
            return
        for one, name in split_names(fact, names):
            if name not in known:
                what_to_do = known.did_you_mean(name, otherwise="register it, or take another")
                message = f'the feature group "{group}" has no feature "{name}"{what_to_do}'
                yield WorkspaceFinding(one, message, related=(("the group", self._tables(group, project)[0]),))

    def _known(self, group: str, project: int) -> NameSuggester | None:
        """The features of a group; None where there is no such group, or some could not be read."""
        from trialrun.lint.rule_support.references import NameSuggester

        key = (group, project)
        if key not in self._features:
            tables = self._tables(group, project)
            is_all = bool(tables) and all(table.value[4] and table.is_complete for table in tables)
            self._features[key] = NameSuggester(name for table in tables for name in table.value[3]) if is_all else None
        return self._features[key]

    def _tables(self, group: str, project: int) -> list[Fact]:
        """The groups of an id that a view may mean."""
        return [
            table
            for table in self._by_id.get(group, ())
            if table.value[2] == project or ANY_PROJECT in (table.value[2], project)
        ]
