"""What features return: objects of the protocol, or what becomes one by what the client can do.

Lines and columns are in code points, as `Range` and `Position`, and files are named by their paths as they are shown;
the server encodes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from trialrun.diagnostic import Range, TextEdit

Object = dict[str, Any]
"""An object of the protocol."""


_MARKS = re.compile(
    r"^(?P<fence>`{3,})\w*\n(?P<block>.*?)\n(?P=fence)$|(?P<ticks>`++)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<alone>`++)|\\(?P<escaped>[^\w\s])|\*\*",
    re.MULTILINE | re.DOTALL,
)


def markdown(text: str) -> Object:
    """A text in Markdown."""
    return {"kind": "markdown", "value": text}


def plain_text(markdown: Object) -> Object:
    """A text in Markdown without its marks: code, bold text and escapes."""
    text = _MARKS.sub(
        lambda found: found["block"] or (found["code"] or found["alone"] or found["escaped"] or "").strip(),
        markdown["value"],
    )
    return {"kind": "plaintext", "value": text}


Edits = Mapping[str, Sequence[TextEdit]]
"""The edits of each file, by its path as it is shown."""


def location(path: str, range_: Range) -> Object:
    """A range of a file, by its path as it is shown."""
    return {"uri": path, "range": range_}


ActionKind = Literal["quickfix", "source.fixAll.trialrun"]


@dataclass(frozen=True, slots=True)
class CodeAction:
    """Something that can be done: edits, or a rule whose page is shown; `fingerprints` are those of its findings.

    `placeholder` is in the edits where a person has to write on. `creates` says that their file is not there yet,
    `disabled` why nothing can be done after all.
    """

    title: str
    kind: ActionKind
    edits: Edits = field(default_factory=dict)
    fingerprints: tuple[str, ...] = ()
    is_preferred: bool = False
    rule_to_explain: str | None = None
    placeholder: str = ""
    creates: bool = False
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


class CannotRename(ValueError):
    """A name cannot be changed here, or not to this; the message says why."""
