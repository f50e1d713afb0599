"""Views, and the online stores and feature groups that a workspace declares."""

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import judged, told

STORE = "projects/p/locations/l/featureOnlineStores/s"


def view(fields: str, name: str = f"{STORE}/featureViews/v") -> tuple[str, str]:
    return (f"{name.rpartition('/')[2]}.yaml", f"{{kind: FeatureView, name: {name}, {fields}}}")


def stores(*declared: str) -> tuple[str, str]:
    return ("stores.yaml", "\n".join(f"- {{kind: FeatureOnlineStore, {one}}}" for one in declared))


@each_of(
    [
        ([f"name: {STORE}, type: KEY_VALUE"], True),
        ([f"name: {STORE}, type: OPTIMIZED"], False),
        (["name: s, type: KEY_VALUE"], True),
        (["name: S, type: KEY_VALUE"], False),
        (["name: projects/q/locations/l/featureOnlineStores/s, type: KEY_VALUE"], False),
        ([f"name: {STORE}, type: OPTIMIZED", "name: s, type: KEY_VALUE"], False),
        ([f"name: {STORE}, type: KEY_VALUE", "name: s, type: OPTIMIZED"], True),
        (["name: s, type: KEY_VALUE", "name: s, type: OPTIMIZED"], False),
        (["name: s, type: KEYVALUE"], False),
        (["type: KEY_VALUE"], False),
        ([], False),
    ]
)
def test_the_store_of_a_view_is_found_by_its_name(declared: list[str], is_told: bool) -> None:
    assert bool(told("store-type-mismatch", [stores(*declared), view("optimizedConfig: {}")])) == is_told


@each_of(
    [
        ("indexConfig: {}, vectorSearchConfig: {}", ["/indexConfig", "/vectorSearchConfig"]),
        ("optimized_config: {}", ["/optimized_config"]),
        ("indexConfig: null", []),
        ("indexConfig: 7", []),
        ("syncConfig: {continuous: true}", []),
    ]
)
def test_each_field_of_optimized_stores_is_told(fields: str, pointers: list[str]) -> None:
    found = judged("store-type-mismatch", [stores("name: s, type: KEY_VALUE"), view(fields)])
    assert [finding.pointer for finding in found] == pointers


def group(fields: str = "", features: str = "[{id: a}, {id: b}]") -> tuple[str, str]:
    where = "uri: bq://p.d.t, entityIdColumns: [id]"
    return ("groups.yaml", f"{{kind: FeatureGroupTable, featureGroupId: g, {where}, features: {features}{fields}}}")


def registry(groups: str, project: str = "") -> tuple[str, str]:
    return view(f"featureRegistrySource: {{{project} featureGroups: [{groups}]}}")


@each_of(
    [
        ("{featureGroupId: g, featureIds: [a, b]}", []),
        ("{featureGroupId: g, featureIds: [a, c, d]}", ["0/featureIds/1", "0/featureIds/2"]),
        ("{featureGroupId: g, featureIds: [7, c]}", ["0/featureIds/1"]),
        ("7, {featureGroupId: g, featureIds: [c]}", ["1/featureIds/0"]),
        ("{featureGroupId: g, feature_ids: [c]}", ["0/feature_ids/0"]),
        ("{featureGroupId: h, featureIds: [c]}", ["0/featureGroupId"]),
        ("{featureGroupId: G, featureIds: [a]}", ["0/featureGroupId"]),
        ("{featureGroupId: 7, featureIds: [c]}", []),
    ]
)
def test_a_view_takes_what_its_groups_have(taken: str, pointers: list[str]) -> None:
    found = judged("unknown-feature", [group(), registry(taken)])
    assert [finding.pointer.removeprefix("/featureRegistrySource/featureGroups/") for finding in found] == pointers


def test_without_declared_groups_nothing_is_told() -> None:
    assert told("unknown-feature", [registry("{featureGroupId: h, featureIds: [c]}")]) == []


@each_of(
    [
        ("", 'projectNumber: "8",', False),
        (', projectNumber: "7"', "", False),
        (', projectNumber: "7"', 'projectNumber: "7",', False),
        (', projectNumber: "7"', 'projectNumber: "8",', True),
        (', projectNumber: "7"', "projectNumber: eight,", False),
    ]
)
def test_groups_are_told_apart_by_their_project(declared: str, taken: str, is_told: bool) -> None:
    files = [group(declared), registry("{featureGroupId: g, featureIds: [a]}", taken)]
    assert bool(told("unknown-feature", files)) == is_told


@pytest.mark.parametrize("features", ["[{id: a}, {id: 7}]", "[{id: a}, c]", "7"])
def test_a_group_that_is_not_clear_may_have_the_feature(features: str) -> None:
    taken = registry("{featureGroupId: g, featureIds: [c]}")
    assert told("unknown-feature", [group(features=features), taken]) == []


def test_a_group_whose_id_is_not_clear_may_be_the_one() -> None:
    other = ("other.yaml", group()[1].replace("featureGroupId: g", "featureGroupId: 7"))
    assert told("unknown-feature", [group(), other, registry("{featureGroupId: h, featureIds: [a]}")]) == []


def herd(*crons: str, store: str = STORE) -> list[tuple[str, str]]:
    return [
        view(f'syncConfig: {{cron: "{cron}"}}', f"{store}/featureViews/{'abcdefg'[at]}")
        for at, cron in enumerate(crons)
    ]


@each_of(
    [
        (["0 3 * * *"] * 2, []),
        (["0 3 * * *"] * 4, ["c.yaml", "d.yaml"]),
        (["0 3 * * *", "00 03 * * *", "0 3 */1 * 0-7"], ["c.yaml"]),
        (["0 3 * * *", "0 3 * * *", "1 3 * * *"], []),
        (["0 3 * * *", "CRON_TZ=Etc/UTC 0 3 * * *", "TZ=GMT 0 3 * * *"], ["c.yaml"]),
        (["TZ=US/Eastern 0 3 * * *", "TZ=America/New_York 0 3 * * *", "0 3 * * *"], []),
        (["TZ=US/Eastern 0 3 * * *", "TZ=America/New_York 0 3 * * *", "TZ=US/Eastern 0 3 * * *"], ["c.yaml"]),
        (["0 3 1 * MON", "0 3 1 * 1", "0 3 1 * mon"], ["c.yaml"]),
        (["0 3 * * MON", "0 3 * * MON", "0 3 1-31 * MON"], []),
        (["0 0 31 2 *"] * 3, []),
        (["0 25 * * *"] * 3, []),
    ]
)
def test_views_of_one_store_with_one_schedule_are_a_herd(crons: list[str], told_of: list[str]) -> None:
    found = judged("sync-herd", herd(*crons), {"sync-herd-size": 2})
    assert [finding.path for finding in found] == told_of


def test_another_store_is_another_herd() -> None:
    files = [*herd("0 3 * * *", "0 3 * * *"), ("z.yaml", herd("0 3 * * *", store=STORE + "2")[0][1])]
    assert judged("sync-herd", files, {"sync-herd-size": 2}) == []


def test_five_views_are_no_herd_yet() -> None:
    assert [finding.path for finding in judged("sync-herd", herd(*["0 3 * * *"] * 7))] == ["f.yaml", "g.yaml"]


def test_a_herd_is_related_to_its_first_views() -> None:
    found = judged("sync-herd", herd(*["0 3 * * *"] * 7))
    assert [[related_location.path for related_location in finding.related] for finding in found] == [
        ["a.yaml", "b.yaml", "c.yaml"]
    ] * 2
