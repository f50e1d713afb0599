"""Reads the type of every part of a checked expression from the serialized result of the engine.

Only two maps of google.api.expr.v1alpha1.CheckedExpr are read: the types and the positions of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from trialrun.values.cel.descriptors import PACKAGE

_PRIMITIVES = ("dyn", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN = ("dyn", "dyn", "timestamp", "duration")


def types_by_offset(serialized: bytes) -> dict[int, str]:
    """The types of the parts by their position, in code points.

    Of the parts that a macro expands to, all at one position, the type of the macro is returned: it has the highest id.
    """
    checked = _as_bytes(dict(_fields(serialized))[2])
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
            types[int(entry[1])] = _parse_type(_as_bytes(entry[2]))
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
            places[int(entry.get(1, 0))] = int(entry.get(2, 0))
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
                return _WELL_KNOWN[known]
            case 6 | 7, bytes(inner):
                parts = ", ".join(_parse_type(_as_bytes(each)) for _, each in _fields(inner))
                return f"{'list' if number == 6 else 'map'}({parts})"
            case 9, bytes(name):
                return name.decode().removeprefix(f"{PACKAGE}.")
            case 11, _:
                return "type"
            case 14, bytes(inner):
                return _parse_abstract_type(inner)
    return "dyn"


def _parse_abstract_type(raw: bytes) -> str:
    (_, name), *parameters = _fields(raw)
    inside = ", ".join(_parse_type(_as_bytes(each)) for _, each in parameters)
    return f"{_as_bytes(name).decode()}({inside})"


def _as_bytes(value: int | bytes) -> bytes:
    return value if isinstance(value, bytes) else b""


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
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
