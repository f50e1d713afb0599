"""Text output of `trialrun resolve`: the effective configuration of a store, with origins in a second column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.cli.notes import assumption_rows
from trialrun.cli.resolve.rows import Note, Row, rows
from trialrun.lazy_dataclass import dataclass
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import ELLIPSIS, truncate
from trialrun.report.table import align_if_wide_enough, join_cells
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text
from trialrun.runtime.channel_config.effective import LABEL_PATHS
from trialrun.runtime.channel_config.layers import LEVELS, Level
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer, UnappliedConfig

INDENT = "  "
GAP = 2
MIN_LEFT_WIDTH = 40
"""Minimum width for values next to their origins; on narrower pages, origins are on separate lines."""
MAX_LEFT_WIDTH = 88
"""Maximum width for values, so that origins stay close to them."""
STYLES: dict[Level, Style] = {
    "brand-default": "gutter",
    "brand-binding": "place",
    "store-default": "related",
    "store-binding": "help",
}
LEVEL_WIDTH = max(map(len, LEVELS))
SIGNS = {"over": "over ", "clash": "clash: ", "unused": ""}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output in two columns: a text and its origin."""

    text: str
    origin: Origin | None
    style: Style | None = None
    indent: str = ""


def store_text(title: str, store: ActiveConfig, *, width: int, paint: Paint) -> Iterator[str]:
    """The complete output for a store: a header, then the configuration of each type."""
    yield from store_header(title, store, width=width, paint=paint)
    for kind, effective in store.types.items():
        yield "\n"
        count = len(effective.conflicts)
        conflict_count = f"  {count} clash{'es' if count > 1 else ''}" if count else ""
        yield f"{paint(kind, 'rule')}{paint(conflict_count, 'warning')}\n"
        if not effective.layers:
            yield f"{INDENT}{paint('no config of this type applies', 'gutter')}\n"
            continue
        yield from _layers(effective.layers, width=width, paint=paint)
        yield "\n"
        unused = fields_of_other_type(effective, store)
        yield from format_rows(rows(effective, unused=unused), width=width, paint=paint)
    yield "\n"
    yield from assumption_rows(store.assumptions, width=width, paint=paint)


def store_header(title: str, active_config: ActiveConfig, *, width: int, paint: Paint) -> Iterator[str]:
    """The store, and warnings about defaults and bindings without effect."""
    node = active_config.store.store
    named = [text for text in (node.displayName, ", ".join(node.tags or ())) if text]
    line = f"{escape_controls(title)}  {escape_controls(' · '.join(named))}"
    first, *rest = wrap_text(line, first=width, rest=width)
    yield paint(escape_controls(title), "rule") + first.removeprefix(escape_controls(title)).rstrip() + "\n"
    yield from (f"{line}\n" for line in rest)
    yield paint(truncate(f"{active_config.store.brand.path}:{active_config.store.line}", width), "gutter") + "\n"
    for binding in active_config.unapplied:
        yield from unapplied_text(binding, width=width, paint=paint)


def unapplied_text(unapplied: UnappliedConfig, *, width: int, paint: Paint) -> Iterator[str]:
    """A warning about a default or binding without effect, with the reason."""
    rule = f' of the rule "{unapplied.rule}"' if unapplied.rule else ""
    source = f"{unapplied.brand.path}:{unapplied.line}"
    message = f"the {level_text(unapplied.level)}{rule} has no effect: {unapplied.reason} ({source})"
    for number, line in enumerate(wrap_text(escape_controls(message), first=width - 9, rest=width - 9)):
        yield f"{paint('warning', 'warning') if not number else ' ' * 7}  {line}\n"


def _layers(layers: Sequence[Layer], *, width: int, paint: Paint) -> Iterator[str]:
    """The configs that apply, in order of precedence, with the rule and the line that binds each."""
    cells = [
        [
            level_text(layer.level),
            last_id(layer.config.node.name or ""),
            f"{layer.brand.path}:{layer.line}",
            layer.rule or "",
        ]
        for layer in layers
    ]
    rows = align_if_wide_enough(cells, width=width - len(INDENT))
    is_cut = any(ELLIPSIS in cell for row in rows for cell in row)
    for layer, (level, *rest), (_, name, location, rule) in zip(layers, rows, cells, strict=True):
        details = truncate(name, width - LEVEL_WIDTH - 2 * len(INDENT)) if is_cut else join_cells(rest)
        yield f"{INDENT}{paint(level, STYLES[layer.level])}  {details}\n"
        if is_cut:
            indent = " " * (LEVEL_WIDTH + 2 * len(INDENT))
            room = width - len(indent)
            lines = wrap_text(escape_controls(f"{location}  {rule}").rstrip(), first=room, rest=room)
            yield from (f"{indent}{paint(line, 'gutter')}\n" for line in lines)


def fields_of_other_type(effective: EffectiveConfig, store: ActiveConfig) -> Mapping[Path, str]:
    """Notes, by path, about fields that a session takes from the config of the other type."""
    fields: list[tuple[str, ...]] = [("tone",), ("supplementalInstructions",)]
    fields += [("operationsConfig", name) for name in effective.value.get("operationsConfig", ())]
    taken = {field: store.source_of(*field) for field in fields if field not in LABEL_PATHS}
    return {
        field: f"a session uses the one of {other.type}"
        for field, other in taken.items()
        if other not in (None, effective)
    }


def format_rows(all_rows: Iterator[Row], *, width: int, paint: Paint) -> Iterator[str]:
    """Rows in two columns if the page is wide enough, otherwise each origin below its value."""
    lines = [line for row in all_rows for line in _lines(row)]
    right = max((width_of(origin_text(line.origin)) for line in lines if line.origin), default=0)
    room = width - right - GAP
    if room < MIN_LEFT_WIDTH:
        for line in lines:
            yield from _stack_lines(line, width, paint)
        return
    left = min(room, MAX_LEFT_WIDTH, max(width_of(line.indent + line.text) for line in lines))
    for line in lines:
        text = truncate(line.indent + line.text, left)
        gap = " " * (left - width_of(text) + GAP)
        shown = paint(text, line.style) if line.style else text
        yield f"{shown}{gap}{_paint_line(line, paint)}".rstrip() + "\n" if line.origin else f"{shown}\n"


def _stack_lines(line: Line, width: int, paint: Paint) -> Iterator[str]:
    text = truncate(line.indent + line.text, width)
    if line.origin and line.style and width_of(f"{text}  {short_origin(line.origin)}") <= width:
        yield f"{paint(text, line.style)}  {paint(short_origin(line.origin), 'gutter')}\n"
        return
    yield (paint(text, line.style) if line.style else text) + "\n"
    if line.origin:
        room = max(width - width_of(origin_text(line.origin)), 0)
        yield f"{(line.indent + INDENT * 2)[:room]}{_paint_line(line, paint)}\n"


def _lines(row: Row) -> Iterator[Line]:
    indent = INDENT * (row.depth + 1)
    label = escape_controls(row.label)
    yield Line(f"{label}: {row.value}" if row.value else label, row.origin, indent=indent)
    for note in row.notes:
        yield Line(f"{SIGNS[note.kind]}{note.text}", note.origin, _style(note), indent + INDENT)


def _style(note: Note) -> Style:
    return "warning" if note.kind == "clash" else "gutter"


def _paint_line(line: Line, paint: Paint) -> str:
    if line.origin is None:
        return ""
    if line.style == "gutter":
        return paint(origin_text(line.origin), "gutter")
    level = f"{level_text(line.origin.level):<{LEVEL_WIDTH}}"
    return f"{paint(level, STYLES[line.origin.level])}  {place_text(line.origin)}"


def origin_text(origin: Origin) -> str:
    """The level and location of a value, aligned in columns."""
    return f"{level_text(origin.level):<{LEVEL_WIDTH}}  {place_text(origin)}"


def short_origin(origin: Origin) -> str:
    """The level and location of a value, without alignment."""
    return f"{level_text(origin.level)}  {place_text(origin)}"


def place_text(origin: Origin) -> str:
    """The file and line of a value."""
    return escape_controls(f"{origin.path}:{origin.line}")


def level_text(level: Level) -> str:
    """A level as words."""
    return level.replace("-", " ")
