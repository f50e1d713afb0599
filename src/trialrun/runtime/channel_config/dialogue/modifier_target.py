"""Order line items of the targets of a disambiguation mapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import Item, Modifier, NotOnMenuError, OrderLineItem, normalize_name

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping, TargetItem, TargetModifier
    from trialrun.runtime.channel_config.menu import BrandMenu


def target_line_items(mapping: DisambiguationMapping, menu: BrandMenu) -> tuple[OrderLineItem, ...]:
    """The order lines of a mapping's targets, by the menu where it has them, else as they are written."""
    return tuple(_line_item(target, menu) for target in mapping.targets or ())


def _line_item(target: TargetItem, menu: BrandMenu) -> OrderLineItem:
    item = _item(target, menu)
    candidates = menu.modifiers_of(item)
    return OrderLineItem(item, 1, tuple(_modifier(modifier, candidates) for modifier in target.modifiers or ()))


def _item(target: TargetItem, menu: BrandMenu) -> Item:
    """The item of a target: by its name, else by its id."""
    for text in (target.itemName, target.itemId):
        try:
            if text and (item := menu.item(text)).id == (target.itemId or item.id):
                return item
        except NotOnMenuError:
            continue
    return Item(target.itemName or target.itemId or "", target.itemId or "", 0.0)


def _modifier(target: TargetModifier, candidates: Sequence[Modifier]) -> Modifier:
    """The modifier that fits all that is written of it, else one of what is written."""
    modifier = next((candidate for candidate in candidates if _matches(target, candidate)), None)
    return modifier or Modifier(
        target.modifierName or "",
        target.modifierId or "",
        target.modifierGroupName or "",
        target.modifierGroupId or "",
    )


def _matches(target: TargetModifier, modifier: Modifier) -> bool:
    texts = (target.modifierName, target.modifierId, target.modifierGroupName, target.modifierGroupId)
    fields = (modifier.name, modifier.id, modifier.group, modifier.group_id)
    return all(
        not text or normalize_name(text) == normalize_name(field) for text, field in zip(texts, fields, strict=True)
    )
