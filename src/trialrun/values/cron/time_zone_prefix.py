"""The time zone in front of a schedule: `CRON_TZ=America/New_York` or `TZ=America/New_York`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cron.fields import CronToken
from trialrun.values.problem import Problem

_LEAD = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r"([A-Za-z][A-Za-z_-]*)([ \t]*[=:][ \t]*|[ \t]+)")
_WORD = re.compile(r"[^ \t\r\n]*")
_CANONICAL_NAMES = {"tz": "TZ", "crontz": "CRON_TZ", "timezone": "TZ", "zone": "TZ", "crontimezone": "CRON_TZ"}
_QUOTES = "\"'`“”‘’"


@dataclass(frozen=True, slots=True)
class TimeZonePrefix:
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
    problems = list(first.problems)
    if start:
        problems.insert(
            0, _syntax_problem(0, start, "spaces before the time zone prefix; the prefix must come first", "")
        )
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
    problems = list(_name_problems(match, suggestion))
    sign, after = match.start(2), match.end()
    if match[2] != "=" and _empty_zone(text, match):
        after = sign + match[2].index("=") + 1
    elif match[2] != "=":
        problems.append(
            _syntax_problem(sign, after, 'the prefix and its time zone are joined by a plain "="; write "="', "=")
        )
    zone, end, zone_problems = _parse_zone(text, after)
    return TimeZonePrefix(start, end, zone if suggestion else None, (*problems, *zone_problems))


def _name_problems(match: re.Match[str], suggestion: str | None) -> Iterator[Problem]:
    name = match[1]
    if suggestion is None:
        yield _syntax_problem(
            match.start(), match.end(1), f'"{name[:20]}=" is not a time zone prefix; write CRON_TZ= or TZ='
        )
    elif name not in ("TZ", "CRON_TZ"):
        message = f'"{name}" is not the prefix of a time zone; write {suggestion}'
        yield _syntax_problem(match.start(), match.end(1), message, suggestion)


def _empty_zone(text: str, match: re.Match[str]) -> bool:
    """`TZ= 1 * * * *` has no zone, while `TZ= Europe/Paris 1 * * * *` has a space too many."""
    following = text[match.end() : match.end() + 1]
    return "=" in match[2] and not (following.isalpha() or following in (*_QUOTES, ":"))


def _parse_zone(text: str, start: int) -> tuple[CronToken | None, int, list[Problem]]:
    """The zone name from `start` on, the end of its characters, and what is wrong with them."""
    if text[start : start + 1] in tuple(_QUOTES):
        return _quoted_zone(text, start)
    word = _WORD.match(text, start)
    end = word.end() if word else start
    if start == end:
        return (
            None,
            end,
            [_syntax_problem(start, end, "the time zone is empty; write an IANA name, or remove the prefix")],
        )
    problems = []
    if text[start] == ":":
        problems.append(_syntax_problem(start, start + 1, 'a ":" before the time zone; remove it', ""))
        start += 1
    if text[end : end + 1] not in ("", " ") and text[end:].strip():
        problems.append(
            _syntax_problem(end, end + 1, "white space other than a space after the time zone; write a space", " ")
        )
    return CronToken(text[start:end], start, end), end, problems


def _quoted_zone(text: str, start: int) -> tuple[CronToken | None, int, list[Problem]]:
    close = next((at for at in range(start + 1, len(text)) if text[at] in _QUOTES), None)
    if close is None:
        word = _WORD.match(text, start)
        close = word.end() if word else start + 1
    end = min(close + 1, len(text)) if text[close : close + 1] in tuple(_QUOTES) else close
    name = text[start + 1 : close]
    problem = _syntax_problem(
        start, end, "quotes around the time zone become part of its name; remove them", name or None
    )
    return CronToken(name, start + 1, close) if name else None, end, [problem]


def _skip_blanks(text: str, start: int) -> int:
    lead = _LEAD.match(text, start)
    return lead.end() if lead else start


def _syntax_problem(start: int, end: int, message: str, replacement: str | None = None) -> Problem:
    return Problem("syntax", start, end, message, replacement)
