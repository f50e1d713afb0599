"""Rename: the edits that give a declared name another one, wherever it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trialrun.lsp.results import CannotRename, FileEdits
from trialrun.lsp.symbols.context import ResolutionContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.lsp.symbols import NameKind, Occurrence
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace import OpenWorkspace

RENAMEABLE_KINDS: Final[frozenset[NameKind]] = frozenset(
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


def rename(workspace: OpenWorkspace, path: str, offset: int, name: str) -> tuple[FileEdits, ...]:
    """The edits that give what is named at an offset another name, wherever documents name it.

    Of a resource name the id at its end changes. What certainly means the thing changes: names and ids, also in
    conditions that compare them with what is ordered, in what a customer does in a scenario, in tables. Texts that may
    speak of it stay. Raises CannotRename where there is no such name, where the new one is taken, where a broken text
    hides a name, where the edits would change more, and where `check` would find anything new after them.
    """
    from trialrun.lsp.symbols import occurrence_at, rename_set
    from trialrun.lsp.symbols.anchors import anchor_at, rename_anchor
    from trialrun.lsp.symbols.verify_rename import require_free, require_read, verify_rename

    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        edits = rename_anchor(file, anchored[0], anchored[1], name)
        return (FileEdits(path, edits),) if edits else ()
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        raise CannotRename("nothing to rename here; place the cursor on a name, such as that of a config or an item")
    name = _new_id(occurrence, name)
    occurrences = rename_set(workspace, occurrence)
    require_known(workspace, occurrence, occurrences)
    if not name.strip() or name != name.strip():
        raise CannotRename("the new name is empty or has spaces around it; write a name without them")
    require_free(workspace, occurrences, name)
    require_read(workspace, occurrences)
    if all(_is_called(occurrence, name) for occurrence in occurrences):
        return ()
    found, texts = _edits(workspace, occurrences, name)
    verify_rename(workspace, occurrences, name, texts)
    return found


def _new_id(occurrence: Occurrence, name: str) -> str:
    """The id to write: of a whole resource name under the same parent, the end."""
    from trialrun.lsp.symbols.resolve import RESOURCE_KINDS

    parent, slash, id_ = name.rpartition("/")
    if occurrence.kind not in RESOURCE_KINDS or not slash:
        return name
    if parent != occurrence.text.rpartition("/")[0]:
        raise CannotRename(f'"{name}" has a slash; write only the id, the last part of the name')
    return id_


def require_known(workspace: OpenWorkspace, occurrence: Occurrence, occurrences: Sequence[Occurrence]) -> None:
    """A name is of a sort that can change, and something declares it. Raises CannotRename."""

    if occurrence.kind not in RENAMEABLE_KINDS:
        raise CannotRename(
            f"names of {occurrence.kind}s are also used outside of these files, so they cannot be renamed"
        )
    if not occurrences:
        raise CannotRename(
            f'nothing in the workspace declares "{occurrence.text}"; declare it, or write a declared name here'
        )
    if kept := reserved_by_session(workspace, occurrence):
        raise CannotRename(f'"{occurrence.text}" is a fixed name of the session for {kept}, so it cannot be renamed')


def _is_called(occurrence: Occurrence, name: str) -> bool:
    from trialrun.lsp.symbols.edit import renamed_text

    return renamed_text(occurrence.text, occurrence, name) == occurrence.text


def _edits(
    workspace: OpenWorkspace, occurrences: Sequence[Occurrence], name: str
) -> tuple[tuple[FileEdits, ...], dict[str, str]]:
    """The edits by file, in the order of paths, and the texts after them."""
    from trialrun.lsp.symbols.edit import rename_edits

    changes: list[FileEdits] = []
    texts: dict[str, str] = {}
    for path in sorted({occurrence.path for occurrence in occurrences}):
        file = workspace.workspace_file(path)
        if file is not None:
            edits, texts[path] = rename_edits(
                file, [occurrence for occurrence in occurrences if occurrence.path == path], name
            )
            changes.append(FileEdits(path, edits))
    return tuple(changes), texts


_LISTS: Final = ("items", "modifierGroups", "modifiers")
"""The lists of an order, each in the elements of the one before it."""


def reserved_by_session(workspace: OpenWorkspace, occurrence: Occurrence) -> str | None:
    """What of its state the session itself calls by a name; None where it does not."""
    from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS

    if occurrence.kind == "session variable":
        return "the order" if occurrence.text == "order" else "the session" if occurrence.text == "session" else None
    if occurrence.kind != "session field":
        return None
    types = ResolutionContext(workspace, occurrence.path).types
    for variable, fields in SESSION_FIELDS.items():
        root = types.roots.get(variable)
        if root and root.name in occurrence.within and occurrence.text in fields:
            return f"{variable}.{occurrence.text}"
    return _of_order(types, occurrence)


def _of_order(types: Schema, occurrence: Occurrence) -> str | None:
    """The path of a field in a line of the order, which the session fills."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    here, shipped, path = types.roots.get("order"), DEFAULT_SCHEMA.roots["order"], "order"
    for name in _LISTS:
        listed = types.fields.get(here.name, {}).get(name) if here else None
        if listed is None or not listed.parameters:
            return None
        here, shipped = listed.parameters[0], DEFAULT_SCHEMA.fields[shipped.name][name].parameters[0]
        path = f"{path}.{name}"
        if here.name in occurrence.within and occurrence.text in DEFAULT_SCHEMA.fields[shipped.name]:
            return f"{path}[…].{occurrence.text}"
    return None
