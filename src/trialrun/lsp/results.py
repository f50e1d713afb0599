"""Result types of the features, independent of the protocol; lines and columns are in code points."""

from __future__ import annotations

from typing import Literal

from trialrun.diagnostic import Range, TextEdit
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A place of a file, by its path as it is shown."""

    path: str
    range: Range


@dataclass(frozen=True, slots=True)
class FileEdits:
    """Edits of one file, all of them made at once; `creates` says that there is no such file yet."""

    path: str
    edits: tuple[TextEdit, ...]
    creates: bool = False


@dataclass(frozen=True, slots=True)
class Hover:
    """What is shown beside a place, in Markdown."""

    markdown: str
    range: Range


ActionKind = Literal["quickfix", "source.fixAll.trialrun"]


@dataclass(frozen=True, slots=True)
class CodeAction:
    """Something that can be done: edits, or a rule whose page is shown; `fingerprints` are those of its findings.

    `placeholder` is in the edits where a person has to write on. `disabled` says why nothing can be done after all.
    """

    title: str
    kind: ActionKind
    edits: tuple[FileEdits, ...] = ()
    fingerprints: tuple[str, ...] = ()
    is_preferred: bool = False
    rule_to_explain: str | None = None
    placeholder: str = ""
    disabled: str = ""


CompletionKind = Literal[
    "field", "value", "name", "variable", "function", "zone", "language", "rule", "file", "snippet"
]


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that may stand in place of `range`; `sort_text` orders it among the others, a snippet has tab stops.

    Further lines of it are indented as seen from the line in which it begins. `data` says what the feature
    `completion_resolve` tells of it: that is asked for one of them at a time.
    """

    label: str
    kind: CompletionKind
    text: str
    range: Range
    sort_text: str
    detail: str = ""
    data: tuple[str, ...] = ()
    is_snippet: bool = False
    is_deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Completions:
    """What may be written at a place; `is_incomplete` says that there is more, which further letters bring up."""

    items: tuple[Completion, ...] = ()
    is_incomplete: bool = False


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A short text behind a place: `line` and `column` are those of the character it is before."""

    line: int
    column: int
    text: str
    markdown: str = ""


@dataclass(frozen=True, slots=True)
class CodeLens:
    """A line above a place; `command` is a command line of trialrun that a click may run in a terminal, or None."""

    range: Range
    title: str
    command: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part of a document for outlines, with its own parts."""

    name: str
    detail: str
    kind: Literal["resource", "message", "item", "field"]
    range: Range
    selection: Range
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class FoldingRange:
    """Lines, from 1, that fold into the first of them."""

    first: int
    last: int
    kind: Literal["region", "comment"] = "region"


@dataclass(frozen=True, slots=True)
class RenameTarget:
    """A name that can be changed: its characters, without quotes and the parent before it, and what it reads now."""

    range: Range
    name: str


@dataclass(frozen=True, slots=True)
class WorkspaceSymbol:
    """Something that the workspace declares: its name, what it is, what it belongs to, and where."""

    name: str
    kind: str
    scope: str
    location: Location


class CannotRename(ValueError):
    """A name cannot be changed here, or not to this; the message says why."""
