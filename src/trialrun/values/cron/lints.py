"""What is worth saying about a schedule that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.values.cron.expression import CronExpression
from trialrun.values.cron.fields import FIELDS
from trialrun.values.cron.list_item import CronItem
from trialrun.values.problem import Problem

_FULL_MINUTE = (1 << 60) - 1
_FULL_HOUR = (1 << 24) - 1


def lint_item(item: CronItem) -> Iterator[Problem]:
    """A form on which schedulers disagree, or else a step that does not divide its field."""
    text, field = item.token.text, item.field
    if "?" in text:
        yield _portability(item, f'not every scheduler accepts ? in the {field.name}; write "{_portable_form(item)}"')
    elif item.high > field.last:
        yield _portability(item, f'not every scheduler accepts 7 for Sunday; write "{_portable_form(item)}"')
    elif item.step > field.last - field.first:
        message = f'a step of {item.step} is longer than the {field.name} field; write "{_portable_form(item)}"'
        yield _portability(item, message)
    elif item.open_ended:
        yield _portability(
            item, f'not every scheduler accepts "{text}" for a range with a step; write "{_portable_form(item)}"'
        )
    elif _is_uneven(item):
        yield _item_problem(item, "uneven-step", _uneven_message(item))


def lint_schedule(cron: CronExpression, items: list[list[CronItem]], problems: list[Problem]) -> Iterator[Problem]:
    """What the fields mean together; `problems` are the problems of single items, which are not repeated."""
    if cron.either_day and not cron.either_day_by_vixie:
        yield from _starred_steps(items, problems)
    elif cron.either_day_by_vixie and not cron.either_day:
        yield from _late_stars(cron)
    elif cron.either_day:
        start, end = cron.fields[2].start, cron.fields[4].end
        message = "day of month and day of week are both set, so a day that matches either runs; set one of them to *"
        yield Problem("day-or-weekday", start, end, message)
    if _is_minute_star(cron, items):
        minute = cron.fields[0]
        count = cron.masks[1].bit_count()
        hours = "one hour" if count == 1 else f"each of {count} hours"
        message = f'"{minute.text}" as the minute runs 60 times in {hours}; write 0 for once an hour'
        yield Problem("minute-star-with-hour", minute.start, minute.end, message)


def drop_repeats(problems: list[Problem]) -> list[Problem]:
    """One place, one piece of advice: what schedulers disagree on goes before what is merely uneven."""
    disputed = {(problem.start, problem.end) for problem in problems if problem.code == "portability"}
    return [p for p in problems if p.code != "uneven-step" or (p.start, p.end) not in disputed]


def _starred_steps(items: list[list[CronItem]], problems: list[Problem]) -> Iterator[Problem]:
    """`*/2` beside the other day field: a restriction to some schedulers, a star to those of Vixie's line."""
    rewritten = {(problem.start, problem.end) for problem in problems if problem.code == "portability"}
    for item in (items[2][0], items[4][0]):
        if not item.token.text.startswith("*/") or (item.token.start, item.token.end) in rewritten:
            continue
        text, field = item.token.text, item.field
        plain = f"{field.first}-{field.last}/{item.step}"
        message = f'with both day fields set, some schedulers read "{text}" as "and", others as "or"; write "{plain}"'
        yield _item_problem(item, "portability", message, plain)


def _late_stars(cron: CronExpression) -> Iterator[Problem]:
    """`5,*` is a star to some schedulers, but does not begin with one."""
    for at in (2, 4):
        token = cron.fields[at]
        if cron.stars[at] and "?" not in token.text:
            yield Problem("portability", token.start, token.end, f'"{token.text}" is every value; write "*"', "*")


def _is_minute_star(cron: CronExpression, items: list[list[CronItem]]) -> bool:
    """Every minute of single hours or of every nth hour; a range of hours (`* 9-17`) is taken at its word."""
    if cron.masks[0] != _FULL_MINUTE or cron.masks[1] == _FULL_HOUR:
        return False
    return all(item.low == item.high or item.step > 1 for item in items[1])


def _is_uneven(item: CronItem) -> bool:
    field = item.field
    whole = item.low == field.first and item.high == field.last
    return whole and item.step > 1 and (field.size % item.step != 0 or field is FIELDS[2])


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


def _portability(item: CronItem, message: str) -> Problem:
    return _item_problem(item, "portability", message, _portable_form(item))


def _item_problem(item: CronItem, code: str, message: str, replacement: str | None = None) -> Problem:
    return Problem(code, item.token.start, item.token.end, message, replacement)
