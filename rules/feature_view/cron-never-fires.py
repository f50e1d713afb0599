"""Schedule that never runs.

`0 0 31 4 *` waits for 31 April. Every field is in range, so most validators accept it, and the view is never synced
again: it keeps serving its old values without any error.

Specification: feature-view, section 2, SyncConfig: "Cron schedule for scheduled runs." Without a run it is none.

Good, as SyncConfig:

    cron: 0 0 30 4 *

Good, as SyncConfig:

    cron: 0 0 29 2 *

Good, as SyncConfig:

    cron: 0 0 30 2 MON

Bad, as SyncConfig:

    cron: 0 0 31 4 *  # <- "31 4" is not a date in any year

Bad, as SyncConfig:

    cron: TZ=Europe/Oslo 0 0 31 FEB,APR,JUN,SEP,NOV *  # <- "31 FEB,APR,JUN,SEP,NOV" is not a date in any year

Bad, as SyncConfig:

    cron: 0 0 30-31 2 *  # <- "30-31 2" is not a date in any year
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import schedule
from trialrun.model.feature_view import SyncConfig
from trialrun.values.cron import never_fires


@rule(SyncConfig, severity=Severity.ERROR)
def check(sync: SyncConfig) -> Findings:
    """Flag the day and the month that never come together."""
    cron = schedule(sync)
    if cron is None or cron.stars[2] or not never_fires(cron):
        return
    day, month = cron.fields[2], cron.fields[3]
    yield sync.finding(
        "cron",
        f'"{day.text} {month.text}" is not a date in any year, so the schedule never runs; write a day of the month',
        chars=(day.start, month.end),
    )
