"""Words for whole schedules, such as `@daily`."""

from __future__ import annotations

from trialrun.values.cron.expression import Token
from trialrun.values.problem import Problem

MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


def check_macro(token: Token) -> Problem:
    """Not every scheduler takes a macro; some macros no scheduler of views takes."""
    meant = MACROS.get(token.text.casefold())
    if token.text in MACROS:
        message = f'not every scheduler takes {token.text}; write "{meant}"'
        return Problem("portability", token.start, token.end, message, meant)
    return Problem("syntax", token.start, token.end, _not_a_schedule(token.text, meant), meant)


def _not_a_schedule(text: str, meant: str | None) -> str:
    name, _, rest = text.partition(" ")
    shown = name[:20]
    if meant:
        return f'"{shown}" is not a schedule, macros are in small letters; write "{meant}"'
    if name.casefold() == "@every":
        return '"@every" is not a schedule; write five fields, such as 0 * * * * for every hour'
    if name.casefold() == "@reboot":
        return '"@reboot" is not a schedule; write five fields, such as 0 3 * * *'
    if name in MACROS and rest:
        return f'"{shown}" stands alone; write five fields or drop the rest'
    return f'"{shown}" is not a schedule; write five fields, such as 0 3 * * *'
