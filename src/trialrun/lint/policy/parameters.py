"""Parameters of policies: their types and defaults, and the values that settings give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from trialrun.lazy_dataclass import dataclass

TYPES: Mapping[str, str] = {
    "int": "a whole number",
    "double": "a number",
    "bool": "true or false",
    "string": "a string",
    "list(string)": "a list of strings",
    "list(int)": "a list of whole numbers",
    "duration": "a duration, such as 90s, 15m, 24h or 1h30m",
}
"""The types of parameters, with what their values are."""
NAME = re.compile(r"[a-z][A-Za-z0-9]*|[a-z](?:_?[a-z0-9])*")
"""A name of a parameter; without `__`, which is in names of ours such as that of `PRESENCE_SUFFIX`."""
MAX_SECONDS = 315_576_000_000
"""The longest duration that the engine takes: 10,000 years."""
MAX_ITEMS = 1_000
"""The most items of a list that is a parameter."""
_DURATION = re.compile(r"(?:([0-9]{1,7})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,7})m)?(?:([0-9]{1,9})s)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a policy, which its expressions read as `parameters.NAME`."""

    name: str
    type: str
    default: Any
    description: str = ""


def value_problem(value: object, type_name: str) -> str | None:
    """What a value of a parameter must be, if it is something else."""
    return None if _is_valid(value, type_name) else f"must be {TYPES[type_name]}"


def _is_valid(value: object, type_name: str) -> bool:
    if type_name.startswith("list("):
        is_list = isinstance(value, list) and len(value) <= MAX_ITEMS
        return is_list and all(_is_valid(item, type_name[5:-1]) for item in value)  # type: ignore[attr-defined]
    if type_name == "duration":
        return isinstance(value, str) and _seconds(value) is not None
    if type_name == "bool":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if type_name == "double":
        return isinstance(value, (int, float)) and abs(value) < 2**63
    if type_name == "int":
        return isinstance(value, int) and -(2**63) <= value < 2**63
    return isinstance(value, str) and _has_no_surrogates(value)


def _has_no_surrogates(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _seconds(text: str) -> int | None:
    match = _DURATION.fullmatch(text.strip())
    if match is None or not text.strip():
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return total if total <= MAX_SECONDS else None


def parameter_values(parameters: tuple[Parameter, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that expressions read as `parameters`: the given ones, else the defaults."""
    from trialrun.values.cel.field_presence import PRESENCE_SUFFIX

    values = {each.name: _value(given.get(each.name, each.default), each.type) for each in parameters}
    return values | {f"{name}{PRESENCE_SUFFIX}": True for name in values}


def _value(value: Any, type_name: str) -> Any:
    """A valid value as the engine takes it."""
    if type_name == "double":
        return float(value)
    if type_name != "duration":
        return value
    from trialrun.values.cel.evaluate import convert_time

    return convert_time(timedelta(seconds=_seconds(value) or 0))
