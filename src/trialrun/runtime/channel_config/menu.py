"""The menu of a brand at work: which entry a name or an id means, and what an order line is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar
from unicodedata import normalize

from trialrun.lazy_dataclass import dataclass
from trialrun.model.suggest import by_words, nearest
from trialrun.runtime.channel_config.name_index import Spellings
from trialrun.values.resource_name import is_same

if TYPE_CHECKING:
    from trialrun.model.companion import Brand, Menu, MenuItem
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Declared

MOST_HINTS = 3
CLOSE = 0.7
"""How alike a name that was typed in passing and one of the menu are, at least."""


@dataclass(frozen=True, slots=True)
class Modifier:
    """A modifier in its group; `id` is empty where the menu has none."""

    name: str
    id: str
    group: str
    group_id: str


@dataclass(frozen=True, slots=True)
class Item:
    """An item: its modifiers are those of its groups, in the order of the menu; `price` is 0 where there is none."""

    name: str
    id: str
    price: float
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Ordered:
    """So many of an item, each with the same modifiers."""

    item: Item
    quantity: int = 1
    modifiers: tuple[Modifier, ...] = ()


Items = Sequence[Item]
Entry = TypeVar("Entry", Item, Modifier)


class NotOnMenu(LookupError):
    """The menu has no such entry; the message names the nearest, and `known` are the names that would do."""

    def __init__(self, message: str, *, known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.known = known


@dataclass(frozen=True)
class MenuOfBrand:
    """What the menus of a brand have together; of one name or id, the first entry counts.

    `is_declared` says whether there is a menu at all. Where menus leave their items, or their modifiers, out, any
    name is one; so is any name of a modifier for the items of `open`, which do not say what they take.
    """

    items: tuple[Item, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    is_declared: bool = False
    says_items: bool = False
    says_modifiers: bool = False
    open: frozenset[Item] = frozenset()

    def item(self, name_or_id: str) -> Item:
        """The item that a name, as it is written on the menu, or an id means. Raises NotOnMenu."""
        found = self._items.get(same_form(name_or_id))
        if found:
            return found
        if not self.says_items:
            return Item(name_or_id, "", 0.0)
        names = [item.name for item in self.items]
        raise NotOnMenu(f'there is no "{name_or_id}" on the menu{_hint(name_or_id, names)}', known=names)

    def modifier(self, name_or_id: str, item: Item | None = None, *, group: str = "") -> Modifier:
        """The modifier that a name or an id means: of an item, of a group by name or id, where they are given.

        Raises NotOnMenu.
        """
        taken = self.modifiers_of(item)
        found = _by_name(one for one in taken if not group or same_form(group) in _group_names(one))
        if modifier := found.get(same_form(name_or_id)):
            return modifier
        if not self.says_modifiers:
            return Modifier(name_or_id, "", group, "")
        raise NotOnMenu(_no_modifier(name_or_id, item, taken, group), known=[one.name for one in taken])

    def modifiers_of(self, item: Item | None) -> tuple[Modifier, ...]:
        """The modifiers that an item takes; all of the menu without an item, or for one that does not say."""
        is_open = item is None or item in self.open or (item.name, item.id) not in self._declared
        return self.modifiers if is_open or item is None else item.modifiers

    @cached_property
    def spellings(self) -> Spellings[Item]:
        """The items by what a person may type for them."""
        return Spellings(self.items)

    @cached_property
    def _items(self) -> Mapping[str, Item]:
        return _by_name(self.items)

    @cached_property
    def _declared(self) -> frozenset[tuple[str, str]]:
        return frozenset((item.name, item.id) for item in self.items)


def menu_of(brand: Declared[Brand] | None, catalog: BrandCatalog) -> MenuOfBrand:
    """The menu that a brand's configs are written for: its own menus and those of no brand; all where it has no name.

    `docs/assumptions.md` has the rows menu-of-a-brand, menu-names and menu-gaps.
    """
    name = brand.node.name if brand else None
    menus = [one.node for one in catalog.menus if not (name and one.node.brand) or is_same(one.node.brand, name)]
    known = list(_groups(menus))
    items = {
        Item(entry.name, entry.id or "", entry.price or 0.0, _taken(entry, known)): entry
        for menu in menus
        for entry in menu.items or ()
        if entry.name
    }
    return MenuOfBrand(
        tuple(items),
        tuple(dict.fromkeys(one for group in known for one in group)),
        is_declared=bool(menus),
        says_items=_is_whole(menus, "items"),
        says_modifiers=_is_whole(menus, "modifierGroups") and all(map(_says_modifiers, menus)),
        open=frozenset(item for item, entry in items.items() if entry.modifierGroups is None),
    )


def same_form(name: str) -> str:
    """A name in the form that composed and decomposed characters share."""
    return normalize("NFC", name)


def _groups(menus: Iterable[Menu]) -> Iterator[tuple[Modifier, ...]]:
    for menu in menus:
        for group in menu.modifierGroups or ():
            place = group.name or "", group.id or ""
            named = (one for one in group.modifiers or () if one.name)
            yield tuple(Modifier(one.name or "", one.id or "", *place) for one in named)


def _taken(item: MenuItem, groups: Sequence[tuple[Modifier, ...]]) -> tuple[Modifier, ...]:
    """The modifiers of an item, whose groups are named by their names or ids."""
    wanted = {same_form(name): at for at, name in enumerate(item.modifierGroups or ())}
    found: dict[int, list[Modifier]] = {}
    for group in groups:
        at = next((wanted[name] for name in _group_names(group[0]) if name in wanted), None) if group else None
        if at is not None:
            found.setdefault(at, []).extend(group)
    return tuple(dict.fromkeys(one for at in sorted(found) for one in found[at]))


def _group_names(modifier: Modifier) -> tuple[str, ...]:
    return tuple(same_form(name) for name in (modifier.group, modifier.group_id) if name)


def _by_name(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The first entry of each name, then of each id that is no name."""
    listed = list(entries)
    found: dict[str, Entry] = {}
    for one in listed:
        found.setdefault(same_form(one.name), one)
    for one in listed:
        if one.id:
            found.setdefault(same_form(one.id), one)
    return found


def _is_whole(menus: Sequence[Menu], field: str) -> bool:
    """Whether what is not in the list is on no menu: some menu has it, and all of each could be read."""
    return any(menu.has(field) for menu in menus) and not any(_is_cut(menu, field) for menu in menus)


def _says_modifiers(menu: Menu) -> bool:
    return not any(_is_cut(group, "modifiers") for group in menu.modifierGroups or ())


def _is_cut(node: Node, field: str) -> bool:
    from trialrun.model.node import Shortened

    value = getattr(node, field)
    if not node.has(field):
        return False
    return value is None or isinstance(value, Shortened) or any(entry.name is None for entry in value)


def _no_modifier(text: str, item: Item | None, taken: Sequence[Modifier], group: str) -> str:
    named = f' in "{group}"' if group else ""
    if item is None:
        return f'there is no modifier "{text}"{named} on the menu{_hint(text, [one.name for one in taken])}'
    if not taken:
        return f'"{item.name}" takes no modifiers; leave "{text}" out'
    hint = _hint(text, [one.name for one in taken]) or f"; it takes {', '.join(one.name for one in taken)}"
    return f'"{item.name}" does not take "{text}"{named}{hint}'


def _hint(text: str, names: Sequence[str]) -> str:
    """The nearest name, else those that have the text for a word; the first of them where they are many."""
    near = nearest(text, names, close=CLOSE)
    found = [f'"{name}"' for name in ([near] if near else by_words(text, names))]
    if not found:
        return ""
    if len(found) > MOST_HINTS:
        return f"; {', '.join(found[:MOST_HINTS])} and others are like it"
    *first, last = found
    return f"; did you mean {' or '.join([', '.join(first), last] if first else [last])}?"
