"""What fits no model: one class for each way in which a value can be refused, named after the rule that tells it.

Every misfit has the `path` of the key or value concerned, as the file spells it, from the root of the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from trialrun.diagnostic import At, Chars, Finding, Fix, Path, Related, Severity, SymbolicLocation
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.model.misplaced_field import FieldOwner
    from trialrun.model.node import Node


@dataclass(frozen=True)
class Misfit:
    """A key or a value that its model refuses, or takes only with a word of warning."""

    path: Path
    rule: ClassVar[str]

    @property
    def location(self) -> SymbolicLocation:
        """The place of the key or value."""
        return SymbolicLocation(None, self.path)

    @property
    def field(self) -> str:
        """The last key on the way to the value, which names it in a message."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "the document")

    def finding(
        self,
        message: str,
        *,
        at: At = "place",
        chars: Chars | None = None,
        severity: Severity | None = None,
        help: str | None = None,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> Finding:
        """A finding at the place of the misfit."""
        return Finding(message, self.location, at, chars, None, severity, help, related, fix)


@dataclass(frozen=True)
class UnknownField(Misfit):
    """A key that the message does not have; `candidate` is the field it was meant to be, where one is clear.

    `candidate_is_free` says that the field is not next to it; `homes` are the messages that do have such a field,
    where it seems to have been written into the wrong one. `union` is the union that the key names, whose members then
    are below it. `is_read` says that what is below the key has been read as the field.
    """

    rule = "unknown-field"
    model: type[Node]
    candidate: str | None
    candidate_is_free: bool
    owners: tuple[FieldOwner, ...] = ()
    union: str | None = None
    is_read: bool = False


@dataclass(frozen=True)
class TwoSpellings(Misfit):
    """A key that is another spelling of a field that is in the same mapping; `other` is the earlier key."""

    rule = "duplicate-key"
    earlier_path: Path

    @property
    def earlier_location(self) -> SymbolicLocation:
        """The place of the earlier key."""
        return SymbolicLocation(None, self.earlier_path)


@dataclass(frozen=True)
class UnionConflict(Misfit):
    """A member of a union after the first, in the order of the file; `first` is the path of the first.

    `name` and `first_name` are the field names of the two, `idle` says that one of them is false and so says nothing.
    """

    rule = "union-conflict"
    model: type[Node]
    union: str
    name: str
    first_path: Path
    first_name: str
    is_false: bool = False

    @property
    def earlier_location(self) -> SymbolicLocation:
        """The place of the first member."""
        return SymbolicLocation(None, self.first_path)


@dataclass(frozen=True)
class WrongType(Misfit):
    """A value of another type than the field's; `expected` says the type in words, `value` is what is there.

    `meant` is the value in the right type where it is plain, else None, and `lossless` says that writing it so changes
    nothing; `wrap` says that the value would be right as the only item of a list. `remark` says more than the type
    does, and `model` is the message that a mapping would be.
    """

    rule = "wrong-type"
    expected: str
    value: Any
    converted: Any = None
    is_lossless: bool = True
    fits_as_item: bool = False
    detail: str | None = None
    model: type[Node] | None = None


@dataclass(frozen=True)
class MissingField(Misfit):
    """A required field of the mapping at `path` that is absent, or whose value is null, empty text or an empty list.

    `is` says that the key is there, and `path` then leads to its value.
    """

    rule = "missing-field"
    model: type[Node]
    name: str
    is_present: bool
    value: Any = None


@dataclass(frozen=True)
class UnknownEnumValue(Misfit):
    """A value that the enum does not have; `candidate` is the value it was meant to be, where one is clear."""

    rule = "unknown-enum-value"
    value: str | int
    values: tuple[str, ...]
    candidate: str | None


@dataclass(frozen=True)
class UnspecifiedEnumValue(Misfit):
    """An explicit `…_UNSPECIFIED`, by name or by number; `required` where the field may not be unset."""

    rule = "unspecified-enum-value"
    value: str
    required: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class NullValue(Misfit):
    """A key whose value is null; `empty_message` where `{}` was probably meant."""

    rule = "null-value"
    empty_message: bool


@dataclass(frozen=True)
class OutOfRange(Misfit):
    """A number outside the range of its field; a bound of None is open."""

    rule = "out-of-range"
    value: float | int | str
    minimum: float | None
    maximum: float | None


@dataclass(frozen=True)
class TooLong(Misfit):
    """A text, or a key, longer than its field takes, in Unicode code points."""

    rule = "too-long"
    length: int
    max_length: int
    is_key: bool = False


@dataclass(frozen=True)
class NonCanonicalForm(Misfit):
    """What ProtoJSON readers accept but the documents do not show; `canonical` is what they show, `message` says so."""

    rule = "non-canonical-form"
    message: str
    canonical: Any
    is_key: bool = False


MISFITS: tuple[type[Misfit], ...] = (
    UnknownField,
    TwoSpellings,
    UnionConflict,
    WrongType,
    MissingField,
    UnknownEnumValue,
    UnspecifiedEnumValue,
    NullValue,
    OutOfRange,
    TooLong,
    NonCanonicalForm,
)
"""Every way in which a value can be refused."""
