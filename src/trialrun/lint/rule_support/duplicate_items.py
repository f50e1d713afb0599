"""Items of a list that repeat an earlier one, by what makes them the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Fix, Related, Remove, Severity

if TYPE_CHECKING:
    from trialrun.lint.rule import Findings
    from trialrun.model.companion import Brand, Store
    from trialrun.model.feature_view import FeatureGroup, FeatureRegistrySource
    from trialrun.model.menu import Menu
    from trialrun.model.node import Node

TEXTS = {
    "WarehouseSource": ("entityIdColumns",),
    "FeatureGroup": ("featureIds",),
    "IndexConfig": ("filterColumns",),
    "OfferMessage": ("upsoldItems", "upsoldItemIds"),
    "ClosingMessage": ("skipTerms",),
    "CelUpsell": ("suggestedMenuItems", "suggestedModifiers"),
    "SuggestedModifierGroup": ("suggestedModifiers",),
    "DisambiguationMapping": ("customerTerms",),
    "StoreSelector": ("tags", "names"),
    "Store": ("tags", "defaults"),
    "Brand": ("defaults",),
    "MenuItem": ("modifierGroups",),
    "FeatureGroupTable": ("entityIdColumns",),
}
ALIKE = {
    "OfferMessage": ("upsoldItems",),
    "ClosingMessage": ("skipTerms",),
    "CelUpsell": ("suggestedMenuItems", "suggestedModifiers"),
    "SuggestedModifierGroup": ("suggestedModifiers",),
    "DisambiguationMapping": ("customerTerms",),
    "MenuItem": ("modifierGroups",),
}
"""By message: lists of terms and of names of the menu, which are compared without case and spaces."""
_LISTS = {name: [(field, field in ALIKE.get(name, ())) for field in fields] for name, fields in TEXTS.items()}
"""By message: its lists of texts, and whether they are compared without case and spaces."""
KEYED = {
    "FeatureRegistrySource": ("featureGroups", "featureGroupId"),
    "DisambiguationMapping": ("targets", "itemName"),
    "TargetItem": ("modifiers", "modifierName"),
    "Brand": ("stores", "name"),
    "Menu": ("items", "id"),
    "ModifierGroup": ("modifiers", "id"),
    "FeatureGroupTable": ("features", "id"),
    "Source": ("columns", "name"),
}
NOUNS = {
    "columns": "column",
    "customerTerms": "customer term",
    "defaults": "default",
    "entityIdColumns": "entity id column",
    "featureGroups": "feature group",
    "featureIds": "feature id",
    "features": "feature",
    "filterColumns": "filter column",
    "items": "item",
    "modifierGroups": "modifier group",
    "modifiers": "modifier",
    "names": "store name",
    "skipTerms": "skip term",
    "stores": "store",
    "suggestedMenuItems": "suggested item",
    "suggestedModifiers": "suggested modifier",
    "tags": "tag",
    "targets": "target",
    "upsoldItemIds": "upsold item id",
    "upsoldItems": "upsold item",
}
"""By list: what an item of it is called."""
MAX_CACHED_LENGTH = 10_000
"""Characters of the texts of a list whose folded forms are cached, so that a hostile file fills no memory."""
NAMED = {"Menu": ("items", "modifierGroups"), "ModifierGroup": ("modifiers",)}
"""By message: lists whose entries are looked up by name and by id."""
DISTINGUISHING_FIELDS = {
    "targets": ("itemId", "modifiers"),
    "modifiers": ("modifierGroupName", "modifierGroupId", "modifierId"),
}
"""By list: further fields that distinguish two items of one name."""


def may_repeat_text(node: Node) -> bool:
    """Whether a list of texts may have one twice, in lists of terms also if only case and spaces differ."""
    values = node.__dict__
    for name, is_folded in _LISTS[node.__class__.__name__]:
        texts = values[name]
        if texts is None or (count := len(texts)) < 2:
            continue
        if len(set(_fold_all(texts) if is_folded else texts)) < count:
            return True
    return False


def may_repeat_message(node: Node) -> bool:
    """Whether two messages of a list may have one key."""
    name, key = KEYED[node.__class__.__name__]
    items = node.__dict__[name]
    return items is not None and len(items) > 1 and len({item.__dict__[key] for item in items}) < len(items)


def duplicate_texts(node: Node) -> Findings:
    """Each text that repeats an earlier item of its list."""
    for name in TEXTS[type(node).__name__]:
        texts = getattr(node, name) or ()
        for index, first in _repeated(texts):
            yield node.finding(
                (name, index),
                f'duplicate {NOUNS[name]} "{texts[index]}"; remove one of the two',
                related=(Related("the first one", node.location(name, first)),),
                fix=Fix(f'remove the second "{texts[index]}"', (Remove(node.location(name, index)),), safe=True),
            )


def similar_texts(node: Node) -> Findings:
    """Each text that differs from an earlier one of its list only in case and spaces."""
    for name in ALIKE[type(node).__name__]:
        texts = getattr(node, name) or []
        for index, first in _repeated(_fold_all(texts)):
            if texts[index] not in texts[:index]:
                yield node.finding(
                    (name, index),
                    f'"{texts[index]}" and "{texts[first]}" differ only in case and spaces; remove one of the two',
                    severity=Severity.WARNING,
                    related=(Related("the first one", node.location(name, first)),),
                    fix=Fix(f'remove the second "{texts[first]}"', (Remove(node.location(name, index)),)),
                )


def _fold_all(texts: list[str]) -> list[str]:
    return [*map(_folded if sum(map(len, texts)) <= MAX_CACHED_LENGTH else _folded.__wrapped__, texts)]


@lru_cache(maxsize=4096)  # a menu has few names, and its configs name them again and again
def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def duplicate_messages(node: Node) -> Findings:
    """Each message of a list with the key of an earlier one; an equal one can be removed."""
    name, key = KEYED[type(node).__name__]
    items = getattr(node, name) or []
    for index, first in _repeated([_identity(item, name, key) for item in items]):
        equal = items[index] == items[first]
        advice = "remove one of the two" if equal else "merge the two"
        title = getattr(items[index], key)
        if not equal and key == "id" and (name_of_first := getattr(items[first], "name", None)):
            advice = f'the first is "{name_of_first}", give each its own id'
        yield items[index].finding(
            key,
            f'duplicate {NOUNS[name]}{" id" if key == "id" else ""} "{title}"; {advice}',
            related=(Related("the first one", items[first].location(key)),),
            fix=Fix(f'remove the second "{title}"', (Remove(node.location(name, index)),), safe=True)
            if equal
            else None,
        )


def duplicate_names(node: Node) -> Findings:
    """Each entry of a menu with the name of an earlier one; one with the same id is reported by its id.

    Entries with semantic names are told apart by these.
    """
    for name in NAMED[type(node).__name__]:
        entries = getattr(node, name) or ()
        for index, first in _repeated([_called(entry) for entry in entries]):
            entry, earlier = entries[index], entries[first]
            if entry.id is None or entry.id != earlier.id or name == "modifierGroups":
                field, title = _called(entry) or ("name", "")
                yield entry.finding(
                    field,
                    f'duplicate {NOUNS[name]} "{title}"; remove one of the two, or rename one',
                    related=(Related("the first one", earlier.location(field)),),
                )


def _called(entry: Any) -> tuple[str, str] | None:
    """The field and the name by which an entry of a menu is told from others."""
    for field in ("semanticName", "displayName", "name"):
        if (name := getattr(entry, field)) and name.strip():
            return ("name" if field == "displayName" and entry.name == name else field), name
    return None


def duplicate_group_ids(menu: Menu) -> Findings:
    """Each modifier group with the id of an earlier one; one with the same name is told by its name."""
    groups = menu.modifierGroups or []
    for index, first in _repeated([group.id for group in groups]):
        group, earlier = groups[index], groups[first]
        if group.name != earlier.name:
            advice = f'the first is "{earlier.name}", give each its own id' if earlier.name else "give each its own"
            yield group.finding(
                "id",
                f'duplicate modifier group id "{group.id}"; {advice}',
                related=(Related("the first one", earlier.location("id")),),
            )


def duplicate_features(source: FeatureRegistrySource) -> Findings:
    """Each feature that is taken from an earlier group as well: a view serves one feature of a name."""
    first: dict[str, tuple[FeatureGroup, int]] = {}
    for group in source.featureGroups or ():
        for index, feature in enumerate(group.featureIds or ()):
            earlier, place = first.setdefault(feature, (group, index))
            ids = {earlier.featureGroupId, group.featureGroupId}
            if len(ids - {None}) == 2 and feature.strip():
                yield group.finding(
                    ("featureIds", index),
                    f'the feature "{feature}" is also taken from the group "{earlier.featureGroupId}"; '
                    "take it from one group, or register it under another id",
                    related=(Related("the first one", earlier.location("featureIds", place)),),
                )


def duplicate_bindings(node: Brand | Store) -> Findings:
    """Each binding that repeats an earlier one."""
    bindings = node.bindings or []
    whole = [binding.model_dump_json() if binding.rule and binding.channelConfig else None for binding in bindings]
    for index, first in _repeated(whole):
        yield bindings[index].finding(
            "rule",
            f'duplicate binding of "{bindings[index].rule}"; remove one of the two',
            related=(Related("the first one", bindings[first].location("rule")),),
            fix=Fix("remove the second binding", (Remove(node.location("bindings", index)),)),
        )


def _identity(item: Node, name: str, key: str) -> Any:
    """The key under which an item equals another of its list; None without a name."""
    title = getattr(item, key)
    if title is None or name not in DISTINGUISHING_FIELDS or not hasattr(item, DISTINGUISHING_FIELDS[name][0]):
        return title
    return (title, *(repr(getattr(item, field)) for field in DISTINGUISHING_FIELDS[name]))


def _repeated(identities: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """The index of each item that was there before, and the index of the first; empty ones are skipped."""
    first: dict[Any, int] = {}
    for index, identity in enumerate(identities):
        is_empty = identity is None or (isinstance(identity, str) and not identity.strip())
        if not is_empty and first.setdefault(identity, index) != index:
            yield index, first[identity]
