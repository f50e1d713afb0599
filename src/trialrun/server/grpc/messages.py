"""Messages of gRPC, in a descriptor pool of their own, and their JSON, which the operations take and give.

Clients that run in the same process, such as tests, register messages of the same names in the default pool; here they
never meet. The descriptors are those of `protos`, compiled by scripts/protos.py.

The JSON is ProtoJSON, some ten times as fast as the library's own (0.04 ms instead of 0.33 for twelve values, 0.01
instead of 0.31 for a vector of 128 numbers) and with two differences. Masks keep their paths as they came, for these
have names of fields in either spelling, and keys of maps. Numbers of 32 bits in a list, such as a vector, have the
digits of their 64 bits.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isfinite
from pathlib import Path
from struct import pack, unpack
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from trialrun.server.json_body import MAX_VALUES, Json, too_many_values
from trialrun.server.operations import VERSIONS
from trialrun.service.error import Status, service_error
from trialrun.service.message import to_json_number

DESCRIPTORS = Path(__file__).with_name("messages.binpb")
AIPLATFORM = "google.cloud.aiplatform"
TYPE = "@type"
LENGTH_DELIMITED = 2
FIXED_SIZES = {1: 8, 5: 4}
"""Bytes of the values of the wire types that have no length; groups, of which there are none here, are passed over."""
LONG_INTEGERS = frozenset({FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64})
FLOATS = frozenset({FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT})


@dataclass(frozen=True)
class RpcMethod:
    """A method by its path, `/package.Service/Method`, with the types of its messages; both sides stream, or none.

    `version` is that of the API, the first one for services that have none.
    """

    name: str
    path: str
    request: type[Any]
    response: type[Any]
    is_stream: bool
    version: str


@cache
def load_pool() -> descriptor_pool.DescriptorPool:
    """The pool of all messages."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file:
        pool.Add(file)
    return pool


def message_class(name: str) -> type[Any]:
    """The class of a message by its full name."""
    found: type[Any] = message_factory.GetMessageClass(load_pool().FindMessageTypeByName(name))
    return found


def service_methods(service: str) -> Iterator[RpcMethod]:
    """The methods of a service by its full name."""
    version = service.removeprefix(f"{AIPLATFORM}.").partition(".")[0]
    for method in load_pool().FindServiceByName(service).methods:
        yield RpcMethod(
            method.name,
            f"/{service}/{method.name}",
            message_factory.GetMessageClass(method.input_type),
            message_factory.GetMessageClass(method.output_type),
            method.client_streaming,
            version if version in VERSIONS else VERSIONS[0],
        )


def parse_message(data: bytes, message_type: type[Any]) -> Json:
    """The request that bytes are, with all that is set. Raises INVALID_ARGUMENT."""
    if len(data) > MAX_VALUES and _count_fields(memoryview(data), message_type.DESCRIPTOR, MAX_VALUES) > MAX_VALUES:
        raise too_many_values()
    try:
        return _read(message_type.FromString(data))
    except (DecodeError, ValueError) as error:
        reason = "its bytes are of another type, or damaged" if isinstance(error, DecodeError) else str(error)
        message = f"the request is not a valid {message_type.DESCRIPTOR.name}: {reason}"
        raise service_error(Status.INVALID_ARGUMENT, "invalid-message", message) from error


def _count_fields(data: memoryview, message: Descriptor, most: int) -> int:
    """How many fields the bytes of a message have, counted up to a number: an empty message of two bytes takes fifty.

    What is not the encoding of a message ends the count, and is refused when it is parsed.
    """
    place = count = 0
    with suppress(IndexError):
        while place < len(data) and count <= most:
            tag, place = _varint(data, place)
            count += 1
            if tag & 7 in FIXED_SIZES:
                place += FIXED_SIZES[tag & 7]
                continue
            value, place = _varint(data, place)
            if tag & 7 != LENGTH_DELIMITED:
                continue
            field = message.fields_by_number.get(tag >> 3)
            if field is not None and field.message_type is not None:
                count += _count_fields(data[place : place + value], field.message_type, most - count)
            elif field is not None and field.is_packed:
                count += value // 4
            place += value
    return count


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    """A number of variable length, and where it ends. Raises IndexError."""
    value = shift = 0
    while (byte := data[place]) > 127 and shift < 63:
        value, place, shift = value | (byte & 127) << shift, place + 1, shift + 7
    return value | byte << shift, place + 1


def _read(message: Any) -> Json:
    return {field.json_name: _reader(field)(value) for field, value in message.ListFields()}


@cache
def _reader(field: FieldDescriptor) -> Callable[[Any], Any]:
    if _is_map(field):
        return dict
    read = _value_reader(field)
    return (lambda values: [read(value) for value in values]) if field.is_repeated else read


def _value_reader(field: FieldDescriptor) -> Callable[[Any], Any]:
    if field.message_type is not None:
        return MESSAGE_READERS.get(field.message_type.full_name, _read)
    if field.enum_type is not None:
        names = {number: value.name for number, value in field.enum_type.values_by_number.items()}
        return lambda value: names.get(value, value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return lambda value: b64encode(value).decode("ascii")
    if field.cpp_type in FLOATS:
        is_short = field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT and not field.is_repeated
        return _shortest_float if is_short else to_json_number
    return str if field.cpp_type in LONG_INTEGERS else _same


MESSAGE_READERS: Mapping[str, Callable[[Any], Any]] = {
    "google.protobuf.Timestamp": lambda time: time.ToJsonString(),
    "google.protobuf.Duration": lambda duration: duration.ToJsonString(),
    "google.protobuf.FieldMask": lambda mask: ",".join(mask.paths),
}
"""Messages whose JSON is no object."""


def _same(value: Any) -> Any:
    return value


def _shortest_float(value: float) -> float | str:
    """A number of 32 bits with the fewest digits that mean it: 0.1."""
    if not isfinite(value):
        return to_json_number(value)
    texts = (f"{value:.{digits}g}" for digits in (6, 7, 8))
    return next((float(text) for text in texts if unpack("f", pack("f", float(text)))[0] == value), value)


def to_message(value: Json, message_type: type[Any]) -> Any:
    """A response as a message; what the message has no field for is left out."""
    message = message_type()
    try:
        _write(message, value)
    except UnicodeEncodeError:  # a half of a character, which JSON can have in files
        message.Clear()
        _write(message, _without_halves(value))
    return message


def _without_halves(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_halves(name): _without_halves(item) for name, item in value.items()}
    return [_without_halves(item) for item in value] if isinstance(value, list) else value


def _write(message: Any, value: Mapping[str, Any]) -> None:
    writers = _writers(message.DESCRIPTOR)
    for name, item in value.items():
        write = writers.get(name)
        if write is not None and item is not None:
            write(message, item)


@cache
def _writers(descriptor: Descriptor) -> Mapping[str, Callable[[Any, Any], None]]:
    return {field.json_name: _writer(field) for field in descriptor.fields}


def _writer(field: FieldDescriptor) -> Callable[[Any, Any], None]:
    name, is_repeated = field.name, field.is_repeated
    if _is_map(field):
        return lambda message, value: getattr(message, name).update(value)
    if field.message_type is None:
        convert = _converter(field)
        if is_repeated:
            return lambda message, value: getattr(message, name).extend([convert(item) for item in value])
        return lambda message, value: setattr(message, name, convert(value))
    write: Callable[[Any, Any], None] = MESSAGE_WRITERS.get(field.message_type.full_name, _write)

    def write_messages(message: Any, value: Any) -> None:
        part = getattr(message, name)
        if is_repeated:
            for item in value:
                write(part.add(), item)
        else:
            part.SetInParent()
            write(part, value)

    return write_messages


def _converter(field: FieldDescriptor) -> Callable[[Any], Any]:
    if field.enum_type is not None:
        numbers = {name: value.number for name, value in field.enum_type.values_by_name.items()}
        return lambda value: numbers.get(value, value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b64decode
    return float if field.cpp_type in FLOATS else int if field.cpp_type in LONG_INTEGERS else _same


def _write_time(time: Any, value: str) -> None:
    time.seconds, time.nanos = _time_parts(value)


@lru_cache(maxsize=4096)
def _time_parts(text: str) -> tuple[int, int]:
    """A time in seconds and nanoseconds; the values of an entity often have the same."""
    time = message_class("google.protobuf.Timestamp")()
    time.FromJsonString(text)
    return time.seconds, time.nanos


def _write_any(message: Any, value: Mapping[str, Any]) -> None:
    try:
        message_type = message_class(value[TYPE].rpartition("/")[2])
    except KeyError:  # of an API version that there is by HTTP alone
        message.type_url = value[TYPE]
        return
    message.Pack(to_message({name: item for name, item in value.items() if name != TYPE}, message_type))


MESSAGE_WRITERS: Mapping[str, Callable[[Any, Any], None]] = {
    "google.protobuf.Timestamp": _write_time,
    "google.protobuf.Struct": lambda struct, value: struct.update(value),
    "google.protobuf.Any": _write_any,
}
"""Messages whose JSON is no object of their fields."""


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry
