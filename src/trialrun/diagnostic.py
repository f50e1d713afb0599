"""What the linter says: findings name a node and a field; diagnostics name lines and columns of a file."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.text import Edit, Position, Span

Path = tuple[str | int, ...]
"""From the root of one document: mapping keys as text, list indexes from 0."""

At = Literal["place", "key", "first-key"]
"""`place`: a scalar itself, a mapping or list at its key; `key`: always the key; `first-key`: the first key inside."""

Chars = tuple[int, int]
"""Characters of a text value: code points from 0, the end exclusive."""


@dataclass(frozen=True, slots=True)
class SymbolicLocation:
    """A place of a document, not yet a line: `path` lead from `node`, a part of a model, or from the root without one.

    Steps from a node are field names of the specification, however the file spells them, and indexes of the model's
    lists; steps from the root are the keys and indexes of the file.
    """

    node: object | None
    path: Path = ()


@dataclass(frozen=True, slots=True)
class CharRange(SymbolicLocation):
    """Characters of the text at a place, such as a word of a script: `chars` count in the text, not in the file."""

    chars: Chars = (0, 0)


class Severity(IntEnum):
    """How grave a finding is; a greater value is graver."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The word of the command line and of the JSON output: error, warning or note."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Remove:
    """Take away a key with its value, or an item of a list."""

    location: SymbolicLocation


@dataclass(frozen=True, slots=True)
class Replace:
    """Put another value in place of a scalar; with `chars`, only in place of those characters of a text.

    `value` is a text, number, boolean, None or an empty mapping or list, written in the style of what it replaces;
    `source`, where given, is written instead, unchanged.
    """

    location: SymbolicLocation
    value: Any = None
    chars: Chars | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """Write another key in place of a key; with `chars`, only in place of those characters of it."""

    location: SymbolicLocation
    key: str
    chars: Chars | None = None


@dataclass(frozen=True, slots=True)
class WrapInList:
    """Make a value the only item of a list."""

    location: SymbolicLocation


@dataclass(frozen=True, slots=True)
class Lift:
    """Put the entries of a mapping, or the items of a list, in place of the entry that holds them."""

    location: SymbolicLocation


Operation = Remove | Replace | Rename | WrapInList | Lift


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to fix a finding: safe when the meaning of the file cannot change, unsafe when a person should look."""

    title: str
    operations: tuple[Operation | Edit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding speaks of, in the same document, or the same file with a `Span`."""

    message: str
    location: SymbolicLocation | Span
    at: At = "place"
    chars: Chars | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to say about one place of one document, not yet a line and a column.

    `chars`, where given, are characters inside the scalar at `place`, or inside the key with `at="key"`. `span`, where
    given, is already a place of the file and wins. `severity` is None if the rule's own severity holds.
    """

    message: str
    location: SymbolicLocation
    at: At = "place"
    chars: Chars | None = None
    span: Span | None = None
    severity: Severity | None = None
    help: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """From a position up to, and without, another."""

    start: Position
    end: Position

    def to_json(self) -> list[int]:
        """The four numbers of the range."""
        return [self.start.line, self.start.column, self.end.line, self.end.column]

    @classmethod
    def from_json(cls, numbers: list[int]) -> Range:
        """The range of its four numbers."""
        return cls(Position(numbers[0], numbers[1]), Position(numbers[2], numbers[3]))


@dataclass(frozen=True, slots=True)
class RelatedLocation:
    """Another place that a diagnostic speaks of."""

    message: str
    path: str
    range: Range


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Put `text` in place of the characters of `range`."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class ResolvedFix:
    """The text edits that fix a diagnostic, all of them in its own file."""

    title: str
    safe: bool
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True, order=True)
class NotChecked:
    """Something that a run could not check, and why; `path` is the file that it is about."""

    path: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One line of the answer: a rule, a severity, a message and an exact place of a file.

    `document` counts the documents of the file from 0; `pointer` is a JSON Pointer (RFC 6901) from the root of that
    document, empty where there is no place in it. `resource` is the name of the resource, empty without one.
    `refusal` says why a fix that the rule proposes is not offered here. `not_checked` is what could not be checked,
    where the diagnostic says so.
    """

    rule: str
    severity: Severity
    message: str
    path: str
    range: Range
    document: int = 0
    pointer: str = ""
    help: str | None = None
    related: tuple[RelatedLocation, ...] = ()
    fix: ResolvedFix | None = None
    fingerprint: str = ""
    resource: str = ""
    refusal: str | None = None
    not_checked: NotChecked | None = None

    @property
    def sort_key(self) -> tuple[str, Range, str, str, str]:
        """Diagnostics are shown by path, start, end, rule, pointer and message."""
        return (self.path, self.range, self.rule, self.pointer, self.message)


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A diagnostic that is not reported because a comment or the settings say so, with their reason.

    `until` is the last day, as YYYY-MM-DD, on which that holds; None without an end.
    """

    diagnostic: Diagnostic
    reason: str
    until: str | None
    kind: Literal["comment", "settings"]


def json_pointer(path: Path) -> str:
    """The JSON Pointer (RFC 6901) of a path."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)
