"""Time zone with a deprecated name.

Old names such as US/Eastern are links kept for old programs; some systems omit them to save space. EST has no daylight
saving time although New York has, and the sign of Etc/GMT+5 is inverted: five hours behind UTC.
The time zone of a store in a companion document is checked too.

Basis: best practice; the file `backward` of the IANA time zone database.

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * *

Good, as SyncConfig:

    cron: TZ=Europe/Oslo 0 3 * * *

Good, as SyncConfig:

    cron: TZ=Etc/UTC 0 3 * * *

Bad, as SyncConfig:

    cron: CRON_TZ=US/Eastern 0 3 * * *  # <- "US/Eastern" is a deprecated name; write "America/New_York"

Fixed, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * *

Bad, as Store:

    name: broadway
    timeZone: US/Eastern  # <- "US/Eastern" is a deprecated name; write "America/New_York"

Fixed, as Store:

    name: broadway
    timeZone: America/New_York

Bad, as SyncConfig:

    cron: TZ=EST5EDT 0 3 * * *  # <- write "America/New_York"

Bad, as SyncConfig:

    cron: TZ=EST 0 3 * * *  # <- "EST" has no daylight saving time

Bad, as SyncConfig:

    cron: TZ=Etc/GMT+5 0 3 * * *  # <- the sign of "Etc/GMT+5" is reversed, it is 5 hours behind UTC

Bad, as SyncConfig:

    cron: |-
      TZ=Asia/Calcutta  # <- write "Asia/Kolkata"
      0 25 * * *

Fixed, as SyncConfig:

    cron: |-
      TZ=Asia/Kolkata
      0 25 * * *
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import zone_finding, zone_problems
from trialrun.model.node import Node


@rule("cron", "time-zone", severity=Severity.WARNING)
def check(node: Node) -> Findings:
    """Flag the name of a zone, also in front of a schedule that cannot be read."""
    for steps, chars, problem in zone_problems(node, "deprecated"):
        yield zone_finding(node, steps, chars, problem, safe=True)
