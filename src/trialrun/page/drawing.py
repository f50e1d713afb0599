"""Drawings of rectangles, lines and texts: the page shows them as SVG elements, and a command writes them as a file.

A shape is a list: `["rect", class, x, y, width, height, title]`, `["line", class, x1, y1, x2, y2]`,
`["circle", class, x, y, radius, title]` or `["text", class, x, y, text]`; the style gives classes their colors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from trialrun.lazy_dataclass import dataclass

Shape = Sequence[Any]
NAMES = {
    "rect": ("x", "y", "width", "height"),
    "line": ("x1", "y1", "x2", "y2"),
    "circle": ("cx", "cy", "r"),
    "text": ("x", "y"),
}
STYLE = """\
svg { background: #ffffff; font: 12px system-ui, sans-serif; }
text { fill: #1c2430; } .tick, .faint { fill: #566274; font-size: 11px; } .end { text-anchor: end; }
.middle { text-anchor: middle; } .title { font-size: 14px; font-weight: 600; }
.grid { stroke: #d9dde3; } .strong { stroke: #8b95a3; } .row { fill: #f6f7f9; }
.run { fill: #0b5cad; } .gap { fill: #fdeceb; } .herd { fill: #b3261e; } .skipped { fill: none; stroke: #b3261e; }
.doubled { fill: #b3261e; }
"""


@dataclass(frozen=True)
class Drawing:
    """A picture of a size, with what it shows in words."""

    width: int
    height: int
    label: str
    shapes: Sequence[Shape]

    def to_json(self) -> dict[str, Any]:
        """The drawing as the page has it."""
        size = {"width": self.width, "height": self.height}
        return {**size, "label": self.label, "shapes": [list(shape) for shape in self.shapes]}


def drawing_svg(drawings: Sequence[Drawing]) -> Iterator[str]:
    """An SVG file with some drawings below each other."""
    width = max((drawing.width for drawing in drawings), default=0)
    height = sum(drawing.height for drawing in drawings)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
    yield f"<!-- trialrun report -->\n<style>\n{STYLE}</style>\n"
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
    top = 0
    for drawing in drawings:
        yield f'<g transform="translate(0 {top})">\n<title>{_text(drawing.label)}</title>\n'
        yield from (f"{_element(shape)}\n" for shape in drawing.shapes)
        yield "</g>\n"
        top += drawing.height
    yield "</svg>\n"


def _element(shape: Shape) -> str:
    tag, style, *numbers = shape
    names = NAMES[tag]
    attributes = "".join(f' {name}="{number:g}"' for name, number in zip(names, numbers, strict=False))
    content = str(numbers[len(names)]) if len(numbers) > len(names) else ""
    inner = _text(content) if tag == "text" else f"<title>{_text(content)}</title>" if content else ""
    return f"<{tag} class={quoteattr(style)}{attributes}>{inner}</{tag}>"


def _text(text: str) -> str:
    """A text of a workspace: nothing in it is markup, and control characters are shown by their numbers."""
    from trialrun.report.terminal_width import escape_controls

    return escape(escape_controls(text))
