"""Which documents are ours: told from bytes without missing one, and from values in the order that is promised."""

from itertools import product
from pathlib import Path
from typing import Any

from tests.cases import each_of
from trialrun.model.kinds import KINDS, kind_of, may_be_ours, near_kind
from trialrun.parser import parse

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
VIEW_NAME = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
CONFIG_NAME = "projects/p/locations/l/brands/b/channelConfigs/c"
WAYS = [
    "kind: {}", 'kind: "{}"', "- {{kind: {}}}", '{{"kind":"{}"}}', "'kind' : '{}'", "kind:\n  {}",
    '{{"kind"\n:\n"{}"}}', "kind: # of what\n  '{}'", "kind: &kind {}", "kind: !!str {}", "kind: >-\n  {}",
    "? kind\n: {}",
]  # fmt: skip


@each_of(product(KINDS, WAYS))
def test_a_file_that_says_its_kind_is_worth_reading(kind: str, written: str) -> None:
    assert may_be_ours(written.format(kind).encode())


@each_of(sorted(FIXTURES.rglob("*.yaml")))
def test_no_fixture_of_ours_is_missed(path: Path) -> None:
    data = path.read_bytes()
    values = [document.value for document in parse(data, str(path)).documents]
    ours = any(kind_of(item) for value in values for item in (value if isinstance(value, list) else [value]))
    assert not ours or may_be_ours(data)


@each_of(
    [
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: source}\n",
        "kind: Deployment\n",
        "on: push\njobs: {build: {steps: [{name: kind of a step}]}}\n",
        "openapi: 3.1.0\ncomponents: {schemas: {Source: {type: object}}}\n",
        "services: {web: {image: nginx, configs: [a]}}\n",
    ]
)
def test_foreign_files_are_not_worth_reading(text: str) -> None:
    assert not may_be_ours(text.encode())


@each_of(
    [
        ({"kind": "FeatureView", "name": CONFIG_NAME}, "FeatureView"),
        ({"kind": "Brand", "name": "projects/p/locations/l/brands/b", "color": "red", "logo": "b.svg"}, "Brand"),
        ({"kind": "Brand", "name": "b", "color": "red"}, None),
        ({"kind": "ChanelConfig"}, "ChannelConfig"),
        ({"kind": "featureview"}, "FeatureView"),
        ({"kind": "Deployment", "syncConfig": {}}, None),
        ({"kind": "Source", "apiVersion": "v1"}, None),
        ({"kind": "Source"}, "Source"),
        ({"name": VIEW_NAME, "operationsConfig": {}}, "FeatureView"),
        ({"name": CONFIG_NAME}, "ChannelConfig"),
        ({"name": "x", "sync_config": {}}, "FeatureView"),
        ({"operationsConfig": {}}, "ChannelConfig"),
        ({"type": "UPSELL_STRATEGY"}, "ChannelConfig"),
        ({"type": "ClusterIP"}, None),
        ({}, None),
        ([], None),
        (None, None),
        ({"kind": 5, "ragSource": None}, "FeatureView"),
    ]
)
def test_the_order_in_which_a_kind_is_told(value: Any, kind: str | None) -> None:
    assert kind_of(value) == kind


def test_a_glob_comes_behind_the_name_and_before_the_fields() -> None:
    assert kind_of({"name": VIEW_NAME}, by_path="ChannelConfig") == "FeatureView"
    assert kind_of({"operationsConfig": {}}, by_path="FeatureView") == "FeatureView"


@each_of(["Service", "Secret", "Sources", "menus", "Brands", "ConfigMap", "Feature", "Channel"])
def test_words_of_other_systems_are_not_near(kind: str) -> None:
    assert near_kind(kind) is None
