"""A valid policy, and its parameters: their types and defaults, and the values that settings give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Literal

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.cost import Work
from trialrun.values.cel.field_presence import FieldReads
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
    return isinstance(value, str) and _has_no_surrogates(value)


def _has_no_surrogates(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


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
