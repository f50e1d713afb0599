"""Configs that are in use: what names them, in words, and that they are not deleted."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.channel_config.states import ConfigUse
from trialrun.service.error import Status, service_error
from trialrun.values.resource_name import last_id


def require_unused(config: str, used: Sequence[ConfigUse]) -> None:
    """Refuse to delete a config that is named, whose brand would then name what is not there."""
    if not used:
        return
    more = len(used) - 1
    others = f" and {more} other place{'s' if more > 1 else ''}" if more else ""
    message = f'"{last_id(config)}" is used by {_describe_use(used[0])}{others}; remove it there first'
    raise service_error(Status.FAILED_PRECONDITION, "channel-config-in-use", message, name=config)


def _describe_use(use: ConfigUse) -> str:
    what = f'the rule "{last_id(use.rule)}" of' if use.rule else "the defaults of"
    return f'{what} the store "{last_id(use.store)}"' if use.store else f'{what} the brand "{last_id(use.brand or "")}"'
