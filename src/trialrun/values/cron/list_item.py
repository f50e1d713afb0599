"""One item of a field's list: `*`, `5`, `MON-FRI`, `*/15`, `0-30/10`."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cron.expression import CronToken
from trialrun.values.cron.fields import Field
from trialrun.values.cron.typo_hints import item_hint, value_hint
from trialrun.values.problem import Problem

_MAX_NUMBER = 10**9


@dataclass(frozen=True, slots=True)
class CronItem:
    """The values `low`, `low + step`, … up to `high` of a field; 7 is not yet Sunday's 0 here."""

    field: Field
    token: CronToken
    low: int
    high: int
    step: int
    is_wildcard: bool
    """The range is `*` or `?`."""
    open_ended: bool
    """A single number with a step: `5/15`."""

    @property
    def is_unrestricted(self) -> bool:
        return self.is_wildcard and self.step == 1

    @property
    def is_equal_range(self) -> bool:
        """A range that ends where it starts, `9-9`."""
        return self.low == self.high and "-" in self.token.text

    @property
    def values(self) -> tuple[int, ...]:
        """In the order of the text, with Sunday as 0."""
        return tuple(self.field.normalize(value) for value in range(self.low, self.high + 1, self.step))

    @property
    def mask(self) -> int:
        """The values as bits, with Sunday as bit 0."""
        if self.step == 1:
            mask = (2 << self.high) - (1 << self.low)
        else:
            mask = sum([1 << value for value in range(self.low, self.high + 1, self.step)])
        beyond = 1 << self.field.last + 1
        return mask ^ beyond | 1 if mask & beyond else mask


def parse_items(field: Field, token: CronToken) -> Iterator[CronItem | Problem]:
    """The items of a comma list, and what is wrong with those that are none."""
    if "," not in token.text:
        yield from _parse_item(field, token)
        return
    start = token.start
    for text in token.text.split(","):
        yield from _parse_item(field, CronToken(text, start, start + len(text)))
        start += len(text) + 1


def _parse_item(field: Field, token: CronToken) -> Iterator[CronItem | Problem]:
    if token.text == "*":  # most of them, and nothing can be wrong with it
        yield CronItem(field, token, field.first, field.last, 1, is_wildcard=True, open_ended=False)
        return
    if not token.text:
        yield _syntax_problem(token, f"an item of the {field.name} list is empty; write a value or remove the comma")
        return
    if (mistake := item_hint(field, token.text)) is not None:
        yield _syntax_problem(token, *mistake)
        return
    limits, slash, step_text = token.text.partition("/")
    low_high = _parse_limits(field, CronToken(limits, token.start, token.start + len(limits)), stepped=bool(slash))
    step = _parse_step(CronToken(step_text, token.end - len(step_text), token.end), field) if slash else 1
    wrong = [part for part in (low_high, step) if isinstance(part, Problem)]
    if wrong or isinstance(low_high, Problem) or isinstance(step, Problem):
        yield from wrong
        return
    low, high = low_high
    if low > high:
        yield _reversed_range(field, token, limits, low, high, step)
        return
    wild = limits in ("*", "?")
    yield CronItem(field, token, low, high, step, wild, bool(slash) and not wild and "-" not in limits)


def _parse_limits(field: Field, token: CronToken, *, stepped: bool) -> tuple[int, int] | Problem:
    if token.text in ("*", "?"):
        return field.first, field.last
    if not token.text:
        return Problem(
            "syntax", token.start, token.start, f"the {field.name} has a step without a range; write */ first", "*"
        )
    left, dash, right = token.text.partition("-")
    low = _parse_value(field, CronToken(left, token.start, token.start + len(left)))
    if isinstance(low, Problem):
        return low
    if not dash:
        return low, max(low, field.last) if stepped else low
    high = _parse_value(field, CronToken(right, token.end - len(right), token.end), closing=True)
    return high if isinstance(high, Problem) else (low, high)


def _parse_value(field: Field, token: CronToken, *, closing: bool = False) -> int | Problem:
    """One value; a `closing` one ends a range."""
    if not token.text:
        return _syntax_problem(
            token, f"the {field.name} range lacks an end; write both, such as {field.first}-{field.last}"
        )
    if (value_of_name := field.parse_name(token.text)) is not None:
        return value_of_name
    value = _parse_number(token.text)
    if value is None:
        return _syntax_problem(token, *value_hint(field, token.text))
    if field.first <= value <= field.highest:
        return value
    return _out_of_range(field, token, value, closing=closing)


def _out_of_range(field: Field, token: CronToken, value: int, *, closing: bool) -> Problem:
    message = f"{field.name} {token.text[:20]} is outside {field.first}-{field.last}"
    if field.name == "hour" and value == 24:
        suggestion = "23" if closing else "0"
        return _syntax_problem(token, f"{message}; {'the last hour is 23' if closing else 'midnight is 0'}", suggestion)
    sunday = ", Sunday is 0" if field.name == "day of week" else ""
    return _syntax_problem(token, f"{message}; write {field.first} to {field.last}{sunday}")


def _parse_step(token: CronToken, field: Field) -> int | Problem:
    value = _parse_number(token.text)
    if value is None:
        return _syntax_problem(
            token, f'the step "{token.text[:20]}" of the {field.name} is not a number; write 1 or more'
        )
    if value == 0:
        return _syntax_problem(token, f"a step of 0 in the {field.name} never ends; write 1 or more")
    return value


def _parse_number(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) < 10 else _MAX_NUMBER


def _reversed_range(field: Field, token: CronToken, limits: str, low: int, high: int, step: int) -> Problem:
    """A range that runs backwards, with the forward ranges it is meant to be."""
    left, _, right = limits.partition("-")
    rest = f"{right}" if high == field.first else f"{field.format_like(field.first, like=right)}-{right}"
    if low > field.last:
        suggestion = rest
    elif step == 1:
        head = left if low == field.last else f"{left}-{field.format_like(field.last, like=left)}"
        suggestion = f"{head},{rest}"
    else:
        wrapped = range(low, high + field.size + 1, step)
        suggestion = ",".join(str((value - field.first) % field.size + field.first) for value in wrapped)
    reason = ", SUN is 0" if right.upper() == "SUN" else ""
    return _syntax_problem(
        token, f'the {field.name} range "{token.text}" runs backwards{reason}; write "{suggestion}"', suggestion
    )


def _syntax_problem(token: CronToken, message: str, replacement: str | None = None) -> Problem:
    return Problem("syntax", token.start, token.end, message, replacement)
