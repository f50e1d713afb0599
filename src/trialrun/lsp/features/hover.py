"""What is shown beside a place: what its value means, its field, and the rules that find something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.results import Hover
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import Told
    from trialrun.workspace.open_workspace import Live, Reading

PART = "\n\n---\n\n"


def hover(live: Live, path: str, offset: int) -> Hover | None:
    """What is known about the place at an offset; None where nothing is."""
    if path.endswith(".toml"):  # editors of TOML have the schema of the settings
        return None
    reading = live.reading(path)
    if reading is None or not 0 <= offset <= len(reading.source.text):
        return None
    return _hover(reading, list(_told(live, reading, offset)), offset)


def _told(live: Live, reading: Reading, offset: int) -> Iterator[Told]:
    """What is said at an offset, the most telling first; the first one says which characters are spoken of."""
    from trialrun.lsp.describe.aliases import alias_at
    from trialrun.lsp.describe.finding import findings_at, rule_in_comment
    from trialrun.lsp.describe.policy import policy_at
    from trialrun.lsp.describe.rule_id import rule_named

    alone = rule_in_comment(live, reading, offset) or rule_named(live, reading, offset)
    if alone is not None:
        yield alone
        return
    found = policy_at(live, reading, offset) or alias_at(reading, offset)
    yield from [found] if found else _of_resource(live, reading, offset)
    yield from filter(None, [findings_at(live, reading, offset)])


def _of_resource(live: Live, reading: Reading, offset: int) -> Iterator[Told]:
    """What the value at an offset means, then its field."""
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.value import value_at_place
    from trialrun.lsp.describe.value_location import Told, place_at

    place = place_at(live, reading, offset)
    if place is None:
        return
    value = value_at_place(place)
    yield value
    if not value.is_all:
        yield Told(place.spot.span, tuple(field_paragraphs(place.member, None if place.spot.is_key else place.value)))


def _hover(reading: Reading, told: list[Told], offset: int) -> Hover | None:
    blocks = ["\n\n".join(filter(None, one.paragraphs)) for one in told]
    if not any(blocks):
        return None
    around = (one.span for one in told if one.span.start <= offset <= one.span.end)
    return Hover(PART.join(filter(None, blocks)), reading.range(next(around, Span(offset, offset))))
