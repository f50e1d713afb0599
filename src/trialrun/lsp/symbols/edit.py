"""Edits that rename occurrences or an anchor in a file: minimal, and verified by parsing the result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trialrun.diagnostic import Chars, Fix, Path, Rename, Replace, SymbolicLocation, TextEdit
from trialrun.fix import Unfixable, resolve_fix
from trialrun.fix.expected_value import apply_to_value, are_equal
from trialrun.fix.target import splice
from trialrun.lint.positions import find_value
from trialrun.lsp.results import CannotRename
from trialrun.lsp.symbols.occurrence import RESOURCE_KINDS, Embedding, Occurrence
from trialrun.parser import Document, ParsedFile, parse
from trialrun.parser.spans import Anchor, anchors
from trialrun.terraform import ModuleFile
from trialrun.text import Edit, Span
from trialrun.workspace.open_workspace import WorkspaceFile

Operation = Replace | Rename


def renamed_text(text: str, occurrence: Occurrence, name: str) -> str:
    """The text of an occurrence after a rename; in a resource name, only the id at its end changes."""
    return text[: replaced_start(occurrence)] + name


def replaced_start(occurrence: Occurrence) -> int:
    """The start of the replaced part of an occurrence: in a resource name, the id at its end."""
    return occurrence.text.rfind("/") + 1 if occurrence.kind in RESOURCE_KINDS else 0


def rename_edits(file: WorkspaceFile, occurrences: Sequence[Occurrence], name: str) -> tuple[TextEdit, ...]:
    """The edits that rename occurrences in one file, after which only these have changed. Raises CannotRename."""
    edits: set[TextEdit] = set()
    wanted: list[Any] = []
    for document in file.parsed.documents:
        by_scalar: dict[tuple[Path, bool], list[Occurrence]] = {}
        for one in occurrences:
            if one.document == document.index:
                by_scalar.setdefault((one.steps, one.at_key), []).append(one)
        operations = [_operations(document, some, name) for some in by_scalar.values()]
        for some in operations:
            edits.update(_edits(file, document, some))
        changes = [(operation, operation.location.path) for some in operations for operation in some]
        wanted.append(apply_to_value(document.value, changes))
    sorted_edits = tuple(sorted(edits, key=lambda edit: edit.range))
    tree = parse_edited(file, sorted_edits)
    is_as_broken = len(tree.errors) == len(file.parsed.errors)
    if not is_as_broken or not are_equal([document.value for document in tree.documents], wanted):
        if any(error.rule == "syntax-error" for error in file.parsed.errors):
            raise CannotRename(f"{file.path} has a syntax error near the name; fix it first")
        raise CannotRename(f"in {file.path} an alias would change another value too; write its value out first")
    return sorted_edits


def parse_edited(file: WorkspaceFile, edits: Iterable[TextEdit]) -> ParsedFile:
    """A file after edits that do not overlap, parsed again."""
    source = file.source
    spans = (Edit(Span(source.offset(edit.range.start), source.offset(edit.range.end)), edit.text) for edit in edits)
    data = splice(source.text, list(spans)).encode("utf-8", "surrogatepass")
    return parse(ModuleFile.of(data, source.siblings), file.path)


def _operations(document: Document, occurrences: Sequence[Occurrence], name: str) -> list[Operation]:
    """The operations that rename in one value or key; one for each occurrence if possible."""
    steps, at_key = occurrences[0].steps, occurrences[0].at_key
    changes: list[tuple[Chars | None, str]] = []
    for one in dict.fromkeys(sorted(occurrences, key=lambda one: one.chars or (0, 0))):
        start = replaced_start(one)
        changes.append(((start, len(one.text)) if start else one.chars, encode_name(name, one.embeddings)))
    place = SymbolicLocation(None, steps)
    if at_key:
        old, ((chars, text), *more) = str(steps[-1]), changes
        if more:
            return [Rename(place, _changed(old, changes))]
        return [Rename(place, text, None if chars in (None, (0, len(old))) else chars)]
    if len(changes) > 1 and document.style(steps) not in ("literal", "folded"):
        inside = document.scalar_spans(steps, [chars or (0, 0) for chars, _ in changes])
        if document.span(steps) in inside:
            return [Replace(place, _changed(str(find_value(document.value, steps)), changes))]
    return [Replace(place, text, chars) for chars, text in changes]


def _changed(text: str, changes: Sequence[tuple[Chars | None, str]]) -> str:
    for chars, new in reversed(changes):
        start, end = chars or (0, len(text))
        text = text[:start] + new + text[end:]
    return text


def _edits(file: WorkspaceFile, document: Document, operations: Sequence[Operation]) -> Iterator[TextEdit]:
    """The edits in one value or key; none at an alias, since its anchor is edited."""
    if not document.is_aliased(operations[0].location.path):
        fix = Fix("", tuple(operations))
        resolved = resolve_fix(
            fix, source=file.source, document=document, find_path=lambda place: place.path, verify=False
        )
        if isinstance(resolved, Unfixable):
            raise CannotRename(f"{file.path} cannot be edited: {resolved.reason}")
        yield from resolved.edits


_in_script = re.compile(r'[;#",:=\\\x00-\x1f]|^\s|\s$|^\d')
_in_cell = re.compile(r";|\s/\s|:\s|:$|[\r\n]|^-$")
_in_path = re.compile(r"[\[\]\"']|^\d+$|^priority ")
_escaped = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})


def encode_name(name: str, embeddings: Sequence[Embedding]) -> str:
    """A name as the surrounding texts spell it, innermost first. Raises CannotRename if it cannot be spelled."""
    text = name
    for layer in embeddings:
        text = _in_layer(text, layer)
    return text


def _in_layer(text: str, layer: Embedding) -> str:
    match layer:
        case "script":
            return json.dumps(text, ensure_ascii=False) if _in_script.search(text) else text
        case "quoted":
            return json.dumps(text, ensure_ascii=False)[1:-1]
        case "cell":
            return _refused(_in_cell, text, "a cell of a table").replace("|", "\\|")
        case "path":
            return _refused(_in_path, text, "the path of a field")
    return _in_condition(text, layer.removeprefix("cel "))


def _refused(wrong: re.Pattern[str], text: str, where: str) -> str:
    if wrong.search(text):
        quoted = text if text.startswith('"') else f'"{text}"'
        raise CannotRename(f"{quoted} cannot be written in {where}; choose another name")
    return text


def _in_condition(text: str, opened: str) -> str:
    """A name within the quotes of a CEL literal; raw literals have no escapes."""
    quote = opened.lstrip("rR")
    if quote != opened:
        return _refused(re.compile(rf"{quote[0]}|[\r\n]|\\$"), text, "the raw text of a condition")
    text = text.replace("\\", "\\\\").replace(quote[0], f"\\{quote[0]}")
    return text.translate(_escaped)


_anchor_name = re.compile(r"[0-9A-Za-z_-]+")


def anchor_at(file: WorkspaceFile | None, offset: int) -> tuple[Document, Anchor, Span] | None:
    """The anchor at an offset, at its definition or an alias: its document, the anchor, and the range of the name."""
    for document in file.parsed.documents if file else ():
        if not document.full_span.start <= offset <= document.full_span.end:
            continue
        for anchor in anchors(document.source_slice):
            for span in (anchor.span, *anchor.aliases):
                if span.start - 1 <= offset <= span.end:
                    return document, anchor, span
    return None


def rename_anchor(file: WorkspaceFile, document: Document, anchor: Anchor, name: str) -> tuple[TextEdit, ...]:
    """The edits that rename an anchor. Raises CannotRename."""
    if not _anchor_name.fullmatch(name):
        raise CannotRename(f'"{name}" is not a valid anchor name; use letters, digits, - and _')
    if name == anchor.name:
        return ()
    if any(anchor.name == name for anchor in anchors(document.source_slice)):
        raise CannotRename(f'this document already has an anchor "{name}"; choose another name')
    edits = tuple(TextEdit(file.range(span), name) for span in (anchor.span, *anchor.aliases))
    tree, before = parse_edited(file, edits), file.parsed
    same = [document.value for document in tree.documents] == [document.value for document in before.documents]
    if not same or len(tree.errors) != len(before.errors):
        raise CannotRename(f'"{name}" would change the meaning of the document; choose another name')
    return edits
