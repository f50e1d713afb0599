"""The rule API: the decorators `@rule` and `@gather`, the context of checks, and the rule itself.

A file in `rules/` decorates its functions with `@rule(Subject, severity=…)`. The subject is a part of a model
(`UpsellStrategy`), a misfit (`UnknownField`), a parse error, or the facts of the workspace. A function takes the
subject and optionally the `Context`, and yields findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from trialrun.diagnostic import Finding, Severity, SymbolicLocation

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.node import Node
    from trialrun.values.cel import CheckResult, Schema

    CheckCondition = Callable[[str, Schema, frozenset[str]], CheckResult]
    """Checks a condition against a schema, with some extension libraries of CEL enabled."""
    from trialrun.values.cel import SchemaError


Findings = Iterator[Finding]
T = TypeVar("T")
FactValue = TypeVar("FactValue")
Gathered = Iterator[tuple[SymbolicLocation, FactValue]]
"""What a gathering function yields: the location and value of each fact."""
Check = TypeVar("Check", bound=Callable[..., Iterator[Any]])
Prefilter = Callable[..., bool]
"""Whether a check may report something about a message. Takes the message, and optionally the `Context`."""


class RuleDeclaration(NamedTuple):
    """The arguments of `@rule` or `@gather`, stored on the decorated function."""

    subjects: tuple[type | str, ...]
    severity: Severity
    on: bool
    options: Mapping[str, Any]
    absence: bool = False
    gathers: bool = False
    facts: tuple[type[Any], ...] = ()
    keys: tuple[str, ...] = ()
    by_id: bool = False
    context: tuple[type[Any], ...] = ()
    prefilter: Prefilter | None = None


def rule(
    *subjects: type | str,
    severity: Severity,
    on: bool = True,
    options: Mapping[str, Any] | None = None,
    absence: bool = False,
    prefilter: Prefilter | None = None,
) -> Callable[[Check], Check]:
    """Decorate a function as a check of the rule in its file.

    A subject is a class, or the name of a model class, so that a rule for both resources does not import both models;
    or a `TextFormat`, for all messages that have a field of it. `severity` is the highest severity of the rule;
    `on=False` leaves the rule out of the default set; `options` are its settings with their defaults; `absence` means
    that the rule reports something missing, so that it is silent if a line nearby could not be read. `prefilter` is a
    fast function that is false only for messages about which the check reports nothing, so that it need not be called;
    checks of several rules with the same one and the same options share its answer.
    """

    def declare(check: Check) -> Check:
        check.__rule__ = RuleDeclaration(  # type: ignore[attr-defined]
            subjects, severity, on, options or {}, absence, prefilter=prefilter
        )
        return check

    return declare


def gather(
    *subjects: type | str,
    facts: tuple[type[Any], ...],
    keys: tuple[str, ...] = (),
    by_id: bool = False,
    context: tuple[type[Any], ...] = (),
) -> Callable[[Check], Check]:
    """Decorate a function that gathers facts of one document for a rule across files.

    It yields `(location, value)` pairs; the checks of the rule get those of all documents as `Fact`s. Each value is an
    instance of one of `facts`, NamedTuples whose fields are JSON values with lists instead of tuples. `keys` are the
    fields that connect documents: a name, or a list of names, by which one document refers to another. `by_id` means
    that the rule compares only the id at the end of a name. `context` are those of `facts` that no finding is about:
    they only matter for findings in other documents.
    """

    def declare(check: Check) -> Check:
        check.__rule__ = RuleDeclaration(  # type: ignore[attr-defined]
            subjects, Severity.ERROR, True, {}, gathers=True, facts=facts, keys=keys, by_id=by_id, context=context
        )
        return check

    return declare


class SessionTypes:
    """The types of variables in conditions: from the SessionSchema of the workspace, or the guessed default."""

    def __init__(self, schema: Schema, *, is_declared: bool) -> None:
        self.schema = schema
        self.is_declared = is_declared


class Context:
    """What a check may read apart from its subject: the date, options of the rule, the root node, session types.

    Reading the date or the types is recorded, since cached results then depend on them.
    """

    __slots__ = (
        "_check_condition",
        "_checked",
        "_now",
        "_session",
        "_shared",
        "_types",
        "options",
        "resource",
        "uses_date",
        "uses_session",
    )

    def __init__(
        self, now: datetime, resource: Node, session: Callable[[], SessionTypes], check_condition: CheckCondition
    ) -> None:
        self._check_condition = check_condition
        self._checked: dict[tuple[str, frozenset[str]], CheckResult] = {}
        self._now = now
        self._session = session
        self._types: SessionTypes | None = None
        self._shared: dict[str, Any] = {}
        self.resource = resource
        self.options: Mapping[str, Any] = {}
        self.uses_date = False
        self.uses_session = False

    @property
    def now(self) -> datetime:
        """Midnight in UTC of the day of the check."""
        self.uses_date = True
        return self._now

    @property
    def session(self) -> SessionTypes:
        """The types of variables in conditions: from the SessionSchema documents of the workspace, or the default."""
        self.uses_session = True
        if self._types is None:
            self._types = self._session()
        return self._types

    def check_condition(self, text: str, extensions: frozenset[str]) -> CheckResult:
        """What checking a condition found, with these extension libraries; many rules ask about each."""
        known = self._checked.get((text, extensions))
        if known is None:
            known = self._checked[text, extensions] = self._check_condition(text, self.session.schema, extensions)
        return known

    def shared(self, name: str, compute: Callable[[], T]) -> T:
        """A value of the resource that several rules need, computed once.

        Facts of several rules share the object, so that it is pickled once.
        """
        if name not in self._shared:
            self._shared[name] = compute()
        value: T = self._shared[name]
        return value


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalog: its id, its group (a folder of `rules/`), its severity and its checks."""

    id: str
    group: str
    severity: Severity
    on: bool
    options: Mapping[str, Any]
    checks: tuple[Callable[..., Iterator[Any]], ...]
    gatherers: tuple[Callable[..., Iterator[Any]], ...]
    file: str
    doc: str

    @property
    def fact_types(self) -> dict[str, type[Any]]:
        """The classes of the facts that it gathers, by name."""
        return {fact.__name__: fact for gatherer in self.gatherers for fact in declaration(gatherer).facts}

    @property
    def rests_on_absence(self) -> bool:
        """Whether the rule reports something missing; assumed of policies."""
        return self.group == "policies" or any(declaration(check).absence for check in self.checks)


def subject_names(check: Callable[..., Any]) -> Iterator[str]:
    """The names of the subject classes of a check."""
    for subject in declaration(check).subjects:
        yield subject if isinstance(subject, str) else subject.__name__


def wants_context(check: Callable[..., Any]) -> bool:
    """Whether a check or a prefilter has a second parameter for the context."""
    return check.__code__.co_argcount > 1


def declaration(check: Callable[..., Any]) -> RuleDeclaration:
    """The arguments of `@rule` or `@gather` for a function."""
    declared: RuleDeclaration = check.__rule__  # type: ignore[attr-defined]
    return declared


def build_rule(file: str, rule_id: str, group: str, namespace: Mapping[str, Any]) -> Rule:
    """The rule of a loaded file, made of all decorated functions in it."""
    functions = [value for value in namespace.values() if hasattr(value, "__rule__")]
    checks = tuple(check for check in functions if not declaration(check).gathers)
    gatherers = tuple(check for check in functions if declaration(check).gathers)
    declarations = [declaration(check) for check in checks]
    severities = [declared.severity for declared in declarations]
    if "SEVERITY" in namespace:
        severities.append(namespace["SEVERITY"])
    if not severities:
        raise ImportError(f"{file} has neither a function decorated with @rule nor a SEVERITY")
    options = {key: value for declared in declarations for key, value in declared.options.items()}
    on = declarations[0].on if declarations else True
    doc = str(namespace.get("__doc__") or "")
    return Rule(rule_id, group, max(severities), on, options, checks, gatherers, file, doc)


ANY = "dyn"
"""The type text of a value of which nothing is known."""


def session_types(declarations: Iterable[Mapping[str, Any]]) -> SessionTypes:
    """The types and variables of all SessionSchema documents together; the default, a guess, without any.

    Of a type or variable that two documents declare, the first counts. What a text that cannot be read declares is of
    any type, and a name that cannot be used is left out: the findings of its own file say why, and no condition is
    wrong for that.
    """
    from trialrun.values import cel

    types: dict[str, dict[str, str]] = {}
    variables: dict[str, str] = {}
    for declared in declarations:
        for name, fields in _mapping(declared.get("types")).items():
            types.setdefault(name, _texts(fields))
        for name, text in _texts(declared.get("variables")).items():
            variables.setdefault(name, text)
    if not variables:
        return SessionTypes(cel.DEFAULT_SCHEMA, is_declared=False)
    while errors := list(cel.schema_errors(types, variables)):
        for error in errors:
            _discard(error, types, variables)
    return SessionTypes(cel.build_schema(types, variables), is_declared=True)


def _discard(error: SchemaError, types: dict[str, dict[str, str]], variables: dict[str, str]) -> None:
    """Take away what an error is about: a name, or what replaces a type."""
    root, *way = error.path
    *holder, name = way
    of_name: dict[str, Any] = variables if root == "variables" else types.get(holder[0], {}) if holder else types
    if error.in_name:
        of_name.pop(name, None)
    elif name in of_name:
        of_name[name] = ANY


def _texts(value: Any) -> dict[str, str]:
    """Each name with its type text; one whose value is not a text, which is told where it is, may be anything."""
    return {name: text if isinstance(text, str) else ANY for name, text in _mapping(value).items()}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
