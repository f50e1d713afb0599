"""Rule ids in a baseline file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import HoverText

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile


def baseline_rule_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The page of the rule that an entry of the baseline names at an offset."""
    from trialrun.lsp.describe.model_field import value_at
    from trialrun.lsp.rule_docs import rule_with_example

    baseline = workspace.request.profiles.settings.baseline_file
    if baseline is None or os.path.abspath(file.path) != os.path.abspath(baseline):
        return None
    spot = file.node_at(offset)
    if spot is None or spot.is_key or not spot.path or spot.path[-1] != "rule":
        return None
    rule = value_at(spot.document, spot.path)
    page = rule_with_example(workspace, file.path, rule) if isinstance(rule, str) else None
    return HoverText(spot.span, (page,)) if page else None
