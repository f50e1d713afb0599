"""View without a source.

Without a source nothing is ever synced: the view serves only values that were written directly. That is allowed but
seldom intended. An index is built by a sync, so a view without a source has none, whatever its indexConfig says.

Specification: feature-view, section 2, FeatureView, source (union): "At most one of the next three is set."

Good, as FeatureView:

    featureRegistrySource: {featureGroups: [{featureGroupId: users, featureIds: [age]}]}

Good, as FeatureView:

    rag_source: {uri: bq://acme.knowledge.pages}

Good, as FeatureView:

    warehouseSource: bq://acme.serving.users

Good, as FeatureView:

    syncConfig: {cron: 0 3 * * *}

Bad:

    kind: FeatureView  # <- the view has no source
    name: projects/acme/locations/us-central1/featureOnlineStores/store/featureViews/direct

Bad, as FeatureView:

    labels: {team: search}  # <- the view has no source
    syncConfig: {}

Bad, as FeatureView:

    indexConfig: {embeddingColumn: vector}  # <- its index is never built; set one
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView


@rule(FeatureView, severity=Severity.NOTE, absence=True)
def check(view: FeatureView) -> Findings:
    """Flag a view with none of the three sources, unless `sync-without-source` says so already."""
    sync = view.syncConfig
    if view.members("source") or (sync is None and view.has("syncConfig")):
        return
    if sync is not None and (sync.has("cron") or (sync.has("continuous") and sync.continuous is not False)):
        return
    index = "indexConfig" if view.has("indexConfig") else "vectorSearchConfig"
    if view.has(index):
        yield view.finding(
            None,
            "the view has no source, so it only serves what is written to it directly, and its index is never built; "
            "set one",
        )
        return
    yield view.finding(
        None, "the view has no source, so it only serves what is written to it directly; set one if it should"
    )
