"""Which views a change reaches, where their runs differ, and with `--rows` the entities that do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.changes.git_workspace import commit, plan, view
from tests.program import Run

AT = ("HEAD", "--at", "2026-10-20T12:00:00Z")
GROUP = """\
kind: FeatureGroupTable
name: menu
featureGroupId: menu
uri: bq://p.d.{table}
entityIdColumns: [id]
features: [{{id: price}}, {{id: size}}]
"""
NOON_AT = ("HEAD", "--at", "2026-11-20T12:00:00Z")
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/menu
warehouseSource: {uri: "bq://p.d.%s", entityIdColumns: [id]}
"""
SOURCE = "kind: Source\nname: %s\nuri: bq://p.d.%s\nfiles: %s.csv\n"
STORE = "kind: FeatureOnlineStore\nname: s\ntype: OPTIMIZED\n"


def runs(run: Run, folder: Path, before: str, after: str) -> list[Any]:
    (folder / "a.yaml").write_text(view(cron=before))
    commit(folder)
    (folder / "a.yaml").write_text(view(cron=after))
    (change,) = plan(run, *AT)["changes"]
    (reached,) = change["reach"]["views"]
    found: list[Any] = reached["runs"]
    return found


def test_the_next_runs(run: Run, tmp_path: Path) -> None:
    (upcoming,) = runs(run, tmp_path, "0 3 * * *", "30 3 * * *")
    assert upcoming["period"] == "next"
    assert (upcoming["before"][0], upcoming["after"][0]) == ("2026-10-21T03:00:00+00:00", "2026-10-21T03:30:00+00:00")
    assert len(upcoming["before"]) == len(upcoming["after"]) == 5


def test_the_week_of_a_clock_change(run: Run, tmp_path: Path) -> None:
    """Until the clocks change, Phoenix and Denver are an hour apart, and the schedule makes up for it."""
    found = runs(run, tmp_path, "CRON_TZ=America/Phoenix 0 3 * * *", "CRON_TZ=America/Denver 0 4 * * *")
    assert [one["period"] for one in found] == [
        "week of 2026-10-29, clocks change on 2026-11-01",
        "week of 2027-03-11, clocks change on 2027-03-14",
    ]
    assert found[0]["before"][0] == "2026-11-01T03:00:00-07:00"
    assert found[0]["after"][0] == "2026-11-01T04:00:00-07:00"


def test_a_schedule_that_is_gone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit(tmp_path)
    (tmp_path / "a.yaml").write_text(view().replace('syncConfig: {cron: "0 3 * * *"}\n', ""))
    (change,) = plan(run, *AT)["changes"]
    assert (change["id"], change["after"]) == ("schedule-changed", None)
    (upcoming,) = change["reach"]["views"][0]["runs"]
    assert (len(upcoming["before"]), upcoming["after"]) == (5, [])


def test_views_that_take_features_of_a_group(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    (tmp_path / "group.yaml").write_text(GROUP.format(table="t"))
    commit(tmp_path)
    (tmp_path / "group.yaml").write_text(GROUP.format(table="other"))
    (change,) = plan(run)["changes"]
    assert change["id"] == "source-uri-changed"
    assert [one["name"].rpartition("/")[2] for one in change["reach"]["views"]] == ["menu"]


def test_a_group_that_no_view_takes_features_of(run: Run, tmp_path: Path) -> None:
    (tmp_path / "group.yaml").write_text(GROUP.format(table="t"))
    commit(tmp_path)
    (tmp_path / "group.yaml").unlink()
    (change,) = plan(run)["changes"]
    assert (change["level"], change["lowered_from"]) == ("safe", "breaking")
    assert change["why"] == "No view of this repository uses it."


def test_views_under_an_online_store(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    for name in ("s", "unused"):
        (tmp_path / f"{name}.yaml").write_text(f"kind: FeatureOnlineStore\nname: {name}\ntype: OPTIMIZED\n")
    commit(tmp_path)
    for name in ("s", "unused"):
        (tmp_path / f"{name}.yaml").write_text(f"kind: FeatureOnlineStore\nname: {name}\ntype: KEY_VALUE\n")
    used, unused = plan(run)["changes"]
    assert (used["resource"], used["level"], unused["resource"], unused["level"]) == ("s", "breaking", "unused", "safe")
    assert [one["name"].rpartition("/")[2] for one in used["reach"]["views"]] == ["menu"]
    assert unused["reach"]["views"] == []


def test_views_that_read_the_table_of_a_source(run: Run, tmp_path: Path) -> None:
    source = "kind: Source\nname: s\nuri: {uri}\ncolumns: [{{name: id, type: {type}}}]\n"
    table = "warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}\n"
    (tmp_path / "a.yaml").write_text(view().partition("featureRegistrySource")[0] + table)
    for name, uri in (("read", "bq://p.d.t"), ("other", "bq://p.d.other")):
        (tmp_path / f"{name}.yaml").write_text(source.format(uri=uri, type="STRING"))
    commit(tmp_path)
    for name, uri in (("read", "bq://p.d.t"), ("other", "bq://p.d.other")):
        (tmp_path / f"{name}.yaml").write_text(source.format(uri=uri, type="INT64"))
    reached = {one["path"]: [view["name"][-4:] for view in one["reach"]["views"]] for one in plan(run)["changes"]}
    assert reached == {"read.yaml": ["menu"], "other.yaml": []}


def write_view(folder: Path, table: str) -> None:
    (folder / "view.yaml").write_text(VIEW % table)


def workspace(folder: Path) -> None:
    for name, rows in (("old", "1,5\n2,6\n3,7\n"), ("new", "2,6\n3,8\n4,9\n5,9\n")):
        (folder / f"{name}.csv").write_text("id,price\n" + rows)
        (folder / f"{name}.yaml").write_text(SOURCE % (name, name, name))
    (folder / "store.yaml").write_text(STORE)
    write_view(folder, "old")
    commit(folder)


def rows_of(found: Any) -> Any:
    (change,) = found["changes"]
    (view,) = change["reach"]["views"]
    return view["rows"]


def test_entities_appear_vanish_and_change(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "new")
    found = plan(run, *NOON_AT, "--rows")
    assert rows_of(found) == {"appear": 2, "vanish": 1, "change": 1}
    assert found["not_compared"] == []
    assert "  entities: 2 appear, 1 vanish, 1 change\n" in run("plan", *NOON_AT, "--rows").out


def test_rows_are_read_only_when_asked_for(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "new")
    found = plan(run, *NOON_AT)
    assert rows_of(found) is None
    assert found["not_compared"] == [{"what": "rows", "why": "sources are read only with --rows"}]


def test_a_source_that_is_not_at_hand(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "elsewhere")
    found = plan(run, *NOON_AT, "--rows")
    assert rows_of(found) is None
    (left_out,) = found["not_compared"]
    assert left_out["what"].startswith("rows of projects/") and left_out["why"].startswith("HEAD: ")


def test_data_of_the_base_is_not_read(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "new")
    (tmp_path / "old.csv").write_text("id,price\n2,6\n")
    (left_out,) = plan(run, *NOON_AT, "--rows")["not_compared"]
    assert left_out["what"] == "rows of BASE"
    assert left_out["why"].endswith(", such as old.csv")


def test_nothing_is_served(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "new")
    plan(run, *NOON_AT, "--rows")
    assert not (tmp_path / ".trialrun").exists()
