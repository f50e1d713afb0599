"""The schedule of a view, and time zones, as rules see them: read once, however many of them ask."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from trialrun.diagnostic import Chars, Finding, Fix, Path, Replace
from trialrun.lint.rule_support.texts import placeholders
from trialrun.model.node import Node, texts_of_format
from trialrun.values import Problem, time_zone
from trialrun.values.cron import CronExpression, ParseResult, parse

if TYPE_CHECKING:
    from trialrun.model.feature_view import SyncConfig


@lru_cache(maxsize=1024)
def parse_cron(text: str) -> ParseResult:
    """A cron text as read, with all that is wrong with it or worth saying."""
    return parse(text)


def schedule(sync: SyncConfig) -> CronExpression | None:
    """The schedule, or None if there is none or it cannot be read, which `cron-syntax` tells."""
    return None if sync.cron is None else parse_cron(sync.cron).cron


def syntax_problems(text: str) -> Iterator[Problem]:
    """What the grammar refuses in a schedule; a placeholder is one problem, and hides what follows from it."""
    read = parse_cron(text)
    if read.cron is not None:
        return
    zone = read.zone_token
    unfilled = placeholders(text, "syntax")
    yield from (problem for problem in unfilled if not (zone and zone.start <= problem.start < zone.end))
    for problem in read.problems:
        is_unfilled = any(problem.start < other.end and other.start < problem.end for other in unfilled)
        if problem.code == "syntax" and not is_unfilled:
            yield problem


def zone_problems(node: Node, code: str) -> Iterator[tuple[Path, Chars | None, Problem]]:
    """What is to be said under one code about the time zones that a message names: where, and the characters.

    Zones are the texts of fields that hold one, and the prefixes of schedules, readable or not.
    """
    for steps, text in texts_of_format(node, "time-zone"):
        problem = _check_zone(text) if text else None
        if problem is not None and problem.code == code:
            yield steps, None, problem
    for steps, text in texts_of_format(node, "cron"):
        zone = parse_cron(text).zone_token
        problem = _check_zone(zone.text) if zone else None
        if zone is not None and problem is not None and problem.code == code:
            yield steps, (zone.start, zone.end), problem


def _check_zone(text: str) -> Problem | None:
    problem = time_zone.check(text)
    return next(iter(placeholders(text, "unknown")), problem) if problem else None


def zone_finding(node: Node, steps: Path, chars: Chars | None, problem: Problem, *, safe: bool) -> Finding:
    """A finding at a time zone, with its replacement as the fix if there is one."""
    fix = None
    if problem.replacement:
        replace = Replace(node.location(*steps), problem.replacement, chars)
        fix = Fix(f"use {problem.replacement}", (replace,), safe=safe)
    return node.finding(steps, problem.message, chars=chars, fix=fix)


def syntax_finding(sync: SyncConfig, problem: Problem) -> Finding:
    """A finding at the characters of a schedule that the grammar refuses, with its replacement as the fix."""
    chars = (problem.start, problem.end) if (sync.cron or "").strip() else None
    fix = None
    if problem.replacement is not None:
        title = f"use {problem.replacement}" if problem.replacement.strip() else "fix the spaces"
        fix = Fix(title, (Replace(sync.location("cron"), problem.replacement, chars),))
    return sync.finding("cron", problem.message, chars=chars, fix=fix)


def advice(sync: SyncConfig, code: str) -> Iterator[Problem]:
    """What is worth saying under one code about a schedule that can be read."""
    if sync.cron is None:
        return
    read = parse_cron(sync.cron)
    if read.cron is None:
        return
    for problem in read.problems:
        if problem.code == code:
            yield problem
