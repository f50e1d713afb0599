"""The section of views: their ways from source to index, and schedules as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.page.conftest import ExamplePage
from tests.page.test_report_command import FEW_SESSIONS, sections, written
from tests.program import Run, view
from trialrun.page.schedule_drawing import Drawing, drawing_svg


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
