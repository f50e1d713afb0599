"""One field of what is effective at a store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.resolve.resolve_text import INDENT, LEAST_LEFT, elsewhere, head, laid_out
from trialrun.cli.resolve.rows import rows
from trialrun.errors import UsageError, did_you_mean
from trialrun.outputs.resolve import path_of, set_in
from trialrun.report.color import Paint
from trialrun.report.format_value import shown
from trialrun.report.terminal_width import visible
from trialrun.report.wrap import wrapped
from trialrun.runtime.channel_config.field_path import NoField, Unset, find
from trialrun.runtime.channel_config.field_text import dotted

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.effective import Effective

MOST_NAMES = 10
CELLS_OF_ORIGINS = 60
"""About what stands beside a value; a longer text is shown once more, as a whole."""


def require_field(stores: Sequence[InForce], field: str) -> None:
    """Raise UsageError for a field that no config has, or an item that there is at none of some stores."""
    try:
        found = [find(effective.value, field) for one in stores for effective in one.types.values()]
    except NoField as error:
        raise UsageError(f"--field: {error}") from error
    missing = [one for one in found if isinstance(one, Unset)]
    known = list(dict.fromkeys(name for one in missing for name in one.known))
    if len(missing) == len(found) and known:
        name = next(one.missing for one in missing if one.known)
        listed = f"; there are {', '.join(known[:MOST_NAMES])}{', …' if len(known) > MOST_NAMES else ''}"
        raise UsageError(f'--field: there is no "{name}"{did_you_mean(name, known) or listed}')


def field_text(title: str, found: InForce, field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """A field with where it comes from, in each type that sets it; texts are shown whole."""
    yield from head(title, found, width=width, paint=paint)
    told = list(set_in(found, field))
    if not told:
        yield f"\n{visible(field)}\n{INDENT}{paint('nothing sets it at this store', 'gutter')}\n"
    for kind, effective, there in told:
        path = path_of(effective.value, there.pointer)
        yield f"\n{paint(kind, 'rule')}  {visible(dotted(effective.value, path))}\n"
        own = rows(effective, path, unused=_unused(effective, found, path))
        yield from laid_out(own, width=width, paint=paint)
        yield from _whole(there.value, width)


def _unused(effective: Effective, found: InForce, path: Path) -> dict[Path, str]:
    """What is to be said of a field that a session takes from the other type, at the field or within it."""
    told = elsewhere(effective, found)
    around = [text for start, text in told.items() if path[: len(start)] == start]
    return {path: around[0]} if around else dict(told)


def _whole(value: Any, width: int) -> Iterator[str]:
    """A text, or a list that is one value, as it is, where one line of the rows had no room for it."""
    texts: list[str] = []
    if isinstance(value, str) and (len(value) > max(LEAST_LEFT, width - CELLS_OF_ORIGINS) or "\n" in value.strip()):
        texts = value.splitlines()
    elif isinstance(value, list) and not all(isinstance(one, dict) and "priority" in one for one in value):
        texts = [shown(one) if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in value]
    for number, text in enumerate(texts):
        if not number:
            yield "\n"
        first, *rest = wrapped(visible(text), first=width - len(INDENT), rest=width - 2 * len(INDENT))
        yield f"{INDENT}{first}".rstrip() + "\n"
        yield from (f"{INDENT * 2}{line}\n" for line in rest)
