"""The plain validator: a value that has nothing wrong becomes its message in one pass, without importing pydantic.

It takes values of the plain types that the parser makes. What is wrong with a value that it refuses,
`trialrun.model.lenient` says. What it accepts must be what pydantic's model accepts, with the same result; tests
compare the two over all fixtures and over generated values of all messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import inf
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from trialrun.model.field_declaration import (
    INT64_MAX,
    INT64_TEXT,
    UNSPECIFIED,
    EntityId,
    FieldDeclaration,
    Int64Text,
    Limits,
    MessageType,
    without_none,
)

Read = Callable[[Any], Any]
"""Takes a value and returns what its field has; raises Refused."""
Made = TypeVar("Made", bound=object)

MAX_INTEGER_AS_FLOAT = 2**1000
"""Every integer up to it is near some float."""
_set_attribute = object.__setattr__


class Refused(Exception):
    """A value that the plain validator does not take."""


def validate_plainly(value: Any, model: MessageType) -> Any | None:
    """The message of a value that has nothing wrong; None for any other value."""
    try:
        return _message(model)(value)
    except Refused:
        return None


def make_message(model: Callable[..., Made], values: dict[str, Any], present: set[str]) -> Made:
    """A message of all its values by field, of which `present` are in the file."""
    message: Made = object.__new__(model)  # type: ignore[arg-type]
    _set_attribute(message, "__dict__", values)
    _set_attribute(message, "__pydantic_fields_set__", present)
    return message


@cache
def _message(model: MessageType) -> Read:
    """Reads a message; how its fields are read is worked out for each when the first file has it."""
    unset = dict.fromkeys(model.model_fields)
    required = {name for name, declared in model.model_fields.items() if declared.spec.mode == "required"}
    unions = [frozenset(members) for members in (*_members(model, "unions"), *_members(model, "alternatives"))]
    readers: dict[str, Read] = {}
    new: Callable[[Any], Any] = object.__new__

    def read(value: Any) -> Any:
        if type(value) is not dict:
            if type(value) is model:
                return value
            raise Refused
        values = unset.copy()
        for key, inner in value.items():
            reader = readers.get(key)
            if reader is None:
                reader = readers[key] = _field(model, key)
            values[key] = reader(inner)
        present = set(value)
        if not required <= present:
            raise Refused
        for members in unions:
            if len(members & present) > 1:
                raise Refused
        message = new(model)  # as in make_message, whose call would take a tenth of the time of this function
        _set_attribute(message, "__dict__", values)
        _set_attribute(message, "__pydantic_fields_set__", present)
        return message

    return read


def _members(model: MessageType, attribute: str) -> list[tuple[str, ...]]:
    return list(getattr(model, attribute, {}).values())


def _field(model: MessageType, name: Any) -> Read:
    declared = model.model_fields.get(name)
    if declared is None:
        raise Refused
    return _reader(without_none(declared.annotation), declared, is_required=declared.spec.mode == "required")


def _reader(annotation: Any, declared: FieldDeclaration, *, is_required: bool) -> Read:
    """Reads the value of a field; `is_required` refuses an empty text, list or mapping."""
    if annotation is str:
        return _text(declared.limits.max_length, at_least=int(is_required))
    if annotation is bool:
        return _boolean
    if annotation is float:
        return _number(declared.limits)
    if isinstance(annotation, MessageType):
        return _message(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1], declared.limits, is_required=is_required)
    if origin is Literal:
        return _word(frozenset(word for word in arguments if not word.endswith(UNSPECIFIED)))
    if origin is list:
        return _list(_item(arguments[0], declared), is_required=is_required)
    if origin is dict:
        return _mapping(*(_item(argument, declared) for argument in arguments), is_required=is_required)
    return _anything if annotation is Any else _refuse


def _item(annotation: Any, declared: FieldDeclaration) -> Read:
    return _reader(annotation, FieldDeclaration("", Limits(), declared.spec), is_required=False)


def _annotated(annotation: Any, marker: Any, limits: Limits, *, is_required: bool) -> Read:
    if isinstance(marker, Int64Text):
        return _positive_int64
    if isinstance(marker, EntityId):
        return _entity_id(is_required=marker.required)
    if isinstance(marker, Limits) and annotation is int:
        return _integer(marker, limits)
    if isinstance(marker, Limits) and annotation is str:
        return _text(marker.max_length, at_least=int(is_required))
    return _refuse


def _refuse(value: Any) -> Any:
    raise Refused


def _anything(value: Any) -> Any:
    return value


def _boolean(value: Any) -> Any:
    if value is True or value is False:
        return value
    raise Refused


def _text(max_length: int | None, *, at_least: int) -> Read:
    if max_length is None and not at_least:
        return _any_text

    def read(value: Any) -> Any:
        if type(value) is not str or len(value) < at_least or (max_length is not None and len(value) > max_length):
            raise Refused
        if not value.isascii():
            _require_characters(value)
        return value

    return read


def _any_text(value: Any) -> Any:
    if type(value) is not str:
        raise Refused
    return value


def _require_characters(text: str) -> None:
    """Refuse half of a surrogate pair, as pydantic does where it counts characters."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refused from error


def _word(words: frozenset[str]) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not str or value not in words:
            raise Refused
        return value

    return read


def _integer(*bounds: Limits) -> Read:
    least = max(limit.minimum for limit in bounds if limit.minimum is not None)
    most = min(limit.maximum for limit in bounds if limit.maximum is not None)

    def read(value: Any) -> Any:
        if type(value) is not int or not least <= value <= most:
            raise Refused
        return value

    return read


def _number(limits: Limits) -> Read:
    least = -inf if limits.minimum is None else limits.minimum
    most = inf if limits.maximum is None else limits.maximum

    def read(value: Any) -> Any:
        if type(value) is int and -MAX_INTEGER_AS_FLOAT <= value <= MAX_INTEGER_AS_FLOAT:
            value = float(value)
        if type(value) is not float or not least <= value <= most or value in (inf, -inf):
            raise Refused
        return value

    return read


_INT64 = re.compile(INT64_TEXT.removeprefix("^").removesuffix("$"), re.ASCII)


def _positive_int64(value: Any) -> Any:
    if type(value) is not str or not _INT64.fullmatch(value):
        raise Refused
    number = int(value)
    if not 1 <= number <= INT64_MAX:
        raise Refused
    return number


def _entity_id(*, is_required: bool) -> Read:
    read_text = _text(None, at_least=int(is_required))

    def read(value: Any) -> Any:
        if type(value) is list and value:
            return [_part_of_id(part) for part in value]
        return value if type(value) is int else read_text(value)

    return read


def _part_of_id(value: Any) -> Any:
    return value if type(value) is int else _any_text(value)


def _list(item: Read, *, is_required: bool) -> Read:
    if item is _any_text:
        return _texts(is_required=is_required)

    def read(value: Any) -> Any:
        if type(value) is not list or (is_required and not value):
            raise Refused
        return [item(inner) for inner in value]

    return read


def _texts(*, is_required: bool) -> Read:
    """Reads a list of texts of any length: three times as fast as asking for each of them."""

    def read(value: Any) -> Any:
        if type(value) is not list or (is_required and not value) or not {str}.issuperset(map(type, value)):
            raise Refused
        return value.copy()

    return read


def _mapping(key: Read, item: Read, *, is_required: bool) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not dict or (is_required and not value):
            raise Refused
        return {key(name): item(inner) for name, inner in value.items()}

    return read
