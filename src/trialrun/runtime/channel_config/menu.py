"""The menu of a brand: lookup of items and modifiers by name or id, by typed text, and order line items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Generic, Literal, TypeVar
from unicodedata import normalize

from pydantic import Field, PlainSerializer
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.model.menu import entry_names, entry_title
from trialrun.runtime.channel_config.availability import (
    Moment,
    Offering,
    Restriction,
    is_sold_at,
    item_offerings,
    why_not_sold,
)
from trialrun.serialization import Hidden, Opaque
from trialrun.values import join_words
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import names_by_words, suggest

if TYPE_CHECKING:
    from trialrun.model.companion import Brand, Store
    from trialrun.model.menu import Menu, MenuItem, ModifierGroup
    from trialrun.model.node import Node
    from trialrun.runtime.declaration import BrandCatalog, DeclaredResource


MAX_HINTS = 3
MIN_SIMILARITY = 0.7
"""Minimum similarity of a typed name to one of the menu."""
NameForm = Literal["name", "semantic name"]
"""What a text is compared with first; then with the other, and then with ids."""
UnlessEmpty = PlainSerializer(lambda text: text or None, return_type=str | None)


@dataclass(frozen=True, slots=True)
class Modifier:
    """A modifier of an item."""

    name: Annotated[str, Field(serialization_alias="modifier")]
    id: Annotated[str, UnlessEmpty]
    group: Annotated[str, UnlessEmpty]
    """What it does not have is empty."""
    group_id: Annotated[str, Hidden]
    semantic_name: Annotated[str, Hidden] = ""
    other_name: Annotated[str, Hidden] = ""
    """A second name."""
    group_names: Annotated[tuple[str, ...], Hidden] = ()
    """Further names of the group."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item with the modifiers of its groups, in menu order; `price` is 0 if unset.

    `name` is what it is called, `other_name` a second one; what it does not have is empty.
    """

    name: str
    id: str
    price: float
    modifiers: tuple[Modifier, ...] = ()
    semantic_name: str = ""
    other_name: str = ""


@dataclass(frozen=True, slots=True)
class OrderLineItem:
    """A quantity of an item with modifiers."""

    item: Item
    quantity: int = 1
    modifiers: tuple[Modifier, ...] = ()


class OrderedItem(TypedDict):
    """An item with its modifiers."""

    item: str
    id: str | None
    quantity: int
    modifiers: Sequence[Modifier]
    price: Annotated[float | None, Field(description="unit price in the currency of the menu")]


def ordered_item(line: OrderLineItem) -> OrderedItem:
    """An order line as results have it."""
    item = line.item
    return {
        "item": item.name,
        "id": item.id or None,
        "quantity": line.quantity,
        "modifiers": line.modifiers,
        "price": item.price,
    }


OrderedLine = Annotated[OrderLineItem, Opaque, PlainSerializer(ordered_item)]

Items = Sequence[Item]
Entry = TypeVar("Entry", Item, Modifier)


class NotOnMenuError(LookupError):
    """The menu has no such entry; the message names the nearest, and `candidates` are possible names."""

    def __init__(self, message: str, *, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


@dataclass(frozen=True)
class BrandMenu:
    """The merged menus of a brand; if a name or id occurs twice, the first entry counts.

    `is_declared` says whether there is a menu at all. If menus lack their items or modifiers, any name is accepted; so
    is any modifier for items in `unrestricted_items`, which do not list theirs. `offerings` has the items that are not
    sold at all times and in all stores, and `restrictions` what restricts any entry of the menus. `elsewhere` has items
    of other stores that share their names with items of this store: here only what else they are called means them.
    """

    items: tuple[Item, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    is_declared: bool = False
    lists_items: bool = False
    lists_modifiers: bool = False
    unrestricted_items: frozenset[Item] = frozenset()
    offerings: Mapping[Item, tuple[Offering, ...]] = field(default_factory=dict)
    restrictions: tuple[Restriction, ...] = ()
    elsewhere: tuple[Item, ...] = ()

    def item(self, name_or_id: str, form: NameForm = "name") -> Item:
        """The item with a name, as on the menu, a semantic name or an id. Raises NotOnMenuError."""
        if item := self._items[form].get(normalize_name(name_or_id)):
            return item
        if not self.lists_items:
            return Item(name_or_id, "", 0.0)
        names = [item.name for item in self.items]
        raise NotOnMenuError(f'there is no "{name_or_id}" on the menu{_hint(name_or_id, names)}', candidates=names)

    def modifier(self, name_or_id: str, item: Item | None = None, *, group: str = "") -> Modifier:
        """The modifier with a name or id, of an item or of a group if given. Raises NotOnMenuError."""
        candidates = self.modifiers_of(item)
        in_group = (each for each in candidates if not group or normalize_name(group) in group_names(each))
        if modifier := entries_by_name(in_group).get(normalize_name(name_or_id)):
            return modifier
        if not self.lists_modifiers:
            return Modifier(name_or_id, "", group, "")
        names, where = [candidate.name for candidate in candidates], f' in "{group}"' if group else ""
        hint = _hint(name_or_id, names)
        if item is None:
            message = f'there is no modifier "{name_or_id}"{where} on the menu{hint}'
        elif not candidates:
            message = f'"{item.name}" takes no modifiers; remove "{name_or_id}"'
        else:
            advice = hint or f"; it takes {', '.join(names)}"
            message = f'"{item.name}" does not take "{name_or_id}"{where}{advice}'
        raise NotOnMenuError(message, candidates=names)

    def modifiers_of(self, item: Item | None) -> tuple[Modifier, ...]:
        """The modifiers of an item; all of the menu without an item, or if the item does not list its own."""
        return self.modifiers if item is None or self._is_open(item) else item.modifiers

    def takes_any_modifier(self, item: Item) -> bool:
        """Whether nothing says which modifiers an item takes: its own are not listed, or not all of the menu's."""
        return not self.lists_modifiers or self._is_open(item)

    def _is_open(self, item: Item) -> bool:
        """Whether an item does not list its modifiers."""
        return item in self.unrestricted_items or (item.name, item.id) not in self._declared

    def why_unavailable(self, item: Item, moment: Moment) -> str | None:
        """Why an item is not sold at a store and a time; None if it is."""
        return why_not_sold(self.offerings[item], moment) if item in self.offerings else None

    def is_always_sold(self, item: Item, store: str) -> bool:
        """Whether a store sells an item at all times."""
        return any(all(part.always_allows(store) for part in each) for each in self.offerings.get(item, ((),)))

    def store_lists(self, store: str) -> frozenset[int]:
        """The numbers of the lists of stores that name a store; stores in the same lists sell the same."""
        named = self._lists_by_id.get(last_id(store), ())
        return frozenset(number for name, number in named if is_same_resource(name, store))

    @cached_property
    def _lists_by_id(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        parts = [restriction.availability for restriction in self.restrictions]
        lists = [names for part in parts for names in (part.stores, part.exceptStores) if names]
        found: dict[str, list[tuple[str, int]]] = {}
        for number, names in enumerate(lists):
            for name in names:
                found.setdefault(last_id(name), []).append((name, number))
        return found

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether some item is not sold at all times."""
        of_items = {id(offerings): offerings for offerings in self.offerings.values()}.values()
        return any(part.depends_on_time for offerings in of_items for each in offerings for part in each)

    @cached_property
    def name_index(self) -> NameIndex[Item]:
        """The items by the texts that a person may type."""
        return NameIndex(self.items)

    @cached_property
    def _items(self) -> Mapping[NameForm, Mapping[str, Item]]:
        forms: tuple[NameForm, ...] = ("name", "semantic name")
        return {form: entries_by_name(self.elsewhere, form) | entries_by_name(self.items, form) for form in forms}

    @cached_property
    def _declared(self) -> frozenset[tuple[str, str]]:
        return frozenset((item.name, item.id) for item in self.items)


class NameIndex(Generic[Entry]):
    """The entries of a menu, or of a part of it, by the texts that a person may type."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._exact: dict[str, Entry] = {}
        self._folded: dict[str, Entry | None] = {}
        for text in ("name", "other_name", "semantic_name", "id"):
            self._add((getattr(entry, text), entry) for entry in entries)
        self.max_words = max((len(text.split()) for text in self._exact), default=0)
        """The number of words in the longest name."""

    def resolve(self, text: str) -> Entry | None:
        """The entry with this name or id: exact, otherwise ignoring case and spaces, where only one fits."""
        return self._exact.get(normalize("NFC", text)) or self._folded.get(fold_name(text))

    def _add(self, entries: Iterable[tuple[str, Entry]]) -> None:
        for text, entry in entries:
            if text:
                self._exact.setdefault(normalize("NFC", text), entry)
                previous = self._folded.setdefault(fold_name(text), entry)
                if previous is not None and previous.name != entry.name:
                    self._folded[fold_name(text)] = None


@lru_cache(maxsize=16384)
def fold_name(text: str) -> str:
    """A text in lower case, with single spaces, in NFC."""
    return normalize("NFC", " ".join(normalize("NFC", text).casefold().split()))


def brand_menu(brand: DeclaredResource[Brand] | None, catalog: BrandCatalog, store: Store | None = None) -> BrandMenu:
    """The menu for the configs of a brand: its own menus and those without a brand; all if the brand has no name.

    Of several items of one name, those that the store does not sell are left out. See the
    rows menu-of-a-brand, menu-names, menu-gaps and menu-availability of `docs/assumptions.md`.
    """
    menus = [menu.node for menu in catalog.menus_of(brand.node.name if brand else None)]
    declared_groups = [group for menu in menus for group in menu.modifierGroups or ()]
    groups = list(_modifier_groups(declared_groups))
    all_items: dict[Item, MenuItem] = {}
    restrictions: list[tuple[Item, Offering]] = []
    for menu in menus:
        for menu_item, offering in zip(menu.items or (), item_offerings(menu), strict=True):
            if entry_title(menu_item):
                item = _item(menu_item, groups)
                all_items[item] = menu_item
                restrictions.append((item, offering))
    items = all_items
    if store and store.name and any(offering for _, offering in restrictions):
        # without those of other stores that have the name of one that the store sells
        sold = {item for item, offering in restrictions if is_sold_at([offering], store.name)}
        names = {normalize_name(item.name) for item in sold}
        items = {
            item: each for item, each in all_items.items() if item in sold or normalize_name(item.name) not in names
        }
    lists_modifiers = not any(_is_incomplete(group, "modifiers") for group in declared_groups)
    return BrandMenu(
        tuple(items),
        tuple(dict.fromkeys(modifier for group in groups for modifier in group)),
        is_declared=bool(menus),
        lists_items=_is_complete(menus, "items"),
        lists_modifiers=_is_complete(menus, "modifierGroups") and lists_modifiers,
        unrestricted_items=frozenset(item for item, menu_item in items.items() if menu_item.modifierGroups is None),
        offerings=_offerings(restrictions),
        restrictions=tuple({id(part): part for _, offering in restrictions for part in offering}.values()),
        elsewhere=tuple(item for item in all_items if item not in items),
    )


def unpriced_items(menu: BrandMenu, menus: Iterable[DeclaredResource[Menu]]) -> frozenset[Item]:
    """The items of a menu of which no price is known; `menus` are what it was made from."""
    entries = [entry for each in menus for entry in each.node.items or () if entry.price is None]
    keys = {(normalize_name(name), entry.id or "") for entry in entries for name in entry_names(entry)}
    found = (item for item in (*menu.items, *menu.elsewhere) if not item.price)
    return frozenset(item for item in found if (normalize_name(item.name), item.id) in keys)


def _offerings(restrictions: Sequence[tuple[Item, Offering]]) -> dict[Item, tuple[Offering, ...]]:
    """The restrictions of items; an item of one id, or of one name, that several menus have is sold where one is."""
    if not any(each for _, each in restrictions):
        return {}
    alike: dict[tuple[str, str], list[Offering]] = {}
    keys = {item: ("id", item.id) if item.id else ("name", normalize_name(item.name)) for item, _ in restrictions}
    for item, each in restrictions:
        alike.setdefault(keys[item], []).append(each)
    restricted = {key: tuple(offerings) for key, offerings in alike.items() if all(offerings)}
    return {item: restricted[key] for item, key in keys.items() if key in restricted}


def normalize_name(name: str) -> str:
    """A name in NFC."""
    return normalize("NFC", name)


def _modifier_groups(groups: Iterable[ModifierGroup]) -> Iterator[tuple[Modifier, ...]]:
    for group in groups:
        title, *others = entry_names(group) or ("",)
        further = tuple(dict.fromkeys(text for text in (*others, group.semanticName) if text and text != title))
        modifiers: list[Modifier] = []
        for modifier in group.modifiers or ():
            if names := entry_names(modifier):
                name, other_name = (*names, "")[:2]
                ids, semantic_name = (modifier.id or "", title, group.id or ""), modifier.semanticName or ""
                modifiers.append(Modifier(name, *ids, semantic_name, other_name, further))
        yield tuple(modifiers)


def _item(menu_item: MenuItem, groups: Sequence[tuple[Modifier, ...]]) -> Item:
    positions = {normalize_name(name): position for position, name in enumerate(menu_item.modifierGroups or ())}
    by_position: dict[int, list[Modifier]] = {}
    for group in groups if positions else ():
        names = group_names(group[0]) if group else ()
        position = next((positions[name] for name in names if name in positions), None)
        if position is not None:
            by_position.setdefault(position, []).extend(group)
    modifiers = tuple(dict.fromkeys(modifier for position in sorted(by_position) for modifier in by_position[position]))
    name, other_name = (*entry_names(menu_item), "")[:2]
    price, semantic_name = menu_item.price or 0.0, menu_item.semanticName or ""
    return Item(name, menu_item.id or "", price, modifiers, semantic_name, other_name)


def group_names(modifier: Modifier) -> tuple[str, ...]:
    """The names and the id of the group of a modifier, in NFC."""
    names = modifier.group, *modifier.group_names, modifier.group_id
    return tuple(normalize_name(name) for name in names if name)


def names_of(entry: Entry, form: NameForm) -> tuple[str, ...]:
    """The names of an entry, or its semantic name; its names if it has none."""
    if form == "semantic name" and entry.semantic_name:
        return (entry.semantic_name,)
    return tuple(filter(None, (entry.name, entry.other_name)))


def all_names(entry: Entry) -> tuple[str, ...]:
    """Every name of an entry, first what it is called."""
    return tuple(filter(None, (entry.name, entry.other_name, entry.semantic_name)))


def entries_by_name(entries: Iterable[Entry], form: NameForm = "name") -> dict[str, Entry]:
    """The first entry for each name of a form, then for each of the other form, then for each id."""
    all_entries = list(entries)
    other: NameForm = "name" if form == "semantic name" else "semantic name"
    by_name: dict[str, Entry] = {}
    for texts in (lambda entry: names_of(entry, form), lambda entry: names_of(entry, other), lambda entry: (entry.id,)):
        for entry in all_entries:
            for text in filter(None, texts(entry)):
                by_name.setdefault(normalize_name(text), entry)
    return by_name


def _is_complete(menus: Sequence[Menu], field: str) -> bool:
    """Whether the lists are complete: some menu has the list, and all of each could be read."""
    return any(menu.has(field) for menu in menus) and not any(_is_incomplete(menu, field) for menu in menus)


def _is_incomplete(node: Node, field: str) -> bool:
    from trialrun.model.node import TruncatedList  # with pydantic, which rules on facts do without

    value = getattr(node, field)
    if not node.has(field):
        return False
    return value is None or isinstance(value, TruncatedList) or not all(map(entry_title, value))


def _hint(text: str, names: Sequence[str]) -> str:
    """A suggestion: the nearest name, else names that contain the text as a word."""
    near = suggest(text, names, min_similarity=MIN_SIMILARITY)
    suggestions = [f'"{name}"' for name in ([near] if near else names_by_words(text, names))]
    if not suggestions:
        return ""
    if len(suggestions) > MAX_HINTS:
        return f"; {', '.join(suggestions[:MAX_HINTS])} and others are similar"
    return f"; did you mean {join_words(suggestions, 'or')}?"
