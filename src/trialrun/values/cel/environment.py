"""The engine for a schema: its types as descriptors, typed and untyped environments, and the types it finds in a text.

The engine asks a pool for files by name and reads their bytes. Of the checked expression that it serializes,
google.api.expr.v1alpha1.CheckedExpr, only two maps are read: the types and the positions of the parts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from types import SimpleNamespace
from typing import Any

from trialrun.interrupts import defer_interrupts
from trialrun.values.cel.builtins import EXTENSIONS
from trialrun.values.cel.policy_functions import FUNCTIONS, overload_lines
from trialrun.values.cel.type_schema import Schema, Type

PACKAGE = "trialrun_types"

_FILE = f"{PACKAGE}.proto"
_WELL_KNOWN_FILES = "google/protobuf/"
_DEPENDENCIES = tuple(f"{_WELL_KNOWN_FILES}{name}.proto" for name in ("duration", "struct", "timestamp", "wrappers"))
_MESSAGE, _OPTIONAL, _REPEATED = 11, 1, 3
_SCALAR_NUMBERS = {"double": 1, "int": 3, "uint": 4, "bool": 8, "string": 9, "enum": 9, "bytes": 12}
_MESSAGES = {"timestamp": "Timestamp", "duration": "Duration", "dyn": "Value", "list": "ListValue", "map": "Value"}
_WRAPPERS = {
    "double": "DoubleValue", "int": "Int64Value", "uint": "UInt64Value", "bool": "BoolValue", "string": "StringValue",
    "enum": "StringValue", "bytes": "BytesValue",
}  # fmt: skip


class TypePool:
    """The descriptor pool that the engine asks; it knows one file, the schema's."""

    def __init__(self, schema: Schema) -> None:
        self._file = SimpleNamespace(serialized_pb=file_bytes(schema))

    def FindFileContainingSymbol(self, name: str) -> SimpleNamespace:
        """The file that declares a type; KeyError for a name of no file here."""
        if not name.startswith(PACKAGE + "."):
            raise KeyError(name)
        return self._file

    def FindFileByName(self, name: str) -> SimpleNamespace:
        """The file of this name; KeyError for another."""
        if name != _FILE:
            raise KeyError(name)
        return self._file


def message_name(type_: Type) -> str | None:
    """The full name of the message that stands for a type, or None for a plain scalar."""
    if type_.optional and type_.name in _WRAPPERS:
        return f"google.protobuf.{_WRAPPERS[type_.name]}"
    if type_.name in _SCALAR_NUMBERS:
        return None
    return f"google.protobuf.{_MESSAGES[type_.name]}" if type_.name in _MESSAGES else f"{PACKAGE}.{type_.name}"


def file_bytes(schema: Schema) -> bytes:
    """The serialized FileDescriptorProto of a schema."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    # without a syntax it is proto2, whose files may have `fooBar` beside `foo_bar`
    file = FileDescriptorProto(name=_FILE, package=PACKAGE, dependency=_DEPENDENCIES)
    for name in schema.types:
        message = file.message_type.add(name=name)
        for number, (field, type_) in enumerate(schema.fields[name].items(), 1):
            # the name that a map's entry must have; two fields can share it, and the later is then unchecked (dyn)
            entry = "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"
            if type_.name != "map" or any(nested.name == entry for nested in message.nested_type):
                _add_field(message, field, number, type_)
                continue
            nested = message.nested_type.add(name=entry)
            nested.options.map_entry = True
            for half in zip(("key", "value"), (1, 2), type_.parameters, strict=True):
                _add_field(nested, *half)
            _add_field(message, field, number, Type("list", (Type(f"{name}.{entry}"),)))
    return bytes(file.SerializeToString())


def _add_field(message: Any, name: str, number: int, type_: Type) -> None:
    """Add a field; a list of lists or maps holds what proto can say of them, lists and values of any type."""
    inner = type_.parameters[0] if type_.name == "list" else type_
    full_name = message_name(inner)
    message.field.add(
        name=name,
        number=number,
        label=_REPEATED if type_.name == "list" else _OPTIONAL,
        type=_MESSAGE if full_name else _SCALAR_NUMBERS[inner.name],
        type_name=full_name and f".{full_name}",
        json_name=f"{number}",  # its own, for the default would make `foo_bar` and `fooBar` one
    )


# limits of the engine (cel-cpp's parser options, which the binding does not expose)
MAX_LENGTH = 100_000
MAX_DEPTH = 32

_NUMBERS = ("int", "uint", "double")
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")
_COMPARISONS = {
    "_<_": "less", "_<=_": "less_equals", "_>_": "greater", "_>=_": "greater_equals", "_==_": "equals",
    "_!=_": "not_equals",
}  # fmt: skip


Engine = Any
"""An environment of the engine, which the binding does not type; `compile` and `deserialize` raise RuntimeError."""
Expression = Any
"""A compiled expression: `serialize`, and `eval` with an activation or with `data`."""
Activation = Any
"""Values of the variables, with which several expressions can be evaluated."""
EngineValue = Any
"""A value of the engine, with `type` and `value`; never read the `value` of one whose type is NULL."""


@dataclass(frozen=True, slots=True)
class Environment:
    """`typed` checks a text against the schema; `plain` evaluates it over dicts and lists."""

    typed: Engine
    plain: Engine

    def compile(self, text: str) -> bytes:
        """Check a text against the schema; returns it serialized for `plain`. Raises RuntimeError with the errors."""
        with defer_interrupts():  # the engine calls the type pool, where an exception would crash the process
            serialized: bytes = self.typed.compile(text).serialize()
            return serialized


def engine_module() -> Any:
    """The binding of the engine, which is imported when the first condition is checked: known ones do not need it."""
    with defer_interrupts():  # the process aborts if an import of the engine fails
        from cel_expr_python import cel  # type: ignore[import-untyped]

        return cel


@lru_cache(maxsize=16)
def environment(schema: Schema) -> Environment:
    """The environment for a schema; created once for each."""
    pin_time_zones()
    cel = engine_module()
    with defer_interrupts():
        variables = {name: _engine_type(type_, cel.Type) for name, type_ in schema.roots.items()}
        # the pool has the interface of protobuf's; the binding uses nothing else of it
        typed = cel.NewEnv(TypePool(schema), config=_config(schema.library), variables=variables)
        return Environment(typed, plain_engine(tuple(schema.roots), schema.library))


@lru_cache(maxsize=16)
def plain_engine(names: tuple[str, ...], library: str = "") -> Engine:
    """The engine for variables with these names, which have plain values of any type."""
    return engine_with(names, {}, library)


def engine_with(names: tuple[str, ...], functions: Mapping[str, Callable[[], Any]], library: str = "") -> Engine:
    """An engine for plain variables, and for functions without arguments that give plain values.

    `library` names functions of ours that it can call besides those of CEL.
    """
    from google.protobuf.descriptor_pool import DescriptorPool

    pin_time_zones()
    cel = engine_module()
    with defer_interrupts():
        return cel.NewEnv(
            DescriptorPool(),
            config=_config(library, tuple(functions)),
            variables=dict.fromkeys(names, cel.Type.DYN),
            function_impls={**(FUNCTIONS if library else {}), **functions},
        )


def pin_time_zones() -> None:
    """Make the engine use the time zones of the tzdata package instead of those of the system, which may lack some.

    It is told so by a variable of the environment, and again where that has been replaced.
    """
    import tzdata  # type: ignore[import-untyped]

    os.environ["TZDIR"] = os.path.join(next(iter(tzdata.__path__)), "zoneinfo")


def _engine_type(type_: Type, engine: Any) -> Any:
    message = message_name(type_)
    match type_.name:
        case "list":
            return engine.List(_engine_type(type_.parameters[0], engine))
        case "map":
            key, value = type_.parameters
            return engine.Map(_engine_type(key, engine), _engine_type(value, engine))
        case "dyn" | "timestamp" | "duration":
            return getattr(engine, type_.name.upper())
        case "enum" if not message:
            return engine.STRING
        case _:
            return engine(message or type_.name)


@lru_cache(maxsize=16)
def _config(library: str, functions: tuple[str, ...] = ()) -> Any:
    """The configuration of the engine: extensions, comparisons between numeric types, and functions of ours.

    The engine evaluates `double > int` but rejects it in checks, unless the mixed overloads are declared (cel-cpp's
    `enable_cross_numeric_comparisons`, which the binding does not expose).
    """
    lines = ["name: conditions", "extensions:", *(f"  - name: {extension}" for extension in EXTENSIONS)]
    excluded = (f"    - name: '{function}'" for function in _COMPARISONS)
    lines += ["stdlib:", "  exclude_functions:", *excluded, "functions:"]
    for operator, name in _COMPARISONS.items():
        lines += [f"  - name: '{operator}'", "    overloads:"]
        if operator in ("_==_", "_!=_"):
            lines += _overload(name, "T, is_type_param: true", "T, is_type_param: true")
        else:
            for type_ in (*_NUMBERS, *_ORDERED):
                lines += _overload(f"{name}_{type_}", type_, type_)
        for left, right in permutations(_NUMBERS, 2):
            lines += _overload(f"{name}_{left}_{right}", left, right)
    lines += overload_lines() if library else ()
    for name in functions:
        lines += [f"  - name: {name}", "    overloads:", f"      - id: {name}"]
        lines += ["        args: []", "        return: {type_name: dyn}"]
    return engine_module().NewEnvConfigFromYaml("\n".join(lines))


def _overload(identity: str, left: str, right: str) -> Sequence[str]:
    arguments = f"        args: [{{type_name: {left}}}, {{type_name: {right}}}]"
    return f"      - id: {identity}", arguments, "        return: {type_name: bool}"


_PRIMITIVES = ("dyn", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN_TYPES = ("dyn", "dyn", "timestamp", "duration")


def types_by_offset(serialized: bytes) -> dict[int, str]:
    """The types of the parts by their position, in code points.

    Of the parts that a macro expands to, all at one position, the type of the macro is returned: it has the highest id.
    """
    checked = dict(_fields(serialized))[2]
    source = b""
    types: dict[int, str] = {}
    place, end = 0, len(checked)
    while place < end:
        # everything in it has a length, which most often is a byte, as are ids; this is most of the time spent here
        field, length, start = checked[place], checked[place + 1], place + 2
        if length > 127:
            length, start = _varint(checked, place + 1)
        place = start + length
        if field == _TYPE_MAP:
            if length > 3 and checked[start + 1] < 128 and checked[start + 3] == length - 4:
                types[checked[start + 1]] = _parse_type(checked[start + 4 : place])
                continue
            entry = dict(_fields(checked[start:place]))
            types[entry[1]] = _parse_type(entry[2])
        elif field == _SOURCE:
            source = checked[start:place]
    places = _offsets_by_id(source)
    return {places[node]: types[node] for node in sorted(types) if node in places}


# a field's number and, below it, how it is written: 2 for a length and so many bytes
_TYPE_MAP, _SOURCE, _POSITION = 3 << 3 | 2, 5 << 3 | 2, 4 << 3 | 2


def _offsets_by_id(source: bytes) -> dict[int, int]:
    """The positions of the parts by id."""
    places: dict[int, int] = {}
    place, end = 0, len(source)
    while place < end:
        field, length = source[place], source[place + 1]
        # an id below 128 is a byte, and a place one or two: most are, and this is most of the time spent here
        if field == _POSITION and source[place + 3] < 128 and source[place + 4] == 0x10:
            if length == 4:
                places[source[place + 3]] = source[place + 5]
                place += 6
                continue
            if length == 5:
                places[source[place + 3]] = source[place + 5] & 127 | source[place + 6] << 7
                place += 7
                continue
        key, start = _varint(source, place)
        if key & 7 != 2:
            _, place = _varint(source, start)
            continue
        length, start = _varint(source, start)
        place = start + length
        if key == _POSITION:
            entry = dict(_fields(source[start:place]))
            places[entry.get(1, 0)] = entry.get(2, 0)
    return places


@lru_cache(maxsize=1024)
def _parse_type(raw: bytes) -> str:
    """A type in the notation of the schema."""
    for number, value in _fields(raw):
        match number, value:
            case 2, _:
                return "null"
            case 3, int(primitive):
                return _PRIMITIVES[primitive]
            case 4, int(primitive):
                return f"{_PRIMITIVES[primitive]}?"
            case 5, int(known):
                return _WELL_KNOWN_TYPES[known]
            case 6 | 7, bytes(inner):
                parts = ", ".join(_parse_type(each) for _, each in _fields(inner))
                return f"{'list' if number == 6 else 'map'}({parts})"
            case 9, bytes(full_name):
                return full_name.decode().removeprefix(f"{PACKAGE}.")
            case 11, _:
                return "type"
            case 14, bytes(inner):
                (_, name), *parameters = _fields(inner)
                inside = ", ".join(_parse_type(each) for _, each in parameters)
                return f"{name.decode()}({inside})"
    return "dyn"


def _fields(raw: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protocol buffer message: numbers, or bytes for strings and messages."""
    place, end = 0, len(raw)
    while place < end:
        key, place = _varint(raw, place)
        wire = key & 7
        if wire == 0:
            number, place = _varint(raw, place)
            yield key >> 3, number
            continue
        length = {1: 8, 5: 4}.get(wire)
        if length is None:
            length, place = _varint(raw, place)
        yield key >> 3, raw[place : place + length]
        place += length


def _varint(raw: bytes, place: int) -> tuple[int, int]:
    value = raw[place]
    if value < 128:
        return value, place + 1
    value, shift = value & 127, 7
    while True:
        place += 1
        byte = raw[place]
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place + 1
        shift += 7
