"""What upsells offer, and which of it is certainly never sold: sold out, at no store of a config, in other dayparts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support import brand_facts
from trialrun.lint.rule_support.brand_facts import BrandWithStores, ConfigCatalog
from trialrun.lint.rule_support.menus import (
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
from trialrun.values.resource_name import ResourceIndex

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lint.rule import Context, Gathered
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.menu import Availability, Menu, MenuItem
    from trialrun.model.node import Node
    from trialrun.values.cel import Node as CelNode


SetsOf = Callable[[list[Any], list[Any], list[Any]], Iterable[Any]]
"""The sets of configs that apply at the stores of a brand, by its defaults, bindings and stores: the runtime's."""
UPSELL_STEPS = 4
"""The steps from a config to one of its upsells: operationsConfig, upsellStrategy, upsells and the number."""


class ConfigUses:
    """The brands, the stores and the neighbors of each config of a workspace, by the config of a fact."""

    def __init__(self, facts: Facts, sets_of: SetsOf) -> None:
        self._configs = ConfigCatalog(facts)
        brands = list(facts.of(BrandWithStores))
        self._is_complete = all(map(brand_facts.is_complete, brands))
        self._unclear = brand_facts.unclear_configs(brands, self._configs)
        self._numbers: dict[str, list[int]] = {}
        for number, config in enumerate(self._configs.all):
            self._numbers.setdefault(config.value.name, []).append(number)
        self._brands: dict[int, dict[str, None]] = {}
        for own, *used in (brand.value.names for brand in brands):
            for number in (number for name in used for number in self._configs.resolve(name, own)):
                self._brands.setdefault(number, {})[own] = None
        self._stores: dict[int, set[str]] = {}
        self._beside: dict[int, set[int]] = {}
        for brand in brands:
            self._add_sets(sets_of(*brand_facts.applied_configs(brand.value, self._configs)))
        self._certain_stores = {number: frozenset(stores) for number, stores in self._stores.items()}
        every = dict.fromkeys(store for stores in self._stores.values() for store in stores)
        self._names = ResourceIndex((store, store) for store in every)

    def brands(self, fact: Fact[Any]) -> Sequence[str]:
        """The names of the brands that use the config of a fact."""
        numbers = self._numbers.get(fact.resource, [])
        return list(dict.fromkeys(brand for number in numbers for brand in self._brands.get(number, ())))

    def stores(self, fact: Fact[Any]) -> frozenset[str] | None:
        """The stores at which the config of a fact applies; None if it is unused, or not all of them are known."""
        number = self._certain_number(fact)
        return None if number is None else self._certain_stores.get(number)

    def stores_named(self, names: Iterable[str]) -> frozenset[str]:
        """The stores that a list names, in full or by their ids."""
        return frozenset(store for name in names for store, _ in self._names.same(name))

    def has_own_condition(self, fact: Fact[Any]) -> bool:
        """Whether no other config at a store may override the upsell of a fact, and so its condition."""
        number = self._certain_number(fact)
        own = None if number is None else self._upsell(number, fact)
        if number is None or own is None:
            return False
        return not any(
            self._configs.all[other].value.is_partial or any(_may_merge(own, each) for each in self._upsells(other))
            for other in self._beside.get(number, ())
        )

    def _certain_number(self, fact: Fact[Any]) -> int | None:
        numbers = self._numbers.get(fact.resource, [])
        is_certain = self._is_complete and len(numbers) == 1 and numbers[0] not in self._unclear
        return numbers[0] if is_certain else None

    def _upsells(self, number: int) -> list[Any]:
        strategy = self._configs.summary(number).get("operationsConfig", {}).get("upsellStrategy", {})
        upsells: list[Any] = strategy.get("upsells", [])
        return upsells

    def _upsell(self, number: int, fact: Fact[Any]) -> Mapping[str, Any] | None:
        """The outline of the upsell of a fact; None if parts of the config were refused."""
        config = self._configs.all[number]
        place = len(config.steps) + UPSELL_STEPS - 2
        index = fact.steps[place] if place < len(fact.steps) else None
        upsells = self._upsells(number)
        if config.value.is_partial or not isinstance(index, int) or index >= len(upsells):
            return None
        upsell: Mapping[str, Any] = upsells[index]
        return upsell

    def _add_sets(self, sets: Iterable[Any]) -> None:
        for config_set in sets:
            numbers = {use.config for use in config_set.uses}
            for number in numbers:
                self._stores.setdefault(number, set()).update(store.name for store in config_set.stores)
                self._beside.setdefault(number, set()).update(numbers - {number})


def _may_merge(upsell: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether one of two upsells may override the other: they match by name, or without two names by priority."""
    field = "displayName" if upsell.get("displayName") and other.get("displayName") else "priority"
    return bool(upsell.get(field) == other.get(field))


FIELD = "daypartId"
MAX_LENGTH = 100_000


@lru_cache(maxsize=4096)
def condition_dayparts(text: str) -> tuple[str, ...]:
    """The values of session.daypartId of which one is required: those of a part that has to be true; empty for any."""
    if FIELD not in text or len(text) > MAX_LENGTH:
        return ()
    from trialrun.values.cel.parse import parse
    from trialrun.values.cel.syntax_tree import is_too_deep

    result = parse(text)
    if result.tree is None or result.problems or is_too_deep(result.tree):
        return ()
    return _required(result.tree) or ()


def _required(node: CelNode) -> tuple[str, ...] | None:
    """The dayparts in which a part can be true; None if it does not depend on them."""
    if node.kind != "operator" or len(node.children) != 2:
        return None
    left, right = node.children
    if node.name == "&&":
        return _required(left) or _required(right)
    if node.name == "||":
        both = _required(left), _required(right)
        return (*both[0], *both[1]) if both[0] and both[1] else None
    if node.name == "==":
        return _texts([right]) if _is_daypart(left) else _texts([left]) if _is_daypart(right) else None
    if node.name == "in" and _is_daypart(left) and right.kind == "list":
        return _texts(right.children)
    return None


def _is_daypart(node: CelNode) -> bool:
    return (
        node.kind == "select"
        and node.name == FIELD
        and node.children[0].kind == "name"
        and node.children[0].name == "session"
    )


def _texts(nodes: list[CelNode] | tuple[CelNode, ...]) -> tuple[str, ...] | None:
    values = [node.value for node in nodes if node.kind == "literal"]
    texts = tuple(value for value in values if isinstance(value, str) and value)
    return texts if len(texts) == len(nodes) and texts else None


class Restriction(NamedTuple):
    """What keeps a menu, or an item of one, from being sold always and everywhere; a list that lost names is empty."""

    is_sold_out: bool
    stores: list[str]
    excepted: list[str]
    dayparts: list[str]


class OfferedItems(NamedTuple):
    """Items that an enabled upsell offers, by their form of name, and the dayparts that its condition asks for.

    Empty dayparts stand for any.
    """

    offered: NameOrNames
    form: str
    dayparts: list[str]


class RestrictedItems(NamedTuple):
    """The names and ids of the items that a menu does not sell always and everywhere; None if any may be one."""

    texts: list[str] | None


SUBJECTS = ("Menu", "UpsellConfig", *brand_facts.SUBJECTS)
FACTS = (DeclaredMenu, MenuEntry, Restriction, OfferedItems, *brand_facts.FACTS)
KEYS = ("brand", "titles", "semantic_name", "id", *brand_facts.KEYS)
MAX_ENTRIES = 1000
"""The number of entries that may share names and ids with an item; of more nothing is certain."""
MAX_NAMES = 5
"""The number of dayparts that a message names."""
Place = tuple[str, int, "Path"]


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
    if declared.availability is not None:
        yield declared.location("availability"), _restriction(declared.availability)
    for index, item in enumerate(declared.items or ()):
        if item.availability is not None:
            yield declared.location("items", index), _restriction(item.availability)


def _restriction(availability: Availability) -> Restriction:
    lists: list[list[str]] = [
        [] if availability.is_partial(field) else list(getattr(availability, field) or ())
        for field in ("stores", "exceptStores", "dayparts")
    ]
    return Restriction(bool(availability.soldOut), *lists)


def restricted_items(menu: Menu) -> Gathered[RestrictedItems]:
    """What a menu does not sell always and everywhere."""
    items = [item for item in menu.items or () if _is_restricted(menu) or _is_restricted(item)]
    texts = [text for item in items for text in (item.displayName, item.name, item.semanticName, item.id) if text]
    yield menu.location(), RestrictedItems(None if menu.is_partial("items") else [*map(normalize_name, texts)])


def _is_restricted(entry: Menu | MenuItem) -> bool:
    availability = entry.availability
    keys = (
        availability.model_fields_set if availability else ()
    )  # with those that no field has, which may restrict, too
    sets_more = any(getattr(availability, name, None) is not False for name in keys)
    return entry.has("availability") and (availability is None or sets_more)


def always_sold(facts: Facts) -> Callable[[Sequence[str]], bool]:
    """Whether one of some items, by their names or ids, is sold always and everywhere, or there are no items.

    An item counts as restricted if any menu of the workspace restricts one of its name.
    """
    menus = list(facts.of(RestrictedItems))
    is_open = any(fact.value.texts is None or not fact.is_complete for fact in menus)
    restricted = {text for fact in menus for text in fact.value.texts or ()}
    return lambda items: not items or not (is_open or restricted.issuperset(map(normalize_name, items)))


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
    """Each offer of an item that is certainly never sold where and when it is made.

    It is certain where all that may be meant by its name, at every brand that uses the config, is never sold.
    """
    restrictions = {_place(fact): fact.value for fact in facts.of(Restriction)}
    if not restrictions:
        return
    menus = MenuIndex([*facts.of(DeclaredMenu), *facts.of(MenuEntry)])
    uses = ConfigUses(facts, sets_of)
    sales = Sales(restrictions, uses)
    for fact in facts.of(OfferedItems):
        brands = uses.brands(fact)
        catalogs = [menus.for_brand(brand) for brand in brands] or [menus.catalog_for(fact)]
        for use, name in split_names(fact, fact.value.offered):
            reasons = [_why_never(sales, catalog, name, fact) for catalog in catalogs]
            if all(reasons) and (reason := reasons[0]):
                text, entry = reason
                message = f"{entry_title(entry)} is never available here: {text}"
                yield WorkspaceFinding(use, f"{message}; offer something else", related=(("the item", entry),))


def _why_never(
    sales: Sales, catalog: MenuCatalog | None, name: str, fact: Fact[OfferedItems]
) -> tuple[str, Fact[MenuEntry]] | None:
    """Why none of the entries that a name may mean is ever sold, and the entry; None if one may be."""
    if catalog is None or not catalog.lists_all_items:
        return None
    form = fact.value.form
    named = catalog.find("item", "id", name) if form == "id" else catalog.find_named("item", name, form)
    entries = _entries_alike(catalog, name) if named else ()
    text = sales.why_never(entries, fact) if entries else None
    return (text, named[0]) if text else None


def _entries_alike(catalog: MenuCatalog, name: str) -> Sequence[Fact[MenuEntry]]:
    """The entries that a name means in any form, and those that are the same item by id or name; empty if too many."""
    named = [entry for by in ("name", "semantic name", "id") for entry in catalog.find("item", by, name)]
    if len(named) > MAX_ENTRIES:
        return ()
    texts = {(by, text) for entry in named for by in ("title", "id") for text in entry.value.texts(by)}
    alike = {_place(entry): entry for entry in named}
    for by, text in texts:
        same = catalog.find("item", by, text)
        if len(same) > MAX_ENTRIES:
            return ()
        alike.update((_place(entry), entry) for entry in same)
    return list(alike.values()) if len(alike) <= MAX_ENTRIES else ()


def _place(fact: Fact[Any]) -> Place:
    return fact.path, fact.document, fact.steps


class Sales:
    """Where and when items are sold, by what restricts them and their menus."""

    def __init__(self, restrictions: Mapping[Place, Restriction], uses: ConfigUses) -> None:
        self._restrictions, self._uses = restrictions, uses
        self._sold: dict[tuple[Place, str], frozenset[str]] = {}
        self._is_sold: dict[tuple[Place, str], bool] = {}

    def why_never(self, entries: Sequence[Fact[MenuEntry]], fact: Fact[OfferedItems]) -> str | None:
        """Why none of some entries is sold where and when an offer is made; None if one may be."""
        left = [entry for entry in entries if not any(part.is_sold_out for part in self._parts(entry))]
        if not left:
            return "it is sold out"
        stores = self._uses.stores(fact)
        left = [entry for entry in left if stores is None or self._is_sold_at_one(entry, fact.resource, stores)]
        if not left:
            return _at_no_store(len(stores or ()))
        wanted = fact.value.dayparts
        if (
            wanted
            and self._uses.has_own_condition(fact)
            and all(
                any(part.dayparts and set(part.dayparts).isdisjoint(wanted) for part in self._parts(entry))
                for entry in left
            )
        ):
            lists = (part.dayparts for entry in left for part in self._parts(entry))
            sold = [daypart for dayparts in lists for daypart in dayparts]
            return f"it is sold at {_join(sold, 'and')}, and the condition asks for {_join(wanted, 'or')}"
        return None

    def _parts(self, entry: Fact[MenuEntry]) -> list[Restriction]:
        places = self._menu_place(entry), _place(entry)
        return [self._restrictions[place] for place in places if place in self._restrictions]

    @staticmethod
    def _menu_place(entry: Fact[MenuEntry]) -> Place:
        return entry.path, entry.document, (*entry.steps[:-2], "availability")

    def _is_sold_at_one(self, entry: Fact[MenuEntry], config: str, stores: frozenset[str]) -> bool:
        """Whether one of the stores of a config sells an item."""
        key = _place(entry), config
        if key not in self._is_sold:
            self._is_sold[key] = self._find_store(entry, config, stores)
        return self._is_sold[key]

    def _find_store(self, entry: Fact[MenuEntry], config: str, stores: frozenset[str]) -> bool:
        """The same; what the menu says of stores is looked up once for all of its items."""
        place = self._menu_place(entry)
        if (place, config) not in self._sold:
            whole = self._restrictions.get(place)
            self._sold[place, config] = self._selling(whole, stores) if whole else stores
        sold, own = self._sold[place, config], self._restrictions.get(_place(entry))
        if own is None:
            return bool(sold)
        listed = sold & self._uses.stores_named(own.stores) if own.stores else sold
        return len(listed & self._uses.stores_named(own.excepted)) < len(listed)

    def _selling(self, part: Restriction, stores: frozenset[str]) -> frozenset[str]:
        listed = stores & self._uses.stores_named(part.stores) if part.stores else stores
        return listed - self._uses.stores_named(part.excepted)


def _join(dayparts: Sequence[str], word: str) -> str:
    """The first dayparts, each once, and that there are more."""
    names = list(dict.fromkeys(dayparts))
    return f" {word} ".join([*names[:MAX_NAMES], *(["others"] if len(names) > MAX_NAMES else [])])


def _at_no_store(count: int) -> str:
    if count == 1:
        return "the one store of this config does not sell it"
    return f"none of the {count} stores of this config sells it"
