"""Completions as they are written at the cursor: in its quotes, with a dash or a colon where one is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trialrun.fix.written import part_of, rendered
from trialrun.lsp.answer import Completion, CompletionKind
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.record import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """A value that may stand at the cursor; those of a lower rank are shown first."""

    value: str | bool
    kind: CompletionKind
    detail: str = ""
    about: tuple[str, ...] = ()
    rank: int = 5
    is_deprecated: bool = False

    @property
    def label(self) -> str:
        """The value as a person reads it."""
        return ("false", "true")[self.value] if isinstance(self.value, bool) else self.value


def written(cursor: Cursor, options: Iterable[Option], *, dash: str = "") -> Iterator[Completion]:
    """Options in place of the whole scalar at the cursor; `dash` makes it the item of a list."""
    if "\n" in cursor.scalar.text or cursor.scalar.style == "block":
        return
    place = cursor.range()
    for number, option in enumerate(options):
        text = _text(cursor, option.value)
        if text is not None:
            sort = f"{option.rank}{number:05}"
            yield Completion(
                option.label,
                option.kind,
                dash + text,
                place,
                sort,
                option.detail,
                option.about,
                is_deprecated=option.is_deprecated,
            )


def _text(cursor: Cursor, value: str | bool) -> str | None:
    """A value in the quotes that stand around the cursor, or in those that it needs."""
    style = cursor.scalar.style
    if isinstance(value, bool):
        return ("false", "true")[value] if style == "plain" else None
    if style in ("single", "double"):
        return part_of(value, style)
    return rendered(value, "json" if is_json(cursor) else "plain", in_flow=cursor.is_in_brackets)


def is_json(cursor: Cursor) -> bool:
    """Whether the file is JSON, where every text stands in quotes."""
    return cursor.source.path.endswith(".json")


def resembling(prefix: str, names: Iterable[str]) -> Iterator[str]:
    """The names that have the letters of a prefix in this order: of long lists the rest is not sent."""
    letters = prefix.lower()
    for name in names:
        rest = iter(name.lower())
        if all(letter in rest for letter in letters):
            yield name
