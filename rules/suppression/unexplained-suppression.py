"""Suppression without a reason.

Whoever has to decide in a year whether the suppression can be removed has only its comment as a guide.

Basis: best practice; off by default, for teams that want it.

Good:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step] the feed comes every seven minutes

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
    warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
    syncConfig:
      cron: "*/7 * * * *"  # trialrun: ignore[cron-uneven-step] owner=rides  # <- the suppression gives no reason
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.suppression.suppression import SuppressionFinding, SuppressionFindings, UnexplainedSuppression


@rule(UnexplainedSuppression, severity=Severity.WARNING, on=False)
def check(unexplained: UnexplainedSuppression) -> SuppressionFindings:
    """Flag the comment, or the header of the table."""
    where = "after the brackets" if unexplained.kind == "comment" else 'as reason = "…"'
    yield SuppressionFinding(f"the suppression gives no reason; write one {where}", unexplained.range)
