"""Which upsell comes before which: by the order of priorities, and of CEL upsells that trigger by favor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig


def in_order(upsells: Iterable[UpsellConfig]) -> list[UpsellConfig]:
    """Upsells as they are attempted: the lowest priority first, those of one priority as they are written."""
    return sorted(upsells, key=lambda upsell: upsell.priority or 0)


def favor(upsell: UpsellConfig) -> int:
    """How much a CEL upsell is favored over others that trigger: celUpsell.priority, 0 where it is unset."""
    return (upsell.celUpsell.priority if upsell.celUpsell else None) or 0


def is_real(upsell: UpsellConfig) -> bool:
    """Whether an upsell is an offer, and not a suggestion that is only shown."""
    return not (upsell.celUpsell and upsell.celUpsell.suggestionOnly)


def most_favored(in_turn: Iterable[UpsellConfig]) -> UpsellConfig | None:
    """Of CEL upsells that trigger, in their order, the one that is offered: the first of those favored most."""
    return max(in_turn, key=favor, default=None)


UNCERTAIN = ("skipOnMultiQuantityUpsoldFromItem", "skipOnPreviousTurnUpsell")


def with_front(
    upsells: Iterable[UpsellConfig], always: Callable[[UpsellConfig], bool]
) -> Iterator[tuple[UpsellConfig, tuple[UpsellConfig, ...]]]:
    """Each enabled, real CEL upsell, the most favored first, with those that every session is offered before it.

    `always` says whether a condition is true in every session. What may be skipped, or has settings that were refused,
    is in front of nothing.
    """
    front: tuple[UpsellConfig, ...] = ()
    offers = [one for one in upsells if one.celUpsell and is_real(one) and not one.disabled]
    for upsell in sorted(in_order(offers), key=favor, reverse=True):
        yield upsell, front
        if always(upsell) and not _may_be_skipped(upsell):
            front = (*front, upsell)


def _may_be_skipped(upsell: UpsellConfig) -> bool:
    return any(upsell.has(field) and getattr(upsell, field) is not False for field in (*UNCERTAIN, "disabled"))
