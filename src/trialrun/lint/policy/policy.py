"""A valid policy: its parameters, the CEL types of what it reads, and the work that it may do.

As in protocol buffers, an unset field reads as its default: the one in the specification, otherwise empty text, 0,
false, an empty list or map, the `…_UNSPECIFIED` value of an enum, or a message with all fields unset.

A policy of a cloned repository may ask for hours. The work of an evaluation, in units of `values/cel/cost.py`, is
estimated before it, so a policy that does too much fails on every machine at the same message, and the others are
judged all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from trialrun.diagnostic import Severity
from trialrun.model import feature_view, proto_json
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import UNSPECIFIED, Node, PartialMapping, TruncatedList, messages_in
from trialrun.values.cel import Schema, build_schema
from trialrun.values.cel.cost import InputSize, Work, units_of_work
from trialrun.values.cel.field_presence import FieldReads
from trialrun.values.cel.policy_functions import LIBRARY, MAX_WORK, bounded_work, work_done
from trialrun.values.suggest import did_you_mean

TYPES: Mapping[str, str] = {
    "int": "a whole number",
    "double": "a number",
    "bool": "true or false",
    "string": "a string",
    "list(string)": "a list of strings",
    "list(int)": "a list of whole numbers",
    "duration": "a duration, such as 90s, 15m, 24h or 1h30m",
}
"""The types of parameters, with what their values are."""
NAME = re.compile(r"[a-z][A-Za-z0-9]*|[a-z](?:_?[a-z0-9])*")
"""A name of a parameter; without `__`, which is in names of ours such as that of `PRESENCE_SUFFIX`."""
MAX_SECONDS = 315_576_000_000
"""The longest duration that the engine takes: 10,000 years."""
MAX_ITEMS = 1_000
"""The most items of a list that is a parameter."""
_DURATION = re.compile(r"(?:([0-9]{1,7})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,7})m)?(?:([0-9]{1,9})s)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a policy, which its expressions read as `parameters.NAME`."""

    name: str
    type: str
    default: Any
    description: str = ""


def value_problem(value: object, type_name: str) -> str | None:
    """What a value of a parameter must be, if it is something else."""
    return None if _is_valid(value, type_name) else f"must be {TYPES[type_name]}"


def _is_valid(value: object, type_name: str) -> bool:
    if type_name.startswith("list("):
        is_list = isinstance(value, list) and len(value) <= MAX_ITEMS
        return is_list and all(_is_valid(item, type_name[5:-1]) for item in value)  # type: ignore[attr-defined]
    if type_name == "duration":
        return isinstance(value, str) and _seconds(value) is not None
    if type_name == "bool":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if type_name == "double":
        return isinstance(value, (int, float)) and abs(value) < 2**63
    if type_name == "int":
        return isinstance(value, int) and -(2**63) <= value < 2**63
    return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)


def _seconds(text: str) -> int | None:
    match = _DURATION.fullmatch(text.strip())
    if match is None or not text.strip():
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return total if total <= MAX_SECONDS else None


def parameter_values(parameters: tuple[Parameter, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that expressions read as `parameters`: the given ones, else the defaults."""
    from trialrun.values.cel.field_presence import PRESENCE_SUFFIX

    values = {each.name: _value(given.get(each.name, each.default), each.type) for each in parameters}
    return values | {f"{name}{PRESENCE_SUFFIX}": True for name in values}


def _value(value: Any, type_name: str) -> Any:
    """A valid value as the engine takes it."""
    if type_name == "double":
        return float(value)
    if type_name != "duration":
        return value
    from trialrun.values.cel.evaluate import convert_time

    return convert_time(timedelta(seconds=_seconds(value) or 0))


ParameterProblem = tuple[tuple[str | int, ...], str, str]
"""The path of a key in the settings, what is wrong, and the text that is wrong."""


def parameter_problems(
    path: tuple[str | int, ...], tables: Mapping[str, Mapping[str, Any]], policies: Iterable[Policy]
) -> Iterator[ParameterProblem]:
    """The errors of the tables at a path of the settings, by policy."""
    known = {policy.id: policy for policy in policies}
    for name, values in tables.items():
        policy = known.get(name)
        if policy is None:
            advice = did_you_mean(name, known, otherwise="name one of those that policies lists")
            yield (*path, name), f'there is no policy "{name}"{advice}', name
        else:
            yield from _value_problems((*path, name), values, policy)


def _value_problems(
    path: tuple[str | int, ...], values: Mapping[str, Any], policy: Policy
) -> Iterator[ParameterProblem]:
    types = {parameter.name: parameter.type for parameter in policy.parameters}
    for name, value in values.items():
        if name not in types:
            known = f"its parameters are {', '.join(types)}" if types else "it has none"
            advice = did_you_mean(name, types, otherwise=known)
            yield (*path, name), f'the policy {policy.id} has no parameter "{name}"{advice}', name
        elif problem := value_problem(value, types[name]):
            yield (*path, name), f"{name} {problem}", value if isinstance(value, str) else name


Scope = Literal["document", "workspace"]
MAX_TEXT = 1_000
"""Characters of the text of a finding: a file may have a long text that is in the findings of all its messages."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: the message it checks, the condition that must hold, and the text of its findings.

    `check` and `message_expression` are the expressions that the engine evaluates; `at` leads from the message to the
    location of a finding; `reads` are the fields that both read. `line` is its line in `path`. `uses_functions` means
    that an expression calls functions other than those of CEL, `uses_date` that it depends on the day of the run. In
    the scope of a workspace, `kinds` are those of the documents that it reads, and of messages with the same value of
    `once` only the first has a finding. `work` is what each expression does.
    """

    id: str
    on: str
    at: tuple[str, ...]
    severity: Severity
    check: str
    reads: FieldReads
    reads_path: bool
    message: str
    message_expression: str | None
    doc: str
    path: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    uses_functions: bool = False
    uses_date: bool = False
    scope: Scope = "document"
    kinds: tuple[str, ...] = ()
    once: str | None = None
    work: tuple[Work, ...] = ()

    def finding_text(self, text: str) -> str:
        """The text of a finding from what `message_expression` gives: one line, cut where it is long."""
        line = " ".join(text[: 2 * MAX_TEXT].split()) or self.message
        return line if len(line) <= MAX_TEXT and len(text) <= 2 * MAX_TEXT else f"{line[: MAX_TEXT - 1]}…"

    @property
    def stands_alone(self) -> bool:
        """Whether it is evaluated apart from others: variables and work of its own."""
        return self.uses_functions or self.uses_date or bool(self.parameters)


DOCUMENT: Mapping[str, str] = {"path": "string", "kind": "string", "name": "string"}
"""The variables about the document of a message."""
KIND_OF_CALL = re.compile(r"""\bdocuments\(\s*["'](\w+)["']""")
"""A call of `documents` with the name of a kind."""
VARIABLES = ("self", "root", "document")
PARTIAL_TYPES = (TruncatedList, PartialMapping)
"""Lists and maps from which some entries were refused: nothing is known about the whole."""

DOCUMENTED_DEFAULTS: Mapping[tuple[str, str], Any] = {
    ("AutomaticResources", "minReplicaCount"): feature_view.DEFAULT_MIN_REPLICAS,
    ("AutomaticResources", "maxReplicaCount"): feature_view.DEFAULT_MAX_REPLICAS,
    ("TreeAHConfig", "leafNodeEmbeddingCount"): feature_view.DEFAULT_LEAF_NODE_EMBEDDING_COUNT,
    ("FeatureGroupTable", "timestampColumn"): "feature_timestamp",
    ("Column", "mode"): "NULLABLE",
}
"""Defaults from the specification that differ from those of the types, by message and field."""
_SCALARS = {str: "string", bool: "bool", int: "int", float: "double"}
_ZEROS: Mapping[type, Any] = {str: "", bool: False, int: 0, float: 0.0}


@cache
def kinds_by_message() -> Mapping[str, str]:
    """The kind of document that each message belongs to."""
    return MappingProxyType({message: kind for kind in KINDS for message in messages(kind)})


@cache
def messages(kind: str) -> Mapping[str, type[Node]]:
    """The messages of a kind of document by name, starting with the document itself."""
    return MappingProxyType({model.__name__: model for model in messages_in(model_of(kind))})


@cache
def policy_schema(on: str, kinds: tuple[str, ...] = (), parameters: tuple[tuple[str, str], ...] = ()) -> Schema:
    """The types and variables of a policy on a message.

    `kinds` are those of other documents that it reads, `parameters` the names and types of its parameters.
    """
    kind = kinds_by_message()[on]
    types = {
        name: {field: _type_text(proto_json.field_type(model, field)) for field in model.model_fields}
        for each in (kind, *kinds)
        for name, model in messages(each).items()
    }
    types["Document"] = dict(DOCUMENT)
    variables = {"self": on, "root": kind, "document": "Document", "now": "timestamp"}
    variables |= {documents_variable(each): f"list({each})" for each in kinds}
    if parameters:
        types["Parameters"] = dict(parameters)
        variables["parameters"] = "Parameters"
    return build_schema(types, variables, library=LIBRARY)


def lenient_schema(on: str, parameters: Mapping[str, object], text: str) -> Schema:
    """The types and variables of a policy that may have errors: with its valid parameters, and the documents that an
    expression reads.
    """
    kinds = dict.fromkeys(kind for kind in KIND_OF_CALL.findall(text) if kind in KINDS)
    types = {name: content.get("type") for name, content in parameters.items() if isinstance(content, Mapping)}
    valid = tuple(
        (name, type_)
        for name, type_ in types.items()
        if isinstance(type_, str) and type_ in TYPES and NAME.fullmatch(name)
    )
    return policy_schema(on, tuple(kinds), valid)


def documents_variable(kind: str) -> str:
    """The variable with all documents of a kind, which is as long as the call that it stands for."""
    return f"documents__{kind}__"


def _type_text(shape: proto_json.FieldType) -> str:
    if shape.is_list:
        return f"list({_type_text(proto_json.item_type(shape))})"
    if shape.model is not None:
        return shape.model.__name__
    if shape.values is not None:
        return f"map(string, {_type_text(shape.values)})"
    if shape.enum:
        return f"enum({', '.join(shape.enum)})"
    return _SCALARS[shape.scalar] if shape.scalar is not None else "dyn"


def default_value(model: type[Node], name: str) -> Any:
    """The value of an unset field that is not a message."""
    if (model.__name__, name) in DOCUMENTED_DEFAULTS:
        return DOCUMENTED_DEFAULTS[model.__name__, name]
    shape = proto_json.field_type(model, name)
    if shape.is_list:
        return []
    if shape.enum:
        return shape.enum[0] if len(shape.enum) == 1 or shape.enum[0].endswith(UNSPECIFIED) else ""
    return _ZEROS[shape.scalar] if shape.scalar is not None else {}


def is_refused(node: Node, name: str, value: Any) -> bool:
    """Whether the model refused the value of a field, or a part of it."""
    return isinstance(value, PARTIAL_TYPES) or (value is None and name in node.__pydantic_fields_set__)


FILE_UNITS, UNITS_PER_CHARACTER = 10_000_000, 300
"""What a policy may do on a file, whatever its length, and for each of its characters: at most 100 ms and 3 µs."""
WORKSPACE_UNITS = 1_000_000_000
EVALUATIONS_WITH_FUNCTIONS = 4
"""How often a policy may use up what functions of ours may do in an evaluation."""
SMALL_PART = 16
TOO_MUCH_WORK = "it may do too much work here; let its loops go over fewer items or shorter texts"
VALUE_SIZE = 8


class WorkBudget:
    """What each of some policies may do, and what all of them may; each may do a small part of it in any case."""

    def __init__(self, each: int) -> None:
        self._each, self._together = each, 2 * each
        self._spent: Counter[str] = Counter()
        self._sizes: dict[int, tuple[Any, InputSize]] = {}

    @classmethod
    def of_file(cls, length: int) -> WorkBudget:
        """The budget for the messages of a file."""
        return cls(FILE_UNITS + UNITS_PER_CHARACTER * length)

    def spend_evaluation(self, policy: Policy, values: Iterable[Any]) -> bool:
        """Take the work of a policy on some values from the budget; whether there is as much."""
        read = self._measure(list(values))
        return self._spend(policy, sum(units_of_work(work, read) for work in policy.work))

    @contextmanager
    def functions(self, policy: Policy) -> Iterator[None]:
        """One evaluation, in which functions of ours may be called: their work is taken when it is done."""
        try:
            with bounded_work():
                yield
        finally:
            self._spend(policy, self._each * work_done() // (EVALUATIONS_WITH_FUNCTIONS * MAX_WORK))

    def _spend(self, policy: Policy, units: int) -> bool:
        """Take some work from the budget; whether there is as much."""
        before, small = self._spent[policy.id], self._each // SMALL_PART
        shared = max(0, before + units - max(before, small))
        self._spent[policy.id] += units
        if before + units > self._each or shared > self._together:
            return False
        self._together -= shared
        return True

    def _measure(self, value: Any) -> InputSize:
        if isinstance(value, str):
            return InputSize(len(value) + VALUE_SIZE, 0, len(value) + VALUE_SIZE)
        if not isinstance(value, Mapping | Sequence):
            return InputSize(VALUE_SIZE)
        if id(value) not in self._sizes:
            parts = [
                self._measure(part) for part in ((*value, *value.values()) if isinstance(value, Mapping) else value)
            ]
            total = sum((part.all for part in parts), VALUE_SIZE)
            longest = max((part.longest_list for part in parts), default=0)
            text = max((part.longest_text for part in parts), default=0)
            measured = InputSize(total, max(longest, len(value)), text)
            self._sizes[id(value)] = value, measured  # with the value, so that no other gets its id
        return self._sizes[id(value)][1]
