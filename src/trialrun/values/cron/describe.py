"""A schedule in plain English."""

from __future__ import annotations

from trialrun.values.cron.fields import FIELDS, CronExpression, Field, set_bits

_MAX_TIMES = 4


def describe(cron: CronExpression) -> str:
    """When a schedule runs, such as `at 02:30 every Monday`."""
    text = " ".join(filter(None, (_time(cron), _day(cron), _months(cron))))
    return f"{text} ({cron.zone})" if cron.zone else text


def _time(cron: CronExpression) -> str:
    minutes, hours = tuple(set_bits(cron.masks[0])), tuple(set_bits(cron.masks[1]))
    if len(minutes) * len(hours) <= _MAX_TIMES:
        return f"at {_join_words([f'{hour:02}:{minute:02}' for hour in hours for minute in minutes])}"
    step = _even_step(minutes, FIELDS[0])
    if step and len(hours) == 24:
        return _every(step, "minute")
    minute = _every(step, "minute") if step else f"at {_noun('minute', minutes)} {_format_values(minutes, FIELDS[0])}"
    return f"{minute} of {_hours(hours)}"


def _hours(hours: tuple[int, ...]) -> str:
    step = _even_step(hours, FIELDS[1])
    if step is None:
        return f"{_noun('hour', hours)} {_format_values(hours, FIELDS[1])}"
    return "every hour" if step == 1 else f"every {_ordinal(step)} hour from 0"


def _day(cron: CronExpression) -> str:
    dates, weekdays = tuple(set_bits(cron.masks[2])), tuple(set_bits(cron.masks[4]))
    every_date, every_weekday = len(dates) == 31, len(weekdays) == 7
    by_date = f"on {_noun('day', dates)} {_format_values(dates, FIELDS[2])} of {_month(cron)}"
    by_weekday = f"every {_format_values(weekdays, FIELDS[4])}"
    if (every_date and every_weekday) or (cron.either_day and (every_date or every_weekday)):
        return "" if _is_frequent(cron) else "every day"
    if cron.either_day:
        return f"{by_date} and {by_weekday}"
    return by_weekday if every_date else by_date


def _months(cron: CronExpression) -> str:
    """The months, where the days have not named them yet."""
    by_date_alone = not cron.stars[2] and not cron.either_day and cron.masks[2].bit_count() < 31
    return (
        ""
        if by_date_alone or _has_every_month(cron)
        else f"in {_format_values(tuple(set_bits(cron.masks[3])), FIELDS[3])}"
    )


def _month(cron: CronExpression) -> str:
    if cron.either_day:
        return "the month"
    return "every month" if _has_every_month(cron) else _format_values(tuple(set_bits(cron.masks[3])), FIELDS[3])


def _has_every_month(cron: CronExpression) -> bool:
    return cron.masks[3].bit_count() == 12


def _is_frequent(cron: CronExpression) -> bool:
    """Runs in every hour, so that "every day" need not be said."""
    return cron.masks[1].bit_count() == 24


def _every(step: int, noun: str) -> str:
    return f"every {noun}" if step == 1 else f"every {step} {noun}s"


def _noun(noun: str, values: tuple[int, ...]) -> str:
    return noun if len(values) == 1 else f"{noun}s"


def _even_step(values: tuple[int, ...], field: Field) -> int | None:
    """The step of values that go round the field evenly from its first; None for others and for a single one."""
    if len(values) < 2:
        return None
    step = values[1] - values[0]
    even = field.size % step == 0 and values == tuple(range(field.first, field.last + 1, step))
    return step if even else None


def _format_values(values: tuple[int, ...], field: Field) -> str:
    """Values as words, with runs of three or more as ranges: `1 to 5 and 9`."""
    step = values[1] - values[0] if len(values) > 3 else 1
    if step > 1 and values == tuple(range(values[0], values[-1] + 1, step)):
        return f"{_value_name(values[0], field)} to {_value_name(values[-1], field)} in steps of {step}"
    spans: list[list[int]] = []
    for value in values:
        if spans and value == spans[-1][-1] + 1:
            spans[-1].append(value)
        else:
            spans.append([value])
    parts: list[str] = []
    for span in spans:
        words = [_value_name(value, field) for value in span]
        parts += words if len(words) < 3 else [f"{words[0]} to {words[-1]}"]
    return _join_words(parts)


def _value_name(value: int, field: Field) -> str:
    return field.words[value - field.first] if field.words else str(value)


def _join_words(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _ordinal(number: int) -> str:
    ending = {2: "nd", 3: "rd"}.get(number, "th")
    return f"{number}{ending}"
