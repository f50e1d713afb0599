"""Formats served values for programs and people."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from trialrun.report.terminal_width import escape_controls, measure_cells

MAX_ITEMS = 6
"""Longer lists are shown by their first items and their length."""
FIRST_ITEMS = 3
ELLIPSIS = "…"


def format_rfc3339(time: datetime) -> str:
    """The time in RFC 3339, in UTC, with 0, 3 or 6 fractional digits."""
    plain = time.astimezone(UTC).replace(tzinfo=None)
    for digits in ("seconds", "milliseconds", "microseconds"):
        text = plain.isoformat(timespec=digits)
        if datetime.fromisoformat(text) == plain:
            break
    return f"{text}Z"


def format_timestamp(time: datetime) -> str:
    """The time for people, without fractions of a second."""
    return format_rfc3339(time.replace(microsecond=0))


def to_json_value(value: object) -> Any:
    """The value as JSON: times in RFC 3339, bytes in base64, NaN and infinities as strings."""
    match value:
        case float() if not math.isfinite(value):
            return _format_non_finite(value)
        case datetime():
            return format_rfc3339(value)
        case bytes():
            return b64encode(value).decode("ascii")
        case list() | tuple():
            return [to_json_value(item) for item in value]
    return value


def format_cell(value: object) -> str:
    """The value as a table cell; a long list by its length only."""
    if isinstance(value, list | tuple) and len(value) > MAX_ITEMS:
        return f"[{len(value):,} values]"
    return format_value(value)


def format_value(value: object) -> str:
    """The value on one line; a long list by its first items and its length."""
    match value:
        case str():
            return escape_controls(value) if value and value.strip() == value else json.dumps(value)
        case bytes():
            return f"{b64encode(value).decode('ascii')} ({len(value)} byte{'' if len(value) == 1 else 's'})".lstrip()
        case list() | tuple():
            return _format_list(value)
    return _format_scalar(value)


def _format_list(items: Sequence[object]) -> str:
    if len(items) <= MAX_ITEMS:
        return f"[{', '.join(map(_format_item, items))}]"
    return f"[{', '.join(map(_format_item, items[:FIRST_ITEMS]))}, {ELLIPSIS} {len(items):,} values]"


def _format_item(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.4g}"
    return escape_controls(json.dumps(value, ensure_ascii=False)) if isinstance(value, str) else _format_scalar(value)


def _format_scalar(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return str(to_json_value(value))


def _format_non_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def truncate(text: str, room: int) -> str:
    """The text in at most `room` cells, with an ellipsis if it is cut."""
    cells = measure_cells(text)
    if cells.width <= room:
        return "".join(cells.texts)
    fitting = (drawn for drawn, right in zip(cells.texts, cells.right, strict=True) if right < room)
    return "".join(fitting).rstrip() + ELLIPSIS
