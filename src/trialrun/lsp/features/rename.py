"""Another name for a config, a binding, a store, an entry of the menu, a feature group or a source, everywhere."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trialrun.lsp.answer import CannotRename, FileEdits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trialrun.lsp.names import Mention, Sort
    from trialrun.workspace import Request
    from trialrun.workspace.live import Live

RENAMED: Final[frozenset[Sort]] = frozenset(
    {"config", "binding", "store", "item", "modifier", "modifier group", "feature group", "source"}
)
"""The sorts whose names can change: all of their uses are known, and nothing outside of the workspace goes by them."""


def rename(live: Live, path: str, offset: int, name: str) -> tuple[FileEdits, ...]:
    """The edits that give what is named at an offset another name, wherever documents name it.

    Of a resource name the id at its end changes. Texts are not names: scripts of sessions, strings in conditions and
    what the agent says stay. Raises CannotRename where there is no such name, where the new one is taken, where the
    edits would change more, and where `check` would find anything new after them.
    """
    from trialrun.lsp.names import closure, mention_at
    from trialrun.lsp.names.anchors import anchor_at, renamed_anchor

    reading = live.reading(path)
    if reading and (anchored := anchor_at(reading, offset)):
        edits = renamed_anchor(reading, anchored[0], anchored[1], name)
        return (FileEdits(path, edits),) if edits else ()
    mention = mention_at(live, path, offset)
    if mention is None:
        raise CannotRename("there is no name here that can be changed; go to the name of a config, an item or the like")
    name = _new_id(mention, name)
    mentions = closure(live, mention)
    require_known(mention, mentions)
    if not name.strip() or name != name.strip():
        raise CannotRename("the new name is empty, or has blanks around it; write a name")
    _require_free(live, mentions, name)
    if all(_is_called(one, name) for one in mentions):
        return ()
    found, texts = _edits(live, mentions, name)
    _prove(live, texts)
    return found


def _new_id(mention: Mention, name: str) -> str:
    """The id to write: of a whole resource name under the same parent, the end."""
    from trialrun.lsp.names.meaning import OF_RESOURCES

    parent, slash, id_ = name.rpartition("/")
    if mention.sort not in OF_RESOURCES or not slash:
        return name
    if parent != mention.text.rpartition("/")[0]:
        raise CannotRename(f'"{name}" has a slash; write the id alone, which is the end of the name')
    return id_


def require_known(mention: Mention, mentions: list[Mention]) -> None:
    """A name is of a sort that can change, and something declares it. Raises CannotRename."""
    if mention.sort not in RENAMED:
        raise CannotRename(f"names of {mention.sort}s cannot be changed everywhere; more than these files goes by them")
    if not mentions:
        raise CannotRename(
            f'nothing in the workspace declares "{mention.text}"; declare it, or write another name here'
        )


def _is_called(mention: Mention, name: str) -> bool:
    from trialrun.lsp.names.writing import renamed

    return renamed(mention.text, mention, name) == mention.text


def _require_free(live: Live, mentions: list[Mention], name: str) -> None:
    """Nothing else is called by the new name yet, where the two could be confused."""
    from trialrun.lsp.names import declarations, place_of
    from trialrun.lsp.names.writing import renamed

    declared = [one for one in mentions if one.declares]
    own = {one.thing for one in declared}
    for one in declared:
        wanted = replace(one, text=renamed(one.text, one, name), ways=("name", "id"))
        for other in declarations(live, wanted):
            if other.thing not in own and (place := place_of(live, other)):
                where = f"{place.path}:{place.range.start.line}"
                raise CannotRename(f'"{name}" is taken already, at {where}; write another name')


def _edits(live: Live, mentions: list[Mention], name: str) -> tuple[tuple[FileEdits, ...], dict[str, str]]:
    """The edits by file, in the order of paths, and the texts after them."""
    from trialrun.lsp.names.writing import edits_of

    found: list[FileEdits] = []
    texts: dict[str, str] = {}
    for path in sorted({one.path for one in mentions}):
        reading = live.reading(path)
        if reading is not None:
            edits, texts[path] = edits_of(reading, [one for one in mentions if one.path == path], name)
            found.append(FileEdits(path, edits))
    return tuple(found), texts


def _prove(live: Live, texts: Mapping[str, str]) -> None:
    """Check the workspace as it is and as it would be. Raises CannotRename for what only the second has."""
    laid = dict(live.files.overlay)
    before = replace(live.request, overlay=laid, paths=(), jobs=1, baseline=None)
    new = {os.path.abspath(path): text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    known = _places(before)
    for place, told in _places(replace(before, overlay=laid | new)).items():
        if place not in known:
            raise CannotRename(f"after it, check would find something new: {told}")


def _places(request: Request) -> dict[tuple[str, str, int, str], str]:
    """What check finds, by rule and place."""
    from trialrun.workspace import check

    found = check(request).diagnostics
    return {
        (one.rule, one.path, one.document, one.pointer): f"{one.path}:{one.range.start.line}: {one.message}"
        for one in found
    }
