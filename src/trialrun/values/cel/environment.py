"""Sets up the engine for a schema: a typed environment for checks, and an untyped one for evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Protocol

from google.protobuf.descriptor_pool import DescriptorPool

from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.descriptors import TypePool, message_name
from trialrun.values.cel.extensions import EXTENSIONS
from trialrun.values.cel.type_schema import Schema, Type

with defer_interrupts():  # the process aborts if an import of the engine fails
    from cel_expr_python import cel  # type: ignore[import-untyped]

# limits of the engine (cel-cpp's parser options, which the binding does not expose)
MAX_LENGTH = 100_000
MAX_DEPTH = 32

_NUMBERS = ("int", "uint", "double")
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")
_COMPARISONS = {
    "_<_": "less",
    "_<=_": "less_equals",
    "_>_": "greater",
    "_>=_": "greater_equals",
    "_==_": "equals",
    "_!=_": "not_equals",
}


class EngineType(Protocol):
    """A type of the engine."""

    def name(self) -> str: ...


class EngineValue(Protocol):
    """A value of the engine; never read the `value` of one whose type is NULL."""

    def type(self) -> EngineType: ...
    def value(self) -> Any: ...


class Activation(Protocol):
    """Values of the variables, with which several expressions can be evaluated."""


class Expression(Protocol):
    """A compiled expression."""

    def serialize(self) -> bytes: ...
    def eval(self, activation: Activation | None = None, *, data: dict[str, Any] | None = None) -> EngineValue: ...


class Engine(Protocol):
    """An environment of the engine; both raise RuntimeError."""

    def compile(self, expression: str) -> Expression: ...
    def deserialize(self, serialized: bytes) -> Expression: ...
    def Activation(self, *, data: dict[str, Any]) -> Activation: ...


@dataclass(frozen=True, slots=True)
class Environment:
    """`typed` checks a text against the schema; `plain` evaluates it over dicts and lists."""

    typed: Engine
    plain: Engine

    def compile(self, text: str) -> bytes:
        """Check a text against the schema; returns it serialized for `plain`. Raises RuntimeError with the errors."""
        with defer_interrupts():  # the engine calls the type pool, where an exception would crash the process
            return self.typed.compile(text).serialize()


@lru_cache(maxsize=16)
def environment(schema: Schema) -> Environment:
    """The environment for a schema; created once for each."""
    pin_time_zones()
    with defer_interrupts():  # the engine aborts if one of its imports fails
        variables = {name: _engine_type(type_, cel.Type) for name, type_ in schema.roots.items()}
        # the pool has the interface of protobuf's; the binding uses nothing else of it
        typed: Engine = cel.NewEnv(TypePool(schema), config=_config(schema.library), variables=variables)
        return Environment(typed, plain_engine(tuple(schema.roots), schema.library))


@lru_cache(maxsize=16)
def plain_engine(names: tuple[str, ...], library: str = "") -> Engine:
    """The engine for variables with these names, which have plain values of any type.

    `library` names functions of ours that it can call besides those of CEL.
    """
    pin_time_zones()
    with defer_interrupts():
        variables = dict.fromkeys(names, cel.Type.DYN)
        engine: Engine = cel.NewEnv(
            DescriptorPool(), config=_config(library), variables=variables, function_impls=_functions(library)
        )
        return engine


def engine_with(names: tuple[str, ...], functions: Mapping[str, Callable[[], Any]], library: str = "") -> Engine:
    """An engine for plain variables, and for functions without arguments that give plain values."""
    pin_time_zones()
    with defer_interrupts():
        variables = dict.fromkeys(names, cel.Type.DYN)
        config = cel.NewEnvConfigFromYaml(_text_with(functions, library))
        implementations = {**_functions(library), **functions}
        engine: Engine = cel.NewEnv(
            DescriptorPool(), config=config, variables=variables, function_impls=implementations
        )
        return engine


def _text_with(functions: Iterable[str], library: str) -> str:
    """The configuration with functions without arguments."""
    lines = [
        line
        for name in functions
        for line in (
            f"  - name: {name}",
            "    overloads:",
            f"      - id: {name}",
            "        args: []",
            "        return: {type_name: dyn}",
        )
    ]
    return _library_text(library) + "".join(f"{line}\n" for line in lines)


def _functions(library: str) -> dict[str, Callable[..., Any]]:
    """The functions of a library by the ids of their overloads."""
    if not library:
        return {}
    from trialrun.values.cel.policy_functions import FUNCTIONS

    return dict(FUNCTIONS)


def pin_time_zones() -> None:
    """Make the engine use the time zones of the tzdata package instead of those of the system, which may lack some.

    It is told so by a variable of the environment, and again where that has been replaced.
    """
    import tzdata  # type: ignore[import-untyped]

    os.environ["TZDIR"] = os.path.join(next(iter(tzdata.__path__)), "zoneinfo")


@cache
def _config(library: str = "") -> Any:

    return cel.NewEnvConfigFromYaml(_library_text(library))


def _library_text(library: str) -> str:
    """The configuration of the engine, with the functions of a library."""
    if not library:
        return _config_text()
    from trialrun.values.cel.policy_functions import OVERLOADS

    return _config_text() + OVERLOADS


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


def _config_text() -> str:
    """The configuration of the engine: extensions, and comparisons between numeric types.

    The engine evaluates `double > int` but rejects it in checks, unless the mixed overloads are declared (cel-cpp's
    `enable_cross_numeric_comparisons`, which the binding does not expose).
    """
    lines = ["name: conditions", "extensions:", *(f"  - name: {extension}" for extension in EXTENSIONS)]
    lines += [
        "stdlib:",
        "  exclude_functions:",
        *(f"    - name: '{function}'" for function in _COMPARISONS),
        "functions:",
    ]
    for operator, name in _COMPARISONS.items():
        lines += [f"  - name: '{operator}'", "    overloads:"]
        lines += (
            _overload(name, "T", ", is_type_param: true") if operator in ("_==_", "_!=_") else _ordered_overloads(name)
        )
        lines += _mixed_overloads(name)
    return "\n".join(lines) + "\n"


def _ordered_overloads(name: str) -> Iterator[str]:
    for type_ in (*_NUMBERS, *_ORDERED):
        yield from _overload(f"{name}_{type_}", type_)


def _mixed_overloads(name: str) -> Iterator[str]:
    for left in _NUMBERS:
        for right in _NUMBERS:
            if left != right:
                yield from _overload(f"{name}_{left}_{right}", left, other=right)


def _overload(identity: str, type_name: str, more: str = "", *, other: str = "") -> Iterator[str]:
    yield f"      - id: {identity}"
    yield f"        args: [{{type_name: {type_name}{more}}}, {{type_name: {other or type_name}{more}}}]"
    yield "        return: {type_name: bool}"
