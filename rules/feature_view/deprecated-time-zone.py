"""Time zone with a deprecated name.

Old names such as US/Eastern are links kept for old programs; some systems omit them to save space. EST has no daylight
saving time although New York has, and the sign of Etc/GMT+5 is inverted: five hours behind UTC.

Basis: best practice; the file `backward` of the IANA time zone database.

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * *

Good, as SyncConfig:

    cron: TZ=Europe/Oslo 0 3 * * *

Good, as SyncConfig:

    cron: TZ=Etc/UTC 0 3 * * *

Bad, as SyncConfig:

    cron: CRON_TZ=US/Eastern 0 3 * * *  # <- "US/Eastern" is an old name; write "America/New_York"

Fixed, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * *

Bad, as SyncConfig:

    cron: TZ=EST5EDT 0 3 * * *  # <- write "America/New_York"

Bad, as SyncConfig:

    cron: TZ=EST 0 3 * * *  # <- "EST" has no summer time

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

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import parse_cron
from trialrun.model.feature_view import SyncConfig
from trialrun.values import time_zone


@rule(SyncConfig, severity=Severity.WARNING)
def check(sync: SyncConfig) -> Findings:
    """Flag the zone name, also in front of a schedule that cannot be read."""
    if sync.cron is None:
        return
    zone = parse_cron(sync.cron).zone_token
    problem = time_zone.check(zone.text) if zone else None
    if zone is None or problem is None or problem.code != "deprecated":
        return
    chars, fix = (zone.start, zone.end), None
    if problem.replacement:
        fix = Fix(
            f"use {problem.replacement}", (Replace(sync.location("cron"), problem.replacement, chars),), safe=True
        )
    yield sync.finding("cron", problem.message, chars=chars, fix=fix)
