"""Resource name that does not match the format of its resource.

A name is looked up segment by segment: with `featureView` for `featureViews`, or a missing segment, nothing is found,
and bindings that use the name refer to nothing. An id is any text without a slash. A Brand and a FeatureOnlineStore may
have an id alone as their name.

Specification: feature-view, FeatureView: "Resource name format:
projects/{project}/locations/{location}/featureOnlineStores/{featureOnlineStore}/featureViews/{featureView}";
channel-config, ChannelConfig: "Resource name format:
projects/{project}/locations/{location}/brands/{brand}/channelConfigs/{channelConfig}".

Good:

    kind: FeatureView
    name: projects/acme/locations/us-central1/featureOnlineStores/Store-One/featureViews/riders

Bad:

    kind: FeatureView
    name: projects/acme/locations/us/featureOnlineStore/one/featureViews/riders  # <- write "featureOnlineStores"

Bad:

    kind: ChannelConfig
    name: summer  # <- "summer" is not a full resource name; write projects/{project}/locations/{location}/
    type: AGENT_CUSTOMIZATION

Bad:

    kind: ChannelConfig
    name: projects//locations/us/brands/acme/channelConfigs/  # <- empty id; write the {project} between the slashes
    # line 2 <- empty id; write the {channelConfig} between the slashes
    type: AGENT_CUSTOMIZATION

Bad:

    kind: ChannelConfig
    name: ""  # <- empty name; write projects/{project}
    type: AGENT_CUSTOMIZATION

Bad:

    kind: FeatureOnlineStore
    name: projects/acme/locations/us/featureOnlineStore/vectors  # <- write "featureOnlineStores"
    type: OPTIMIZED
    ---
    kind: Brand
    name: projects/acme/location/us/brands/acme  # <- write "locations"
    ---
    kind: Brand
    name: diner

Bad:

    kind: FeatureView
    name: projects/acme/locations/us/brands/acme/channelConfigs/summer  # <- expected "featureOnlineStores", not
    # line 2 <- not "channelConfigs"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.model.node import field_spec
from trialrun.parser import ParseError
from trialrun.values.resource_name import check as problems

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView


@rule("FeatureView", "ChannelConfig", severity=Severity.ERROR)
def check(resource: FeatureView | ChannelConfig) -> Findings:
    """Flag each segment of the name that is wrong."""
    yield from _wrong_segments(resource, field_spec(type(resource), "name").name_format)


@rule("Brand", severity=Severity.ERROR)
def brands(brand: Brand) -> Findings:
    """Flag each segment of the name of a brand that is wrong, unless it is an id alone."""
    from trialrun.model.companion import BRAND_NAME_FORMAT

    yield from _wrong_segments(brand, BRAND_NAME_FORMAT if "/" in (brand.name or "") else None)


@rule("FeatureOnlineStore", severity=Severity.ERROR)
def stores(store: FeatureOnlineStore) -> Findings:
    """Flag each segment of the name of an online store that is wrong, unless it is an id alone."""
    from trialrun.model.companion import STORE_NAME_FORMAT

    yield from _wrong_segments(store, STORE_NAME_FORMAT if "/" in (store.name or "") else None)


@rule(ParseError, severity=Severity.ERROR)
def check_reference(trouble: ParseError) -> Findings:
    """Flag the full name of a store where Terraform puts its id into a name."""
    yield to_finding(trouble)


def _wrong_segments(
    resource: Brand | ChannelConfig | FeatureOnlineStore | FeatureView, pattern: str | None
) -> Findings:
    if resource.name is None or pattern is None:
        return
    for problem in problems(resource.name, pattern=pattern):
        chars = (problem.start, problem.end) if resource.name else None
        yield resource.finding("name", problem.message, chars=chars)
