"""A document as the text of a YAML file in one layout, so that equal documents have equal texts.

Collections are in block style, indented by two spaces; texts of several lines are literal blocks where these keep them,
and other texts have quotes only where they need them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.parser.scalars import format_float, parse_plain_scalar

INDENT = "  "
MAX_SIMPLE_KEY = 500
"""Characters of a key that stands on one line with its value; YAML allows at most 1,024."""


def canonical_yaml(document: Mapping[str, Any]) -> str:
    """The text of a YAML file that has one document, which reads back as exactly the same value."""
    return "".join(f"{line}\n" for line in _block(document))


def _block(value: Any) -> Iterator[str]:
    """The lines of a value, not indented."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _entry(key, inner)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _item(item)
    else:
        yield from _scalar_lines(value)


def _entry(key: str, value: Any) -> Iterator[str]:
    name = key if can_be_plain(key, in_flow=False) else quote(key)
    if len(name) > MAX_SIMPLE_KEY:
        yield f"? {name}"
        name = ""
    if isinstance(value, Mapping | list) and value:
        yield f"{name}:"
        yield from (INDENT + line if line else line for line in _block(value))
    else:
        first, *rest = _scalar_lines(value)
        yield f"{name}: {first}"
        yield from rest


def _item(value: Any) -> Iterator[str]:
    first, *rest = _block(value)
    yield f"- {first}"
    if isinstance(value, Mapping | list):
        yield from (INDENT + line if line else line for line in rest)
    else:
        yield from rest


def _scalar_lines(value: Any) -> list[str]:
    """The lines of a scalar or an empty collection; those of a literal block after the first are indented."""
    if isinstance(value, str):
        return _text_lines(value)
    if isinstance(value, Mapping | list):
        return ["{}" if isinstance(value, Mapping) else "[]"]
    return [render_scalar(value, "plain")]


def _text_lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) == 1 or not _is_literal(lines):
        return [text if can_be_plain(text, in_flow=False) else quote(text)]
    ends_with_line_break = lines[-1] == ""
    content = lines[:-1] if ends_with_line_break else lines
    return ["|" if ends_with_line_break else "|-", *(INDENT + line if line else "" for line in content)]


def _is_literal(lines: list[str]) -> bool:
    """Whether a literal block keeps the lines, and shows all of what they contain."""
    if not lines[0] or lines[0].startswith(" ") or (lines[-1] == "" and lines[-2] == ""):
        return False
    return all(line == line.rstrip() and not needs_escape.search(line) for line in lines)


needs_escape = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
    r"|(?<=#)#(?=[\w.-]*\[)|\A\s*:(?=:\w)"
)
"""What may not be in a line of text: line breaks of YAML 1.1, tabs, and what may control a terminal or a CI system."""

_never_plain = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@` ]|\.\.\.|.*(?:: | #|[: ]\Z)").match
_reserved_words = re.compile(r"(?:[yYnN]|<<)\Z").match
_flow_indicators = re.compile(r"[,\[\]{}]").search


def render_scalar(value: Any, style: str, *, in_flow: bool = True) -> str:
    """A value as the text of a scalar in the style of the one it replaces, so that it reads back as the same value.

    A text that its style cannot hold is quoted; literal and folded texts become plain or quoted.
    """
    if isinstance(value, float):
        return format_float(value)
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if style in ("double", "json"):
        return double_quote(value)
    if style == "single" and not needs_escape.search(value):
        return single_quote(value)
    if style != "single" and can_be_plain(value, in_flow=in_flow):
        return value
    return quote(value)


def quote(text: str) -> str:
    """The text in the quotes that need the fewest escapes."""
    has_escapes = '"' in text or "\\" in text
    return single_quote(text) if has_escapes and not needs_escape.search(text) else double_quote(text)


def double_quote(text: str) -> str:
    """The text in double quotes, with escapes that YAML and JSON share."""
    return needs_escape.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def single_quote(text: str) -> str:
    """The text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def render_fragment(text: str, style: str) -> str | None:
    """A text unchanged inside a scalar of a style; None if that style cannot hold it."""
    if style in ("double", "json"):
        return double_quote(text)[1:-1]
    if needs_escape.search(text):
        return None
    return text.replace("'", "''") if style == "single" else text


def can_be_plain(text: str, *, in_flow: bool) -> bool:
    """Whether a text may stand without quotes, and every reader takes it for that text."""
    if not text or _never_plain(text) or needs_escape.search(text) or _reserved_words(text):
        return False
    if in_flow and _flow_indicators(text):
        return False
    reading = parse_plain_scalar(text)
    return reading.value == text and isinstance(reading.value, str) and not reading.is_ambiguous
