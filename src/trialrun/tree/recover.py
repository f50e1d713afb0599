"""Broken documents: what is probably wrong, and the rest of the file read all the same."""

from __future__ import annotations

from trialrun.text import Span
from trialrun.tree.compose import Composed
from trialrun.tree.document import Document, Trouble


def recover(text: str, composed: list[Composed]) -> tuple[list[Document], list[Trouble]]:
    """First version: the documents before the broken one."""
    from trialrun.tree.document import Slice
    from trialrun.tree.yaml_text import take

    documents: list[Document] = []
    troubles: list[Trouble] = []
    for one in composed:
        take(one, Slice(text), documents, troubles, index=len(documents))
    troubles.append(Trouble("syntax-error", "the text is not YAML", Span(0, 1), len(documents), None))
    return documents, troubles
