"""Where something is named: its declarations, and every use of its name or id in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.results import Location
    from trialrun.workspace.open_workspace import Live


def references(live: Live, path: str, offset: int, *, with_declarations: bool = True) -> tuple[Location, ...]:
    """The places that name what is named at an offset, in the order of paths; none where there is no name of ours."""
    from trialrun.lsp.symbols import mention_at, place_of, referring
    from trialrun.lsp.symbols.anchors import anchor_at, places_of

    reading = live.reading(path)
    if reading and (anchored := anchor_at(reading, offset)):
        return places_of(reading, anchored[1], with_declaration=with_declarations)
    mention = mention_at(live, path, offset)
    if mention is None:
        return ()
    found = (one for one in referring(live, mention) if with_declarations or not one.declares)
    places = (place for one in found if (place := place_of(live, one)))
    return tuple(sorted(set(places), key=lambda place: (place.path, place.range)))
