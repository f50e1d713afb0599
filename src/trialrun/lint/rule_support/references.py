"""Names by which one document refers to another, how they are gathered, and which declared name a written one means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.resource_name import is_of_other_brand, is_same_resource, last_id
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.companion import Brand, FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.menu import Availability
    from trialrun.model.node import Node
    from trialrun.model.scenario import ResolveStep, SessionStep


ANY_PROJECT: Final = 0
"""The number where none is named."""


def may_be_same(one: int, other: int) -> bool:
    """Whether two are the same project, or one of them is not named."""
    return one == other or ANY_PROJECT in (one, other)


NameOrNames = str | list[str]
"""A name, or the names of a list, at whose place the fact then is."""


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
    return replace(fact, steps=(*root, "name"))


class DeclarationIndex:
    """Facts by the names that they declare; a full name means the one of that name, an id every one that ends so."""

    def __init__(self, facts: Iterable[tuple[str, Fact]]) -> None:
        self._by_name: dict[str, list[Fact]] = {}
        self._names_by_id: dict[str, dict[str, None]] = {}
        self._found: dict[str, list[Fact]] = {}
        for name, fact in facts:
            self._by_name.setdefault(name, []).append(fact)
            self._names_by_id.setdefault(last_id(name), {})[name] = None
        self._ids = NameSuggester(self._names_by_id)

    def find(self, name: str) -> list[Fact]:
        """The facts that a written name means: those of exactly this name, else those that share its end."""
        facts = self._found.get(name)
        if facts is None:
            same = (other for other in self._names_by_id.get(last_id(name), ()) if is_same_resource(other, name))
            facts = self._by_name.get(name) or [fact for other in same for fact in self._by_name[other]]
            self._found[name] = facts
        return facts

    def did_you_mean(self, name: str, *, otherwise: str) -> str:
        """The end of a message: the declared name with this id, or one that is close, else what else to do.

        The id alone stands for a name under the same parent.
        """
        id_ = last_id(name)
        near = id_ if id_ in self._ids else self._ids.suggest(id_)
        if near is None:
            return f"; {otherwise}"
        parent = name.removesuffix(id_)
        names = self._names_by_id[near]
        meant = near if not parent or parent + near in names else next(iter(names))
        return f'; did you mean "{meant}"?'


class NameSuggester:
    """A set of names that finds the one that a misspelt name was clearly intended to be, without a look at each.

    Only names that share pairs of letters with it are compared, those that share rare pairs first.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._index = NameIndex(names)

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def suggest(self, name: str) -> str | None:
        """The one name that differs only in case and separators, or is close by spelling; None when there is none."""
        from trialrun.values.suggest import suggest

        return suggest(name, self._index.similar_names(name))

    def did_you_mean(self, name: str, *, otherwise: str) -> str:
        """The end of a message: the name that was meant, else what else to do."""
        near = self.suggest(name)
        return f'; did you mean "{near}"?' if near else f"; {otherwise}"


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
    yield store.location(), DeclaredStores([store.name] if store.name else None, "FeatureOnlineStore")


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
    if store and view_id:
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
                if name.strip() and not declared.find(name):
                    advice = declared.did_you_mean(name, otherwise="add it, or name another")
                    severity = Severity.ERROR if fact.value.is_refused else Severity.WARNING
                    chars = None if of == "Brand" else (len(name) - len(last_id(name)), len(name))
                    message = f'no {of} declares the {noun} "{last_id(name)}"{advice}'
                    yield WorkspaceFinding(use, message, severity=severity, chars=chars)
