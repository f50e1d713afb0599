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

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import Brand
    from trialrun.model.menu import Menu


class DeclaredBrand(NamedTuple):
    """The name of a brand."""

    name: str | None


class MenuBrand(NamedTuple):
    """The brand that a menu names."""

    name: str


@gather("Brand", facts=(DeclaredBrand,), context=(DeclaredBrand,))
def brands(brand: Brand) -> Gathered[DeclaredBrand]:
    """The name of a brand."""
    yield brand.location("name"), DeclaredBrand(brand.name or None)


@gather("Menu", facts=(MenuBrand,))
def menus(menu: Menu) -> Gathered[MenuBrand]:
    """The brand that a menu names."""
    if menu.brand and menu.brand.strip():
        yield menu.location("brand"), MenuBrand(menu.brand)


@rule(Facts, severity=Severity.WARNING)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each brand of a menu that no Brand is named, unless the name of one could not be read."""
    from trialrun.lint.rule_support.references import DeclarationIndex

    brands = list(facts.of(DeclaredBrand))
    if not brands or not all(fact.value.name for fact in brands):
        return
    declared = DeclarationIndex((fact.value.name or "", fact) for fact in brands)
    for fact in facts.of(MenuBrand):
        name = fact.value.name
        if not declared.resolve(name):
            what_to_do = declared.did_you_mean(name, otherwise="add it, or name another")
            yield WorkspaceFinding(fact, f'no Brand of the workspace is named "{name}"{what_to_do}')
