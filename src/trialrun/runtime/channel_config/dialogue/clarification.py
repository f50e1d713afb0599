"""Which modifiers a CEL upsell suggests: those it names, of each group no more than its limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import NotOnMenu, same_form

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell
    from trialrun.runtime.channel_config.menu import MenuOfBrand, Modifier


def modifiers(upsell: CelUpsell, menu: MenuOfBrand) -> tuple[str, ...]:
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


def _suggested(upsell: CelUpsell, menu: MenuOfBrand) -> Iterator[tuple[str, str]]:
    """Every modifier that is named, with its group."""
    reachable = tuple(dict.fromkeys(_reachable(upsell, menu)))
    for text in upsell.suggestedModifiers or ():
        found = next((one for one in reachable if same_form(text) in _forms(one.name, one.id)), None)
        yield (found.group or found.group_id, found.name) if found else ("", text)
    for group in upsell.suggestedModifierGroups or ():
        members = [one for one in reachable if same_form(group.name or "") in _forms(one.group, one.group_id)]
        known = members[0].group if members else group.name or ""
        yield from ((known, text) for text in group.suggestedModifiers or [one.name for one in members])


def _reachable(upsell: CelUpsell, menu: MenuOfBrand) -> Iterator[Modifier]:
    """The modifiers of the menu: first those of the items that the upsell suggests."""
    for text in upsell.suggestedMenuItems or ():
        try:
            yield from menu.item(text).modifiers
        except NotOnMenu:
            continue
    yield from menu.modifiers


def _forms(*texts: str) -> list[str]:
    return [same_form(text) for text in texts if text]
