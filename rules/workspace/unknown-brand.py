"""Menu of a brand that does not exist.

A menu of an unknown brand is not used: no names are compared with it, and mistakes in them go unnoticed. Not reported
if the workspace declares no brand.

Basis: best practice; the assumption brand, menu, stores, sources: a Menu names its brand.

Good:

    kind: Brand
    name: projects/p/locations/l/brands/acme
    ---
    kind: Menu
    brand: acme

Good:

    kind: Menu
    brand: acme

Bad:

    kind: Brand
    name: acme
    ---
    kind: Menu
    brand: acne  # <- no Brand of the workspace is named "acne"; did you mean "acme"?
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import Brand, Menu

BRAND, MENU = "brand", "menu"


@gather("Brand")
def brands(brand: Brand) -> Iterator[tuple[SymbolicLocation, list[str | None]]]:
    """The name of a brand."""
    yield brand.location("name"), [BRAND, brand.name or None]


@gather("Menu")
def menus(menu: Menu) -> Iterator[tuple[SymbolicLocation, list[str | None]]]:
    """The brand that a menu names."""
    if menu.brand and menu.brand.strip():
        yield menu.location("brand"), [MENU, menu.brand]


@rule(Facts, severity=Severity.WARNING)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each brand of a menu that no Brand is named, unless the name of one could not be read."""
    from trialrun.lint.rule_support.references import DeclarationIndex

    brands = [fact for fact in facts if fact.value[0] == BRAND]
    if not brands or not all(fact.value[1] for fact in brands):
        return
    known = DeclarationIndex((fact.value[1], fact) for fact in brands)
    for fact in facts:
        name = fact.value[1]
        if fact.value[0] == MENU and not known.find(name):
            what_to_do = known.did_you_mean(name, otherwise="add it, or name another")
            yield WorkspaceFinding(fact, f'no Brand of the workspace is named "{name}"{what_to_do}')
