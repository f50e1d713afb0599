"""What upsells offer, and which of it is certainly never sold: sold out, at no store of a config, in other dayparts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support import brand_facts
from trialrun.lint.rule_support.brand_facts import ConfigCatalog
from trialrun.lint.rule_support.condition_dayparts import condition_dayparts
from trialrun.lint.rule_support.menus import DeclaredMenu, MenuCatalog, MenuEntry, MenuIndex, entry_title, menu_facts
from trialrun.lint.rule_support.references import NameOrNames, referenced_names, split_names
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.resource_name import is_same_resource

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lint.rule import Context, Gathered
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.menu import Availability, Menu
    from trialrun.model.node import Node


class RestrictedItem(NamedTuple):
    """An item that is not sold always and everywhere, by its own availability and that of its menu.

    `stores`, `excepted` and `dayparts` have a list of each that has one.
    """

    is_sold_out: bool
    stores: list[list[str]]
    excepted: list[list[str]]
    dayparts: list[list[str]]


class OfferedItems(NamedTuple):
    """Items that an enabled upsell offers, by their form of name, and the dayparts that its condition asks for.

    Empty dayparts stand for any.
    """

    offered: NameOrNames
    form: str
    dayparts: list[str]


SUBJECTS = ("Menu", "UpsellConfig", *brand_facts.SUBJECTS)
FACTS = (DeclaredMenu, MenuEntry, RestrictedItem, OfferedItems, *brand_facts.FACTS)
KEYS = ("brand", "titles", "semantic_name", "id", *brand_facts.KEYS)
Place = tuple[str, int, "Path"]
SetsOf = Callable[[list[Any], list[Any], list[Any]], Iterable[Any]]
"""The sets of configs that apply at the stores of a brand, by its defaults, bindings and stores: the runtime's."""


def gather_facts(node: Node, context: Context) -> Gathered[Any]:
    """The items of a menu with what restricts them, what an upsell offers, and where configs apply."""
    match type(node).__name__:
        case "Menu":
            yield from _menu_facts(node)
        case "UpsellConfig":
            yield from _offer_facts(node)
        case _:
            yield from brand_facts.gather_facts(node, context)


def _menu_facts(menu: Any) -> Gathered[Any]:
    declared: Menu = menu
    yield from menu_facts(declared)
    for index, item in enumerate(declared.items or ()):
        parts = [part for part in (declared.availability, item.availability) if part is not None]
        if parts:
            yield declared.location("items", index), _restricted(parts)


def _restricted(parts: Sequence[Availability]) -> RestrictedItem:
    lists: list[list[list[str]]] = [
        [texts for part in parts if (texts := getattr(part, field)) and not part.is_partial(field)]
        for field in ("stores", "exceptStores", "dayparts")
    ]
    return RestrictedItem(any(part.soldOut for part in parts), *lists)


def _offer_facts(node: Any) -> Gathered[OfferedItems]:
    upsell: UpsellConfig = node
    if upsell.disabled:
        return
    if upsell.celUpsell:
        dayparts = list(condition_dayparts(upsell.celUpsell.conditionExpression or ""))
        for location, names in referenced_names(upsell.celUpsell, "suggestedMenuItems"):
            yield location, OfferedItems(names, "semantic name", dayparts)
    messages = [*((upsell.greetingOffer and upsell.greetingOffer.messages) or ())]
    closing = (upsell.closingOffer and upsell.closingOffer.closingMessages) or ()
    for message in [*messages, *(each.offerMessage for each in closing if each.offerMessage)]:
        for field, form in (("upsoldItems", "name"), ("upsoldItemIds", "id")):
            for location, names in referenced_names(message, field):
                yield location, OfferedItems(names, form, [])


def unavailable_items(facts: Facts, sets_of: SetsOf) -> WorkspaceFindings:
    """Each offer of an item that is certainly never sold where and when it is made."""
    restricted = {_place(fact): fact.value for fact in facts.of(RestrictedItem)}
    if not restricted:
        return
    menus = MenuIndex([*facts.of(DeclaredMenu), *facts.of(MenuEntry)])
    stores = _stores_by_config(facts, sets_of)
    for fact in facts.of(OfferedItems):
        if (catalog := menus.catalog_for(fact)) is None:
            continue
        for use, name in split_names(fact, fact.value.offered):
            entries = _entries(catalog, name, fact.value.form)
            parts = [restricted.get(_place(entry)) for entry in entries]
            if entries and (why := _why_never([part for part in parts if part], fact, stores)) and None not in parts:
                message = f"{entry_title(entries[0])} is never available here: {why}"
                yield WorkspaceFinding(use, f"{message}; offer something else", related=(("the item", entries[0]),))


def _entries(catalog: MenuCatalog, name: str, form: str) -> list[Fact[MenuEntry]]:
    return catalog.find("item", "id", name) if form == "id" else catalog.find_named("item", name, form)


def _place(fact: Fact[Any]) -> Place:
    return fact.path, fact.document, fact.steps


def _why_never(
    parts: Sequence[RestrictedItem], fact: Fact[OfferedItems], stores: Mapping[str, Collection[str]]
) -> str | None:
    """Why none of the entries of an item is sold; None if one may be."""
    if not parts:
        return None
    at = stores.get(fact.resource)
    left = [part for part in parts if not part.is_sold_out]
    if not left:
        return "it is sold out"
    left = [part for part in left if at is None or any(_sells(part, store) for store in at)]
    if not left:
        return "the one store of this config does not sell it" if at and len(at) == 1 else _at_no_store(at or ())
    wanted = fact.value.dayparts
    if wanted and all(_is_apart(part, wanted) for part in left):
        sold = dict.fromkeys(daypart for part in left for dayparts in part.dayparts for daypart in dayparts)
        return f"it is sold at {' and '.join(sold)}, and the condition asks for {' or '.join(wanted)}"
    return None


def _at_no_store(stores: Collection[str]) -> str:
    return f"none of the {len(stores)} stores of this config sells it"


def _sells(part: RestrictedItem, store: str) -> bool:
    is_listed = all(any(is_same_resource(name, store) for name in names) for names in part.stores)
    return is_listed and not any(is_same_resource(name, store) for names in part.excepted for name in names)


def _is_apart(part: RestrictedItem, wanted: Collection[str]) -> bool:
    return any(set(dayparts).isdisjoint(wanted) for dayparts in part.dayparts)


def _stores_by_config(facts: Facts, sets_of: SetsOf) -> Mapping[str, Collection[str]]:
    """The stores at which each config applies, by its name, if all of them are known."""
    configs, brands = ConfigCatalog(facts), brand_facts.group_by_brand(facts)
    if not all(brand.is_complete for brand in brands):
        return {}
    unclear = brand_facts.unclear_configs(brands, configs)
    found: dict[str, dict[str, None]] = {}
    for brand in brands:
        for config_set in sets_of(*brand.as_data(configs)):
            names = {use.config: configs.all[use.config].value.name for use in config_set.uses}
            for number, name in names.items():
                if number not in unclear:
                    found.setdefault(name, {}).update(dict.fromkeys(_store_names(config_set.stores)))
    return found


def _store_names(stores: Sequence[Any]) -> Iterator[str]:
    return (store.name for store in stores)
