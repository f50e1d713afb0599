"""Text output of `resolve --field`: one field of the effective configuration of a store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.resolve.resolve_text import INDENT, MIN_LEFT_WIDTH, fields_of_other_type, format_rows, store_header
from trialrun.cli.resolve.rows import rows
from trialrun.errors import UsageError
from trialrun.outputs.resolve import pointer_path, types_setting
from trialrun.report.color import Paint
from trialrun.report.format_value import format_value
from trialrun.report.terminal_width import escape_controls
from trialrun.report.wrap import wrap_text
from trialrun.runtime.channel_config.field_path import UnknownFieldError, UnsetField, dotted_path, find_field
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import EffectiveConfig

MAX_NAMES = 10
ORIGIN_WIDTH = 60
"""Approximate width of the origin next to a value; a longer value is printed again in full."""


def require_field(stores: Sequence[ActiveConfig], field: str) -> None:
    """Raise UsageError for a field that no config has, or for an item that no store has."""
    try:
        results = [find_field(effective.value, field) for store in stores for effective in store.types.values()]
    except UnknownFieldError as error:
        raise UsageError(f"--field: {error}") from error
    missing = [result for result in results if isinstance(result, UnsetField)]
    known = list(dict.fromkeys(name for unset_field in missing for name in unset_field.item_names))
    if len(missing) == len(results) and known:
        name = next(unset_field.missing for unset_field in missing if unset_field.item_names)
        listed = f"; there are {', '.join(known[:MAX_NAMES])}{', …' if len(known) > MAX_NAMES else ''}"
        raise UsageError(f'--field: there is no "{name}"{did_you_mean(name, known) or listed}')


def field_text(title: str, store: ActiveConfig, field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """One field with its origin, for each type that sets it; long texts are shown in full."""
    yield from store_header(title, store, width=width, paint=paint)
    settings = list(types_setting(store, field))
    if not settings:
        yield f"\n{escape_controls(field)}\n{INDENT}{paint('not set at this store', 'gutter')}\n"
    for kind, effective, setting in settings:
        path = pointer_path(effective.value, setting.pointer)
        yield f"\n{paint(kind, 'rule')}  {escape_controls(dotted_path(effective.value, path))}\n"
        field_rows = rows(effective, path, unused=_unused(effective, store, path))
        yield from format_rows(field_rows, width=width, paint=paint)
        yield from _full_text(setting.value, width)


def _unused(effective: EffectiveConfig, store: ActiveConfig, path: Path) -> dict[Path, str]:
    """Notes, by path, if a session takes the field or a part of it from the config of the other type."""
    notes = fields_of_other_type(effective, store)
    enclosing = [text for start, text in notes.items() if path[: len(start)] == start]
    return {path: enclosing[0]} if enclosing else dict(notes)


def _full_text(value: Any, width: int) -> Iterator[str]:
    """The full text of a value that did not fit on one line of the rows."""
    texts: list[str] = []
    if isinstance(value, str) and (len(value) > max(MIN_LEFT_WIDTH, width - ORIGIN_WIDTH) or "\n" in value.strip()):
        texts = value.splitlines()
    elif isinstance(value, list) and not all(isinstance(item, dict) and "priority" in item for item in value):
        texts = [
            format_value(item) if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in value
        ]
    for number, text in enumerate(texts):
        if not number:
            yield "\n"
        first, *rest = wrap_text(escape_controls(text), first=width - len(INDENT), rest=width - 2 * len(INDENT))
        yield f"{INDENT}{first}".rstrip() + "\n"
        yield from (f"{INDENT * 2}{line}\n" for line in rest)
