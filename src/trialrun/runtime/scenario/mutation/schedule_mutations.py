"""Cron schedules with another minute or hour, on other days, or in another zone."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.runtime.scenario.mutation.mutant import TextChange
from trialrun.values.cron import parse

RANGES = ((0, 59), (0, 23), (1, 28), (1, 12), (0, 6))
"""The values of minute, hour, day of month, month and day of week that every schedule may have."""
OTHER_ZONE = "Pacific/Kiritimati"
"""The zone furthest ahead of UTC."""


def mutated_schedules(text: str) -> Iterator[TextChange]:
    """The changes of a valid schedule in one field each, or of its zone; none of them runs more often."""
    cron = parse(text).cron
    if cron is None:
        return
    zone = cron.zone_token
    if zone is not None and zone.text != OTHER_ZONE:
        yield TextChange(zone.start, zone.end, OTHER_ZONE)
    if len({field.start for field in cron.fields}) == 1:  # a macro such as @daily
        return
    for field, (lowest, highest) in zip(cron.fields, RANGES, strict=True):
        if field.text.isdecimal():
            value = int(field.text) + 1 if int(field.text) < highest else lowest
            yield TextChange(field.start, field.end, str(value))
        elif field.text.startswith("*/") and field.text[2:].isdecimal():
            step = 2 * int(field.text[2:])
            yield TextChange(field.start, field.end, f"*/{step}" if step <= highest else str(lowest))
