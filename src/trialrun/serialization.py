"""How JSON has values of features, and what classes of results say of their fields besides the types."""

from __future__ import annotations

import math
from base64 import b64encode
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, GetPydanticSchema, WrapSerializer
from pydantic_core import core_schema

from trialrun.values.timestamp import format_timestamp

FilePath = Annotated[str, Field(description="relative to the working directory, with /")]
LineNumber = Annotated[int, Field(ge=1, description="counted from 1")]

Hidden = Field(exclude=True)
"""Marks a field that JSON does not show."""
Opaque = GetPydanticSchema(lambda source, handler: core_schema.any_schema())
"""Marks a field whose type JSON does not have: it is hidden, or a serializer says what is shown of it."""


def omits(*keys: str) -> WrapSerializer:
    """Marks a class of which JSON has some keys only where they have a value."""
    return WrapSerializer(
        lambda result, dump: {key: value for key, value in dump(result).items() if value or key not in keys}
    )


def json_value(value: object) -> Any:
    """A value of a feature as JSON has it: times in the Z form, bytes in base64, NaN and infinities as words."""
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return [json_value(item) for item in value] if isinstance(value, (list, tuple)) else value
