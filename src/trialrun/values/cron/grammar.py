"""Reading a cron text: five fields, with a time zone prefix or without, and what to write where they are none."""

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
)
from trialrun.values.cron.lints import drop_repeats, lint_item, lint_schedule

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
_JOINS = r"(?<![ \t])[ \t]*+([-,/])[ \t]*"  # a run of blanks is read once
_NAMES_SIDE_BY_SIDE = "|".join(
    rf"\b((?:{names})[a-z]*)[ \t]+(?=(?:{names})[a-z]*\b)"
    for names in ("|".join(name[:3] for name in MONTHS), "|".join(name[:3] for name in WEEKDAYS))
)
_LATE_PREFIX = r"(?:CRON_TZ|TZ)=\S+"
_starts_with_year = re.compile(r"(?:19|20)\d\d").match
_VALUE = rf"(?:[*?]|\d+[LW]?|LW|[LWHR]|(?:{'|'.join(name[:3] for name in (*MONTHS, *WEEKDAYS))})[a-z]*)"
_ITEM = rf"{_VALUE}(?:-{_VALUE})?(?:/\d+)?(?:#\d)?"


def _looks_like_field(word: str) -> bool:
    """Whether a word is meant as a field, in any dialect of cron."""
    return re.fullmatch(rf"(?:{_ITEM})?(?:,(?:{_ITEM})?)*", word, re.IGNORECASE) is not None


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
    listed = re.sub(_NAMES_SIDE_BY_SIDE, r"\1\2,", schedule, flags=re.IGNORECASE)
    if listed != schedule and len(words := listed.split()) == 5 and all(map(_looks_like_field, words)):
        return f'commas separate names, write "{listed[:40]}"', listed if parse(listed).cron is not None else None
    if len(texts) > 5 and texts[5].startswith("#"):
        return f'a comment is no part of a schedule, write "{" ".join(texts[:5])[:40]}"', " ".join(texts[:5])
    if len(texts) > 5 and not all(map(_looks_like_field, texts)):
        return _suggest_without_word(texts, has_zone=has_zone)
    if len(texts) == 6 and (texts[4] == "?" or _starts_with_year(texts[5])):
        return "the last looks like a year, remove it", None
    if len(texts) == 6:
        rest = " ".join(texts[1:])
        is_whole = texts[0] in ("0", "00") and parse(rest).cron is not None
        return "the first looks like seconds, remove it", rest if is_whole else None
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
