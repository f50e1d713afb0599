"""The five fields and the items of their lists: names, ranges, words that stand for numbers, and slips of typing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from trialrun.values import Problem


class CronToken(NamedTuple):
    """One field, or the zone name, with its place: code points from 0, the end exclusive."""

    text: str
    start: int
    end: int


class CronExpression(NamedTuple):
    """A schedule of five fields, in the order minute, hour, day of month, month, day of week.

    Bit v of a mask is set where value v matches; Sunday is bit 0 only. The five tokens of a macro all have the
    macro's place.
    """

    zone: str | None
    """The name behind `CRON_TZ=` or `TZ=`; None without a prefix, where UTC is assumed."""
    zone_token: CronToken | None
    fields: tuple[CronToken, ...]
    masks: tuple[int, ...]
    stars: tuple[bool, ...]
    """Which fields are unrestricted: `*`, `*/1`, `?` or a list with one of them. `*/2` is restricted."""
    leading_stars: tuple[bool, ...]
    """Which fields begin with `*`, the test that Vixie cron makes."""

    @property
    def either_day(self) -> bool:
        """Day of month and day of week are both restricted: a day that matches one of them is enough."""
        return not (self.stars[2] or self.stars[4])

    @property
    def either_day_by_vixie(self) -> bool:
        """Vixie cron's answer to the same question: it asks whether a field begins with `*`, even in `*/2`."""
        return not (self.leading_stars[2] or self.leading_stars[4])


class ParseResult(NamedTuple):
    """A cron text as read: a schedule, or None if a problem has the code `syntax`.

    `zone_token` is the zone name wherever one can be made out, even in a text that has other mistakes.
    """

    cron: CronExpression | None
    problems: tuple[Problem, ...]
    zone_token: CronToken | None = None


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@dataclass(frozen=True, slots=True)
class Field:
    """One of the five: the values `first` to `last`, and full English names for them in months and weekdays."""

    name: str
    first: int
    last: int
    words: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    @property
    def highest(self) -> int:
        """The highest number that may be written: 7 also means Sunday."""
        return 7 if self.words is WEEKDAYS else self.last

    def parse_name(self, text: str) -> int | None:
        """The value of a three-letter name such as `MON`, in any case."""
        for value, word in enumerate(self.words, self.first):
            if word[:3].upper() == text.upper():
                return value
        return None

    def format_like(self, value: int, *, like: str) -> str:
        """A value as a name where `like` is one, else as a number."""
        return self.words[value - self.first][:3].upper() if self.parse_name(like) is not None else str(value)

    def normalize(self, value: int) -> int:
        """The value with 7 turned into 0 in the day of week."""
        return 0 if value > self.last else value


FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of month", 1, 31),
    Field("month", 1, 12, MONTHS),
    Field("day of week", 0, 6, WEEKDAYS),
)


def set_bits(mask: int) -> Iterator[int]:
    """The values whose bits are set, in order."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


Hint = tuple[str, str | None]
"""A message, and the text that is clearly intended."""

# Texts, not compiled: most runs of the linter meet no mistake, and compiling costs more than reading a schedule.
_EXTENSION = r"""(?ix)(?P<last>L(?:-\d+)?|LW|(?:[0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)L)
      | (?P<nearest>\d{1,2}W|W)
      | (?P<nth>\w+\#\w*)
      | (?P<random>[HR](?:\(.*\))?(?:/.*)?)"""
_ADVICE = {
    "last": "L (the last) is not cron; run on days 28-31, or on day 1 of the next month",
    "nearest": "W (the nearest weekday) is not cron; name the days",
    "nth": "# (the nth weekday) is not cron; run every week, or name the days of the month",
    "random": "H and R (a spread or random value) are not cron; write a number",
}
_LOOKALIKES = str.maketrans("–—−‐‑＊∗×，、／＃？", "-----***,,/#?")
_TIME = r"(\d{1,2}):(\d\d)"
_NUMBER_LIKE = r"\+?(\d{1,2})(?:\.0*)?"
_COMMON_CHARACTERS = frozenset("0123456789*/-?")
_MAX_QUOTED = 20


def item_hint(field: Field, text: str) -> Hint | None:
    """Why a whole item cannot be one, or None if its parts are worth a closer look."""
    quoted = f'"{text[:_MAX_QUOTED]}"'
    if not text.isascii():  # digits and signs of other alphabets
        plain = "".join(str(int(c)) if c.isdecimal() else c for c in text.translate(_LOOKALIKES))
        message = f"{quoted} in the {field.name} has characters outside ASCII"
        if plain.isascii():
            return f'{message}; write "{plain[:_MAX_QUOTED]}"', plain
        return f"{message}; {_allowed_values(field)}", None
    if not _COMMON_CHARACTERS.issuperset(text) and (match := re.fullmatch(_EXTENSION, text)):
        return f"{quoted} in the {field.name}: {_ADVICE[match.lastgroup or '']}", None
    limits, _, step = text.partition("/")
    if "/" in step or limits.count("-") > 1:
        return f"{quoted} is not one {field.name} range; write start-end/step, lists with commas", None
    if "~" in limits:
        return f"{quoted} is a random {field.name}, which is not cron; write a number", None
    if len(limits) > 1 and set(limits) == {"*"}:
        plain = f"*/{step}" if step else "*"
        return f'{quoted} in the {field.name} has an extra star; write "{plain[:_MAX_QUOTED]}"', plain
    if len(limits) > 1 and ("*" in limits or "?" in limits):
        return f"{quoted} mixes * with other values of the {field.name}; write * or a range", None
    return None


def value_hint(field: Field, text: str) -> Hint:
    """Why a text is neither a number nor a name of a field."""
    if match := re.fullmatch(_NUMBER_LIKE, text):
        return f'"{text}" is not a valid {field.name}; write digits only', match[1]
    if match := re.fullmatch(_TIME, text):
        return f'"{text}" is a time; write minute and hour as two fields, {int(match[2])} {int(match[1])}', None
    if word := _complete_name(field, text):
        return f'"{text}" is not a valid {field.name}; write {word[:3].upper()}', word[:3].upper()
    for other_field in FIELDS:
        if _complete_name(other_field, text):
            return f'"{text}" is a {other_field.name}, not a valid {field.name}; check the order of the fields', None
    return f'"{text[:_MAX_QUOTED]}" is not a valid {field.name}; {_allowed_values(field)}', None


def _complete_name(field: Field, text: str) -> str | None:
    """The full name that a text such as `Monday`, `Tues` or `sept.` begins to spell."""
    start = text.rstrip(".").casefold()
    if len(start) < 3:
        return None
    return next((word for word in field.words if word.casefold().startswith(start)), None)


def _allowed_values(field: Field) -> str:
    names = f" or {field.words[0][:3].upper()}-{field.words[-1][:3].upper()}" if field.words else ""
    return f"write {field.first}-{field.last}{names}, *, a range or a list"


_MAX_NUMBER = 10**9


class CronItem(NamedTuple):
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
        message = f"the {field.name} has a step without a range; write */ first"
        return Problem("syntax", token.start, token.start, message, "*")
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
        message = f"the {field.name} range lacks an end; write both, such as {field.first}-{field.last}"
        return _syntax_problem(token, message)
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
        message = f'the step "{token.text[:20]}" of the {field.name} is not a number; write 1 or more'
        return _syntax_problem(token, message)
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
    message = f'the {field.name} range "{token.text}" runs backwards{reason}; write "{suggestion}"'
    return _syntax_problem(token, message, suggestion)


def _syntax_problem(token: CronToken, message: str, replacement: str | None = None) -> Problem:
    return Problem("syntax", token.start, token.end, message, replacement)
