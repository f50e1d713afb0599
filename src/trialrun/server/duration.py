"""Spans of time as requests have them: `3600s`, as JSON has a google.protobuf.Duration, and in larger units."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)(ms|[smhd])")


def parse_duration(value: object) -> object:
    """The time that a text such as `3600s` or `1.5h` is."""
    if not isinstance(value, str):
        return value
    match = DURATION.fullmatch(value)
    if match is None:
        raise ValueError(f'"{value}" is not a span of time; write seconds, such as 3600s, or 200ms, 90m, 12h, 365d')
    try:
        return timedelta(seconds=float(match[1]) * SECONDS[match[2]])
    except OverflowError as error:
        raise ValueError(f"{value} is longer than time is; take less") from error


def format_duration(value: timedelta) -> str:
    """A span of time in seconds."""
    return f"{value.total_seconds():.6f}".rstrip("0").rstrip(".") + "s"


Duration = Annotated[timedelta, BeforeValidator(parse_duration), PlainSerializer(format_duration, when_used="json")]
