"""Schemas of tables as Sources: what bq prints, and dbt's manifests."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.program import Run
from trialrun.importers.input_file import InputFile
from trialrun.importers.run import detect_format

FIELDS: list[dict[str, Any]] = [
    {"name": "guest_id", "type": "STRING", "mode": "REQUIRED"},
    {"name": "visits", "type": "INTEGER", "mode": "NULLABLE"},
    {"name": "embedding", "type": "FLOAT", "mode": "REPEATED"},
    {"name": "member", "type": "BOOLEAN"},
    {"name": "price", "type": "NUMERIC"},
    {
        "name": "visit",
        "type": "RECORD",
        "mode": "REPEATED",
        "fields": [{"name": "store", "type": "INTEGER"}, {"name": "items", "type": "STRING", "mode": "REPEATED"}],
    },
]
COLUMNS = """\
columns:
  - name: guest_id
    type: STRING
    mode: REQUIRED
  - name: visits
    type: INT64
  - name: embedding
    type: FLOAT64
    mode: REPEATED
  - name: member
    type: BOOL
  - name: price
    type: NUMERIC
  - name: visit
    type: STRUCT<store INT64, items ARRAY<STRING>>
    mode: REPEATED
"""


def imported(run: Run, folder: Path, value: Any, *options: str) -> dict[str, Any]:
    (folder / "schema.json").write_text(json.dumps(value), encoding="utf-8")
    ran = run("import", "schema.json", "--output-format", "json", *options)
    assert ran.err == "", ran.err
    result: dict[str, Any] = json.loads(ran.out)
    return result


def messages(result: dict[str, Any], kind: str) -> list[str]:
    return [note["message"] for note in result["notes"] if note["kind"] == kind]


TABLE = {"projectId": "acme", "datasetId": "guests", "tableId": "profile"}


@pytest.mark.parametrize(
    ("value", "options"),
    [
        (FIELDS, ("--uri", "bq://acme.guests.profile")),
        ({"fields": FIELDS}, ("--uri", "bq://acme.guests.profile")),
        ({"kind": "bigquery#table", "schema": {"fields": FIELDS}, "tableReference": TABLE}, ()),
    ],
)
def test_the_schema_of_a_table(run: Run, tmp_path: Path, value: Any, options: tuple[str, ...]) -> None:
    result = imported(run, tmp_path, value, *options)
    text = (tmp_path / "sources/profile.yaml").read_text(encoding="utf-8")
    assert text == f"kind: Source\nname: profile\nuri: bq://acme.guests.profile\n{COLUMNS}"
    assert [finding["rule"] for finding in result["findings"]] == ["invalid-source-place"]
    assert messages(result, "unresolved") == ["where the rows of the table are; set files, or database and table"]


def test_a_schema_without_a_uri_says_how_to_give_it(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, FIELDS)
    assert messages(result, "unresolved")[0] == "the uri of the table; give it with --uri"
    assert (tmp_path / "sources/schema.yaml").read_text(encoding="utf-8") == f"kind: Source\nname: schema\n{COLUMNS}"


def test_one_uri_is_not_that_of_two_tables(run: Run, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(FIELDS), encoding="utf-8")
    ran = run("import", "schema", "a.json", "b.json", "--uri", "bq://a.b.c")
    assert (ran.code, ran.err) == (2, "error: --uri is that of one table; import several schemas one by one\n")


def test_what_columns_do_not_have_is_dropped_and_another_warehouse_is_the_scheme(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, [{"name": "a", "type": "STRING", "mode": "ODD", "policyTags": {"names": ["x"]}}])
    odd = "mode, which is not one of NULLABLE, REQUIRED, REPEATED"
    assert messages(result, "dropped") == [odd, "what columns do not have"]
    imported(run, tmp_path, MANIFEST | {"metadata": (MANIFEST["metadata"] | {"adapter_type": "snowflake"})})
    assert "uri: snowflake://acme.raw.orders\n" in (tmp_path / "sources/orders.yaml").read_text(encoding="utf-8")


MANIFEST = {
    "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "adapter_type": "bigquery"},
    "nodes": {
        "model.shop.guests": {
            "resource_type": "model",
            "relation_name": "`acme`.`marts`.`guests`",
            "columns": {
                "guest_id": {"name": "guest_id", "data_type": "string"},
                "visits": {"name": "visits", "data_type": "integer"},
                "tier": {"name": "tier", "data_type": None},
            },
        },
        "model.shop.untyped": {
            "resource_type": "model",
            "relation_name": "`a`.`b`.`c`",
            "columns": {"x": {"name": "x"}},
        },
        "model.shop.inline": {"resource_type": "model", "relation_name": None, "columns": {}},
        "test.shop.unique": {
            "resource_type": "test",
            "relation_name": "`a`.`b`.`t`",
            "columns": {"x": {"data_type": "int"}},
        },
    },
    "sources": {
        "source.shop.raw.orders": {
            "resource_type": "source",
            "relation_name": '"acme"."raw"."orders"',
            "columns": {"id": {"data_type": "INT64"}},
        }
    },
}


def test_a_manifest_of_dbt(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, MANIFEST)
    assert (
        (tmp_path / "sources/guests.yaml").read_text(encoding="utf-8")
        == """\
kind: Source
name: guests
uri: bq://acme.marts.guests
columns:
  - name: guest_id
    type: string
  - name: visits
    type: INT64
  - name: tier
"""
    )
    assert "uri: bq://acme.raw.orders\n" in (tmp_path / "sources/orders.yaml").read_text(encoding="utf-8")
    assert len(result["files"]) == 2
    assert {
        ("unresolved", "the type of a column", "/nodes/model.shop.guests/columns/tier"),
        ("unresolved", "the columns of a table, whose types dbt does not know", "/nodes/model.shop.untyped"),
        ("dropped", "a node without a relation in the database", "/nodes/model.shop.inline"),
    } <= {(note["kind"], note["message"], note["place"]["pointer"]) for note in result["notes"]}
    missing = [finding["place"]["pointer"] for finding in result["findings"] if finding["rule"] == "missing-field"]
    assert missing == ["/nodes/model.shop.guests/columns/tier"]


@pytest.mark.parametrize("data_type", [None, "", 5, ["STRING"], {}])
def test_a_type_that_is_no_text_is_none(run: Run, tmp_path: Path, data_type: Any) -> None:
    node = {"resource_type": "seed", "relation_name": "a.b.c", "columns": {"x": {"data_type": data_type}}}
    (tmp_path / "schema.json").write_text(json.dumps(MANIFEST | {"nodes": {"seed.shop.c": node}, "sources": {}}))
    ran = run("import", "schema.json")
    assert (ran.code, ran.err) == (2, "error: there is nothing to import in schema.json\n")
    assert "the columns of a table, whose types dbt does not know" in ran.out


def test_columns_whose_types_are_no_text_have_none_beside_others(run: Run, tmp_path: Path) -> None:
    columns = {name: {"data_type": type_} for name, type_ in {"a": "", "b": 5, "c": "int"}.items()}
    node = {"resource_type": "seed", "relation_name": "x.y.z", "columns": columns}
    imported(run, tmp_path, MANIFEST | {"nodes": {"seed.shop.z": node}, "sources": {}})
    text = (tmp_path / "sources/z.yaml").read_text(encoding="utf-8")
    assert text.endswith("columns:\n  - name: a\n  - name: b\n  - name: c\n    type: int\n")


@each_of(["STRING", "INTEGER", "INT64", "JSON", "NUMERIC(10, 2)", "RANGE<DATE>", "geography"])
def test_every_type_of_bigquery_is_recognized(type_: str) -> None:
    assert detect_format(InputFile("s.json", json.dumps([{"name": "a", "type": type_}]).encode())) == "schema"


def test_a_complete_import_ends_with_0_although_no_input_says_where_the_rows_are(run: Run, tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text(json.dumps(FIELDS), encoding="utf-8")
    assert run("import", "schema.json", "--uri", "bq://acme.guests.profile").code == 0
    assert run("import", "schema.json", "--to", "other").code == 1  # the uri can be given


def pointers(result: dict[str, Any]) -> list[str]:
    return [note["place"]["pointer"] for note in result["notes"] if note["kind"] == "dropped"]


def test_attributes_of_nested_columns_and_states_of_the_table_are_noted_at_their_places(
    run: Run, tmp_path: Path
) -> None:
    nested = {"name": "tax_id", "type": "STRING", "policyTags": {"names": ["x"]}}
    record = {"name": "visit", "type": "RECORD", "fields": [nested, "odd"]}
    table = {
        "kind": "bigquery#table", "schema": {"fields": [record]}, "tableReference": TABLE,
        "expirationTime": "1700000000000", "requirePartitionFilter": True, "etag": "x", "numRows": "3",
    }  # fmt: skip
    assert pointers(imported(run, tmp_path, table)) == [
        "/expirationTime",
        "/requirePartitionFilter",
        "/schema/fields/0/fields/0/policyTags",
        "/schema/fields/0/fields/1",
    ]


def test_disabled_nodes_of_dbt_are_left_out_with_a_note(run: Run, tmp_path: Path) -> None:
    node = {"resource_type": "model", "relation_name": "`a`.`b`.`c`", "columns": {"x": {"data_type": "STRING"}}}
    manifest = {
        "metadata": {"dbt_schema_version": "v12"},
        "nodes": {
            "model.p.c": node,
            "model.p.d": {**node, "relation_name": "`a`.`b`.`d`", "config": {"enabled": False}},
        },
        "disabled": {"model.p.e": [node], "test.p.t": [{}]},
    }
    result = imported(run, tmp_path, manifest)
    assert [file["path"] for file in result["files"]] == ["sources/c.yaml"]
    assert sorted(pointers(result)) == ["/disabled/model.p.e", "/nodes/model.p.d"]
