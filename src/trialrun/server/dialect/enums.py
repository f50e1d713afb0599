"""Enum values that clients send as numbers: their names, in the public order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from trialrun.model.feature_view import DistanceMeasureType, ServiceAgentType
from trialrun.runtime.feature_view.index.interface import Operator

Json = dict[str, Any]
DATA_FORMATS = ("FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED", "KEY_VALUE", "PROTO_STRUCT")
OPERATORS = ("OPERATOR_UNSPECIFIED", *get_args(Operator))
ENUMS: Mapping[tuple[str, ...], Sequence[str]] = {
    ("featureView", "serviceAgentType"): get_args(ServiceAgentType),
    ("featureView", "indexConfig", "distanceMeasureType"): get_args(DistanceMeasureType),
    ("query", "numericFilters", "op"): OPERATORS,
    ("dataFormat",): DATA_FORMATS,
    ("format",): DATA_FORMATS,
}
"""The names by number of every enum, by where it is in a request; lists are passed through."""


def name_enums(request: Json) -> Json:
    """The request with names in place of the numbers of enums; a number that has no name stays, and is refused."""
    for path, names in ENUMS.items():
        if path[0] in request:
            request = _named(request, path, names)
    return request


def _named(value: Any, path: Sequence[str], names: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_named(item, path, names) for item in value]
    if not path:
        is_number = type(value) is int and 0 <= value < len(names)
        return names[value] if is_number else value
    if not isinstance(value, dict) or path[0] not in value:
        return value
    return {**value, path[0]: _named(value[path[0]], path[1:], names)}
