"""Where a value comes from, as programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.origin import Origin


def origin_object(origin: Origin) -> dict[str, Any]:
    """The level, the rule of a binding, the config, and its file and line."""
    rule = {} if origin.rule is None else {"rule": origin.rule}
    return {"level": origin.level, **rule, "config": origin.name, "path": origin.path, "line": origin.line}
