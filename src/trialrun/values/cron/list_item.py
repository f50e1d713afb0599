"""One item of a field's list: `*`, `5`, `MON-FRI`, `*/15`, `0-30/10`."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cron.expression import Token
from trialrun.values.cron.fields import Field
from trialrun.values.cron.typo_hints import bad_shape, bad_value
from trialrun.values.problem import Problem

_HUGE = 10**9


@dataclass(frozen=True, slots=True)
class Item:
    """The values `low`, `low + step`, … up to `high` of a field; 7 is not yet Sunday's 0 here."""

    field: Field
    token: Token
    low: int
    high: int
    step: int
    wild: bool
    """The range is `*` or `?`."""
    open_ended: bool
    """A single number with a step: `5/15`."""

    @property
    def star(self) -> bool:
        return self.wild and self.step == 1

    @property
    def values(self) -> tuple[int, ...]:
        """In the order of the text, with Sunday as 0."""
        return tuple(self.field.folded(value) for value in range(self.low, self.high + 1, self.step))

    @property
    def mask(self) -> int:
        return sum({1 << value for value in self.values})


def read_items(field: Field, token: Token) -> Iterator[Item | Problem]:
    """The items of a comma list, and what is wrong with those that are none."""
    start = token.start
    for text in token.text.split(","):
        yield from _read(field, Token(text, start, start + len(text)))
        start += len(text) + 1


def _read(field: Field, token: Token) -> Iterator[Item | Problem]:
    if not token.text:
        yield _wrong(token, f"an item of the {field.name} list is empty; write a value or drop the comma")
        return
    if (mistake := bad_shape(field, token.text)) is not None:
        yield _wrong(token, *mistake)
        return
    limits, slash, step_text = token.text.partition("/")
    low_high = _limits(field, Token(limits, token.start, token.start + len(limits)), stepped=bool(slash))
    step = _step(Token(step_text, token.end - len(step_text), token.end), field) if slash else 1
    wrong = [part for part in (low_high, step) if isinstance(part, Problem)]
    if wrong or isinstance(low_high, Problem) or isinstance(step, Problem):
        yield from wrong
        return
    low, high = low_high
    if low > high:
        yield _reversed(field, token, limits, low, high, step)
        return
    wild = limits in ("*", "?")
    yield Item(field, token, low, high, step, wild, bool(slash) and not wild and "-" not in limits)


def _limits(field: Field, token: Token, *, stepped: bool) -> tuple[int, int] | Problem:
    if token.text in ("*", "?"):
        return field.first, field.last
    if not token.text:
        return Problem(
            "syntax", token.start, token.start, f"the {field.name} has a step of nothing; write */ first", "*"
        )
    left, dash, right = token.text.partition("-")
    low = _value(field, Token(left, token.start, token.start + len(left)))
    if isinstance(low, Problem):
        return low
    if not dash:
        return low, max(low, field.last) if stepped else low
    high = _value(field, Token(right, token.end - len(right), token.end), closing=True)
    return high if isinstance(high, Problem) else (low, high)


def _value(field: Field, token: Token, *, closing: bool = False) -> int | Problem:
    """One value; a `closing` one ends a range."""
    if not token.text:
        return _wrong(token, f"the {field.name} range lacks an end; write both, such as {field.first}-{field.last}")
    if (named := field.named(token.text)) is not None:
        return named
    value = _number(token.text)
    if value is None:
        return _wrong(token, *bad_value(field, token.text))
    if field.first <= value <= field.highest:
        return value
    return _out_of_range(field, token, value, closing=closing)


def _out_of_range(field: Field, token: Token, value: int, *, closing: bool) -> Problem:
    message = f"{field.name} {token.text[:20]} is outside {field.first}-{field.last}"
    if field.name == "hour" and value == 24:
        meant = "23" if closing else "0"
        return _wrong(token, f"{message}; {'the last hour is 23' if closing else 'midnight is 0'}", meant)
    sunday = ", Sunday is 0" if field.name == "day of week" else ""
    return _wrong(token, f"{message}; write {field.first} to {field.last}{sunday}")


def _step(token: Token, field: Field) -> int | Problem:
    value = _number(token.text)
    if value is None:
        return _wrong(token, f'the step "{token.text[:20]}" of the {field.name} is not a number; write 1 or more')
    if value == 0:
        return _wrong(token, f"a step of 0 in the {field.name} never ends; write 1 or more")
    return value


def _number(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) < 10 else _HUGE


def _reversed(field: Field, token: Token, limits: str, low: int, high: int, step: int) -> Problem:
    """A range that runs backwards, with the forward ranges it is meant to be."""
    left, _, right = limits.partition("-")
    rest = f"{right}" if high == field.first else f"{field.spelt(field.first, like=right)}-{right}"
    if low > field.last:
        meant = rest
    elif step == 1:
        head = left if low == field.last else f"{left}-{field.spelt(field.last, like=left)}"
        meant = f"{head},{rest}"
    else:
        wrapped = range(low, high + field.size + 1, step)
        meant = ",".join(str((value - field.first) % field.size + field.first) for value in wrapped)
    reason = ", SUN is 0" if right.upper() == "SUN" else ""
    return _wrong(token, f'the {field.name} range "{token.text}" runs backwards{reason}; write "{meant}"', meant)


def _wrong(token: Token, message: str, replacement: str | None = None) -> Problem:
    return Problem("syntax", token.start, token.end, message, replacement)
