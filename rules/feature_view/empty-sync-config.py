"""syncConfig that does not schedule any sync.

An empty syncConfig, or one with only `continuous: false`, looks like a schedule but is not: the view is synced only on
request. If that is intended, leave the field out.

Basis: best practice; feature-view, section 2, SyncConfig: both options are optional.

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {continuous: true}

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {cron: 0 3 * * *, continuous: false}

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {continuous: "true"}

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {cronn: 0 3 * * *}

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {every: day}

Bad, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig: {}  # <- syncConfig is empty, so the view is only synced manually

Bad, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.users, entityIdColumns: [id]}
    syncConfig:  # <- syncConfig only sets continuous to false
      continuous: false
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import SyncConfig


@rule(SyncConfig, severity=Severity.WARNING, absence=True)
def check(sync: SyncConfig) -> Findings:
    """Flag a syncConfig with neither a schedule nor `continuous: true`, nor a key that it does not know."""
    if sync.model_fields_set - {"continuous"} or (sync.has("continuous") and sync.continuous is not False):
        return
    what = "only sets continuous to false" if sync.has("continuous") else "is empty"
    yield sync.finding(
        None, f"syncConfig {what}, so the view is only synced manually; set cron or continuous, or remove it"
    )
