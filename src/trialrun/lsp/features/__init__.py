"""Language features: a module each, with a function of the same name.

A function takes the open workspace, the displayed path of the file, and its arguments, with offsets in code points. It
returns types of `trialrun.lsp.results`, does not depend on the protocol, and imports what it needs when it is called.
A new feature is one module and one name here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

FEATURES: Final = (
    "code_action",
    "code_lens",
    "completion",
    "completion_resolve",
    "diagnostics",
    "document_symbols",
    "folding_range",
    "goto_definition",
    "hover",
    "inlay_hint",
    "prepare_rename",
    "references",
    "rename",
    "workspace_diagnostics",
    "workspace_symbols",
)


def feature(name: str) -> Callable[..., Any]:
    """The function of a feature. Raises KeyError for an unknown one."""
    if name not in FEATURES:
        raise KeyError(name)
    answer: Callable[..., Any] = getattr(import_module(f"trialrun.lsp.features.{name}"), name)
    return answer


def offered() -> list[str]:
    """The names of the features."""
    return [name for name in FEATURES if find_spec(f"{__name__}.{name}") is not None]
