"""Schedule with runs in an hour that daylight saving time skips or repeats.

In spring the clocks skip an hour: a run in it is lost, and the view is a day older than expected. In autumn an hour
repeats, and so does the run in it. Schedulers differ in whether they skip, repeat or make up for such runs; a time
outside that hour, or a zone without daylight saving time, avoids the question.

Basis: best practice; the IANA time zone database for the two years from now on.

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 30 3 * * *

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 30 * * * *

Good, as SyncConfig:

    cron: CRON_TZ=Asia/Kolkata 30 2 * * *

Good, as SyncConfig:

    cron: 30 2 * * *

Good, as SyncConfig:

    cron: CRON_TZ=America/New_York 30 2 * * MON-FRI

Bad, as SyncConfig:

    cron: CRON_TZ=America/New_York 30 2 * * *  # <- 02:30 is skipped on 2027-03-14, 02:30 is skipped on 2028-03-12

Bad, as SyncConfig:

    cron: TZ=America/New_York 59 1 * * *  # <- 01:59 is repeated on 2027-11-07

Bad, as SyncConfig:

    cron: TZ=Europe/Berlin */20 2 * * *  # <- 3 runs from 02:00 are skipped on 2027-03-28, 3 runs from 02:00 are

Bad, as SyncConfig:

    cron: TZ=Australia/Lord_Howe 15 2 * * *  # <- 02:15 is skipped on 2027-10-03
"""

from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.schedules import schedule
from trialrun.model.feature_view import SyncConfig
from trialrun.values.cron import ClockChange, clock_changes
from trialrun.values.time_zone import transitions_in_year, zone_names

TWO_YEARS = timedelta(days=731)
SHOWN = 3


@rule(SyncConfig, severity=Severity.WARNING)
def check(sync: SyncConfig, context: Context) -> Findings:
    """Flag the minute and the hour of a schedule that a change of the clocks hits."""
    cron = schedule(sync)
    if cron is None or cron.zone is None or cron.zone not in zone_names():
        return
    if not cron.masks[1] & hours_at_risk(cron.zone, context.now):
        return
    hit = clock_changes(cron, start=context.now, end=two_years_from(context.now))
    dates = [list(runs) for _, runs in groupby(hit, key=lambda run: (run.at, run.local.date()))]
    if not dates:
        return
    more = f" and {len(dates) - SHOWN} more" if len(dates) > SHOWN else ""
    changes = ", ".join(describe_changes(runs) for runs in dates[:SHOWN])
    yield sync.finding(
        "cron",
        f"the clocks in {cron.zone} change: {changes}{more}; choose another time of day, or UTC",
        chars=(cron.fields[0].start, cron.fields[1].end),
    )


def two_years_from(start: datetime) -> datetime:
    """Two years on, or the end of the calendar."""
    return min(start, datetime.max.replace(tzinfo=start.tzinfo) - TWO_YEARS) + TWO_YEARS


@lru_cache(maxsize=256)
def hours_at_risk(zone: str, start: datetime) -> int:
    """The hours of the day that some change of a zone's clocks touches: few schedules have a run in one of them."""
    hours = 0
    for year in range(start.year, two_years_from(start).year + 1):
        for change in transitions_in_year(zone, year):
            time, end = sorted((change.at + change.before, change.at + change.after))
            while time < end:
                hours |= 1 << time.hour
                time = time.replace(minute=0, second=0) + timedelta(hours=1)
    return hours


def describe_changes(runs: list[ClockChange]) -> str:
    """What one change of the clocks does: `02:30 is skipped on 2027-03-14`."""
    first, is_single = runs[0], len(runs) == 1
    what = f"{first.local:%H:%M}" if is_single else f"{len(runs)} runs from {first.local:%H:%M}"
    if first.kind == "skipped":
        return f"{what} {'is' if is_single else 'are'} skipped on {first.local:%Y-%m-%d}"
    return f"{what} {'is' if is_single else 'are'} repeated on {first.local:%Y-%m-%d}"
