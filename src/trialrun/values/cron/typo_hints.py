"""What somebody meant who wrote something that no cron field takes."""

from __future__ import annotations

import re

from trialrun.values.cron.fields import FIELDS, Field

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
    if not text.isascii():
        return _non_ascii_hint(field, text)
    if not _COMMON_CHARACTERS.issuperset(text) and (match := re.fullmatch(_EXTENSION, text)):
        return f'"{text[:_MAX_QUOTED]}" in the {field.name}: {_ADVICE[match.lastgroup or ""]}', None
    limits, _, step = text.partition("/")
    if "/" in step or limits.count("-") > 1:
        return f'"{text[:_MAX_QUOTED]}" is not one {field.name} range; write start-end/step, lists with commas', None
    if "~" in limits:
        return f'"{text[:_MAX_QUOTED]}" is a random {field.name}, which is not cron; write a number', None
    if len(limits) > 1 and ("*" in limits or "?" in limits):
        return _star_hint(field, text, limits, step)
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


def _non_ascii_hint(field: Field, text: str) -> Hint:
    """Digits and signs of other alphabets."""
    plain = "".join(str(int(c)) if c.isdecimal() else c for c in text.translate(_LOOKALIKES))
    message = f'"{text[:_MAX_QUOTED]}" in the {field.name} has characters outside ASCII'
    if plain.isascii():
        return f'{message}; write "{plain[:_MAX_QUOTED]}"', plain
    return f"{message}; {_allowed_values(field)}", None


def _star_hint(field: Field, text: str, limits: str, step: str) -> Hint:
    if set(limits) == {"*"}:
        plain = f"*/{step}" if step else "*"
        return f'"{text[:_MAX_QUOTED]}" in the {field.name} has an extra star; write "{plain[:_MAX_QUOTED]}"', plain
    return f'"{text[:_MAX_QUOTED]}" mixes * with other values of the {field.name}; write * or a range', None


def _complete_name(field: Field, text: str) -> str | None:
    """The full name that a text such as `Monday`, `Tues` or `sept.` begins to spell."""
    start = text.rstrip(".").casefold()
    if len(start) < 3:
        return None
    return next((word for word in field.words if word.casefold().startswith(start)), None)


def _allowed_values(field: Field) -> str:
    names = f" or {field.words[0][:3].upper()}-{field.words[-1][:3].upper()}" if field.words else ""
    return f"write {field.first}-{field.last}{names}, *, a range or a list"
