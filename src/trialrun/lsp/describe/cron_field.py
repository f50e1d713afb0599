"""Description of one field of a cron schedule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code
from trialrun.values.cron.fields import FIELDS, Field, set_bits

if TYPE_CHECKING:
    from trialrun.values.cron import CronExpression, Token

MAX_LISTED = 12


def field_at(schedule: CronExpression, character: int) -> tuple[Token, str] | None:
    """The field at a character of a schedule, and what it asks for; None elsewhere, and in words for a whole one."""
    if len({token.start for token in schedule.fields}) < len(FIELDS):
        return None
    for field, token, mask, star in zip(FIELDS, schedule.fields, schedule.masks, schedule.stars, strict=True):
        if token.start <= character < token.end:
            asked = f"every {field.name}" if star else f"{field.name} {_values(field, mask)}"
            return token, f"{code(token.text)}: {asked}"
    return None


def _values(field: Field, mask: int) -> str:
    """The values of a field, in a row of words or numbers."""
    values = list(set_bits(mask))
    shown = ", ".join(_names(field, values[:MAX_LISTED]))
    return f"{shown} and {len(values) - MAX_LISTED} more" if len(values) > MAX_LISTED else shown


def _names(field: Field, values: list[int]) -> Iterator[str]:
    return (field.words[value - field.first] if field.words else str(value) for value in values)
