"""Which modifiers a CEL upsell suggests: those it names, of each group no more than its limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import Modifier

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell
    from trialrun.runtime.channel_config.voice.interface import Entries


def modifiers(upsell: CelUpsell, menu: Entries) -> tuple[str, ...]:
    """The names of the modifiers that an upsell suggests, no more than maxModifierPerGroup of a group.

    Those of suggestedModifiers come first, each in the group that the menu has it in; those that it does not have
    count as one group. A suggested group without modifiers of its own stands for those that the menu has in it.
    """
    limit = upsell.maxModifierPerGroup
    seen: set[tuple[str, str]] = set()
    counted: Counter[str] = Counter()
    chosen: list[str] = []
    for group, name in _suggested(upsell, menu):
        if (group, name) in seen or (limit is not None and counted[group] >= limit):
            continue
        seen.add((group, name))
        counted[group] += 1
        chosen.append(name)
    return tuple(dict.fromkeys(chosen))


def _suggested(upsell: CelUpsell, menu: Entries) -> Iterator[tuple[str, str]]:
    """Every modifier that is named, with its group."""
    reachable = list(_reachable(upsell, menu))
    for text in upsell.suggestedModifiers or ():
        found = next((one for one in reachable if text in (one.name, one.id)), None)
        yield (found.group or found.group_id, found.name) if found else ("", text)
    for group in upsell.suggestedModifierGroups or ():
        name = group.name or ""
        of_group = [one.name for one in reachable if name and name in (one.group, one.group_id)]
        known = next((one.group for one in reachable if name and name in (one.group, one.group_id)), name)
        yield from ((known, text) for text in group.suggestedModifiers or of_group)


def _reachable(upsell: CelUpsell, menu: Entries) -> Iterator[Modifier]:
    """The modifiers of the menu: first those of the items that the upsell suggests."""
    for text in upsell.suggestedMenuItems or ():
        try:
            yield from menu.item(text).modifiers
        except LookupError:
            continue
    for item in menu.items:
        yield from item.modifiers
