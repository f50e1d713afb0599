"""The sections of a page say what the commands say.

Stores have what `resolve` prints of each, value by value, with the same origins; upsells and scenarios what `explore`,
`session` and `test` say; views their ways from source to index, and schedules as pictures. What views serve is on a
page only where it is asked for; changes and pictures are, too.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cases import first_of
from tests.changes.git_workspace import EDITS, change_example, change_files
from tests.cli.example_workspace import NOON, copied, synced, told
from tests.page.conftest import ExamplePage, copied_stores, copied_view, write_page
from tests.page.test_report_command import FEW_SESSIONS, TWO_STORES, sections, written
from tests.program import Run, view
from trialrun.cli.options import default_request
from trialrun.page.sources import served_views
from trialrun.page.views_section import drawing_svg
from trialrun.runtime.clock import FixedClock
from trialrun.values.resource_name import last_id
from trialrun.workspace.dry_run import dry_run

STORES = ("austin-lamar", "chicago-wicker-park", "montreal-plateau", "toronto-queen-west")


def leaves(stores: dict[str, Any], number: int, pointer: str = "") -> Iterator[tuple[str, Any, Any, list[Any]]]:
    """Pointer, value, setter with line, and what it overrode, of everything that a node says."""
    kind, *rest = stores["nodes"][number]
    if kind == "v":
        setter, name, value, distances, *over = rest
        yield from value_leaves(stores, value, name, (pointer, setter, iter(distances), [0]), over)
        return
    children, *over = rest
    if over:
        yield pointer, None, None, over
    for step, child in enumerate(children) if kind == "l" else children.items():
        yield from leaves(stores, child, f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}")


def value_leaves(stores: dict[str, Any], value: Any, name: str, place: Any, over: list[Any]) -> Iterator[Any]:
    pointer, setter, lines, at = place
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from value_leaves(stores, inner, key, (f"{pointer}/{key}", setter, lines, at), [])
    elif isinstance(value, list) and value and name in stores["merged_lists"]:
        for index, inner in enumerate(value):
            yield from value_leaves(stores, inner, "", (f"{pointer}/{index}", setter, lines, at), [])
    else:
        at[0] += next(lines)
        yield pointer, value, {**stores["setters"][setter], "line": at[0]}, over


def is_inside(pointer: str, lists: set[str]) -> bool:
    """Whether it is part of a list that is set as a whole."""
    return any(pointer.startswith(f"{each}/") for each in lists)


@pytest.mark.parametrize("store", STORES)
def test_every_value_and_its_origin_is_that_of_resolve(
    run: Run, example: Path, example_page: ExamplePage, store: str
) -> None:
    stores = sections(example_page(*FEW_SESSIONS))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == store)
    resolved = told(run, "resolve", store, cwd=example)["types"]
    for kind, root in stores["groups"][number]["roots"].items():
        found = {pointer: (setter, over) for pointer, _, setter, over in leaves(stores, root) if setter}
        wanted = resolved[kind]["origins"]
        pointers = {pointer for pointer, *_ in leaves(stores, root)}
        assert pointers <= wanted.keys()
        assert [pointer for pointer in wanted.keys() - pointers if not is_inside(pointer, pointers)] == []
        for pointer, (setter, over) in found.items():
            origin = wanted[pointer]
            assert setter == {
                **{key: origin[key] for key in ("level", "rule", "path", "line") if key in origin},
                "config": last_id(origin["config"]),
            }
            values = [json.dumps(value) for _, value, _ in over]
            assert values == [json.dumps(each["value"]) for each in origin["overrode"]]


def test_stores_that_share_everything_are_one_group(tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    brand = workspace / "brand" / "brand.yaml"
    text = brand.read_text()
    name = "projects/smashwell-prod/locations/us-central1/brands/smashwell/stores/"
    twins = f"\nstores:\n  - {{name: {name}twin-a, tags: [us]}}\n  - {{name: {name}twin-b, tags: [us]}}\n"
    brand.write_text(text.replace("\nstores:\n", twins, 1))
    stores = sections(write_page(workspace, "--sessions", "0"))["stores"]
    groups = {entry["id"]: entry["group"] for entry in stores["stores"]}
    assert groups["twin-a"] == groups["twin-b"]
    assert len(stores["groups"][groups["twin-a"]]["stores"]) == 2


def test_only_chosen_stores_are_shown(stores_page: ExamplePage) -> None:
    data = sections(stores_page("--sessions", "0", "--stores", "austin-lamar,miami-calle-ocho"))
    assert [entry["id"] for entry in data["stores"]["stores"]] == ["austin-lamar", "miami-calle-ocho"]
    assert any("--stores" in note for note in data["overview"]["notes"])


def test_what_is_said_in_each_language_is_that_of_languages(run: Run, example: Path, example_page: ExamplePage) -> None:
    stores = sections(example_page(*FEW_SESSIONS))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == "chicago-wicker-park")
    (table,) = told(run, "languages", "chicago-wicker-park", cwd=example)["groups"]
    assert stores["spoken"][number]["languages"] == table["languages"]
    assert stores["spoken"][number]["instructions"]


def test_clashes_name_fields_and_upsells(example_page: ExamplePage) -> None:
    stores = sections(example_page(*FEW_SESSIONS))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == "chicago-wicker-park")
    (first, *_) = stores["groups"][number]["clashes"]
    assert (first["kind"], first["upsells"]) == ("priority", ["Fries with burgers", "Welcome, gold members"])


def test_a_clash_of_two_bindings_names_its_field(tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    brand = workspace / "brand" / "brand.yaml"
    brand.write_text(brand.read_text().replace("tags: [us, texas, drive-thru]", "tags: [us, texas, drive-thru, kiosk]"))
    stores = sections(write_page(workspace, "--sessions", "0"))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == "austin-lamar")
    fields = {clash["field"]: clash for clash in stores["groups"][number]["clashes"] if clash["kind"] == "level"}
    assert fields["operationsConfig.upsellStrategy.maxItemsInCart"]["winner"][1] == 20


def test_the_reach_is_that_of_explore(run: Run, example: Path, stores_page: ExamplePage) -> None:
    data = sections(stores_page(*TWO_STORES))["upsells"]
    (reach,) = [each for each in data["reach"] if "miami-calle-ocho" in each["command"]]
    found = json.loads(run(*reach["command"].split()[1:], "--output-format", "json", cwd=example).out)
    keys = ("upsell", "offered", "accepted", "declined")
    assert [[share[key] for key in keys] for share in reach["upsells"]] == [
        [share[key] for key in keys] for share in found["upsells"]
    ]
    assert [each["message"] for each in reach["surprises"]] == [each["message"] for each in found["surprises"]]


def test_the_verdict_on_an_upsell_is_that_of_prove(run: Run, example: Path, stores_page: ExamplePage) -> None:
    data = sections(stores_page(*TWO_STORES))["upsells"]
    (reach,) = [each for each in data["reach"] if "miami-calle-ocho" in each["command"]]
    ((group),) = told(run, "prove", "miami-calle-ocho", "--at=2026-11-20", "--fail-on=never", cwd=example)["groups"]
    proved = {each["upsell"]: each["verdict"] for each in group["answers"] if each["question"] == "offered"}
    assert {each["upsell"]: each["verdict"] for each in reach["upsells"] if "verdict" in each} == proved


def test_a_proof_is_beside_an_upsell_that_is_never_offered(run: Run, tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    config = workspace / "channels" / "everyday-upsells.yaml"
    config.write_text(
        config.read_text().replace("order.items.exists(", "order.subtotal < -1.0 && order.items.exists(", 1)
    )
    data = sections(written(run, workspace))["upsells"]
    never = {
        each["upsell"]: each for reach in data["reach"] for each in reach["upsells"] if each.get("verdict") == "never"
    }
    assert never
    assert {each["offered"] for each in never.values()} == {0}
    assert all(" --prove" in reach["command"] for reach in data["reach"])


def test_a_conversation_is_what_session_plays(
    run: Run, tmp_path: Path, example: Path, example_page: ExamplePage
) -> None:
    data = sections(example_page(*FEW_SESSIONS))["upsells"]
    (told_by_page,) = [each for each in data["conversations"] if each["title"].startswith("Two of a burger")]
    script = tmp_path / "order.txt"
    script.write_text("".join(f"{turn['customer']}\n" for turn in told_by_page["turns"][1:]))
    options = ("--script", str(script), "--seed", "0", "--at", "2026-11-20T17:00:00Z")
    played = told(run, "session", "phoenix-airport", *options, cwd=example)["turns"]
    for ours, theirs in zip(told_by_page["turns"], played, strict=True):
        assert [each["text"] for each in ours.get("said", [])] == [each["text"] for each in theirs["said"]]
        assert [each["upsell"] for each in ours.get("offered", [])] == [each["upsell"] for each in theirs["offered"]]
        passed = [(each["upsell"], each["reason"]) for each in ours.get("passed_over", [])]
        assert passed == [(each["upsell"], each["reason"]) for each in theirs["passed_over"]]
        values = {each["upsell"]: each["value"] for each in ours.get("conditions", [])}
        assert values == {each["upsell"]: each["value"] for each in theirs["conditions"]}


def test_every_surprise_with_an_example_has_its_conversation(stores_page: ExamplePage) -> None:
    data = sections(stores_page(*TWO_STORES))["upsells"]
    by_id = {each["id"]: each for each in data["conversations"]}
    (reach,) = [each for each in data["reach"] if "chicago-wicker-park" in each["command"]]
    shown = [each for each in reach["surprises"] if "conversation" in each]
    assert shown
    assert [by_id[each["conversation"]]["title"] for each in shown] == [each["message"] for each in shown]


def test_a_store_with_errors_is_not_explored(run: Run, tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    config = workspace / "channels" / "everyday-upsells.yaml"
    config.write_text(config.read_text().replace("order.items.exists(", "order.itms.exists(", 1))
    data = sections(written(run, workspace))["upsells"]
    assert {each.get("errors", False) for each in data["reach"]} == {True}


def test_scenarios_are_those_of_test(run: Run, example: Path, example_page: ExamplePage) -> None:
    data = sections(example_page(*FEW_SESSIONS))["scenarios"]
    found = told(run, "test", "--coverage", cwd=example)
    assert data["scenarios"] == found["scenarios"]
    assert {each["name"]: (each["total"], each["covered"]) for each in data["coverage"]} == {
        name: (each["total"], each["covered"]) for name, each in found["coverage"].items()
    }


def test_the_parts_of_conditions_that_nothing_exercises_are_those_of_the_coverage(example_page: ExamplePage) -> None:
    data = sections(example_page(*FEW_SESSIONS))["scenarios"]
    (aspect,) = [each for each in data["coverage"] if each["name"] == "conditionParts"]
    marked = {
        (each["path"], " ".join(each["text"][start:end].split()))
        for each in data["conditions"]
        for start, end in each["parts"]
    }
    assert marked == {(each["path"], each["name"].split(": ", 2)[2]) for each in aspect["missing"]}


def shapes(picture: dict[str, Any], kind: str) -> list[Any]:
    return [shape for shape in picture["shapes"] if shape[1] == kind]


def test_a_view_has_its_source_sync_store_and_index(example_page: ExamplePage) -> None:
    found = views(example_page(*FEW_SESSIONS))
    search = found["menu_search"]
    (menu,) = search["source"]["tables"]
    assert (menu["rows"], menu["path"]) == ("data/menu_embeddings.parquet", "feature-store/sources.yaml")
    assert search["sync"]["text"] == "at 05:40 every Monday to Friday (America/New_York)"
    assert search["store"]["type"] == "OPTIMIZED"
    assert (search["index"]["algorithm"], search["index"]["leaf"]) == ("tree-AH", 500)
    assert [len(table["features"]) for table in found["guest_orders"]["source"]["tables"]] == [3]
    assert found["live_basket"]["sync"]["kind"] == "continuous"


def test_the_week_has_a_mark_for_each_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "daily.yaml").write_text(view("daily", cron="15 4 * * *"))
    (tmp_path / "often.yaml").write_text(view("often", cron="* * * * *"))
    week = sections(written(run, tmp_path))["views"]["schedule"]["week"]
    marks = shapes(week, "run")
    assert len(marks) == 7 + 1
    assert marks[0][-1] == "Sat 21 Nov 04:15 UTC"
    assert week["label"] == "10086 runs of 2 views from Fri 20 Nov 2026 to Fri 27 Nov 2026, 0 herds"


def test_herds_are_marked(run: Run, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(view(name, cron="15 4 * * 1"))
    schedule = sections(written(run, tmp_path))["views"]["schedule"]
    assert len(schedule["herds"]) == len(shapes(schedule["week"], "herd")) == 0
    for name in "defghijklmnopqrstuvwxyz":
        (tmp_path / f"{name}.yaml").write_text(view(name, cron="15 4 * * 1"))
    schedule = sections(written(run, tmp_path))["views"]["schedule"]
    assert [herd["count"] for herd in schedule["herds"]] == [len(shapes(schedule["week"], "herd"))] == [1]


def test_the_day_of_a_clock_change_shows_what_it_skips(run: Run, tmp_path: Path) -> None:
    (tmp_path / "night.yaml").write_text(view("night", cron="CRON_TZ=America/New_York 30 2 * * *"))
    (day,) = sections(written(run, tmp_path))["views"]["schedule"]["clock_changes"]
    assert day["label"] == ("Sun 14 Mar 2027 in America/New_York: 02:00 -05:00 becomes 03:00 -04:00, a day of 23 hours")
    assert [shape[-1] for shape in shapes(day, "skipped")] == ["02:30 is skipped"]
    assert shapes(day, "run") == []


def test_a_schedule_that_cannot_be_read_is_on_the_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view("v", cron="0 25 * * *"))
    (entry,) = sections(written(run, tmp_path))["views"]["views"]
    assert (entry["sync"]["kind"], entry["runs"], entry["findings"]) == ("invalid", [], 1)


def test_a_schedule_that_only_terraform_knows_is_no_problem_on_the_page(run: Run, tmp_path: Path) -> None:
    resource = 'resource "google_vertex_ai_feature_online_store_featureview" "v" {\n  name = "v"\n'
    (tmp_path / "main.tf").write_text(resource + "  sync_config {\n    cron = var.cron\n  }\n}\n")
    (entry,) = sections(written(run, tmp_path))["views"]["views"]
    assert entry["sync"] == {"kind": "not known", "text": "its cron is known to Terraform alone (main.tf:4)"}


def test_a_drawing_as_a_file_is_sound_whatever_its_texts() -> None:
    hostile = "</svg><script>alert(1)</script>\u202e\x00&"
    shapes = [["text", "label", 1, 2, hostile], ["rect", "run", 0, 0, 2, 2, hostile]]
    picture = {"width": 10, "height": 10, "label": hostile, "shapes": shapes}
    root = ElementTree.fromstring("".join(drawing_svg(picture)))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {"svg", "style", "rect", "g", "title", "text"}


SECRET = "Smoky Smash"
"""A value of a row that no document has."""
NO_SESSIONS = ("--sessions", "0")
EDITS_OF_STORES = [edit for edit in EDITS if not edit[0].startswith("feature-views/")]


def views(text: str) -> dict[str, Any]:
    return {each["id"]: each for each in sections(text)["views"]["views"]}


def test_counts_are_on_every_page_and_values_on_none_without_the_option(example_page: ExamplePage) -> None:
    text = example_page(*FEW_SESSIONS)
    data = views(text)
    assert (data["menu_search"]["data"]["read"], data["menu_search"]["data"]["served"]) == (335, 335)
    assert [finding["code"] for finding in data["menu_prices"]["data"]["findings"]]
    assert SECRET not in text
    assert all("sample" not in each.get("data", {}) for each in data.values())
    assert all("examples" not in each for one in data.values() for each in one.get("data", {}).get("findings", ()))


def test_rows_are_there_where_they_are_asked_for(search_page: ExamplePage) -> None:
    text = search_page(*NO_SESSIONS, "--with-data")
    assert SECRET in text
    sample = views(text)["menu_search"]["data"]["sample"]
    assert sample["columns"] == ["item_id", "item_name", "category", "daypart", "family", "embedding"]
    assert {row[-1] for row in sample["rows"]} == {"[768 values]"}


@pytest.mark.exhaustive
def test_a_page_with_data_is_the_same_every_time_and_leaves_nothing_else(
    run: Run, tmp_path: Path, example_page: ExamplePage
) -> None:
    workspace = copied(tmp_path / "shop")
    before = {*workspace.rglob("*")}
    assert written(run, workspace, *NO_SESSIONS, "--with-data") == example_page(*NO_SESSIONS, "--with-data")
    assert {*workspace.rglob("*")} - before == {workspace / "trialrun-report.html"}


def test_a_view_that_cannot_be_synced_says_why(run: Run, tmp_path: Path) -> None:
    workspace = copied_view(tmp_path, "store-plans")
    (workspace / "feature-store" / "data" / "menu_prices.json").unlink()
    assert "menu_prices.json" in views(written(run, workspace, *NO_SESSIONS))["menu_prices"]["data"]["problem"]


@pytest.mark.parametrize(("copy", "edits"), first_of([(copied_stores, EDITS_OF_STORES), (copied, EDITS)]))
def test_changes_are_those_of_plan(
    run: Run, tmp_path: Path, copy: Callable[[Path], Path], edits: Sequence[tuple[str, str, str]]
) -> None:
    change_files(copy(tmp_path), edits)
    data = sections(written(run, tmp_path, *NO_SESSIONS, "--since", "HEAD"))
    plan = told(run, "plan", "HEAD", "--no-scenarios", "--fail-on", "never", *NOON, cwd=tmp_path)
    assert data["changes"]["changes"] == plan["changes"]
    assert data["overview"]["changes"]["summary"] == plan["summary"]
    assert "changes" in data["overview"]["pages"]


@pytest.mark.parametrize(
    ("at", "overdue"), [("2026-11-23T09:29:00Z", None), ("2026-11-23T09:30:00Z", "2026-11-23T09:30:00Z")]
)
def test_a_view_that_a_server_did_not_sync_at_its_run_is_overdue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, overdue: str | None
) -> None:
    monkeypatch.chdir(synced(tmp_path, "menu_prices"))
    request = default_request((), {"at": at, "isolated": False})
    served = {last_id(name): found for name, found in served_views(dry_run(request, FixedClock(request.now))).items()}
    assert served["menu_prices"].get("overdue") == overdue
    assert served["menu_prices"]["served"] == 203
    assert served["guest_profile"] == {"problem": "nothing is served from it", "overdue": "2026-11-22T10:15:00Z"}
    assert "live_basket" not in served


def test_an_unknown_revision_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    change_example(tmp_path)
    ran = run("report", "--since", "no-such-revision", cwd=tmp_path)
    assert (ran.code, "no-such-revision" in ran.err) == (2, True)


def test_a_picture_is_a_file_of_its_own(run: Run, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    ran = run("report", *NOON, "--only", "schedule", cwd=folder)
    assert (ran.code, ran.out.split(":")[0]) == (0, "schedule.svg")
    root = ElementTree.fromstring((folder / "schedule.svg").read_text(encoding="utf-8"))
    assert len([element for element in root.iter() if element.tag.endswith("rect")]) > 50


def test_a_picture_is_written_over_an_earlier_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    for _ in range(2):
        assert run("report", *NOON, "--only", "schedule", cwd=tmp_path).code == 0


def test_a_picture_of_nothing_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("kind: Menu\nbrand: b\n")
    ran = run("report", "--only", "schedule", cwd=tmp_path)
    assert (ran.code, "--only schedule:" in ran.err) == (2, True)
    assert not list(tmp_path.glob("*.svg"))
