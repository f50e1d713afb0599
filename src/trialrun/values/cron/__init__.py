"""Cron schedules: what is wrong with a text, and when it runs."""

from trialrun.values.cron.days import Rarity, never_fires, rarity
from trialrun.values.cron.describe import describe
from trialrun.values.cron.dst import ClockChange, clock_changes
from trialrun.values.cron.expression import CronExpression, CronToken, ParseResult
from trialrun.values.cron.frequency import runs_per_day, shortest_gap_minutes
from trialrun.values.cron.grammar import parse
from trialrun.values.cron.runs import Semantics, next_runs, previous_runs

__all__ = [
    "ClockChange",
    "CronExpression",
    "CronToken",
    "ParseResult",
    "Rarity",
    "Semantics",
    "clock_changes",
    "describe",
    "never_fires",
    "next_runs",
    "parse",
    "previous_runs",
    "rarity",
    "runs_per_day",
    "shortest_gap_minutes",
]
