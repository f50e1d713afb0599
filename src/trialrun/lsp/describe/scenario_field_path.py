"""Description of the ChannelConfig field that a path in a scenario names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import HoverText

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import ValueLocation


def field_on_path(place: ValueLocation) -> HoverText:
    """The field that the step under the cursor leads to; nothing on a path that cannot be read."""
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.model_field import model_field_on_path
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.runtime.channel_config.field_path import UnknownFieldError, parse_path

    try:
        steps = parse_path(place.text)
    except UnknownFieldError:
        return HoverText(place.spot.span, ())
    at = next((at for at, one in enumerate(steps) if one.chars[0] <= place.character < one.chars[1]), None)
    names = tuple(one.text for one in steps[: (at or 0) + 1] if not one.bracketed)
    member = model_field_on_path(ChannelConfig, names) if at is not None else None
    if at is None or member is None:
        return HoverText(place.spot.span, ())
    return HoverText(place.inside(*steps[at].chars), tuple(field_paragraphs(member)))
