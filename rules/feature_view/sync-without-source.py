"""Scheduled sync of a view without a source.

A sync copies values from the source into the view. Without a source there is nothing to copy: the view stays empty, or
keeps the values that were written directly.

Specification: feature-view, section 2, SyncConfig: "Configures when data is synced", and WarehouseSource: "materialized
on each sync trigger per SyncConfig".

Good, as FeatureView:

    syncConfig: {cron: 0 3 * * *}
    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}

Good, as FeatureView:

    syncConfig: {cron: 0 3 * * *}
    warehouseSorce: {uri: bq://acme.serving.users, entityIdColumns: [id]}

Good, as FeatureView:

    syncConfig: {continuous: true}
    featureRegistrySource: users

Good, as FeatureView:

    syncConfig: {}

Bad, as FeatureView:

    syncConfig:  # <- syncConfig on a view without a source
      cron: 0 3 * * *

Bad, as FeatureView:

    syncConfig: {continuous: true}  # <- set warehouseSource, featureRegistrySource or ragSource
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView


@rule(FeatureView, severity=Severity.WARNING, absence=True)
def check(view: FeatureView) -> Findings:
    """Flag a syncConfig that asks for syncs of nothing; an empty one asks for none."""
    sync = view.syncConfig
    if sync is None or view.members("source"):
        return
    if sync.cron is not None or sync.continuous:
        yield view.finding(
            "syncConfig",
            "syncConfig on a view without a source; set warehouseSource, featureRegistrySource or ragSource",
        )
