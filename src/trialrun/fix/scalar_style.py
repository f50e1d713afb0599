"""Values as the text of scalars that reads back as exactly the same value."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from trialrun.parser.scalars import read_plain

_unfit = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What may not stand in a line of text: line breaks of YAML 1.1, tabs and what is not printable."""

_no_plain = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@` ]|\.\.\.|.*(?:: | #|[: ]\Z)").match
_other_words = re.compile(r"(?:[yYnN]|<<)\Z").match
_flow_signs = re.compile(r"[,\[\]{}]").search


def rendered(value: Any, style: str, *, in_flow: bool = True) -> str:
    """A value as the text of a scalar in the style of the one it replaces, so that it reads back as the same value.

    A text that its style cannot hold is quoted; literal and folded texts become plain or quoted.
    """
    if isinstance(value, float):
        return _number(value)
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if style in ("double", "json"):
        return double(value)
    if style == "single" and not _unfit.search(value):
        return single(value)
    if style != "single" and is_plain(value, in_flow=in_flow):
        return value
    return quoted(value)


def quoted(text: str) -> str:
    """The text in the quotes that need the fewest escapes."""
    has_escapes = '"' in text or "\\" in text
    return single(text) if has_escapes and not _unfit.search(text) else double(text)


def double(text: str) -> str:
    """The text in double quotes, with escapes that YAML and JSON share."""
    return _unfit.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def single(text: str) -> str:
    """The text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def part_of(text: str, style: str) -> str | None:
    """A text as it stands inside a scalar of a style; None where that style cannot hold it."""
    if style in ("double", "json"):
        return double(text)[1:-1]
    if _unfit.search(text):
        return None
    return text.replace("'", "''") if style == "single" else text


def is_plain(text: str, *, in_flow: bool) -> bool:
    """Whether a text may stand without quotes, and every reader takes it for that text."""
    if not text or _no_plain(text) or _unfit.search(text) or _other_words(text):
        return False
    if in_flow and _flow_signs(text):
        return False
    reading = read_plain(text)
    return reading.value == text and isinstance(reading.value, str) and not reading.is_ambiguous


def _number(value: float) -> str:
    """A float that readers of YAML 1.1 take for one too: with a dot before the exponent."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")
