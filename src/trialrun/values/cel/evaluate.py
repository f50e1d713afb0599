"""Evaluates conditions on a session state, as a whole and part by part.

The Python binding follows references without limit: a list that contains itself, or 100,000 levels, crash the process.
So every state is validated and copied before the engine receives it: a tree of plain values, limited in depth, with the
types of the schema.
"""

from __future__ import annotations

import datetime
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Annotated, Any

from pydantic import Field, PlainSerializer
from pydantic.json_schema import SkipJsonSchema

from trialrun.values import Problem
from trialrun.values.cel.builtins import NAMESPACES
from trialrun.values.cel.check import check_expression
from trialrun.values.cel.environment import Activation, EngineValue, Expression, environment
from trialrun.values.cel.syntax_tree import (
    Node,
    bound_variables,
    inner_children,
    is_has,
    is_macro,
    namespace,
    outer_children,
    reads_any_name,
)
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema, Type
from trialrun.values.timestamp import format_timestamp

MAX_DEPTH = 100
_ANY = Type("dyn")
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**64
_KEY_TYPES = (str, int, bool)


class StateError(ValueError):
    """A state that conditions cannot be evaluated on; `path` leads to the invalid value."""

    def __init__(self, path: tuple[object, ...], message: str) -> None:
        where = "".join(f"[{each!r}]" if index else str(each) for index, each in enumerate(path)) or "the state"
        super().__init__(f"{where}: {message}")
        self.path, self.message = path, message


def prepare_value(
    value: Any, type_: Type, schema: Schema, path: tuple[object, ...], above: frozenset[int] = frozenset()
) -> Any:
    """A copy of one value of a state that is safe to evaluate; `path` leads to it. Raises StateError.

    Integers become doubles or unsigned integers if the schema says so, since YAML and JSON write 10.0 as 10. `above`
    are the ids of the lists and mappings around it.
    """
    match value:
        case None | bool() | bytes():
            return value
        case str():
            return _check_text(str(value), path)
        case int() | float():
            return _convert_number(value, type_, path)
        case Mapping() | list() | tuple():
            if id(value) in above:
                raise StateError(path, "the value holds itself; break the cycle")
            if len(path) > MAX_DEPTH:
                raise StateError(path[:8], f"the value nests deeper than {MAX_DEPTH} levels; flatten it")
            return _prepare_items(value, type_, schema, path, above | {id(value)})
        case datetime.datetime() | datetime.timedelta():
            return convert_time(value, path)
    advice = "use text, numbers, booleans, times, lists and mappings"
    raise StateError(path, f"a value of type {type(value).__name__} cannot be evaluated; {advice}")


def _prepare_items(value: Any, type_: Type, schema: Schema, path: tuple[object, ...], above: frozenset[int]) -> Any:
    if isinstance(value, list | tuple):
        element = type_.parameters[0] if type_.name == "list" else _ANY
        return [prepare_value(each, element, schema, (*path, index), above) for index, each in enumerate(value)]
    item_type = type_.parameters[1] if type_.name == "map" else _ANY
    fields = schema.fields.get(type_.name, {})
    entries = {}
    for key, each in value.items():
        if not isinstance(key, _KEY_TYPES):
            raise StateError(path, f"a key is text, an int or a bool, not {key!r}; write it as one")
        _check_text(key, path) if isinstance(key, str) else _convert_number(key, _ANY, path)
        own_type = fields.get(key, item_type) if isinstance(key, str) else item_type
        entries[key] = prepare_value(each, own_type, schema, (*path, key), above)
    return entries


def _check_text(value: str, path: tuple[object, ...]) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise StateError(path, "the text holds half of a surrogate pair; remove it") from None
    return value


def _convert_number(value: float, type_: Type, path: tuple[object, ...]) -> Any:
    if isinstance(value, float):
        return float(value)
    if not _MIN_INTEGER <= value < _MAX_INTEGER:
        raise StateError(path, f"{'a' if value > 0 else 'a negative'} number is out of the 64-bit range; use a double")
    if isinstance(value, bool):
        return value
    if type_.name == "uint" and value >= 0:
        return _unsigned_message(int(value))
    return float(value) if type_.name == "double" else int(value)


@lru_cache(maxsize=1024)
def _unsigned_message(value: int) -> object:
    """A number as the protobuf message that the engine converts to uint; a Python int would become an int."""
    from google.protobuf import wrappers_pb2

    return wrappers_pb2.UInt64Value(value=value)


def convert_time(value: datetime.datetime | datetime.timedelta, path: tuple[object, ...] = ()) -> object:
    """A time in a state as the protobuf message that the engine expects."""
    from google.protobuf import duration_pb2, timestamp_pb2

    is_time = isinstance(value, datetime.datetime)
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise StateError(path, "the time has no offset; give it a time zone")
        value = value - _EPOCH
    seconds, micros = value.days * 86400 + value.seconds, value.microseconds
    if is_time:
        return timestamp_pb2.Timestamp(seconds=seconds, nanos=micros * 1000)
    if seconds < 0 and micros:
        # the nanoseconds of a duration have the sign of its seconds
        seconds, micros = seconds + 1, micros - 1_000_000
    return duration_pb2.Duration(seconds=seconds, nanos=micros * 1000)


# cel-cpp's limit for all macros of one evaluation, which the binding does not expose
MAX_ITERATIONS = 10_000
_LIST_MACROS = ("map", "filter", "transformList")


def json_state(value: Any) -> Any:
    """A value of the state as JSON has it."""
    match value:
        case datetime.datetime():
            return format_timestamp(value)
        case datetime.timedelta():
            return f"{value.total_seconds():.15g}s"
        case bytes():
            return b64encode(value).decode("ascii")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        case Mapping():
            return {str(key): json_state(item) for key, item in value.items()}
        case list() | tuple():
            return [json_state(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Subexpression:
    """A part of a condition."""

    text: str
    value: Annotated[Any, PlainSerializer(json_state, return_type=Any)]
    error: Annotated[str | SkipJsonSchema[None], Field(default=None)]
    start: Annotated[int, Field(ge=0, description="in characters from the start of the condition")]
    end: Annotated[int, Field(ge=0, description="exclusive")]


class CelError(ValueError):
    """A condition that cannot be compiled, with its `problems`, or that failed on a state.

    Errors of `trace` have the `parts`, which show where it failed.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = (), parts: tuple[Subexpression, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.problems, self.parts = message, problems, parts


class Program:
    """A compiled condition, created by `compile`."""

    def __init__(self, text: str, tree: Node, schema: Schema) -> None:
        self.text, self.tree, self.schema = text, tree, schema

    @cached_property
    def _whole(self) -> Expression:
        return compile_typed(self.text, self.schema)

    @cached_property
    def _parts(self) -> list[tuple[Node, Expression]]:
        nodes = sorted(_traceable_parts(self.tree, frozenset()), key=lambda each: (each.start, -each.end))
        return [(node, compile_typed(self.text[node.start : node.end], self.schema)) for node in nodes]

    def evaluate(self, state: Mapping[str, Any]) -> Any:
        """The value of the condition for a state. Raises CelError."""
        return evaluate_expression(self._whole, data=_prepare(state, self.schema))

    def trace(self, state: Mapping[str, Any]) -> tuple[Any, tuple[Subexpression, ...]]:
        """The value of the condition and of every part, outer parts first. Raises CelError with the parts.

        Literals, steps of longer paths (`order` in `order.subtotal`), parts with variables of a macro, and optional
        values are not included.
        """
        prepared = _prepare(state, self.schema)
        parts = tuple(
            _evaluate_part(self.text, node, partial(evaluate_expression, each, data=prepared))
            for node, each in self._parts
        )
        try:
            return evaluate_expression(self._whole, data=prepared), parts
        except CelError as error:
            raise CelError(error.message, parts=parts) from None

    def value(self, activation: Activation) -> Any:
        """The value of the condition for prepared values. Raises CelError."""
        return evaluate_expression(self._whole, activation)

    def parts(self, activation: Activation, by_text: dict[str, Subexpression]) -> tuple[Subexpression, ...]:
        """Every part with its value, as by `trace`, for prepared values.

        `by_text` caches parts by text for further conditions on the same values, since reading the value of a long list
        is slow.
        """
        parts = []
        for node, expression in self._parts:
            text = self.text[node.start : node.end]
            if (part := by_text.get(text)) is None:
                value = partial(evaluate_expression, expression, activation)
                part = by_text[text] = _evaluate_part(self.text, node, value)
            parts.append(Subexpression(text, part.value, part.error, node.start, node.end))
        return tuple(parts)


def _evaluate_part(text: str, node: Node, value: Callable[[], Any]) -> Subexpression:
    written = text[node.start : node.end]
    try:
        evaluated = value()
    except CelError as error:
        return Subexpression(written, None, error.message, node.start, node.end)
    is_listing = isinstance(evaluated, list) and is_macro(node) and node.name in _LIST_MACROS
    if is_listing and outer_children(node)[0].type.startswith("map"):
        evaluated = sorted(evaluated, key=repr)  # the order of keys in the engine differs between processes
    return Subexpression(written, evaluated, None, node.start, node.end)


@lru_cache(maxsize=1024)
def compile(text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool") -> Program:
    """Compile a condition. Raises CelError with the problems of `check`."""
    checked = check_expression(text, schema=schema, result=result)
    if checked.problems:
        raise CelError(checked.problems[0].message, checked.problems)
    if checked.tree is None:
        raise CelError("the condition is accepted by the engine and cannot be traced; rewrite it")
    return Program(text, checked.tree, schema)


@lru_cache(maxsize=4096)
def compile_typed(text: str, schema: Schema) -> Expression:
    """Compile a text that was checked with types for plain values, since typed variables do not accept dicts."""
    engine = environment(schema)
    try:
        return engine.plain.deserialize(engine.compile(text))
    except RuntimeError as refusal:
        raise CelError(_first_line(str(refusal))) from None


def _traceable_parts(node: Node, scope: frozenset[str]) -> Iterator[Node]:
    """The parts with one plain value: they have no variables of an enclosing macro, and are not optional."""
    if node.kind != "literal" and not node.type.startswith("optional_type") and not reads_any_name(node, scope):
        yield node
    if is_macro(node):
        for child in outer_children(node):
            yield from _traceable_parts(child, scope)
        for child in inner_children(node):
            yield from _traceable_parts(child, scope | set(bound_variables(node)))
        return
    if is_has(node) or _is_path(node):
        return
    # in a call such as math.greatest, `math` is not a variable
    is_namespaced = node.name in NAMESPACES.get(namespace(node), ())
    for child in node.arguments if is_namespaced else node.children:
        yield from _traceable_parts(child, scope)


def _is_path(node: Node) -> bool:
    while node.kind == "select":
        node = node.children[0]
    return node.kind == "name"


def _prepare(state: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """A copy of a state that is safe to evaluate. Raises CelError."""
    try:
        if not isinstance(state, Mapping):
            given = type(state).__name__
            raise StateError((), f"the variables are a mapping, not {given}; give one value for each name")
        prepared = {}
        for name, value in state.items():
            if not isinstance(name, str):
                raise StateError((), f"the name of a variable is text, not {name!r}; write it in quotes")
            prepared[_check_text(name, ())] = prepare_value(value, schema.roots.get(name, _ANY), schema, (name,))
    except StateError as error:
        raise CelError(str(error)) from None
    return prepared


def evaluate_expression(
    expression: Expression, activation: Activation | None = None, *, data: dict[str, Any] | None = None
) -> Any:
    """The plain value of an expression for prepared values: those of an activation, or `data`. Raises CelError."""
    try:
        value = expression.eval(activation) if data is None else expression.eval(data=data)
    except RuntimeError as failure:
        raise CelError(_error_message(str(failure))) from None
    except ValueError:  # cel-cpp raises std::length_error without a message for a negative length
        raise CelError("lists.range needs a number of 0 or more; guard it with math.greatest(0, ...)") from None
    return _to_python(value)


def _error_message(text: str) -> str:
    if "budget exceeded" in text:
        return f"the condition iterates over more than {MAX_ITERATIONS} items; reduce them"
    if "cel.@mapInsert" in text:
        return "transformMap and transformMapEntry cannot be evaluated here; write it with transformList or exists"
    return _first_line(text)


def _first_line(text: str) -> str:
    """The first line of the engine's message without its code; `Key not found in map : "a"`."""
    code, colon, rest = text.split(" [", 1)[0].partition(": ")
    return (rest if colon and code.isupper() else text).split("\n")[0]


def _to_python(value: EngineValue) -> Any:
    """A value of the engine as a plain value.

    Null values are recognized by type and never read: reading one decrements the reference count of None, and before
    Python 3.12 the process crashes when it reaches 0. So lists and maps are converted item by item.
    """
    match value.type().name().partition("<")[0]:
        case "NULL":
            return None
        case "ERROR":
            try:
                message = str(value.value())
            except TypeError:
                raise CelError(f"{value} has no plain value") from None
            raise CelError(_error_message(message))
        case "LIST":
            return [_to_python(element) for element in value.value()]
        case "MAP":
            plain_value = value.value()  # sorted, since the engine's order differs between processes
            return {
                key: _to_python(plain_value[key])
                for key in sorted(plain_value, key=lambda key: (type(key).__name__, key))
            }
        case "BYTES":
            return bytes(value.value())
        case "TYPE" | "UNKNOWN":
            return str(value)
        case _:
            try:
                return value.value()
            except TypeError:
                return str(value)
