"""Descriptions of the types of a SessionSchema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code, plain

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import ValueLocation

SCALARS = {
    "string": "a text",
    "int": "a whole number of 64 bits",
    "uint": "a whole number from 0 up, of 64 bits",
    "double": "a number with a fraction",
    "bool": "true or false",
    "bytes": "bytes",
    "timestamp": "a moment",
    "duration": "a duration",
    "dyn": "any type; not type-checked",
}
OF_OTHERS = {
    "list": "list(T): elements of one type",
    "map": "map(K, V): values by their keys",
    "enum": "enum(a, b): a text that is one of these",
}


def schema_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The type under the cursor in a type text; at the key of a field or variable, its type and comment."""
    if place.text:
        yield from _of_type_text(place)
    elif place.spot.is_key and isinstance(place.value, str):
        from trialrun.lsp.describe.comment import trailing_comment

        file = place.workspace.workspace_file(place.path)
        position = file.source.position(place.spot.span.start) if file else None
        remark = trailing_comment(file, position.line) if file and position else ""
        name = ".".join(str(step) for step in place.way[len(place.part.root) + 1 :])
        yield f"{code(name)}: {code(place.value)}{f', {plain(remark)}' if remark else ''}"


def _of_type_text(place: ValueLocation) -> Iterator[str]:
    """The type at the cursor inside of a type text: a scalar, or a message with its fields."""
    word = next(
        (match for match in re.finditer(r"\w+", place.text) if match.start() <= place.character < match.end()), None
    )
    if word is None:
        return
    types = getattr(place.part.model.node, "types", None) or {}
    if word[0] in types:
        fields = ", ".join(f"{code(name)} {plain(text)}" for name, text in types[word[0]].items())
        yield f"{code(word[0])}: a type of this schema"
        yield f"Fields: {fields}" if fields else "It has no fields."
    elif word[0] in SCALARS:
        yield f"{code(word[0])}: {SCALARS[word[0]]}"
    elif word[0] in OF_OTHERS:
        yield code(OF_OTHERS[word[0]].partition(":")[0]) + ":" + OF_OTHERS[word[0]].partition(":")[2]
    if place.text.rstrip().endswith("?"):
        yield "With `?` the value may be absent."
