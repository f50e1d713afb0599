"""Step that does not divide its field evenly.

`*/7` does not mean "every seven minutes": it restarts at minute 0, so the last run of an hour is followed by another
four minutes later. `0 */5` has a gap of four hours over midnight, and `*/2` in the day of month runs on the 31st and on
the 1st.

Basis: best practice; a cron field restarts at its first value.

Good, as SyncConfig:

    cron: "*/15 */6 * * *"

Good, as SyncConfig:

    cron: 0-30/7 3 * * *

Good, as SyncConfig:

    cron: "*/60 3 * * *"

Bad, as SyncConfig:

    cron: "*/7 * * * *"  # <- 7 does not divide 60

Bad, as SyncConfig:

    cron: 0 */5 * * *  # <- from 20 to 0 it is 4 hours

Bad, as SyncConfig:

    cron: 0 0 */2 */5 *  # <- every 2 days starts again on day 1 of each month
    # line 1 <- 5 does not divide 12
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import advice
from trialrun.model.feature_view import SyncConfig


@rule(SyncConfig, severity=Severity.NOTE)
def check(sync: SyncConfig) -> Findings:
    """Flag each step that leaves a shorter gap at the end of its field."""
    for problem in advice(sync, "uneven-step"):
        yield sync.finding("cron", problem.message, chars=(problem.start, problem.end))
