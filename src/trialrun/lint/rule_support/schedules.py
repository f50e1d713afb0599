"""The schedule of a view as its rules see it: read once, however many of them ask."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from trialrun.values.cron import CronExpression, ParseResult, parse
from trialrun.values.problem import Problem

if TYPE_CHECKING:
    from trialrun.model.feature_view import SyncConfig


@lru_cache(maxsize=1024)
def parse_cron(text: str) -> ParseResult:
    """A cron text as read, with all that is wrong with it or worth saying."""
    return parse(text)


def schedule(sync: SyncConfig) -> CronExpression | None:
    """The schedule, or None where there is none or it cannot be read, which `cron-syntax` tells."""
    return None if sync.cron is None else parse_cron(sync.cron).cron


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
