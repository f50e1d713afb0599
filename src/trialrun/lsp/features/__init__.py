"""Language features: functions that take the open workspace, the displayed path of the file, and their arguments.

Offsets are in code points. A feature returns what the protocol has, or types of `trialrun.lsp.results`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

FEATURES: Final = {
    "code_action": "code_action",
    "code_lens": "code_lens",
    "completion": "completion",
    "completion_resolve": "completion",
    "diagnostics": "diagnostics",
    "document_symbols": "outline",
    "folding_range": "outline",
    "goto_definition": "navigation",
    "hover": "hover",
    "inlay_hint": "inlay_hint",
    "prepare_rename": "rename",
    "references": "navigation",
    "rename": "rename",
    "workspace_diagnostics": "diagnostics",
    "workspace_symbols": "navigation",
}
"""By name of a feature, the module that has the function of that name; it is imported when it is first asked for."""


def feature(name: str) -> Callable[..., Any]:
    """The function of a feature. Raises KeyError for an unknown one."""
    answer: Callable[..., Any] = getattr(import_module(f"{__name__}.{FEATURES[name]}"), name)
    return answer
