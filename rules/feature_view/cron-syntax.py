"""A cron schedule has five fields: minute, hour, day of month, month, day of week.

A schedule that cannot be read never runs, and the view serves what it had.

Specification: feature-view, SyncConfig: "Cron schedule for scheduled runs. A time zone is set by the prefix
CRON_TZ=<IANA_TIME_ZONE> or TZ=<IANA_TIME_ZONE> before the cron expression".

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * MON-FRI

Bad, as SyncConfig:

    cron: 0 0 24 * * *  # <- seconds

Bad, as SyncConfig:

    cron: 0 24 * * *  # <- hour 24 is outside 0-23
"""

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import SyncConfig
from trialrun.values.cron import parse


@rule(SyncConfig, severity=Severity.ERROR)
def check(sync: SyncConfig) -> Findings:
    """Flag every token that the grammar refuses."""
    if sync.cron is None:
        return
    for problem in parse(sync.cron).problems:
        if problem.code == "syntax":
            chars = (problem.start, problem.end)
            fix = None
            if problem.replacement is not None:
                fix = Fix(f"use {problem.replacement}", (Replace(sync.at("cron"), problem.replacement, chars),))
            yield sync.flag("cron", problem.message, chars=chars, fix=fix)
