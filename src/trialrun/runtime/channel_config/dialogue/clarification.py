"""Modifiers that a CEL upsell suggests, up to the limit of each modifier group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import NotOnMenuError, normalize_name

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
    for text in upsell.suggestedModifiers or ():
        modifier = next(
            (modifier for modifier in reachable if normalize_name(text) in _normalized(modifier.name, modifier.id)),
            None,
        )
        yield (modifier.group or modifier.group_id, modifier.name) if modifier else ("", text)
    for group in upsell.suggestedModifierGroups or ():
        members = [
            candidate
            for candidate in reachable
            if normalize_name(group.name or "") in _normalized(candidate.group, candidate.group_id)
        ]
        group_name = members[0].group if members else group.name or ""
        yield from ((group_name, text) for text in group.suggestedModifiers or [member.name for member in members])


def _menu_modifiers(upsell: CelUpsell, menu: BrandMenu) -> Iterator[Modifier]:
    """The modifiers of the menu: first those of the items that the upsell suggests."""
    for text in upsell.suggestedMenuItems or ():
        try:
            yield from menu.item(text).modifiers
        except NotOnMenuError:
            continue
    yield from menu.modifiers


def _normalized(*texts: str) -> list[str]:
    return [normalize_name(text) for text in texts if text]
