"""Schedule that runs less than once a year, or skips some of its months.

`0 0 31 * *` looks like "at the end of each month" but skips five months. `0 0 29 2 *` runs in leap years only. The view
then serves values that are months or years old.

Basis: best practice; the lengths of the months.

Good, as SyncConfig:

    cron: 0 0 28 * *

Good, as SyncConfig:

    cron: 0 0 31 1,3,5 *

Good, as SyncConfig:

    cron: 0 0 1 1 *

Good, as SyncConfig:

    cron: 0 0 31 4 *

Bad, as SyncConfig:

    cron: 0 0 31 * *  # <- no run in February, April, June, September and November

Bad, as SyncConfig:

    cron: 0 0 29 2 *  # <- 29 February is in leap years only

Bad, as SyncConfig:

    cron: 0 0 29,30 * *  # <- no run in February outside leap years

Bad, as SyncConfig:

    cron: 0 0 31 MAR-MAY *  # <- no run in April
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import schedule
from trialrun.model.feature_view import SyncConfig
from trialrun.values.cron import rarity


@rule(SyncConfig, severity=Severity.WARNING)
def check(sync: SyncConfig) -> Findings:
    """Flag the day and the month of a schedule that runs less often than it looks."""
    cron = schedule(sync)
    if cron is None or cron.stars[2]:
        return
    rare = rarity(cron)
    if rare is None:
        return
    often = "every year" if rare.kind == "not-every-year" else "each of its months"
    yield sync.finding(
        "cron",
        f"{rare.reason}; write a day up to 28 for a run in {often}",
        chars=(cron.fields[2].start, cron.fields[3].end),
    )
