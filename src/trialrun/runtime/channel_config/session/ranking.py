"""Ranking of upsells: by priority, and CEL upsells that trigger by celUpsell.priority."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig


def sort_by_priority(upsells: Iterable[UpsellConfig]) -> list[UpsellConfig]:
    """Upsells as they are attempted: the lowest priority first, those of one priority as they are written."""
    return sorted(upsells, key=lambda upsell: upsell.priority or 0)


def cel_priority(upsell: UpsellConfig) -> int:
    """How much a CEL upsell is favored over others that trigger: celUpsell.priority, 0 where it is unset."""
    return (upsell.celUpsell.priority if upsell.celUpsell else None) or 0


def is_real_offer(upsell: UpsellConfig) -> bool:
    """Whether an upsell is an offer, and not a suggestion that is only shown."""
    return not (upsell.celUpsell and upsell.celUpsell.suggestionOnly)


def most_favored(in_turn: Iterable[UpsellConfig]) -> UpsellConfig | None:
    """Of CEL upsells that trigger, in their order, the one that is offered: the first of those favored most."""
    return max(in_turn, key=cel_priority, default=None)


SKIP_FIELDS = ("skipOnMultiQuantityUpsoldFromItem", "skipOnPreviousTurnUpsell")


def with_certain_predecessors(
    upsells: Iterable[UpsellConfig], is_certain: Callable[[UpsellConfig], bool]
) -> Iterator[tuple[UpsellConfig, tuple[UpsellConfig, ...]]]:
    """Each enabled, real CEL upsell, the most favored first, with those that every session is offered before it.

    `is_certain` says whether its condition is true in every session and some of its items are sold at all times. What
    may be skipped, or has settings that were refused, is in front of nothing.
    """
    predecessors: tuple[UpsellConfig, ...] = ()
    offers = [upsell for upsell in upsells if upsell.celUpsell and is_real_offer(upsell) and not upsell.disabled]
    for upsell in sorted(sort_by_priority(offers), key=cel_priority, reverse=True):
        yield upsell, predecessors
        settings = (*SKIP_FIELDS, "disabled")
        if is_certain(upsell) and all(getattr(upsell, field) is False for field in settings if upsell.has(field)):
            predecessors = (*predecessors, upsell)
