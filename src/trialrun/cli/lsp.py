"""`trialrun lsp`: the Language Server Protocol server, as most editors start it without importing click."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from trialrun.cli.options import COMPLETION_VARIABLE

PLAIN_OPTIONS = frozenset({"--stdio"})
"""Options without effect."""


def is_plain(arguments: Sequence[str]) -> bool:
    """Whether arguments of `lsp` have no effect, as those of most editors."""
    return PLAIN_OPTIONS.issuperset(arguments) and COMPLETION_VARIABLE not in os.environ


def run_lsp(**options: Any) -> int:
    """Run the editor server with options of the command line; the exit code."""
    from trialrun.guarded_path import allowed_folders
    from trialrun.lsp.guard import serve

    return serve(json.dumps({**options, "allowed_folders": allowed_folders()}, default=str))
