"""Text output of `trialrun resolve STORE`: the effective configuration, or one field, with origins beside values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trialrun.cli.notes import assumption_rows
from trialrun.diagnostic import Path, json_pointer
from trialrun.outputs.resolve import types_setting
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import ELLIPSIS, align_if_wide_enough, format_value, join_cells, truncate
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.active_config import LABEL_PATHS, parse_pointer
from trialrun.runtime.channel_config.field_path import dotted_path, item_name, item_names, key_fields
from trialrun.runtime.channel_config.layers import LEVELS, Level
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import ActiveConfig, Conflict, EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer

INDENT = "  "
GAP = 2
MAX_ITEMS = 4
MIN_LEFT_WIDTH = 40
"""Minimum width for values next to their origins; on narrower pages, origins are on separate lines."""
MAX_LEFT_WIDTH = 88
"""Maximum width for values, so that origins stay close to them."""
ORIGIN_WIDTH = 60
"""Approximate width of the origin next to a value; a longer value is printed again in full."""
STYLES: dict[Level, Style] = {
    "brand-default": "gutter",
    "brand-binding": "place",
    "store-default": "related",
    "store-binding": "help",
}
LEVEL_WIDTH = max(map(len, LEVELS))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output in two columns: a text and its origin. Those with a style are notes below a value."""

    text: str
    origin: Origin | None
    style: Style | None = None
    indent: str = ""


def store_text(title: str, store: ActiveConfig, *, width: int, paint: Paint) -> Iterator[str]:
    """The complete output for a store: a header, then the configuration of each type."""
    yield from _store_header(title, store, width=width, paint=paint)
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
        lines = _value_lines(effective, (), _fields_of_other_type(effective, store))
        yield from _format_lines(lines, width=width, paint=paint)
    yield "\n"
    yield from assumption_rows(store.assumptions, width=width, paint=paint)


def field_text(title: str, store: ActiveConfig, field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """One field with its origin, for each type that sets it; long texts are shown in full."""
    yield from _store_header(title, store, width=width, paint=paint)
    settings = list(types_setting(store, field))
    if not settings:
        yield f"\n{escape_controls(field)}\n{INDENT}{paint('not set at this store', 'gutter')}\n"
    for kind, effective, setting in settings:
        path = parse_pointer(setting.pointer)
        yield f"\n{paint(kind, 'rule')}  {escape_controls(dotted_path(effective.value, path))}\n"
        unused = _fields_of_other_type(effective, store)
        if enclosing := [text for start, text in unused.items() if path[: len(start)] == start]:
            unused = {path: enclosing[0]}
        yield from _format_lines(_value_lines(effective, path, unused), width=width, paint=paint)
        yield from _full_text(setting.value, width)


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


def _store_header(title: str, config: ActiveConfig, *, width: int, paint: Paint) -> Iterator[str]:
    """The store, and warnings about defaults and bindings without effect, with the reasons."""
    node, name = config.store.store, escape_controls(title)
    named = [text for text in (node.displayName, ", ".join(node.tags or ())) if text]
    first, *rest = wrap_text(f"{name}  {escape_controls(' · '.join(named))}", first=width, rest=width)
    yield paint(name, "rule") + first.removeprefix(name).rstrip() + "\n"
    yield from (f"{line}\n" for line in rest)
    yield paint(truncate(f"{config.store.brand.path}:{config.store.line}", width), "gutter") + "\n"
    for unapplied in config.unapplied:
        rule = f' of the rule "{unapplied.rule}"' if unapplied.rule else ""
        source = f"{unapplied.brand.path}:{unapplied.line}"
        message = f"the {_level_text(unapplied.level)}{rule} has no effect: {unapplied.reason} ({source})"
        for number, line in enumerate(wrap_text(escape_controls(message), first=width - 9, rest=width - 9)):
            yield f"{paint('warning', 'warning') if not number else ' ' * 7}  {line}\n"


def _layers(layers: Sequence[Layer], *, width: int, paint: Paint) -> Iterator[str]:
    """The configs that apply, in order of precedence, with the rule and the line that binds each."""
    cells = [
        [
            _level_text(layer.level),
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


def _fields_of_other_type(effective: EffectiveConfig, store: ActiveConfig) -> Mapping[Path, str]:
    """Notes, by path, about fields that a session takes from the config of the other type."""
    fields: list[tuple[str, ...]] = [("tone",), ("supplementalInstructions",)]
    fields += [("operationsConfig", name) for name in effective.value.get("operationsConfig", ())]
    taken = {field: store.source_of(*field) for field in fields if field not in LABEL_PATHS}
    return {
        field: f"a session uses the one of {other.type}"
        for field, other in taken.items()
        if other not in (None, effective)
    }


def _format_lines(lines: Sequence[Line], *, width: int, paint: Paint) -> Iterator[str]:
    """Lines in two columns if the page is wide enough, otherwise each origin below its value."""
    right = max((width_of(_origin_text(line.origin)) for line in lines if line.origin), default=0)
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
        yield f"{shown}{gap}{_paint_origin(line, line.origin, paint)}".rstrip() + "\n" if line.origin else f"{shown}\n"


def _stack_lines(line: Line, width: int, paint: Paint) -> Iterator[str]:
    text = truncate(line.indent + line.text, width)
    shown = paint(text, line.style) if line.style else text
    if not line.origin:
        yield f"{shown}\n"
        return
    short = f"{_level_text(line.origin.level)}  {_place_text(line.origin)}"
    if line.style and width_of(f"{text}  {short}") <= width:
        yield f"{shown}  {paint(short, 'gutter')}\n"
        return
    yield f"{shown}\n"
    room = max(width - width_of(_origin_text(line.origin)), 0)
    yield f"{(line.indent + INDENT * 2)[:room]}{_paint_origin(line, line.origin, paint)}\n"


def _paint_origin(line: Line, origin: Origin, paint: Paint) -> str:
    if line.style == "gutter":
        return paint(_origin_text(origin), "gutter")
    return f"{paint(f'{_level_text(origin.level):<{LEVEL_WIDTH}}', STYLES[origin.level])}  {_place_text(origin)}"


def _origin_text(origin: Origin) -> str:
    """The level and location of a value, aligned in columns."""
    return f"{_level_text(origin.level):<{LEVEL_WIDTH}}  {_place_text(origin)}"


def _place_text(origin: Origin) -> str:
    return escape_controls(f"{origin.path}:{origin.line}")


def _level_text(level: Level) -> str:
    return level.replace("-", " ")


def _value_lines(effective: EffectiveConfig, path: Path, unused: Mapping[Path, str]) -> list[Line]:
    """The lines of a configuration, or of the part at a path: each value, and what it overrode or conflicts with.

    `unused` maps fields that a session takes from the other type to the text of the note.
    """
    value: Any = effective.value
    label = ""
    for step in path:
        label, value = _label(value, step), value[step]
    lines = list(_LineBuilder(effective, unused).lines(value, path, label, 0 if path else -1))
    if path and not any(line.origin for line in lines if line.style is None):
        # the path is inside a list that is set as one value, so the origin is that of the list
        lines[0] = replace(lines[0], origin=effective.origin(json_pointer(path)))
    return lines


def _label(holder: Any, step: str | int) -> str:
    return item_name(holder, step) if isinstance(step, int) else step


class _LineBuilder:
    """Builds the lines of one configuration."""

    def __init__(self, effective: EffectiveConfig, unused: Mapping[Path, str]) -> None:
        self._effective = effective
        self._origins = effective.origins
        self._unused = unused
        self._clashes: dict[str, list[Conflict]] = {}
        for conflict in effective.conflicts:
            self._clashes.setdefault(conflict.pointer, []).append(conflict)

    def lines(self, value: Any, path: Path, label: str, depth: int) -> Iterator[Line]:
        """The line of a value with its notes, followed by the lines of its content."""
        origin, indent, text = self._origins.get(json_pointer(path)), INDENT * (depth + 1), escape_controls(label)
        is_one_value = origin is not None and (isinstance(value, list) or not value)
        if not isinstance(value, dict | list) or is_one_value:
            yield Line(f"{text}: {short_value(value)}", origin, indent=indent)
            yield from self._notes(path, indent + INDENT)
            return
        named = ""  # the field whose value is the label of a list item; it does not get a line
        if isinstance(value, dict) and path and isinstance(path[-1], int):
            named = next((name for name in key_fields() if value.get(name) == label), "")
        if depth >= 0:
            origin = (self._origins.get(json_pointer((*path, named))) if named else None) or origin
            yield Line(text, origin, indent=indent)
            yield from self._notes(path, indent + INDENT)
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if step != named:
                yield from self.lines(inner, (*path, step), _label(value, step), depth + 1)

    def _notes(self, path: Path, indent: str) -> Iterator[Line]:
        """The values that a value overrode or conflicts with, and what does not use it."""
        pointer = json_pointer(path)
        origin, conflicts = self._origins.get(pointer), self._clashes.get(pointer, ())
        for conflict in conflicts:
            text, other = self._clash(conflict)
            yield Line(f"clash: {text}", other, "warning", indent)
        shown = {
            id(conflict.loser.place.node): conflict.loser.place for conflict in conflicts if conflict.kind == "level"
        }
        for overridden in origin.overrode if origin else ():
            if shown.get(id(overridden.place.node)) != overridden.place:
                yield Line(f"over {short_value(overridden.value)}", overridden, "gutter", indent)
        if path in self._unused:
            yield Line(self._unused[path], None, "gutter", indent)

    def _clash(self, conflict: Conflict) -> tuple[str, Origin]:
        if conflict.kind == "level":
            settled = ", and neither applies" if conflict.settled else ""
            return f"{short_value(conflict.loser.value)} on the same level{settled}", conflict.loser
        upsells = self._effective.value["operationsConfig"]["upsellStrategy"]["upsells"]
        first = int(conflict.winner_pointer.split("/")[-2])
        return f'"{item_name(upsells, first)}" has it too, and comes first', conflict.winner


def short_value(value: Any) -> str:
    """A value on one line; a list is shown by the names of its first items."""
    if isinstance(value, list):
        names = []
        for item in value[:MAX_ITEMS]:
            name = next(item_names(item), None) if isinstance(item, dict) else item
            names.append("{…}" if name is None and isinstance(item, dict) else format_value(name))
        more = f", … {len(value)} in all" if len(value) > MAX_ITEMS else ""
        return f"[{', '.join(names)}{more}]"
    if isinstance(value, dict):
        return f"{{{', '.join(value)}}}" if value else "{}"
    return format_value(value.strip() or value) if isinstance(value, str) else format_value(value)
