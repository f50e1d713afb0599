"""The names that documents declare: of resources, of feature groups, and of the types and variables of sessions."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings, location_phrase
from trialrun.model.kinds import KINDS

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable, SessionSchema
    from trialrun.model.node import Resource


SCHEMA_KINDS = ("SessionSchema", "type", "variable")
"""What a copy of a SessionSchema repeats: one mistake."""


class DeclaredName(NamedTuple):
    """A name that a document declares, and for what; feature groups of different projects may share one."""

    kind: str
    name: str
    project: str = ""


def name_of_resource(resource: Resource) -> Gathered[DeclaredName]:
    """The name of a document that has one."""
    name: str | None = getattr(resource, "name", None)
    if name:
        yield resource.location("name"), DeclaredName(type(resource).__name__, name)


def name_of_group(group: FeatureGroupTable) -> Gathered[DeclaredName]:
    """The id of a feature group, with its project where it names one."""
    if group.featureGroupId:
        value = DeclaredName("feature group", group.featureGroupId, str(group.projectNumber or ""))
        yield group.location("featureGroupId"), value


def names_of_schema(schema: SessionSchema) -> Gathered[DeclaredName]:
    """The types and variables that a schema declares."""
    for field, noun in (("types", "type"), ("variables", "variable")):
        for name in getattr(schema, field) or ():
            yield schema.location(field, name), DeclaredName(noun, name)


def repeated_names(facts: Facts) -> WorkspaceFindings:
    """Each name that an earlier document of the kind has; of names that a whole schema repeats, the first."""
    first: dict[DeclaredName, Fact[DeclaredName]] = {}
    repeated_schemas: set[tuple[str, int, Hashable]] = set()
    for fact in facts.of(DeclaredName):
        earlier = first.setdefault(fact.value, fact)
        if earlier is fact:
            continue
        kind, name, _ = fact.value
        if kind in SCHEMA_KINDS:
            schema = (fact.path, fact.document, fact.steps[: 1 if isinstance(fact.steps[0], int) else 0])
            if schema in repeated_schemas:
                continue
            repeated_schemas.add(schema)
        where = location_phrase(earlier, fact)
        message = f'the {kind} "{name}" is already declared in {where}; keep one'
        if kind in KINDS:
            message = f'the name "{name}" is already taken by the {kind} in {where}; give each its own'
        yield WorkspaceFinding(fact, message, related=(("taken here" if kind in KINDS else "declared here", earlier),))
