"""What is worth saying about a schedule that can be read: forms on which schedulers disagree, and uneven steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.values import Problem
from trialrun.values.cron.fields import FIELDS, CronExpression, CronItem, set_bits

_FULL_MINUTE = (1 << 60) - 1
_FULL_HOUR = (1 << 24) - 1


def lint_item(item: CronItem) -> Iterator[Problem]:
    """A form on which schedulers disagree, or else a step that does not divide its field."""
    text, field = item.token.text, item.field
    if "?" in text:
        message = f"not every scheduler accepts ? in the {field.name}"
    elif item.is_equal_range:
        message = f'some schedulers run "{text}" at other values too'
    elif item.high > field.last:
        message = "not every scheduler accepts 7 for Sunday"
    elif item.step > field.last - field.first:
        message = f"a step of {item.step} is longer than the {field.name} field"
    elif item.open_ended:
        message = f'not every scheduler accepts "{text}" for a range with a step'
    else:
        is_whole = (item.low, item.high) == (field.first, field.last)
        if is_whole and item.step > 1 and (field.size % item.step != 0 or field is FIELDS[2]):
            yield Problem("uneven-step", item.token.start, item.token.end, _uneven_message(item))
        return
    yield _portability(item, message, _portable_form(item), is_safe=not item.is_equal_range)


def lint_schedule(cron: CronExpression, items: list[list[CronItem]]) -> Iterator[Problem]:
    """What the items of a field, and the fields, mean together."""
    yield from _starred_steps(cron, items)
    for parts in items:
        yield from _repeated_values(parts)
    if cron.either_day_by_vixie and cron.either_day:
        start, end = cron.fields[2].start, cron.fields[4].end
        message = "day of month and day of week are both set, so a day that matches either runs; set one of them to *"
        yield Problem("day-or-weekday", start, end, message)
    is_minute_star = cron.masks[0] == _FULL_MINUTE and cron.masks[1] != _FULL_HOUR
    # a range of hours (`* 9-17`) is taken at its word
    if is_minute_star and all(item.low == item.high or item.step > 1 for item in items[1]):
        minute = cron.fields[0]
        count = cron.masks[1].bit_count()
        hours = "one hour" if count == 1 else f"each of {count} hours"
        message = f'"{minute.text}" as the minute runs 60 times in {hours}; write 0 for once an hour'
        yield Problem("minute-star-with-hour", minute.start, minute.end, message)


def drop_repeats(of_items: list[Problem], of_schedule: list[Problem]) -> list[Problem]:
    """One place, one piece of advice: what schedulers make of a field goes before what is said of its items."""
    disputed = [problem for problem in of_schedule if problem.code == "portability"]

    def is_repeat(problem: Problem) -> bool:
        return problem.code in ("portability", "uneven-step") and any(
            other.start <= problem.start and problem.end <= other.end for other in disputed if other is not problem
        )

    return [problem for problem in (*of_items, *of_schedule) if not is_repeat(problem)]


def _starred_steps(cron: CronExpression, items: list[list[CronItem]]) -> Iterator[Problem]:
    """`*/2` beside the other day field: a restriction to some schedulers, a star to those of Vixie's line."""
    for item, other in ((items[2][0], 4), (items[4][0], 2)):
        text, field = item.token.text, item.field
        if cron.stars[other] or not text.startswith("*/"):
            continue
        plain = "*" if item.step == 1 else f"{field.first}-{field.last}/{item.step}"
        if item.step >= field.size:
            plain = str(field.first)
        message = f'with both day fields set, some schedulers read "{text}" as "and", others as "or"'
        yield _portability(item, message, plain, is_safe=1 < item.step < field.size)


def _repeated_values(items: list[CronItem]) -> Iterator[Problem]:
    """`8-12,12-16`: refused by some schedulers. A day field of `*,5`: others run it at 5 alone.

    `*,5` in another field is accepted: one scheduler refuses it, and none reads it differently.
    """
    seen = repeated = 0
    for item in items:
        repeated, seen = repeated | seen & item.mask, seen | item.mask
    is_day = items[0].field in (FIELDS[2], FIELDS[4])
    if not repeated or (not is_day and any(item.token.text == "*" for item in items)):
        return
    start, end = items[0].token.start, items[-1].token.end
    text = ",".join(item.token.text for item in items)
    plain = _without_repeats(items, seen)
    has_star = is_day and any(item.is_wildcard for item in items)
    if has_star:
        message = f'some schedulers refuse "{text}", or run it without the star; write "{plain}"'
    else:
        value = next(set_bits(repeated))
        message = f'"{text}" names {value} more than once, which not every scheduler accepts; write "{plain}"'
    is_safe = not (has_star or any(item.is_equal_range for item in items))
    yield Problem("portability", start, end, message, plain, is_safe=is_safe)


def _without_repeats(items: list[CronItem], whole: int) -> str:
    """The same values, each once."""
    field, like = items[0].field, re.split("[-/]", items[0].token.text)[0]
    if any(item.is_unrestricted for item in items):
        return "*"
    for item in items:
        if item.mask == whole and not item.is_wildcard:
            return item.token.text
    spans = []
    while whole:
        low = (whole & -whole).bit_length() - 1
        size = (~(whole >> low) & (whole >> low) + 1).bit_length() - 1
        whole &= ~((1 << size) - 1 << low)
        high = low + size - 1
        names = [field.format_like(value, like=like) for value in (low, high)]
        spans.append(names[0] if low == high else "-".join(names))
    return ",".join(spans)


def _uneven_message(item: CronItem) -> str:
    field, last = item.field, item.values[-1]
    if field is FIELDS[2]:
        return f"every {item.step} days starts again on day 1 of each month, however recent the last run"
    gap = field.size - (last - field.first)
    unit = "day" if field is FIELDS[4] else field.name
    plural = "" if gap == 1 else "s"
    return f"{item.step} does not divide {field.size}: from {last} to {field.first} it is {gap} {unit}{plural}"


def _portable_form(item: CronItem) -> str:
    """The same values in a form that every scheduler takes."""
    field = item.field
    low_text = item.token.text.partition("/")[0].partition("-")[0]
    if len(item.values) == 1 or item.step > field.last - field.first:
        return low_text if item.low == item.values[0] and not item.is_wildcard else str(item.values[0])
    if item.is_wildcard:
        return "*" if item.step == 1 else f"*/{item.step}"
    if item.open_ended:
        return f"{low_text}-{field.format_like(field.last, like=low_text)}" + (f"/{item.step}" if item.step > 1 else "")
    if item.step > 1:
        return ",".join(field.format_like(value, like=low_text) for value in item.values)
    head = low_text if item.low == field.last else f"{low_text}-{field.format_like(field.last, like=low_text)}"
    return f"{head},{field.format_like(field.first, like=low_text)}" if item.low else head


def _portability(item: CronItem, message: str, plain: str, *, is_safe: bool) -> Problem:
    message = f'{message}; write "{plain}"'
    return Problem("portability", item.token.start, item.token.end, message, plain, is_safe=is_safe)
