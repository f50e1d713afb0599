"""A dump of a registry of Feast: `feast_registry.json` is what `feast registry-dump` of version 0.67 prints, without
times.
"""

import json
from pathlib import Path
from typing import Any

from tests.cases import each_of
from tests.program import Run
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import Imported, ImportOptions
from trialrun.importers.run import import_files
from trialrun.values.suggest import snake_case

DUMP = Path(__file__).parent / "feast_registry.json"
WHERE = ("--project", "acme", "--location", "us", "--online-store", "kitchen")


def imported(run: Run, *options: str) -> dict[str, Any]:
    ran = run("import", str(DUMP), "--output-format", "json", *options)
    assert ran.err == "", ran.err
    result: dict[str, Any] = json.loads(ran.out)
    return result


def written(folder: Path, name: str) -> str:
    return (folder / f"{name}.yaml").read_text(encoding="utf-8")


def test_a_view_is_a_feature_group_a_source_and_a_view(run: Run, tmp_path: Path) -> None:
    imported(run, *WHERE)
    assert (
        written(tmp_path, "feature-groups/guests")
        == """\
kind: FeatureGroupTable
name: guests
featureGroupId: guests
uri: bq://acme.guests.profile
entityIdColumns:
  - guest_id
timestampColumn: seen_at
features:
  - id: visits
  - id: spend
    column: usd
  - id: embedding
"""
    )
    assert (
        written(tmp_path, "feature-views/guests")
        == """\
kind: FeatureView
name: projects/acme/locations/us/featureOnlineStores/kitchen/featureViews/guests
labels:
  team: crm
indexConfig:
  embeddingColumn: embedding
  distanceMeasureType: COSINE_DISTANCE
featureRegistrySource:
  featureGroups:
    - featureGroupId: guests
      featureIds:
        - visits
        - spend
        - embedding
"""
    )
    assert (
        written(tmp_path, "sources/guest_table")
        == """\
kind: Source
name: guest_table
uri: bq://acme.guests.profile
timestampColumn: seen_at
columns:
  - name: guest_id
    type: STRING
  - name: seen_at
    type: TIMESTAMP
  - name: visits
    type: INT64
  - name: usd
    type: FLOAT64
  - name: embedding
    type: FLOAT64
    mode: REPEATED
"""
    )


def test_a_mapped_timestamp_and_the_type_of_an_entity_are_those_of_the_table(run: Run, tmp_path: Path) -> None:
    source = {"name": "s", "timestampField": "ts", "bigqueryOptions": {"table": "a.b"}, "fieldMapping": {"at": "ts"}}
    features = [{"name": "x", "valueType": "INT64"}]
    view = {"name": "v", "entities": ["e"], "features": features, "batchSource": source, "online": True}
    entity = {"name": "e", "joinKey": "key", "valueType": "INT32"}
    dump = {"project": "p", "entities": [{"spec": entity}], "featureViews": [{"spec": view}]}
    (tmp_path / "dump.json").write_text(json.dumps(dump), encoding="utf-8")
    run("import", "dump.json", *WHERE)
    assert "timestampColumn: at" in written(tmp_path, "feature-groups/v")
    columns = "  - name: key\n    type: INT64\n  - name: at\n    type: TIMESTAMP\n  - name: x\n    type: INT64\n"
    assert f"timestampColumn: at\ncolumns:\n{columns}" in written(tmp_path, "sources/s")


def test_a_file_is_a_source_of_files(run: Run, tmp_path: Path) -> None:
    imported(run, *WHERE)
    assert """
uri: file://data/menu.parquet
files: data/menu.parquet
timestampColumn: event_timestamp
columns:
  - name: store_id
    type: INT64
  - name: guest_id
    type: STRING
  - name: event_timestamp
    type: TIMESTAMP
  - name: price
    type: FLOAT64
  - name: flags
    type: STRING
    mode: REPEATED
""" in written(tmp_path, "sources/menu_file")


def test_what_has_no_counterpart_is_noted(run: Run) -> None:
    result = imported(run, *WHERE)
    notes = {(note["kind"], note["message"], note["place"]["pointer"]) for note in result["notes"]}
    view = "/featureViews/{}/spec"
    assert {
        ("dropped", "ttl, which documents do not have", view.format(0)),
        ("dropped", "an entry of featureServices, which documents do not have", "/featureServices/0"),
        ("dropped", "the serving of a view that is not online; its feature group is there", view.format(1)),
        ("unresolved", "the entity id of a view without entities", view.format(2)),
        ("unresolved", "the table of a source that is a query or of another kind", view.format(2) + "/batchSource"),
    } <= notes
    assert "select" not in json.dumps(result)


def test_findings_lead_to_places_that_the_dump_has(run: Run) -> None:
    dump = json.loads(DUMP.read_text(encoding="utf-8"))
    for finding in imported(run)["findings"]:
        value = dump
        for step in finding["place"]["pointer"].split("/")[1:]:
            value = value[int(step)] if isinstance(value, list) else value[step]


def test_without_options_the_name_has_placeholders(run: Run, tmp_path: Path) -> None:
    result = imported(run)
    text = written(tmp_path, "feature-views/guests")
    store = "projects/{project}/locations/{location}/featureOnlineStores/{featureOnlineStore}"
    assert f"name: {store}/featureViews/guests\n" in text
    assert "unfilled-placeholder" in {finding["rule"] for finding in result["findings"]}


@each_of(
    [
        (value_type, column, views)
        for value_type, column in [
            ("BYTES", {"type": "BYTES"}),
            ("STRING", {"type": "STRING"}),
            ("INT32", {"type": "INT64"}),
            ("INT64", {"type": "INT64"}),
            ("DOUBLE", {"type": "FLOAT64"}),
            ("FLOAT", {"type": "FLOAT64"}),
            ("BOOL", {"type": "BOOL"}),
            ("UNIX_TIMESTAMP", {"type": "TIMESTAMP"}),
            ("INT32_LIST", {"type": "INT64", "mode": "REPEATED"}),
            ("STRING_SET", {"type": "STRING", "mode": "REPEATED"}),
            ("MAP", {"type": "MAP"}),
            ("INVALID", {}),
            (None, {}),
        ]
        for views in ["featureViews", "streamFeatureViews"]
    ]
)
def test_types_of_columns(value_type: str | None, column: dict[str, str], views: str) -> None:
    registry = {views: view_of({"name": "f", "valueType": value_type})["featureViews"]}
    (found,) = (document for document in read(registry).documents if document.kind == "Source")
    assert found.value["uri"] == "bq://acme.guests.profile"
    assert found.value["columns"] == [{"name": "g"}, {"name": "f", **column}]


@each_of(
    [
        ({"snowflakeOptions": {"database": "D", "schema": "S", "table": "T"}}, "snowflake://D.S.T"),
        ({"redshiftOptions": {"schema": "S", "table": "T"}}, "redshift://S.T"),
        ({"fileOptions": {"uri": "gs://bucket/rows/*.parquet"}}, "gs://bucket/rows/*.parquet"),
        ({"bigqueryOptions": {"query": "select 1"}}, None),
        ({"kafkaOptions": {"topic": "t"}}, None),
    ]
)
def test_tables_of_sources(options: dict[str, Any], uri: str | None) -> None:
    view = {"spec": {"name": "v", "entities": [], "features": [{"name": "f"}], "batchSource": {"name": "t", **options}}}
    assert [document.value.get("uri") for document in read({"featureViews": [view]}).documents] == [uri] * (
        2 if uri else 1
    )


def read(registry: dict[str, Any]) -> Imported:
    return import_files([InputFile("registry.json", json.dumps(registry).encode())], None, ImportOptions())


def view_of(*features: Any) -> dict[str, Any]:
    """A registry with a view of some features."""
    source = {"name": "t", "bigqueryOptions": {"table": "acme:guests.profile"}}
    spec = {"name": "v", "online": True, "entities": ["g"], "features": list(features), "batchSource": source}
    return {"featureViews": [{"spec": spec}]}


def test_the_table_has_the_columns_of_its_entity_also_where_their_types_are_unknown() -> None:
    registry = view_of({"name": "visits", "valueType": "INT64"})
    (source,) = (document.value for document in read(registry).documents if document.kind == "Source")
    assert source["columns"] == [{"name": "g"}, {"name": "visits", "type": "INT64"}]


def test_what_a_view_lacks_or_another_says_otherwise_is_noted() -> None:
    named = {"name": "a", "valueType": "INT64"}
    views = [view_of(None, named, {"name": "b"}), view_of({**named, "valueType": "STRING"}, {"name": "b"})]
    (first,), (second,) = (view["featureViews"] for view in views)
    second["spec"]["name"] = "w"
    registry = {"entities": [{"spec": {"name": "g"}}], "featureViews": [first, second]}
    is_known = "where the rows", "project of", "location of", "featureOnlineStore", "the schedule of"
    notes = [note for note in read(registry).notes if not note.message.startswith(is_known)]
    assert [(note.message, note.place.pointer.removeprefix("/featureViews/")) for note in notes] == [
        ("features without a name", "0/spec/features"),
        ("the type of a feature", "0/spec/features/2"),
        ("the type of a feature", "1/spec/features/1"),
        ("the type of a column that another view of the table has with another one", "1/spec"),
    ]
    assert "the join key of an entity that is not in the input: its name" in {
        note.message for note in read(view_of(named)).notes
    }


def test_a_column_has_the_type_that_one_of_the_views_of_its_table_gives() -> None:
    plain, typed = (view_of(*features)["featureViews"][0] for features in ([{"name": "f"}], [{"name": "g"}]))
    typed["spec"] |= {"name": "w", "entityColumns": [{"name": "g", "valueType": "INT64"}]}
    for views in ([plain, typed], [typed, plain]):
        imported = read({"featureViews": views})
        (source,) = (document.value for document in imported.documents if document.kind == "Source")
        assert {"name": "g", "type": "INT64"} in source["columns"]
        assert not any("another one" in note.message for note in imported.notes)


def test_a_view_has_one_index() -> None:
    vectors = [{"name": name, "valueType": "FLOAT_LIST", "vectorIndex": True} for name in ("a", "b")]
    imported = read(view_of(*vectors))
    (index,) = (document.value["indexConfig"] for document in imported.documents if document.kind == "FeatureView")
    assert index == {"embeddingColumn": "a"}
    places = [str(note.place) for note in imported.notes if note.message == "a second vector index of a view"]
    assert places == ["registry.json#/featureViews/0/spec/features/1"]


def notes_of(spec: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The index of a view, and the notes on its features."""
    found = read(view_of(spec))
    (index,) = (document.value.get("indexConfig", {}) for document in found.documents if document.kind == "FeatureView")
    notes = (
        f"{note.kind} {note.place.pointer.removeprefix('/featureViews/0/spec/features/0')}" for note in found.notes
    )
    return index, [note for note in notes if "/featureViews" not in note]


@each_of(
    [
        ({}, {}, []),
        ({"vectorLength": 64}, {"embeddingDimension": 64}, []),
        ({"vectorLength": "64"}, {"embeddingDimension": 64}, []),
        ({"vectorLength": 0}, {}, []),
        ({"vectorSearchMetric": "cosine"}, {"distanceMeasureType": "COSINE_DISTANCE"}, []),
        ({"vectorSearchMetric": "inner_product"}, {"distanceMeasureType": "DOT_PRODUCT_DISTANCE"}, []),
        ({"vectorSearchMetric": "L1"}, {}, ["unresolved /vectorSearchMetric"]),
        ({"vectorSearchMetric": "hamming"}, {}, ["unresolved /vectorSearchMetric"]),
        ({"vectorIndexType": "FLAT"}, {"bruteForceConfig": {}}, []),
        ({"vectorIndexType": "HNSW"}, {}, ["dropped /vectorIndexType"]),
        ({"tags": {"pii": "no"}}, {}, ["dropped /tags"]),
        ({"description": "of a dish"}, {}, ["dropped /description"]),
    ]
)
def test_fields_of_a_vector_index(fields: dict[str, Any], index: dict[str, Any], notes: list[str]) -> None:
    vector = {"name": "emb", "valueType": "FLOAT_LIST", "vectorIndex": True}
    assert notes_of(vector | fields) == ({"embeddingColumn": "emb"} | index, notes)


def test_a_feature_without_an_index_has_its_vector_fields_noted() -> None:
    assert notes_of({"name": "emb", "valueType": "FLOAT_LIST", "vectorLength": 64}) == ({}, ["dropped /vectorLength"])


def test_a_dump_in_snake_case_is_the_same_with_its_own_places() -> None:
    def snake(value: Any) -> Any:
        if isinstance(value, list):
            return [snake(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            snake_case(key): part if key in ("tags", "fieldMapping") else snake(part) for key, part in value.items()
        }

    dump = json.loads(DUMP.read_text(encoding="utf-8"))
    found = read(snake(dump))
    assert [document.value for document in found.documents] == [document.value for document in read(dump).documents]
    places = [note.place.pointer for note in found.notes]
    assert "/feature_views/0/spec/batch_source/created_timestamp_column" in places
    assert "/feature_services/0" in places
