"""Schedule that restricts both the day of the month and the day of the week.

When both are restricted, a day that matches either one runs. `0 0 13 * FRI` is not Friday the 13th but every Friday and
every 13th, and `0 0 1-7 * MON` is not the first Monday of the month.

Basis: best practice; POSIX crontab: "if both the month and day of month are specified … and the day of week is
specified", either one matching is enough. Every cron has kept that; one scheduler of
six wants both to match (`trialrun explain cron-day-or-weekday` has the table).

Good, as SyncConfig:

    cron: 0 0 13 * *

Good, as SyncConfig:

    cron: 0 0 * 5 FRI

Good, as SyncConfig:

    cron: 0 0 */2 * MON

Bad, as SyncConfig:

    cron: 0 0 13 * FRI  # <- day of month and day of week are both set

Bad, as SyncConfig:

    cron: "CRON_TZ=Asia/Kolkata 0 0 1-7 JAN MON"  # <- a day that matches either runs
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import advice
from trialrun.model.feature_view import SyncConfig


@rule(SyncConfig, severity=Severity.WARNING)
def check(sync: SyncConfig) -> Findings:
    """Flag the day of the month up to the day of the week."""
    for problem in advice(sync, "day-or-weekday"):
        yield sync.finding("cron", problem.message, chars=(problem.start, problem.end))
