"""Add a missing required field with a placeholder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from trialrun.diagnostic import Path, Range, TextEdit, json_pointer
from trialrun.lsp.results import CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.misfit import MissingField
    from trialrun.model.node import Node
    from trialrun.parser import Document
    from trialrun.workspace.open_workspace import WorkspaceFile


def add_missing_fields(file: WorkspaceFile, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    """The fields that a finding misses, each with the value that a person writes over."""
    from trialrun.model.misfit import MissingField

    if diagnostic.rule != "missing-field":
        return
    for part in file.resources:
        for misfit in part.model.misfits:
            is_it = (
                isinstance(misfit, MissingField) and not misfit.is_present and f'"{misfit.name}"' in diagnostic.message
            )
            if is_it and part.document.index == diagnostic.document and json_pointer(misfit.path) == diagnostic.pointer:
                assert isinstance(misfit, MissingField)
                yield from _added(file, part.document, misfit, diagnostic)


def _added(
    file: WorkspaceFile, document: Document, misfit: MissingField, diagnostic: Diagnostic
) -> Iterator[CodeAction]:
    from trialrun.lint.positions import find_value

    holder = find_value(document.value, misfit.path)
    if not isinstance(holder, dict) or misfit.name in holder or document.is_aliased(misfit.path):
        return
    value = _stand_in(misfit.model, misfit.name, document, misfit.path)
    edit = None if value is None else _edit(file, document, misfit.path, misfit.name, value)
    if edit is not None and _reads(file, document, misfit, edit, value):
        title = f"add {misfit.name} with a placeholder"
        shown = _format_value(value, is_json=True).strip('[]"')
        yield CodeAction(
            title, "quickfix", (FileEdits(file.path, (edit,)),), (diagnostic.fingerprint,), placeholder=shown
        )


def _stand_in(model: type[Node], name: str, document: Document, path: Path) -> Any:
    """A value of the field's type that says that it is none yet; None for a message, which nobody can guess."""
    annotation = model.model_fields[name].annotation
    (kind, *_) = [argument for argument in get_args(annotation) or (annotation,) if argument is not type(None)]
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return next((argument for argument in get_args(kind) if not str(argument).endswith("_UNSPECIFIED")), None)
    if kind is str:
        return f"<{name}>"
    if get_origin(kind) is list and get_args(kind)[0] is str:
        return [f"<{name}>"]
    return _free_number(name, document, path) if kind is int else None


def _free_number(name: str, document: Document, path: Path) -> int:
    """The first number that no message of the same list has."""
    from trialrun.lint.positions import find_value

    others = find_value(document.value, path[:-1]) if path else None
    taken = {other.get(name) for other in others if isinstance(other, dict)} if isinstance(others, list) else set()
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _edit(file: WorkspaceFile, document: Document, path: Path, name: str, value: Any) -> TextEdit | None:
    """The field before the first one of its message, in the style of that."""
    style = document.style(path)
    whole, first = document.span(path), document.first_key_span(path)
    text = file.source.text
    if first == whole:  # an empty mapping between braces
        start, after = whole.start + 1, ""
    else:
        start, after = first.start, ", "
    line = text.rfind("\n", 0, start) + 1
    if style == "block":
        after = ("\r\n" if "\r\n" in text else "\n") + " " * (start - line)
        if text[line:start].strip(" -?"):
            return None
    key = json.dumps(name) if style == "json" or text.startswith('"', first.start) else name
    place = file.source.position(start)
    return TextEdit(Range(place, place), f"{key}: {_format_value(value, is_json=style == 'json')}{after}")


def _format_value(value: Any, *, is_json: bool) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_format_value(one, is_json=is_json) for one in value)}]"
    return json.dumps(value) if is_json or not isinstance(value, str) else value


def _reads(file: WorkspaceFile, document: Document, misfit: MissingField, edit: TextEdit, value: Any) -> bool:
    """Whether the text says the same as before, with the field."""
    from trialrun.lint.positions import find_value
    from trialrun.lsp.symbols.edit import apply_edits
    from trialrun.parser import parse

    tree = parse(apply_edits(file.source, [edit]).encode("utf-8", "surrogatepass"), file.path)
    if len(tree.documents) != len(file.parsed.documents) or len(tree.errors) != len(file.parsed.errors):
        return False
    at = file.parsed.documents.index(document)
    holder = find_value(tree.documents[at].value, misfit.path)
    if not isinstance(holder, dict) or holder.get(misfit.name) != value:
        return False
    rest = [_without(one.value, misfit if number == at else None) for number, one in enumerate(tree.documents)]
    return rest == [document.value for document in file.parsed.documents]


def _without(value: Any, misfit: MissingField | None) -> Any:
    """A value without the field, as a copy along the way to it: trees are shared."""
    from trialrun.diagnostic import Remove, SymbolicLocation
    from trialrun.fix.expected_value import apply_to_value

    if misfit is None:
        return value
    path = (*misfit.path, misfit.name)
    return apply_to_value(value, [(Remove(SymbolicLocation(None, path)), path)])
