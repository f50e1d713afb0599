"""The field of a ChannelConfig that a path of a scenario names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import Told

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import Place


def field_on_path(place: Place) -> Told:
    """The field that the step under the cursor leads to; nothing on a path that cannot be read."""
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.model_field import member_of
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.runtime.channel_config.field_path import NoField, steps_of

    try:
        steps = steps_of(place.text)
    except NoField:
        return Told(place.spot.span, ())
    at = next((at for at, one in enumerate(steps) if one.chars[0] <= place.character < one.chars[1]), None)
    names = tuple(one.text for one in steps[: (at or 0) + 1] if not one.bracketed)
    member = member_of(ChannelConfig, names) if at is not None else None
    if at is None or member is None:
        return Told(place.spot.span, ())
    return Told(place.inside(*steps[at].chars), tuple(field_paragraphs(member)))
