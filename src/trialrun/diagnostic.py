"""Findings of rules, which name a node and a field, and diagnostics, which name lines and columns of a file."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Literal, NamedTuple

from trialrun.text import Edit, Position, Span

Path = tuple[str | int, ...]
"""A path from the root of a document: mapping keys as strings, list indexes from 0."""

At = Literal["place", "key", "first-key"]
"""`place`: a scalar itself, or the key of a mapping or list; `key`: always the key; `first-key`: the first key inside.
"""

Chars = tuple[int, int]
"""A range of characters of a text value: code points from 0, the end exclusive."""


class SymbolicLocation(NamedTuple):
    """A location without line numbers: `path` leads from `node`, a part of a model, or from the root if that is None.

    A path from a node consists of field names of the specification, regardless of the spelling in the file, and indexes
    in the model's lists; a path from the root of keys and indexes in the file. `chars`, if given, is a range of the
    text there, such as a word of a script; they count in the text, not in the file.
    """

    node: object | None
    path: Path = ()
    chars: Chars | None = None


class Severity(IntEnum):
    """The severity of a finding; higher values are more severe."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The name on the command line and in JSON: error, warning or note."""
        return self.name.lower()


class Remove(NamedTuple):
    """Remove a key with its value, or a list item."""

    location: SymbolicLocation


class Replace(NamedTuple):
    """Replace a scalar; with `chars`, only these characters of a text.

    `value` is a text, number, boolean, None or an empty mapping or list, written in the style of the old value;
    `source`, if given, is written literally instead.
    """

    location: SymbolicLocation
    value: Any = None
    chars: Chars | None = None
    source: str | None = None


class Rename(NamedTuple):
    """Rename a key; with `chars`, replace only these characters of it."""

    location: SymbolicLocation
    key: str
    chars: Chars | None = None


class WrapInList(NamedTuple):
    """Make a value the only item of a list."""

    location: SymbolicLocation


class Lift(NamedTuple):
    """Replace an entry by the entries of its mapping, or by the items of its list."""

    location: SymbolicLocation


Operation = Remove | Replace | Rename | WrapInList | Lift


class Fix(NamedTuple):
    """A fix for a finding: safe if the meaning of the file cannot change, unsafe if a person should review it."""

    title: str
    operations: tuple[Operation | Edit, ...]
    safe: bool = False


class Related(NamedTuple):
    """Another location related to a finding, in the same document, or in the same file as a `Span`."""

    message: str
    location: SymbolicLocation | Span
    at: At = "place"
    chars: Chars | None = None


class Finding(NamedTuple):
    """A finding at a location of a document, without line numbers.

    `chars`, if given, are characters of the scalar at `location`, or of the key with `at="key"`. `span`, if given, is
    the range in the file and takes precedence. `severity` is None for the severity of the rule.
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


class Range(NamedTuple):
    """A range between two positions, the end exclusive."""

    start: Position
    end: Position

    @classmethod
    def from_json(cls, row: list[list[int]]) -> Range:
        """The range that JSON has as two lists of two numbers."""
        start, end = row
        return cls(Position(*start), Position(*end))


class RelatedLocation(NamedTuple):
    """Another location related to a diagnostic."""

    message: str
    path: str
    range: Range


class TextEdit(NamedTuple):
    """An edit that replaces the characters of `range` by `text`."""

    range: Range
    text: str


class ResolvedFix(NamedTuple):
    """The text edits that fix a diagnostic, all in its own file."""

    title: str
    safe: bool
    edits: tuple[TextEdit, ...]


class NotChecked(NamedTuple):
    """Something that a run could not check, with the reason; `path` is the file."""

    path: str
    what: str
    why: str


class Diagnostic(NamedTuple):
    """A diagnostic: a rule, a severity, a message and a range of a file.

    `document` is the index of the document in the file; `pointer` is a JSON Pointer (RFC 6901) from the root of that
    document, empty if it has no location there. `resource` is the name of the resource, empty if there is none.
    `refusal` is the reason why a fix that the rule proposes is not offered. `not_checked` is what could not be checked,
    if the diagnostic reports that.
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
        """Sort key: path, range, rule, pointer and message."""
        return (self.path, self.range, self.rule, self.pointer, self.message)


class Suppressed(NamedTuple):
    """A diagnostic that is suppressed by a comment or the settings, with their reason.

    `until` is the last day of the suppression, as YYYY-MM-DD; None if it has no end.
    """

    diagnostic: Diagnostic
    reason: str
    until: str | None
    kind: Literal["comment", "settings"]


def json_pointer(path: Path) -> str:
    """The JSON Pointer (RFC 6901) of a path."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def pointer_steps(pointer: str) -> list[str]:
    """The steps of a JSON Pointer (RFC 6901), all of them as texts."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
