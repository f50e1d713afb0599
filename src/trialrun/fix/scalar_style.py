"""Values as the text of scalars that reads back as exactly the same value."""

from __future__ import annotations

import json
import re
from typing import Any

from trialrun.parser.scalars import format_float, parse_plain_scalar

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
