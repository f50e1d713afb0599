"""Moments, values and names as a scenario writes and shows them."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trialrun.model.suggest import nearest
from trialrun.values import timestamp
from trialrun.values.timestamp import Timestamp

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LONGEST_LIST = 8
"""The items of a list that are shown; vectors have hundreds."""


class NoTime(ValueError):
    """A text is no RFC 3339 time; the message says why."""


def moment(text: str) -> datetime:
    """The moment of an RFC 3339 text, to the microsecond. Raises NoTime."""
    try:
        read = timestamp.parse(text)
    except ValueError as error:
        raise NoTime(str(error)) from error
    return EPOCH + timedelta(seconds=read.seconds, microseconds=read.nanos // 1000)


def moment_text(when: datetime) -> str:
    """A moment in the Z form of RFC 3339."""
    since = when - EPOCH
    return str(Timestamp(since.days * 86400 + since.seconds, since.microseconds * 1000))


def local_text(when: datetime) -> str:
    """A moment with the offset that it carries."""
    return when.isoformat().replace("+00:00", "Z")


def value_text(value: object) -> str:
    """A value as a person reads it in a scenario; long lists are cut, and say how long they are."""
    if isinstance(value, (list, tuple)) and len(value) > LONGEST_LIST:
        first = ", ".join(map(_json, value[:LONGEST_LIST]))
        return f"[{first}, … {len(value)} items]"
    return _json(value)


def values_text(values: Mapping[str, object]) -> str:
    """Values by feature, as a scenario writes them."""
    return "{" + ", ".join(f"{name}: {value_text(value)}" for name, value in values.items()) + "}"


def number_text(number: float) -> str:
    """A number in nine digits, without an exponent where it is small: `0.000001`."""
    return f"{number:.9f}".rstrip("0").rstrip(".") if 1e-9 <= abs(number) < 1 else f"{number + 0.0:.9g}"


def id_text(parts: Sequence[object]) -> str:
    """An entity id: its one part, or all of several."""
    return value_text(parts[0]) if len(parts) == 1 else value_text(list(parts))


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean "…"?` where one name is plainly meant, else nothing."""
    near = nearest(name, list(dict.fromkeys(names)), close=0.6)
    return f'; did you mean "{near}"?' if near else ""


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


def plain(value: object) -> Any:
    """A value as JSON has it: times in the Z form, bytes in base64, NaN and infinities as texts."""
    if isinstance(value, datetime):
        return moment_text(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value
