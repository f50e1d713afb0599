"""The condition of an upsell as the types of its file have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.values.cel import Check, Schema


def checked(upsell: UpsellConfig, in_force: InForce, types: Callable[[str], Schema]) -> Check | None:
    """What checking the condition of an upsell says of it; None where it has none."""
    from trialrun.values.cel import check

    cel = upsell.celUpsell
    if cel is None or not cel.conditionExpression:
        return None
    return check(cel.conditionExpression, schema=types(in_force.origin_of(cel, "conditionExpression").path))
