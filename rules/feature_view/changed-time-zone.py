"""Schedule in a time zone whose rules changed within the last year.

Some regions decide at short notice to change their clocks no more, or at other times. Programs learn of it from a new
release of the IANA time zone database. The service may still have the old rules, and then runs the schedule at another
time than the runs that trialrun shows. UTC avoids the question.

Basis: best practice; the releases of the IANA time zone database that `python scripts/time_zone_changes.py` compares.

Good, as SyncConfig:

    cron: CRON_TZ=America/Toronto 0 3 * * *

Good, as SyncConfig:

    cron: 0 3 * * *

Bad, as SyncConfig:

    cron: CRON_TZ=America/Vancouver 0 3 * * *  # <- the rules of America/Vancouver have changed from 2026-11-01 on

Bad, as SyncConfig:

    cron: TZ=Africa/Casablanca 0 3 * * MON  # <- the service may still have the old ones
"""

from datetime import timedelta

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.schedules import schedule
from trialrun.model.feature_view import SyncConfig
from trialrun.values.time_zone import IANA_VERSION, changed_zones

ONE_YEAR = timedelta(days=365)


@rule(SyncConfig, severity=Severity.NOTE)
def check(sync: SyncConfig, context: Context) -> Findings:
    """Flag the name of the zone, until a year after the new rules have come to differ from the old ones."""
    cron = schedule(sync)
    if cron is None or cron.zone_token is None or cron.zone_token.text not in changed_zones():
        return
    name = cron.zone_token.text
    since = changed_zones()[name]
    if context.now - since < ONE_YEAR:
        yield sync.finding(
            "cron",
            f"the rules of {name} have changed from {since:%Y-%m-%d} on (tzdata {IANA_VERSION}), and the service may "
            "still have the old ones; choose UTC, or see whether the runs come as expected",
            chars=(cron.zone_token.start, cron.zone_token.end),
        )
