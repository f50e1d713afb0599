r"""Schedule that is not a valid cron expression.

A cron expression has five fields: minute, hour, day of month, month, day of week. A schedule that cannot be parsed
never runs, and the view keeps serving old values. Schedulers differ in how they treat anything beyond the five fields:
a reversed range is refused by one, wraps around in another and never fires in a third. A time zone precedes the
expression, as `CRON_TZ=` or `TZ=` in capitals, followed by one space.

Specification: feature-view, section 2, SyncConfig: "Cron schedule for scheduled runs. A time zone is set by the prefix
CRON_TZ=<IANA_TIME_ZONE> or TZ=<IANA_TIME_ZONE> before the cron expression".

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * MON-FRI

Good, as SyncConfig:

    cron: "TZ=UTC  */15,59 00-12/2 1,15 jan-Jun *"

Bad, as SyncConfig:

    cron: 0 24 * * *  # <- hour 24 is outside 0-23

Bad, as SyncConfig:

    cron: 60 * 0 13 8  # <- minute 60 is outside 0-59
    # line 1 <- day of month 0 is outside 1-31
    # line 1 <- month 13 is outside 1-12
    # line 1 <- day of week 8 is outside 0-6

Bad, as SyncConfig:

    cron: 0 0 0 * * *  # <- looks like seconds

Fixed, as SyncConfig:

    cron: 0 0 * * *

Bad, as SyncConfig:

    cron: 0 9 * * * Europe/Berlin  # <- a time zone precedes the schedule

Fixed, as SyncConfig:

    cron: CRON_TZ=Europe/Berlin 0 9 * * *

Bad, as SyncConfig:

    cron: 0 3 * *  # <- four fields, but cron has five

Bad, as SyncConfig:

    cron: 0 22-2 * * FRI-MON  # <- the hour range "22-2" runs backwards
    # line 1 <- the day of week range "FRI-MON" runs backwards

Fixed, as SyncConfig:

    cron: 0 22-23,0-2 * * FRI-SAT,SUN-MON

Bad, as SyncConfig:

    cron: 0 0 * * SAT-SUN  # <- SUN is 0

Bad, as SyncConfig:

    cron: "*/0 3 * * *"  # <- a step of 0

Bad, as SyncConfig:

    cron: ""  # <- the schedule is empty

Bad, as SyncConfig:

    cron: "   "  # <- the schedule is empty

Bad, as SyncConfig:

    cron: "@every 1h"  # <- "@every" is not a schedule

Bad, as SyncConfig:

    cron: "@Daily"  # <- macros are lower-case

Bad, as SyncConfig:

    cron: 0 3 L * *  # <- L (the last) is not cron

Bad, as SyncConfig:

    cron: 0 3 15W * MON#1  # <- W (the nearest weekday) is not cron
    # line 1 <- # (the nth weekday) is not cron

Bad, as SyncConfig:

    cron: H R * * *  # <- H and R
    # line 1 <- "R" in the hour

Bad, as SyncConfig:

    cron: cron_tz=Europe/Paris 0 3 * * *  # <- write CRON_TZ

Fixed, as SyncConfig:

    cron: CRON_TZ=Europe/Paris 0 3 * * *

Bad, as SyncConfig:

    cron: "TZ=Europe/Paris\t0 3 * * *"  # <- write a space

Bad, as SyncConfig:

    cron: " TZ = Europe/Paris 0 3 * * *"  # <- spaces before the time zone prefix
    # line 1 <- joined by a plain "="

Bad, as SyncConfig:

    cron: 'TZ="Europe/Paris" 0 3 * * *'  # <- quotes around the time zone

Bad, as SyncConfig:

    cron: TZ= 0 3 * * *  # <- the time zone is empty

Bad, as SyncConfig:

    cron: CRON_TZ=Europe/Paris  # <- a time zone without a schedule

Bad, as SyncConfig:

    cron: "0 ${HOUR} * * *"  # <- ${HOUR} is a placeholder; fill it in

Bad, as SyncConfig:

    cron: |
      TZ=Europe/Paris 0 3 32 * *  # <- day of month 32 is outside 1-31
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import syntax_finding, syntax_problems
from trialrun.model.feature_view import SyncConfig


@rule(SyncConfig, severity=Severity.ERROR)
def check(sync: SyncConfig) -> Findings:
    """Flag every token that the grammar refuses."""
    if sync.cron is None:
        return
    for problem in syntax_problems(sync.cron):
        yield syntax_finding(sync, problem)
