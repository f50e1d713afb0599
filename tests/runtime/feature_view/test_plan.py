"""The plan of a sync: its statement, its layout, and what keeps a view from being synced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, guests, lines
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan

ROW = {
    "id": "g-1",
    "feature_timestamp": "2026-11-01T00:00:00Z",
    "visits": 3,
    "vector": [1.5, 2.5],
    "born": "2026-11-01",
}
GROUP = {
    "featureGroupId": "orders",
    "uri": "bq://guests",
    "entityIdColumns": ["id"],
    "features": [{"id": "visits"}, {"id": "birthday", "column": "born"}],
}


def planned(catalog: Catalog, **bounds: Any) -> SyncPlan:
    return build_plan(catalog.view(NAME), catalog, cutoff=NOW, **bounds)


def registry(folder: Path, *asked: Mapping[str, Any], groups: list[Mapping[str, Any]] | None = None) -> Catalog:
    lines(folder / "guests.jsonl", [ROW])
    source = {"uri": "bq://guests", "files": "guests.jsonl"}
    view = {"featureRegistrySource": {"featureGroups": list(asked)}}
    return catalog(folder, view, sources=[source], groups=groups or [GROUP])


def test_the_statement_reads_the_table_by_its_uri(tmp_path: Path) -> None:
    row = {"id": "g-1", "feature_timestamp": "2026-11-01T00:00:00Z", "visits": 3}
    assert (
        planned(guests(tmp_path, row)).statement.text
        == """\
SELECT
  "id",
  "feature_timestamp",
  "visits",
  choice
FROM (
  SELECT
    source."id",
    source."feature_timestamp",
    source."visits",
    ROW_NUMBER() OVER (
      PARTITION BY source."id"
      ORDER BY
        source."visits" DESC NULLS LAST
    ) AS preference,
    COUNT(*) OVER (PARTITION BY source."id") AS choice
  FROM "bq://guests" AS source
  JOIN (
    SELECT "id", MAX("feature_timestamp") AS latest_moment
    FROM "bq://guests"
    WHERE "id" IS NOT NULL
      AND "feature_timestamp" <= TIMESTAMP '2026-11-22 12:00:00.000000'
    GROUP BY "id"
  ) AS latest
    ON source."id" = latest."id"
    AND source."feature_timestamp" = latest.latest_moment
) AS ranked
WHERE preference = 1"""
    )


def test_every_column_but_the_id_and_the_moment_is_a_feature(tmp_path: Path) -> None:
    layout = planned(guests(tmp_path, ROW)).layout
    assert [key.name for key in layout.keys] == ["id"]
    assert [f"{feature.name} {feature.type_text}" for feature in layout.features] == [
        "visits INT64",
        "vector DOUBLE REPEATED",
    ]


def test_a_column_of_an_unsupported_type_is_left_out(tmp_path: Path) -> None:
    (finding,) = planned(guests(tmp_path, ROW)).findings
    assert (finding.code, finding.examples) == ("unsupported-type", ["born: DATE"])


def test_a_plan_has_the_same_digest_at_another_moment(tmp_path: Path) -> None:
    made = guests(tmp_path, ROW)
    assert planned(made, since=NOW).digest == planned(made, ids=[("g-1",)]).digest


def test_names_of_columns_may_be_those_of_the_statement(tmp_path: Path) -> None:
    from tests.runtime.feature_view.catalog_fixture import synced

    row = {"id": 1, "feature_timestamp": "2026-11-01T00:00:00Z", "choice": 2, "preference": 3, "Latest_Moment": 4}
    assert synced(guests(tmp_path, row))[1] == {(1,): {"choice": 2, "preference": 3, "Latest_Moment": 4}}


def test_a_table_otherwise_than_declared_is_told(tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    from tests.runtime.feature_view.catalog_fixture import duckdb_table

    duckdb_table(tmp_path / "d.duckdb", f"COPY (SELECT 'a' AS id, 1 AS visits) TO '{path}'")
    columns = [{"name": "visits", "type": "STRING"}]
    (finding,) = planned(guests(tmp_path, files="g.parquet", columns=columns)).findings
    assert (finding.code, finding.examples) == ("declared-otherwise", ["visits: declared STRING, is INT64"])


@pytest.mark.parametrize(
    ("view", "message", "steps"),
    [
        ({"warehouseSource": None}, "the view has no source, so there is nothing to sync", ()),
        ({"warehouseSource": {"uri": "bq://guets", "entityIdColumns": ["id"]}}, 'did you mean "bq://guests"?', "uri"),
        ({"warehouseSource": {"uri": "bq://guests", "entityIdColumns": ["idd"]}}, 'did you mean "id"?', 0),
        (
            {"warehouseSource": {"uri": "bq://guests", "entityIdColumns": ["born"]}},
            '"born" is DATE; it must be text or an integer',
            0,
        ),
        ({"warehouseSource": {"uri": "bq://guests", "entityIdColumns": ["id", "id"]}}, "twice in the entity id", 1),
        ({"indexConfig": {"embeddingColumn": "vektor"}}, 'did you mean "vector"?', "embeddingColumn"),
        (
            {"indexConfig": {"embeddingColumn": "visits"}},
            '"visits" is INT64; it must be a list of floats',
            "embeddingColumn",
        ),
        ({"indexConfig": {"embeddingColumn": "vector", "filterColumns": ["vist"]}}, '"vist" for a filter', 0),
        ({"indexConfig": {"embeddingColumn": "vector", "crowdingColumn": "c"}}, '"c" for crowding', "crowdingColumn"),
    ],
)
def test_what_keeps_a_view_from_being_synced(tmp_path: Path, view: dict[str, Any], message: str, steps: object) -> None:
    made = guests(tmp_path, ROW, view={key: value for key, value in view.items() if value})
    if view.get("warehouseSource", "") is None:
        made = catalog(tmp_path, {})
    with pytest.raises(CannotSync) as raised:
        planned(made)
    assert message in str(raised.value)
    assert raised.value.steps[-1:] == (() if steps == () else (steps,))


@pytest.mark.parametrize(
    ("asked", "message", "steps"),
    [
        ({"featureGroupId": "order", "featureIds": ["visits"]}, 'did you mean "orders"?', "featureGroupId"),
        ({"featureGroupId": "orders", "featureIds": ["visit"]}, 'has no feature "visit"; did you mean "visits"?', 0),
        (
            {"featureGroupId": "orders", "featureIds": ["birthday"]},
            'types that cannot be served: "born" is DATE',
            "featureGroupId",
        ),
    ],
)
def test_what_keeps_a_registry_view_from_being_synced(
    tmp_path: Path, asked: dict[str, Any], message: str, steps: object
) -> None:
    with pytest.raises(CannotSync) as raised:
        planned(registry(tmp_path, asked))
    assert message in str(raised.value)
    assert raised.value.steps[:2] == ("featureRegistrySource", "featureGroups")
    assert raised.value.steps[-1] == steps


def test_a_feature_is_taken_from_one_group(tmp_path: Path) -> None:
    asked = [{"featureGroupId": name, "featureIds": ["visits"]} for name in ("orders", "loyalty")]
    with pytest.raises(CannotSync, match='"visits" is taken from the groups "orders" and "loyalty"'):
        planned(registry(tmp_path, *asked, groups=[GROUP, GROUP | {"featureGroupId": "loyalty"}]))


def test_groups_of_one_view_have_entity_ids_of_one_type(tmp_path: Path) -> None:
    groups = [
        GROUP,
        GROUP | {"featureGroupId": "loyalty", "entityIdColumns": ["visits"], "features": [{"id": "vector"}]},
    ]
    asked = [
        {"featureGroupId": "orders", "featureIds": ["visits"]},
        {"featureGroupId": "loyalty", "featureIds": ["vector"]},
    ]
    with pytest.raises(CannotSync, match=r"\(id STRING\) is not \(visits INT64\)"):
        planned(registry(tmp_path, *asked, groups=groups))


def test_each_feature_of_a_sparse_group_has_its_own_moment(tmp_path: Path) -> None:
    group = GROUP | {"features": [{"id": "visits"}, {"id": "vector"}]}
    asked = {"featureGroupId": "orders", "featureIds": ["visits", "vector"]}
    assert planned(registry(tmp_path, asked, groups=[group])).layout.timestamp_indexes == (0, 1)


def test_without_a_dimension_the_length_of_vectors_is_not_checked(tmp_path: Path) -> None:
    (skipped,) = planned(guests(tmp_path, ROW, view={"indexConfig": {"embeddingColumn": "vector"}})).skipped
    assert skipped.check == "wrong-vector-length"
