"""Stores of brands, and online stores, that documents declare and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather
from trialrun.lint.rule_support.references import DeclarationIndex, referenced_names, split_names
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameOrNames
    from trialrun.model.companion import Brand, FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.menu import Availability
    from trialrun.model.scenario_steps import ResolveStep, SessionStep


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
