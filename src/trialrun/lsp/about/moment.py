"""A moment in words, as far from now as it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from trialrun.lsp.about.markdown import code
from trialrun.report.times import away, clock, day, in_utc


def moment_paragraphs(text: str, now: datetime) -> Iterator[str]:
    """The weekday and the time in UTC, and how long it is until then or since; nothing for what is no moment."""
    from trialrun.values import timestamp

    if timestamp.check(text):
        return
    read = timestamp.parse(text)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read.seconds)
    seconds = f":{moment.second:02}" if moment.second or read.nanos else ""
    shown = f"{day(moment)} {clock(moment)}{seconds} UTC" if seconds else in_utc(moment)
    yield f"{code(text)}: {' '.join(shown.split())}, {_distance(moment - now)}."


def _distance(span: timedelta) -> str:
    if span >= timedelta(0):
        return away(span)
    return f"{away(-span).removeprefix('in ')} ago"
