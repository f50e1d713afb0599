"""Schedule in a notation that schedulers interpret differently.

The specification says only "cron", and schedulers disagree on the details: `5/15` is four runs an hour to one and an
error to another, 7 is Sunday or out of range, `@daily` is supported or not. A step that is longer than its field runs
once, which is seldom intended. The plain form means the same everywhere.

Basis: best practice; the forms were compared in robfig/cron v3, Debian's cron and the Python libraries croniter and
cronsim.

Good, as SyncConfig:

    cron: 5-59/15 0 * * SUN

Good, as SyncConfig:

    cron: 0 0 */2 * *

Good, as SyncConfig:

    cron: "*/59 */23 * * *"

Bad, as SyncConfig:

    cron: 5/15 * * * *  # <- not every scheduler accepts "5/15"

Fixed, as SyncConfig:

    cron: 5-59/15 * * * *

Bad, as SyncConfig:

    cron: 0 3 * * 5-7  # <- not every scheduler accepts 7 for Sunday

Fixed, as SyncConfig:

    cron: 0 3 * * 5-6,0

Bad, as SyncConfig:

    cron: 0 3 ? * 1,7  # <- not every scheduler accepts ?
    # line 1 <- not every scheduler accepts 7 for Sunday

Fixed, as SyncConfig:

    cron: 0 3 * * 1,0

Bad, as SyncConfig:

    cron: "@hourly"  # <- not every scheduler accepts @hourly

Fixed, as SyncConfig:

    cron: "0 * * * *"

Bad, as SyncConfig:

    cron: CRON_TZ=Asia/Tokyo @annually  # <- not every scheduler accepts @annually

Fixed, as SyncConfig:

    cron: CRON_TZ=Asia/Tokyo 0 0 1 1 *

Bad, as SyncConfig:

    cron: '@midnight'  # <- not every scheduler accepts @midnight

Bad, as SyncConfig:

    cron: '@weekly'  # <- not every scheduler accepts @weekly

Bad, as SyncConfig:

    cron: 0 0 */2 * MON  # <- some schedulers read "*/2" as "and", others as "or"

Fixed, as SyncConfig:

    cron: 0 0 1-31/2 * MON

Bad, as SyncConfig:

    cron: >-
      */60 * * * *  # <- a step of 60 is longer than the minute field

Fixed, as SyncConfig:

    cron: >-
      0 * * * *
"""

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import advice
from trialrun.model.feature_view import SyncConfig


@rule(SyncConfig, severity=Severity.WARNING)
def check(sync: SyncConfig) -> Findings:
    """Flag every form on which schedulers disagree, in a schedule that can be read."""
    for problem in advice(sync, "portability"):
        chars = (problem.start, problem.end)
        replace = Replace(sync.location("cron"), problem.replacement, chars)
        fix = Fix(f"use {problem.replacement}", (replace,), safe=problem.is_safe) if problem.replacement else None
        yield sync.finding("cron", problem.message, chars=chars, fix=fix)
