"""Plans and states of Terraform as documents: the whole table of attributes, and what cannot be taken over."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.importers.terraform_values import FEATURE, GROUP, STORE, VIEW, VIEW_NAME, plan, resource, state, view_values
from tests.program import Run
from trialrun.parser import parse

SOURCE_TEXT = """\
warehouseSource:
  uri: bq://acme.kitchen.menu
  entityIdColumns:
    - item_id
"""
VIEW_TEXT = f"""\
kind: FeatureView
name: {VIEW_NAME}
labels:
  team: menu
syncConfig:
  cron: CRON_TZ=America/Chicago 0 4 * * *
{SOURCE_TEXT}"""


def imported(run: Run, folder: Path, text: str, *options: str) -> dict[str, Any]:
    (folder / "state.json").write_text(text, encoding="utf-8")
    ran = run("import", "state.json", "--to", "config", "--output-format", "json", *options)
    assert ran.err == "", ran.err
    result: dict[str, Any] = json.loads(ran.out)
    return result


def view_text(folder: Path) -> str:
    return (folder / "config/feature-views/menu.yaml").read_text(encoding="utf-8")


def notes(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(note["kind"], note["message"], note["place"]["pointer"]) for note in result["notes"]]


def test_a_view_of_a_state(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, state(resource(VIEW, view_values())))
    assert view_text(tmp_path) == VIEW_TEXT
    assert result["findings"] == []
    place = "/values/root_module/resources/0/values"
    own = "goog-terraform-provisioned"
    assert sorted(notes(result)) == sorted(
        [
            ("dropped", f"{own}, which Terraform sets on what it makes", f"{place}/effective_labels/{own}"),
            *(
                ("dropped", f"{name}, which documents do not have", f"{place}/{name}")
                for name in ("create_time", "update_time", "id")
            ),
        ]
    )


def test_a_view_of_a_plan_is_the_same(run: Run, tmp_path: Path) -> None:
    values = {key: value for key, value in view_values().items() if key not in ("create_time", "update_time", "id")}
    imported(run, tmp_path, plan(resource(VIEW, values)))
    assert view_text(tmp_path) == VIEW_TEXT


INDEX = {
    "embedding_column": "embedding", "filter_columns": ["category", "daypart"], "crowding_column": "category",
    "distance_measure_type": "DOT_PRODUCT_DISTANCE", "embedding_dimension": 768,
    "tree_ah_config": [{"leaf_node_embedding_count": "500"}], "brute_force_config": [],
}  # fmt: skip
INDEX_TEXT = """\
indexConfig:
  embeddingColumn: embedding
  filterColumns:
    - category
    - daypart
  crowdingColumn: category
  distanceMeasureType: DOT_PRODUCT_DISTANCE
  treeAhConfig:
    leafNodeEmbeddingCount: "500"
  embeddingDimension: 768
"""
SMALL_INDEX = {
    "embedding_column": "e", "embedding_dimension": 0, "filter_columns": None, "distance_measure_type": "",
    "tree_ah_config": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"sync_config": [{"cron": "", "continuous": True}]}, "syncConfig:\n  continuous: true\n"),
        ({"sync_config": [{"cron": None, "continuous": False}]}, "syncConfig:\n  continuous: false\n"),
        ({"sync_config": [{}]}, "syncConfig: {}\n"),
        ({"sync_config": [None]}, "syncConfig: {}\n"),
        ({"sync_config": []}, ""),
        ({"sync_config": None}, ""),
        ({"labels": {"team": "menu", "canary": ""}, "sync_config": []}, ""),
        ({"sync_config": [], "vector_search_config": [INDEX]}, INDEX_TEXT),
        *(
            (
                {"sync_config": [], "vector_search_config": [SMALL_INDEX | {"brute_force_config": empty}]},
                "indexConfig:\n  embeddingColumn: e\n  bruteForceConfig: {}\n",
            )
            for empty in ([{}], [None])
        ),
    ],
)
def test_blocks_of_a_view(run: Run, tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    imported(run, tmp_path, state(resource(VIEW, view_values(**changes))))
    labels = '  canary: ""\n  team: menu\n' if "labels" in changes else "  team: menu\n"
    assert view_text(tmp_path) == f"kind: FeatureView\nname: {VIEW_NAME}\nlabels:\n{labels}{text}{SOURCE_TEXT}"


def test_faithful_keeps_the_deprecated_field(run: Run, tmp_path: Path) -> None:
    values = view_values(vector_search_config=[{"embedding_column": "e", "brute_force_config": [{}]}])
    imported(run, tmp_path, state(resource(VIEW, values)), "--faithful")
    assert "\nvectorSearchConfig:\n  embeddingColumn: e\n  bruteForceConfig: {}\n" in view_text(tmp_path)


def test_a_view_of_features_with_its_groups_and_store(run: Run, tmp_path: Path) -> None:
    where = {"project": "123", "region": "us-central1"}
    source = {
        "project_number": "123",
        "feature_groups": [{"feature_group_id": "guests", "feature_ids": ["visits", "spend"]}],
    }
    group = {"name": "guests", "labels": {}, "id": "x", **where}
    table = {"entity_id_columns": ["guest_id"], "big_query_source": [{"input_uri": "bq://acme.guests.profile"}]}
    result = imported(
        run,
        tmp_path,
        state(
            resource(VIEW, view_values(big_query_source=[], feature_registry_source=[source], project="123")),
            resource(FEATURE, {"name": "spend", "feature_group": "guests", "version_column_name": "usd", **where}),
            resource(
                FEATURE, {"name": "visits", "feature_group": "projects/123/locations/us-central1/featureGroups/guests"}
            ),
            resource(GROUP, group | {"big_query": [table]}),
            resource(STORE, {"name": "kitchen", "bigtable": [], "optimized": [{}], **where}),
        ),
    )
    assert result["findings"] == []
    assert (
        (tmp_path / "config/feature-groups/guests.yaml").read_text(encoding="utf-8")
        == """\
kind: FeatureGroupTable
name: guests
featureGroupId: guests
projectNumber: "123"
uri: bq://acme.guests.profile
entityIdColumns:
  - guest_id
features:
  - id: spend
    column: usd
  - id: visits
"""
    )
    assert (
        (tmp_path / "config/feature-online-stores/kitchen.yaml").read_text(encoding="utf-8")
        == """\
kind: FeatureOnlineStore
name: projects/123/locations/us-central1/featureOnlineStores/kitchen
type: OPTIMIZED
"""
    )
    assert """
featureRegistrySource:
  featureGroups:
    - featureGroupId: guests
      featureIds:
        - visits
        - spend
  projectNumber: "123"
""" in view_text(tmp_path)


def test_a_store_may_be_given_by_its_full_name(run: Run, tmp_path: Path) -> None:
    store = "projects/other/locations/eu/featureOnlineStores/s"
    imported(run, tmp_path, state(resource(VIEW, view_values(feature_online_store=store))))
    assert f"\nname: {store}/featureViews/menu\n" in view_text(tmp_path)


def test_modules_and_instances_are_read_and_data_sources_are_not(run: Run, tmp_path: Path) -> None:
    views = [resource(VIEW, view_values(name=name), index=index) for index, name in enumerate(("a", "b"))]
    module = {"address": "module.m", "child_modules": [{"address": "module.m.module.n", "resources": views}]}
    data = resource(VIEW, view_values(name="c"), mode="data")
    other = resource("google_secret_manager_secret_version", {"name": "d", "secret_data": "hunter2"})
    result = imported(run, tmp_path, state(data, other, child_modules=[module]))
    assert [(file["path"], file["place"]["pointer"]) for file in result["files"]] == [
        (
            f"config/feature-views/{name}.yaml",
            f"/values/root_module/child_modules/0/child_modules/0/resources/{index}/values",
        )
        for index, name in enumerate(("a", "b"))
    ]


@pytest.mark.parametrize(
    ("unknown", "message"),
    [
        ({"labels": {"team": True}}, "team, which is known only after apply"),
        ({"labels": True}, "labels, which is known only after apply"),
        ({"sync_config": True}, "sync_config, which is known only after apply"),
        ({"sync_config": [{"cron": True}]}, "cron, which is known only after apply"),
        ({"big_query_source": [{"entity_id_columns": [True]}]}, "entity_id_columns, which is known only after apply"),
        ({"project": True}, "project, which is known only after apply; give it with --project"),
    ],
)
def test_what_is_known_only_after_apply_is_unresolved(
    run: Run, tmp_path: Path, unknown: dict[str, Any], message: str
) -> None:
    result = imported(run, tmp_path, plan(resource(VIEW, view_values()), unknown=unknown))
    assert message in [note for kind, note, _ in notes(result) if kind == "unresolved"]


def test_what_is_sensitive_is_not_written(run: Run, tmp_path: Path) -> None:
    marks = {"big_query_source": [{"uri": True}], "labels": {"team": True}}
    values = view_values(labels={"team": "hunter2", "tier": "gold"}, big_query_source=[{"uri": "bq://hunter2.a.b"}])
    result = imported(run, tmp_path, state(resource(VIEW, values, sensitive_values=marks)))
    assert [message for kind, message, _ in notes(result) if kind == "unresolved"] == [
        "team, which is marked as sensitive",
        "uri, which is marked as sensitive",
    ]
    assert "tier: gold" in view_text(tmp_path)
    assert "hunter2" not in json.dumps(result) + view_text(tmp_path)


@pytest.mark.parametrize("marks", [True, {"labels": True}, {"labels": {"team": True}}])
def test_no_part_of_a_sensitive_whole_is_written(run: Run, tmp_path: Path, marks: Any) -> None:
    values = view_values(labels={"team": "hunter2"})
    result = imported(run, tmp_path, state(resource(VIEW, values, sensitive_values=marks)))
    (file,) = result["files"]
    text = (tmp_path / file["path"]).read_text(encoding="utf-8")
    assert "hunter2" not in text + json.dumps(result)
    assert "labels" not in text


@pytest.mark.parametrize("options", [(), ("--project", "given", "--location", "eu", "--online-store", "s")])
def test_a_name_with_unknown_parts(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    values = view_values(project=None, region="", feature_online_store=None)
    result = imported(run, tmp_path, state(resource(VIEW, values)), *options)
    unresolved = [message for kind, message, _ in notes(result) if kind == "unresolved"]
    if options:
        assert "\nname: projects/given/locations/eu/featureOnlineStores/s/featureViews/menu\n" in view_text(tmp_path)
        assert unresolved == []
    else:
        assert unresolved == [
            "feature_online_store; give it with --online-store",
            "project; give it with --project",
            "region; give it with --location",
        ]
        assert {finding["rule"] for finding in result["findings"]} == {"unfilled-placeholder"}


def test_a_state_file_is_read_too(run: Run, tmp_path: Path) -> None:
    instance = {"attributes": view_values(), "sensitive_attributes": [[{"type": "get_attr", "value": "labels"}]]}
    result = imported(run, tmp_path, json.dumps(state_file(instance) | {"serial": 3, "lineage": "x"}))
    assert view_text(tmp_path) == VIEW_TEXT.replace("labels:\n  team: menu\n", "")
    assert (
        "unresolved",
        "labels, which is marked as sensitive",
        "/resources/0/instances/0/attributes/labels",
    ) in notes(result)


def test_groups_and_features_alone_are_unresolved(run: Run, tmp_path: Path) -> None:
    where = {"project": "acme", "region": "us"}
    table = {"entity_id_columns": ["a"], "big_query_source": [{"input_uri": "bq://a.b.c"}]}
    group = resource(GROUP, {"name": "g", **where, "big_query": [table]})
    feature = resource(FEATURE, {"name": "f", "feature_group": "other", **where})
    result = imported(run, tmp_path, state(group, feature))
    assert [message for _, message, _ in notes(result)] == [
        "a feature whose group is not in the input; import the group too",
        "the features of the group, which are not in the input; import them too",
    ]
    assert [finding["rule"] for finding in result["findings"]] == ["missing-field"]


def test_a_state_without_resources_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"format_version": "1.0", "terraform_version": "1.9.8"}', encoding="utf-8")
    ran = run("import", "state.json")
    assert (ran.code, ran.err) == (2, "error: there is nothing to import in state.json\n")


@pytest.mark.parametrize("as_list", [False, True])
def test_a_configuration_in_json_has_literal_values_and_expressions(run: Run, tmp_path: Path, as_list: bool) -> None:
    body: dict[str, Any] = {
        "name": "menu",
        "project": "${var.project}",
        "region": "us-central1",
        "feature_online_store": "kitchen",
        "provider": "google-beta",
        "sync_config": {"cron": "CRON_TZ=UTC 0 4 * * *"},
        "big_query_source": [{"uri": "bq://acme.kitchen.menu", "entity_id_columns": ["${local.key}"]}],
    }
    several = {"count": 2, "name": "n"}
    config = {"resource": {VIEW: {"menu": [body] if as_list else body, "several": several}}}
    result = imported(run, tmp_path, json.dumps(config), "--project", "acme")
    place = f"/resource/{VIEW}/menu" + ("/0" if as_list else "")
    assert sorted(notes(result)) == [
        ("unresolved", "entity_id_columns, which is an expression", f"{place}/big_query_source/0/entity_id_columns/0"),
        (
            "unresolved",
            "the resources of a block with count or for_each; import a plan or a state instead",
            f"/resource/{VIEW}/several",
        ),
    ]
    assert "\n  cron: CRON_TZ=UTC 0 4 * * *\n" in view_text(tmp_path)


@pytest.mark.parametrize(
    ("attributes", "labels"),
    [
        ({"labels": {}, "effective_labels": {"team": "a"}}, {"team": "a"}),
        ({"labels": None, "terraform_labels": {"team": "a"}}, {"team": "a"}),
        ({"labels": {"team": "a"}}, {"team": "a"}),
        ({"labels": {"team": "a"}, "effective_labels": {"team": "b", "tier": ""}}, {"team": "b", "tier": ""}),
        ({"labels": {}, "terraform_labels": {"by": "default"}, "effective_labels": {}}, {"by": "default"}),
        ({"labels": {}, "effective_labels": {"goog-terraform-provisioned": "true"}}, None),
    ],
)  # fmt: skip
def test_labels_are_those_of_the_service(
    run: Run, tmp_path: Path, attributes: dict[str, Any], labels: dict[str, str] | None
) -> None:
    unset = {"labels": None, "terraform_labels": None, "effective_labels": None}
    imported(run, tmp_path, state(resource(VIEW, view_values(**unset | attributes))))
    assert parse(view_text(tmp_path).encode(), "view.yaml").documents[0].value.get("labels") == labels


def test_a_label_that_is_known_only_after_apply_is_unresolved_and_the_others_are_kept(run: Run, tmp_path: Path) -> None:
    values = view_values(labels={"tier": "gold"}, terraform_labels=None, effective_labels=None)
    unknown = {"labels": {"team": True}, "terraform_labels": True, "effective_labels": True}
    result = imported(run, tmp_path, plan(resource(VIEW, values), unknown=unknown))
    assert "labels:\n  tier: gold\n" in view_text(tmp_path)
    assert "team, which is known only after apply" in [message for _, message, _ in notes(result)]


INSTANCE = {"attributes": view_values()}
DEPOSED_NOTE = ("dropped", "a deposed object, which the next apply deletes")
TAINTED_NOTE = ("guessed", "a resource that is tainted, which the next apply replaces")
DATA_NOTE = ("dropped", "a data source, which reads a resource that is managed elsewhere")
DELETED_NOTE = ("dropped", "a resource that the plan deletes or forgets")


def state_file(*instances: dict[str, Any], mode: str = "managed") -> dict[str, Any]:
    resources = [{"mode": mode, "type": VIEW, "name": "x", "instances": list(instances)}]
    return {"version": 4, "terraform_version": "1.9.8", "resources": resources}


OWN = state_file(INSTANCE)


def plan_with(**change: Any) -> dict[str, Any]:
    other = resource(VIEW, view_values(name="other"))
    value: dict[str, Any] = json.loads(plan(resource(VIEW, view_values()), other))
    value["planned_values"]["root_module"]["resources"].pop()
    value["resource_changes"][1] |= change
    return value


KEPT = {"actions": ["no-op"]}
OLD = resource(VIEW, view_values(name="old"), deposed_key="0bad")
READ = resource(VIEW, view_values(name="read"), mode="data")
CONFIGURATION = {"resource": {VIEW: {"x": view_values()}}}
IN_STATE = "/values/root_module/resources"
PUT_OFF = ("unresolved", "a resource whose change the plan puts off; import a later plan")
ENDED = ("unresolved", "the rest of a plan that ended with errors")
PROVIDER_NOTE = ("unresolved", "the default labels of a provider; import a plan or a state to have them")


def state_with(*others: dict[str, Any], **fields: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(state(resource(VIEW, view_values(), **fields), *others))
    return value


@pytest.mark.parametrize(
    ("given", "note", "pointer"),
    [
        (state_file(INSTANCE, {"deposed": "0bad", "attributes": view_values(name="old")}), DEPOSED_NOTE,
         "/resources/0/instances/1"),
        (state_file(INSTANCE | {"status": "tainted"}), TAINTED_NOTE, "/resources/0/instances/0"),
        (state_with(tainted=True), TAINTED_NOTE, f"{IN_STATE}/0"),
        (state_with(OLD), DEPOSED_NOTE, f"{IN_STATE}/1"),
        (state_with(READ), DATA_NOTE, f"{IN_STATE}/1"),
        (state_file(INSTANCE) | {"resources": [*OWN["resources"], *state_file(INSTANCE, mode="data")["resources"]]},
         DATA_NOTE, "/resources/1"),
        (plan_with(change={"actions": ["delete"]}), DELETED_NOTE, "/resource_changes/1"),
        (plan_with(change={"actions": ["forget"]}), DELETED_NOTE, "/resource_changes/1"),
        (plan_with(change={"actions": ["delete"]}, deposed="0bad"), DEPOSED_NOTE, "/resource_changes/1"),
        (plan_with(change=KEPT) | {"deferred_changes": [{"resource_change": {"type": VIEW}}]}, PUT_OFF,
         "/deferred_changes/0"),
        (plan_with(change=KEPT) | {"errored": True}, ENDED, "/errored"),
        ({"provider": {"google": {"default_labels": {"a": "b"}}}, **CONFIGURATION}, PROVIDER_NOTE, "/provider/google"),
        ({"data": {VIEW: {"read": {}}}, **CONFIGURATION}, DATA_NOTE, f"/data/{VIEW}/read"),
    ],
)  # fmt: skip
def test_states_of_a_resource_are_noted_at_their_own_place(
    run: Run, tmp_path: Path, given: dict[str, Any], note: tuple[str, str], pointer: str
) -> None:
    result = imported(run, tmp_path, json.dumps(given))
    assert [file["resource"] for file in result["files"]] == [VIEW_NAME]
    assert (*note, pointer) in notes(result)
    assert result["findings"] == []
