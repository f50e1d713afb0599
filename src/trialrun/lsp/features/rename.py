"""Rename: the edits that give a declared name another one, wherever it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from trialrun.diagnostic import Path
from trialrun.lint.positions import find_value
from trialrun.lsp.results import CannotRename, Edits, Object
from trialrun.lsp.symbols.conditions import cel_names
from trialrun.lsp.symbols.edit import anchor_at, rename_anchor, rename_edits, renamed_text, replaced_start
from trialrun.lsp.symbols.index import content_filter, declarations, occurrence_at, occurrences, range_of, rename_set
from trialrun.lsp.symbols.occurrence import MENU_KINDS, RESOURCE_KINDS, NameKind, Occurrence
from trialrun.lsp.symbols.text_references import ResolutionContext
from trialrun.parser.document import Document
from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS
from trialrun.text import Span
from trialrun.values.cel import DEFAULT_SCHEMA, Schema
from trialrun.values.cel.type_schema import schema_errors
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

RENAMEABLE_KINDS: Final[frozenset[NameKind]] = frozenset(
    {
        *("config", "binding", "store", "item", "modifier", "modifier group", "feature group", "source", "upsell"),
        *("session type", "session field", "session variable", "bound variable"),
    }
)
"""The sorts whose names can change: all of their uses in the workspace are known."""
_LISTS: Final = ("items", "modifierGroups", "modifiers")
"""The lists of an order, each in the elements of the one before it."""


def prepare_rename(workspace: OpenWorkspace, path: str, offset: int) -> Object | None:
    """The name at an offset as `rename` changes it; None if there is none of ours.

    Raises CannotRename where there is a name that cannot be changed; the message says why.
    """
    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        _, anchor, span = anchored
        return {"range": file.range(span), "placeholder": anchor.name}
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        return None
    _require_known(workspace, occurrence, rename_set(workspace, occurrence))
    start, end = replaced_start(occurrence), len(occurrence.text)
    range_ = range_of(workspace, replace(occurrence, chars=(start, end)))
    return {"range": range_, "placeholder": occurrence.text[start:end]} if range_ else None


def rename(workspace: OpenWorkspace, path: str, offset: int, name: str) -> Edits:
    """The edits that give what is named at an offset another name, wherever documents name it.

    Of a resource name the id at its end changes. What certainly means the thing changes: names and ids, also in
    conditions that compare them with what is ordered, in what a customer does in a scenario, in tables. Texts that may
    speak of it stay. Raises CannotRename where there is no such name, where the new one is taken or cannot be one,
    where a broken text hides a name, and where the edits would change more.
    """
    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        edits = rename_anchor(file, anchored[0], anchored[1], name)
        return {path: edits} if edits else {}
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        raise CannotRename("nothing to rename here; place the cursor on a name, such as that of a config or an item")
    name = _new_id(occurrence, name)
    renamed = rename_set(workspace, occurrence)
    _require_known(workspace, occurrence, renamed)
    _require_name(occurrence, name)
    _require_free(workspace, renamed, name)
    _require_same_bindings(workspace, renamed, name)
    _require_read(workspace, renamed)
    if all(renamed_text(one.text, one, name) == one.text for one in renamed):
        return {}
    files = filter(None, (workspace.workspace_file(path) for path in sorted({one.path for one in renamed})))
    return {file.path: rename_edits(file, [one for one in renamed if one.path == file.path], name) for file in files}


def _new_id(occurrence: Occurrence, name: str) -> str:
    """The id to write: of a whole resource name under the same parent, the end."""
    parent, slash, id_ = name.rpartition("/")
    if occurrence.kind not in RESOURCE_KINDS or not slash:
        return name
    if parent != occurrence.text.rpartition("/")[0]:
        raise CannotRename(f'"{name}" has a slash; write only the id, the last part of the name')
    return id_


def _require_known(workspace: OpenWorkspace, occurrence: Occurrence, renamed: Sequence[Occurrence]) -> None:
    """A name is of a sort that can change, and something declares it. Raises CannotRename."""
    if occurrence.kind not in RENAMEABLE_KINDS:
        raise CannotRename(
            f"names of {occurrence.kind}s are also used outside of these files, so they cannot be renamed"
        )
    if not renamed:
        raise CannotRename(
            f'nothing in the workspace declares "{occurrence.text}"; declare it, or write a declared name here'
        )
    if occurrence not in renamed:
        raise CannotRename(
            f'this file is not part of the workspace that declares "{occurrence.text}"; rename it in a file that is'
        )
    if kept := _reserved_by_session(workspace, occurrence):
        raise CannotRename(f'"{occurrence.text}" is a fixed name of the session for {kept}, so it cannot be renamed')


def _require_name(occurrence: Occurrence, name: str) -> None:
    """The new name is one by the rules of its field. Raises CannotRename."""
    if not name.strip() or name != name.strip():
        raise CannotRename("the new name is empty or has spaces around it; write a name without them")
    if occurrence.kind == "source" and "://" in occurrence.text and "://" not in name:
        raise CannotRename(f'"{name}" has no scheme; write a uri such as bq://project.dataset.table')
    types: dict[str, dict[str, str]] = {name: {}} if occurrence.kind == "session type" else {}
    if occurrence.kind == "session field":
        types = {"Type": {name: "int"}}
    variables = {name: "int"} if occurrence.kind in ("session variable", "bound variable") else {}
    if error := next(schema_errors(types, variables), None):
        raise CannotRename(error.message)


def _require_free(workspace: OpenWorkspace, renamed: Sequence[Occurrence], name: str) -> None:
    """Nothing else has the new name, if the two could be confused. Raises CannotRename."""
    own = {occurrence.thing for occurrence in renamed if occurrence.declares}
    for occurrence in renamed:
        for other in (*_declared_as(workspace, occurrence, name), *_read_beside(workspace, occurrence, name)):
            if other.thing not in own and (range_ := range_of(workspace, other)):
                where = f"{other.path}:{range_.start.line}"
                raise CannotRename(f'"{name}" is already used at {where}; choose another name')


def _declared_as(workspace: OpenWorkspace, occurrence: Occurrence, name: str) -> Iterator[Occurrence]:
    """The declarations that a declaration would be taken for under a new name."""
    if occurrence.declares:
        forms = ("name", "semantic name", "id") if occurrence.kind in MENU_KINDS else occurrence.forms
        wanted = replace(occurrence, text=renamed_text(occurrence.text, occurrence, name), forms=forms)
        for other in declarations(workspace, wanted):
            if occurrence.kind != "modifier" or set(occurrence.within) & set(other.within):
                yield other


def _read_beside(workspace: OpenWorkspace, occurrence: Occurrence, name: str) -> Iterator[Occurrence]:
    """The variables of macros that would hide a session variable of that name in a condition."""
    is_variable = occurrence.kind == "session variable"
    file = workspace.workspace_file(occurrence.path) if is_variable else None
    for other in occurrences(workspace, file) if file else ():
        is_beside = (other.document, other.steps) == (occurrence.document, occurrence.steps)
        if is_beside and other.kind == "bound variable" and other.text == name:
            yield other


def _require_same_bindings(workspace: OpenWorkspace, renamed: Sequence[Occurrence], name: str) -> None:
    """Every name of a condition still means the same if a variable of a macro has another name. Raises CannotRename."""
    first = renamed[0]
    file = workspace.workspace_file(first.path)
    if first.kind != "bound variable" or file is None:
        return
    document = next(one for one in file.parsed.documents if one.index == first.document)
    text = changed = str(first.steps[-1] if first.at_key else find_value(document.value, first.steps))
    for start, end in sorted((one.chars or (0, 0) for one in renamed), reverse=True):
        changed = changed[:start] + name + changed[end:]
    types = ResolutionContext(workspace, first.path).types
    if _bindings(text, types) != _bindings(changed, types):
        raise CannotRename(f'"{name}" would change what other names of the condition mean; choose another name')


def _bindings(text: str, types: Schema) -> list[tuple[NameKind, object]]:
    """The kind of each name in a condition, and the type or the macro that it belongs to."""
    macros: dict[tuple[str, ...], int] = {}
    names = cel_names(text, types)
    return [
        (word.kind, macros.setdefault(word.within, len(macros)) if word.kind == "bound variable" else word.within)
        for word in names
    ]


def _require_read(workspace: OpenWorkspace, renamed: Sequence[Occurrence]) -> None:
    """Syntax errors do not hide further occurrences. Raises CannotRename."""
    for text in sorted({last_id(one.text) if one.kind in RESOURCE_KINDS else one.text for one in renamed}):
        may_contain, word = content_filter(text), re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        for file in workspace.workspace_files():
            errors = file.parsed.errors if may_contain(file.data) else ()
            broken = next((error for error in errors if error.rule == "syntax-error"), None)
            if broken and _is_hidden(file, word):
                where = f"{file.path}:{file.range(broken.span).start.line}"
                raise CannotRename(f'{where} is a syntax error that hides "{text}"; fix it first')


def _is_hidden(file: WorkspaceFile, word: re.Pattern[str]) -> bool:
    """Whether a word is in a part that was not parsed, outside of comments."""
    text = file.source.text
    spans = [span for document in file.parsed.documents for span in _scalars(document)]
    comments = [match.span() for match in re.finditer(r"(?m)(?:^|(?<=\s))#.*$", text)]
    known = [*((span.start, span.end) for span in spans), *comments]
    return any(not any(start <= at.start() < end for start, end in known) for at in word.finditer(text))


def _scalars(document: Document) -> Iterator[Span]:
    """The ranges of all keys and of all values that are not collections."""
    waiting: list[tuple[Path, Any]] = [((), document.value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            yield from (span for _, span in document.key_spans(path))
            waiting.extend(((*path, key), one) for key, one in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, at), one) for at, one in enumerate(value))
        else:
            yield document.span(path)


def _reserved_by_session(workspace: OpenWorkspace, occurrence: Occurrence) -> str | None:
    """What of its state the session itself calls by a name; None where it does not."""
    if occurrence.kind == "session variable":
        return "the order" if occurrence.text == "order" else "the session" if occurrence.text == "session" else None
    if occurrence.kind != "session field":
        return None
    types = ResolutionContext(workspace, occurrence.path).types
    for variable, fields in SESSION_FIELDS.items():
        root = types.roots.get(variable)
        if root and root.name in occurrence.within and occurrence.text in fields:
            return f"{variable}.{occurrence.text}"
    return _field_of_order(types, occurrence)


def _field_of_order(types: Schema, occurrence: Occurrence) -> str | None:
    """The path of a field in a line of the order, which the session fills."""
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
