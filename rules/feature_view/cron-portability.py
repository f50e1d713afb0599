"""Schedule in a notation that schedulers interpret differently.

The specification says only "cron", and schedulers disagree on the details: `5/15` is four runs an hour to one and an
error to another, 7 is Sunday or out of range, `@daily` is supported or not. A step that is longer than its field runs
once, which is seldom intended. `9-9` is the whole field to one of them, `*/1` beside a day of the week is "and" to some
and "or" to others, and a list that names a value twice is refused. The plain form means the same everywhere.

A fix keeps the runs that trialrun shows. Fixes of `*/1`, of `*/31`, of `9-9` and of a star in a list of days are
unsafe, since a scheduler that read the old form differently runs the new one at other times.

Basis: best practice; six schedulers were run with each form, and the page about other programs has the table
(`trialrun explain cron-portability` prints it). robfig/cron v3 and Debian's cron were compared too.

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

    cron: 0 0 */1 * MON  # <- some schedulers read "*/1" as "and", others as "or"

Fixed, as SyncConfig:

    cron: 0 0 * * MON

Bad, as SyncConfig:

    cron: 9-9 3 * * *  # <- some schedulers run "9-9" at other values too

Fixed, as SyncConfig:

    cron: 9 3 * * *

Bad, as SyncConfig:

    cron: 0 8-12,12-16 * * *  # <- "8-12,12-16" names 12 more than once

Fixed, as SyncConfig:

    cron: 0 8-16 * * *

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
