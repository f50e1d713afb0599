"""Resource without a name.

Without a name it cannot be distinguished from other resources: no binding can refer to it, no report can say which view
failed, and two copies of it are not recognized as duplicates.

Specification: feature-view and channel-config, section 2: "name | string | identifier | Resource name in the format
above."

Good:

    kind: FeatureView
    name: projects/acme/locations/us/featureOnlineStores/riders/featureViews/profile
    warehouseSource: {uri: bq://acme.serving.riders, entityIdColumns: [id]}

Good:

    kind: Menu
    items: [{name: Fries}]

Bad:

    kind: FeatureView  # <- the FeatureView has no name; add one such as projects/{project}/locations/{location}/
    warehouseSource: {uri: bq://acme.serving.riders, entityIdColumns: [id]}

Bad:

    - type: AGENT_CUSTOMIZATION  # <- the ChannelConfig has no name; add one such as projects/{project}/
      tone: FRIENDLY

Bad:

    kind: FeatureOnlineStore  # <- the FeatureOnlineStore has no name, so no view can belong to it
    type: OPTIMIZED
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.node import field_spec

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView


@rule("FeatureOnlineStore", severity=Severity.WARNING, absence=True)
def of_store(store: FeatureOnlineStore) -> Findings:
    """Flag a store without a name, which no view can be under."""
    if not store.has("name"):
        yield store.finding(None, "the FeatureOnlineStore has no name, so no view can belong to it; add one")


@rule("FeatureView", "ChannelConfig", severity=Severity.WARNING, absence=True)
def check(resource: FeatureView | ChannelConfig) -> Findings:
    """Flag a resource without a name, at its first key."""
    if not resource.has("name"):
        kind = type(resource)
        yield resource.finding(
            None, f"the {kind.__name__} has no name; add one such as {field_spec(kind, 'name').name_format}"
        )
