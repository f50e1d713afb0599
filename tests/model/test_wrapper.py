"""Resources in wrappers: found where they are, and nothing found in the files of other systems."""

from typing import Any

import pytest

from tests.cases import each_of
from trialrun.model.kinds import kind_of, may_be_ours
from trialrun.model.wrapper import Wrapper, candidates, resources

VIEW = {"syncConfig": {"cron": "0 3 * * *"}}
CONFIG = {"type": "UPSELL_STRATEGY"}


@each_of(
    [
        (VIEW, [("FeatureView", ())]),
        ({"featureView": VIEW}, [("FeatureView", ("featureView",))]),
        ({"feature_view": VIEW, "feature_view_id": "x"}, [("FeatureView", ("feature_view",))]),
        ({"featureView": {"labels": {}, "name": "x"}}, [("FeatureView", ("featureView",))]),
        ({"featureViews": [VIEW, VIEW]}, [("FeatureView", ("featureViews", 0)), ("FeatureView", ("featureViews", 1))]),
        ({"featureViews": {"a": VIEW}}, [("FeatureView", ("featureViews", "a"))]),
        ({"channelConfig": CONFIG}, [("ChannelConfig", ("channelConfig",))]),
        ({"channelConfigs": [CONFIG], "nextPageToken": "x"}, [("ChannelConfig", ("channelConfigs", 0))]),
        ({"resource": {"kind": "Menu"}}, [("Menu", ("resource",))]),
        ({"resource": {"featureView": VIEW}}, [("FeatureView", ("resource", "featureView"))]),
        ({"apiVersion": "a/v1", "kind": "FeatureView", "metadata": {}, "spec": {"etag": "x"}},
         [("FeatureView", ("spec",))]),
        ({"apiVersion": "a/v1", "kind": "View", "spec": VIEW}, [("FeatureView", ("spec",))]),
        ({"kind": "Brand", "spec": {"name": "acme"}}, [("Brand", ("spec",))]),
        ({"apiVersion": "v1", "kind": "List", "items": [{"kind": "ChanelConfig"}, {"kind": "Pod"}]},
         [("ChannelConfig", ("items", 0))]),
        ({"featureView": VIEW, "channelConfig": CONFIG},
         [("FeatureView", ("featureView",)), ("ChannelConfig", ("channelConfig",))]),
        ([{"resource": VIEW}, VIEW], [("FeatureView", (0, "resource")), ("FeatureView", (1,))]),
        ({"kind": "Menu", "items": [{"name": "Fries"}]}, [("Menu", ())]),
        ({"kind": "FeatureView", "spec": {}, "etag": "x"}, [("FeatureView", ())]),
    ],
)  # fmt: skip
def test_a_resource_is_found_where_it_stands(value: Any, kinds: list[tuple[str, tuple[str | int, ...]]]) -> None:
    assert [(kind, path) for kind, path, _ in resources(value)] == kinds


@each_of(
    [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": {"replicas": 3}},
        {"apiVersion": "v1", "kind": "Service", "spec": {"type": "ClusterIP", "selector": {"app": "x"}}},
        {"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod", "spec": {}}]},
        {"apiVersion": "x/v1", "kind": "Source", "spec": {"name": "x"}},
        {"resource": {"type": "bucket", "name": "x"}},
        {"resources": [{"name": "x", "type": "compute"}]},
        {"channelConfig": {"name": "alerts", "webhook": "https://chat"}},
        {"channelConfig": "x", "featureViews": 5, "spec": None, "items": [None, []]},
        {"spec": {"spec": {"spec": {"spec": {"spec": VIEW}}}}},
    ]
)
def test_files_of_other_systems_are_silent(value: Any) -> None:
    assert list(resources(value)) == []


@each_of(
    [
        ({"featureView": VIEW}, (), (("featureView",),)),
        ({"featureViews": [VIEW]}, (), (("featureViews",),)),
        ({"featureViews": [VIEW], "nextPageToken": "x"}, (), ()),
        ({"featureView": VIEW, "featureViewId": "x"}, (), ()),
        ({"featureView": {"labels": {}}}, (), ()),
        ({"apiVersion": "a/v1", "kind": "FeatureView", "metadata": {"name": "x"}, "spec": VIEW},
         (("apiVersion",),), (("metadata",), ("spec",))),
        ({"apiVersion": "a/v1", "kind": "FeatureView", "metadata": {"syncConfig": 1}, "spec": VIEW}, (), ()),
        ([{"resource": VIEW}], (), ((0, "resource"),)),
    ],
)  # fmt: skip
def test_a_wrapper_is_lifted_where_nothing_is_lost(value: Any, removed: Any, lifted: Any) -> None:
    wrapper = next(candidate for candidate in candidates(value) if isinstance(candidate, Wrapper))
    assert (wrapper.paths_to_remove, wrapper.paths_to_lift) == (removed, lifted)


@pytest.mark.parametrize(
    "text", ["channelConfig:\n  greetings: []\n", "feature_view: {etag: x}\n", '{"feature_views": []}']
)
def test_a_wrapper_is_worth_reading(text: str) -> None:
    assert may_be_ours(text.encode())


def test_a_misspelt_kind_beside_another_system_s_version_is_ours_for_resources_alone() -> None:
    assert kind_of({"apiVersion": "a/v1", "kind": "ChanelConfig"}) == "ChannelConfig"
    assert kind_of({"apiVersion": "a/v1", "kind": "FeatureOnlineStor"}) is None
