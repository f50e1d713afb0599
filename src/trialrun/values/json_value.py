"""Values of features as JSON has them."""

from __future__ import annotations

import math
from base64 import b64encode
from datetime import datetime
from typing import Any

from trialrun.values.timestamp import format_timestamp


def json_value(value: object) -> Any:
    """A value as JSON has it: times in the Z form, bytes in base64, NaN and infinities as words."""
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return [json_value(item) for item in value] if isinstance(value, (list, tuple)) else value
