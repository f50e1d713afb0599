"""The state that conditions read: every declared field, with what the session knows and what the client sent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.client_state import taken
from trialrun.runtime.channel_config.session.order import Lines, plain, subtotal
from trialrun.runtime.channel_config.session.type_values import NoSuchPath, Path, Unfit, default, fits, shaped, type_at
from trialrun.values.cel.activation import StateError, prepare_value
from trialrun.values.cel.environment import Activation, environment
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema
from trialrun.values.cel.type_syntax import Type

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.order import Line

KEPT: Mapping[str, Mapping[str, tuple[Any, str]]] = {
    "order": {
        "items": ([], "add and remove items"),
        "subtotal": (0.0, "it is the price of the items"),
    },
    "session": {
        "store": ("", "it is the store of the session"),
        "languageCode": ("", "speak a language"),
        "turn": (0, "the session counts it"),
        "upsellOffers": (0, "the session counts it"),
        "upsellDeclines": (0, "the session counts it"),
        "startTime": (datetime.min, "it is the time at which the session begins"),
    },
}
"""What the session itself keeps up to date, where the types declare it, with what to do instead of setting it."""
_HALF = re.compile("[\ud800-\udfff]")
_DYN = Type("dyn")
Sent = tuple[tuple[Path, Mapping["Shape", Any]], ...]
"""What the client sent, by its path and as each schema has it; a later one stands over an earlier one."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a session knows of itself at a turn."""

    store: str
    language: str
    turn: int
    offers: int
    declines: int
    begin: datetime
    lines: Lines


class Shape:
    """The state as one schema has it; `shape_of` makes one for each."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.kept = {root: kept for root in KEPT if (kept := dict(_kept(root, schema)))}
        items = self.kept.get("order", {}).get("items", _DYN)
        self._item = items.parameters[0] if items.parameters else _DYN
        self._bases: dict[int, tuple[Sent, dict[str, Any]]] = {}

    @cached_property
    def _engine(self) -> Any:
        return environment(self.schema).plain

    def check(self, path: Path, value: Any) -> Any:
        """What the client sends, as its type has it. Raises Unfit."""
        self._check_kept(path, value)
        type_ = type_at(path, self.schema)
        value = taken(value, type_, self.schema, path)
        try:
            prepare_value(dict.fromkeys(path), _DYN, self.schema, path)
            prepare_value(value, type_, self.schema, path)
        except StateError as error:
            raise Unfit(str(error)) from None
        return deepcopy(value)

    def _check_kept(self, path: Path, value: Any) -> None:
        """Refuse a value for what the session keeps itself."""
        root = path[0] if path else ""
        fields = path[1:2] or (tuple(value) if isinstance(value, Mapping) else ())
        for field in fields:
            if field in self.kept.get(root, {}):
                raise Unfit(f"{root}.{field} is kept by the session: {KEPT[root][field][1]}")

    def activation(self, known: Known, sent: Sent) -> Activation:
        """The state of a turn as the engine takes it."""
        state = dict(self._base(sent))
        values = _values(known, [self._prepared(line) for line in known.lines])
        for root, fields in self.kept.items():
            held = {field: _prepared_plain(values[root][field], type_) for field, type_ in fields.items()}
            state[root] = {**(state.get(root) or {}), **held}
        activation: Activation = self._engine.Activation(data=state)
        return activation

    def plain(self, known: Known, sent: Sent) -> dict[str, Any]:
        """The state of a turn as plain values, for people; times are datetimes."""
        state = self._built(sent)
        values = _values(known, [shaped(_readable(plain(line)), self._item, self.schema) for line in known.lines])
        for root, fields in self.kept.items():
            state[root] = {**(state.get(root) or {}), **{field: values[root][field] for field in fields}}
        return deepcopy(state)

    def _prepared(self, line: Line) -> Any:
        if self not in line.shapes:
            value = shaped(_readable(plain(line)), self._item, self.schema)
            line.shapes[self] = prepare_value(value, self._item, self.schema, ("item",))
        return line.shapes[self]

    def _base(self, sent: Sent) -> dict[str, Any]:
        """What the client sent and the defaults of the rest, as the engine takes them; made once for what is sent."""
        found = self._bases.get(id(sent))
        if found is None or found[0] is not sent:
            if len(self._bases) >= 64:
                self._bases.clear()
            built = self._built(sent)
            roots = self.schema.roots
            prepared = {name: prepare_value(held, roots[name], self.schema, (name,)) for name, held in built.items()}
            found = self._bases[id(sent)] = sent, prepared
        return found[1]

    def _built(self, sent: Sent) -> dict[str, Any]:
        """The variables with their defaults, and what the client sent put in."""
        roots = self.schema.roots
        state = {name: default(type_, self.schema) for name, type_ in roots.items() if not type_.optional}
        for path, values in sent:
            if self in values:
                _put(state, path, values[self], self.schema)
        return state


@lru_cache(maxsize=64)
def shape_of(schema: Schema) -> Shape:
    """The shape of the state by a schema."""
    return Shape(schema)


def _kept(root: str, schema: Schema) -> list[tuple[str, Type]]:
    """What the session keeps of a variable, with the types: fields as the default types have them, by name."""
    type_ = schema.roots.get(root)
    if type_ is None or not fits({}, type_, schema):
        return []
    fields = schema.fields.get(type_.name)
    held = type_.parameters[1] if type_.name == "map" else _DYN
    types = {name: (fields.get(name) if fields is not None else held) for name in KEPT[root]}
    return [(name, each) for name, each in types.items() if each and _is_kept(KEPT[root][name][0], each, schema)]


def _is_kept(known: Any, type_: Type, schema: Schema) -> bool:
    """Whether what the session knows can stand in a field; a list of it holds messages or maps."""
    if known == [] and type_.name == "list":
        return fits({}, type_.parameters[0], schema)
    return fits(known, type_, schema)


def _values(known: Known, items: list[Any]) -> dict[str, dict[str, Any]]:
    return {
        "order": {"items": items, "subtotal": subtotal(known.lines)},
        "session": {
            "store": _whole(known.store),
            "languageCode": _whole(known.language),
            "turn": known.turn,
            "upsellOffers": known.offers,
            "upsellDeclines": known.declines,
            "startTime": known.begin,
        },
    }


def _prepared_plain(value: Any, type_: Type) -> Any:
    if isinstance(value, datetime):
        return _timestamp(value)
    if type_.name in ("double", "uint"):
        return prepare_value(value, type_, DEFAULT_SCHEMA, ())
    return value


@lru_cache(maxsize=64)
def _timestamp(moment: datetime) -> Any:
    return prepare_value(moment, _DYN, DEFAULT_SCHEMA, ("session", "startTime"))


def _put(state: dict[str, Any], path: Path, value: Any, schema: Schema) -> None:
    held = state
    for at, name in enumerate(path[:-1], start=1):
        if not isinstance(held.get(name), dict):
            type_ = type_at(path[:at], schema)
            held[name] = {} if type_.name == "dyn" else default(type_, schema)
        held[name] = dict(held[name])
        held = held[name]
    type_ = type_at(path, schema)
    if value is None and type_.name != "dyn":
        held.pop(path[-1], None)
    else:
        held[path[-1]] = value


def sent_more(sent: Sent, path: Path, value: Any, shapes: Sequence[Shape]) -> Sent:
    """What the client sent with one more value, which stands in place of what was at its path and below.

    It goes to each shape whose schema has the path. Raises Unfit where none has, or where it does not fit one.
    """
    values: dict[Shape, Any] = {}
    missing: list[NoSuchPath] = []
    for shape in shapes:
        try:
            values[shape] = shape.check(path, value)
        except NoSuchPath as unknown:
            missing.append(unknown)
    if not values:
        raise missing[0]
    return (*((each, held) for each, held in sent if each[: len(path)] != path), (path, values))


def _readable(value: Any) -> Any:
    """A line without halves of surrogate pairs, which conditions cannot read; each becomes U+FFFD."""
    match value:
        case str():
            return _whole(value)
        case list():
            return [_readable(each) for each in value]
        case dict():
            return {key: _readable(each) for key, each in value.items()}
    return value


def _whole(text: str) -> str:
    return text if text.isascii() else _HALF.sub("\ufffd", text)
