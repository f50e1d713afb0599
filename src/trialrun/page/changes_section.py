"""The section of changes: the plan between a revision and the working tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources

MAX_CHANGES = 500
"""Changes that a page shows, the gravest first; it counts all of them."""


def changes_section(sources: PageSources) -> dict[str, Any] | None:
    """What `trialrun plan` says of the changes; None where nobody asked since when."""
    if sources.plan is None:
        return None
    from trialrun.changes.report.json import report

    plan: dict[str, Any] = json.loads("".join(report(sources.plan)))
    return {**plan, "changes": plan["changes"][:MAX_CHANGES], "total": len(plan["changes"])}
