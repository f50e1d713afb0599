"""Edits that rename occurrences or an anchor in a file: minimal, and verified by parsing the result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from trialrun.diagnostic import Chars, Fix, Path, Rename, Replace, SymbolicLocation, TextEdit
from trialrun.fix import Unfixable, resolve_fix
from trialrun.fix.expected_value import apply_to_value, are_equal
from trialrun.fix.text_lines import splice
from trialrun.lint.positions import find_value
from trialrun.lsp.results import CannotRename, Location
from trialrun.lsp.symbols.occurrence import RESOURCE_KINDS, Embedding, Occurrence
from trialrun.parser import Document, parse
from trialrun.parser.anchors import Anchor, anchors
from trialrun.text import Edit, Source, Span
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
    edits: dict[TextEdit, None] = {}
    operations: list[list[Operation]] = []
    for document in file.parsed.documents:
        here = [occurrence for occurrence in occurrences if occurrence.document == document.index]
        made_here = [_operation(document, some, name) for some in _by_scalar(here)]
        operations.append([operation for some in made_here for operation in some])
        for some in made_here:
            edits.update(dict.fromkeys(_edits(file, document, some)))
    sorted_edits = tuple(sorted(edits, key=lambda edit: edit.range))
    text = apply_edits(file.source, sorted_edits)
    if not _reads(file, operations, text):
        if any(error.rule == "syntax-error" for error in file.parsed.errors):
            raise CannotRename(f"{file.path} has a syntax error near the name; fix it first")
        raise CannotRename(f"in {file.path} an alias would change another value too; write its value out first")
    return sorted_edits


def apply_edits(source: Source, edits: Iterable[TextEdit]) -> str:
    """A text after edits that do not overlap."""
    spans = ((source.offset(edit.range.start), source.offset(edit.range.end), edit.text) for edit in edits)
    return splice(source.text, [Edit(Span(start, end), text) for start, end, text in spans])


def _by_scalar(occurrences: Iterable[Occurrence]) -> Iterable[list[Occurrence]]:
    """Occurrences grouped by value or key, in text order."""
    occurrences_by_file: dict[tuple[Path, bool], list[Occurrence]] = {}
    for occurrence in occurrences:
        occurrences_by_file.setdefault((occurrence.steps, occurrence.at_key), []).append(occurrence)
    return [sorted(some, key=lambda one: one.chars or (0, 0)) for some in occurrences_by_file.values()]


def _operation(document: Document, occurrences: Sequence[Occurrence], name: str) -> list[Operation]:
    """The operations that rename in one value or key; one for each occurrence if possible."""
    steps, at_key = occurrences[0].steps, occurrences[0].at_key
    changes = [
        (_chars(occurrence), encode_name(name, occurrence.embeddings)) for occurrence in dict.fromkeys(occurrences)
    ]
    place = SymbolicLocation(None, steps)
    if at_key:
        old = str(steps[-1])
        return [Rename(place, _changed(old, changes))] if len(changes) > 1 else [_key(place, *changes[0], old)]
    if len(changes) == 1 or document.style(steps) in ("literal", "folded"):
        return [Replace(place, text, chars) for chars, text in changes]
    value = _value(document, steps)
    inside = document.scalar_spans(steps, [chars or (0, 0) for chars, _ in changes])
    if document.span(steps) in inside:
        return [Replace(place, _changed(value, changes))]
    return [Replace(place, text, chars) for chars, text in changes]


def _key(place: SymbolicLocation, chars: Chars | None, text: str, old: str) -> Rename:
    return Rename(place, text, None if chars in (None, (0, len(old))) else chars)


def _value(document: Document, steps: Path) -> str:
    return str(find_value(document.value, steps))


def _changed(text: str, changes: Sequence[tuple[Chars | None, str]]) -> str:
    for chars, new in reversed(changes):
        start, end = chars or (0, len(text))
        text = text[:start] + new + text[end:]
    return text


def _chars(occurrence: Occurrence) -> Chars | None:
    """The characters to replace; None for the whole text."""
    start = replaced_start(occurrence)
    return (start, len(occurrence.text)) if start else occurrence.chars


def _edits(file: WorkspaceFile, document: Document, operations: Sequence[Operation]) -> Iterator[TextEdit]:
    """The edits in one value or key; none at an alias, since its anchor is edited."""
    if document.is_aliased(operations[0].location.path):
        return
    fix = Fix("", tuple(operations))
    resolved = resolve_fix(fix, source=file.source, document=document, find_path=_path, verify=False)
    if isinstance(resolved, Unfixable):
        raise CannotRename(f"{file.path} cannot be edited: {resolved.reason}")
    yield from resolved.edits


def _path(place: SymbolicLocation) -> Path:
    return place.path


def _reads(file: WorkspaceFile, operations: Sequence[Sequence[Operation]], text: str) -> bool:
    """Whether a text parses to the same values, apart from the renamed occurrences."""
    tree = parse(text.encode("utf-8", "surrogatepass"), file.path)
    wanted = [
        apply_to_value(document.value, [(operation, operation.location.path) for operation in some])
        for document, some in zip(file.parsed.documents, operations, strict=True)
    ]
    is_as_broken = len(tree.errors) == len(file.parsed.errors)
    return is_as_broken and are_equal([document.value for document in tree.documents], wanted)


_in_script = re.compile(r'[;#",:=\\\x00-\x1f]|^\s|\s$|^\d')


_in_cell = re.compile(r";|\s/\s|:\s|:$|[\r\n]|^-$")


_in_path = re.compile(r"[\[\]\"']|^\d+$|^priority ")


_escaped = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


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
    return "".join(_escaped.get(character, character) for character in text)


_anchor_name = re.compile(r"[0-9A-Za-z_-]+")


def anchor_at(file: WorkspaceFile | None, offset: int) -> tuple[Document, Anchor, Span] | None:
    """The anchor at an offset, at its definition or an alias: its document, the anchor, and the range of the name."""
    for document in file.parsed.documents if file else ():
        if not document.full_span.start <= offset <= document.full_span.end:
            continue
        for anchor in anchors(document):
            for span in (anchor.span, *anchor.aliases):
                if span.start - 1 <= offset <= span.end:
                    return document, anchor, span
    return None


def anchor_locations(file: WorkspaceFile, anchor: Anchor, *, with_declaration: bool = True) -> tuple[Location, ...]:
    """The locations of an anchor and its aliases, in order."""
    spans = (anchor.span, *anchor.aliases) if with_declaration else anchor.aliases
    return tuple(Location(file.path, file.range(span)) for span in spans)


def rename_anchor(file: WorkspaceFile, document: Document, anchor: Anchor, name: str) -> tuple[TextEdit, ...]:
    """The edits that rename an anchor. Raises CannotRename."""
    if not _anchor_name.fullmatch(name):
        raise CannotRename(f'"{name}" is not a valid anchor name; use letters, digits, - and _')
    if name == anchor.name:
        return ()
    if any(anchor.name == name for anchor in anchors(document)):
        raise CannotRename(f'this document already has an anchor "{name}"; choose another name')
    edits = tuple(TextEdit(place.range, name) for place in anchor_locations(file, anchor))
    tree = parse(apply_edits(file.source, edits).encode("utf-8", "surrogatepass"), file.path)
    before = file.parsed
    same = [document.value for document in tree.documents] == [document.value for document in before.documents]
    if not same or len(tree.errors) != len(before.errors):
        raise CannotRename(f'"{name}" would change the meaning of the document; choose another name')
    return edits
