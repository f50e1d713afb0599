"""Cron schedules: what is wrong with a text, and when it runs."""

from trialrun.values.cron.fields import CronExpression, CronToken, ParseResult
from trialrun.values.cron.grammar import parse
from trialrun.values.cron.runs import (
    ClockChange,
    Rarity,
    Semantics,
    clock_changes,
    describe,
    never_fires,
    next_runs,
    previous_runs,
    rarity,
    runs_per_day,
    shortest_gap_minutes,
)

__all__ = [
    "ClockChange", "CronExpression", "CronToken", "ParseResult", "Rarity", "Semantics", "clock_changes", "describe",
    "never_fires", "next_runs", "parse", "previous_runs", "rarity", "runs_per_day", "shortest_gap_minutes",
]  # fmt: skip
