"""Names by which one document refers to another, how they are gathered, and which declared name a written one means."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings, location_phrase
from trialrun.model.kinds import KINDS
from trialrun.terraform import is_terraform_path
from trialrun.values.resource_name import ResourceIndex, has_stand_in, is_of_other_brand, last_id
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.companion import Brand, FeatureGroupTable, FeatureOnlineStore, SessionSchema
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.menu import Availability
    from trialrun.model.node import Node, Resource
    from trialrun.model.scenario import ResolveStep, SessionStep


NameOrNames = str | list[str]
"""A name, or the names of a list, at whose place the fact then is."""


def indexed(items: Any) -> list[Any]:
    """The items of a list, each with its index in the file: those of a `TruncatedList` have moved up."""
    return [[*item] for item in zip(getattr(items, "indexes", range(len(items or ()))), items or (), strict=True)]


def referenced_names(node: Node, field: str) -> Iterable[tuple[SymbolicLocation, NameOrNames]]:
    """The name or the names of a field as one value; one by one where some were refused and the others moved up.

    A list that lost items is of a class of its own, `TruncatedList`.
    """
    names: NameOrNames | None = getattr(node, field)
    if not names:
        return ()
    if type(names) is list or isinstance(names, str):
        return ((node.location(field), names),)
    return ((node.location(field, index), name) for index, name in enumerate(names))


def split_names(fact: Fact, names: NameOrNames) -> Iterator[tuple[Fact, str]]:
    """Each name of a fact, with the fact at its own place."""
    if isinstance(names, str):
        yield fact, names
    else:
        yield from ((fact.item(index), name) for index, name in enumerate(names))


def has_config_of(brand: str, names: Iterable[str | None]) -> bool:
    """Whether one of the names of configs says that it is under a brand."""
    return any(name and "/" in name and not is_of_other_brand(name, brand) for name in names)


def name_of_resource(fact: Fact) -> Fact:
    """The fact at the name of its resource; a document may be a list of resources."""
    root = fact.steps[:1] if isinstance(fact.steps[0], int) else ()
    return fact._replace(steps=(*root, "name"))


class DeclarationIndex(ResourceIndex[Fact]):
    """Facts by the names that they declare."""

    def __init__(self, facts: Iterable[tuple[str, Fact]]) -> None:
        super().__init__(facts)
        self._ids = NameIndex(self.ids())

    def did_you_mean(self, name: str, *, otherwise: str) -> str:
        """The end of a message: the declared name with this id, or one that is close, else what else to do.

        The id alone stands for a name under the same parent.
        """
        id_ = last_id(name)
        near = id_ if id_ in self._ids else self._ids.suggest(id_)
        if near is None:
            return f"; {otherwise}"
        parent = name.removesuffix(id_)
        names = self.names(near)
        meant = near if not parent or parent + near in names else names[0]
        return f'; did you mean "{meant}"?'


class DeclaredStores(NamedTuple):
    """The names of stores that a document declares, None where some could not be read; `of` is its kind."""

    names: list[str] | None
    of: str


class StoreUse(NamedTuple):
    """The names of stores, and the kind of the documents that declare such; `is_refused` if a trial run refuses it."""

    names: NameOrNames
    of: str
    is_refused: bool


@gather("Brand", facts=(DeclaredStores,), keys=("names",), context=(DeclaredStores,))
def of_brands(brand: Brand) -> Gathered[DeclaredStores]:
    """The names of the stores of a brand."""
    stores = brand.stores or []
    is_partial = brand.is_partial("stores") or any(store.is_partial("name") for store in stores)
    yield brand.location(), DeclaredStores(None if is_partial else [one.name for one in stores if one.name], "Brand")


@gather("FeatureOnlineStore", facts=(DeclaredStores,), keys=("names",), context=(DeclaredStores,))
def online_stores(store: FeatureOnlineStore) -> Gathered[DeclaredStores]:
    """The name of an online store."""
    is_known = store.name and not has_stand_in(store.name)
    yield store.location(), DeclaredStores([store.name] if is_known and store.name else None, "FeatureOnlineStore")


@gather("ResolveStep", "SessionStep", facts=(StoreUse,), keys=("names",))
def of_scenarios(step: ResolveStep | SessionStep) -> Gathered[StoreUse]:
    """The store of a step."""
    if step.store:
        yield step.location("store"), StoreUse(step.store, "Brand", True)


@gather("Availability", facts=(StoreUse,), keys=("names",))
def of_menus(availability: Availability) -> Gathered[StoreUse]:
    """The stores that sell something, or do not."""
    for field in ("stores", "exceptStores"):
        for place, names in referenced_names(availability, field):
            yield place, StoreUse(names, "Brand", False)


@gather("FeatureView", facts=(StoreUse,), keys=("names",))
def of_views(view: FeatureView) -> Gathered[StoreUse]:
    """The online store of a view."""
    store, _, view_id = (view.name or "").partition("/featureViews/")
    if store and view_id and not has_stand_in(store):
        yield view.location("name"), StoreUse(store, "FeatureOnlineStore", False)


def unknown_stores(facts: Facts) -> WorkspaceFindings:
    """Flag each store that no document declares, if any store of its sort is declared and all could be read."""
    for of, noun in (("Brand", "store"), ("FeatureOnlineStore", "online store")):
        declaring = [fact for fact in facts.of(DeclaredStores) if fact.value.of == of]
        declared = DeclarationIndex((name, fact) for fact in declaring for name in fact.value.names or ())
        if not any(fact.value.names for fact in declaring) or any(
            fact.value.names is None or not fact.is_complete for fact in declaring
        ):
            continue
        for fact in facts.of(StoreUse):
            for use, name in split_names(fact, fact.value.names) if fact.value.of == of else ():
                if name.strip() and not declared.resolve(name):
                    advice = declared.did_you_mean(name, otherwise="add it, or name another")
                    severity = Severity.ERROR if fact.value.is_refused else Severity.WARNING
                    chars = None if of == "Brand" else (len(name) - len(last_id(name)), len(name))
                    message = f'no {of} declares the {noun} "{last_id(name)}"{advice}'
                    yield WorkspaceFinding(use, message, severity=severity, chars=chars)


SCHEMA_KINDS = ("SessionSchema", "type", "variable")
"""What a copy of a SessionSchema repeats: one mistake."""


class DeclaredName(NamedTuple):
    """A name that a document declares, and for what; feature groups of different projects may share one."""

    kind: str
    name: str
    project: str = ""


def declared_name(resource: Resource) -> Gathered[DeclaredName]:
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
    first: dict[tuple[DeclaredName, str], Fact[DeclaredName]] = {}
    repeated_schemas: set[tuple[str, int, Hashable]] = set()
    for fact in facts.of(DeclaredName):
        # resources of other modules of Terraform may be copies, as may imported documents
        module = os.path.dirname(fact.path) or "." if is_terraform_path(fact.path) else ""
        earlier = first.setdefault((fact.value, module), fact)
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
