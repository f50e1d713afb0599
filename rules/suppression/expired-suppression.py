"""Suppression that has expired.

`until=2027-01-31` is a promise to look again. After that day the suppression silences nothing and is reported, until
someone fixes the finding or extends it. A date that cannot be parsed never silences: it could hold forever. This
finding itself cannot be suppressed.

Basis: best practice. The day counts as a whole, in UTC, at the time of `--at`.

Good:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step] until=2026-11-20 the feed moves to 5 minutes

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    # trialrun: ignore[missing-etag] until=2026-11-19 set by the service  # <- expired on 2026-11-19
    syncConfig:
      cron: "*/5 * * * *"  # trialrun: ignore[cron-uneven-step] until=2026-31-12  # <- "2026-31-12" is not a date
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.suppression.suppression import ExpiredSuppression, SuppressionFinding, SuppressionFindings


@rule(ExpiredSuppression, severity=Severity.ERROR)
def check(expired: ExpiredSuppression) -> SuppressionFindings:
    """Flag the date."""
    message = f'"{expired.until}" is not a date, so nothing is suppressed; write until=YYYY-MM-DD'
    if expired.is_date:
        message = f"the suppression expired on {expired.until}; fix what it hid, or set another date"
    yield SuppressionFinding(message, expired.range)
