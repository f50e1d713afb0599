"""Items that stand in a list before, by what makes them the same, and what to say of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Fix, Related, Remove, Severity
from trialrun.lint.rule import Findings

if TYPE_CHECKING:
    from trialrun.model.companion import Brand, Store
    from trialrun.model.feature_view import FeatureGroup, FeatureRegistrySource
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
"""By message: lists of terms and of names of the menu, in which capitals and blanks tell nothing apart."""
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
NAMED = {"Menu": ("items", "modifierGroups"), "ModifierGroup": ("modifiers",)}
"""By message: lists whose entries are looked up by name as well as by id."""
TOLD_APART = {"targets": ("itemId", "modifiers"), "modifiers": ("modifierGroupName", "modifierGroupId", "modifierId")}
"""By list: what else tells two items of one name from each other."""


def repeated_texts(node: Node) -> Findings:
    """Each text that stood in its list before."""
    for name in TEXTS[type(node).__name__]:
        texts = getattr(node, name)
        if texts is None or len(texts) < 2 or len(set(texts)) == len(texts):
            continue
        for index, first in repeated(texts):
            yield node.flag(
                (name, index),
                f'"{texts[index]}" stands twice in {name}; remove one of the two',
                related=(Related("the first one", node.at(name, first)),),
                fix=Fix(f'remove the second "{texts[index]}"', (Remove(node.at(name, index)),), safe=True),
            )


def alike_texts(node: Node) -> Findings:
    """Each text that differs from an earlier one of its list in capitals and blanks alone."""
    for name in ALIKE[type(node).__name__]:
        texts = getattr(node, name)
        if texts is None or len(texts) < 2:
            continue
        folded = [" ".join(text.casefold().split()) for text in texts]
        if len(set(folded)) == len(folded):
            continue
        for index, first in repeated(folded):
            if texts[index] not in texts[:index]:
                yield node.flag(
                    (name, index),
                    f'"{texts[index]}" is "{texts[first]}" but for capitals and blanks; remove one of the two',
                    severity=Severity.WARNING,
                    related=(Related("the first one", node.at(name, first)),),
                    fix=Fix(f'remove the second "{texts[first]}"', (Remove(node.at(name, index)),)),
                )


def repeated_messages(node: Node) -> Findings:
    """Each message of a list that is called like an earlier one; an equal one can be removed."""
    name, key = KEYED[type(node).__name__]
    items = getattr(node, name)
    if items is None or len(items) < 2 or len({getattr(item, key) for item in items}) == len(items):
        return
    for index, first in repeated([identity(item, name, key) for item in items]):
        equal = items[index] == items[first]
        advice = "remove one of the two" if equal else "put what differs into one"
        title = getattr(items[index], key)
        if not equal and key == "id" and (name_of_first := getattr(items[first], "name", None)):
            advice = f'the first is "{name_of_first}", give each its own id'
        yield items[index].flag(
            key,
            f'"{title}" stands twice in {name}; {advice}',
            related=(Related("the first one", items[first].at(key)),),
            fix=Fix(f'remove the second "{title}"', (Remove(node.at(name, index)),), safe=True) if equal else None,
        )


def repeated_names(node: Node) -> Findings:
    """Each entry of a menu that is called like an earlier one; one with the same id is told by its id."""
    for name in NAMED[type(node).__name__]:
        entries = getattr(node, name) or ()
        for index, first in repeated([entry.name for entry in entries]):
            entry, earlier = entries[index], entries[first]
            if entry.id is None or entry.id != earlier.id or name == "modifierGroups":
                yield entry.flag(
                    "name",
                    f'"{entry.name}" stands twice in {name}; remove one of the two, or name one otherwise',
                    related=(Related("the first one", earlier.at("name")),),
                )


def repeated_features(source: FeatureRegistrySource) -> Findings:
    """Each feature that is taken from an earlier group as well: a view serves one feature of a name."""
    first: dict[str, tuple[FeatureGroup, int]] = {}
    for group in source.featureGroups or ():
        for index, feature in enumerate(group.featureIds or ()):
            earlier, place = first.setdefault(feature, (group, index))
            if earlier.featureGroupId != group.featureGroupId and feature.strip():
                yield group.flag(
                    ("featureIds", index),
                    f'the feature "{feature}" is also taken from the group "{earlier.featureGroupId}"; '
                    "take it from one, or register it by another id",
                    related=(Related("the first one", earlier.at("featureIds", place)),),
                )


def repeated_bindings(node: Brand | Store) -> Findings:
    """Each binding that is written a second time."""
    bindings = node.bindings or []
    whole = [binding.model_dump_json() if binding.rule and binding.channelConfig else None for binding in bindings]
    for index, first in repeated(whole):
        yield bindings[index].flag(
            "rule",
            f'the binding of "{bindings[index].rule}" stands twice in bindings; remove one of the two',
            related=(Related("the first one", bindings[first].at("rule")),),
            fix=Fix("remove the second binding", (Remove(node.at("bindings", index)),)),
        )


def identity(item: Node, name: str, key: str) -> Any:
    """What makes an item the same as another one of its list; None for one that has no name."""
    title = getattr(item, key)
    if title is None or name not in TOLD_APART or not hasattr(item, TOLD_APART[name][0]):
        return title
    return (title, *(repr(getattr(item, other)) for other in TOLD_APART[name]))


def repeated(identities: list[Any]) -> Iterator[tuple[int, int]]:
    """The index of each item that was there before, and the index of the first of its kind; blank ones are not told."""
    first: dict[Any, int] = {}
    for index, identity in enumerate(identities):
        blank = identity is None or (isinstance(identity, str) and not identity.strip())
        if not blank and first.setdefault(identity, index) != index:
            yield index, first[identity]
