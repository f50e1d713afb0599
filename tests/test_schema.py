"""`trialrun schema`: valid by its metaschema, true of sound files, and strict with broken ones."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cases import each_of
from tests.program import Run
from trialrun.model.json_schema import combined_json_schema, json_schema, plain_schema
from trialrun.model.kinds import KINDS, kind_of
from trialrun.parser import parse

FIXTURES = Path(__file__).parent.parent / "fixtures"
VIEW_NAME = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
CONFIG_NAME = "projects/p/locations/l/brands/b/channelConfigs/c"
WAREHOUSE = {"uri": "bq://p.d.t", "entityIdColumns": ["id"]}
MESSAGE = {"messageConfigs": [{"languageCode": "en", "messageText": "Fries?"}]}
CEL = {"conditionExpression": "true", "suggestedMenuItems": ["Fries"]}
MAPPING = {"type": "SINGLE_TARGET", "customerTerms": ["usual"], "targets": [{"itemName": "Fries"}]}


@cache
def validator(kind: str | None) -> Draft202012Validator:
    return Draft202012Validator(json_schema(kind) if kind else combined_json_schema())


def resources(path: Path) -> Iterator[dict[str, Any]]:
    for document in parse(path.read_bytes(), path.name).documents:
        listed = document.value if isinstance(document.value, list) else [document.value]
        yield from (file for file in listed if file is not None)


def sound() -> list[Any]:
    folders = (FIXTURES / "valid", *(FIXTURES / "workspaces" / "burger-brand").glob("*/"))
    files = (path for folder in folders if folder.name != "broken" for path in sorted(folder.iterdir()))
    named = ((path, resource) for path in files if path.suffix in (".yaml", ".json") for resource in resources(path))
    return [pytest.param(one, id=f"{path.stem}-{number}") for number, (path, one) in enumerate(named)]


def view(**fields: Any) -> dict[str, Any]:
    return {"kind": "FeatureView", "name": VIEW_NAME, **fields}


def config(**fields: Any) -> dict[str, Any]:
    return {"kind": "ChannelConfig", "name": CONFIG_NAME, "type": "UPSELL_STRATEGY", **fields}


def upsell(**fields: Any) -> dict[str, Any]:
    return config(operationsConfig={"upsellStrategy": {"upsells": [{"priority": 1, **fields}]}})


def greeting_offer(**fields: Any) -> dict[str, Any]:
    return upsell(greetingOffer={"messages": [MESSAGE | fields]})


def mapping(**fields: Any) -> dict[str, Any]:
    return config(operationsConfig={"disambiguationStrategy": {"mappings": [MAPPING | fields]}})


def replicas(**fields: Any) -> dict[str, Any]:
    return view(optimizedConfig={"automaticResources": fields})


RIGHT = {
    "a view with every source alone": view(ragSource={"uri": "bq://p.d.t"}),
    "63 characters": config(displayName="é" * 63),
    "100 characters": mapping(customerTerms=["🦉" * 100]),
    "64 code points": view(labels={"k" * 64: "v" * 64}),
    "1000 replicas": replicas(maxReplicaCount=1000),
    "further fields that the specification leaves open": replicas(cpuTarget=50),
    "a priority without a bound above": upsell(priority=10**12, celUpsell=CEL),
    "both ends of a frequency": greeting_offer(messageFrequency=1),
    "an override that disables by name and priority alone": upsell(displayName="Fries", disabled=True),
    "an override that disables by priority alone": upsell(disabled=True),
    "an empty list beside ids": greeting_offer(upsoldItems=[], upsoldItemIds=["1"]),
    "ids beside an empty list": greeting_offer(upsoldItems=["Fries"], upsoldItemIds=[]),
    "one of the alternatives": greeting_offer(upsoldItemIds=["1"]),
    "an optional enum that is unspecified": view(serviceAgentType="SERVICE_AGENT_TYPE_UNSPECIFIED"),
    "rules of any shape": config(configApplicationRules=[{"anything": 1}]),
    "a time with an offset": view(createTime="2026-01-02T03:04:05.123456789+02:00"),
}
WRONG = {
    "length of a display name": (config(displayName="x" * 64), "maxLength"),
    "length of a customer term": (mapping(customerTerms=["x" * 101]), "maxLength"),
    "length of a label key": (view(labels={"k" * 65: "v"}), "maxLength"),
    "length of a label value": (view(labels={"k": "v" * 65}), "maxLength"),
    "priority 0": (upsell(priority=0, celUpsell=CEL), "minimum"),
    "1001 replicas": (replicas(maxReplicaCount=1001), "maximum"),
    "0 replicas": (replicas(minReplicaCount=0), "minimum"),
    "a frequency above 1": (greeting_offer(messageFrequency=1.5), "maximum"),
    "a negative frequency": (greeting_offer(messageFrequency=-0.1), "minimum"),
    "a negative maximum": (config(operationsConfig={"upsellStrategy": {"maxItemsInCart": -1}}), "minimum"),
    "no dimension": (view(indexConfig={"embeddingDimension": 0}), "minimum"),
    "an enum value that is not there": (config(tone="FREINDLY"), "enum"),
    "a required enum that is unspecified": (mapping(type="TYPE_UNSPECIFIED"), "enum"),
    "an enum by number": (config(tone=1), "enum type"),
    "no type": ({"kind": "ChannelConfig", "name": CONFIG_NAME}, "required"),
    "no entity id columns": (view(warehouseSource={"uri": "bq://p.d.t"}), "required"),
    "an empty required list": (view(warehouseSource=WAREHOUSE | {"entityIdColumns": []}), "minItems"),
    "an empty required text": (view(warehouseSource=WAREHOUSE | {"uri": ""}), "minLength"),
    "an unknown field": (view(syncconfig={}), "additionalProperties"),
    "an unknown field in a message without fields": (
        view(indexConfig={"bruteForceConfig": {"a": 1}}),
        "additionalProperties",
    ),
    "a snake_case field": (view(sync_config={}), "additionalProperties"),
    "a scalar where a list belongs": (view(warehouseSource=WAREHOUSE | {"entityIdColumns": "id"}), "type"),
    "a boolean as text": (view(syncConfig={"continuous": "true"}), "type"),
    "null": (view(syncConfig=None), "type"),
    "an int64 as a number": (view(ragSource={"uri": "bq://p.d.t", "ragCorpusId": 7}), "type"),
    "an int64 below 1": (view(ragSource={"uri": "bq://p.d.t", "ragCorpusId": "0"}), "pattern"),
    "a name of another form": (view(name="projects/p/featureViews/v"), "pattern"),
    "two sources": (view(warehouseSource=WAREHOUSE, ragSource={"uri": "bq://p.d.t"}), "false"),
    "two sync options": (view(syncConfig={"cron": "0 3 * * *", "continuous": True}), "false"),
    "two algorithms": (view(indexConfig={"treeAhConfig": {}, "bruteForceConfig": {}}), "false"),
    "two upsell types": (upsell(celUpsell=CEL, greetingOffer={"messages": [MESSAGE]}), "false"),
    "no upsell type": (upsell(), "anyOf"),
    "no upsell type in an enabled override": (upsell(displayName="Fries", disabled=False), "anyOf"),
    "items by name and by id": (greeting_offer(upsoldItems=["Fries"], upsoldItemIds=["1"]), "false"),
}


def refusals(document: dict[str, Any], kind: str | None) -> set[str]:
    return {error.validator or "false" for error in validator(kind).iter_errors(document)}


@pytest.mark.parametrize("kind", [*KINDS, None], ids=str)
def test_the_command_prints_a_valid_schema(run: Run, kind: str | None) -> None:
    ran = run("schema", *([kind] if kind else []))
    assert (ran.code, ran.err) == (0, "")
    Draft202012Validator.check_schema(json.loads(ran.out))


def test_a_plain_schema_has_keywords_of_json_schema_alone(run: Run) -> None:
    ran = run("schema", "--plain")
    assert (ran.code, ran.err) == (0, "")
    assert "x-trialrun" not in ran.out
    assert "errorMessage" not in ran.out
    Draft202012Validator.check_schema(json.loads(ran.out))


def test_a_field_may_be_called_like_a_keyword_that_is_left_out() -> None:
    fields = {"properties": {"errorMessage": {"x-mark": 1}, "x-ray": {}, "properties": {"properties": {"x-a": {}}}}}
    assert plain_schema(fields) == {
        "properties": {"errorMessage": {}, "x-ray": {}, "properties": {"properties": {"x-a": {}}}}
    }


@pytest.mark.exhaustive
def test_another_tool_takes_the_schemas(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / f"{kind}.json" for kind in (*KINDS, None)]
    for kind, file in zip((*KINDS, None), files, strict=True):
        file.write_text(run("schema", *([kind] if kind else [])).out)
    command = [sys.executable, "-m", "check_jsonschema", "--check-metaschema", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@each_of(sound())
def test_a_sound_resource_is_valid(document: dict[str, Any]) -> None:
    kind = kind_of(document)
    assert kind is not None
    assert refusals(document, kind) == set()
    assert refusals(document, None) == set()


@each_of(RIGHT)
def test_what_the_tables_allow_is_valid(document: dict[str, Any]) -> None:
    assert refusals(document, document["kind"]) == set()


@pytest.mark.parametrize(("document", "by"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("combined", [False, True], ids=["its own", "combined"])
def test_what_the_tables_forbid_is_refused(document: dict[str, Any], by: str, combined: bool) -> None:
    assert refusals(document, None if combined else document["kind"]) == set(by.split())


@pytest.mark.exhaustive
def test_the_command_line_of_a_common_validator_refuses_them_too(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text(json.dumps(combined_json_schema()))
    wrong = [document for document, _ in WRONG.values()] + [view(createTime="yesterday")]
    for number, document in enumerate(wrong):
        (tmp_path / f"{number}.yaml").write_text(json.dumps(document))
    files = [str(tmp_path / f"{number}.yaml") for number in range(len(wrong))]
    command = [sys.executable, "-m", "check_jsonschema", "-o", "json", "--schemafile", str(tmp_path / "schema.json")]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert {load["filename"] for load in json.loads(done.stdout)["errors"]} == set(files)


@each_of(
    [
        ({"name": VIEW_NAME, "unknown": 1}, True),
        ({"name": CONFIG_NAME, "type": "UPSELL_STRATEGY", "unknown": 1}, True),
        ({"syncConfig": {}, "unknown": 1}, True),
        ({"type": "AGENT_CUSTOMIZATION", "unknown": 1}, True),
        ({"kind": "Brand", "unknown": 1}, True),
        ({"kind": "Brand", "apiVersion": "v1", "unknown": 1}, False),
        ({"kind": "Deployment", "syncConfig": {}, "unknown": 1}, False),
        ({"unknown": 1}, False),
        ([{"name": VIEW_NAME, "unknown": 1}], True),
        ("text", False),
    ]
)
def test_the_combined_schema_tells_kinds_as_the_linter_does(document: Any, refused: bool) -> None:
    assert bool(refusals(document, None)) == refused


@each_of([*KINDS, None])
def test_every_field_is_described(kind: str | None) -> None:
    assert [name for name, entry in fields(kind) if not entry.get("description")] == []


@each_of(
    [
        ("FeatureView", "deprecated", {"vectorSearchConfig"}),
        ("ChannelConfig", "deprecated", {"confirmOrderInfoAtStart"}),
        (
            "FeatureView",
            "readOnly",
            {
                "createTime", "updateTime", "serviceAccountEmail", "satisfiesPzs", "satisfiesPzi", "kvStoreMetadata",
                "readAppProfile",
            },
        ),
        ("ChannelConfig", "readOnly", {"createTime", "updateTime", "state", "configApplicationRules"}),
    ],
)  # fmt: skip
def test_fields_are_marked_as_the_tables_mark_them(kind: str, mark: str, names: set[str]) -> None:
    assert {name for name, entry in fields(kind) if entry.get(mark)} == names


def fields(kind: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    schema = validator(kind).schema
    for definition in (schema, *schema["$defs"].values()):
        yield from definition.get("properties", {}).items()


@each_of([*KINDS, None])
def test_there_is_nothing_an_editor_cannot_complete_below(kind: str | None) -> None:
    words = set(re.findall(r'"([$A-Za-z]+)": ', json.dumps(validator(kind).schema)))
    assert words & {"oneOf", "unevaluatedProperties", "$dynamicRef", "dependentSchemas"} == set()


def test_messages_of_one_name_are_one_message() -> None:
    combined = combined_json_schema()["$defs"]
    for kind in KINDS:
        assert {name: part for name, part in json_schema(kind)["$defs"].items() if part != combined[name]} == {}


def test_a_misspelt_kind_is_told(run: Run) -> None:
    ran = run("schema", "ChanelConfig")
    assert ran.code == 2
    assert "ChannelConfig" in ran.err


def test_the_schema_says_what_a_text_holds() -> None:
    scenario, config = json_schema("Scenario"), json_schema("ChannelConfig")
    assert scenario["properties"]["clock"]["format"] == "date-time"
    assert scenario["$defs"]["ExpectedSchedule"]["properties"]["runs"]["items"]["format"] == "date-time"
    assert scenario["$defs"]["SessionStep"]["properties"]["language"]["x-trialrun-format"] == "language-tag"
    assert config["$defs"]["TargetItem"]["properties"]["itemId"]["x-trialrun-names"] == "item"
    assert config["properties"]["name"]["x-trialrun-declares"] == "config"
