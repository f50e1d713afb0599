"""Write docs/architecture.svg: the packages of src/trialrun in layers, as their imports order them.

python scripts/architecture_picture.py
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    "prove": "conditions by a solver",
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


def direct_edges(graph: Graph) -> dict[str, frozenset[str]]:
    """The imports without those that follow from others."""

    def reachable(name: str) -> frozenset[str]:
        return graph[name].union(*map(reachable, graph[name]))

    return {name: below - frozenset().union(*map(reachable, below)) for name, below in graph.items()}


def layers(graph: Graph, edges: Graph) -> list[list[str]]:
    """The packages in rows, the top one first: each below all that import it, and near those with an arrow to it."""

    @cache
    def placed(name: str) -> int:
        above = [placed(other) for other in graph if name in graph[other]]
        return min(above) - 1 if above else height(name)

    @cache
    def height(name: str) -> int:
        return 1 + max((height(below) for below in graph[name]), default=-1)

    rows = [
        sorted(name for name in graph if placed(name) == row) for row in sorted({*map(placed, graph)}, reverse=True)
    ]
    arrows = [(upper, lower) for upper, below in edges.items() for lower in sorted(below)]

    def length(order: Sequence[str], others: Mapping[str, float]) -> float:
        x = {**others, **centers(order)}
        return sum(abs(x[one] - x[other]) ** 1.5 for one, other in arrows)

    for _ in range(4):
        for index, row in enumerate(rows):
            others = {name: x for other in rows for name, x in centers(other).items()}
            rows[index] = list(min(permutations(sorted(row)), key=lambda order: length(order, others)))
    return rows


def centers(row: Sequence[str]) -> dict[str, float]:
    start = (WIDTH - (len(row) - 1) * (BOX_WIDTH + GAP)) / 2
    return {name: start + index * (BOX_WIDTH + GAP) for index, name in enumerate(row)}


def label(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" {style}>{escape(text)}</text>'


def frame(x: float, y: float, width: float, height: float) -> str:
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {place} rx="7" fill="{FILL}" stroke="{EDGE}" stroke-width="1.2"/>'


NAME = f'font-size="15" font-weight="600" fill="{TEXT}"'
ROLE = f'font-size="12.5" fill="{TEXT}"'
DETAIL = f'font-size="11.5" fill="{SOFT}"'


def arrows(edges: Graph, x: Mapping[str, float], y: Mapping[str, float]) -> Iterator[str]:
    """The arrows, side by side at a box in the order of what they lead to."""

    def port(name: str, other: str, others: Iterable[str]) -> float:
        ordered = sorted(others, key=lambda one: (x[one], one))
        return x[name] + (ordered.index(other) - (len(ordered) - 1) / 2) * 34

    for upper, below in edges.items():
        for lower in sorted(below):
            start, top = port(upper, lower, below), y[upper] + BOX_HEIGHT
            end, bottom = port(lower, upper, (name for name in edges if lower in edges[name])), y[lower]
            middle = (top + bottom) / 2
            path = f"M{start:g} {top:g} C{start:g} {middle:g} {end:g} {middle:g} {end:g} {bottom - 7:g}"
            yield f'<path d="{path}" fill="none" stroke="{ARROW}" stroke-width="1.5" marker-end="url(#head)"/>'


def picture() -> str:
    """The SVG of the packages."""
    graph = package_imports()
    edges = direct_edges(graph)
    rows = layers(graph, edges)
    x = {name: center for row in rows for name, center in centers(row).items()}
    y = {name: MARGIN + index * ROW for index, row in enumerate(rows) for name in row}
    bottom = MARGIN + len(rows) * ROW - (ROW - BOX_HEIGHT) + 22
    height = bottom + FOUNDATION_HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        "<title>Packages of trialrun: an arrow means imports; imports that follow from others are left out</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{ARROW}"/></marker></defs>',
        *arrows(edges, x, y),
    ]
    uses = libraries()
    for name in (name for row in rows for name in row):
        parts.append(frame(x[name] - BOX_WIDTH / 2, y[name], BOX_WIDTH, BOX_HEIGHT))
        parts.append(label(x[name], y[name] + 28, name, NAME))
        parts.append(label(x[name], y[name] + 49, ROLES[name], ROLE))
        if uses[name]:
            parts.append(label(x[name], y[name] + 69, f"uses {', '.join(uses[name])}", DETAIL))
    names = sorted(path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("_"))
    half = (len(names) + 1) // 2
    parts.append(frame(MARGIN, bottom, WIDTH - 2 * MARGIN, FOUNDATION_HEIGHT))
    parts.append(label(WIDTH / 2, bottom + 20, f"{FOUNDATION}: single modules that every package may import", ROLE))
    parts.append(label(WIDTH / 2, bottom + 39, " · ".join(names[:half]), DETAIL))
    parts.append(label(WIDTH / 2, bottom + 39 + LINE, " · ".join(names[half:]), DETAIL))
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
