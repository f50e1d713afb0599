"""The order lines that the targets of a mapping stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import Item, Modifier, NotOnMenu, Ordered, same_form

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping, TargetItem, TargetModifier
    from trialrun.runtime.channel_config.menu import MenuOfBrand


def targets(mapping: DisambiguationMapping, menu: MenuOfBrand) -> tuple[Ordered, ...]:
    """The order lines of a mapping's targets, by the menu where it has them, else as they are written."""
    return tuple(_ordered(target, menu) for target in mapping.targets or ())


def _ordered(target: TargetItem, menu: MenuOfBrand) -> Ordered:
    item = _item(target, menu)
    taken = menu.modifiers_of(item)
    return Ordered(item, 1, tuple(_modifier(one, taken) for one in target.modifiers or ()))


def _item(target: TargetItem, menu: MenuOfBrand) -> Item:
    """The item of a target: by its name, else by its id."""
    for text in (target.itemName, target.itemId):
        try:
            if text and (found := menu.item(text)).id == (target.itemId or found.id):
                return found
        except NotOnMenu:
            continue
    return Item(target.itemName or target.itemId or "", target.itemId or "", 0.0)


def _modifier(written: TargetModifier, taken: Sequence[Modifier]) -> Modifier:
    """The modifier that fits all that is written of it, else one of what is written."""
    found = next((one for one in taken if _fits(written, one)), None)
    return found or Modifier(
        written.modifierName or "",
        written.modifierId or "",
        written.modifierGroupName or "",
        written.modifierGroupId or "",
    )


def _fits(written: TargetModifier, one: Modifier) -> bool:
    texts = (written.modifierName, written.modifierId, written.modifierGroupName, written.modifierGroupId)
    fields = (one.name, one.id, one.group, one.group_id)
    return all(not text or same_form(text) == same_form(known) for text, known in zip(texts, fields, strict=True))
