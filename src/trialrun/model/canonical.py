"""The canonical form of a document: camelCase, enum names, int64 as text, fields in the order of the model.

Values that readers of ProtoJSON take are converted. A value that its field can never take is left out; one of the right
type that the field refuses (an unknown enum value, a number out of range) is kept, so that a check reports it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.model import proto_json
from trialrun.model.misfit import (
    Misfit,
    NonCanonicalForm,
    OutOfRange,
    TooLong,
    TwoSpellings,
    UnknownEnumValue,
    UnknownField,
    UnspecifiedEnumValue,
    WrongType,
)
from trialrun.model.node import Node, field_spec, fields_of_mode
from trialrun.model.unknown_field import spellings
from trialrun.terraform import Unknown
from trialrun.values import timestamp

KEPT_MISFITS = (OutOfRange, TooLong, UnknownEnumValue)
"""Misfits whose value stays in the canonical form, for a check to report."""
MAX_MISFITS = 1000
"""Misfits of a document that are listed."""
MAX_INTEGER = 10**18
"""Integral floats below it are written as integers."""
LEFT_OUT: Any = object()
"""Stands for a value that the canonical form does not have."""


class CanonicalForm:
    """The canonical form of a resource, a companion document or a part of one, and what differed in the value.

    The paths of `misfits` lead through the value as it was given. `moved` has, by path in the canonical form, the path
    in the given value, where that is another one. There are `further_misfits` besides the listed ones.
    """

    def __init__(self, value: Mapping[str, Any], model: type[Node]) -> None:
        self.misfits: tuple[Misfit, ...] = ()
        self.further_misfits = 0
        self.moved: dict[Path, Path] = {}
        self.value = self._convert_message(value, model, (), ())

    def given_path(self, path: Path) -> Path:
        """The path in the given value of a path in the canonical form."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.moved:
                return (*self.moved[path[:length]], *path[length:])
        return path

    def _convert_message(self, value: Mapping[str, Any], model: type[Node], path: Path, new: Path) -> dict[str, Any]:
        """The fields of a message in the order of the model; `path` leads through the given value, `new` to them."""
        keys = self._keys_by_field(value, model, path)
        fields: dict[str, Any] = {}
        for name in _field_order(model):
            key = keys.get(name)
            if key is None or value[key] is None:
                continue
            inner, inner_new = (*path, key), (*new, name)
            converted = self._convert_value(value[key], proto_json.field_type(model, name), inner, inner_new)
            if converted is not LEFT_OUT:
                is_time = field_spec(model, name).format == "timestamp" and isinstance(converted, str)
                fields[name] = _canonical_time(converted) if is_time else converted
                if key != name:
                    self.moved[inner_new] = inner
        return fields

    def _keys_by_field(self, value: Mapping[str, Any], model: type[Node], path: Path) -> dict[str, str]:
        names = spellings(model)
        keys: dict[str, str] = {}
        for key in value:
            name = names.get(key)
            if name is None:
                self._add(UnknownField((*path, key), model, None, False))
            elif name in keys:
                self._add(TwoSpellings((*path, key), (*path, keys[name])))
            else:
                keys[name] = key
        return keys

    def _convert_value(self, value: Any, type_: proto_json.FieldType, path: Path, new: Path) -> Any:
        """The value of a field, or LEFT_OUT."""
        if isinstance(value, Unknown):
            return self._leave_out(WrongType(path, type_.singular, value))
        if type_.is_list:
            return self._convert_list(value, type_, path, new)
        if type_.model is not None:
            if isinstance(value, Mapping):
                return self._convert_message(value, type_.model, path, new)
            return self._leave_out(WrongType(path, type_.singular, None))
        if type_.values is not None:
            return self._convert_map(value, type_, type_.values, path, new)
        return self._convert_scalar(value, type_, path)

    def _convert_list(self, value: Any, type_: proto_json.FieldType, path: Path, new: Path) -> Any:
        if not isinstance(value, list):
            return self._leave_out(WrongType(path, f"a list of {type_.plural}", None))
        items: list[Any] = []
        for index, item in enumerate(value):
            inner, inner_new = (*path, index), (*new, len(items))
            converted = self._convert_value(item, proto_json.item_type(type_), inner, inner_new)
            if converted is LEFT_OUT:
                continue
            if len(items) != index:
                self.moved[inner_new] = inner
            items.append(converted)
        return items

    def _convert_map(
        self, value: Any, type_: proto_json.FieldType, values: proto_json.FieldType, path: Path, new: Path
    ) -> Any:
        if not isinstance(value, Mapping):
            return self._leave_out(WrongType(path, type_.singular, None))
        converted = {key: self._convert_value(value[key], values, (*path, key), (*new, key)) for key in sorted(value)}
        return {key: entry for key, entry in converted.items() if entry is not LEFT_OUT}

    def _convert_scalar(self, value: Any, type_: proto_json.FieldType, path: Path) -> Any:
        if type_ is proto_json.ANYTHING:
            return value
        parsed, misfit = proto_json.parse_scalar(value, type_, path, required=False)
        if misfit is None:
            return _canonical_scalar(parsed, type_)
        if isinstance(misfit, NonCanonicalForm):
            return _canonical_scalar(misfit.canonical, type_)
        if isinstance(misfit, KEPT_MISFITS) and _is_writable(value):
            self._add(misfit)
            return value
        if isinstance(misfit, WrongType) and misfit.converted is not None and misfit.is_lossless:
            self._add(misfit)
            return misfit.converted
        if not isinstance(misfit, UnspecifiedEnumValue):
            misfit = WrongType(path, type_.singular, None)
        return self._leave_out(misfit)

    def _leave_out(self, misfit: Misfit) -> Any:
        self._add(misfit)
        return LEFT_OUT

    def _add(self, misfit: Misfit) -> None:
        if len(self.misfits) < MAX_MISFITS:
            self.misfits += (misfit,)
        else:
            self.further_misfits += 1


@cache
def _field_order(model: type[Node]) -> tuple[str, ...]:
    """The fields of a message as a document has them: what names it, then the order of the specification."""
    names = dict.fromkeys(("kind", *fields_of_mode(model, "identifier"), *model.model_fields))
    return tuple(name for name in names if name in model.model_fields)


def _canonical_time(text: str) -> str:
    """A time in the Z form; a text that is none stays, for a check to report."""
    try:
        return str(timestamp.parse(text))
    except ValueError:
        return text


def _canonical_scalar(value: Any, type_: proto_json.FieldType) -> Any:
    if type_.int64:
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < MAX_INTEGER:
        return int(value)
    return value


def _is_writable(value: Any) -> bool:
    """Whether a file can hold a value that a check is to report: not a number without end."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < proto_json.MAX_SHOWN_INTEGER
