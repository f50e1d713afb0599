"""The JSON of bodies and headers: strict, bounded, and refused with a message.

Values of Python take far more memory than their text, so they are counted before they are made. Bodies are read in a
thread where that takes a while: whatever one client sends, the others are answered.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from trialrun.service.error import ServiceError, Status, invalid_argument, service_error

Json = dict[str, Any]
Result = TypeVar("Result")
MAX_VALUES = 200_000
"""Values and keys of a body; a hundred bytes each, and more once they are messages."""
LARGE = 2_000
"""Values of which reading takes a millisecond."""
LARGE_BODY = 16 * 1024
VALUE = re.compile(rb'["\[{,]')
"""What a text begins with, and what comes before a value."""
TEXT_PART = re.compile(rb'(?:[^"\\]{1,65536}+|\\.){1,64}+', re.DOTALL)
"""A part of a text, short enough for other threads not to wait."""
MAX_DIGITS = 1_000


def count_values(value: Any, most: int = MAX_VALUES) -> int:
    """How many values there are in a JSON value, counted up to a number; of a text each kilobyte counts as one."""
    count, waiting = 0, [value]
    while waiting and count < most:
        item = waiting.pop()
        count += 1 + (len(item) >> 10 if isinstance(item, str) else 0)
        if isinstance(item, (dict, list)):
            waiting.extend(item.values() if isinstance(item, dict) else item)
    return count


async def off_loop(work: Callable[..., Result], *arguments: Any, is_large: bool) -> Result:
    """The result of work, done in a thread where it is about much."""
    return await asyncio.to_thread(work, *arguments) if is_large else work(*arguments)


def too_many_values() -> ServiceError:
    """Why a body of too many values is refused."""
    message = f"the body has more than {MAX_VALUES:,} values; send less at once"
    return service_error(Status.INVALID_ARGUMENT, "too-many-values", message)


def object_json(body: bytes) -> Json:
    """The JSON object that a body is; an empty body is an empty object. Raises INVALID_ARGUMENT."""
    content = parse_json(body) if body.strip() else {}
    if not isinstance(content, dict):
        raise invalid_argument("body", "wrong-type", "the body is not a JSON object")
    return content


def parse_json(body: bytes) -> Any:
    """The JSON value of a body. Raises INVALID_ARGUMENT."""
    if sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES and _has_many_values(body):
        raise too_many_values()
    try:
        return DECODER.decode(body.decode(json.detect_encoding(body), "surrogatepass"))
    except (RecursionError, ValueError) as error:  # of the parser, of an encoding, and of a number of too many digits
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        message = f"the body is not valid JSON: {reason}"
        raise service_error(Status.INVALID_ARGUMENT, "invalid-json", message) from error


def _has_many_values(body: bytes) -> bool:
    count = place = 0
    while count <= MAX_VALUES and (found := VALUE.search(body, place)):
        count, place = count + 1, found.end()
        if found[0] == b'"':
            while part := TEXT_PART.match(body, place):
                place = part.end()
            place += 1
    return count > MAX_VALUES


def _float(text: str) -> float:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS:,} digits")
    return float(text)


def _unique_keys(pairs: list[tuple[str, Any]]) -> Json:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f'the key "{twice}" is there twice')
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f'{name} is written as the text "{name}"')


DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_float=_float, parse_constant=_refuse_constant)
