"""Conditions evaluated against a session's state, as a whole and part by part."""

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

# cel-cpp's limit for all macros of one evaluation together, which the binding does not open
MAX_ITERATIONS = 10_000
_LIST_MACROS = ("map", "filter", "transformList")


@dataclass(frozen=True, slots=True)
class Subexpression:
    """A part of a condition, and what it came to: its value, or the error that it met."""

    text: str
    start: int
    end: int
    value: Any = None
    error: str | None = None


class CelError(ValueError):
    """A condition that cannot be compiled, with its `problems`, or that failed on a state.

    What `trace` raises has the `parts` that show where.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = (), parts: tuple[Subexpression, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.problems, self.parts = message, problems, parts


class Program:
    """A condition that is ready to run; `compile` makes one."""

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
        """The condition's value for a state of plain values. Raises CelError."""
        return _run(self._whole, _prepare(state, self.schema))

    def trace(self, state: Mapping[str, Any]) -> tuple[Any, tuple[Subexpression, ...]]:
        """The condition's value, and every part with its own, outer parts first. Raises CelError with the parts.

        Parts are what is neither a literal nor a mere step of a longer path (`order` in `order.subtotal`), nor reads
        the variable of a macro, which has a value for each item, nor is optional, which is not a plain value.
        """
        prepared = _prepare(state, self.schema)
        parts = tuple(self._part(node, expression, prepared) for node, expression in self._parts)
        try:
            return _run(self._whole, prepared), parts
        except CelError as error:
            raise CelError(error.message, parts=parts) from None

    def value(self, activation: Activation) -> Any:
        """The condition's value for values that the engine has taken already. Raises CelError."""
        return evaluate_expression(self._whole, activation)

    def parts(self, activation: Activation, by_text: dict[str, Subexpression]) -> tuple[Subexpression, ...]:
        """Every part with its value, as `trace` has them, for values that the engine has taken already.

        `known` keeps the parts by their texts, for the next condition that has the same part and is asked of the same
        values: that of a long list takes longer to read than to work out.
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
    """Whether a part is a list made from the keys of a map, which the engine gives in another order in each process."""
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
    """Checked against the types, and run over plain values: typed variables take no dicts."""
    engine = environment(schema)
    try:
        return engine.plain.deserialize(engine.compile(text))
    except RuntimeError as refusal:
        raise CelError(_first_line(str(refusal))) from None


def _traceable_parts(node: Node, scope: frozenset[str]) -> Iterator[Node]:
    """The parts that have one plain value: those that read no variable of a macro around them, and no optional ones."""
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
    """Whether a part calls a function such as math.greatest, of which `math` is a part of the name."""
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
    """The plain value of an expression for values that the engine has taken already. Raises CelError."""
    return _to_python(_call_engine(partial(expression.eval, activation)))


def _call_engine(value: Callable[[], EngineValue]) -> EngineValue:
    """What the engine comes to. Raises CelError."""
    try:
        return value()
    except RuntimeError as failure:
        raise CelError(_error_message(str(failure))) from None
    except ValueError:  # the engine's C++ has std::length_error for a length below 0, and no words for it
        raise CelError("lists.range needs a number of 0 or more; guard it with math.greatest(0, ...)") from None


def _error_message(text: str) -> str:
    if "budget exceeded" in text:
        return f"the condition iterates over more than {MAX_ITERATIONS} items; reduce them"
    if "cel.@mapInsert" in text:
        return "transformMap and transformMapEntry cannot be evaluated here; write it with transformList or exists"
    return _first_line(text)


def _first_line(text: str) -> str:
    """The engine's words without its error code; `Key not found in map : "a"`."""
    code, colon, rest = text.split(" [", 1)[0].partition(": ")
    return (rest if colon and code.isupper() else text).split("\n")[0]


def _to_python(value: EngineValue) -> Any:
    """A value of the engine as a plain one.

    A null is known by its type and never read: reading one takes away a reference to None, and before Python 3.12
    the process ends when none is left. So lists and maps are taken apart item by item.
    """
    match value.type().name().partition("<")[0]:
        case "NULL":
            return None
        case "ERROR":
            raise CelError(_error_text(value))
        case "LIST":
            return [_to_python(each) for each in value.value()]
        case "MAP":
            plain_value = value.value()  # in an order of the engine's own, another one in each process
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
