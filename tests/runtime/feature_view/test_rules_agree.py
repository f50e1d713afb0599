"""What the linter says of columns and what the plan of a sync refuses are one and the same, from the same tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.lint.workspace_findings import judged
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, duckdb_table
from trialrun.diagnostic import Severity
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan

RULES = ("unknown-column", "column-type", "rag-columns", "unknown-feature")
MENU = (
    "CREATE TABLE menu (item VARCHAR, day DATE, price DOUBLE, tags VARCHAR[], vector FLOAT[2], counts BIGINT[], "
    "feature_timestamp TIMESTAMP)"
)
PAGES = (
    "CREATE TABLE pages (corpusId VARCHAR, fileId VARCHAR, chunkId VARCHAR, chunk_data_type VARCHAR, "
    "chunk_data VARCHAR, {embeddings} FLOAT[], file_original_uri {uri})"
)
SOURCES = [{"uri": f"bq://p.d.{table}", "database": "rows.duckdb", "table": table} for table in ("menu", "pages")]
GROUP = {"featureGroupId": "g", "uri": "bq://p.d.menu", "entityIdColumns": ["item"]}


def warehouse(*ids: str, **index: Any) -> dict[str, Any]:
    source = {"uri": "bq://p.d.menu", "entityIdColumns": [*ids]}
    return {"warehouseSource": source} | ({"indexConfig": index} if index else {})


def registry(*features: str, **index: Any) -> dict[str, Any]:
    source = {"featureGroups": [{"featureGroupId": "g", "featureIds": [*features]}]}
    return {"featureRegistrySource": source} | ({"indexConfig": index} if index else {})


RAG = {"ragSource": {"uri": "bq://p.d.pages"}}
FEATURES = [{"id": "price"}, {"id": "vector"}, {"id": "labels", "column": "tags"}]

SOUND = [
    warehouse("item"),
    warehouse("item", embeddingColumn="vector", embeddingDimension=2, filterColumns=["tags", "price", "item"]),
    registry("vector", "labels", embeddingColumn="vector", filterColumns=["labels", "item"]),
    RAG,
    warehouse("item", embeddingColumn="vector", crowdingColumn="price"),
    registry("price", "labels"),
    {**RAG, "indexConfig": {"embeddingColumn": "embeddings", "filterColumns": ["fileId"]}},
]
WRONG = [
    (warehouse("item", "colour"), "colour"),
    (warehouse("day"), "day"),
    (warehouse("item", embeddingColumn="price"), "price"),
    (registry("price", "colour"), "colour"),
    ({**RAG, "indexConfig": {"embeddingColumn": "embedding"}}, "embedding"),
    (warehouse("tags"), "tags"),
    (warehouse("item", embeddingColumn="vektor"), "vektor"),
    (warehouse("item", embeddingColumn="counts"), "counts"),
    (warehouse("item", embeddingColumn="vector", filterColumns=["price", "colour"]), "colour"),
    (warehouse("item", embeddingColumn="vector", crowdingColumn="colour"), "colour"),
    (registry("vector", embeddingColumn="vector", filterColumns=["tags"]), "tags"),
]
WRONG_GROUPS = [
    ({"timestampColumn": "changed"}, "changed"),
    ({"timestampColumn": "price"}, "price"),
    ({"entityIdColumns": ["day"]}, "day"),
    ({"features": [{"id": "price", "column": "prize"}]}, "prize"),
]


def refused(folder: Path, view: Mapping[str, Any], group: Mapping[str, Any]) -> str | None:
    """What the plan of a view is refused for."""
    declared = catalog(folder, view, sources=SOURCES, groups=[group])
    try:
        build_plan(declared.view(NAME), declared, cutoff=NOW)
    except CannotSync as error:
        return str(error)
    return None


def reported_rules(folder: Path, view: Mapping[str, Any], group: Mapping[str, Any]) -> list[str]:
    """The errors of the rules on the same documents."""
    kinds: Sequence[tuple[str, Mapping[str, Any]]] = [
        ("FeatureView", {"name": NAME, **view}),
        ("FeatureGroupTable", group),
        *(("Source", source) for source in SOURCES),
    ]
    documents = json.dumps([{"kind": kind, **fields} for kind, fields in kinds])
    found = [finding for rule in RULES for finding in judged(rule, [(str(folder / "documents.json"), documents)])]
    return [one.message for one in found if one.severity is Severity.ERROR]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables, of which no Source declares the columns."""
    pytest.importorskip("duckdb")
    folder = tmp_path_factory.mktemp("tables")
    duckdb_table(folder / "rows.duckdb", MENU, PAGES.format(embeddings="embeddings", uri="VARCHAR"))
    return folder


@pytest.mark.parametrize("view", first_of(SOUND, 4), ids=str)
def test_what_the_rules_take_can_be_planned(folder: Path, view: dict[str, Any]) -> None:
    group = {**GROUP, "features": FEATURES}
    assert (reported_rules(folder, view, group), refused(folder, view, group)) == ([], None)


def test_a_list_of_integers_is_one_of_floats_in_json_alone(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "vector": [1, 0]}\n')
    view = {
        "warehouseSource": {"uri": "bq://r", "entityIdColumns": ["id"]},
        "indexConfig": {"embeddingColumn": "vector"},
    }
    for columns, is_sound in ((None, True), ([("id", "STRING"), ("vector", "ARRAY<INT64>")], False)):
        source: dict[str, Any] = {"uri": "bq://r", "files": "rows.jsonl"}
        if columns:
            source["columns"] = [{"name": name, "type": type} for name, type in columns]
        declared = catalog(tmp_path, view, sources=[source])
        documents = json.dumps([{"kind": "FeatureView", "name": NAME, **view}, {"kind": "Source", **source}])
        messages = judged("column-type", [(str(tmp_path / "documents.json"), documents)])
        assert (messages == []) is is_sound
        with nullcontext() if is_sound else pytest.raises(CannotSync):
            build_plan(declared.view(NAME), declared, cutoff=NOW)


@pytest.mark.parametrize(("view", "column"), first_of(WRONG, 5), ids=str)
def test_what_the_rules_flag_is_refused_for_the_same_column(folder: Path, view: dict[str, Any], column: str) -> None:
    group = {**GROUP, "features": FEATURES}
    messages = reported_rules(folder, view, group)
    assert len(messages) == 1
    assert f'"{column}"' in messages[0]
    assert f'"{column}"' in (refused(folder, view, group) or "nothing")


@pytest.mark.parametrize(("fields", "column"), WRONG_GROUPS, ids=str)
def test_what_the_rules_flag_of_a_group_is_refused_of_its_views(
    folder: Path, fields: dict[str, Any], column: str
) -> None:
    group = {**GROUP, "features": FEATURES, **fields}
    assert [f'"{column}"' in reported_rule for reported_rule in reported_rules(folder, registry("price"), group)] == [
        True
    ]
    assert f'"{column}"' in (refused(folder, registry("price"), group) or "nothing")


@pytest.mark.parametrize(
    ("columns", "column"),
    [
        ({"embeddings": "embedding", "uri": "VARCHAR"}, "embeddings"),
        ({"embeddings": "embeddings", "uri": "BIGINT"}, "file_original_uri"),
    ],
)
def test_a_table_that_is_none_of_a_corpus_is_refused(tmp_path: Path, columns: dict[str, str], column: str) -> None:
    pytest.importorskip("duckdb")
    duckdb_table(tmp_path / "rows.duckdb", MENU, PAGES.format(**columns))
    group = {**GROUP, "features": FEATURES}
    assert [f'"{column}"' in reported_rule for reported_rule in reported_rules(tmp_path, RAG, group)] == [True]
    assert f'"{column}"' in (refused(tmp_path, RAG, group) or "nothing")
