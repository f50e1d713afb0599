"""The section of vectors: a map of those of each view, which only a page with data has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialrun.page.drawing import Drawing, Shape
from trialrun.runtime.feature_view.vector_map import MAX_POINTS, SIDE
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trialrun.page.sources import PageSources

MARGIN, HEAD, LEGEND = 24, 44, 220
COLORS = 8


def vectors_section(sources: PageSources) -> dict[str, Any] | None:
    """The maps by the resource names of their views; None without any."""
    if not sources.choices.with_data:
        return None
    maps = {name: synced.vectors for name, synced in sources.synced.items() if synced.vectors}
    return {"maps": maps, "side": SIDE, "most": MAX_POINTS} if maps else None


def vector_drawings(section: dict[str, Any]) -> Iterator[Drawing]:
    """A drawing of each map, colored by its first filter column."""
    for name, found in section["maps"].items():
        yield _drawing(last_id(name), found)


def _drawing(name: str, found: dict[str, Any]) -> Drawing:
    column, colors = next(iter(found["colors"].items()), ("", {"names": [], "of": []}))
    points = list(zip(found["points"][::2], found["points"][1::2], strict=True))
    shares = " and ".join(f"{share:.0%}" for share in found["explained"])
    title = f"{name}: {len(points):,} of {found['total']:,} vectors, {shares} of their variance"
    shapes: list[Shape] = [["text", "title", MARGIN, 20, title]]
    for place, (x, y) in enumerate(points):
        color = colors["of"][place] % COLORS if colors["of"] else 1
        shapes.append(["circle", f"c{color}", MARGIN + x * 0.6, HEAD + (SIDE - y) * 0.6, 2.5, found["ids"][place]])
    for place, category in enumerate(colors["names"]):
        y = HEAD + 16 + 18 * place
        shapes.append(["circle", f"c{place % COLORS}", MARGIN + SIDE * 0.6 + 24, y - 4, 4])
        shapes.append(["text", "label", MARGIN + SIDE * 0.6 + 36, y, category[:30]])
    if column:
        shapes.append(["text", "faint", MARGIN + SIDE * 0.6 + 20, HEAD - 4, column])
    width = int(MARGIN * 2 + SIDE * 0.6 + LEGEND)
    return Drawing(width, int(HEAD + SIDE * 0.6 + MARGIN), title, shapes)
