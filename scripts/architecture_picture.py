"""Write docs/architecture.svg: the packages of src/trialrun in layers, as their imports order them.

python scripts/architecture_picture.py
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "trialrun"
PICTURE = ROOT / "docs" / "architecture.svg"
FOUNDATION = "foundation"
"""The box of the modules directly below src/trialrun; every package may import them, so arrows to it are left out."""
ROLES = {
    "api": "the Python library",
    "cli": "one file per command",
    "lsp": "the editor server",
    "server": "both APIs by HTTP and gRPC",
    "testing": "servers for tests",
    "outputs": "JSON of commands, schemas",
    "templates": "first files: init, new",
    "importers": "from APIs, Terraform, schemas",
    "changes": "plans between two revisions",
    "page": "the HTML page of a workspace",
    "workspace": "files, cache, fixes, dry runs",
    "service": "operations of the endpoints",
    "report": "one file per output format",
    "rules": "one file per rule (in rules/)",
    "lint": "rule engine, settings",
    "runtime": "sync, serve, search; sessions",
    "fix": "fixes as verified text edits",
    "model": "resources and companions",
    "parser": "YAML and JSON with positions",
    "values": "small languages inside strings",
}
HIDDEN_LIBRARIES = {"_typeshed", "annotated_types", "google", "pydantic_core", "typing_extensions"}
"""Libraries that come with another one of the same box, or that only name types."""
IMPORTED_BY_NAME = {"runtime": {"faiss"}}
"""Libraries that a package imports without an import statement."""
WIDTH, MARGIN, BOX_WIDTH, BOX_HEIGHT, GAP, ROW = 960, 20, 214, 84, 20, 136
FOUNDATION_HEIGHT, LINE = 66, 15
FILL, EDGE, TEXT, SOFT, ARROW = "#e8eef7", "#5b7aa6", "#16202e", "#4a5a70", "#8190a5"

Graph = Mapping[str, frozenset[str]]


@cache
def syntax_nodes(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of a module, itself first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def import_nodes(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The imports of a module, at its top or in a function."""
    return tuple(node for node in syntax_nodes(path) if isinstance(node, ast.Import | ast.ImportFrom))


def imported_modules(path: Path) -> Iterator[str]:
    """The modules that a file imports, at its top or in a function."""
    for node in import_nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.module == "trialrun":
            yield from (f"trialrun.{alias.name}" for alias in node.names)
        elif node.module:
            yield node.module


def package_files() -> dict[str, list[Path]]:
    """The files of each package, and of the rules."""
    folders = [path for path in sorted(SOURCE.iterdir()) if (path / "__init__.py").is_file()]
    return {folder.name: sorted(folder.rglob("*.py")) for folder in [*folders, ROOT / "rules"]}


def package_imports() -> dict[str, frozenset[str]]:
    """The packages that each package imports directly."""
    files = package_files()
    modules = {name: {module for path in paths for module in imported_modules(path)} for name, paths in files.items()}
    own = {
        name: {each.split(".")[1] for each in found if each.startswith("trialrun.")} for name, found in modules.items()
    }
    return {name: frozenset(own[name] & files.keys() - {name}) for name in files}


def libraries() -> dict[str, list[str]]:
    """The third-party libraries that each package imports."""
    ours = sys.stdlib_module_names | {"trialrun", "__future__"} | HIDDEN_LIBRARIES
    return {
        name: sorted(
            {module.split(".")[0] for path in paths for module in imported_modules(path)} - ours
            | IMPORTED_BY_NAME.get(name, set())
        )
        for name, paths in package_files().items()
    }


def reachable(graph: Graph, start: str) -> frozenset[str]:
    below = graph[start]
    return below.union(*(reachable(graph, name) for name in below))


def direct_edges(graph: Graph) -> dict[str, frozenset[str]]:
    """The imports without those that follow from others."""
    return {
        name: frozenset(below - frozenset().union(*(reachable(graph, other) for other in below)))
        for name, below in graph.items()
    }


def layers(graph: Graph) -> list[list[str]]:
    """The packages in rows, the top one first: each below all that import it, and no lower than these allow."""

    @cache
    def height(name: str) -> int:
        return 1 + max((height(below) for below in graph[name]), default=-1)

    @cache
    def placed(name: str) -> int:
        above = [placed(other) for other in graph if name in graph[other]]
        return min(above) - 1 if above else height(name)

    heights = {name: placed(name) for name in graph}
    return [sorted(name for name in graph if heights[name] == row) for row in sorted({*heights.values()}, reverse=True)]


def centers(row: Sequence[str]) -> dict[str, float]:
    whole = len(row) * BOX_WIDTH + (len(row) - 1) * GAP
    start = (WIDTH - whole) / 2 + BOX_WIDTH / 2
    return {name: start + index * (BOX_WIDTH + GAP) for index, name in enumerate(row)}


def arranged(rows: list[list[str]], edges: Graph) -> list[list[str]]:
    """The rows with boxes near those that they are connected with."""
    rows = [list(row) for row in rows]
    for _ in range(4):
        for index, row in enumerate(rows):
            others = {name: x for other in rows if other is not row for name, x in centers(other).items()}
            rows[index] = list(min(permutations(sorted(row)), key=lambda order: arrow_length(order, others, edges)))
    return rows


def arrow_length(order: Sequence[str], others: Mapping[str, float], edges: Graph) -> float:
    own = centers(order)
    both = [(upper, lower) for upper, below in edges.items() for lower in sorted(below)]
    spans = [abs(own[a] - others[b]) for a, b in both if a in own and b in others]
    return sum(span**1.5 for span in [*spans, *(abs(own[b] - others[a]) for a, b in both if b in own and a in others)])


def label(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" {style}>{escape(text)}</text>'


def frame(x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="7" '
        f'fill="{FILL}" stroke="{EDGE}" stroke-width="1.2"/>'
    )


NAME = f'font-size="15" font-weight="600" fill="{TEXT}"'
ROLE = f'font-size="12.5" fill="{TEXT}"'
DETAIL = f'font-size="11.5" fill="{SOFT}"'


def box(name: str, x: float, y: float, uses: Sequence[str]) -> Iterator[str]:
    yield frame(x - BOX_WIDTH / 2, y, BOX_WIDTH, BOX_HEIGHT)
    yield label(x, y + 28, name, NAME)
    yield label(x, y + 49, ROLES[name], ROLE)
    if uses:
        yield label(x, y + 69, f"uses {', '.join(uses)}", DETAIL)


def arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = start, end
    middle = (y + to_y) / 2
    path = f"M{x:g} {y:g} C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y - 7:g}"
    return f'<path d="{path}" fill="none" stroke="{ARROW}" stroke-width="1.5" marker-end="url(#head)"/>'


def ports(name: str, others: Sequence[str], x: Mapping[str, float]) -> dict[str, float]:
    """Where the arrows of one side of a box begin or end, side by side in the order of what they lead to."""
    ordered = sorted(others, key=lambda other: (x[other], other))
    return {other: x[name] + (index - (len(ordered) - 1) / 2) * 34 for index, other in enumerate(ordered)}


def arrows(edges: Graph, x: Mapping[str, float], y: Mapping[str, float]) -> Iterator[str]:
    above = {name: [upper for upper in edges if name in edges[upper]] for name in edges}
    for upper, below in edges.items():
        for lower in sorted(below):
            start = ports(upper, [*below], x)[lower], y[upper] + BOX_HEIGHT
            yield arrow(start, (ports(lower, above[lower], x)[upper], y[lower]))


def foundation(y: float) -> Iterator[str]:
    names = sorted(path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("_"))
    half = (len(names) + 1) // 2
    yield frame(MARGIN, y, WIDTH - 2 * MARGIN, FOUNDATION_HEIGHT)
    yield label(WIDTH / 2, y + 20, f"{FOUNDATION}: single modules that every package may import", ROLE)
    yield label(WIDTH / 2, y + 39, " · ".join(names[:half]), DETAIL)
    yield label(WIDTH / 2, y + 39 + LINE, " · ".join(names[half:]), DETAIL)


def picture() -> str:
    """The SVG of the packages."""
    graph = package_imports()
    edges = direct_edges(graph)
    rows = arranged(layers(graph), edges)
    x = {name: center for row in rows for name, center in centers(row).items()}
    y = {name: MARGIN + index * ROW for index, row in enumerate(rows) for name in row}
    bottom = MARGIN + len(rows) * ROW - (ROW - BOX_HEIGHT) + 22
    height = bottom + FOUNDATION_HEIGHT + MARGIN
    uses = libraries()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        "<title>Packages of trialrun: an arrow means imports; imports that follow from others are left out</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{ARROW}"/></marker></defs>',
        *arrows(edges, x, y),
        *(part for row in rows for name in row for part in box(name, x[name], y[name], uses[name])),
        *foundation(bottom),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
