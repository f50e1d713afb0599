"""A YAML text to documents; when one is broken, it is repaired where the cause is plain, and the others are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.parser.composed import Composed
from trialrun.parser.document import Document, Slice, Trouble
from trialrun.parser.fast_path import read_simply

if TYPE_CHECKING:
    from trialrun.parser.compose import Refused
    from trialrun.parser.events import YAMLError


def read_yaml(text: str) -> tuple[list[Document], list[Trouble]]:
    """The documents of the text in file order, and what is wrong in it."""
    composed = read_simply(text) or []
    fault = None if composed else _compose_whole(text, composed)
    if fault is not None:
        from trialrun.parser.error_recovery import recover

        return recover(text, composed, fault)
    documents: list[Document] = []
    troubles: list[Trouble] = []
    for one in composed:
        take(one, Slice(text), documents, troubles, index=len(documents))
    return documents, troubles


def _compose_whole(text: str, composed: list[Composed]) -> YAMLError | Refused | None:
    """Compose the documents of a text as far as they go; what is wrong behind them."""
    from trialrun.parser.compose import Refused, compose, counted
    from trialrun.parser.events import YAMLError, parser_of

    parser = parser_of(text)
    try:
        compose(counted(parser.get_event, text), composed, text)
    except (YAMLError, Refused) as fault:
        return fault.with_traceback(None)  # a kept traceback would be a cycle that only the collector frees
    finally:
        parser.dispose()
    return None


def take(one: Composed, part: Slice, documents: list[Document], troubles: list[Trouble], *, index: int) -> None:
    """Add a document that was composed from a slice, and what there is to remark in it."""
    start = _line_start(part.text, one.start)
    end = one.end if one.end > start else len(part.text)
    overrides = {at - start: meant for at, meant in part.overrides.items() if start <= at < end}
    own = Slice(part.text[start:end], part.offset + start, overrides)
    root = None
    if one.noticed:
        from trialrun.parser.spans import places_of_yaml

        places = places_of_yaml(own, index)
        root = places.root
        troubles.extend(places.troubles)
    documents.append(Document(index, one.value, own, root))


def _line_start(text: str, offset: int) -> int:
    """Where the line of an offset starts: an indented first key counts from there."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
