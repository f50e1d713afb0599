"""Check of an upsell's condition with the types of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.values.cel import CheckResult, Schema


def check_condition(
    upsell: UpsellConfig, active_config: ActiveConfig, types: Callable[[str], Schema]
) -> CheckResult | None:
    """What checking the condition of an upsell says of it; None if it has none."""
    from trialrun.values.cel import check_expression

    cel = upsell.celUpsell
    if cel is None or not cel.conditionExpression:
        return None
    return check_expression(
        cel.conditionExpression, schema=types(active_config.origin_of(cel, "conditionExpression").path)
    )
