"""`trialrun resolve STORE`: the effective configuration of a store, with the origin of each value."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import click

from trialrun.cli.notes import assumption_rows
from trialrun.cli.output import write_utf8
from trialrun.cli.stores import ActiveStores, active_stores
from trialrun.cli.workspace_options import AT, page_layout, workspace_options
from trialrun.diagnostic import Path, json_pointer
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.origin import errors_object
from trialrun.outputs.resolve import pointer_path, types_setting
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import ELLIPSIS, format_value, truncate
from trialrun.report.table import align_if_wide_enough, join_cells
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text
from trialrun.runtime.channel_config.effective import LABEL_PATHS
from trialrun.runtime.channel_config.field_path import (
    UnknownFieldError,
    UnsetField,
    dotted_path,
    find_field,
    item_name,
    item_names,
    key_fields,
)
from trialrun.runtime.channel_config.layers import LEVELS, Level
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.effective import Conflict, EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer, UnappliedConfig

MAX_ITEMS = 4


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a value: a value that it overrode or conflicts with, and the origin of that."""

    kind: Literal["over", "clash", "unused"]
    text: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a configuration: a value with its origin, or the heading of a message or list."""

    depth: int
    label: str
    value: str = ""
    origin: Origin | None = None
    notes: Sequence[Note] = ()


def rows(effective: EffectiveConfig, path: Path = (), *, unused: Mapping[Path, str] = {}) -> Iterator[Row]:
    """The rows of a configuration, or of the part at a path.

    `unused` maps fields that a session takes from the other type to the text of the note.
    """
    value: Any = effective.value
    parents: list[tuple[Any, str | int]] = []
    for step in path:
        parents.append((value, step))
        value = value[step]
    label = _label(*parents[-1]) if parents else ""
    all_rows = list(_RowBuilder(effective, unused).rows(value, path, label, 0 if parents else -1))
    if parents and not any(
        row.origin for row in all_rows
    ):  # the path is inside a list that is set as one value, so the origin is that of the list
        all_rows[0] = replace(all_rows[0], origin=effective.origin(json_pointer(path)))
    yield from all_rows


def _label(holder: Any, step: str | int) -> str:
    return item_name(holder, step) if isinstance(step, int) else step


class _RowBuilder:
    """Builds the rows of one configuration."""

    def __init__(self, effective: EffectiveConfig, unused: Mapping[Path, str]) -> None:
        self._effective = effective
        self._origins = effective.origins
        self._unused = unused
        self._clashes: dict[str, list[Conflict]] = {}
        for conflict in effective.conflicts:
            self._clashes.setdefault(conflict.pointer, []).append(conflict)

    def rows(self, value: Any, path: Path, label: str, depth: int) -> Iterator[Row]:
        """The row of a value, followed by the rows of its content."""
        pointer = json_pointer(path)
        origin, notes = self._origins.get(pointer), [*self._notes(pointer), *self._origin_of_path(path)]
        is_one_value = origin is not None and (isinstance(value, list) or not value)
        if not isinstance(value, dict | list) or is_one_value:
            yield Row(depth, label, short_value(value), origin, notes)
            return
        named = self._label_field(value, path, label)
        if depth >= 0:
            origin = (self._origins.get(json_pointer((*path, named))) if named else None) or origin
            yield Row(depth, label, "", origin, notes)
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if step != named:
                yield from self.rows(inner, (*path, step), _label(value, step), depth + 1)

    def _label_field(self, value: Any, path: Path, label: str) -> str:
        """The field whose value is the label of a list item; it does not get a row. Empty if there is none."""
        if not isinstance(value, dict) or not path or not isinstance(path[-1], int):
            return ""
        return next((name for name in key_fields() if value.get(name) == label), "")

    def _notes(self, pointer: str) -> Iterator[Note]:
        origin = self._origins.get(pointer)
        conflicts = self._clashes.get(pointer, ())
        for conflict in conflicts:
            yield self._clash_note(conflict)
        conflicting = {
            id(conflict.loser.place.node): conflict.loser.place for conflict in conflicts if conflict.kind == "level"
        }
        for overridden in origin.overrode if origin else ():
            if conflicting.get(id(overridden.place.node)) != overridden.place:
                yield Note("over", short_value(overridden.value), overridden)

    def _clash_note(self, conflict: Conflict) -> Note:
        if conflict.kind == "level":
            settled = ", and neither applies" if conflict.settled else ""
            return Note("clash", f"{short_value(conflict.loser.value)} on the same level{settled}", conflict.loser)
        upsells = self._effective.value["operationsConfig"]["upsellStrategy"]["upsells"]
        first = int(conflict.winner_pointer.split("/")[-2])
        return Note("clash", f'"{item_name(upsells, first)}" has it too, and comes first', conflict.winner)

    def _origin_of_path(self, path: Path) -> Iterator[Note]:
        if path in self._unused:
            yield Note("unused", self._unused[path])


def short_value(value: Any) -> str:
    """A value on one line; a list is shown by the names of its first items."""
    if isinstance(value, list):
        names = [_item_name(item) for item in value[:MAX_ITEMS]]
        more = f", … {len(value)} in all" if len(value) > MAX_ITEMS else ""
        return f"[{', '.join(names)}{more}]"
    if isinstance(value, dict):
        return f"{{{', '.join(value)}}}" if value else "{}"
    return format_value(value.strip() or value) if isinstance(value, str) else format_value(value)


def _item_name(value: Any) -> str:
    """The display name of a list item."""
    if not isinstance(value, dict):
        return format_value(value)
    name = next(item_names(value), None)
    return "{…}" if name is None else format_value(name)


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


MAX_NAMES = 10
ORIGIN_WIDTH = 60
"""Approximate width of the origin next to a value; a longer value is printed again in full."""


def require_field(stores: Sequence[ActiveConfig], field: str) -> None:
    """Raise UsageError for a field that no config has, or for an item that no store has."""
    try:
        results = [find_field(effective.value, field) for store in stores for effective in store.types.values()]
    except UnknownFieldError as error:
        raise UsageError(f"--field: {error}") from error
    missing = [result for result in results if isinstance(result, UnsetField)]
    known = list(dict.fromkeys(name for unset_field in missing for name in unset_field.item_names))
    if len(missing) == len(results) and known:
        name = next(unset_field.missing for unset_field in missing if unset_field.item_names)
        listed = f"; there are {', '.join(known[:MAX_NAMES])}{', …' if len(known) > MAX_NAMES else ''}"
        raise UsageError(f'--field: there is no "{name}"{did_you_mean(name, known) or listed}')


def field_text(title: str, store: ActiveConfig, field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """One field with its origin, for each type that sets it; long texts are shown in full."""
    yield from store_header(title, store, width=width, paint=paint)
    settings = list(types_setting(store, field))
    if not settings:
        yield f"\n{escape_controls(field)}\n{INDENT}{paint('not set at this store', 'gutter')}\n"
    for kind, effective, setting in settings:
        path = pointer_path(effective.value, setting.pointer)
        yield f"\n{paint(kind, 'rule')}  {escape_controls(dotted_path(effective.value, path))}\n"
        field_rows = rows(effective, path, unused=_unused(effective, store, path))
        yield from format_rows(field_rows, width=width, paint=paint)
        yield from _full_text(setting.value, width)


def _unused(effective: EffectiveConfig, store: ActiveConfig, path: Path) -> dict[Path, str]:
    """Notes, by path, if a session takes the field or a part of it from the config of the other type."""
    notes = fields_of_other_type(effective, store)
    enclosing = [text for start, text in notes.items() if path[: len(start)] == start]
    return {path: enclosing[0]} if enclosing else dict(notes)


def _full_text(value: Any, width: int) -> Iterator[str]:
    """The full text of a value that did not fit on one line of the rows."""
    texts: list[str] = []
    if isinstance(value, str) and (len(value) > max(MIN_LEFT_WIDTH, width - ORIGIN_WIDTH) or "\n" in value.strip()):
        texts = value.splitlines()
    elif isinstance(value, list) and not all(isinstance(item, dict) and "priority" in item for item in value):
        texts = [
            format_value(item) if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in value
        ]
    for number, text in enumerate(texts):
        if not number:
            yield "\n"
        first, *rest = wrap_text(escape_controls(text), first=width - len(INDENT), rest=width - 2 * len(INDENT))
        yield f"{INDENT}{first}".rstrip() + "\n"
        yield from (f"{INDENT * 2}{line}\n" for line in rest)


class ResolveView(Protocol):
    """A result: as text and as a JSON object, of stores whose documents may have errors."""

    stores: ActiveStores

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The text output."""

    def object(self) -> dict[str, Any]:
        """The JSON output."""


@dataclass
class OneStoreView:
    """The effective configuration of one store, or one field of it."""

    stores: ActiveStores
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The configuration with the origin of each value."""

        active_config = self.stores.active_configs[0]
        title = _title(active_config, self.stores.catalog)
        if self.field is None:
            return store_text(title, active_config, width=width, paint=paint)
        return field_text(title, active_config, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The JSON object described in the JSON Schema of `resolve`."""
        from trialrun.outputs.resolve import field_object, store_object

        active_config = self.stores.active_configs[0]
        content = store_object(active_config) if self.field is None else field_object(active_config, self.field)
        return {**content, "errors": errors_object(self.stores.errors)}


@dataclass
class AllStoresView:
    """The effective configurations of all stores, or one field of each."""

    stores: ActiveStores
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The groups of equal stores, and the differences between them."""
        from trialrun.cli.resolve_matrix import field_matrix, matrix

        if self.field is None:
            return matrix(self.stores.active_configs, width=width, paint=paint)
        return field_matrix(self.stores.active_configs, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The groups, each with its differences from the first."""
        from trialrun.outputs.resolve import field_matrix_object, matrix_object

        configs = self.stores.active_configs
        content = matrix_object(configs) if self.field is None else field_matrix_object(configs, self.field)
        return {**content, "errors": errors_object(self.stores.errors)}


def resolve_view(store: str | None, field: str | None, options: dict[str, Any]) -> ResolveView:
    """The effective configuration of one store, or of all without a name. Raises UsageError."""

    stores = active_stores(store, options)
    if field is not None:
        require_field(stores.active_configs, field)
    return OneStoreView(stores, field) if store is not None else AllStoresView(stores, field)


def _title(active_config: ActiveConfig, catalog: BrandCatalog) -> str:
    """The id of a store, or its full name if several stores have the id."""
    from trialrun.values.resource_name import last_id

    id = last_id(active_config.store.name)
    return id if sum(last_id(store.name) == id for store in catalog.stores) == 1 else active_config.store.name


@click.command("resolve")
@click.argument("store", required=False, metavar="[STORE]")
@click.option(
    "--field", metavar="PATH", help="Show only this field, such as operationsConfig.greetings[en-US] or tone."
)
@click.option("--all-stores", is_flag=True, help="Compare all stores: which are equal, and what differs.")
@AT
@workspace_options
def command(store: str | None, field: str | None, all_stores: bool, **options: Any) -> int:
    """Show the effective configuration of a store, by type, with the origin of each value.

    A STORE is the name of a store of a Brand, or the end of one. Next to each value are the level that sets it, the
    file and the line, and below it the values that it overrode and those that conflict with it on the same level. A
    field is a path with dots, with list items by their names (operationsConfig.upsellStrategy.upsells[Fries with
    burgers]), or a JSON Pointer. Nothing in a Brand depends on time, so --at has no effect. Exit code 1: the documents
    that the result depends on have errors.
    """

    if all_stores == (store is not None):
        raise UsageError("give either a STORE or --all-stores")
    view = resolve_view(store, field, options)
    if options["output_format"] == "json":
        from trialrun.report.json_encoding import json_text

        write_utf8([json_text(view.object()), "\n"])
    else:
        width, paint = page_layout(options["color"])
        sys.stdout.writelines(view.text(width, paint))
    return view.stores.report_errors(options["color"])
