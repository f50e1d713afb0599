"""Completion items as text edits at the cursor, with quotes and missing punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trialrun.fix.canonical_yaml import render_fragment, render_scalar
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.partial_parser import PartialMapping
from trialrun.lsp.results import Completion, CompletionKind

_BEHIND = re.compile(r"\s*([^\s])")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value for the cursor position; lower ranks come first."""

    value: str | bool
    kind: CompletionKind
    detail: str = ""
    data: tuple[str, ...] = ()
    rank: int = 5
    is_deprecated: bool = False

    @property
    def label(self) -> str:
        """The displayed value."""
        return ("false", "true")[self.value] if isinstance(self.value, bool) else self.value


def value_completions(cursor: Cursor, options: Iterable[Candidate], *, lead: str = "") -> Iterator[Completion]:
    """Values that replace the scalar at the cursor; `lead` is text to insert before."""
    if "\n" in cursor.scalar.text or cursor.scalar.style == "block":
        return
    place, end = cursor.range(), trailing_comma(cursor) if cursor.scalar.style == "plain" else ""
    for number, option in enumerate(options):
        text = _text(cursor, option.value)
        if text is not None:
            yield Completion(
                *(option.label, option.kind, lead + text + end, place, f"{option.rank}{number:05}", option.detail),
                data=option.data,
                is_deprecated=option.is_deprecated,
            )


def key_completions(cursor: Cursor, options: Iterable[Candidate], *, lead: str = "") -> Iterator[Completion]:
    """Keys, with a colon if it is missing."""
    if "\n" in cursor.scalar.text or cursor.scalar.style == "block":
        return
    for number, option in enumerate(options):
        text = _text(cursor, option.value)
        if text is None:
            continue
        after = len(cursor.after)
        quote = {"double": '"', "single": "'"}.get(cursor.scalar.style, "")
        if not cursor.has_colon:
            after += cursor.source.text[cursor.offset + after :][:1] == quote != ""
            text = f"{text}{quote}: {trailing_comma(cursor)}"
        yield Completion(
            option.label, option.kind, lead + text, cursor.range(None, after), f"{number:05}", option.detail
        )


def _text(cursor: Cursor, value: str | bool) -> str | None:
    """A value in the quotes around the cursor, or in those it needs; None if it cannot be written there."""
    style = cursor.scalar.style
    if isinstance(value, bool):
        return ("false", "true")[value] if style == "plain" else None
    if style in ("single", "double"):
        return render_fragment(value, style)
    return render_scalar(value, "json" if cursor.is_json else "plain", in_flow=cursor.is_in_brackets)


def trailing_comma(cursor: Cursor) -> str:
    """The comma to insert in a flow collection if more entries follow."""
    container = cursor.container
    if container is None or not container.is_flow:
        return ""
    if isinstance(container, PartialMapping):
        last = container.entries[-1]
        is_last = last.value is cursor.scalar if cursor.entry is None else last is cursor.entry
    else:
        is_last = container.items[-1] is cursor.scalar
    text, end = cursor.source.text, cursor.offset + len(cursor.after)
    if cursor.scalar.style in ("single", "double") and text[end : end + 1] in ("'", '"'):
        end += 1
    match = _BEHIND.match(text, end)
    return "," if not is_last and match and match[1] not in ",:" else ""


def line_below(cursor: Cursor, dash: str) -> str:
    """The start of a new line below the key, for values that cannot be on the same line."""
    line = cursor.line
    start = len(line) - len(line.lstrip(" \t"))
    key = len(line) - len(re.sub(r"^[ \t]*(?:-[ \t]+)*", "", line))
    return "\n" + " " * (key - start + 2) + dash


def fuzzy_matches(prefix: str, names: Iterable[str]) -> Iterator[str]:
    """The names that contain the characters of a prefix in order; long lists are filtered before they are sent."""
    letters = prefix.lower()
    for name in names:
        rest = iter(name.lower())
        if all(letter in rest for letter in letters):
            yield name
