"""Modifiers that a CEL upsell suggests, up to the limit of each modifier group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import NotOnMenuError, entries_by_name, group_names, normalize_name

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell
    from trialrun.runtime.channel_config.menu import BrandMenu, Modifier


def suggested_modifiers(upsell: CelUpsell, menu: BrandMenu) -> tuple[str, ...]:
    """The names of the modifiers that an upsell suggests, no more than maxModifierPerGroup of a group.

    Those of suggestedModifiers come first, each in the group that the menu has it in; those that it does not have
    count as one group. A suggested group without modifiers of its own stands for those that the menu has in it.
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
    """Every modifier that is named, with its group."""
    reachable = tuple(dict.fromkeys(_menu_modifiers(upsell, menu)))
    by_name = entries_by_name(reachable, "semantic name")
    for text in upsell.suggestedModifiers or ():
        modifier = by_name.get(normalize_name(text))
        yield (modifier.group or modifier.group_id, modifier.name) if modifier else ("", text)
    for group in upsell.suggestedModifierGroups or ():
        members = [candidate for candidate in reachable if normalize_name(group.name or "") in group_names(candidate)]
        group_name = members[0].group if members else group.name or ""
        texts = group.suggestedModifiers or [member.name for member in members]
        yield from ((group_name, _modifier_name(text, members)) for text in texts)


def _menu_modifiers(upsell: CelUpsell, menu: BrandMenu) -> Iterator[Modifier]:
    """The modifiers of the menu: first those of the items that the upsell suggests."""
    for text in upsell.suggestedMenuItems or ():
        try:
            yield from menu.item(text, "semantic name").modifiers
        except NotOnMenuError:
            continue
    yield from menu.modifiers


def _modifier_name(text: str, members: Sequence[Modifier]) -> str:
    """What a modifier of a group is called, by its semantic name or name; the text if the group does not have it."""
    modifier = entries_by_name(members, "semantic name").get(normalize_name(text))
    return modifier.name if modifier else text
