"""The sections of a page say what the commands say.

Stores have what `resolve` prints of each, value by value, with the same origins; upsells and scenarios what `explore`,
`session` and `test` say; views their ways from source to index, and schedules as pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cli.example_workspace import NOON, told
from tests.page.conftest import ExamplePage, copied_stores, write_page
from tests.page.test_report_command import FEW_SESSIONS, TWO_STORES, sections, written
from tests.program import Run, view
from trialrun.page.schedule_drawing import Drawing, drawing_svg

STORES = ("austin-lamar", "chicago-wicker-park", "montreal-plateau", "toronto-queen-west")


def leaves(stores: dict[str, Any], number: int, pointer: str = "") -> Iterator[tuple[str, Any, Any, list[Any]]]:
    """Pointer, value, setter with line, and what it overrode, of everything that a node says."""
    kind, *rest = stores["nodes"][number]
    if kind == "v":
        setter, name, value, distances, *over = rest
        lines = iter(distances)
        yield from value_leaves(stores, value, name, (pointer, setter, lines, [0]), over)
        return
    children, *over = rest
    if over:
        yield pointer, None, None, over
    entries = enumerate(children) if kind == "l" else children.items()
    for step, child in entries:
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


def last(name: str) -> str:
    return name.rpartition("/")[2]


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
                "config": last(origin["config"]),
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


def page(run: Run, folder: Path, *arguments: str) -> dict[str, Any]:
    ran = run("report", *NOON, *arguments, cwd=folder)
    assert ran.code == 0, ran.err
    return sections((folder / "trialrun-report.html").read_text(encoding="utf-8"))


def test_the_reach_is_that_of_explore(run: Run, example: Path, stores_page: ExamplePage) -> None:
    data = sections(stores_page(*TWO_STORES))["upsells"]
    (reach,) = [each for each in data["reach"] if "miami-calle-ocho" in each["command"]]
    found = json.loads(run(*reach["command"].split()[1:], "--output-format", "json", cwd=example).out)
    keys = ("upsell", "offered", "accepted", "declined")
    assert [[share[key] for key in keys] for share in reach["upsells"]] == [
        [share[key] for key in keys] for share in found["upsells"]
    ]
    assert [each["message"] for each in reach["surprises"]] == [each["message"] for each in found["surprises"]]


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
    data = page(run, workspace, "--sessions", "5")["upsells"]
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
    views = {each["id"]: each for each in sections(example_page(*FEW_SESSIONS))["views"]["views"]}
    search = views["menu_search"]
    (menu,) = search["source"]["tables"]
    assert (menu["rows"], menu["path"]) == ("data/menu_embeddings.parquet", "feature-store/sources.yaml")
    assert search["sync"]["text"] == "at 05:40 every Monday to Friday (America/New_York)"
    assert search["store"]["type"] == "OPTIMIZED"
    assert (search["index"]["algorithm"], search["index"]["leaf"]) == ("tree-AH", 500)
    assert [len(table["features"]) for table in views["guest_orders"]["source"]["tables"]] == [3]
    assert views["live_basket"]["sync"]["kind"] == "continuous"


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


def test_a_drawing_as_a_file_is_sound_whatever_its_texts() -> None:
    hostile = "</svg><script>alert(1)</script>\u202e\x00&"
    picture = Drawing(10, 10, hostile, [["text", "label", 1, 2, hostile], ["rect", "run", 0, 0, 2, 2, hostile]])
    root = ElementTree.fromstring("".join(drawing_svg([picture])))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {"svg", "style", "rect", "g", "title", "text"}
