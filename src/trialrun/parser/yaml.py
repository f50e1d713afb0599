"""Parse a YAML text to documents; a broken one is repaired where the cause is clear, and the others are parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.parser.composed import ComposedDocument, add_document
from trialrun.parser.document import Document
from trialrun.parser.fast_path import parse_fast
from trialrun.parser.parse_error import ParseError, SourceSlice

if TYPE_CHECKING:
    from trialrun.parser.compose import Unsupported
    from trialrun.parser.events import YAMLError


def parse_yaml(text: str) -> tuple[list[Document], list[ParseError]]:
    """The documents of the text in file order, and what is wrong in it."""
    composed = parse_fast(text) or []
    fault = None if composed else _compose(text, composed)
    if fault is not None:
        from trialrun.parser.error_recovery import recover

        return recover(text, composed, fault)
    documents: list[Document] = []
    errors: list[ParseError] = []
    for document in composed:
        add_document(document, SourceSlice(text), documents, errors, index=len(documents))
    return documents, errors


def _compose(text: str, composed: list[ComposedDocument]) -> YAMLError | Unsupported | None:
    """Compose the documents of a text as far as they go; what is wrong behind them."""
    from trialrun.parser.compose import Unsupported, compose, limit_events
    from trialrun.parser.events import YAMLError, make_parser

    parser = make_parser(text)
    try:
        compose(limit_events(parser.get_event, text), composed, text)
    except (YAMLError, Unsupported) as fault:
        return fault.with_traceback(None)  # a kept traceback would be a cycle that only the collector frees
    finally:
        parser.dispose()
    return None
