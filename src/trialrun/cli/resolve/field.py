"""One field of what is effective at a store."""

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
from trialrun.runtime.channel_config.field_path import UnknownFieldError, UnsetField, find_field
from trialrun.runtime.channel_config.field_text import dotted_path
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import EffectiveConfig

MAX_NAMES = 10
ORIGIN_WIDTH = 60
"""About what stands beside a value; a longer text is shown once more, as a whole."""


def require_field(stores: Sequence[ActiveConfig], field: str) -> None:
    """Raise UsageError for a field that no config has, or an item that there is at none of some stores."""
    try:
        found = [find_field(effective.value, field) for store in stores for effective in store.types.values()]
    except UnknownFieldError as error:
        raise UsageError(f"--field: {error}") from error
    missing = [file for file in found if isinstance(file, UnsetField)]
    known = list(dict.fromkeys(name for unset_field in missing for name in unset_field.item_names))
    if len(missing) == len(found) and known:
        name = next(unset_field.missing for unset_field in missing if unset_field.item_names)
        listed = f"; there are {', '.join(known[:MAX_NAMES])}{', …' if len(known) > MAX_NAMES else ''}"
        raise UsageError(f'--field: there is no "{name}"{did_you_mean(name, known) or listed}')


def field_text(title: str, found: ActiveConfig, field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """A field with where it comes from, in each type that sets it; texts are shown whole."""
    yield from store_header(title, found, width=width, paint=paint)
    told = list(types_setting(found, field))
    if not told:
        yield f"\n{escape_controls(field)}\n{INDENT}{paint('not set at this store', 'gutter')}\n"
    for kind, effective, there in told:
        path = pointer_path(effective.value, there.pointer)
        yield f"\n{paint(kind, 'rule')}  {escape_controls(dotted_path(effective.value, path))}\n"
        own = rows(effective, path, unused=_unused(effective, found, path))
        yield from format_rows(own, width=width, paint=paint)
        yield from _full_text(there.value, width)


def _unused(effective: EffectiveConfig, found: ActiveConfig, path: Path) -> dict[Path, str]:
    """What is to be said of a field that a session takes from the other type, at the field or within it."""
    told = fields_of_other_type(effective, found)
    around = [text for start, text in told.items() if path[: len(start)] == start]
    return {path: around[0]} if around else dict(told)


def _full_text(value: Any, width: int) -> Iterator[str]:
    """A text, or a list that is one value, as it is, where one line of the rows had no room for it."""
    texts: list[str] = []
    if isinstance(value, str) and (len(value) > max(MIN_LEFT_WIDTH, width - ORIGIN_WIDTH) or "\n" in value.strip()):
        texts = value.splitlines()
    elif isinstance(value, list) and not all(isinstance(one, dict) and "priority" in one for one in value):
        texts = [format_value(one) if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in value]
    for number, text in enumerate(texts):
        if not number:
            yield "\n"
        first, *rest = wrap_text(escape_controls(text), first=width - len(INDENT), rest=width - 2 * len(INDENT))
        yield f"{INDENT}{first}".rstrip() + "\n"
        yield from (f"{INDENT * 2}{line}\n" for line in rest)
