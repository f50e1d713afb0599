"""Encoding of a name in an embedded text: a condition, a script, a table cell, a field path."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from trialrun.lsp.results import CannotRename

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.lsp.symbols.occurrence import Embedding

_in_script = re.compile(r'[;#",:=\\\x00-\x1f]|^\s|\s$|^\d')
_in_cell = re.compile(r";|\s/\s|:\s|:$|[\r\n]|^-$")
_in_path = re.compile(r"[\[\]\"']|^\d+$|^priority ")
_escaped = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def encode_name(name: str, embeddings: Sequence[Embedding]) -> str:
    """A name as the texts around it write it, from the innermost on. Raises CannotRename where one cannot."""
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
        raise CannotRename(f"{quoted} cannot be written in {where}; write another name")
    return text


def _in_condition(text: str, opened: str) -> str:
    """A name within the quotes of a literal; a raw one has no escapes."""
    quote = opened.lstrip("rR")
    if quote != opened:
        return _refused(re.compile(rf"{quote[0]}|[\r\n]|\\$"), text, "the raw text of a condition")
    text = text.replace("\\", "\\\\").replace(quote[0], f"\\{quote[0]}")
    return "".join(_escaped.get(character, character) for character in text)
