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
from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.references import (  # noqa: F401 - what is gathered
    of_brands,
    of_menus,
    of_scenarios,
    of_views,
    online_stores,
    unknown_stores,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import Brand, StoreSelector


@rule(Facts, severity=Severity.ERROR)
def uses(facts: Facts) -> WorkspaceFindings:
    """Flag each store that no document declares, if any store of its sort is declared and all could be read."""
    return unknown_stores(facts)


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
        yield selector.finding((field, index), f'{message} "{text}"; {advice}', severity=Severity.WARNING, fix=fix)
