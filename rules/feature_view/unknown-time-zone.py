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

    cron: TZ=UTC+2 0 3 * * *  # <- "UTC+2" is an offset, not a time zone name

Bad, as SyncConfig:

    cron: TZ=Mumbai 0 3 * * *  # <- write "Asia/Kolkata"

Bad, as SyncConfig:

    cron: TZ=Factory 0 3 * * *  # <- "Factory" stands for a zone that nobody has set

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

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.schedules import parse_cron
from trialrun.model.feature_view import SyncConfig
from trialrun.values import time_zone

if TYPE_CHECKING:
    from trialrun.model.companion import Store


@rule(SyncConfig, severity=Severity.ERROR)
def check(sync: SyncConfig) -> Findings:
    """Flag the zone name, also in front of a schedule that cannot be read."""
    if sync.cron is None:
        return
    zone = parse_cron(sync.cron).zone_token
    problem = time_zone.check(zone.text) if zone else None
    if zone is None or problem is None or problem.code != "unknown":
        return
    chars, fix = (zone.start, zone.end), None
    if problem.replacement:
        fix = Fix(f"use {problem.replacement}", (Replace(sync.location("cron"), problem.replacement, chars),))
    yield sync.finding("cron", problem.message, chars=chars, fix=fix)


@rule("Store", severity=Severity.ERROR)
def check_store(store: Store) -> Findings:
    """Flag the zone of a store."""
    problem = time_zone.check(store.timeZone) if store.timeZone else None
    if problem is None or problem.code != "unknown":
        return
    fix = None
    if problem.replacement:
        fix = Fix(f"use {problem.replacement}", (Replace(store.location("timeZone"), problem.replacement),))
    yield store.finding("timeZone", problem.message, fix=fix)
