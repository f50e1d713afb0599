"""A first document of a kind: what it needs, and every other field as a comment with its meaning from the model."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trialrun.diagnostic import Path
from trialrun.errors import UsageError
from trialrun.fix.canonical_yaml import render_scalar
from trialrun.model.kinds import model_of
from trialrun.model.node import Node, Resource, field_spec, message_fields
from trialrun.model.wrapper import resources
from trialrun.parser import Document, ParsedFile, parse
from trialrun.templates.examples import DEFAULT_NAMES, Names, example, required_values
from trialrun.text import LINE_BREAK, Span
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean

MAX_WIDTH = 120
MIN_MEANING = 40
"""Characters of a meaning for which there has to be room behind a line."""
INDENT = 2
_sentence_end = re.compile(r"\.(?:\s|\Z)")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a document: `comment_at` is the column of its #, None if it is no comment."""

    indent: int
    text: str
    meaning: str
    comment_at: int | None

    @property
    def code(self) -> str:
        """The line without its meaning."""
        start = self.indent if self.comment_at is None else self.comment_at
        mark = "" if self.comment_at is None else "# "
        return " " * start + mark + " " * (self.indent - start) + self.text

    def render(self) -> str:
        """The line with its meaning: behind it where there is room, or else above it where both are comments."""
        room = MAX_WIDTH - len(self.code) - len("  # ")
        if not self.meaning:
            return self.code
        if len(self.meaning) <= room or room >= MIN_MEANING:
            return f"{self.code}  # {_cut(self.meaning, room)}"
        if self.comment_at is None:
            return self.code
        above = _Line(self.indent, "# ", "", self.comment_at).code
        return f"{above}{_cut(self.meaning, MAX_WIDTH - len(above))}\n{self.code}"


def document_template(kind: str, name: str, names: Names = DEFAULT_NAMES, *, with_comments: bool = True) -> str:
    """The YAML of a sound document of a kind with a name.

    `names` are those that it refers to. Without comments, it has only the fields that it needs.
    """
    model = model_of(kind)
    values = required_values(kind, name, names)
    lines = [_Line(0, f"kind: {kind}", "", None), *_message(model, values, names, 0, None)]
    shown = [line for line in lines if with_comments or line.comment_at is None]
    return "".join(f"{line.render() if with_comments else line.code}\n" for line in shown)


def _message(
    model: type[Node], values: Mapping[str, Any], names: Names, indent: int, comment_at: int | None
) -> Iterator[_Line]:
    """The fields of a message: those with values, then the others as comments."""
    fields = [name for name in model.model_fields if name != "kind" or not issubclass(model, Resource)]
    for name in fields:
        if name in values:
            line = _Line(indent, f"{name}:", _meaning(model, name), comment_at)
            yield from _field(model, line, name, values[name], names)
    for name in fields:
        spec = field_spec(model, name)
        if name not in values and spec.mode != "output only" and not spec.replaced_by:
            above = indent if comment_at is None else comment_at
            line = _Line(indent, f"{name}:", _meaning(model, name, instead_of=values), above)
            yield from _field(model, line, name, None, names)


def _field(model: type[Node], line: _Line, name: str, value: Any, names: Names) -> Iterator[_Line]:
    """A field with its value, or with an example where it has none; `line` is the one of its key."""
    messages = {field: (is_list, part) for field, is_list, part in message_fields(model)}
    if name not in messages:
        yield from _value(line, example(model, name, names) if value is None else value)
        return
    is_list, part = messages[name]
    if not part.model_fields:
        yield replace(line, text=f"{line.text} {{}}")
        return
    yield line
    for item in (value or [{}]) if is_list else [value or {}]:
        first, *rest = _message(part, item, names, line.indent + INDENT * (1 + is_list), line.comment_at)
        yield replace(first, indent=first.indent - INDENT, text=f"- {first.text}") if is_list else first
        yield from rest


def _value(line: _Line, value: Any) -> Iterator[_Line]:
    """A key with a value that is no message: on its line if there is room."""
    on_line = replace(line, text=f"{line.text} {_flow(value, is_top=True)}")
    if isinstance(value, str) and "\n" in value:
        yield replace(line, text=f"{line.text} |")
        yield from (_Line(line.indent + INDENT, row, "", line.comment_at) for row in value.splitlines())
    elif isinstance(value, Mapping) and len(on_line.code) > MAX_WIDTH:
        yield line
        for key, inner in value.items():
            yield from _value(_Line(line.indent + INDENT, f"{key}:", "", line.comment_at), inner)
    else:
        yield on_line


def _flow(value: Any, *, is_top: bool = False) -> str:
    """A value on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_flow(key)}: {_flow(inner)}' for key, inner in value.items())}}}"
    return render_scalar(value, "plain", in_flow=not is_top)


def _meaning(model: type[Node], name: str, *, instead_of: Mapping[str, Any] | None = None) -> str:
    """The first sentence of what the model says of a field, and which one it would replace, of those with values."""
    text = model.model_fields[name].description or ""
    end = _sentence_end.search(text)
    sentence = text[: end.start()] if end else text
    if instead_of is None:
        return sentence
    members = next((members for members in model.unions.values() if name in members), (name,))
    other = next((member for member in members if member in instead_of), members[0])
    return sentence if other == name else f"instead of {other}: {sentence}"


def _cut(text: str, width: int) -> str:
    """A text cut to a width, at a word if that leaves most of it."""
    if len(text) <= width:
        return text
    start = text[: width - 1]
    words = start.rpartition(" ")[0].rstrip(" ,;:")
    return (words if len(words) > width // 2 else start) + "…"


_marker = re.compile(r"---(?:[ \t]*(?:\r\n|\n|\r)|[ \t]+(?=#)|\Z)")
_end_marker = re.compile(r"(?m)^\.\.\.[ \t]*(?:\r\n|\n|\r|\Z)")
MAX_LISTED = 10


@dataclass(frozen=True, slots=True)
class _Original:
    """The document to copy: a resource of a file, at a path of one of its documents."""

    tree: ParsedFile
    document: Document
    path: Path
    value: Any


def copy_document(data: bytes, file: str, kind: str, name: str, *, original: str | None = None) -> str:
    """The text of the document of a kind in a file, or of the one called `original`, under another name.

    A resource name keeps all but its end, unless `name` has a slash; names of parts that begin with it change along.
    Raises UsageError where there is no such document, or more than one, or where its text cannot be taken over.
    """
    source = _find(parse(data, file), file, kind, original)
    old = source.value.get("name")
    if not isinstance(old, str) or not old:
        raise UsageError(f"{file}: the {kind} has no name that could be changed; give it one")
    new = f"{old.rpartition('/')[0]}/{name}" if "/" in old and "/" not in name else name
    text = _own_text(source, _renamed_text(source, old, new))
    values = [document.value for document in parse(text.encode("utf-8", "surrogatepass"), file).documents]
    if values != [_renamed_value(source.value, old, new)]:
        raise UsageError(f"{file}: the {kind} cannot be copied alone, since it shares text with others; copy the file")
    return text


def _find(tree: ParsedFile, file: str, kind: str, original: str | None) -> _Original:
    if tree.errors:
        raise UsageError(f"{file} cannot be copied: {tree.errors[0].message}")
    every = [
        (found, _Original(tree, document, path, value))
        for document in tree.documents
        for found, path, value in resources(document.value)
    ]
    ours = [each for found, each in every if found == kind]
    if not ours:
        others = ", ".join(sorted({found for found, _ in every})) or "no document of ours"
        raise UsageError(f"{file} has no {kind}; it has {others}")
    names = [last_id(str(each.value.get("name"))) for each in ours]
    if original is not None:
        ours = [each for each in ours if is_same_resource(str(each.value.get("name")), original)]
    if not ours:
        suggestion = did_you_mean(original or "", names)
        raise UsageError(f'{file} has no {kind} "{original}"{suggestion}; it has {_list(names)}')
    if len(ours) > 1:
        raise UsageError(f"{file} has several of kind {kind}: {_list(names)}; name one, as in --from {file}#{names[0]}")
    return ours[0]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_LISTED]) + (", …" if len(names) > MAX_LISTED else "")


def _renamed(text: str, old: str, new: str) -> str | None:
    """A name of the document or of a part of it, under the new name; None for any other."""
    if text == old:
        return new
    return new + text[len(old) :] if "/" in old and text.startswith(old + "/") else None


def _names(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text below a key `name`, with its path."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == "name" and isinstance(inner, str):
            yield (*path, key), inner
        else:
            yield from _names(inner, (*path, key))


def _changes(value: Any, old: str, new: str) -> dict[Path, str]:
    """The new names by their paths: that of the document, and those of parts that begin with it."""
    found = {path: changed for path, text in _names(value) if (changed := _renamed(text, old, new)) is not None}
    return {path: changed for path, changed in found.items() if len(path) == 1 or changed != new}


def _renamed_value(value: Any, old: str, new: str) -> Any:
    result = copy.deepcopy(value)
    for path, changed in _changes(value, old, new).items():
        holder = result
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = changed
    return result


def _renamed_text(source: _Original, old: str, new: str) -> list[tuple[Span, str]]:
    """The edits of the names, from the last to the first."""
    edits = []
    for path, changed in _changes(source.value, old, new).items():
        whole = (*source.path, *path)
        edits.append((source.document.span(whole), render_scalar(changed, source.document.style(whole))))
    return sorted(edits, reverse=True)


def _own_text(source: _Original, edits: Sequence[tuple[Span, str]]) -> str:
    """The text of the document alone, with edits."""
    text = source.tree.source.text
    span = source.document.span(source.path) if source.path else source.document.full_span
    start, end = (0, len(text)) if len(source.tree.documents) == 1 and not source.path else (span.start, span.end)
    for place, new in edits:
        if start <= place.start and place.end <= end:
            text = text[: place.start] + new + text[place.end :]
            end += len(new) - (place.end - place.start)
    column = source.tree.source.position(start).column - 1
    own = text[start:end]
    if source.path:
        # the lines after the first are moved left by as much
        first, *rest = LINE_BREAK.split(own)
        own = "\n".join([first, *(line[column:] if not line[:column].strip(" ") else line for line in rest)])
    elif len(source.tree.documents) > 1:
        own = _end_marker.sub("", _marker.sub("", own, count=1) if _marker.match(own) else own)
    return own if own.endswith(("\n", "\r")) else own + "\n"
