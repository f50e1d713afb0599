"""Description of the part of a condition under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import HoverText

if TYPE_CHECKING:
    from trialrun.lsp.describe.condition import DescribedPart
    from trialrun.lsp.describe.value_location import ValueLocation


def condition_at(place: ValueLocation) -> HoverText:
    """The part of a condition that a place is in; nothing in what only indents or folds it."""
    from trialrun.lsp.describe.condition import describe_part

    found = describe_part(place.text, place.character, place.workspace.session_types(place.path))
    if found is None or not place.is_inside(found.start, found.end):
        return HoverText(place.spot.span, ())
    further = (*_of_time(place, found), *(_of_word(place) if found.is_word else ()))
    return HoverText(place.inside(found.start, found.end), (*found.paragraphs, *further), is_all=True)


def _of_time(place: ValueLocation, found: DescribedPart) -> Iterator[str]:
    """The moment or the span of time that a condition names, in words."""
    from trialrun.lsp.describe.timestamp import duration_paragraphs, timestamp_paragraphs

    function, text = found.given or ("", "")
    if function == "timestamp":
        yield from timestamp_paragraphs(text, place.workspace.request.now)
    elif function == "duration":
        yield from duration_paragraphs(text)


def _of_word(place: ValueLocation) -> tuple[str, ...]:
    """What the workspace declares of the word of a condition: an item by its name, or what the session has."""
    from trialrun.lsp.describe.declaration import declaration_paragraphs, schema_declaration_paragraphs
    from trialrun.lsp.symbols import occurrence_at

    occurrence = occurrence_at(place.workspace, place.path, place.offset)
    if occurrence is None:
        return ()
    return (
        *declaration_paragraphs(place.workspace, occurrence),
        *schema_declaration_paragraphs(place.workspace, occurrence),
    )
