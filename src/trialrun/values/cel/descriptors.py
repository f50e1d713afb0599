"""A schema's types as protocol buffer descriptors: the form in which the engine learns of them.

The engine asks a pool for files by name and reads their bytes, so the few fields of FileDescriptorProto that
are needed are written here, and the protobuf package, 20 ms or more to import, is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.values.cel.type_schema import Schema, Type

PACKAGE = "trialrun_types"

_FILE = f"{PACKAGE}.proto"
_WELL_KNOWN = "google/protobuf/"
_DEPENDENCIES = tuple(f"{_WELL_KNOWN}{name}.proto" for name in ("duration", "struct", "timestamp", "wrappers"))
_MESSAGE, _OPTIONAL, _REPEATED = 11, 1, 3
_SCALAR_NUMBERS = {"double": 1, "int": 3, "uint": 4, "bool": 8, "string": 9, "enum": 9, "bytes": 12}
_MESSAGES = {"timestamp": "Timestamp", "duration": "Duration", "dyn": "Value", "list": "ListValue", "map": "Value"}
_WRAPPERS = {
    "double": "DoubleValue",
    "int": "Int64Value",
    "uint": "UInt64Value",
    "bool": "BoolValue",
    "string": "StringValue",
    "enum": "StringValue",
    "bytes": "BytesValue",
}


class TypePool:
    """The descriptor pool that the engine asks; it knows one file, the schema's."""

    def __init__(self, schema: Schema) -> None:
        self._file = _File(file_bytes(schema))

    def FindFileContainingSymbol(self, name: str) -> _File:
        """The file that declares a type; KeyError for a name of no file here."""
        if not name.startswith(PACKAGE + "."):
            raise KeyError(name)
        return self._file

    def FindFileByName(self, name: str) -> _File:
        """The file of this name; KeyError for another."""
        if name != _FILE:
            raise KeyError(name)
        return self._file


class _File:
    def __init__(self, serialized_pb: bytes) -> None:
        self.serialized_pb = serialized_pb


def message_name(type_: Type) -> str | None:
    """The full name of the message that stands for a type, or None for a plain scalar."""
    if type_.optional and type_.name in _WRAPPERS:
        return f"google.protobuf.{_WRAPPERS[type_.name]}"
    if type_.name in _SCALAR_NUMBERS:
        return None
    return f"google.protobuf.{_MESSAGES[type_.name]}" if type_.name in _MESSAGES else f"{PACKAGE}.{type_.name}"


def file_bytes(schema: Schema) -> bytes:
    """The serialized FileDescriptorProto of a schema."""
    messages = (_text(4, _message(name, schema.fields[name])) for name in schema.types)
    # without field 12 the syntax is proto2, whose files may have `fooBar` beside `foo_bar`
    return b"".join(
        [_text(1, _FILE), _text(2, PACKAGE), *(_text(3, dependency) for dependency in _DEPENDENCIES), *messages]
    )


def _message(name: str, fields: Mapping[str, Type]) -> bytes:
    parts, entries = [_text(1, name)], set[str]()
    for number, (each, type_) in enumerate(fields.items(), 1):
        entry = _entry_name(each)
        if type_.name == "map" and entry not in entries:
            entries.add(entry)
            parts.append(_text(2, _field(each, number, label=_REPEATED, message=f"{PACKAGE}.{name}.{entry}")))
            parts.append(_text(3, _map_entry(entry, type_)))
        else:
            parts.append(_text(2, _typed_field(each, number, type_)))
    return b"".join(parts)


def _entry_name(field: str) -> str:
    """The name that a map's entry must have; two fields can share it, and the later is then unchecked (dyn)."""
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


def _map_entry(name: str, map_: Type) -> bytes:
    key, value = (_typed_field(*field) for field in zip(("key", "value"), (1, 2), map_.parameters, strict=True))
    return _text(1, name) + _text(2, key) + _text(2, value) + _text(7, b"\x38\x01")  # the option map_entry


def _typed_field(name: str, number: int, type_: Type) -> bytes:
    """A field; a list of lists or maps holds what proto can say of them, lists and values of any type."""
    if type_.name != "list":
        return _field(name, number, label=_OPTIONAL, message=message_name(type_), scalar=type_.name)
    (element,) = type_.parameters
    return _field(name, number, label=_REPEATED, message=message_name(element), scalar=element.name)


def _field(name: str, number: int, *, label: int, message: str | None, scalar: str = "") -> bytes:
    kind = _MESSAGE if message else _SCALAR_NUMBERS[scalar]
    parts = [_text(1, name), _number(3, number), _number(4, label), _number(5, kind)]
    if message:
        parts.append(_text(6, f".{message}"))
    # a JSON name of its own, for the default would make `foo_bar` and `fooBar` one
    return b"".join([*parts, _text(10, f"{number}")])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
