"""Store, or tag of stores, that no document declares.

A tag that no store has, or the name of a store that does not exist, selects nothing: the config of the binding applies
nowhere, or at fewer stores than intended. The tags of a brand that lists no stores are not checked.
A scenario that names an unknown store is refused, and a menu restricts nothing by one. A view under an online store
that is not declared is most likely under a misspelt one, if others are declared.

Basis: best practice; the assumption brand, menu, stores, sources: tags match when the store has all of them.

Good:

    kind: Brand
    name: acme
    bindings: [{rule: lunch, channelConfig: lunch, stores: {tags: [drive-thru], names: [harbour]}}]
    stores: [{name: harbour, tags: [drive-thru]}]

Good:

    kind: Brand
    name: acme
    bindings: [{rule: lunch, channelConfig: lunch, stores: {tags: [drive-thru]}}]

Bad:

    kind: Brand
    name: acme
    bindings:
      - rule: lunch
        channelConfig: lunch
        stores:
          tags: [drive-thruu]  # <- no store of the brand has the tag "drive-thruu"; did you mean "drive-thru"?
          names: [night]  # <- no store of the brand is named "night"; add it, or name another
    stores:
      - {name: harbour, tags: [drive-thru]}

Fixed:

    kind: Brand
    name: acme
    bindings:
      - rule: lunch
        channelConfig: lunch
        stores:
          tags: [drive-thru]
          names: [night]
    stores:
      - {name: harbour, tags: [drive-thru]}

Bad:

    kind: Brand
    name: acme
    stores: [{name: austin}]
    ---
    kind: Menu
    brand: acme
    items:
      - {name: Tea, availability: {stores: [asutin]}}  # <- declares the store "asutin"; did you mean "austin"?
    ---
    kind: Scenario
    name: The voice of a store
    steps: [{resolve: {store: dallas, expect: {}}}]  # <- no Brand declares the store "dallas"; add it, or name another
    ---
    {kind: FeatureOnlineStore, name: serving, type: OPTIMIZED}
    ---
    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/servng/featureViews/v  # <- did you mean "
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameOrNames
    from trialrun.model.companion import Brand, FeatureOnlineStore, StoreSelector
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
    from trialrun.lint.rule_support.references import referenced_names

    for field in ("stores", "exceptStores"):
        for place, names in referenced_names(availability, field):
            yield place, StoreUse(names, "Brand", False)


@gather("FeatureView", facts=(StoreUse,), keys=("names",))
def of_views(view: FeatureView) -> Gathered[StoreUse]:
    """The online store of a view."""
    store, _, view_id = (view.name or "").partition("/featureViews/")
    if store and view_id:
        yield view.location("name"), StoreUse(store, "FeatureOnlineStore", False)


@rule(Facts, severity=Severity.ERROR)
def uses(facts: Facts) -> WorkspaceFindings:
    """Flag each store that no document declares, if any store of its sort is declared and all could be read."""
    from trialrun.lint.rule_support.references import DeclarationIndex, split_names

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


@rule("Brand", severity=Severity.WARNING, absence=True)
def check(brand: Brand) -> Findings:
    """Flag each tag, and each name, that no store of the brand has."""
    from trialrun.model.node import TruncatedList

    stores = brand.stores
    if not stores or isinstance(stores, TruncatedList):
        return
    if any(store.name is None or isinstance(store.tags, TruncatedList) or _is_refused(store) for store in stores):
        return
    tags = {tag for store in stores for tag in store.tags or ()}
    names = {store.name for store in stores if store.name}
    for binding in brand.bindings or ():
        if binding.stores is not None:
            yield from _unknown(binding.stores, "tags", tags, "no store of the brand has the tag")
            yield from _unknown(binding.stores, "names", names, "no store of the brand is named")


def _is_refused(store: object) -> bool:
    return getattr(store, "tags", None) is None and store.has("tags")  # type: ignore[attr-defined]


def _unknown(selector: StoreSelector, field: str, known: Collection[str], message: str) -> Findings:
    from trialrun.values.suggest import suggest

    for index, text in enumerate(getattr(selector, field) or ()):
        if text in known or not text.strip():
            continue
        near = suggest(text, sorted(known))
        fix = Fix(f"use {near}", (Replace(selector.location(field, index), near),)) if near else None
        advice = f'did you mean "{near}"?' if near else "add it, or name another"
        yield selector.finding((field, index), f'{message} "{text}"; {advice}', fix=fix)
