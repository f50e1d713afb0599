"""Values that are served, for programs and for people."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from trialrun.report.terminal_width import lay_out, visible

MOST_ITEMS = 6
"""A longer list is shown by its first items and their number."""
FIRST_ITEMS = 3
ELLIPSIS = "…"


def z_form(moment: datetime) -> str:
    """The moment in RFC 3339, in UTC, with 0, 3 or 6 fractional digits."""
    plain = moment.astimezone(UTC).replace(tzinfo=None)
    for digits in ("seconds", "milliseconds", "microseconds"):
        text = plain.isoformat(timespec=digits)
        if datetime.fromisoformat(text) == plain:
            break
    return f"{text}Z"


def shown_moment(moment: datetime) -> str:
    """The moment for a person, who does not ask for the parts of a second."""
    return z_form(moment.replace(microsecond=0))


def json_value(value: object) -> Any:
    """The value as JSON has it: times in RFC 3339, bytes in base64, what is no number as a text."""
    match value:
        case float() if not math.isfinite(value):
            return _not_finite(value)
        case datetime():
            return z_form(value)
        case bytes():
            return b64encode(value).decode("ascii")
        case list() | tuple():
            return [json_value(item) for item in value]
    return value


def brief(value: object) -> str:
    """The value as a cell of a table has it: a long list by its length alone."""
    if isinstance(value, list | tuple) and len(value) > MOST_ITEMS:
        return f"[{len(value):,} values]"
    return shown(value)


def shown(value: object) -> str:
    """The value on one line for a person; a long list by its beginning and its length."""
    match value:
        case str():
            return visible(value) if value and value.strip() == value else json.dumps(value)
        case bytes():
            return f"{b64encode(value).decode('ascii')} ({len(value)} byte{'' if len(value) == 1 else 's'})".lstrip()
        case list() | tuple():
            return _list(value)
    return _scalar(value)


def _list(items: Sequence[object]) -> str:
    if len(items) <= MOST_ITEMS:
        return f"[{', '.join(map(_item, items))}]"
    return f"[{', '.join(map(_item, items[:FIRST_ITEMS]))}, {ELLIPSIS} {len(items):,} values]"


def _item(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.4g}"
    return visible(json.dumps(value, ensure_ascii=False)) if isinstance(value, str) else _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return str(json_value(value))


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def cut(text: str, room: int) -> str:
    """The text in at most `room` cells; what is left out is an ellipsis at the end."""
    cells = lay_out(text)
    if cells.width <= room:
        return "".join(cells.shown)
    kept = (drawn for drawn, right in zip(cells.shown, cells.right, strict=True) if right < room)
    return "".join(kept).rstrip() + ELLIPSIS
