"""Misfits: the ways in which a value can differ from its model, one class each, named after the rule that reports it.

The `path` of a misfit leads from the root of the document to the key or value, with the keys of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from trialrun.diagnostic import Finding, Path, SymbolicLocation

if TYPE_CHECKING:
    from collections.abc import Callable

    from trialrun.model.node import FindingOptions, Node


@dataclass(frozen=True)
class Misfit:
    """A key or value that its model refuses, or accepts with a remark."""

    path: Path
    rule: ClassVar[str]

    @property
    def location(self) -> SymbolicLocation:
        """The location of the key or value."""
        return SymbolicLocation(None, self.path)

    @property
    def field(self) -> str:
        """The last key on the path, which messages use as the name of the value."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "the document")

    def with_spelling(self, scalar_text: Callable[[Path], str | None]) -> Misfit:
        """The same, with the characters of a number or a word in the file, which `scalar_text` gives by path."""
        if isinstance(self, WrongType | OutOfRange) and not isinstance(self.value, str | dict | list):
            return replace(self, spelling=scalar_text(self.path))
        return self

    def finding(self, message: str, **details: Unpack[FindingOptions]) -> Finding:
        """A finding at the place of the misfit; the details are those of `Finding`."""
        return Finding(message, self.location, **details)


@dataclass(frozen=True, slots=True)
class FieldOwner:
    """A message that has the field: `path` are the fields that lead to it from the root of the model.

    `is_list_item` says that the message is an item of a list; `field` is the field's own spelling, `distance` counts
    the messages to go through on the way there, `root` is the name of the message at the top, and `model` the message.
    """

    path: tuple[str, ...]
    is_list_item: bool
    field: str
    distance: int
    root: str
    model: type[Node]

    @property
    def phrase(self) -> str:
        """Where it is, after "it belongs"."""
        if not self.path:
            return f"at the top of the {self.root}"
        return f'in an item of "{self.path[-1]}"' if self.is_list_item else f'under "{self.path[-1]}"'


@dataclass(frozen=True)
class UnknownField(Misfit):
    """A key that the message does not have; `candidate` is the intended field, if there is one clear candidate.

    `candidate_is_free` means that the mapping does not have that field yet; `owners` are messages that have a field of
    this name, if the key is in the wrong message. `union` is the union that the key names, with its members below the
    key. `is_read` means that the content of the key was validated as the field.
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
    """A second spelling of a field that is already in the mapping; `earlier_path` is the path of the first."""

    rule = "duplicate-key"
    earlier_path: Path

    @property
    def earlier_location(self) -> SymbolicLocation:
        """The location of the earlier key."""
        return SymbolicLocation(None, self.earlier_path)


@dataclass(frozen=True)
class UnionConflict(Misfit):
    """A member of a union after the first, in file order; `first_path` is the path of the first.

    `name` and `first_name` are the two field names; `is_false` means that one of them is false and has no effect,
    and `empty_name` is the one that is an empty list or text, if one is.
    """

    rule = "union-conflict"
    model: type[Node]
    union: str
    name: str
    first_path: Path
    first_name: str
    is_false: bool = False
    empty_name: str | None = None

    @property
    def earlier_location(self) -> SymbolicLocation:
        """The location of the first member."""
        return SymbolicLocation(None, self.first_path)


@dataclass(frozen=True)
class WrongType(Misfit):
    """A value of another type than that of the field; `expected` is that type in words.

    `converted` is the value in the right type if the conversion is clear, else None, and `is_lossless` means that it
    changes nothing; `fits_as_item` means that the value would be valid as the only item of a list. `detail` says more
    than the type, and `model` is the message that a mapping should be. `spelling` are the characters in the file, such
    as 1.10 for 1.1; None where there is no file.
    """

    rule = "wrong-type"
    expected: str
    value: Any
    converted: Any = None
    is_lossless: bool = True
    fits_as_item: bool = False
    detail: str | None = None
    model: type[Node] | None = None
    spelling: str | None = None


@dataclass(frozen=True)
class MissingField(Misfit):
    """A required field that the mapping at `path` lacks, or whose value is null, empty text or an empty list.

    If the key is present, `path` leads to its value.
    """

    rule = "missing-field"
    model: type[Node]
    name: str
    is_present: bool
    value: Any = None


@dataclass(frozen=True)
class UnknownEnumValue(Misfit):
    """A value that the enum does not have; `candidate` is the intended value, if there is one clear candidate."""

    rule = "unknown-enum-value"
    value: str | int
    values: tuple[str, ...]
    candidate: str | None


@dataclass(frozen=True)
class UnspecifiedEnumValue(Misfit):
    """An explicit `…_UNSPECIFIED`, by name or number; `required` if the field must be set."""

    rule = "unspecified-enum-value"
    value: str
    required: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class NullValue(Misfit):
    """A key whose value is null; `empty_message` if `{}` was probably intended."""

    rule = "null-value"
    empty_message: bool


@dataclass(frozen=True)
class OutOfRange(Misfit):
    """A number outside of the range of its field; a bound of None is open. `spelling` as in `WrongType`."""

    rule = "out-of-range"
    value: float | int | str
    minimum: float | None
    maximum: float | None
    spelling: str | None = None


@dataclass(frozen=True)
class TooLong(Misfit):
    """A text or key that is longer than its field allows, in code points."""

    rule = "too-long"
    length: int
    max_length: int
    is_key: bool = False


@dataclass(frozen=True)
class NonCanonicalForm(Misfit):
    """A form that ProtoJSON readers accept but the specification does not use; `canonical` is the form to use.

    It may be another number than was meant if it `may_lack_digits`.
    """

    rule = "non-canonical-form"
    message: str
    canonical: Any
    is_key: bool = False
    may_lack_digits: bool = False


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
"""All classes of misfits."""
