"""Hostile input: whatever a file holds, an import ends with documents, notes or one clear error, in bounded memory."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trialrun.parser.decode
from tests.cases import each_of
from tests.importers.terraform_values import FEATURE, GROUP, STORE, VIEW, plan, resource, state, view_values
from tests.model.shapes import ANYTHING, rarely
from tests.program import Run
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.importers.input_file import MAX_INPUT_BYTES, InputError, InputFile, check_size
from trialrun.importers.interface import Imported, ImportOptions
from trialrun.importers.run import FORMATS, detect_format, import_files
from trialrun.importers.terraform_resource import MAX_ATTRIBUTE_DEPTH, leaves
from trialrun.parser import parse

SECRET = "hunter2"
NAME = "projects/acme/locations/us/featureOnlineStores/kitchen/featureViews/menu"


def read(file: InputFile, format_name: str | None) -> Imported | None:
    """What an import makes of a file: documents that can be written, or None for a clear error."""
    try:
        imported = import_files([file], format_name, ImportOptions())
    except InputError as error:
        assert str(error)
        return None
    for document in imported.documents:
        parsed = parse(canonical_yaml(document.value).encode("utf-8"), "document.yaml")
        assert parsed.documents[0].value == document.value
        assert document.place_of(("syncConfig", "cron", 3))
    for note in imported.notes:
        assert note.message and str(note.place)
    return imported


KEYS = st.sampled_from(
    [
        "format_version", "terraform_version", "resource", "values", "planned_values", "resource_changes", "change",
        "after_unknown", "root_module", "resources", "child_modules", "type", "mode", "address", "sensitive_values",
        "name", "project", "region", "labels", "feature_online_store", "sync_config", "cron", "continuous",
        "big_query_source", "uri", "entity_id_columns", "feature_registry_source", "feature_groups",
        "feature_group_id", "feature_ids", "project_number", "vector_search_config", "tree_ah_config",
        "leaf_node_embedding_count", "brute_force_config", "embedding_dimension", "big_query", "input_uri",
        "feature_group", "version_column_name", "bigtable", "optimized", "featureViews", "featureView", "features",
        "bigQuerySource", "syncConfig", "indexConfig", "warehouseSource", "featureGroups", "bigQuery", "timeSeries",
        "channelConfigs", "operationsConfig", "nextPageToken", "nodes", "sources", "columns", "data_type",
        "relation_name", "metadata", "dbt_schema_version", "schema", "fields", "spec", "entities", "dataSources",
        "batchSource", "joinKeys", "joinKey", "valueType", "ttl", "timestampField", "\ud800", "\x1b[31m",
    ]
)  # fmt: skip
VALUES = st.sampled_from(
    [
        VIEW, GROUP, FEATURE, STORE, NAME, "1.0", "managed", "..", "con", "bq://a.b.c", "0 4 * * *", "STRING",
        "REPEATED", "\ud800", "\x1b]0;x\x07", "::error::x", True, {}, [], [None], [{}], None, 0, 1e999, -0.0, 10**30,
    ]
)  # fmt: skip
JSON = st.recursive(
    rarely(VALUES, ANYTHING),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("format_name", [None, *FORMATS])
@given(JSON)
def test_any_json_is_imported_or_refused(format_name: str | None, value: Any) -> None:
    read(InputFile("input.json", json.dumps(value).encode()), format_name)


@given(
    st.dictionaries(KEYS, JSON, max_size=8),
    st.dictionaries(KEYS, JSON, max_size=3),
    st.sampled_from([VIEW, GROUP, FEATURE, STORE]),
)
def test_any_attributes_are_imported(values: dict[str, Any], marks: dict[str, Any], type_: str) -> None:
    for text in (
        state(resource(type_, values, sensitive_values=marks)),
        plan(resource(type_, values), unknown=marks),
        json.dumps([{**values, "name": NAME}]),
    ):
        assert read(InputFile("state.json", text.encode()), None) is not None


@each_of(
    [
        ("input.yaml", f"[{{name: {NAME}}}]".encode()),
        ("input", f'[{{"name": "{NAME}"}}]'.encode("utf-16")),
        ("input", f'[{{"name": "{NAME}"}}]'.encode("utf-8-sig")),
        ("input.json", f'[{{"name": "{NAME}", "etag": "\x7f\x85"}}]'.encode()),
        ("input.json", f'[{{"name": "{NAME}", "etag": "\\ud83c\\udf54 \\ud83c"}}]'.encode()),
    ]
)
def test_every_encoding_and_character_of_json_and_yaml_is_read(name: str, data: bytes) -> None:
    imported = read(InputFile(name, data), None)
    assert imported is not None
    assert [document.resource for document in imported.documents] == [NAME]


@given(st.binary(max_size=60))
@pytest.mark.parametrize("name", ["input.json", "input.yaml", "input", "main.tf"])
def test_any_bytes_are_refused_or_read(name: str, data: bytes) -> None:
    read(InputFile(name, data), None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "input.json is empty"),
        (b"{", "input.json:1: is not valid JSON"),
        (b'{"featureViews":\n[}', "input.json:2: is not valid JSON"),
        (b'{"a": "' + SECRET.encode() + b'" "b"}', "input.json:1: is not valid JSON"),
        (b"[" * 200 + b"]" * 200, "nested deeper than 100 levels"),
        (b"[" * 200_000, "nested deeper than 100 levels"),
        (b'{"a":' * 50_000, "nested deeper than 100 levels"),
        (b"[" + b"1," * 6_000_000 + b"1]", "more than 5,000,000 keys and items"),
        (b'{"a": "\xff"}', "input.json:1: is not text in UTF-8"),
        (b"null", "nothing that an import reads"),
        (b"[NaN, Infinity, 1e999]", "nothing that an import reads"),
        (b"1" * 10_000, "nothing that an import reads"),
    ],
    ids=lambda value: value[:20],
)
def test_broken_input_is_one_clear_error(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        import_files([InputFile("input.json", data)], None, ImportOptions())
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: b: c", "input.yaml:1: is not valid YAML"),
        (b"a: &x [*x]", "a value cannot contain itself"),
        (b"- " * 5000, "nested deeper"),
        (
            b"a: &a [x,x,x,x,x,x,x,x,x]\n"
            + b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*%c" % (97 + i)] * 9)) for i in range(9)),
            "aliases that expand to more than",
        ),
        (b"password: [" + SECRET.encode(), "is not valid YAML"),
    ],
    ids=["colon", "cycle", "deep", "laughs", "open"],
)
def test_broken_yaml_is_one_clear_error(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        import_files([InputFile("input.yaml", data)], None, ImportOptions())
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_broken_file_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def decode(data: bytes, path: str) -> Any:
        parsed.append(path)
        return original(data, path)

    original = trialrun.parser.decode.decode
    monkeypatch.setattr("trialrun.importers.input_file.decode", decode)
    with pytest.raises(InputError):
        detect_format(InputFile("input.json", b"{"))
    assert parsed == ["input.json"]


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialrun.importers.input_file.MAX_INPUT_BYTES", 10)
    assert check_size(InputFile("a", b"x" * 10)).name == "a"
    with pytest.raises(InputError, match="import it in parts"):
        check_size(InputFile("a", b"x" * 11))
    assert MAX_INPUT_BYTES == 256 * 2**20


def test_a_key_that_is_there_twice_is_noted_by_its_line() -> None:
    data = f'[{{"name": "{NAME}",\n "etag": "a",\n "etag": "b"}}]'.encode()
    (note,) = import_files([InputFile("input.json", data)], "api", ImportOptions()).notes
    assert (note.kind, str(note.place)) == ("guessed", "input.json:3")


@pytest.mark.parametrize("source", ["api", "terraform"])
def test_many_unknown_fields_are_a_bounded_number_of_notes(source: str) -> None:
    fields: dict[str, Any] = {f"field_{number}": 1 for number in range(5000)}
    view = {"name": NAME, **fields} if source == "api" else None
    text = json.dumps(view) if view else state(resource(VIEW, view_values() | fields))
    imported = import_files([InputFile("input.json", text.encode())], source, ImportOptions())
    assert len(imported.notes) <= 1001
    assert "further" in imported.notes[-1].message


def test_secrets_of_a_state_are_nowhere(run: Run, tmp_path: Path) -> None:
    """Every attribute outside of the tables has a secret, on every level, and so has every other resource."""
    others = dict.fromkeys(("id", "create_time", "etag", "password", "private_key", "self_link", "Other Name"), SECRET)
    others |= {"timeouts": {"create": SECRET}, "terraform_labels": {SECRET: SECRET}, "certificates": [[SECRET]]}
    values = view_values(
        **others,
        sync_config=[{"cron": "61 * * * *", "token": SECRET, "nested": [{"a": SECRET}]}],
        big_query_source=[{"uri": {"user": SECRET}, "entity_id_columns": {"a": SECRET}, "credentials": SECRET}],
        vector_search_config=[{"embedding_column": ["x"], "brute_force_config": [{"secret": SECRET}], "x": SECRET}],
    )
    group = {
        "name": "g",
        "project": "acme",
        "region": "us",
        **others,
        "big_query": [{"input": SECRET, "big_query_source": SECRET}],
    }
    text = state(
        resource(VIEW, values, address=SECRET, index=SECRET, provider_name=SECRET, depends_on=[SECRET]),
        resource(GROUP, group),
        resource(
            STORE, {"name": "s", "project": "acme", "region": "us", "bigtable": [{"encryption": SECRET}], **others}
        ),
        resource(FEATURE, {"name": "f", "feature_group": "g", "project": "acme", "region": "us", **others}),
        resource("google_sql_user", {"name": SECRET, "password": SECRET}),
    )
    document = json.loads(text)
    document |= {"outputs": {"password": {"value": SECRET}}, "checks": [SECRET], SECRET: SECRET}
    document["values"]["outputs"] = {"password": {"sensitive": True, "value": SECRET}}
    (tmp_path / "state.json").write_text(json.dumps(document), encoding="utf-8")
    for options in ((), ("--output-format", "json"), ("--faithful",)):
        ran = run("import", "state.json", "--to", "config", *options)
        assert ran.code == 1
        assert SECRET not in ran.out + ran.err
    files = [path for path in (tmp_path / "config").rglob("*") if path.is_file()]
    assert len(files) == 4
    assert [path.name for path in files if SECRET in path.read_text(encoding="utf-8")] == []


def test_an_ambiguous_file_is_an_error_that_names_the_formats() -> None:
    document = json.loads(state(resource(VIEW, view_values()))) | {"featureViews": [{"name": NAME}]}
    with pytest.raises(InputError, match="may be api or terraform; name its format"):
        detect_format(InputFile("both.json", json.dumps(document).encode()))


def test_marks_deeper_than_any_attribute_are_one_hole() -> None:
    marks: Any = [True] * 5
    for _ in range(80):
        marks = [marks, marks[:0], False]
    found = list(leaves({"labels": marks, "sync_config": [{"cron": True}]}))
    assert ("sync_config", 0, "cron") in found
    assert (len(found), max(map(len, found))) == (2, MAX_ATTRIBUTE_DEPTH)


def test_a_long_key_is_cut_in_the_places_below_it() -> None:
    columns = {"a": {"data_type": "STRING"}, **{f"c{number}": {} for number in range(5)}}
    node = {"resource_type": "model", "relation_name": "a.b.c", "columns": columns}
    manifest = {"metadata": {"dbt_schema_version": "x"}, "nodes": {"k" * 100_000: node}}
    notes = import_files([InputFile("manifest.json", json.dumps(manifest).encode())], None, ImportOptions()).notes
    assert len(notes) == 6
    assert max(len(note.place.pointer) for note in notes) < 1100
    assert notes[1].place.pointer.endswith("k…/columns/c0")
