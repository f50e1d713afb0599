"""JSON and other text for programs that is safe to display and to write in UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any

ESCAPED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
    "|\r(?!\n)|(?<=#)#(?=[\\w.-]*\\[)|(?m:^[^\\S\n\x0b-\x1f\x85\u2028\u2029]*:(?=:\\w))"
)
"""Lone surrogates, which UTF-8 cannot encode, and characters that affect terminals or CI logs."""


def json_text(value: Any) -> str:
    """The value on one line; only the characters in `ESCAPED` are escaped."""
    return escape_for_programs(json.dumps(value, ensure_ascii=False))


def escape_for_programs(text: str) -> str:
    """Text for programs with the escapes that JSON, and YAML between double quotes, read back as the same characters.

    Writers of other formats escape by themselves what their readers are to see: this is for what they leave.
    """
    return ESCAPED.sub(lambda match: f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}", text)
