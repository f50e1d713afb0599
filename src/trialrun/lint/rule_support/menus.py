"""The menus of a workspace as rules across files see them: their entries by name and id, and whom they are for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unicodedata import normalize

from trialrun.lint.file_result import Fact, facts_of
from trialrun.values.resource_name import ResourceIndex
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lint.rule import Gathered
    from trialrun.model.menu import Menu, MenuItem, Modifier, ModifierGroup
    from trialrun.model.node import Node

NOT_LISTED, PARTIAL, COMPLETE = range(3)


class DeclaredMenu(NamedTuple):
    """A menu: its brand, and how much it says of items, and of modifier groups with their modifiers."""

    brand: str | None
    items: int
    modifiers: int


class MenuEntry(NamedTuple):
    """An item, a modifier group or a modifier of a menu: its names, first what it is called.

    `modifier_groups` are those that an item takes, by names or ids; None if it does not say.
    """

    kind: str
    titles: list[str]
    semantic_name: str | None
    id: str | None
    menu_brand: str
    modifier_groups: list[str] | None = None
    price: float = 0.0

    @property
    def name(self) -> str:
        """What it is called; empty if it has no name."""
        return self.titles[0] if self.titles else ""

    def texts(self, by: str) -> list[str]:
        """Its names of a form, or its id: what it is called is its title, and stands for a missing semantic name."""
        match by:
            case "title":
                return self.titles[:1]
            case "semantic name":
                return [self.semantic_name] if self.semantic_name else self.titles
            case "id":
                return [self.id] if self.id else []
        return self.titles


FORMS: Final = ("title", "name", "semantic name", "id")
OTHER_FORM: Final = {"name": "semantic name", "semantic name": "name"}
"""What a field falls back to that the specification compares with names, or with semantic names."""


def brand_of(fact: Fact[DeclaredMenu | MenuEntry]) -> str:
    """The brand that a menu, or an entry of one, is for; empty where it is for any."""
    value = fact.value
    return value.menu_brand if isinstance(value, MenuEntry) else value.brand or ""


def menu_facts(menu: Menu) -> Gathered[DeclaredMenu | MenuEntry]:
    """What a menu declares: first the menu itself, then each entry."""
    brand = menu.brand or ""
    items, groups = menu.items or [], menu.modifierGroups or []
    brand_is_clear = menu.brand is not None or not menu.has("brand")
    says = [
        _completeness(menu, "items", items),
        min(_completeness(menu, "modifierGroups", groups), *map(_group_completeness, groups), 2),
    ]
    listed = [say if brand_is_clear else min(say, PARTIAL) for say in says]
    yield menu.location(), DeclaredMenu(menu.brand or None, *listed)
    for index, item in enumerate(items):
        groups_of_item = item.modifierGroups if type(item.modifierGroups) is list else None
        yield (
            menu.location("items", index),
            _entry("item", item, brand)._replace(modifier_groups=groups_of_item, price=item.price or 0.0),
        )
    for index, group in enumerate(groups):
        yield menu.location("modifierGroups", index), _entry("modifier group", group, brand)
        for at, modifier in enumerate(group.modifiers or ()):
            place = menu.location("modifierGroups", index, "modifiers", at)
            yield place, _entry("modifier", modifier, brand)


def _entry(kind: str, entry: MenuItem | Modifier | ModifierGroup, brand: str) -> MenuEntry:
    from trialrun.model.menu import entry_names  # here, as there is none where no file has a menu

    return MenuEntry(kind, list(entry_names(entry)), entry.semanticName or None, entry.id or None, brand)


def _group_completeness(group: Any) -> int:
    return COMPLETE if group.is_unset("modifiers") else _completeness(group, "modifiers", group.modifiers or [])


def _completeness(node: Node, field: str, listed: list[Any]) -> int:
    """How much a list says of what there is: empty if it is left out, a part where some of it was refused."""
    from trialrun.model.menu import entry_title
    from trialrun.model.node import TruncatedList

    if not node.has(field):
        return NOT_LISTED
    is_cut = getattr(node, field) is None or isinstance(listed, TruncatedList)
    return PARTIAL if is_cut or any(not entry_title(entry) for entry in listed) else COMPLETE


class MenuIndex:
    """The menus of a workspace, by the brand that they are for; made of the facts of menus and their entries."""

    def __init__(self, facts: Iterable[Fact[DeclaredMenu | MenuEntry]]) -> None:
        self._by_brand: dict[str, list[Fact[DeclaredMenu | MenuEntry]]] = {}
        self._brand_of_menu: dict[tuple[str, int, Path], str] = {}
        self._catalogs: dict[tuple[str, ...], MenuCatalog] = {}
        for fact in facts:
            brand = brand_of(fact)
            self._by_brand.setdefault(brand, []).append(fact)
            if isinstance(fact.value, DeclaredMenu):
                self._brand_of_menu[fact.path, fact.document, fact.steps] = brand
        self._brands = ResourceIndex((brand, brand) for brand in self._by_brand)

    def catalog_for(self, fact: Fact) -> MenuCatalog | None:
        """What the menus have with which a fact is to be compared, of a config or of a menu itself; None without any.

        The brand of a config is the one that its name is under.
        """
        root = fact.steps[:1] if fact.steps and isinstance(fact.steps[0], int) else ()
        brand = self._brand_of_menu.get((fact.path, fact.document, root))
        return self.for_brand(fact.resource.rpartition("/channelConfigs/")[0] if brand is None else brand)

    def for_brand(self, brand: str) -> MenuCatalog | None:
        """What the menus of a brand and those of no brand have together; all of them where the brand is not known."""
        same = (other for other, _ in self._brands.same(brand))
        concerned = {"", *same} & self._by_brand.keys() if brand else self._by_brand.keys()
        brands = tuple(sorted(concerned))
        if brands and brands not in self._catalogs:
            self._catalogs[brands] = MenuCatalog([fact for brand in brands for fact in self._by_brand[brand]])
        return self._catalogs.get(brands)


class MenuCatalog:
    """What one or more menus have together."""

    def __init__(self, facts: list[Fact[DeclaredMenu | MenuEntry]]) -> None:
        self.menus = list(facts_of(facts, DeclaredMenu))
        self._found: dict[tuple[str, str, str], list[Fact[MenuEntry]]] = {}
        self._at: dict[tuple[str, int, Path], Fact[MenuEntry]] = {}
        self._names: dict[tuple[str, str], NameIndex] = {}
        self._words: dict[tuple[str, str], NameIndex] = {}
        self._items_by_words: dict[str, list[Fact[MenuEntry]]] = {}
        self._exhaustive: dict[tuple[str, str], bool] = {}
        for entry in facts_of(facts, MenuEntry):
            self._add(entry)

    def _add(self, fact: Fact[MenuEntry]) -> None:
        self._at[fact.path, fact.document, fact.steps] = fact
        for by in FORMS:
            for text in fact.value.texts(by):
                self._found.setdefault((fact.value.kind, by, _key(by, text)), []).append(fact)

    @cached_property
    def items(self) -> list[MenuEntry]:
        """All items."""
        return [entry.value for entry in self._at.values() if entry.value.kind == "item"]

    def find(self, sort: str, by: str, text: str) -> list[Fact[MenuEntry]]:
        """The entries of a name, however its characters are composed, or of an id."""
        return self._found.get((sort, by, _key(by, text)), [])

    def find_named(self, sort: str, text: str, by: str = "name") -> list[Fact[MenuEntry]]:
        """The entries of a name of a form, else of the other form."""
        return self.find(sort, by, text) or self.find(sort, OTHER_FORM[by], text)

    def groups(self, name: str = "", id_: str = "") -> list[Fact[MenuEntry]]:
        """The modifier groups that a name and an id mean together, or the one of them that means any."""
        by_name, by_id = self.find_named("modifier group", name), self.find("modifier group", "id", id_)
        return [group for group in by_name if group in by_id] or by_name or by_id

    def group_of(self, modifier: Fact[MenuEntry]) -> Fact[MenuEntry] | None:
        """The group in which a modifier is."""
        return self._at.get((modifier.path, modifier.document, modifier.steps[:-2]))

    def is_exhaustive(self, sort: str, by: str) -> bool:
        """Whether what is not found here is on no menu: some menu has the list, and all of each list could be read.

        Ids are left out if no entry of the menus has one.
        """
        if (sort, by) not in self._exhaustive:
            says = [menu.value.items if sort == "item" else menu.value.modifiers for menu in self.menus]
            is_whole = COMPLETE in says and PARTIAL not in says and all(menu.is_complete for menu in self.menus)
            has_ids = any((of, how) == (sort, "id") for of, how, _ in self._found)
            self._exhaustive[sort, by] = is_whole and (by != "id" or has_ids)
        return self._exhaustive[sort, by]

    @cached_property
    def lists_all_items(self) -> bool:
        """Whether all items of the menus could be read."""
        return all(menu.is_complete and menu.value.items != PARTIAL for menu in self.menus)

    def modifiers_in(self, modifiers: list[Fact[MenuEntry]], groups: list[Fact[MenuEntry]]) -> list[Fact[MenuEntry]]:
        """Those of the modifiers that are in one of the groups."""
        return [modifier for modifier in modifiers if self.group_of(modifier) in groups]

    def names(self, sort: str, by: str) -> NameIndex:
        """All names, or ids, of a sort."""
        if (sort, by) not in self._names:
            self._names[sort, by] = NameIndex(self.texts(sort, by))
        return self._names[sort, by]

    def texts(self, sort: str, by: str) -> list[str]:
        """All names, or ids, of a sort, in the order of the menus."""
        return [text for of, how, text in self._found if (of, how) == (sort, by)]

    def names_and_words(self, sort: str, by: str) -> NameIndex:
        """The names, or ids, of a sort and the words in them: what a part of one was meant to be."""
        if (sort, by) not in self._words:
            texts = self.texts(sort, by)
            self._words[sort, by] = NameIndex([*texts, *(word for text in texts for word in text.split())])
        return self._words[sort, by]

    def items_matching(self, term: str) -> list[Fact[MenuEntry]]:
        """The items whose name has the same words as a term that customers say."""
        from trialrun.values.normalize import normalize_words

        if not self._items_by_words:
            for name in self.texts("item", "name"):
                self._items_by_words.setdefault(" ".join(normalize_words(name)), []).extend(
                    self.find("item", "name", name)
                )
        return self._items_by_words.get(" ".join(normalize_words(term)), [])


def entry_title(entry: Fact[MenuEntry]) -> str:
    """What a message calls an entry: its name in quotes, else its id."""
    return f'"{entry.value.name or entry.value.id}"'


def _key(by: str, text: str) -> str:
    return text if by == "id" else normalize_name(text)


@lru_cache(maxsize=4096)
def normalize_name(name: str) -> str:
    """A name in the form that composed and decomposed characters share."""
    return normalize("NFC", name)
