"""Reading a cron text: five fields, with a time zone prefix or without."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.values.cron.expression import CronExpression, ParseResult, Token
from trialrun.values.cron.field_count import wrong_field_count
from trialrun.values.cron.fields import FIELDS
from trialrun.values.cron.lints import drop_repeats, lint_item, lint_schedule
from trialrun.values.cron.list_item import CronItem, parse_items
from trialrun.values.cron.macros import MACROS, check_macro
from trialrun.values.cron.time_zone_prefix import TimeZonePrefix, parse_prefix
from trialrun.values.problem import Problem

MAX_PROBLEMS = 100
"""More mistakes of one text, or more remarks on it, help nobody."""
_WORD = re.compile(r"[^ \t\r\n]+")
_QUOTED = re.compile(r"""[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)[ \t\r\n]*""")


def parse(text: str) -> ParseResult:
    """Read a cron text and report everything that is wrong with it, or worth saying; never raises.

    The codes of the problems are `syntax` (there is no schedule then), `portability`, `day-or-weekday`,
    `uneven-step` and `minute-star-with-hour`; of very many the first come out. The zone name itself is not judged: see
    `time_zone.check`.
    """
    if not text.strip():
        return _rejected(Problem("syntax", 0, len(text), "the schedule is empty; write five fields, such as 0 3 * * *"))
    if quoted := _QUOTED.fullmatch(text):
        inner = next(filter(None, quoted.groups()), "")
        message = "quotes around the schedule are part of its text; drop them"
        return _rejected(Problem("syntax", 0, len(text), message, inner or None))
    plain, blanks = _normalize_blanks(text)
    prefix = parse_prefix(plain)
    cron, problems = _schedule(plain, prefix)
    found = sorted((*blanks, *(prefix.problems if prefix else ()), *problems), key=lambda p: (p.start, p.end))
    refused = any(problem.code == "syntax" for problem in found)
    return ParseResult(None if refused else cron, tuple(_limit_problems(found)), _complete_zone(prefix, found))


def _limit_problems(problems: list[Problem]) -> Iterator[Problem]:
    """The first of very many problems; those that keep a schedule from being one are not lost among others."""
    left = {True: MAX_PROBLEMS, False: MAX_PROBLEMS}
    for problem in problems:
        is_syntax = problem.code == "syntax"
        if left[is_syntax]:
            left[is_syntax] -= 1
            yield problem


def _complete_zone(prefix: TimeZonePrefix | None, problems: list[Problem]) -> Token | None:
    """The zone name, unless a problem says that it goes on where the token ends (`America/New York`)."""
    zone = prefix.zone if prefix else None
    if zone and any(problem.start == zone.start and problem.end > zone.end for problem in problems):
        return None
    return zone


def _rejected(problem: Problem) -> ParseResult:
    return ParseResult(None, (problem,))


def _normalize_blanks(text: str) -> tuple[str, list[Problem]]:
    """The text with a space for every blank that cron does not know (no-break space, byte order mark, …)."""
    strange = [at for at, c in enumerate(text) if c not in " \t\r\n" and (c.isspace() or not c.isprintable())]
    if not strange:
        return text, []
    message = "the character U+{:04X} is no blank that cron knows; write a space"
    characters = list(text)
    for at in strange:
        characters[at] = " "
    return "".join(characters), [Problem("syntax", at, at + 1, message.format(ord(text[at])), " ") for at in strange]


def _schedule(text: str, prefix: TimeZonePrefix | None) -> tuple[CronExpression | None, list[Problem]]:
    tokens = [Token(m.group(), m.start(), m.end()) for m in _WORD.finditer(text, prefix.end if prefix else 0)]
    zone = prefix.zone if prefix else None
    if not tokens:
        return None, list(_no_schedule(prefix))
    if tokens[0].text.startswith("@"):
        whole = Token(text[tokens[0].start : tokens[-1].end], tokens[0].start, tokens[-1].end)
        return _macro(whole, zone), [check_macro(whole)]
    if len(tokens) != len(FIELDS):
        return None, [wrong_field_count(text, tokens, prefix)]
    return _five_fields(tokens, zone)


def _no_schedule(prefix: TimeZonePrefix | None) -> Iterator[Problem]:
    if prefix and prefix.zone:
        message = "a time zone without a schedule; write five fields behind it, such as 0 3 * * *"
        yield Problem("syntax", prefix.start, prefix.end, message)


def _macro(token: Token, zone: Token | None) -> CronExpression | None:
    if token.text not in MACROS:
        return None
    texts = MACROS[token.text].split()
    cron, _ = _five_fields([Token(text, 0, len(text)) for text in texts], zone)
    fields = tuple(Token(text, token.start, token.end) for text in texts)
    return cron and CronExpression(cron.zone, cron.zone_token, fields, cron.masks, cron.stars, cron.leading_stars)


def _five_fields(tokens: list[Token], zone: Token | None) -> tuple[CronExpression | None, list[Problem]]:
    lists = [list(parse_items(field, token)) for field, token in zip(FIELDS, tokens, strict=True)]
    problems = [part for parts in lists for part in parts if isinstance(part, Problem)]
    items = [[part for part in parts if isinstance(part, CronItem)] for parts in lists]
    problems += _lint_items(items)
    if any(problem.code == "syntax" for problem in problems):
        return None, problems
    cron = CronExpression(
        zone=zone.text if zone else None,
        zone_token=zone,
        fields=tuple(tokens),
        masks=tuple(_union(parts) for parts in items),
        stars=tuple(any(item.is_unrestricted for item in parts) for parts in items),
        leading_stars=tuple(token.text.startswith(("*", "?")) for token in tokens),
    )
    return cron, drop_repeats([*problems, *lint_schedule(cron, items, problems)])


def _lint_items(items: list[list[CronItem]]) -> Iterator[Problem]:
    for parts in items:
        for item in parts:
            yield from lint_item(item)


def _union(items: list[CronItem]) -> int:
    mask = 0
    for item in items:
        mask |= item.mask
    return mask
