"""Copies a document under another name: its text with all comments, in which only names change."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from trialrun.diagnostic import Path
from trialrun.errors import UsageError
from trialrun.fix.canonical_yaml import render_scalar
from trialrun.model.wrapper import resources
from trialrun.parser import Document, ParsedFile, parse
from trialrun.text import LINE_BREAK, Span
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean

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
