"""Values as JSON that is safe to show and to write in UTF-8: escapes change nothing for a reader of JSON."""

from __future__ import annotations

import json
import re
from typing import Any

ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|(?<=#)#(?=[\\w.-]*\\[)")
"""Lone surrogates, which UTF-8 cannot write, and what would act on a terminal or a CI log that shows the text."""


def json_text(value: Any) -> str:
    """The value on one line; characters are written as themselves, except for those of `ESCAPED`."""
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
