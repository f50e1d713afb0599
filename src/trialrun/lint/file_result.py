"""The result of linting one file, small enough to be cached and sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, cast

from trialrun.diagnostic import Diagnostic, NotChecked, Path
from trialrun.lint import registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from typing_extensions import TypeVar

    from trialrun.lint.suppression.suppression import Suppression

    Value = TypeVar("Value", covariant=True, default=Any)
else:
    from typing import TypeVar

    Value = TypeVar("Value")

MASKING_RULES = ("unreadable-file", "syntax-error", "encoding-error", "resource-limit", "internal-error")
"""Rules whose findings may hide others in the same file."""

ALWAYS_REPORTED = frozenset({"unreadable-file", "syntax-error", "encoding-error", "resource-limit"})
"""Rules that cannot be deselected, since the affected content was not checked."""


class Fact(NamedTuple, Generic[Value]):
    """A fact about one document for a rule across files: a value and its location.

    The value is an instance of a class that the rule declares with `@gather`, a NamedTuple. When it is pickled or
    cached, the class is replaced by its name, since Python cannot import rule files by name. `path` is the path of the
    file, `steps` lead from the root of the document to the value. Lines and columns are only computed for findings.
    `is_complete` is false if a line of the document could not be read, so that facts may be missing.
    """

    rule: str
    value: Value
    path: str
    document: int
    steps: Path
    resource: str
    is_complete: bool = True

    def item(self, *steps: str | int) -> Fact[Value]:
        """The fact about an item or a part of the value."""
        return Fact(
            self.rule, self.value, self.path, self.document, (*self.steps, *steps), self.resource, self.is_complete
        )

    @property
    def sort_key(self) -> tuple[str, int, tuple[tuple[bool, str | int], ...]]:
        """Sort key: by path, document and location, with list items in order."""
        return (self.path, self.document, tuple((isinstance(step, int), step) for step in self.steps))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the value as a plain tuple."""
        kind, value = type(self.value).__name__, tuple(cast("Iterable[Any]", self.value))
        return restore_fact, (
            self.rule,
            kind,
            value,
            self.path,
            self.document,
            self.steps,
            self.resource,
            self.is_complete,
        )


def facts_of(facts: Iterable[Fact], kind: type[Value]) -> Iterator[Fact[Value]]:
    """The facts whose values are instances of a class."""
    return (fact for fact in facts if type(fact.value) is kind)


def restore_fact(
    rule: str,
    kind: str,
    value: Iterable[Any],
    path: str,
    document: int,
    steps: Iterable[str | int],
    resource: str,
    is_complete: bool,
) -> Fact:
    """A fact from its JSON or pickled parts; `kind` is the name of the value's class.

    Texts are interned, since what was read from a pipe or the cache has copies of its own.
    """
    shared_value = _fact_types(rule)[kind]._make(map(_shared, value))
    steps = tuple(map(_shared, steps))
    return Fact(intern(rule), shared_value, path, document, steps, intern(resource), is_complete)


def _shared(item: Any) -> Any:
    return intern(item) if type(item) is str else item


def _fact_types(rule: str) -> Mapping[str, type[Any]]:
    """The classes of the facts of a rule or a policy, by name."""
    if rule in registry.files():
        return registry.fact_types(rule)
    from trialrun.lint.policy.activation import FACT_TYPES

    return FACT_TYPES


def facts_by_rule(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """The facts of each rule that has any, in their order."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.rule, []).append(fact)
    return found


class KeptFacts(NamedTuple):
    """The facts of a file as the cache has them.

    `key` is that of the result, `content` the digest of the bytes of the file; `digests` has that of the facts of each
    rule.
    """

    key: str
    content: str
    digests: Mapping[str, str]
    are_complete: bool = True


CheckedFile = tuple[int, bool, KeptFacts | None]
"""A file in short: how many documents it has, whether there is nothing else to say of it, and its kept facts."""


class FactsGone(Exception):
    """The cache has lost facts of a file during the check."""


@dataclass(slots=True)
class FileResult:
    """The result of linting one file, before suppressions.

    `uses_session` and `uses_date` mean that the result depends on the SessionSchema documents of the workspace and on
    the date; `has_internal_error` that it reports an internal error. What the cache has of the facts is `kept`: they
    need not be here then. `not_checked` is what only another program knows.
    """

    path: str
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    uses_session: bool = False
    uses_date: bool = False
    has_internal_error: bool = False
    not_checked: list[NotChecked] = field(default_factory=list)
    suppressions: list[Suppression] = field(default_factory=list)
    kept: KeptFacts | None = field(default=None, compare=False)
