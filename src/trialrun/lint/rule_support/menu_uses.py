"""What configs and menus name of the menu, and which of it no menu has.

How a condition matches names, and what a skip term skips, is the runtime's: `MenuMatching` are its functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.condition_names import FIELDS, ComparedName, compared_names
from trialrun.lint.rule_support.menus import (
    OTHER_FORM,
    DeclaredMenu,
    MenuCatalog,
    MenuEntry,
    MenuIndex,
    entry_title,
    menu_facts,
    normalize_name,
)
from trialrun.lint.rule_support.references import NameOrNames, referenced_names, split_names
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.channel_config import CelUpsell, ClosingMessage, DisambiguationMapping, TargetItem, UpsellConfig
    from trialrun.model.node import Node

USES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "OfferMessage": {"upsoldItems": ("item", "name"), "upsoldItemIds": ("item", "id")},
    "CelUpsell": {"suggestedMenuItems": ("item", "semantic name"), "suggestedModifiers": ("modifier", "semantic name")},
    "SuggestedModifierGroup": {
        "name": ("modifier group", "semantic name"),
        "suggestedModifiers": ("modifier", "semantic name"),
    },
    "TargetItem": {"itemName": ("item", "name"), "itemId": ("item", "id")},
    "TargetModifier": {
        "modifierName": ("modifier", "name"),
        "modifierId": ("modifier", "id"),
        "modifierGroupName": ("modifier group", "name"),
        "modifierGroupId": ("modifier group", "id"),
    },
    "MenuItem": {"modifierGroups": ("modifier group", "name", "id")},
}
"""What a field names: the kind of entry, and by which names, or by its id; any of several counts."""
NAMES_OF_MODIFIERS: Final = ("suggestedModifiers", "modifierName")
GROUP_OF_MODIFIERS: Final = {
    "SuggestedModifierGroup": ("name",),
    "TargetModifier": ("modifierGroupName", "modifierGroupId"),
}
"""The fields beside names of modifiers that say in which group they stand."""
COMPARISONS: Final = {
    "contains": "contains",
    "startsWith": "begins with",
    "endsWith": "ends with",
    "matches": "matches",
}
OTHERWISE: Final = "add it to the menu, or name another"


class MenuMatching(NamedTuple):
    """Whether a function of CEL with a text accepts a name, and whether a name contains a skip term."""

    pattern_matches: Callable[[str, str, str], bool]
    has_skip_term: Callable[[str, str], bool]


LoadMatching = Callable[[], MenuMatching]
"""Imports these functions, which most files need none of."""


class MenuUse(NamedTuple):
    """Names or ids in a field, what kind of entry they are of, and the group that is named with modifiers."""

    names: NameOrNames
    kind: str
    ways: list[str]
    group: list[str]


class Condition(NamedTuple):
    """A condition that reads what is in the order, such as names or ids, and whether its upsell is enabled."""

    text: str
    is_enabled: bool


class SkipTerms(NamedTuple):
    """The skip terms of a closing message."""

    terms: NameOrNames


class CustomerTerms(NamedTuple):
    """The terms of a mapping that leads to items, with the names of these."""

    terms: NameOrNames
    targets: list[str]


class ItemModifiers(NamedTuple):
    """Modifiers, or a group of them, in a field, with the items that are to take them; `by` is the form of names."""

    names: NameOrNames
    kind: str
    items: list[str]
    by: str


SUBJECTS: Final = tuple(dict.fromkeys(("Menu", *USES, "UpsellConfig", "ClosingMessage", "DisambiguationMapping")))
FACTS: Final = (DeclaredMenu, MenuEntry, MenuUse, Condition, SkipTerms, CustomerTerms, ItemModifiers)


def gather_facts(node: Node) -> Gathered[Any]:
    """The entries of a menu, or what another message names of it."""
    message = type(node).__name__
    if message in USES:
        yield from _use_facts(node, message)
    if message in OTHER_FACTS:
        yield from OTHER_FACTS[message](node)


def _use_facts(node: Node, message: str) -> Gathered[MenuUse]:
    group = [getattr(node, field) or "" for field in GROUP_OF_MODIFIERS.get(message, ())]
    for field, (kind, *ways) in USES[message].items():
        for location, names in referenced_names(node, field):
            yield location, MenuUse(names, kind, ways, group if field in NAMES_OF_MODIFIERS else [])


def _target_modifier_facts(target: TargetItem) -> Gathered[ItemModifiers]:
    """The group of each modifier of a target, else the modifier."""
    item = target.itemName or target.itemId
    for modifier in (target.modifiers or ()) if item else ():
        for field, (kind, *_) in reversed(list(USES["TargetModifier"].items())):
            if text := getattr(modifier, field):
                yield modifier.location(field), ItemModifiers(text, kind, [item or ""], "name")
                break


def _cel_upsell_facts(upsell: CelUpsell) -> Gathered[ItemModifiers]:
    """The modifiers, and the groups that are suggested, or their modifiers where they have no name."""
    items = list(upsell.suggestedMenuItems or ())
    is_whole = type(upsell.suggestedMenuItems) is list
    groups = upsell.suggestedModifierGroups or ()
    named: list[tuple[Node, str, str]] = [(upsell, "suggestedModifiers", "modifier")]
    named += [
        (group, "name", "modifier group") if group.name else (group, "suggestedModifiers", "modifier")
        for group in groups
    ]
    for node, field, kind in named if is_whole else ():
        for location, names in referenced_names(node, field):
            yield location, ItemModifiers(names, kind, items, "semantic name")


def _condition_facts(upsell: UpsellConfig) -> Gathered[Condition]:
    text = (upsell.celUpsell and upsell.celUpsell.conditionExpression) or ""
    if any(field in text for field in ("order.items", *(field for _, field in FIELDS))):
        yield upsell.location("celUpsell", "conditionExpression"), Condition(text, not upsell.disabled)


def _skip_term_facts(message: ClosingMessage) -> Gathered[SkipTerms]:
    for location, terms in referenced_names(message, "skipTerms"):
        yield location, SkipTerms(terms)


def _customer_term_facts(mapping: DisambiguationMapping) -> Gathered[CustomerTerms]:
    """None if the name of a target could not be read."""
    targets = [target.itemName for target in mapping.targets or ()]
    if mapping.type not in ("SINGLE_TARGET", "DISAMBIGUATION") or type(mapping.targets) is not list:
        return
    names = [name for name in targets if name is not None]
    for location, terms in referenced_names(mapping, "customerTerms") if len(names) == len(targets) else ():
        yield location, CustomerTerms(terms, names)


MAX_TRIALS = 500_000
"""How often items are tried on conditions, some microseconds each; of the conditions behind, nothing is said."""
OTHER_FACTS: Final[Mapping[str, Callable[[Any], Gathered[Any]]]] = {
    "Menu": menu_facts,
    "CelUpsell": _cel_upsell_facts,
    "TargetItem": _target_modifier_facts,
    "UpsellConfig": _condition_facts,
    "ClosingMessage": _skip_term_facts,
    "DisambiguationMapping": _customer_term_facts,
}


def unknown_entries(facts: Facts, matching: LoadMatching) -> WorkspaceFindings:
    """Each use of what the menus concerned do not have."""
    menus = MenuIndex([*facts.of(DeclaredMenu), *facts.of(MenuEntry)])
    for use in facts.of(MenuUse):
        if catalog := menus.catalog_for(use):
            yield from _of_use(use, catalog)
    for modifiers in facts.of(ItemModifiers):
        if catalog := menus.catalog_for(modifiers):
            yield from _not_taken(modifiers, catalog)
    trials = MAX_TRIALS
    for condition in facts.of(Condition):
        if catalog := menus.catalog_for(condition):
            found = list(_of_condition(condition, catalog, matching))
            trials -= 0 if found else condition.value.text.count("order.items") * len(catalog.items)
            yield from found or (_impossible_parts(condition, catalog) if trials >= 0 else ())
    for skip_terms in facts.of(SkipTerms):
        if catalog := menus.catalog_for(skip_terms):
            yield from _of_skip_terms(skip_terms, catalog, matching)
    for customer_terms in facts.of(CustomerTerms):
        if catalog := menus.catalog_for(customer_terms):
            yield from _of_customer_terms(customer_terms, catalog)


def _of_use(fact: Fact[MenuUse], catalog: MenuCatalog) -> WorkspaceFindings:
    """Names of a field that the menus do not have."""
    names, kind, ways, group = fact.value
    for use, name in split_names(fact, names):
        if not name.strip():
            continue  # `blank-text` says so
        entries = [entry for by in ways for entry in catalog.find(kind, by, name)]
        other = OTHER_FORM.get(ways[0])
        if not entries and other and (entries := catalog.find(kind, other, name)):
            yield _other_form(use, name, other, entries[0])
        if entries:
            yield from _misplaced(use, entries, group, catalog)
        elif catalog.is_exhaustive(kind, ways[0]):
            yield _unknown(use, name, kind, ways, catalog)


def _of_condition(fact: Fact[Condition], catalog: MenuCatalog, matching: LoadMatching) -> WorkspaceFindings:
    """Texts of a condition that are compared with names or ids and fit none of the menus."""
    from trialrun.lint.rule_support.texts import has_placeholder

    for name in compared_names(fact.value.text):
        by = "title" if name.by == "name" else name.by
        if not catalog.is_exhaustive(name.kind, by) or has_placeholder(name.text):
            continue
        if not name.function and not catalog.find(name.kind, by, name.text):
            unknown = _unknown(fact, name.text, name.kind, [name.by], catalog)
            yield unknown._replace(severity=Severity.WARNING, chars=name.chars)
        elif name.function and _fits_none(name, catalog.texts(name.kind, by), matching):
            yield _unfitting(fact, name, catalog, matching)._replace(chars=name.chars)


def _impossible_parts(fact: Fact[Condition], catalog: MenuCatalog) -> WorkspaceFindings:
    """What a condition requires and no order fulfils, although the menu has each of the names."""
    from trialrun.lint.rule_support.menu_conditions import impossible_parts
    from trialrun.lint.rule_support.texts import has_placeholder

    if not catalog.is_exhaustive("item", "title") or not fact.value.is_enabled or has_placeholder(fact.value.text):
        return
    takes_any_modifier = not catalog.is_exhaustive("modifier", "name")
    for chars, most in impossible_parts(fact.value.text, catalog.items, takes_any_modifier=takes_any_modifier):
        few = f"an order has at most {most} line{'s' if most > 1 else ''} of such items, since equal ones are one line"
        reason = few if most else "no item of the menu fulfils this"
        message = f"the condition is always false: {reason}; correct it, or set disabled: true"
        finding = WorkspaceFinding(fact, message, (("the menu", catalog.menus[0]),), Severity.WARNING, chars=chars)
        yield finding._replace(rule="cel-constant", rests_on_absence=True)


def _fits_none(name: ComparedName, texts: Sequence[str], matching: LoadMatching) -> bool:
    """Whether none of the names or ids of a menu is one that a condition looks for; not of what is not a pattern."""
    matches = matching().pattern_matches
    is_sound = name.function != "matches" or matches("matches", f"{name.text}|", "")
    return is_sound and not any(matches(name.function, name.text, text) for text in texts)


def _unfitting(
    fact: Fact, name: ComparedName, catalog: MenuCatalog, matching: LoadMatching, effect: str = ""
) -> WorkspaceFinding:
    """What to say of a text that is looked for in names or ids and is in none."""
    what = "an id" if name.by == "id" else "a name"
    near = _nearest_part(name, catalog, matching)
    otherwise = "correct the pattern" if name.function == "matches" else "look for another"
    advice = f'; did you mean "{near}"?' if near else f"; {otherwise}, or add it"
    message = f'no {name.kind} of the menu has {what} that {COMPARISONS[name.function]} "{name.text}"{effect}{advice}'
    return WorkspaceFinding(fact, message, related=(("the menu", catalog.menus[0]),), severity=Severity.WARNING)


def _nearest_part(name: ComparedName, catalog: MenuCatalog, matching: LoadMatching) -> str | None:
    """The name, or the word of one, that a text was clearly intended to be and that a name or id fits."""
    if name.function == "matches":
        return None
    by = "title" if name.by == "name" else name.by
    near = catalog.names_and_words(name.kind, by).suggest(name.text)
    if near is None or _fits_none(replace(name, text=near), catalog.texts(name.kind, by), matching):
        return None
    return near


def _of_skip_terms(fact: Fact[SkipTerms], catalog: MenuCatalog, matching: LoadMatching) -> WorkspaceFindings:
    """Skip terms that are in the name of no item."""
    from trialrun.lint.rule_support.texts import has_placeholder

    if not catalog.is_exhaustive("item", "name"):
        return
    items = dict.fromkeys([*catalog.texts("item", "name"), *catalog.texts("item", "semantic name")])
    for use, term in split_names(fact, fact.value.terms):
        is_written = term.strip() and not has_placeholder(term)
        if is_written and not any(matching().has_skip_term(name, term) for name in items):
            name = ComparedName("item", "name", term, "contains", (0, 0))
            yield _unfitting(use, name, catalog, matching, ", so the term skips nothing")


def _of_customer_terms(fact: Fact[CustomerTerms], catalog: MenuCatalog) -> WorkspaceFindings:
    """Customer terms that are the name of an item which is none of the targets."""
    terms, targets = fact.value
    names = {normalize_name(name) for name in targets}
    for use, term in split_names(fact, terms):
        items = catalog.items_matching(term)
        if items and names.isdisjoint(normalize_name(text) for item in items for text in _all_names(item)):
            message = f'"{term}" is an item of the menu, but a customer who says it gets "{targets[0]}"'
            advice = f'; add "{items[0].value.name}" to the targets, or remove the term'
            related = (("the item", items[0]),)
            yield WorkspaceFinding(use, message + advice, related=related, severity=Severity.WARNING)


def _all_names(entry: Fact[MenuEntry]) -> list[str]:
    """The names and the semantic name of an entry."""
    return [*entry.value.titles, *entry.value.texts("semantic name")]


def _other_form(use: Fact, name: str, form: str, entry: Fact[MenuEntry]) -> WorkspaceFinding:
    """What to say of a name where the specification has the semantic name, or the other way round."""
    (instead, *_) = entry.value.texts(OTHER_FORM[form])
    message = f'"{name}" is the {form} of this {entry.value.kind}, and its {OTHER_FORM[form]} is expected here'
    related = ((f"the {entry.value.kind}", entry),)
    return WorkspaceFinding(use, f'{message}; write "{instead}"', related=related, severity=Severity.NOTE)


def _unknown(use: Fact, name: str, kind: str, ways: Sequence[str], catalog: MenuCatalog) -> WorkspaceFinding:
    """What to say of a name or an id that no menu has."""
    is_named = ways[0] != "id"
    what = f'{kind} "{name}"' if is_named else f'{kind} with the id "{name}"'
    what_to_do = catalog.names(kind, ways[0]).did_you_mean(name, otherwise=OTHERWISE)
    if "id" not in ways and (
        names := [text for entry in catalog.find(kind, "id", name) for text in entry.value.texts(ways[0])]
    ):
        what_to_do = f', which is an id; write "{names[0]}"'
    elif not is_named and (
        ids := [text for entry in catalog.find_named(kind, name) for text in entry.value.texts("id")]
    ):
        what_to_do = f', which is a name; write "{ids[0]}"'
    return WorkspaceFinding(use, f"the menu has no {what}{what_to_do}", related=(("the menu", catalog.menus[0]),))


def _misplaced(
    use: Fact, modifiers: list[Fact[MenuEntry]], group: Sequence[str], catalog: MenuCatalog
) -> WorkspaceFindings:
    """What to say of modifiers that are in other groups than the one named with them."""
    groups = catalog.groups(*group)
    if groups and catalog.is_exhaustive("modifier", "name") and not catalog.modifiers_in(modifiers, groups):
        holder = catalog.group_of(modifiers[0])
        message = f"the modifier group {entry_title(groups[0])} has no modifier {entry_title(modifiers[0])}"
        other = f"; the group {entry_title(holder)} has it" if holder else "; name another"
        yield WorkspaceFinding(use, message + other, related=(("the group", groups[0]),))


def _not_taken(fact: Fact[ItemModifiers], catalog: MenuCatalog) -> WorkspaceFindings:
    """Modifiers and groups of the menu that none of the items takes; nothing while one of them may take any."""
    names, kind, texts, by = fact.value
    found = [catalog.find_named("item", text, by) or catalog.find("item", "id", text) for text in texts]
    items = [item for entries in found for item in entries]
    groups_of_items = [item.value.modifier_groups for item in items]
    if not all(found) or None in groups_of_items or not catalog.is_exhaustive("modifier", "name"):
        return
    taken = {normalize_name(name) for groups in groups_of_items for name in groups or ()}
    for use, name in split_names(fact, names):
        entries = catalog.find_named(kind, name, by) or catalog.find(kind, "id", name)
        groups = entries if kind == "modifier group" else list(filter(None, map(catalog.group_of, entries)))
        if groups and not any(
            taken & {normalize_name(text) for text in (*_all_names(group), *group.value.texts("id"))}
            for group in groups
        ):
            subject = f"{entry_title(items[0])} does" if len(texts) == 1 else "the suggested items do"
            message = f'{subject} not take the {kind} "{name}", so it is left out; name one that fits'
            related = (("the item", items[0]), (f"the {kind}", entries[0]))
            yield WorkspaceFinding(use, message, related=related, severity=Severity.WARNING)
