"""The map of vectors as a drawing."""

from __future__ import annotations

from trialrun.page.vectors_section import vector_drawings

MENU = {
    "points": [0, 0, 500, 250],
    "ids": ["cola", "cake"],
    "colors": {"category": {"names": ["drinks", "desserts"], "of": [0, 1]}},
    "total": 2,
    "explained": [0.75, 0.25],
}


def test_each_vector_is_a_point_in_the_color_of_its_category() -> None:
    (drawing,) = vector_drawings({"maps": {"projects/p/featureViews/menu": MENU}})
    assert drawing.label == "menu: 2 of 2 vectors, 75% and 25% of their variance"
    points = [shape for shape in drawing.shapes if shape[0] == "circle" and len(shape) == 6]
    assert [(shape[1], shape[5]) for shape in points] == [("c0", "cola"), ("c1", "cake")]
    assert [points[1][2] - points[0][2], points[0][3] - points[1][3]] == [300, 150]


def test_the_legend_has_each_category_beside_its_color() -> None:
    (drawing,) = vector_drawings({"maps": {"projects/p/featureViews/menu": MENU}})
    dots = [shape for shape in drawing.shapes if shape[0] == "circle" and len(shape) == 5]
    names = [shape for shape in drawing.shapes if shape[1] == "label"]
    assert [(dot[1], name[4]) for dot, name in zip(dots, names, strict=True)] == [("c0", "drinks"), ("c1", "desserts")]
    assert [name[2] - dot[2] for dot, name in zip(dots, names, strict=True)] == [12, 12]
    assert [name[3] - dot[3] for dot, name in zip(dots, names, strict=True)] == [4, 4]
