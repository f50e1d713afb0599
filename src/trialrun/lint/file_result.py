"""What linting one file gave, small enough to be kept and sent between processes."""

from __future__ import annotations

from dataclasses import field
from sys import intern
from typing import TYPE_CHECKING, Any, Generic, cast

from trialrun.diagnostic import Diagnostic, Path
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import TypeVar

    from trialrun.lint.suppression.suppression import Suppression

    Value = TypeVar("Value", covariant=True, default=Any)
else:
    from typing import TypeVar

    Value = TypeVar("Value")

MASKING_RULES = ("unreadable-file", "syntax-error", "encoding-error", "resource-limit", "internal-error")
"""Rules whose findings may hide others of the same file."""

ALWAYS_REPORTED = frozenset({"unreadable-file", "syntax-error", "encoding-error", "resource-limit"})
"""Rules that no selection leaves out: what they find was not read, or not whole, so it was not checked."""


@dataclass(frozen=True, slots=True)
class Fact(Generic[Value]):
    """What a rule across files knows of one document: a value, and the way to where it is.

    The value is one of the classes that the rule declares with `@gather`, a NamedTuple. On its way to another process,
    or into the cache, it uses the name of its class, since Python cannot import the files of rules by name. `path` is
    the path of the file, `steps` lead from the root of the document to the value. Lines and columns are computed only
    for the few facts that a finding speaks of. `is_complete` is false where a line of the document could not be read,
    so that what is missing among its facts may be there.
    """

    rule: str
    value: Value
    path: str
    document: int
    steps: Path
    resource: str
    is_complete: bool = True

    def item(self, *steps: str | int) -> Fact[Value]:
        """The fact at an item of the list at which it is, or at a part of the message."""
        return Fact(
            self.rule, self.value, self.path, self.document, (*self.steps, *steps), self.resource, self.is_complete
        )

    @property
    def sort_key(self) -> tuple[str, int, tuple[tuple[bool, str | int], ...]]:
        """Facts are checked by path, document and place: the items of a list in their order."""
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
    """Those of some facts whose values are of a class."""
    return (fact for fact in facts if type(fact.value) is kind)


def restore_fact(rule: str, kind: str, value: Iterable[Any], *rest: Any) -> Fact:
    """A fact from its parts as JSON and pickle have them: `kind` is the name of its class."""
    return Fact(rule, registry.fact_types(rule)[kind]._make(value), *rest)


def intern_fact(fact: Fact, path: str) -> Fact:
    """The fact with its repeated texts held once: after a way through a pipe every fact has copies of its own."""
    value = fact.value._make(intern(item) if isinstance(item, str) else item for item in fact.value)
    steps = tuple(intern(step) if isinstance(step, str) else step for step in fact.steps)
    return Fact(intern(fact.rule), value, path, fact.document, steps, intern(fact.resource), fact.is_complete)


@dataclass(slots=True)
class FileResult:
    """What linting one file gave, before any of it is suppressed.

    `asked_session` and `uses_date` say that the verdict depends on the workspace's SessionSchema documents and on the
    day; `internal` that it tells an internal error.
    """

    path: str
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    uses_session: bool = False
    uses_date: bool = False
    has_internal_error: bool = False
    suppressions: list[Suppression] = field(default_factory=list)
