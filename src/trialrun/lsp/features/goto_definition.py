"""Where what a name means is declared: configs, bindings, stores, menu entries, columns and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.results import Location
    from trialrun.workspace.open_workspace import Live


def definition(live: Live, path: str, offset: int) -> tuple[Location, ...]:
    """The declarations of the name at an offset, in the order of paths; of an alias its anchor, and the
    files or the policy that are named.

    None where there is no name of ours.
    """
    from trialrun.lsp.symbols import declarations, mention_at, place_of
    from trialrun.lsp.symbols.anchors import anchor_at, places_of
    from trialrun.lsp.symbols.file_references import named_elsewhere

    reading = live.reading(path)
    if reading and (found := anchor_at(reading, offset)):
        return places_of(reading, found[1])[:1]
    mention = mention_at(live, path, offset)
    if mention is None:
        return tuple(dict.fromkeys(named_elsewhere(live, reading, offset))) if reading else ()
    places = (place for one in declarations(live, mention) if (place := place_of(live, one)))
    return tuple(sorted(set(places), key=lambda place: (place.path, place.range)))
