"""Evaluates conditions on a session state, as a whole and part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.activation import StateError, prepare_state
from trialrun.values.cel.builtins import NAMESPACES
from trialrun.values.cel.check import check_expression
from trialrun.values.cel.environment import Activation, EngineValue, Expression, environment
from trialrun.values.cel.syntax_tree import (
    Node,
    bound_variables,
    inner_children,
    is_has,
    is_macro,
    outer_children,
    reads_any_name,
)
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema
from trialrun.values.problem import Problem

# cel-cpp's limit for all macros of one evaluation, which the binding does not expose
MAX_ITERATIONS = 10_000
_LIST_MACROS = ("map", "filter", "transformList")


@dataclass(frozen=True, slots=True)
class Subexpression:
    """A part of a condition with its value, or its error."""

    text: str
    start: int
    end: int
    value: Any = None
    error: str | None = None


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
        return _compile_expression(self.text, self.schema)

    @cached_property
    def _parts(self) -> list[tuple[Node, Expression]]:
        nodes = sorted(_traceable_parts(self.tree, frozenset()), key=lambda each: (each.start, -each.end))
        return [(node, _compile_expression(self.text[node.start : node.end], self.schema)) for node in nodes]

    def evaluate(self, state: Mapping[str, Any]) -> Any:
        """The value of the condition for a state. Raises CelError."""
        return _run(self._whole, _prepare(state, self.schema))

    def trace(self, state: Mapping[str, Any]) -> tuple[Any, tuple[Subexpression, ...]]:
        """The value of the condition and of every part, outer parts first. Raises CelError with the parts.

        Literals, steps of longer paths (`order` in `order.subtotal`), parts with variables of a macro, and optional
        values are not included.
        """
        prepared = _prepare(state, self.schema)
        parts = tuple(self._part(node, expression, prepared) for node, expression in self._parts)
        try:
            return _run(self._whole, prepared), parts
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
        return tuple(self._known_part(node, each, activation, by_text) for node, each in self._parts)

    def _known_part(
        self, node: Node, expression: Expression, activation: Activation, by_text: dict[str, Subexpression]
    ) -> Subexpression:
        text = self.text[node.start : node.end]
        part = by_text.get(text)
        if part is None:
            part = by_text[text] = _evaluate_part(self.text, node, partial(evaluate_expression, expression, activation))
        return Subexpression(text, node.start, node.end, part.value, part.error)

    def _part(self, node: Node, expression: Expression, prepared: dict[str, Any]) -> Subexpression:
        return _evaluate_part(self.text, node, partial(_run, expression, prepared))


def _evaluate_part(text: str, node: Node, value: Callable[[], Any]) -> Subexpression:
    written = text[node.start : node.end]
    try:
        evaluated = value()
    except CelError as error:
        return Subexpression(written, node.start, node.end, error=error.message)
    if isinstance(evaluated, list) and _lists_map_keys(node):
        evaluated = sorted(evaluated, key=repr)
    return Subexpression(written, node.start, node.end, evaluated)


def _lists_map_keys(node: Node) -> bool:
    """Whether a part is a list of the keys of a map, whose order in the engine differs between processes."""
    return is_macro(node) and node.name in _LIST_MACROS and outer_children(node)[0].type.startswith("map")


@lru_cache(maxsize=1024)
def _compile(text: str, schema: Schema, result: str) -> Program:
    checked = check_expression(text, schema=schema, result=result)
    if checked.problems:
        raise CelError(checked.problems[0].message, checked.problems)
    if checked.tree is None:
        raise CelError("the condition is accepted by the engine and cannot be traced; rewrite it")
    return Program(text, checked.tree, schema)


def compile(text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool") -> Program:
    """Compile a condition. Raises CelError with the problems of `check`."""
    return _compile(text, schema, result)


def _compile_expression(text: str, schema: Schema) -> Expression:
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
    for child in node.arguments if _is_namespaced_call(node) else node.children:
        yield from _traceable_parts(child, scope)


def _is_namespaced_call(node: Node) -> bool:
    """Whether a part calls a function such as math.greatest, in which `math` is not a variable."""
    namespace = node.children[0].name if node.kind == "call" and node.receiver else ""
    return node.name in NAMESPACES.get(namespace, ()) and node.children[0].kind == "name"


def _is_path(node: Node) -> bool:
    while node.kind == "select":
        node = node.children[0]
    return node.kind == "name"


def _prepare(state: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    try:
        return prepare_state(state, schema)
    except StateError as error:
        raise CelError(str(error)) from None


def _run(expression: Expression, prepared: dict[str, Any]) -> Any:
    return _to_python(_call_engine(partial(expression.eval, data=prepared)))


def evaluate_expression(expression: Expression, activation: Activation) -> Any:
    """The plain value of an expression for prepared values. Raises CelError."""
    return _to_python(_call_engine(partial(expression.eval, activation)))


def _call_engine(value: Callable[[], EngineValue]) -> EngineValue:
    """Call the engine. Raises CelError."""
    try:
        return value()
    except RuntimeError as failure:
        raise CelError(_error_message(str(failure))) from None
    except ValueError:  # cel-cpp raises std::length_error without a message for a negative length
        raise CelError("lists.range needs a number of 0 or more; guard it with math.greatest(0, ...)") from None


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
            raise CelError(_error_text(value))
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
            return _value_or_text(value)


def _error_text(value: EngineValue) -> str:
    try:
        return _error_message(str(value.value()))
    except TypeError:
        return f"{value} has no plain value"


def _value_or_text(value: EngineValue) -> Any:
    try:
        return value.value()
    except TypeError:
        return str(value)
