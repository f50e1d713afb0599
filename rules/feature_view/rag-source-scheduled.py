"""Schedule on a view with a ragSource, which is synced manually.

The table of a RAG source is read only when somebody triggers a sync. A schedule promises fresh values but has no
effect.

Specification: feature-view, section 2, RagSource: "URI of the warehouse view or table materialized on each manual sync
trigger."

Good, as FeatureView:

    ragSource: {uri: bq://acme.knowledge.pages}

Good, as FeatureView:

    ragSource: {uri: bq://acme.knowledge.pages}
    syncConfig: {continuous: false}

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {cron: 0 3 * * *}

Good, as FeatureView:

    ragSource: {uri: bq://acme.knowledge.pages}
    syncConfig: {cron: 3}

Bad, as FeatureView:

    ragSource: {uri: bq://acme.knowledge.pages}
    syncConfig:
      cron: 0 3 * * *  # <- a ragSource is only synced manually, so this schedule has no effect

Bad, as FeatureView:

    ragSource: {uri: bq://acme.knowledge.pages}
    syncConfig:
      continuous: true  # <- a ragSource is only synced manually

Bad, as FeatureView:

    ragSource: {uri: bq://acme.knowledge.pages}
    syncConfig:
      cronn: 0 3 * * *  # <- a ragSource is only synced manually
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView


@rule(FeatureView, severity=Severity.WARNING)
def check(view: FeatureView) -> Findings:
    """Flag the schedule, or else `continuous: true`, of a view with a RAG source."""
    sync = view.syncConfig
    if sync is None or not view.has("ragSource"):
        return
    field = "cron" if sync.cron and sync.cron.strip() else "continuous" if sync.continuous else None
    if field is not None:
        what = "schedule" if field == "cron" else "setting"
        yield sync.finding(
            field,
            f"a ragSource is only synced manually, so this {what} has no effect; remove it",
            related=(Related("the source", view.location("ragSource")),),
        )
