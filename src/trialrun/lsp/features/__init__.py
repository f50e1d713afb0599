"""What an editor can ask about a text: a module each, whose function of the same name answers.

A function takes the open workspace, the path of the file as it is shown, and what the question needs, offsets in code
points of the text. It answers in the types of `trialrun.lsp.results`, knows nothing of the protocol, and imports what
it needs when it is called. A new question is one module and one name here.
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
    "document_highlight",
    "document_symbols",
    "folding_range",
    "goto_definition",
    "hover",
    "inlay_hint",
    "prepare_rename",
    "references",
    "rename",
    "selection_range",
    "semantic_tokens",
    "workspace_diagnostics",
    "workspace_symbols",
)


def feature(name: str) -> Callable[..., Any]:
    """The function that answers a question. Raises KeyError for a question that there is not."""
    if name not in FEATURES:
        raise KeyError(name)
    answer: Callable[..., Any] = getattr(import_module(f"trialrun.lsp.features.{name}"), name)
    return answer


def offered() -> list[str]:
    """The questions that have an answer here: only these are offered to an editor."""
    return [name for name in FEATURES if find_spec(f"{__name__}.{name}") is not None]
