r"""Time zone that is not in the IANA database.

A scheduler that does not know the zone refuses the view, or uses another zone. Abbreviations are ambiguous (CST is
Chicago, Shanghai and Havana), offsets have no daylight saving time, and some systems treat names as case-sensitive. The
stores of companion documents are checked as well.

Specification: feature-view, section 2, SyncConfig: "the zone must be a valid IANA time zone database name".

Good, as SyncConfig:

    cron: CRON_TZ=America/Argentina/Buenos_Aires 0 3 * * *

Good, as SyncConfig:

    cron: TZ=EST5EDT 0 3 * * *

Bad, as SyncConfig:

    cron: CRON_TZ=America/New_Yrok 0 3 * * *  # <- "America/New_Yrok" is not an IANA time zone name

Fixed, as SyncConfig:

    cron: CRON_TZ=America/New_York 0 3 * * *

Bad, as SyncConfig:

    cron: TZ=europe/paris 0 3 * * *  # <- write "Europe/Paris"

Bad, as SyncConfig:

    cron: TZ=PST 0 3 * * *  # <- "PST" is an abbreviation; write "America/Los_Angeles"

Bad, as SyncConfig:

    cron: TZ=CST 0 3 * * *  # <- "CST" is an abbreviation of several time zones

Bad, as SyncConfig:

    cron: "TZ=${ZONE} 0 3 * * *"  # <- ${ZONE} is a placeholder; fill it in

Bad, as SyncConfig:

    cron: TZ=UTC+2 0 3 * * *  # <- "UTC+2" is an offset, not a time zone name

Bad, as SyncConfig:

    cron: TZ=Mumbai 0 3 * * *  # <- write "Asia/Kolkata"

Bad, as SyncConfig:

    cron: TZ=Factory 0 3 * * *  # <- "Factory" means that no zone is set

Bad, as SyncConfig:

    cron: TZ=Europe/Pariss 0 25 * * *  # <- write "Europe/Paris"

Bad, as SyncConfig:

    cron: "TZ=Europe\u002fPariss 0 3 * * *"  # <- write "Europe/Paris"

Fixed, as SyncConfig:

    cron: "TZ=Europe/Paris 0 3 * * *"

Bad, as Store:

    name: broadway
    timeZone: america/new_york  # <- write "America/New_York"

Fixed, as Store:

    name: broadway
    timeZone: America/New_York
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import zone_finding, zone_problems
from trialrun.model.node import Node


@rule("cron", "time-zone", severity=Severity.ERROR)
def check(node: Node) -> Findings:
    """Flag the name of a zone, also in front of a schedule that cannot be read."""
    for steps, chars, problem in zone_problems(node, "unknown"):
        yield zone_finding(node, steps, chars, problem, safe=False)
