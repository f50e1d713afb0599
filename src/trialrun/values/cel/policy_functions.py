"""Functions that policies call besides those of CEL, over our own types of values: schedules, languages, conditions.

The engine calls them with plain values; an exception becomes the error of that evaluation. A text that is no value of
its type, such as a schedule that cannot be read, is `UNREADABLE`: its own rule reports it. Work is bounded, since a
policy of a cloned repository may call a function for each of 10,000 items.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from trialrun.interrupts import defer_interrupts

MAX_RUNS = 1_000
"""The most runs of a schedule that a call may ask for."""
MAX_WORK = 100_000
DAYS_PER_WORK = 10
"""The most work of all calls in one evaluation: a run of a schedule is 1, and so are 10 days on the way to the runs,
and 10 characters of a text.
"""
MAX_CACHED_TEXT = 2_000
"""The longest text whose result is cached."""
UNREADABLE = "not readable: "
"""The beginning of the error of a text that is no value of its type."""
LIBRARY = "policies"

_TIMES, _TEXTS = (f"{{type_name: list, params: [{{type_name: {of}}}]}}" for of in ("timestamp", "string"))
_OVERLOADS: Final = (
    ("cron.runs", ("cron_runs", "string int", _TIMES), ("cron_runs_after", "timestamp string int", _TIMES)),
    ("cron.zone", ("cron_zone", "string", "{type_name: string}")),
    ("language.matches", ("language_matches", "string string", "{type_name: bool}")),
    ("condition.reads", ("condition_reads", "string", _TEXTS)),
    ("texts", ("texts", "dyn", _TEXTS)),
)
"""Each function with its overloads: id, types of the parameters, and result.

`cron.runs` gets the time of the run from `lint/policy/parse_policy.py`, and `texts` is read from the message there.
"""


def overload_lines() -> Iterator[str]:
    """The functions for the configuration of the engine, in YAML."""
    for function, *overloads in _OVERLOADS:
        yield from (f"  - name: {function}", "    overloads:")
        for identity, parameters, result in overloads:
            arguments = ", ".join(f"{{type_name: {parameter}}}" for parameter in parameters.split())
            yield from (f"      - id: {identity}", f"        args: [{arguments}]", f"        return: {result}")


class _Work(threading.local):
    """What is left of the work of an evaluation."""

    left: int = MAX_WORK


_WORK = _Work()


@contextmanager
def bounded_work() -> Iterator[None]:
    """One evaluation: its calls share the bound, and a Ctrl-C waits for its end, since the engine would swallow it."""
    _WORK.left = MAX_WORK
    with defer_interrupts():
        yield


def work_done() -> int:
    """The work of the calls in the last evaluation."""
    return MAX_WORK - _WORK.left


def _spend(work: int) -> None:
    _WORK.left -= work
    if _WORK.left < 0:
        raise ValueError("the functions do too much work in one evaluation; call them on fewer items")


def _unreadable(text: str, what: str) -> ValueError:
    return ValueError(f'{UNREADABLE}"{text[:40]}" is no {what}')


def is_unreadable(error: str) -> bool:
    """Whether an error is about a text that is no value of its type, which is reported by a rule of its own."""
    return error.startswith(UNREADABLE)


def cron_runs(after: datetime, schedule: str, count: int) -> list[datetime]:
    """The next runs of a schedule; none of an empty text."""
    if not 0 <= count <= MAX_RUNS:
        raise ValueError(f"cron.runs gives 0 to {MAX_RUNS} runs, not {count}; ask for fewer")
    _spend(count + len(schedule) // 10 + 1)
    if not schedule:
        return []
    runs = (_runs if len(schedule) <= MAX_CACHED_TEXT else _runs.__wrapped__)(after.astimezone(UTC), schedule, count)
    if runs:
        last = runs[-1] if len(runs) == count else datetime.max.replace(tzinfo=UTC)
        _spend((last - after).days // DAYS_PER_WORK)
    return list(runs)


@lru_cache(maxsize=1024)
def _runs(after: datetime, schedule: str, count: int) -> tuple[datetime, ...]:
    from trialrun.values.cron import next_runs, parse
    from trialrun.values.time_zone import UnknownTimeZoneError

    cron = parse(schedule).cron
    if cron is None:
        raise _unreadable(schedule, "schedule")
    try:
        return tuple(run.astimezone(UTC) for run in islice(next_runs(cron, after=after), count))
    except UnknownTimeZoneError:
        raise _unreadable(schedule, "schedule in a known time zone") from None


def cron_zone(schedule: str) -> str:
    """The time zone of a schedule, as it is written; UTC without one."""
    _spend(len(schedule) // 10 + 1)
    if not schedule:
        return "UTC"
    return (_zone if len(schedule) <= MAX_CACHED_TEXT else _zone.__wrapped__)(schedule)


@lru_cache(maxsize=1024)
def _zone(schedule: str) -> str:
    from trialrun.values.cron import parse
    from trialrun.values.time_zone import UnknownTimeZoneError, load_zone

    cron = parse(schedule).cron
    if cron is None:
        raise _unreadable(schedule, "schedule")
    try:
        load_zone(cron.zone or "UTC")
    except UnknownTimeZoneError:
        raise _unreadable(schedule, "schedule in a known time zone") from None
    return cron.zone or "UTC"


def language_matches(tag: str, language_range: str) -> bool:
    """Whether a language tag is in a language range, by extended filtering; an empty tag is in none."""
    _spend((len(tag) + len(language_range)) // 10 + 1)
    from trialrun.values import language_tag

    if not tag:
        return False
    if not language_tag.is_well_formed(tag):
        raise _unreadable(tag, "language tag")
    return language_tag.matches(tag, language_range)


def condition_reads(text: str) -> list[str]:
    """The paths of the state that a condition reads, each once; `*` stands for any item of a list."""
    _spend(len(text) // 10 + 1)
    if not text:
        return []
    return list((_paths if len(text) <= MAX_CACHED_TEXT else _paths.__wrapped__)(text))


@lru_cache(maxsize=4096)
def _paths(text: str) -> tuple[str, ...]:
    from trialrun.values.cel.parse import parse
    from trialrun.values.cel.syntax_tree import condition_reads as reads

    result = parse(text)
    if result.tree is None or result.problems:
        raise _unreadable(text, "condition")
    try:
        return tuple(dict.fromkeys(".".join(read.path) for read in reads(result.tree)))
    except RecursionError:  # the rule about conditions reports one that nests as deep as this
        raise _unreadable(text, "condition") from None


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "cron_runs_after": cron_runs,
    "cron_zone": cron_zone,
    "language_matches": language_matches,
    "condition_reads": condition_reads,
}
"""By the id of its overload, each function that the engine calls."""
