"""The items of an offer, by the menu, and the modifiers that it suggests.

Items go by semantic names where the specification asks for them, by names elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import (
    BrandMenu,
    Item,
    Modifier,
    NameForm,
    NotOnMenuError,
    entries_by_name,
    group_names,
    names_of,
    normalize_name,
)

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell, OfferMessage


def suggested_modifiers(upsell: CelUpsell, menu: BrandMenu) -> tuple[str, ...]:
    """The names of the modifiers that an upsell suggests, no more than maxModifierPerGroup of a group.

    Those of suggestedModifiers come first, each in the group that the menu has it in; those that it does not have
    count as one group. A suggested group without modifiers of its own stands for those that the menu has in it. What
    the menu has, and none of the suggested items takes, is left out.
    """
    limit = upsell.maxModifierPerGroup
    seen_modifiers: set[tuple[str, str]] = set()
    group_counts: Counter[str] = Counter()
    chosen: list[str] = []
    for group, name in _named_modifiers(upsell, menu):
        if (group, name) in seen_modifiers or (limit is not None and group_counts[group] >= limit):
            continue
        seen_modifiers.add((group, name))
        group_counts[group] += 1
        chosen.append(name)
    return tuple(dict.fromkeys(chosen))


def _named_modifiers(upsell: CelUpsell, menu: BrandMenu) -> Iterator[tuple[str, str]]:
    items: list[Item] = []
    for text in upsell.suggestedMenuItems or ():
        with suppress(NotOnMenuError):
            items.append(menu.item(text, "semantic name"))
    # what the items take, first what they list; all of the menu where one of them takes any
    listed = (modifier for item in items for modifier in item.modifiers)
    others = menu.modifiers if not items or any(map(menu.takes_any_modifier, items)) else ()
    reachable = tuple(dict.fromkeys((*listed, *others)))
    by_name, on_menu = entries_by_name(reachable, "semantic name"), entries_by_name(menu.modifiers, "semantic name")
    for text in upsell.suggestedModifiers or ():
        if modifier := by_name.get(normalize_name(text)):
            yield modifier.group or modifier.group_id, modifier.name
        elif normalize_name(text) not in on_menu:
            yield "", text
    for group in upsell.suggestedModifierGroups or ():
        members = _members(group.name, reachable)
        if not members and _members(group.name, menu.modifiers):
            continue
        group_name = members[0].group if members else group.name or ""
        own = entries_by_name(members, "semantic name")
        for text in group.suggestedModifiers or [member.name for member in members]:
            key = normalize_name(text)
            if key in own or key in by_name or key not in on_menu:
                yield group_name, own[key].name if key in own else text


def _members(group: str | None, modifiers: Sequence[Modifier]) -> list[Modifier]:
    return [modifier for modifier in modifiers if normalize_name(group or "") in group_names(modifier)]


@dataclass(frozen=True, slots=True)
class OfferedItems:
    """What the items of an offer are called; what the menu does not have stands for itself.

    `notes` say of each that is written as another form of name than the specification has.
    """

    pairs: tuple[tuple[str, Item | None], ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the items are called."""
        return tuple(name for name, _ in self.pairs)


def upsold_items(message: OfferMessage, menu: BrandMenu) -> OfferedItems:
    """The items that a message upsells."""
    return offered_items(message.upsoldItems or message.upsoldItemIds or (), menu, "name")


def suggested_items(upsell: CelUpsell, menu: BrandMenu) -> OfferedItems:
    """The items that a CEL upsell suggests."""
    return offered_items(upsell.suggestedMenuItems or (), menu, "semantic name")


def offered_items(texts: Iterable[str], menu: BrandMenu, form: NameForm) -> OfferedItems:
    """What the items of an offer are called that are written as names of a form, or as ids."""
    items: dict[str, Item | None] = {}
    notes: list[str] = []
    other: NameForm = "name" if form == "semantic name" else "semantic name"
    for text in texts:
        try:
            item = menu.item(text, form)
        except NotOnMenuError:
            items.setdefault(text, None)
            continue
        items[item.name] = item
        of_form, of_other = (tuple(map(normalize_name, names_of(item, each))) for each in (form, other))
        if normalize_name(text) in of_other and normalize_name(text) not in of_form:
            notes.append(f'"{text}" is the {other} of an item whose {form} is "{names_of(item, form)[0]}"')
    return OfferedItems(tuple(items.items()), tuple(notes))
