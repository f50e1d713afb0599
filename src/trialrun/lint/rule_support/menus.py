"""The menus of a workspace as rules across files see them: their entries by name and id, and whom they are for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import NameSuggester
from trialrun.values.resource_name import is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Path, SymbolicLocation
    from trialrun.model.companion import Menu
    from trialrun.model.node import Node

MENU = "menu"
NOT_LISTED, PARTIAL, COMPLETE = range(3)


def menu_facts(menu: Menu) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What a menu declares, as facts: `[sort, name, id, brand]` of each entry.

    First the menu itself: `[MENU, brand, None, brand, how much it says of items, and of groups and modifiers]`.
    """
    brand = menu.brand or ""
    items, groups = menu.items or [], menu.modifierGroups or []
    brand_is_clear = menu.brand is not None or not menu.has("brand")
    says = [
        _completeness(menu, "items", items),
        min(_completeness(menu, "modifierGroups", groups), *map(_group_completeness, groups), 2),
    ]
    yield (
        menu.location(),
        [MENU, menu.brand or None, None, brand, *(say if brand_is_clear else min(say, PARTIAL) for say in says)],
    )
    for index, item in enumerate(items):
        yield menu.location("items", index), ["item", item.name or None, item.id or None, brand]
    for index, group in enumerate(groups):
        yield menu.location("modifierGroups", index), ["modifier group", group.name or None, group.id or None, brand]
        for at, modifier in enumerate(group.modifiers or ()):
            place = menu.location("modifierGroups", index, "modifiers", at)
            yield place, ["modifier", modifier.name or None, modifier.id or None, brand]


def _group_completeness(group: Any) -> int:
    return COMPLETE if group.is_unset("modifiers") else _completeness(group, "modifiers", group.modifiers or [])


def _completeness(node: Node, field: str, listed: list[Any]) -> int:
    """How much a list says of what there is: nothing where it is left out, a part where some of it was refused."""
    from trialrun.model.node import TruncatedList

    if not node.has(field):
        return NOT_LISTED
    is_cut = getattr(node, field) is None or isinstance(listed, TruncatedList)
    return PARTIAL if is_cut or any(entry.name is None for entry in listed) else COMPLETE


class MenuIndex:
    """The menus of a workspace, by the brand that they are for; made of the facts that `entries` gathered."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_brand: dict[str, list[Fact]] = {}
        self._brands_by_id: dict[str, set[str]] = {}
        self._brand_of_menu: dict[tuple[str, int, Path], str] = {}
        self._catalogs: dict[tuple[str, ...], MenuCatalog] = {}
        for fact in facts:
            brand = fact.value[3]
            self._by_brand.setdefault(brand, []).append(fact)
            self._brands_by_id.setdefault(last_id(brand), set()).add(brand)
            if fact.value[0] == MENU:
                self._brand_of_menu[fact.path, fact.document, fact.steps] = brand

    def catalog_for(self, fact: Fact) -> MenuCatalog | None:
        """What the menus have with which a fact is to be compared, of a config or of a menu itself; None without any.

        The brand of a config is the one that its name is under.
        """
        root = fact.steps[:1] if fact.steps and isinstance(fact.steps[0], int) else ()
        brand = self._brand_of_menu.get((fact.path, fact.document, root))
        return self.for_brand(fact.resource.rpartition("/channelConfigs/")[0] if brand is None else brand)

    def for_brand(self, brand: str) -> MenuCatalog | None:
        """What the menus of a brand and those of no brand have together; all of them where the brand is not known."""
        same = (one for one in self._brands_by_id.get(last_id(brand), ()) if is_same_resource(one, brand))
        concerned = {"", *same} & self._by_brand.keys() if brand else self._by_brand.keys()
        brands = tuple(sorted(concerned))
        if brands and brands not in self._catalogs:
            self._catalogs[brands] = MenuCatalog([fact for brand in brands for fact in self._by_brand[brand]])
        return self._catalogs.get(brands)


class MenuCatalog:
    """What one or more menus have together."""

    def __init__(self, facts: list[Fact]) -> None:
        self.menus = [fact for fact in facts if fact.value[0] == MENU]
        self._found: dict[tuple[str, str, str], list[Fact]] = {}
        self._at: dict[tuple[str, int, Path], Fact] = {(fact.path, fact.document, fact.steps): fact for fact in facts}
        self._names: dict[tuple[str, str], NameSuggester] = {}
        self._words: dict[tuple[str, str], NameSuggester] = {}
        self._items_by_words: dict[str, list[Fact]] = {}
        self._exhaustive: dict[tuple[str, str], bool] = {}
        for fact in facts:
            sort, name, id_ = fact.value[:3]
            if sort != MENU and name:
                self._found.setdefault((sort, "name", normalize_name(name)), []).append(fact)
            if sort != MENU and id_:
                self._found.setdefault((sort, "id", id_), []).append(fact)

    def find(self, sort: str, by: str, text: str) -> list[Fact]:
        """The entries of a name, however its characters are composed, or of an id."""
        return self._found.get((sort, by, normalize_name(text) if by == "name" else text), [])

    def groups(self, name: str = "", id_: str = "") -> list[Fact]:
        """The modifier groups that a name and an id mean together, or the one of them that means any."""
        by_name, by_id = self.find("modifier group", "name", name), self.find("modifier group", "id", id_)
        return [group for group in by_name if group in by_id] or by_name or by_id

    def group_of(self, modifier: Fact) -> Fact | None:
        """The group in which a modifier stands."""
        return self._at.get((modifier.path, modifier.document, modifier.steps[:-2]))

    def is_exhaustive(self, sort: str, by: str) -> bool:
        """Whether what is not found here is on no menu: some menu has the list, and all of each list could be read.

        Of ids the menus say nothing where no entry has one.
        """
        if (sort, by) not in self._exhaustive:
            says = [menu.value[4 if sort == "item" else 5] for menu in self.menus]
            is_whole = COMPLETE in says and PARTIAL not in says and all(menu.is_complete for menu in self.menus)
            has_ids = any((of, how) == (sort, "id") for of, how, _ in self._found)
            self._exhaustive[sort, by] = is_whole and (by == "name" or has_ids)
        return self._exhaustive[sort, by]

    def modifiers_in(self, modifiers: list[Fact], groups: list[Fact]) -> list[Fact]:
        """Those of the modifiers that stand in one of the groups."""
        return [modifier for modifier in modifiers if self.group_of(modifier) in groups]

    def names(self, sort: str, by: str) -> NameSuggester:
        """All names, or ids, of a sort."""
        if (sort, by) not in self._names:
            self._names[sort, by] = NameSuggester(self.texts(sort, by))
        return self._names[sort, by]

    def texts(self, sort: str, by: str) -> list[str]:
        """All names, or ids, of a sort, in the order of the menus."""
        return [text for of, how, text in self._found if (of, how) == (sort, by)]

    def names_and_words(self, sort: str, by: str) -> NameSuggester:
        """The names, or ids, of a sort and the words in them: what a part of one was meant to be."""
        if (sort, by) not in self._words:
            texts = self.texts(sort, by)
            self._words[sort, by] = NameSuggester([*texts, *(word for text in texts for word in text.split())])
        return self._words[sort, by]

    def items_matching(self, term: str) -> list[Fact]:
        """The items whose name has the same words as a term that customers say."""
        from trialrun.values.normalize import normalize_words

        if not self._items_by_words:
            for name in self.texts("item", "name"):
                self._items_by_words.setdefault(" ".join(normalize_words(name)), []).extend(
                    self.find("item", "name", name)
                )
        return self._items_by_words.get(" ".join(normalize_words(term)), [])


def entry_title(entry: Fact) -> str:
    """What a message calls an entry: its name in quotes, else its id."""
    return f'"{entry.value[1] or entry.value[2]}"'


@lru_cache(maxsize=4096)
def normalize_name(name: str) -> str:
    """A name in the form that composed and decomposed characters share."""
    return normalize("NFC", name)
