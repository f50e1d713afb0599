"""Another name for a config, a binding, a store, an entry of the menu, an upsell, a type or field of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trialrun.lsp.results import CannotRename, FileEdits, Renaming

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.diagnostic import Range, TextEdit
    from trialrun.lsp.symbols import Mention, Sort
    from trialrun.workspace.open_workspace import Live, Reading

RENAMED: Final[frozenset[Sort]] = frozenset(
    {
        "config",
        "binding",
        "store",
        "item",
        "modifier",
        "modifier group",
        "feature group",
        "source",
        "upsell",
        "session type",
        "session field",
        "session variable",
        "bound variable",
    }
)
"""The sorts whose names can change: all of their uses in the workspace are known."""
MOST_APART: Final = 20
"""Texts of one file that are tried by themselves, for each of which the file is read again."""


def rename(live: Live, path: str, offset: int, name: str) -> Renaming:
    """The edits that give what is named at an offset another name, wherever documents name it.

    Of a resource name the id at its end changes. What certainly means the thing changes: names and ids, also in
    conditions that compare them with what is ordered, in what a customer does in a scenario, in tables. Texts that may
    speak of it come apart, for a person to decide. Raises CannotRename where there is no such name, where the new one
    is taken, where a broken text hides a name, where the edits would change more, and where `check` would find
    anything new after them.
    """
    from trialrun.lsp.symbols import closure, mention_at
    from trialrun.lsp.symbols.anchors import anchor_at, renamed_anchor
    from trialrun.lsp.symbols.verify_rename import prove, require_free, require_read

    reading = live.reading(path)
    if reading and (anchored := anchor_at(reading, offset)):
        edits = renamed_anchor(reading, anchored[0], anchored[1], name)
        return Renaming((FileEdits(path, edits),) if edits else ())
    mention = mention_at(live, path, offset)
    if mention is None:
        raise CannotRename("there is no name here that can be changed; go to the name of a config, an item or the like")
    name = _new_id(mention, name)
    mentions = closure(live, mention)
    require_known(live, mention, mentions)
    if not name.strip() or name != name.strip():
        raise CannotRename("the new name is empty, or has blanks around it; write a name")
    require_free(live, mentions, name)
    require_read(live, mentions)
    if all(_is_called(one, name) for one in mentions):
        return Renaming()
    found, texts = _edits(live, mentions, name)
    prove(live, mentions, name, texts)
    return Renaming(found, _doubtful(live, mention, mentions, name, found))


def _new_id(mention: Mention, name: str) -> str:
    """The id to write: of a whole resource name under the same parent, the end."""
    from trialrun.lsp.symbols.resolve import OF_RESOURCES

    parent, slash, id_ = name.rpartition("/")
    if mention.sort not in OF_RESOURCES or not slash:
        return name
    if parent != mention.text.rpartition("/")[0]:
        raise CannotRename(f'"{name}" has a slash; write the id alone, which is the end of the name')
    return id_


def require_known(live: Live, mention: Mention, mentions: Sequence[Mention]) -> None:
    """A name is of a sort that can change, and something declares it. Raises CannotRename."""
    from trialrun.lsp.symbols.reserved_names import kept_by_session

    if mention.sort not in RENAMED:
        raise CannotRename(f"names of {mention.sort}s cannot be changed everywhere; more than these files goes by them")
    if not mentions:
        raise CannotRename(
            f'nothing in the workspace declares "{mention.text}"; declare it, or write another name here'
        )
    if kept := kept_by_session(live, mention):
        raise CannotRename(f'"{mention.text}" is what the session itself calls {kept}; it finds it by this name')


def _is_called(mention: Mention, name: str) -> bool:
    from trialrun.lsp.symbols.edit import renamed

    return renamed(mention.text, mention, name) == mention.text


def _edits(live: Live, mentions: Sequence[Mention], name: str) -> tuple[tuple[FileEdits, ...], dict[str, str]]:
    """The edits by file, in the order of paths, and the texts after them."""
    from trialrun.lsp.symbols.edit import edits_of

    found: list[FileEdits] = []
    texts: dict[str, str] = {}
    for path in sorted({one.path for one in mentions}):
        reading = live.reading(path)
        if reading is not None:
            edits, texts[path] = edits_of(reading, [one for one in mentions if one.path == path], name)
            found.append(FileEdits(path, edits))
    return tuple(found), texts


def _doubtful(
    live: Live, mention: Mention, mentions: Sequence[Mention], name: str, made: Sequence[FileEdits]
) -> tuple[FileEdits, ...]:
    """The edits in texts that may speak of the thing, apart from those that are made."""
    from trialrun.lsp.symbols.edit import start_of
    from trialrun.lsp.symbols.possible_references import doubted

    declared = next((one for one in mentions if one.declares), mention)
    texts = doubted(live, declared, mention.text[start_of(mention) :])
    taken = {one.path: [edit.range for edit in one.edits] for one in made}
    found: list[FileEdits] = []
    for path in sorted({one.path for one in texts}):
        reading = live.reading(path)
        assert reading is not None
        here = [one for one in texts if one.path == path]
        edits = _written(reading, here, name)
        free = [edit for edit in edits if not any(_meet(edit.range, at) for at in taken.get(path, ()))]
        if free:
            found.append(FileEdits(path, tuple(sorted(set(free), key=lambda edit: edit.range))))
    return tuple(found)


def _written(reading: Reading, texts: Sequence[Mention], name: str) -> list[TextEdit]:
    """The edits of texts, each of them by itself where they cannot be made together; none of what cannot be written."""
    from trialrun.lsp.symbols.edit import edits_of

    try:
        return list(edits_of(reading, texts, name)[0])
    except CannotRename:
        return [edit for one in texts[:MOST_APART] for edit in _written(reading, [one], name)] if len(texts) > 1 else []


def _meet(one: Range, other: Range) -> bool:
    return one.start < other.end and other.start < one.end
