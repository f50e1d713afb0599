"""Completion in cron schedules: the time zone, whole schedules, and the values of each field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.embedded_languages import zones
from trialrun.lsp.results import Completion
from trialrun.values.cron.fields import FIELDS, Field

_ZONE = re.compile(r"\s*(?:CRON_TZ|TZ)=([^\s]*)\Z")
_PREFIX = re.compile(r"\s*(?:(?:CRON_TZ|TZ)=\S+\s+)?")
_REST_OF_ZONE = re.compile(r"[^\s\"']*")
_ITEM = re.compile(r"[^\s,/-]*\Z")
_REST = re.compile(r"[^\s\"',/-]*")
WHOLE = {
    "0 3 * * *": "every day at 3",
    "0 * * * *": "every hour",
    "*/15 * * * *": "every 15 minutes",
    "0 */6 * * *": "every 6 hours",
    "0 3 * * MON": "every Monday at 3",
    "0 3 * * MON-FRI": "from Monday to Friday at 3",
    "0 3 1 * *": "on the first of every month at 3",
}
STEPS = {"minute": (5, 10, 15, 30), "hour": (2, 3, 4, 6, 12)}
LETTERS = 3


def schedule_completions(cursor: Cursor) -> Iterator[Completion]:
    """The items at the cursor in a schedule."""
    match = _ZONE.match(cursor.before)
    if match is not None:
        yield from _zones(cursor, match[1])
        return
    prefix = _PREFIX.match(cursor.before)
    written = cursor.before[prefix.end() :] if prefix else cursor.before
    is_bare = cursor.is_json and cursor.scalar.style == "plain"
    if not (is_bare or cursor.before.strip() or cursor.after.strip().startswith(("CRON_TZ", "TZ"))):
        yield _prefix(cursor)
    if not written and not cursor.after.strip():
        yield from _whole(cursor)
    elif written:
        yield from _field(cursor, written)


def _zones(cursor: Cursor, written: str) -> Iterator[Completion]:
    behind = _REST_OF_ZONE.match(cursor.after)
    place = cursor.range(len(written), len(behind[0]) if behind else 0)
    for number, zone in enumerate(zones(written)):
        sort_text = f"{zone.rank}{number:04}"
        yield Completion(
            zone.label, "zone", zone.label, place, sort_text, zone.detail, zone.data, is_deprecated=zone.is_deprecated
        )


def _prefix(cursor: Cursor) -> Completion:
    text = "CRON_TZ=${1:UTC} " if cursor.after.strip() else "CRON_TZ="
    detail = "the time zone of the schedule; UTC without it"
    place = cursor.range(0, 0)
    return Completion("CRON_TZ=", "value", cursor.lead + text, place, "0", detail, is_snippet="$" in text)


def _whole(cursor: Cursor) -> Iterator[Completion]:
    """Common schedules; one that starts with a star needs quotes."""
    lead = cursor.lead if not cursor.before.strip() else ""
    needs_quotes = cursor.scalar.style == "plain" and not cursor.before.strip()
    for number, (schedule, words) in enumerate(WHOLE.items()):
        text = f'"{schedule}"' if needs_quotes and (schedule[0] == "*" or cursor.is_json) else schedule
        yield Completion(schedule, "value", lead + text, cursor.range(0, 0), f"1{number}", words)


def _field(cursor: Cursor, written: str) -> Iterator[Completion]:
    """The values of the field at the cursor: names of months and days, a star, and steps."""
    number = len(written.split()) - (bool(written) and not written[-1].isspace())
    if not 0 <= number < len(FIELDS) or (not written and cursor.after[:1].strip()):
        return
    item, rest = _ITEM.search(written), _REST.match(cursor.after)
    assert item is not None and rest is not None
    is_whole = item.start() == 0 or written[item.start() - 1].isspace()
    if written[: item.start()].endswith("/") or (not is_whole and not FIELDS[number].words):
        return
    place = cursor.range(len(item[0]), rest.end())
    would_be_alias = cursor.scalar.style == "plain" and len(item[0]) == len(cursor.before)
    for at, (word, detail) in enumerate(_words(FIELDS[number], is_whole=is_whole)):
        if "=" in rest[0] or (would_be_alias and word.startswith("*")):
            continue
        yield Completion(word, "value", word, place, f"2{at:02}", detail)


def _words(field: Field, *, is_whole: bool) -> Iterator[tuple[str, str]]:
    if is_whole:
        yield "*", f"every {field.name}"
        for step in STEPS.get(field.name, ()):
            yield f"*/{step}", f"every {step} {field.name}s"
    for word in field.words:
        yield word[:LETTERS].upper(), word
