"""JSON that is safe to display and to write in UTF-8: problematic characters are escaped."""

from __future__ import annotations

import json
import re
from typing import Any

ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|(?<=#)#(?=[\\w.-]*\\[)")
"""Lone surrogates, which UTF-8 cannot encode, and characters that affect terminals or CI logs."""


def json_text(value: Any) -> str:
    """The value on one line; only the characters in `ESCAPED` are escaped."""
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
