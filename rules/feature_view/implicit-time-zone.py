"""Schedule without an explicit time zone.

Without the prefix UTC is assumed, which the specification does not say and which is seldom the zone of the people who
wait for the values. An explicit zone is unambiguous.

Specification: feature-view, section 2, SyncConfig: "A time zone is set by the prefix CRON_TZ=<IANA_TIME_ZONE> or
TZ=<IANA_TIME_ZONE> before the cron expression". What holds without one is not shown.

Good, as SyncConfig:

    cron: CRON_TZ=UTC 0 3 * * *

Good, as SyncConfig:

    cron: 0 25 * * *

Good, as SyncConfig:

    continuous: true

Bad, as SyncConfig:

    cron: 0 3 * * *  # <- no time zone, so UTC is assumed
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import schedule
from trialrun.model.feature_view import SyncConfig


@rule(SyncConfig, severity=Severity.NOTE, on=False)
def check(sync: SyncConfig) -> Findings:
    """Flag a schedule without a prefix."""
    cron = schedule(sync)
    if cron is not None and cron.zone is None:
        yield sync.finding("cron", "no time zone, so UTC is assumed; write CRON_TZ=UTC or another zone in front")
