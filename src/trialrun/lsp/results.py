"""What features return: objects of the protocol, or what becomes one by what the client can do.

Lines and columns are in code points, as `Range` and `Position`; the server encodes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from trialrun.diagnostic import Range, TextEdit

Object = dict[str, Any]
"""An object of the protocol."""


def markdown(text: str) -> Object:
    """A text in Markdown."""
    return {"kind": "markdown", "value": text}


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


class CannotRename(ValueError):
    """A name cannot be changed here, or not to this; the message says why."""
