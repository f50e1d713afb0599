"""The benchmark of growth: its points, its knees, its picture, and the rates that come from its figures."""

from __future__ import annotations

import math
import re
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks import growth, growth_point
from benchmarks.line_chart import COLORS, HEIGHT, WIDTH, Chart, Series, axis, draw_charts, label_heights, nice_step
from tests.cases import each_of, first_of

README = (growth.FOLDER / "README.md").read_text(encoding="utf-8")
FIGURES = growth.load_figures()
SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_drawn_from_the_figures() -> None:
    drawn = draw_charts(growth.charts(FIGURES["figures"]))
    assert growth.PICTURE.read_text(encoding="utf-8") == drawn, "run python -m benchmarks.growth --draw"


def test_the_page_has_the_picture_and_names_the_knees() -> None:
    assert "](growth.svg)" in README
    assert FIGURES["command"] in README
    knees = growth.report(FIGURES["figures"]).partition("Knees:\n\n")[2].strip()
    assert knees in README, "copy the knees that python -m benchmarks.growth --draw prints"


@pytest.mark.parametrize("source", first_of(["parquet", "csv", "json", "duckdb", "sqlite"]))
def test_a_point_is_measured(tmp_path: Path, source: str) -> None:
    point = growth.Point(source, 2_000, 200, threads=1)
    growth_point.make_table(point, tmp_path)
    measured = growth_point.sync_embedded(point, tmp_path)
    assert measured["entities"] == 200
    assert measured["cpu"] > 0
    assert measured["store_bytes"] > 200 * 121 / 2


def test_vectors_are_measured_with_their_index(tmp_path: Path) -> None:
    point = growth.Point("parquet", 500, 500, 8)
    growth_point.make_table(point, tmp_path)
    assert growth_point.sync_embedded(point, tmp_path)["index_bytes"] > 500 * 8 * 4 / 2


def test_an_index_is_measured_alone(tmp_path: Path) -> None:
    point = growth.Point("parquet", 0, 500, 8, engine="index")
    assert growth_point.build_index_alone(point, tmp_path)["cpu"] > 0
    assert sum(file.stat().st_size for file in (tmp_path / "index").rglob("*") if file.is_file()) > 500 * 8 * 4


@pytest.mark.exhaustive
def test_a_point_is_a_process_of_its_own() -> None:
    measured = growth.measure("rows", growth.Point("parquet", 1_000, 100, threads=1), 1)
    assert measured["axis"] == "rows"
    assert measured["mebibytes"] > 30


def test_a_point_that_fails_has_no_figures() -> None:
    assert "cpu" not in growth.measure("rows", growth.Point("nothing", 1_000, 100), 1)


def test_rows_stop_where_they_are_asked_to() -> None:
    rows = {point.rows for point in growth.points("rows", 300_000, ["embedded"]) if point.source == "parquet"}
    assert rows == {10_000, 30_000, 100_000, 300_000}


def test_a_line_bends_where_work_outweighs_the_start_and_where_a_unit_gets_dearer() -> None:
    at = [(10.0, 1.0), (100.0, 1.1), (1_000.0, 2.0), (10_000.0, 11.0), (100_000.0, 200.0)]
    assert [x for x, _ in growth.knees(at)] == [1_000.0, 100_000.0]
    assert growth.knees([(1.0, 5.0), (10.0, 6.0)]) == []


def test_a_position_on_a_logarithmic_axis() -> None:
    across = axis([20, 5_000], 100, 300, is_log=True)
    assert [across.position(value) for value in (10, 100, 10_000)] == pytest.approx([100, 200, 400])
    assert across.ticks() == [10, 100, 1_000, 10_000]


def test_a_plain_axis_begins_at_zero() -> None:
    up = axis([3, 47], 200, -100, is_log=False)
    assert (up.low, up.high, up.ticks()) == (0, 50, [0, 10, 20, 30, 40, 50])


@each_of([(47, 10), (1, 0.2), (100, 20), (8, 2)])
def test_steps_are_round(span: float, step: float) -> None:
    assert nice_step(span) == pytest.approx(step)


def test_names_at_the_ends_of_lines_never_overlap() -> None:
    heights = label_heights([100, 101, 250, 99, 252], 44, 256)
    ordered = sorted(heights)
    assert all(later - earlier >= 13 for earlier, later in pairwise(ordered))
    assert ordered[0] >= 44
    assert ordered[-1] <= 256


def test_everything_drawn_lies_in_the_picture() -> None:
    root = ElementTree.fromstring(growth.PICTURE.read_text(encoding="utf-8"))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        for name, end in (("x", width), ("x1", width), ("cx", width), ("y", height), ("y2", height), ("cy", height)):
            assert 0 <= float(element.get(name, 0)) <= end
    for text in root.iter(f"{SVG}text"):  # a letter is about six tenths of its size wide
        wide = len(text.text or "") * 0.6 * float(text.get("font-size", 11))
        left = float(text.get("x", 0)) - {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "start")]
        assert left >= 0
        assert left + wide <= width, text.text


def test_a_line_goes_through_its_points() -> None:
    drawn = draw_charts([Chart("t", "x", "y", [Series("a", [(1, 1), (10, 100)], [10])])])
    (points,) = re.findall(r'points="([^"]+)"', drawn)
    first, last = ([float(part) for part in point.split(",")] for point in points.split())
    assert first[0] < last[0] < WIDTH
    assert HEIGHT > first[1] > last[1]
    assert drawn.count('fill="none" stroke="#1f5fa8" stroke-width="1.5"') == 1


def test_colors_can_be_told_apart_on_paper() -> None:
    for color in COLORS:
        red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
        luminance = sum(
            share * (part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4))
            for share, part in ((0.2126, red), (0.7152, green), (0.0722, blue))
        )
        assert 1.05 / (luminance + 0.05) >= 4, color
