"""CEL state of a session: all declared fields, from session values and client values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from trialrun.runtime.channel_config.session.actions import OrderLine, OrderLines, plain_line
from trialrun.runtime.channel_config.session.client_values import (
    Path,
    TypeMismatch,
    UnknownStatePath,
    coerce_value,
    default_value,
    fits_type,
    parse_client_value,
    type_at,
)
from trialrun.values.cel.batch import SchemaEngine
from trialrun.values.cel.environment import Activation
from trialrun.values.cel.evaluate import StateError, prepare_value
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema, Type

SESSION_FIELDS: Mapping[str, Mapping[str, tuple[Any, str]]] = {
    "order": {
        "items": ([], "change it by adding or removing items"),
        "subtotal": (0.0, "it is computed from the items"),
    },
    "session": {
        "store": ("", "it is the store of the session"),
        "languageCode": ("", "switch to a language instead"),
        "turn": (0, "it is counted by the session"),
        "upsellOffers": (0, "it is counted by the session"),
        "upsellDeclines": (0, "it is counted by the session"),
        "startTime": (datetime.min, "it is the time at which the session begins"),
    },
}
"""What the session itself keeps up to date, where the types declare it, with what to do instead of setting it."""
DAYPART: Path = ("session", "daypartId")
"""Where a client says which part of the day it is."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_DYN = Type("dyn")
ClientState = tuple[tuple[Path, Mapping["StateBuilder", Any]], ...]
"""What the client sent, by its path and as each schema has it; a later one stands over an earlier one."""
SessionValues = dict[str, dict[str, Any]]
"""What the session keeps itself, by variable and field, as `SessionPlan.session_values` makes it for a turn."""


class StateBuilder:
    """The state as one schema has it; `state_builder` makes one for each."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        kept = {root: _session_fields_of(root, schema) for root in SESSION_FIELDS}
        self.kept = {root: fields for root, fields in kept.items() if fields}
        items = self.kept.get("order", {}).get("items", _DYN)
        self._item = items.parameters[0] if items.parameters else _DYN
        self._bases: dict[int, tuple[ClientState, dict[str, Any]]] = {}

    @cached_property
    def _prepared_defaults(self) -> dict[str, Any]:
        """What has no value from anyone, as the engine takes it."""
        return {name: self._prepared(value, (name,)) for name, value in self._defaults().items()}

    def parse_value(self, path: Path, value: Any) -> Any:
        """What the client sends, as its type has it. Raises TypeMismatch."""
        root = path[0] if path else ""
        for field in path[1:2] or (tuple(value) if isinstance(value, Mapping) else ()):
            if field in self.kept.get(root, {}):
                raise TypeMismatch(f"{root}.{field} is set by the session: {SESSION_FIELDS[root][field][1]}")
        type_ = type_at(path, self.schema)
        value = parse_client_value(value, type_, self.schema, path)
        try:
            prepare_value(dict.fromkeys(path), _DYN, self.schema, path)
            prepare_value(value, type_, self.schema, path)
        except StateError as error:
            raise TypeMismatch(str(error)) from None
        return deepcopy(value)

    def prepare(self, values: SessionValues, lines: OrderLines, sent: ClientState) -> dict[str, Any]:
        """The state of a turn as the engine takes it: what the session knows, the order, and what the client sent."""
        state = dict(self.prepared_base(sent))
        values["order"]["items"] = [self.prepared_line(line) for line in lines]
        for root, fields in self.kept.items():
            values_of_root = {field: _prepared_plain(values[root][field], type_) for field, type_ in fields.items()}
            state[root] = {**(state.get(root) or {}), **values_of_root}
        return state

    def activation(self, values: SessionValues, lines: OrderLines, sent: ClientState) -> Activation:
        """The state of a turn for expressions that are evaluated one by one."""
        return SchemaEngine(self.schema).activation(self.prepare(values, lines, sent))

    def plain(self, values: SessionValues, lines: OrderLines, sent: ClientState) -> dict[str, Any]:
        """The state of a turn as plain values, for people; times are datetimes."""
        state = self._build(sent)
        values["order"]["items"] = [self._plain_line(line) for line in lines]
        for root, fields in self.kept.items():
            state[root] = {**(state.get(root) or {}), **{field: values[root][field] for field in fields}}
        return deepcopy(state)

    def prepared_line(self, line: OrderLine) -> Any:
        """A line as the engine takes it, made once for each."""
        if self not in line.prepared:
            line.prepared[self] = prepare_value(self._plain_line(line), self._item, self.schema, ("item",))
        return line.prepared[self]

    def _plain_line(self, line: OrderLine) -> Any:
        return coerce_value(replace_surrogates(plain_line(line)), self._item, self.schema)

    def prepared_base(self, sent: ClientState) -> dict[str, Any]:
        """What the client sent and the defaults of the rest, as the engine takes them; made once for what is sent."""
        if id(sent) not in self._bases:
            if len(self._bases) >= 64:
                self._bases.clear()
            state = dict(self._prepared_defaults)
            for path, values in sent:
                if self in values:
                    self._set_value(state, path, self._prepared(values[self], path), self._prepared)
            self._bases[id(sent)] = sent, state  # kept with what was sent, so that no other has its identity
        return self._bases[id(sent)][1]

    def _prepared(self, value: Any, path: Path) -> Any:
        return prepare_value(value, type_at(path, self.schema), self.schema, path)

    def _build(self, sent: ClientState) -> dict[str, Any]:
        state = self._defaults()
        for path, values in sent:
            if self in values:
                self._set_value(state, path, values[self], lambda value, path: value)
        return state

    def _defaults(self) -> dict[str, Any]:
        roots = self.schema.roots
        return {name: default_value(type_, self.schema) for name, type_ in roots.items() if not type_.optional}

    def _set_value(self, state: dict[str, Any], path: Path, value: Any, converted: Callable[[Any, Path], Any]) -> None:
        """Set a value that is converted already; what is missing above it becomes the default of its type."""
        target = state
        for depth, name in enumerate(path[:-1], start=1):
            if not isinstance(target.get(name), dict):
                type_ = type_at(path[:depth], self.schema)
                default = {} if type_.name == "dyn" else default_value(type_, self.schema)
                target[name] = converted(default, path[:depth])
            target[name] = dict(target[name])
            target = target[name]
        if value is None and type_at(path, self.schema).name != "dyn":
            target.pop(path[-1], None)
        else:
            target[path[-1]] = value


@lru_cache(maxsize=64)
def state_builder(schema: Schema) -> StateBuilder:
    """The shape of the state by a schema."""
    return StateBuilder(schema)


def _session_fields_of(root: str, schema: Schema) -> dict[str, Type]:
    """What the session keeps of a variable, with the types: the fields that can have what the default types have."""
    type_ = schema.roots.get(root)
    if type_ is None or not fits_type({}, type_, schema):
        return {}
    kept: dict[str, Type] = {}
    for name, (initial, _) in SESSION_FIELDS[root].items():
        field_type = _field_type(type_, name, schema)
        if field_type is None:
            continue
        of_items = initial == [] and field_type.name == "list"  # which are messages or maps
        if fits_type({}, field_type.parameters[0], schema) if of_items else fits_type(initial, field_type, schema):
            kept[name] = field_type
    return kept


def _field_type(type_: Type, name: str, schema: Schema) -> Type | None:
    """The type of a field of a message, of a map, or of any value; None for one that a message does not have."""
    if (fields := schema.fields.get(type_.name)) is not None:
        return fields.get(name)
    return type_.parameters[1] if type_.name == "map" else _DYN


def _prepared_plain(value: Any, type_: Type) -> Any:
    if isinstance(value, datetime):
        return _timestamp(value)
    if type_.name in ("double", "uint"):
        return prepare_value(value, type_, DEFAULT_SCHEMA, ())
    return value


@lru_cache(maxsize=64)
def _timestamp(time: datetime) -> Any:
    return prepare_value(time, _DYN, DEFAULT_SCHEMA, ("session", "startTime"))


def with_client_value(sent: ClientState, path: Path, value: Any, shapes: Sequence[StateBuilder]) -> ClientState:
    """What the client sent with one more value, which replaces what was at its path and below.

    It goes to each shape whose schema has the path. Raises TypeMismatch where none has, or where it does not fit one.
    """
    values: dict[StateBuilder, Any] = {}
    missing: list[UnknownStatePath] = []
    for shape in shapes:
        try:
            values[shape] = shape.parse_value(path, value)
        except UnknownStatePath as error:
            missing.append(error)
    if not values:
        raise missing[0]
    return (
        *((earlier_path, earlier) for earlier_path, earlier in sent if earlier_path[: len(path)] != path),
        (path, values),
    )


def sent_daypart(sent: ClientState) -> str:
    """The daypart that the client sent; empty if it sent none."""
    for path, values in reversed(sent):
        if path in (DAYPART, DAYPART[:1]):
            value = next(iter(values.values()), None)
            part = value.get(DAYPART[1]) if path != DAYPART and isinstance(value, Mapping) else value
            return part if isinstance(part, str) else ""
    return ""


def replace_surrogates(value: Any) -> Any:
    """A value without halves of surrogate pairs, which conditions cannot read; each becomes U+FFFD."""
    match value:
        case str():
            return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
        case list():
            return [replace_surrogates(item) for item in value]
        case dict():
            return {key: replace_surrogates(element) for key, element in value.items()}
    return value
