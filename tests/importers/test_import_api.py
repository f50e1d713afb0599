"""Answers of the API as documents: every form in which get and list calls return resources."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.example_workspace import EXAMPLE
from tests.importers.menu_inputs import SQUARE
from tests.importers.sound_documents import NAMES, sound_documents
from tests.importers.terraform_values import VIEW as TERRAFORM_VIEW
from tests.importers.terraform_values import resource, state, view_values
from tests.importers.test_import_schema import FIELDS
from tests.program import Run
from trialrun.importers.api import EXPORTED_KINDS, api_json
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import ImportOptions
from trialrun.importers.run import FORMATS, import_files
from trialrun.importers.terraform_resource import VIEW_ATTRIBUTES
from trialrun.parser import parse

NAME = "projects/acme/locations/us/featureOnlineStores/kitchen/featureViews/menu"
VIEW = {
    "name": NAME,
    "createTime": "2026-01-01T00:00:00Z",
    "bigQuerySource": {"uri": "bq://acme.kitchen.menu", "entityIdColumns": ["item_id"]},
    "syncConfig": {"cron": "CRON_TZ=America/Chicago 0 4 * * *"},
}
SNAKE_VIEW = {
    "name": NAME,
    "big_query_source": {"uri": "bq://acme.kitchen.menu", "entity_id_columns": ["item_id"]},
    "sync_config": {"cron": "CRON_TZ=America/Chicago 0 4 * * *"},
    "service_agent_type": 0,
}
TEXT = f"""\
kind: FeatureView
name: {NAME}
syncConfig:
  cron: CRON_TZ=America/Chicago 0 4 * * *
warehouseSource:
  uri: bq://acme.kitchen.menu
  entityIdColumns:
    - item_id
"""
YAML_VIEW = f"""\
name: {NAME}
bigQuerySource:
  uri: bq://acme.kitchen.menu
  entityIdColumns: [item_id]
syncConfig: {{cron: "CRON_TZ=America/Chicago 0 4 * * *"}}
"""


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(VIEW),
        json.dumps(SNAKE_VIEW),
        json.dumps({"featureViews": [VIEW]}),
        json.dumps({"feature_views": [VIEW]}),
        json.dumps([VIEW]),
        json.dumps([{"featureViews": [VIEW]}, {"featureViews": []}]),
        json.dumps({"featureView": VIEW}),
        json.dumps(VIEW) + "\n" + json.dumps(VIEW),
        json.dumps(VIEW, indent=2).encode("utf-16").decode("utf-16"),
        YAML_VIEW,
        f"---\n{YAML_VIEW}---\n{YAML_VIEW}",
        f"featureViews:\n- {YAML_VIEW.replace(chr(10), chr(10) + '  ')}",
    ],
)
@pytest.mark.parametrize("source", [("api",), ()])
def test_a_view_is_imported_from_every_form_of_answer(
    run: Run, tmp_path: Path, answer: str, source: tuple[str, ...]
) -> None:
    (tmp_path / "answer").write_text(answer, encoding="utf-8")
    ran = run("import", *source, "answer", "--to", "config")
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert (tmp_path / "config" / "feature-views" / "menu.yaml").read_text(encoding="utf-8") == TEXT


def test_what_the_service_sets_is_dropped_with_its_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.json").write_text(json.dumps({"featureViews": [VIEW]}), encoding="utf-8")
    assert notes(run("import", "view.json", "--output-format", "json").out) == [
        ("dropped", "createTime, which the service sets", "/featureViews/0/createTime")
    ]


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"surprise": 1}, ("dropped", "a field that FeatureView does not have", "/surprise")),
        ({"labels": {"a": [1]}}, ("dropped", "a, which is not text", "/labels/a")),
        ({"syncConfig": "daily"}, ("dropped", "syncConfig, which is not a mapping", "/syncConfig")),
        (
            {"sync_config": {}},
            ("dropped", "sync_config, which is there in two spellings; the first counts", "/sync_config"),
        ),
        (
            {"syncConfig": {"continuous": "true"}},
            ("guessed", "continuous, which is text in the input and not true or false", "/syncConfig/continuous"),
        ),
    ],
)
def test_what_does_not_fit_is_noted_with_its_place(
    run: Run, tmp_path: Path, change: dict[str, Any], note: tuple[str, str, str]
) -> None:
    view = {key: value for key, value in VIEW.items() if key != "createTime"} | change
    (tmp_path / "view.json").write_text(json.dumps(view), encoding="utf-8")
    assert notes(run("import", "view.json", "--output-format", "json").out) == [note]


def notes(output: str) -> list[tuple[str, str, str]]:
    return [(note["kind"], note["message"], note["place"]["pointer"]) for note in json.loads(output)["notes"]]


def test_a_finding_says_where_in_the_input_it_comes_from(run: Run, tmp_path: Path) -> None:
    view = VIEW | {"syncConfig": {"cron": "61 * * * *"}}
    (tmp_path / "view.json").write_text(json.dumps([view]), encoding="utf-8")
    ran = run("import", "view.json", "--output-format", "json")
    (finding,) = json.loads(ran.out)["findings"]
    assert (finding["rule"], finding["place"]["pointer"], ran.code) == ("cron-syntax", "/0/syncConfig/cron", 1)


@pytest.mark.parametrize("folder", ["a", "z"])
def test_the_input_beside_takes_no_name_of_the_documents(run: Run, tmp_path: Path, folder: str) -> None:
    (tmp_path / "list.json").write_text(json.dumps([VIEW]), encoding="utf-8")
    ran = run("import", "list.json", "--to", folder, "--output-format", "json")
    assert (json.loads(ran.out)["findings"], ran.code) == ([], 0)


def test_a_finding_in_a_renamed_field_comes_from_the_key_of_the_input(run: Run, tmp_path: Path) -> None:
    view = SNAKE_VIEW | {"big_query_source": {"uri": "bq://acme.kitchen.menu"}}
    (tmp_path / "view.json").write_text(json.dumps(view), encoding="utf-8")
    (finding,) = json.loads(run("import", "view.json", "--output-format", "json").out)["findings"]
    assert (finding["rule"], finding["place"]["pointer"]) == ("missing-field", "/big_query_source")


def test_feature_groups_take_their_features_from_other_answers(run: Run, tmp_path: Path) -> None:
    group = "projects/123/locations/us/featureGroups/guests"
    table = {
        "bigQuerySource": {"inputUri": "bq://acme.guests.profile"}, "entityIdColumns": ["guest_id"],
        "timeSeries": {"timestampColumn": "seen_at"}, "dense": True,
    }  # fmt: skip
    spend = {"name": f"{group}/features/spend", "versionColumnName": "spend_usd"}
    groups = {"featureGroups": [{"name": group, "bigQuery": table}]}
    features = {"features": [{"name": f"{group}/features/visits"}, spend]}
    (tmp_path / "groups.json").write_text(json.dumps(groups), encoding="utf-8")
    (tmp_path / "features.json").write_text(json.dumps(features), encoding="utf-8")
    ran = run("import", "api", "groups.json", "features.json")
    assert ran.code == 0, ran.out + ran.err
    assert (
        (tmp_path / "feature-groups" / "guests.yaml").read_text(encoding="utf-8")
        == """\
kind: FeatureGroupTable
name: guests
featureGroupId: guests
projectNumber: "123"
uri: bq://acme.guests.profile
entityIdColumns:
  - guest_id
timestampColumn: seen_at
dense: true
features:
  - id: spend
    column: spend_usd
  - id: visits
"""
    )


@pytest.mark.parametrize(("message", "type_"), [("bigtable", "KEY_VALUE"), ("optimized", "OPTIMIZED")])
def test_the_message_of_an_online_store_is_its_type(run: Run, tmp_path: Path, message: str, type_: str) -> None:
    name = "projects/acme/locations/us/featureOnlineStores/kitchen"
    (tmp_path / "store.json").write_text(json.dumps({"name": name, message: {}}), encoding="utf-8")
    assert run("import", "store.json").code == 0
    text = (tmp_path / "feature-online-stores" / "kitchen.yaml").read_text(encoding="utf-8")
    assert text == f"kind: FeatureOnlineStore\nname: {name}\ntype: {type_}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("terrafrom", "state.json"), 'there is no file or format "terrafrom"; did you mean "terraform"?'),
        (("nothing.json",), "there is no file nothing.json"),
        (("api",), "import api needs a file; a file of that name is written ./api"),
        (("folder",), "folder cannot be read: it is a folder"),
        (("text.json",), "text.json has nothing that an import reads; name its format: "),
        (("error.json",), "error.json is the error of a request, and no resource; make the request again"),
    ],
)
def test_what_cannot_be_imported_is_a_usage_error(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "error.json").write_text('{"error": {"code": 403, "message": "no"}}', encoding="utf-8")
    ran = run("import", *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_the_response_of_an_operation_is_read_and_places_that_a_list_did_not_reach_are_noted(
    run: Run, tmp_path: Path
) -> None:
    operation = {"name": f"{NAME}/operations/1", "done": True, "response": VIEW}
    listed = {"featureViews": [], "unreachable": ["projects/acme/locations/eu"]}
    (tmp_path / "answers.json").write_text(f"{json.dumps(operation)}\n{json.dumps(listed)}", encoding="utf-8")
    ran = run("import", "answers.json", "--to", "config", "--output-format", "json")
    assert (tmp_path / "config/feature-views/menu.yaml").read_text(encoding="utf-8") == TEXT
    message = "the resources of locations that the list did not reach; import them too"
    assert ("unresolved", message, "/unreachable") in notes(ran.out)


VALID = Path(__file__).parent.parent.parent / "fixtures" / "valid"


@pytest.mark.parametrize("dialect", ["specification", "vendor"])
@pytest.mark.parametrize("kind", EXPORTED_KINDS)
@given(st.data())
def test_an_import_of_an_export_is_the_same(kind: str, dialect: Any, data: st.DataObject) -> None:
    value = data.draw(sound_documents(kind))
    text = json.dumps(api_json([(kind, value)], dialect))
    imported = import_files([InputFile("export.json", text.encode())], None, ImportOptions())
    assert [document.value for document in imported.documents] == [value]
    assert imported.notes == []


@given(st.data())
def test_an_import_of_an_export_of_several_is_the_same(data: st.DataObject) -> None:
    values = [data.draw(sound_documents(kind)) for kind in EXPORTED_KINDS for _ in range(2)]
    by_key = {(value["kind"], value["name"]): value for value in values}
    text = json.dumps(api_json([(kind, value) for (kind, _), value in by_key.items()], "vendor"))
    imported = import_files([InputFile("export.json", text.encode())], None, ImportOptions())
    assert {(document.kind, document.resource): document.value for document in imported.documents} == by_key


def test_the_documents_of_the_example_workspace_survive_the_round_trip(run: Run, tmp_path: Path) -> None:
    exported = run("export", "api", str(EXAMPLE / "channels"), str(EXAMPLE / "feature-views"), "--dialect", "vendor")
    assert exported.code == 0, exported.err
    (tmp_path / "all.json").write_text(exported.out, encoding="utf-8")
    assert run("import", "all.json", "--to", "config").err == ""
    assert by_name(run("export", "api", "config", "--dialect", "vendor").out) == by_name(exported.out)


def by_name(output: str) -> dict[str, Any]:
    return {resource["name"]: resource for resources in json.loads(output).values() for resource in resources}


@pytest.mark.parametrize("file", ["view-every-field.yaml", "config-upsells-every-field.yaml", "list-of-both.json"])
def test_valid_fixtures_are_exported(run: Run, file: str) -> None:
    ran = run("export", "api", str(VALID / file))
    assert (ran.code, ran.err) == (0, "")


def test_the_vendor_spells_three_fields_in_its_own_way(run: Run, tmp_path: Path) -> None:
    text = f"name: {NAMES['FeatureView']}a\nwarehouseSource: {{uri: 'bq://a.b.c', entityIdColumns: [id]}}\n"
    (tmp_path / "view.yaml").write_text(text, encoding="utf-8")
    source = {"uri": "bq://a.b.c", "entityIdColumns": ["id"]}
    assert json.loads(run("export", "api", "view.yaml").out)["warehouseSource"] == source
    assert json.loads(run("export", "api", "view.yaml", "--dialect", "vendor").out)["bigQuerySource"] == source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: FeatureView\nname: a\nsyncConfig: daily\n", "error: a.yaml: /syncConfig does not fit a FeatureView\n"),
        (
            "kind: FeatureView\nname: a\nindexConfig: {distanceMeasureType: L3}\n",
            "/indexConfig/distanceMeasureType does not fit",
        ),
        ("kind: FeatureView\nname: [a\nlabels: {}\n", "error: a.yaml cannot be read as a whole; run trialrun check\n"),
    ],
)
def test_a_broken_document_is_not_exported(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    ran = run("export", "api", "a.yaml")
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err


def test_other_kinds_are_named_and_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"kind: Brand\nname: b\n---\nkind: FeatureView\nname: {NAMES['FeatureView']}a\n")
    ran = run("export", "api", "a.yaml")
    assert (ran.code, json.loads(ran.out)) == (0, {"name": f"{NAMES['FeatureView']}a"})
    assert ran.err == "note: not exported: Brand, which the API does not have in this form\n"
    (tmp_path / "a.yaml").write_text("kind: Brand\nname: b\n")
    assert run("export", "api", "a.yaml").code == 2


def test_yaml_is_canonical_and_stays_so(run: Run, tmp_path: Path) -> None:
    text = (
        "modifierGroups: []\nitems:\n- {price: 4.0, name: Fries}\nname: m\nkind: Menu\n---\n"
        f"sync_config: {{continuous: true}}\nname: {NAMES['FeatureView']}a  # gone\n"
    )
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    canonical = (
        "kind: Menu\nname: m\nitems:\n  - name: Fries\n    price: 4\nmodifierGroups: []\n---\n"
        f"kind: FeatureView\nname: {NAMES['FeatureView']}a\nsyncConfig:\n  continuous: true\n"
    )
    assert run("export", "yaml", "a.yaml").out == canonical
    (tmp_path / "a.yaml").write_text(canonical, encoding="utf-8")
    assert run("export", "yaml").out == canonical


def test_the_example_workspace_is_exported_as_yaml(run: Run) -> None:
    folders = [str(EXAMPLE / folder) for folder in ("brand", "channels", "feature-store", "feature-views", "scenarios")]
    ran = run("export", "yaml", *folders)
    assert (ran.code, ran.err) == (0, "")
    assert parse(ran.out.encode(), "all.yaml").errors == []


PAGE = Path(__file__).parent.parent.parent / "docs" / "import.md"
REGISTRY = Path(__file__).parent / "feast_registry.json"
COMMANDS = re.findall(r"^(trialrun import .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_writes_documents(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "views.json").write_text(json.dumps({"featureViews": [VIEW]}), encoding="utf-8")
    (tmp_path / "state.json").write_text(state(resource(TERRAFORM_VIEW, view_values())), encoding="utf-8")
    (tmp_path / "profile.json").write_text(json.dumps(FIELDS), encoding="utf-8")
    (tmp_path / "catalog.json").write_text(json.dumps(SQUARE), encoding="utf-8")
    (tmp_path / "registry.json").write_bytes(REGISTRY.read_bytes())
    ran = run(*shlex.split(command)[1:])
    assert ran.code in (0, 1), ran.err
    assert list((tmp_path / "config").rglob("*.yaml"))


def test_the_page_has_every_format_and_attribute() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"| `{name}` |" not in text] == []
    assert [name for name in VIEW_ATTRIBUTES if name not in text] == []
    assert COMMANDS
