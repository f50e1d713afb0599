"""Completions as text edits at the cursor, quoted and with the punctuation that is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trialrun.fix.scalar_style import render_fragment, render_scalar
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.features.completion.partial_tree import Mapping
from trialrun.lsp.results import Completion, CompletionKind

if TYPE_CHECKING:
    from trialrun.lsp.features.completion.cursor import Cursor

_BEHIND = re.compile(r"\s*([^\s])")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be at the cursor; those of a lower rank are shown first."""

    value: str | bool
    kind: CompletionKind
    detail: str = ""
    data: tuple[str, ...] = ()
    rank: int = 5
    is_deprecated: bool = False

    @property
    def label(self) -> str:
        """The value as a person reads it."""
        return ("false", "true")[self.value] if isinstance(self.value, bool) else self.value


def value_completions(cursor: Cursor, options: Iterable[Candidate], *, lead: str = "") -> Iterator[Completion]:
    """Options in place of the whole scalar at the cursor; `lead` is what has to be before one."""
    if "\n" in cursor.scalar.text or cursor.scalar.style == "block":
        return
    place, end = cursor.range(), trailing_comma(cursor) if cursor.scalar.style == "plain" else ""
    for number, option in enumerate(options):
        text = _text(cursor, option.value)
        if text is not None:
            yield Completion(
                option.label,
                option.kind,
                lead + text + end,
                place,
                f"{option.rank}{number:05}",
                option.detail,
                option.data,
                is_deprecated=option.is_deprecated,
            )


def key_completions(cursor: Cursor, options: Iterable[Candidate], *, lead: str = "") -> Iterator[Completion]:
    """Options as keys, with their colon if there is none."""
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
    """A value in the quotes that are around the cursor, or in those that it needs."""
    style = cursor.scalar.style
    if isinstance(value, bool):
        return ("false", "true")[value] if style == "plain" else None
    if style in ("single", "double"):
        return render_fragment(value, style)
    return render_scalar(value, "json" if cursor.is_json else "plain", in_flow=cursor.is_in_brackets)


def trailing_comma(cursor: Cursor) -> str:
    """The comma that is missing behind what is written in brackets, where more follows."""
    if not cursor.is_in_brackets or _is_last(cursor):
        return ""
    text, end = cursor.source.text, cursor.offset + len(cursor.after)
    if cursor.scalar.style in ("single", "double") and text[end : end + 1] in ("'", '"'):
        end += 1
    match = _BEHIND.match(text, end)
    return "," if match and match[1] not in ",:" else ""


def _is_last(cursor: Cursor) -> bool:
    """Whether nothing follows in the brackets around."""
    container = cursor.container
    if isinstance(container, Mapping):
        last = container.entries[-1]
        return last.value is cursor.scalar if cursor.entry is None else last is cursor.entry
    return container is None or container.items[-1] is cursor.scalar


def content_column(cursor: Cursor) -> int:
    """How far the scalar is indented, as seen from the first word of its line: what an editor adds by itself."""
    line = cursor.line
    return len(line.lstrip(" \t"))


def line_below(cursor: Cursor, dash: str) -> str:
    """The beginning of a line below the key of the cursor, for what cannot are behind it."""
    line = cursor.line
    start = len(line) - len(line.lstrip(" \t"))
    key = len(line) - len(re.sub(r"^[ \t]*(?:-[ \t]+)*", "", line))
    return "\n" + " " * (key - start + 2) + dash


def fuzzy_matches(prefix: str, names: Iterable[str]) -> Iterator[str]:
    """The names that have the letters of a prefix in this order: of long lists the rest is not sent."""
    letters = prefix.lower()
    for name in names:
        rest = iter(name.lower())
        if all(letter in rest for letter in letters):
            yield name
