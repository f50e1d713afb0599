"""Tools that the features of a config give the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.features import features

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.origin import Origin


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that the agent can do beside talking, and the feature that lets it."""

    name: str
    description: str
    origin: Origin


def tools(active_config: ActiveConfig) -> tuple[Tool, ...]:
    """The tools of the features that are on, in the order in which they matter in a session."""
    config = active_config.operations_field("featuresConfig")
    return tuple(
        Tool(*feature.tool, active_config.origin_of(config, field))
        for field, feature, is_on in (features(config) if config else ())
        if is_on and feature.tool
    )
