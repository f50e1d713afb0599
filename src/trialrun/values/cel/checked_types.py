"""The type of every part of a checked expression, read from the bytes in which the engine serializes it.

Only two maps of google.api.expr.v1alpha1.CheckedExpr are read, the types and the places of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.values.cel.descriptors import PACKAGE

_PRIMITIVES = ("dyn", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN = ("dyn", "dyn", "timestamp", "duration")


def types_by_place(serialized: bytes) -> dict[int, str]:
    """The types of the parts by the engine's place for them, a code point of the text.

    Of the parts that a macro expands to, all at one place, the macro's own type comes out: it has the highest id.
    """
    types: dict[int, str] = {}
    places: dict[int, int] = {}
    texts: dict[bytes, str] = {}
    checked = dict(_fields(serialized))[2]
    for number, value in _fields(_raw(checked)):
        if number == 3:
            identity, raw = _entry(_raw(value))
            types[identity] = texts.get(raw) or texts.setdefault(raw, _type(raw))
        elif number == 5:
            places.update(_places(_raw(value)))
    return {places[each]: types[each] for each in sorted(types) if each in places}


def _places(source: bytes) -> Iterator[tuple[int, int]]:
    for number, value in _fields(source):
        if number == 4:
            raw = _raw(value)
            # an id and a place below 128 are a byte each: most are, and this is most of the time spent here
            if len(raw) == 4 and raw[0] == 0x08 and raw[2] == 0x10:
                yield raw[1], raw[3]
                continue
            entry = dict(_fields(raw))
            yield int(entry.get(1, 0)), int(entry.get(2, 0))


def _entry(raw: bytes) -> tuple[int, bytes]:
    """The id of a part, and its type."""
    if len(raw) > 3 and raw[0] == 0x08 and raw[1] < 0x80 and raw[2] == 0x12 and raw[3] == len(raw) - 4:
        return raw[1], raw[4:]
    entry = dict(_fields(raw))
    return int(entry[1]), _raw(entry[2])


def _type(raw: bytes) -> str:
    """A type as the schema writes it."""
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
                parts = ", ".join(_type(_raw(each)) for _, each in _fields(inner))
                return f"{'list' if number == 6 else 'map'}({parts})"
            case 9, bytes(name):
                return name.decode().removeprefix(f"{PACKAGE}.")
            case 11, _:
                return "type"
            case 14, bytes(inner):
                return _abstract(inner)
    return "dyn"


def _abstract(raw: bytes) -> str:
    (_, name), *parameters = _fields(raw)
    inside = ", ".join(_type(_raw(each)) for _, each in parameters)
    return f"{_raw(name).decode()}({inside})"


def _raw(value: int | bytes) -> bytes:
    return value if isinstance(value, bytes) else b""


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protocol buffer message: numbers, and texts or messages as bytes."""
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
