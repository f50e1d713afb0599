"""Whether the name at a place can be changed, before a new one is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.lsp.results import Renameable

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import Live


def renameable(live: Live, path: str, offset: int) -> Renameable | None:
    """The name at an offset as `rename` changes it; None where there is none of ours.

    Raises CannotRename where there is a name that cannot be changed; the message says why.
    """
    from trialrun.lsp.features.rename import require_known
    from trialrun.lsp.symbols import closure, mention_at, place_of
    from trialrun.lsp.symbols.anchors import anchor_at
    from trialrun.lsp.symbols.edit import start_of

    reading = live.reading(path)
    if reading and (anchored := anchor_at(reading, offset)):
        _, anchor, span = anchored
        return Renameable(reading.range(span), anchor.name)
    mention = mention_at(live, path, offset)
    if mention is None:
        return None
    require_known(live, mention, closure(live, mention))
    start = start_of(mention)
    end = len(mention.text)
    place = place_of(live, replace(mention, chars=(start, end)))
    return Renameable(place.range, mention.text[start:end]) if place else None
