"""Which stores and views a change reaches, what differs there, and when its level is lowered."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.changes.git_workspace import changes, commit, plan, revise, view
from tests.cli.example_workspace import NOON as AT_NOON
from tests.program import Run

PARENT = "projects/p/locations/l/brands/b"
Resource = dict[str, Any]


def config(id: str, type: str = "AGENT_CUSTOMIZATION", **fields: Any) -> Resource:
    return {"kind": "ChannelConfig", "name": f"{PARENT}/channelConfigs/{id}", "type": type, **fields}


def brand(*stores: Resource, defaults: tuple[str, ...] = (), bindings: tuple[Resource, ...] = ()) -> Resource:
    names = [f"{PARENT}/channelConfigs/{id}" for id in defaults]
    return {"kind": "Brand", "name": PARENT, "defaults": names, "bindings": list(bindings), "stores": list(stores)}


def store(id: str, *defaults: str, **fields: Any) -> Resource:
    names = [f"{PARENT}/channelConfigs/{default}" for default in defaults]
    return {"name": f"{PARENT}/stores/{id}", **({"defaults": names} if names else {}), **fields}


def upsell(name: str, priority: int, **fields: Any) -> Resource:
    cel = {"conditionExpression": "true", "suggestedMenuItems": ["Fries"]}
    return {"displayName": name, "priority": priority, "celUpsell": cel, **fields}


def upsells(*items: Resource) -> Resource:
    return {"operationsConfig": {"upsellStrategy": {"upsells": list(items)}}}


def write(folder: Path, *resources: Resource) -> None:
    """Write a workspace: a file for each resource."""
    for old in folder.glob("*.json"):
        old.unlink()
    for resource in resources:
        name = resource["name"].rpartition("/")[2]
        (folder / f"{resource['kind']}-{name}.json").write_text(json.dumps(resource, indent=1))


def planned(run: Run, folder: Path, before: list[Resource], after: list[Resource]) -> list[Resource]:
    write(folder, *before)
    commit(folder)
    write(folder, *after)
    found: list[Resource] = plan(run)["changes"]
    return found


VOICE = config("voice", tone="FRIENDLY")
OWN = config("own", tone="CONCISE_AND_DIRECT")
STORES = brand(store("a"), store("b", "own"), defaults=("voice",))


def test_stores_with_the_config(run: Run, tmp_path: Path) -> None:
    (change,) = planned(
        run, tmp_path, [VOICE, OWN, STORES], [{**VOICE, "tone": "PROFESSIONAL_AND_FORMAL"}, OWN, STORES]
    )
    stores = change["reach"]["stores"]
    assert (change["id"], change["level"]) == ("tone-changed", "risky")
    assert (stores["count"], stores["total"], stores["names"]) == (1, 2, [f"{PARENT}/stores/a"])
    (field,) = stores["fields"]
    assert (field["path"], field["before"], field["after"]) == ("tone", "FRIENDLY", "PROFESSIONAL_AND_FORMAL")
    assert (field["origin_before"], field["origin_after"]) == ("ChannelConfig-voice.json:5",) * 2
    (instructions,) = stores["instructions"]
    assert instructions["removed"] == ["Be friendly."]
    assert instructions["added"] == ["Be professional and formal."]


def test_a_change_that_every_store_overrides_is_lowered(run: Run, tmp_path: Path) -> None:
    stores = brand(store("b", "own"), defaults=("voice",))
    (change,) = planned(
        run, tmp_path, [VOICE, OWN, stores], [{**VOICE, "tone": "PROFESSIONAL_AND_FORMAL"}, OWN, stores]
    )
    assert (change["level"], change["lowered_from"]) == ("safe", "risky")
    assert change["why"] == "It alters no effective value at any store."


def test_a_config_that_no_store_has_is_safe(run: Run, tmp_path: Path) -> None:
    (change,) = planned(run, tmp_path, [VOICE, OWN, brand(store("a"), defaults=("voice",))],
                        [VOICE, brand(store("a"), defaults=("voice",))])  # fmt: skip
    assert (change["id"], change["level"], change["lowered_from"]) == ("config-removed", "safe", "breaking")
    assert change["why"] == "No store has this config."


def test_without_stores_nothing_is_lowered(run: Run, tmp_path: Path) -> None:
    (change,) = planned(run, tmp_path, [OWN], [{**OWN, "tone": "FRIENDLY"}])
    assert (change["level"], change["reach"]["stores"]) == ("risky", None)
    assert plan(run)["not_compared"] == [
        {"what": "stores", "why": "the workspace declares none; add them to the stores of a Brand"}
    ]


def test_a_config_in_use_that_is_gone_is_breaking(run: Run, tmp_path: Path) -> None:
    (change,) = planned(run, tmp_path, [VOICE, OWN, STORES], [VOICE, STORES])
    assert (change["id"], change["level"]) == ("config-removed", "breaking")
    (field,) = change["reach"]["stores"]["fields"]
    assert (field["path"], field["before"], field["after"]) == ("tone", "CONCISE_AND_DIRECT", "FRIENDLY")


def test_a_config_in_use_that_loses_its_type_applies_nowhere(run: Run, tmp_path: Path) -> None:
    without_type = {name: value for name, value in OWN.items() if name != "type"}
    (change,) = planned(run, tmp_path, [VOICE, OWN, STORES], [VOICE, without_type, STORES])
    assert (change["id"], change["level"]) == ("config-type-changed", "breaking")
    (field,) = change["reach"]["stores"]["fields"]
    assert (field["path"], field["before"], field["after"]) == ("tone", "CONCISE_AND_DIRECT", "FRIENDLY")


def test_a_binding_that_is_gone(run: Run, tmp_path: Path) -> None:
    bindings = ({"rule": "r", "channelConfig": f"{PARENT}/channelConfigs/own", "stores": {"tags": ["x"]}},)
    before = brand(store("a"), store("b", tags=["x"]), defaults=("voice",), bindings=bindings)
    after = brand(store("a"), store("b", tags=["x"]), defaults=("voice",))
    (change,) = planned(run, tmp_path, [VOICE, OWN, before], [VOICE, OWN, after])
    assert (change["id"], change["level"]) == ("binding-removed", "breaking")
    assert change["reach"]["stores"]["names"] == [f"{PARENT}/stores/b"]


def test_a_store_that_loses_its_tag(run: Run, tmp_path: Path) -> None:
    bindings = ({"rule": "r", "channelConfig": f"{PARENT}/channelConfigs/own", "stores": {"tags": ["x"]}},)
    before = brand(store("a"), store("b", tags=["x"]), defaults=("voice",), bindings=bindings)
    after = brand(store("a"), store("b"), defaults=("voice",), bindings=bindings)
    (change,) = planned(run, tmp_path, [VOICE, OWN, before], [VOICE, OWN, after])
    assert (change["id"], change["reach"]["stores"]["names"]) == ("store-tags-changed", [f"{PARENT}/stores/b"])


@pytest.mark.parametrize(
    ("before", "after", "operation"),
    [
        ({}, {"stores": {"tags": ["x"]}}, "breaking binding-narrowed"),
        ({"stores": {"tags": ["x"]}}, {}, "risky binding-widened"),
        ({"stores": {"tags": ["x"]}}, {"stores": {"tags": ["x", "y"]}}, "breaking binding-narrowed"),
        ({"stores": {"names": ["a"]}}, {"stores": {"names": ["a", "b"]}}, "risky binding-widened"),
        ({"stores": {"names": ["a"]}}, {"stores": {"names": ["b"]}}, "breaking binding-stores-changed"),
        ({"stores": {"tags": ["x"]}}, {"stores": {"names": ["b"]}}, "breaking binding-stores-changed"),
        ({"stores": {}}, {}, None),
    ],
)
def test_what_a_binding_asks_of_stores(
    run: Run, tmp_path: Path, before: Resource, after: Resource, operation: str | None
) -> None:
    rule = {"rule": "r", "channelConfig": f"{PARENT}/channelConfigs/own"}
    write(tmp_path, OWN, brand(store("a"), bindings=({**rule, **before},)))
    commit(tmp_path)
    write(tmp_path, OWN, brand(store("a"), bindings=({**rule, **after},)))
    place = "Brand-b.json/bindings/0/stores"
    assert changes(run) == ([f"{operation} {place}"] if operation else [])


def test_the_order_of_upsells(run: Run, tmp_path: Path) -> None:
    before = config("sells", "UPSELL_STRATEGY", **upsells(upsell("Fries", 1), upsell("Shake", 2), upsell("Pie", 3)))
    after = config("sells", "UPSELL_STRATEGY", **upsells(upsell("Fries", 4), upsell("Shake", 2), upsell("Pie", 3)))
    stores = brand(store("a"), defaults=("sells",))
    (change,) = planned(run, tmp_path, [before, stores], [after, stores])
    assert change["id"] == "upsell-reordered"
    (order,) = change["reach"]["stores"]["upsells"]
    assert (order["before"], order["after"]) == (["Fries", "Shake", "Pie"], ["Shake", "Pie", "Fries"])


def test_another_number_at_the_same_place(run: Run, tmp_path: Path) -> None:
    before = config("sells", "UPSELL_STRATEGY", **upsells(upsell("Fries", 1), upsell("Shake", 2)))
    after = config("sells", "UPSELL_STRATEGY", **upsells(upsell("Fries", 1), upsell("Shake", 9)))
    (change,) = planned(run, tmp_path, [before], [after])
    assert (change["id"], change["before"], change["after"]) == ("upsell-priority-changed", 2, 9)


def test_an_explicit_false_counts_where_it_overrides(run: Run, tmp_path: Path) -> None:
    sells = config("sells", "UPSELL_STRATEGY", **upsells(upsell("Fries", 1, disabled=True)))
    own = config("own", "UPSELL_STRATEGY", **upsells({"displayName": "Fries", "priority": 1}))
    explicit = config("own", "UPSELL_STRATEGY", **upsells({"displayName": "Fries", "priority": 1, "disabled": False}))
    stores = brand(store("a"), store("b", "own"), defaults=("sells",))
    (change,) = planned(run, tmp_path, [sells, own, stores], [sells, explicit, stores])
    assert (change["id"], change["before"], change["after"]) == ("upsell-enabled", None, False)
    assert change["reach"]["stores"]["names"] == [f"{PARENT}/stores/b"]
    only_default = brand(store("a"), defaults=("sells",))
    assert planned(run, tmp_path, [sells, own, only_default], [sells, explicit, only_default]) == []
    nothing_under_it = brand(store("a"), store("b"), defaults=("own",))
    assert planned(run, tmp_path, [sells, own, nothing_under_it], [sells, explicit, nothing_under_it]) == []


def test_the_end_of_a_name_is_the_name(run: Run, tmp_path: Path) -> None:
    def named(config: str, store_name: str, other: str = PARENT) -> list[Resource]:
        by_name = {"rule": "r", "channelConfig": config, "stores": {"names": [store_name]}}
        stores = [store("a"), store("b", bindings=[{"rule": "r", "channelConfig": config}], defaults=[config])]
        menu = {"kind": "Menu", "name": "menu", "brand": other}
        return [VOICE, OWN, menu, {**brand(*stores, bindings=(by_name,)), "defaults": [config]}]

    full = named(f"{PARENT}/channelConfigs/voice", f"{PARENT}/stores/a")
    assert planned(run, tmp_path, named("voice", "a", "b"), full) == []
    assert planned(run, tmp_path, full, named("channelConfigs/voice", "stores/a", "brands/b")) == []
    found = planned(run, tmp_path, full, named(f"{PARENT}2/channelConfigs/voice", f"{PARENT}2/stores/a", f"{PARENT}2"))
    assert sorted(change["id"] for change in found) == [
        *["binding-config-changed"] * 2,
        "binding-stores-changed",
        *["default-added"] * 2,
        *["default-removed"] * 2,
        "menu-brand-changed",
    ]


def test_an_id_that_means_another_resource(run: Run, tmp_path: Path) -> None:
    other = {**VOICE, "name": f"{PARENT}2/channelConfigs/voice", "tone": "PROFESSIONAL_AND_FORMAL"}
    (tmp_path / "other.yaml").write_text(json.dumps(other))

    def named(config: str, store_name: str = "a") -> list[Resource]:
        own = {"rule": "r", "channelConfig": f"{PARENT}/channelConfigs/own", "stores": {"names": [store_name]}}
        stores = (
            store("a"),
            {"name": f"{PARENT}/stores/kiosks/a"},
            store("b", bindings=[{**own, "channelConfig": config}]),
        )
        return [VOICE, OWN, {**brand(*stores, bindings=(own,)), "defaults": [config]}]

    def ids(before: list[Resource], after: list[Resource]) -> list[str]:
        return sorted(change["id"] for change in planned(run, tmp_path, before, after))

    own, others = named("voice"), named(other["name"])
    for before, after in ((own, others), (others, own)):
        assert ids(before, after) == ["binding-config-changed", "default-added", "default-removed"]
    assert ids(own, named("voice", "stores/a")) == ["binding-stores-changed"]
    assert ids(own, named(VOICE["name"])) == []


def test_names_that_say_the_same_twice(run: Run, tmp_path: Path) -> None:
    def named(*names: str) -> list[Resource]:
        return [OWN, brand(store("a"), bindings=({"rule": "r", "channelConfig": "own", "stores": {"names": names}},))]

    assert planned(run, tmp_path, named("a", "stores/a"), named("stores/a", "b/stores/a")) == []


def test_a_second_config_of_a_name_takes_the_first_one_away(run: Run, tmp_path: Path) -> None:
    second = {**OWN, "tone": "FRIENDLY"}
    write(tmp_path, VOICE, OWN, STORES)
    commit(tmp_path)
    (tmp_path / "second.json").write_text(json.dumps(second))
    (change,) = plan(run)["changes"]
    assert (change["id"], change["reach"]["stores"]["names"]) == ("config-added", [f"{PARENT}/stores/b"])


def test_a_selection_that_cannot_be_read_is_not_compared(run: Run, tmp_path: Path) -> None:
    def bound(tags: Any) -> list[Resource]:
        binding = {"rule": "r", "channelConfig": "own", "stores": {"tags": tags}}
        return [VOICE, OWN, brand(store("a", tags=["x"]), bindings=(binding,))]

    assert planned(run, tmp_path, bound(["x"]), bound("x")) == []
    assert [one["what"] for one in plan(run)["not_compared"]] == [f"{PARENT} /bindings/0/stores/tags"]


def test_tools_of_the_agent(run: Run, tmp_path: Path) -> None:
    before = config("voice", operationsConfig={"featuresConfig": {"orderPickup": {}}})
    after = config("voice", operationsConfig={"featuresConfig": {"nameCollection": {}}})
    stores = brand(store("a"), defaults=("voice",))
    found = planned(run, tmp_path, [before, stores], [after, stores])
    tools = {change["id"]: change["reach"]["stores"]["tools"][0] for change in found}
    assert tools["agent-feature-enabled"]["added"] == ["collect_name"]
    assert tools["agent-feature-disabled"]["removed"] == ["order_pickup"]


def test_a_removed_store(run: Run, tmp_path: Path) -> None:
    (change,) = planned(run, tmp_path, [VOICE, OWN, STORES], [VOICE, OWN, brand(store("a"), defaults=("voice",))])
    assert (change["id"], change["reach"]["stores"]["names"]) == ("store-removed", [f"{PARENT}/stores/b"])


def test_where_a_file_cannot_be_read_nothing_is_lowered(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("kind: ChannelConfig\nname: [\n")
    stores = brand(store("b", "own"), defaults=("voice",))
    (change,) = planned(
        run, tmp_path, [VOICE, OWN, stores], [{**VOICE, "tone": "FRIENDLY", "displayName": "V"}, OWN, stores]
    )
    assert (change["id"], change["reach"]["stores"]["total"]) == ("display-name-changed", 1)
    (change,) = planned(run, tmp_path, [VOICE, OWN, stores], [{**VOICE, "tone": "CONCISE_AND_DIRECT"}, OWN, stores])
    assert (change["level"], "lowered_from" in change) == ("risky", False)
    assert [one["what"] for one in plan(run)["not_compared"]] == ["broken.yaml"]


def test_a_field_in_a_message_that_no_store_had(run: Run, tmp_path: Path) -> None:
    before = config("voice", operationsConfig={"defaultLanguageCode": "en"})
    after = config(
        "voice", operationsConfig={"defaultLanguageCode": "en", "featuresConfig": {"budgetBasedOrdering": True}}
    )
    stores = brand(store("a"), defaults=("voice",))
    (change,) = planned(run, tmp_path, [before, stores], [after, stores])
    assert (change["id"], change["level"]) == ("agent-feature-enabled", "risky")
    assert change["reach"]["stores"]["names"] == [f"{PARENT}/stores/a"]


def test_another_type_reaches_all_that_the_config_says(run: Run, tmp_path: Path) -> None:
    stores = brand(store("a"), defaults=("voice",))
    (change,) = planned(run, tmp_path, [VOICE, stores], [{**VOICE, "type": "UPSELL_STRATEGY"}, stores])
    assert (change["id"], change["level"]) == ("config-type-changed", "breaking")
    fields = [(one["type"], one["path"], one["after"]) for one in change["reach"]["stores"]["fields"]]
    assert fields == [("UPSELL_STRATEGY", "tone", "FRIENDLY"), ("AGENT_CUSTOMIZATION", "tone", None)]


def test_fields_of_a_change_have_a_limit(run: Run, tmp_path: Path) -> None:
    sells = config("sells", "UPSELL_STRATEGY", **upsells(*(upsell(f"U{number}", number) for number in range(1, 61))))
    stores = brand(store("a"), defaults=("sells",))
    (change,) = planned(run, tmp_path, [sells, stores], [stores])
    assert change["id"] == "config-removed"
    own = config("own", "UPSELL_STRATEGY", **upsells(*(upsell(f"U{number}", number + 100) for number in range(1, 61))))
    (change,) = planned(run, tmp_path, [sells, own, brand(store("a", "own"), defaults=("sells",))],
                        [sells, brand(store("a", "own"), defaults=("sells",))])  # fmt: skip
    assert len(change["reach"]["stores"]["fields"]) == 50


AT = ("HEAD", "--at", "2026-10-20T12:00:00Z")
GROUP = """\
kind: FeatureGroupTable
name: menu
featureGroupId: menu
uri: bq://p.d.{table}
entityIdColumns: [id]
features: [{{id: price}}, {{id: size}}]
"""
NOON = ("HEAD", *AT_NOON)
WAREHOUSE_VIEW = """\
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
    revise(tmp_path, view().replace('syncConfig: {cron: "0 3 * * *"}\n', ""))
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
    (folder / "view.yaml").write_text(WAREHOUSE_VIEW % table)


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
    found = plan(run, *NOON, "--rows")
    assert rows_of(found) == {"appear": 2, "vanish": 1, "change": 1}
    assert found["not_compared"] == []
    assert "  entities: 2 appear, 1 vanish, 1 change\n" in run("plan", *NOON, "--rows").out
    assert not (tmp_path / ".trialrun").exists(), "nothing is served"


def test_rows_are_read_only_when_asked_for(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "new")
    found = plan(run, *NOON)
    assert rows_of(found) is None
    assert found["not_compared"] == [{"what": "rows", "why": "sources are read only with --rows"}]


def test_a_source_that_is_not_at_hand(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "elsewhere")
    found = plan(run, *NOON, "--rows")
    assert rows_of(found) is None
    (left_out,) = found["not_compared"]
    assert left_out["what"].startswith("rows of projects/") and left_out["why"].startswith("HEAD: ")


def test_data_of_the_base_is_not_read(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write_view(tmp_path, "new")
    (tmp_path / "old.csv").write_text("id,price\n2,6\n")
    (left_out,) = plan(run, *NOON, "--rows")["not_compared"]
    assert left_out["what"] == "rows of BASE"
    assert left_out["why"].endswith(", such as old.csv")
