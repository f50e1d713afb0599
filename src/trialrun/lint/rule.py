"""What a rule is: a page, a severity, and small functions that look at one kind of thing each.

A file in `rules/` decorates its functions with `@rule(Subject, severity=…)`. The subject is a part of a model
(`UpsellStrategy`), a way in which a value fits no model (`UnknownField`), a trouble of the reading (`Trouble`), or the
workspace. A function takes the subject and, if it has a second parameter, the `Context`, and yields findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.diagnostic import Finding, Severity, SymbolicLocation
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.node import Node
    from trialrun.values.cel import Schema

Findings = Iterator[Finding]
T = TypeVar("T")
FactValue = TypeVar("FactValue")
Gathered = Iterator[tuple[SymbolicLocation, FactValue]]
"""What a gatherer yields: the location and the value of each fact."""
Check = TypeVar("Check", bound=Callable[..., Iterator[Any]])


@dataclass(frozen=True, slots=True)
class RuleDeclaration:
    """What `@rule` was told, kept on the function it decorates."""

    subjects: tuple[type | str, ...]
    severity: Severity
    on: bool
    options: Mapping[str, Any]
    absence: bool = False
    gathers: bool = False
    facts: tuple[type[Any], ...] = ()
    keys: tuple[str, ...] = ()
    by_id: bool = False


def rule(
    *subjects: type | str,
    severity: Severity,
    on: bool = True,
    options: Mapping[str, Any] | None = None,
    absence: bool = False,
) -> Callable[[Check], Check]:
    """Make a function a check of the rule whose file it stands in.

    A subject is a class, or the name of one of a model's classes, which spares a rule of both resources the import of
    both models; or a `TextFormat`, for all messages that have a field of it. `severity` is the higher one where a rule
    has two; `on=False` leaves the rule out of the default set; `options` are the settings it reads, with their
    defaults; `absence` says that the rule rests on something not being there, so that it keeps silent where a line
    nearby could not be read.
    """

    def declare(check: Check) -> Check:
        check.__rule__ = RuleDeclaration(subjects, severity, on, options or {}, absence)  # type: ignore[attr-defined]
        return check

    return declare


def gather(
    *subjects: type | str, facts: tuple[type[Any], ...], keys: tuple[str, ...] = (), by_id: bool = False
) -> Callable[[Check], Check]:
    """Make a function collect what a rule across files needs to know of one document.

    It yields `(location, value)` pairs; the rule's check gets them for all documents as `Fact`s. Each value is an
    instance of one of `facts`, NamedTuples whose fields JSON can hold, in lists and not in tuples. `keys` are the
    fields of these that connect documents: a name, or a list of names, by which one document refers to another.
    `by_id` says that the rule takes the id at the end of a name for the name.
    """

    def declare(check: Check) -> Check:
        check.__rule__ = RuleDeclaration(  # type: ignore[attr-defined]
            subjects, Severity.ERROR, True, {}, gathers=True, facts=facts, keys=keys, by_id=by_id
        )
        return check

    return declare


class SessionTypes:
    """The types that conditions read: of the workspace's SessionSchema, or the shipped default, which is a guess."""

    def __init__(self, schema: Schema, *, is_declared: bool) -> None:
        self.schema = schema
        self.is_declared = is_declared


class Context:
    """What a check may ask beside its subject: the day, the rule's options, the root of the model, the session's types.

    What was asked is noted, since the verdict then depends on it.
    """

    __slots__ = ("_now", "_session", "_shared", "_types", "options", "resource", "uses_date", "uses_session")

    def __init__(self, now: datetime, resource: Node, session: Callable[[], SessionTypes]) -> None:
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
        """The beginning of the day, in UTC, on which the check is made."""
        self.uses_date = True
        return self._now

    @property
    def session(self) -> SessionTypes:
        """The types that conditions read: of the workspace's SessionSchema documents, or the default."""
        self.uses_session = True
        if self._types is None:
            self._types = self._session()
        return self._types

    def shared(self, name: str, compute: Callable[[], T]) -> T:
        """A value about the resource that several rules need, computed for the first of them.

        Facts of several rules have the same object, which is also pickled once for all of them.
        """
        if name not in self._shared:
            self._shared[name] = compute()
        value: T = self._shared[name]
        return value


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalogue: its id, its group (a folder of `rules/`), its severity and its checks."""

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
        """The classes of the facts that it gathers, by their names."""
        return {fact.__name__: fact for gatherer in self.gatherers for fact in declaration(gatherer).facts}

    @property
    def rests_on_absence(self) -> bool:
        """Whether the rule rests on something not being there, as any policy may."""
        return self.group == "policies" or any(declaration(check).absence for check in self.checks)


def subject_names(check: Callable[..., Any]) -> Iterator[str]:
    """The names of the classes that a check looks at."""
    for subject in declaration(check).subjects:
        yield subject if isinstance(subject, str) else subject.__name__


def wants_context(check: Callable[..., Any]) -> bool:
    """Whether a check takes the context beside its subject."""
    return check.__code__.co_argcount > 1


def declaration(check: Callable[..., Any]) -> RuleDeclaration:
    """What `@rule` or `@gather` was told about a function."""
    told: RuleDeclaration = check.__rule__  # type: ignore[attr-defined]
    return told


def build_rule(file: str, rule_id: str, group: str, namespace: Mapping[str, Any]) -> Rule:
    """The rule of a loaded file: all functions in it that `@rule` decorates."""
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
