"""JSON output of origins and of document errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.effective import Origin


def origin_object(origin: Origin) -> dict[str, Any]:
    """The level, the rule of a binding, the config, and its file and line."""
    rule = {} if origin.rule is None else {"rule": origin.rule}
    return {"level": origin.level, **rule, "config": origin.name, "path": origin.path, "line": origin.line}


def errors_object(errors: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """Errors in documents, each with its rule, file and line."""
    return [
        {"rule": error.rule, "path": error.path, "line": error.range.start.line, "message": error.message}
        for error in errors
    ]
