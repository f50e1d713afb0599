"""Reading a cron text: five fields, with a time zone prefix or without, and what is worth saying about a schedule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

from trialrun.values import Problem, time_zone
from trialrun.values.cron.fields import (
    FIELDS,
    MONTHS,
    WEEKDAYS,
    CronExpression,
    CronItem,
    CronToken,
    ParseResult,
    parse_items,
    set_bits,
)

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


_LEAD = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r"([A-Za-z][A-Za-z_-]*)([ \t]*[=:][ \t]*|[ \t]+)")
_NON_BLANK = re.compile(r"[^ \t\r\n]*")
_CANONICAL_NAMES = {"tz": "TZ", "crontz": "CRON_TZ", "timezone": "TZ", "zone": "TZ", "crontimezone": "CRON_TZ"}
_QUOTES = "\"'`“”‘’"


class TimeZonePrefix(NamedTuple):
    """A zone prefix with its problems; `end` is where the schedule may begin."""

    start: int
    end: int
    zone: CronToken | None
    problems: tuple[Problem, ...]


def parse_prefix(text: str) -> TimeZonePrefix | None:
    """The zone prefix of a text with everything that is wrong with its spelling; None if there is none."""
    start = _skip_blanks(text, 0)
    first = _parse_one(text, start)
    if first is None:
        return None
    message = "spaces before the time zone prefix; the prefix must come first"
    problems = [*([_syntax_problem(0, start, message, "")] if start else []), *first.problems]
    end = first.end
    while again := _parse_one(text, _skip_blanks(text, end)):
        same = first.zone and again.zone and first.zone.text == again.zone.text
        message = "a second time zone prefix; keep one"
        problems.append(_syntax_problem(again.start, again.end, message, "" if same else None))
        end = again.end
    return TimeZonePrefix(first.start, end, first.zone, tuple(problems))


def _parse_one(text: str, start: int) -> TimeZonePrefix | None:
    match = _NAME.match(text, start)
    if match is None:
        return None
    suggestion = _CANONICAL_NAMES.get(match[1].replace("_", "").replace("-", "").casefold())
    if suggestion is None and "=" not in match[2]:
        return None
    problems, name = [], match[1]
    if suggestion is None:
        message = f'"{name[:20]}=" is not a time zone prefix; write CRON_TZ= or TZ='
        problems.append(_syntax_problem(match.start(), match.end(1), message))
    elif name not in ("TZ", "CRON_TZ"):
        message = f'"{name}" is not the prefix of a time zone; write {suggestion}'
        problems.append(_syntax_problem(match.start(), match.end(1), message, suggestion))
    sign, after = match.start(2), match.end()
    following = text[after : after + 1]
    # `TZ= 1 * * * *` has no zone, while `TZ= Europe/Paris 1 * * * *` has a space too many
    if match[2] != "=" and "=" in match[2] and not (following.isalpha() or following in (*_QUOTES, ":")):
        after = sign + match[2].index("=") + 1
    elif match[2] != "=":
        message = 'the prefix and its time zone are joined by a plain "="; write "="'
        problems.append(_syntax_problem(sign, after, message, "="))
    zone, end, zone_problems = _parse_zone(text, after)
    return TimeZonePrefix(start, end, zone if suggestion else None, (*problems, *zone_problems))


def _parse_zone(text: str, start: int) -> tuple[CronToken | None, int, list[Problem]]:
    """The zone name from `start` on, the end of its characters, and what is wrong with them."""
    if text[start : start + 1] in tuple(_QUOTES):
        return _quoted_zone(text, start)
    word = _NON_BLANK.match(text, start)
    end = word.end() if word else start
    if start == end:
        message = "the time zone is empty; write an IANA name, or remove the prefix"
        return None, end, [_syntax_problem(start, end, message)]
    problems = []
    if text[start] == ":":
        problems.append(_syntax_problem(start, start + 1, 'a ":" before the time zone; remove it', ""))
        start += 1
    if text[end : end + 1] not in ("", " ") and text[end:].strip():
        message = "white space other than a space after the time zone; write a space"
        problems.append(_syntax_problem(end, end + 1, message, " "))
    return CronToken(text[start:end], start, end), end, problems


def _quoted_zone(text: str, start: int) -> tuple[CronToken | None, int, list[Problem]]:
    close = next((at for at in range(start + 1, len(text)) if text[at] in _QUOTES), None)
    if close is None:
        word = _NON_BLANK.match(text, start)
        close = word.end() if word else start + 1
    end = min(close + 1, len(text)) if text[close : close + 1] in tuple(_QUOTES) else close
    name = text[start + 1 : close]
    message = "quotes around the time zone become part of its name; remove them"
    zone = CronToken(name, start + 1, close) if name else None
    return zone, end, [_syntax_problem(start, end, message, name or None)]


def _skip_blanks(text: str, start: int) -> int:
    lead = _LEAD.match(text, start)
    return lead.end() if lead else start


def _syntax_problem(start: int, end: int, message: str, replacement: str | None = None) -> Problem:
    return Problem("syntax", start, end, message, replacement)


MAX_PROBLEMS = 100
"""More mistakes of one text, or more remarks on it, help nobody."""
_WORD = re.compile(r"[^ \t\r\n]+")
_QUOTED = re.compile(r"""[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|[“„]([^“”]*)[“”]|‘([^’]*)’)[ \t\r\n]*""")


def parse(text: str) -> ParseResult:
    """Read a cron text and report everything that is wrong with it, or worth saying; never raises.

    The codes of the problems are `syntax` (there is no schedule then), `portability`, `day-or-weekday`, `uneven-step`
    and `minute-star-with-hour`; of very many the first come out. The zone name itself is not checked: see
    `time_zone.check`.
    """
    if not text.strip():
        message = "the schedule is empty; write five fields, such as 0 3 * * *"
        return ParseResult(None, (_syntax_problem(0, len(text), message),))
    if quoted := _QUOTED.fullmatch(text):
        inner = next(filter(None, quoted.groups()), "")
        message = "quotes around the schedule are part of its text; remove them"
        return ParseResult(None, (_syntax_problem(0, len(text), message, inner or None),))
    plain, blanks = _normalize_blanks(text)
    prefix = parse_prefix(plain)
    cron, found = _schedule(plain, prefix)
    problems = sorted((*blanks, *(prefix.problems if prefix else ()), *found), key=lambda p: (p.start, p.end))
    is_refused = any(problem.code == "syntax" for problem in problems)
    zone = prefix.zone if prefix else None
    if zone and any(problem.start == zone.start and problem.end > zone.end for problem in problems):
        zone = None  # it goes on where the token ends (`America/New York`)
    return ParseResult(None if is_refused else cron, tuple(_limit_problems(problems)), zone)


def _limit_problems(problems: list[Problem]) -> Iterator[Problem]:
    """The first of very many problems; those that keep a schedule from being one are not lost among others."""
    remaining = {True: MAX_PROBLEMS, False: MAX_PROBLEMS}
    for problem in problems:
        is_syntax = problem.code == "syntax"
        if remaining[is_syntax]:
            remaining[is_syntax] -= 1
            yield problem


def _normalize_blanks(text: str) -> tuple[str, list[Problem]]:
    """The text with a space for every blank that cron does not know (no-break space, byte order mark, …)."""
    if text.isascii() and text.isprintable():
        return text, []
    strange = [at for at, c in enumerate(text) if c not in " \t\r\n" and (c.isspace() or not c.isprintable())]
    if not strange:
        return text, []
    message = "the character U+{:04X} is not a space that cron accepts; write a plain space"
    characters = list(text)
    for at in strange:
        characters[at] = " "
    return "".join(characters), [Problem("syntax", at, at + 1, message.format(ord(text[at])), " ") for at in strange]


def _schedule(text: str, prefix: TimeZonePrefix | None) -> tuple[CronExpression | None, list[Problem]]:
    tokens = [CronToken(m.group(), m.start(), m.end()) for m in _WORD.finditer(text, prefix.end if prefix else 0)]
    zone = prefix.zone if prefix else None
    if not tokens:
        message = "a time zone without a schedule; write five fields after it, such as 0 3 * * *"
        return None, [_syntax_problem(prefix.start, prefix.end, message)] if prefix and zone else []
    if tokens[0].text.startswith("@"):
        whole = CronToken(text[tokens[0].start : tokens[-1].end], tokens[0].start, tokens[-1].end)
        return _macro(whole, zone), [check_macro(whole)]
    if len(tokens) != len(FIELDS):
        return None, [wrong_field_count(text, tokens, prefix)]
    return _five_fields(tokens, zone)


def _macro(token: CronToken, zone: CronToken | None) -> CronExpression | None:
    if token.text not in MACROS:
        return None
    texts = MACROS[token.text].split()
    cron, _ = _five_fields([CronToken(text, 0, len(text)) for text in texts], zone)
    fields = tuple(CronToken(text, token.start, token.end) for text in texts)
    return cron and CronExpression(cron.zone, cron.zone_token, fields, cron.masks, cron.stars, cron.leading_stars)


def _five_fields(tokens: list[CronToken], zone: CronToken | None) -> tuple[CronExpression | None, list[Problem]]:
    lists = [list(parse_items(field, token)) for field, token in zip(FIELDS, tokens, strict=True)]
    problems = [part for parts in lists for part in parts if isinstance(part, Problem)]
    items = [[part for part in parts if isinstance(part, CronItem)] for parts in lists]
    problems += (problem for parts in items for item in parts for problem in lint_item(item))
    if any(problem.code == "syntax" for problem in problems):
        return None, problems
    cron = CronExpression(
        zone=zone.text if zone else None,
        zone_token=zone,
        fields=tuple(tokens),
        masks=tuple(reduce(or_, (item.mask for item in parts)) for parts in items),
        stars=tuple(any(item.is_unrestricted for item in parts) for parts in items),
        leading_stars=tuple(token.text.startswith(("*", "?")) for token in tokens),
    )
    return cron, drop_repeats(problems, list(lint_schedule(cron, items)))


_NAMES = "minute, hour, day of month, month, day of week"
_JOINS = r"[ \t]*([-,/])[ \t]*"
_LATE_PREFIX = r"(?:CRON_TZ|TZ)=\S+"
_starts_with_year = re.compile(r"(?:19|20)\d\d").match
_VALUE = rf"(?:[*?]|\d+[LW]?|LW|[LWHR]|(?:{'|'.join(name[:3] for name in (*MONTHS, *WEEKDAYS))})[a-z]*)"
_ITEM = rf"{_VALUE}(?:-{_VALUE})?(?:/\d+)?(?:#\d)?"
_looks_like_field = re.compile(rf"(?:{_ITEM})?(?:,(?:{_ITEM})?)*", re.IGNORECASE).fullmatch
"""Whether a word is meant as a field, in any dialect of cron."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def wrong_field_count(text: str, tokens: list[CronToken], prefix: TimeZonePrefix | None) -> Problem:
    """What is wrong with a schedule of any number of fields but five."""
    start, end = tokens[0].start, tokens[-1].end
    if prefix and prefix.zone and len(tokens) > 5 and (problem := _zone_of_several_words(text, tokens, prefix.zone)):
        return problem
    count_text = _NUMBERS[len(tokens)] if len(tokens) < len(_NUMBERS) else str(len(tokens))
    plural = "field" if len(tokens) == 1 else "fields"
    reason, suggestion = _suggest(text[start:end], [token.text for token in tokens], has_zone=prefix is not None)
    return Problem("syntax", start, end, f"{count_text} {plural}, but cron has five; {reason}", suggestion)


def _zone_of_several_words(text: str, tokens: list[CronToken], zone: CronToken) -> Problem | None:
    """What is wrong with a zone name that has spaces, up to the five fields behind it."""
    name = text[zone.start : tokens[-6].end]
    words = name.split()
    if time_zone.check(words[0]) is None or not words[1].strip("(").isalpha():
        return None
    joined = "_".join(words)
    if joined in time_zone.zone_names():
        message = f'a time zone name has no spaces; write "{joined}"'
        return _syntax_problem(zone.start, tokens[-6].end, message, joined)
    problem = time_zone.check(name)
    return problem and Problem("syntax", zone.start, tokens[-6].end, problem.message, problem.replacement)


def _suggest(schedule: str, texts: list[str], *, has_zone: bool) -> tuple[str, str | None]:
    joined = re.sub(_JOINS, r"\1", schedule)
    if joined != schedule and len(words := joined.split()) == 5 and all(map(_looks_like_field, words)):
        return f'spaces separate fields, write "{joined[:40]}"', joined
    if len(texts) > 5 and texts[5].startswith("#"):
        return f'a comment is no part of a schedule, write "{" ".join(texts[:5])[:40]}"', " ".join(texts[:5])
    if len(texts) > 5 and not all(map(_looks_like_field, texts)):
        return _suggest_without_word(texts, has_zone=has_zone)
    if len(texts) == 6 and (texts[4] == "?" or _starts_with_year(texts[5])):
        return "the last looks like a year, remove it", None
    if len(texts) == 6:
        return "the first looks like seconds, remove it", " ".join(texts[1:]) if texts[0] in ("0", "00") else None
    if len(texts) == 7 and (texts[6][0] == "*" or _starts_with_year(texts[6])):
        return "the first looks like seconds and the last like a year, remove both", None
    return f"write {_NAMES}", None


def _suggest_without_word(texts: list[str], *, has_zone: bool) -> tuple[str, str | None]:
    """What to do with a word before or behind five fields that is no field, such as a time zone or a command."""
    if all(map(_looks_like_field, texts[:5])):
        fields, word = texts[:5], " ".join(texts[5:])
    elif len(texts) == 6 and all(map(_looks_like_field, texts[1:])):
        word, *fields = texts
    else:
        return f"write {_NAMES}", None
    schedule = " ".join(fields)
    if re.fullmatch(_LATE_PREFIX, word) and not has_zone:
        return "the time zone prefix must come first", f"{word} {schedule}"
    if (zone := bare_zone(word)) and not has_zone:
        prefixed = f"CRON_TZ={zone} {schedule}"
        return f'a time zone precedes the schedule, behind CRON_TZ=; write "{prefixed[:60]}"', prefixed
    return f'"{word[:40]}" is no part of a schedule, remove it', None


def bare_zone(text: str) -> str | None:
    """The time zone that a word beside a schedule names, or plainly means; None for any other word."""
    if not text[:1].isalpha():
        return None
    problem = time_zone.check(text)
    if problem is None or problem.code == "deprecated":
        return text
    return problem.replacement if "/" in text else None


MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


def check_macro(token: CronToken) -> Problem:
    """Not every scheduler takes a macro; some macros no scheduler of views takes."""
    suggestion = MACROS.get(token.text.casefold())
    if token.text in MACROS:
        message = f'not every scheduler accepts {token.text}; write "{suggestion}"'
        return Problem("portability", token.start, token.end, message, suggestion)
    name, _, rest = token.text.partition(" ")
    message = f'"{name[:20]}" is not a schedule; write five fields, such as 0 3 * * *'
    if suggestion:
        message = f'"{name[:20]}" is not a schedule, macros are lower-case; write "{suggestion}"'
    elif name.casefold() == "@every":
        message = '"@every" is not a schedule; write five fields, such as 0 * * * * for every hour'
    elif name.casefold() == "@reboot":
        message = '"@reboot" is not a schedule; write five fields, such as 0 3 * * *'
    elif name in MACROS and rest:
        message = f'"{name[:20]}" cannot be combined; write five fields or remove the rest'
    return _syntax_problem(token.start, token.end, message, suggestion)
