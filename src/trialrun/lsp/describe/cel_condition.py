"""The condition of an upsell: the part under the cursor, and what the workspace has to say of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import Told

if TYPE_CHECKING:
    from trialrun.lsp.describe.condition import Typed
    from trialrun.lsp.describe.value_location import Place


def condition_at(place: Place) -> Told:
    """The part of a condition that a place is in; nothing in what only indents or folds it."""
    from trialrun.lsp.describe.condition import part_at

    found = part_at(place.text, place.character, place.live.types(place.path))
    if found is None or not place.is_inside(found.start, found.end):
        return Told(place.spot.span, ())
    further = (*_of_time(place, found), *(_of_word(place) if found.is_word else ()))
    return Told(place.inside(found.start, found.end), (*found.paragraphs, *further), is_all=True)


def _of_time(place: Place, found: Typed) -> Iterator[str]:
    """The moment or the span of time that a condition names, in words."""
    from trialrun.lsp.describe.timestamp import moment_paragraphs, span_paragraphs

    function, text = found.given or ("", "")
    if function == "timestamp":
        yield from moment_paragraphs(text, place.live.request.now)
    elif function == "duration":
        yield from span_paragraphs(text)


def _of_word(place: Place) -> tuple[str, ...]:
    """What the workspace declares of the word of a condition: an item by its name, or what the session has."""
    from trialrun.lsp.describe.declaration import declared_paragraphs, remarked_paragraphs
    from trialrun.lsp.symbols import mention_at

    mention = mention_at(place.live, place.path, place.offset)
    if mention is None:
        return ()
    return (*declared_paragraphs(place.live, mention), *remarked_paragraphs(place.live, mention))
