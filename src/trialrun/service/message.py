"""What requests and responses are made of: strict messages whose JSON has the forms of ProtoJSON."""

from __future__ import annotations

import base64
import binascii
import math
import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from trialrun.values import int64, timestamp

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
"""A number as JSON writes it; clients may put it in quotation marks."""
MAX_NUMBER = 1_000
NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Message(BaseModel):
    """A request, a response or a part of one; field names are camelCase, as in JSON."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    def json_object(self) -> dict[str, Any]:
        """The message as JSON writes it, without what is unset."""
        return self.model_dump(mode="json", exclude_none=True)


def build_messages(kind: type[Message] = Message) -> None:
    """Build all messages before threads do at once for first requests, where pydantic 2.11 to 2.13 fail."""
    for message in kind.__subclasses__():
        message.model_rebuild()
        build_messages(message)


def _parse_int64(value: object) -> object:
    if not isinstance(value, (str, float)):
        return value
    if isinstance(value, str) and len(value) > MAX_NUMBER:
        raise ValueError(f"a number of more than {MAX_NUMBER} characters")
    read = int64.check(value)
    if isinstance(read, int64.Integer):
        return read.value
    raise ValueError(read.message if read else "not a number")


def _within_64_bits(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{value} is outside the range of an int64")
    return value


def _parse_double(value: object) -> object:
    if not isinstance(value, str):
        return value
    return float(value) if len(value) <= MAX_NUMBER and NUMBER.fullmatch(value) else NOT_FINITE.get(value, value)


def to_json_number(value: float) -> float | str:
    """A number as JSON has it: NaN and the infinities are words."""
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _parse_base64(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        altchars = b"-_" if set("-_") & set(value) else None
        return base64.b64decode(value + "=" * (-len(value) % 4), altchars=altchars, validate=True)
    except binascii.Error as error:
        raise ValueError("bytes are written in base64") from error


def parse_timestamp(text: str) -> datetime:
    """A time in UTC of its text in RFC 3339, to the microsecond."""
    if len(text) > MAX_NUMBER:
        raise ValueError("not a time in RFC 3339")
    return timestamp.parse(text).to_datetime()


def _parse_timestamp(value: object) -> object:
    if isinstance(value, str):
        return parse_timestamp(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError("no offset from UTC; add a time zone")
    return value.astimezone(UTC) if isinstance(value, datetime) else value


Int64 = Annotated[
    int, BeforeValidator(_parse_int64), AfterValidator(_within_64_bits), PlainSerializer(str, when_used="json")
]
"""A whole number of 64 bits; JSON has it as text."""
Int64Number = Annotated[int, BeforeValidator(_parse_int64), AfterValidator(_within_64_bits)]
"""A whole number of 64 bits; JSON has it as a number."""
Double = Annotated[float, BeforeValidator(_parse_double), PlainSerializer(to_json_number, when_used="json")]
"""A number; JSON has NaN and the infinities as words."""
Base64 = Annotated[
    bytes,
    BeforeValidator(_parse_base64),
    PlainSerializer(lambda value: base64.b64encode(value).decode("ascii"), when_used="json"),
]
"""Bytes; JSON has them in base64."""
Timestamp = Annotated[
    datetime, BeforeValidator(_parse_timestamp), PlainSerializer(timestamp.format_timestamp, when_used="json")
]
"""A time in UTC, to the microsecond; JSON has the Z form."""
