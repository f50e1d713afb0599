"""The feature groups that a workspace declares, and what views ask of them in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.projects import may_be_same
from trialrun.lint.workspace_rules import WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameOrNames, NameSuggester


class DeclaredGroup(NamedTuple):
    """The id and the project of a group, its features, and whether all of them could be read."""

    group_id: str | None
    project: int
    features: list[str]
    is_complete: bool


class TakenGroup(NamedTuple):
    """A group that a view takes features from, which is no other view's concern."""

    id: str
    project: int


class TakenFeatures(NamedTuple):
    """The features that a view takes of a group."""

    id: str
    project: int
    names: NameOrNames


class Registry:
    """The declared feature groups, by id."""

    def __init__(self, declared: list[Fact[DeclaredGroup]]) -> None:
        from trialrun.lint.rule_support.references import NameSuggester

        self.is_declared = bool(declared)
        self._by_id: dict[str, list[Fact[DeclaredGroup]]] = {}
        for fact in declared:
            self._by_id.setdefault(fact.value.group_id or "", []).append(fact)
        self._ids = NameSuggester(self._by_id)
        self._features: dict[tuple[str, int], NameSuggester | None] = {}

    def unknown_group(self, fact: Fact[TakenGroup]) -> WorkspaceFindings:
        """A group that is not declared, or for another project; silent where a declared id could not be read."""
        name, project = fact.value
        of_name = self._by_id.get(name)
        if of_name is None and "" not in self._ids:
            what_to_do = self._ids.did_you_mean(name, otherwise="declare it, or use another")
            yield WorkspaceFinding(fact, f'no feature group of the workspace has the id "{name}"{what_to_do}')
        elif of_name and not self._tables(name, project):
            message = (
                f'the feature group "{name}" is declared for project {of_name[0].value.project}, not for {project}'
            )
            yield WorkspaceFinding(fact, f"{message}; correct one of them", related=(("declared here", of_name[0]),))

    def unknown_features(self, fact: Fact[TakenFeatures]) -> WorkspaceFindings:
        """Features that no group of this id has; silent where some of its features could not be read."""
        from trialrun.lint.rule_support.references import split_names

        group, project, names = fact.value
        known = self._known(group, project)
        if known is None:
            return
        for part, name in split_names(fact, names):
            if name not in known:
                what_to_do = known.did_you_mean(name, otherwise="register it, or use another")
                message = f'the feature group "{group}" has no feature "{name}"{what_to_do}'
                yield WorkspaceFinding(part, message, related=(("the group", self._tables(group, project)[0]),))

    def _known(self, group: str, project: int) -> NameSuggester | None:
        """The features of a group; None if there is no such group, or some could not be read."""
        from trialrun.lint.rule_support.references import NameSuggester

        key = (group, project)
        if key not in self._features:
            tables = self._tables(group, project)
            is_all = bool(tables) and all(table.value.is_complete and table.is_complete for table in tables)
            self._features[key] = (
                NameSuggester(name for table in tables for name in table.value.features) if is_all else None
            )
        return self._features[key]

    def _tables(self, group: str, project: int) -> list[Fact[DeclaredGroup]]:
        """The groups of an id that a view may mean."""
        return [table for table in self._by_id.get(group, ()) if may_be_same(table.value.project, project)]
