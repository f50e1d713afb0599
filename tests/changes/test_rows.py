"""`plan --rows`: the entities that appear, vanish and change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.changes.git_workspace import commit, plan
from tests.program import Run

AT = ("HEAD", "--at", "2026-11-20T12:00:00Z")
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/menu
warehouseSource: {uri: "bq://p.d.%s", entityIdColumns: [id]}
"""
SOURCE = "kind: Source\nname: %s\nuri: bq://p.d.%s\nfiles: %s.csv\n"
STORE = "kind: FeatureOnlineStore\nname: s\ntype: OPTIMIZED\n"


def write(folder: Path, table: str) -> None:
    (folder / "view.yaml").write_text(VIEW % table)


def workspace(folder: Path) -> None:
    for name, rows in (("old", "1,5\n2,6\n3,7\n"), ("new", "2,6\n3,8\n4,9\n5,9\n")):
        (folder / f"{name}.csv").write_text("id,price\n" + rows)
        (folder / f"{name}.yaml").write_text(SOURCE % (name, name, name))
    (folder / "store.yaml").write_text(STORE)
    write(folder, "old")
    commit(folder)


def reached(found: Any) -> Any:
    (change,) = found["changes"]
    (view,) = change["reach"]["views"]
    return view["rows"]


def test_entities_appear_vanish_and_change(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write(tmp_path, "new")
    found = plan(run, *AT, "--rows")
    assert reached(found) == {"appear": 2, "vanish": 1, "change": 1}
    assert found["not_compared"] == []
    assert "  entities: 2 appear, 1 vanish, 1 change\n" in run("plan", *AT, "--rows").out


def test_rows_are_read_only_when_asked_for(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write(tmp_path, "new")
    found = plan(run, *AT)
    assert reached(found) is None
    assert found["not_compared"] == [{"what": "rows", "why": "sources are read only with --rows"}]


def test_a_source_that_is_not_at_hand(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write(tmp_path, "elsewhere")
    found = plan(run, *AT, "--rows")
    assert reached(found) is None
    (left_out,) = found["not_compared"]
    assert left_out["what"].startswith("rows of projects/") and left_out["why"].startswith("HEAD: ")


def test_data_of_the_base_is_not_read(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write(tmp_path, "new")
    (tmp_path / "old.csv").write_text("id,price\n2,6\n")
    (left_out,) = plan(run, *AT, "--rows")["not_compared"]
    assert left_out["what"] == "rows of BASE"
    assert left_out["why"].endswith(", such as old.csv")


def test_nothing_is_served(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write(tmp_path, "new")
    plan(run, *AT, "--rows")
    assert not (tmp_path / ".trialrun").exists()
