"""Schedule that probably runs more often than intended.

`* 3 * * *` reads like "at three" but runs 60 times between three and four: the minute was left at `*`. In addition, the
setting `min-sync-interval` is the minimum number of minutes between two runs (`15`, `"15m"`, `"1h"`): each sync reads
the whole source and costs money. It is unset by default, since the specification has no limit.

Basis: best practice; the setting `min-sync-interval`.

Good, as SyncConfig:

    cron: "* * * * *"

Good, as SyncConfig:

    cron: "* 9-17 * * *"

Good, as SyncConfig, with min-sync-interval = 15m:

    cron: "*/15 * * * *"

Good, as SyncConfig, with min-sync-interval = 1d:

    cron: 0 0 * * *

Bad, as SyncConfig:

    cron: "* 3 * * *"  # <- runs 60 times in one hour

Bad, as SyncConfig:

    cron: "* */6 * * *"  # <- runs 60 times in each of 4 hours

Bad, as SyncConfig, with min-sync-interval = 15:

    cron: "*/5 * * * *"  # <- runs come 5 minutes apart but the settings require 15

Bad, as SyncConfig, with min-sync-interval = 1h:

    cron: 0,50 * * * *  # <- runs come 10 minutes apart but the settings require 60

Bad, as SyncConfig, with min-sync-interval = 15m:

    cron: "* 3 * * *"  # <- runs 60 times in one hour
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.schedules import advice, schedule
from trialrun.model.feature_view import SyncConfig
from trialrun.values.amounts import parse_minutes
from trialrun.values.cron import CronExpression, never_fires, shortest_gap_minutes


@rule(SyncConfig, severity=Severity.WARNING, options={"min-sync-interval": None})
def check(sync: SyncConfig, context: Context) -> Findings:
    """Flag a minute of `*` with a fixed hour, else runs that are closer than the settings allow."""
    cron = schedule(sync)
    interval = context.options["min-sync-interval"]
    if cron is None:
        return
    for problem in advice(sync, "minute-star-with-hour"):
        if not never_fires(cron):
            yield sync.finding("cron", problem.message, chars=(problem.start, problem.end))
        return
    if interval:
        yield from too_close(sync, cron, parse_minutes(interval))


def too_close(sync: SyncConfig, cron: CronExpression, least: int) -> Findings:
    """Flag the minute and the hour when two runs are less than `least` minutes apart."""
    gap = shortest_gap_minutes(cron)
    if gap is None or gap >= least:
        return
    yield sync.finding(
        "cron",
        f"runs come {gap} minute{'s' if gap != 1 else ''} apart but the settings require {least}; run less often",
        chars=(cron.fields[0].start, cron.fields[1].end),
    )
