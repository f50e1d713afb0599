"""Text output of `resolve --all-stores`: groups of equal stores as columns, one row per field that differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.cli.resolve import short_value
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.resolve import types_setting, value_at
from trialrun.report.color import Paint
from trialrun.report.format_value import format_value, truncate
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.equivalence import Difference, StoreGroup, differences, group_stores
from trialrun.runtime.channel_config.layers import TYPES, ResolvedType
from trialrun.values.resource_name import last_id

INDENT = "  "
MAX_GROUPS = 24
"""Number of groups shown, largest first; JSON has all."""
MAX_STORES = 12
MAX_CELL_WIDTH = 14
SET, UNSET = "●", "·"
LEGEND = f"{SET} is set, {UNSET} is not; as 2: a long value, the same as in group 2"
Key = tuple[ResolvedType, tuple[str, ...]]


def matrix(stores: Sequence[ActiveConfig], *, width: int, paint: Paint) -> Iterator[str]:
    """The groups with their stores, then a table of the fields that differ."""
    groups = group_stores(stores)
    summary = "all stores are equal" if len(groups) == 1 else f"{pluralize(len(groups), 'group')} of equal stores"
    yield f"{paint(pluralize(len(stores), 'store'), 'rule')}  {summary}\n\n"
    shown_groups = groups[:MAX_GROUPS]
    for number, group in enumerate(shown_groups, 1):
        yield from _stores_text(str(number), group.stores, width=width, paint=paint)
    if rest := groups[MAX_GROUPS:]:
        store_count = pluralize(sum(len(group.stores) for group in rest), "store")
        omitted = f"and {pluralize(len(rest), 'group')} more, of {store_count}"
        omitted += "; --output-format json shows all, --field one field"
        yield from (f"{paint(line, 'gutter')}\n" for line in wrap_text(omitted, first=width, rest=width))
    if len(groups) > 1:
        yield from _table(_GroupComparison(shown_groups), width=width, paint=paint)
        yield from ("\n", *(f"{paint(line, 'gutter')}\n" for line in wrap_text(LEGEND, first=width, rest=width)))


def field_matrix(stores: Sequence[ActiveConfig], field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """The values of a field, each with the stores that have it."""
    from trialrun.outputs.resolve import group_by_value

    groups = group_by_value(stores, field)
    values = "one value" if len(groups) == 1 else pluralize(len(groups), "value")
    yield f"{paint(escape_controls(field), 'rule')}  {values} at {pluralize(len(stores), 'store')}\n"
    for group in groups:
        yield "\n"
        settings = list(types_setting(group[0], field))
        if not settings:
            yield f"{INDENT}{paint('not set', 'gutter')}\n"
        for kind, _, setting in settings:
            text = short_value(setting.value)
            yield f"{INDENT}{paint(truncate(text, width - len(kind) - 4), 'place')}  {paint(kind, 'gutter')}\n"
        yield from _stores_text("", group, width=width, paint=paint)


def _stores_text(label: str, stores: Sequence[ActiveConfig], *, width: int, paint: Paint) -> Iterator[str]:
    """The stores of a group by their ids; long lists are cut and end with the total."""
    ids = [escape_controls(last_id(store.store.name)) for store in stores[:MAX_STORES]]
    more = f", … {len(stores)} in all" if len(stores) > MAX_STORES else ""
    room = width - 2 * len(INDENT) - 2
    for number, line in enumerate(wrap_text(", ".join(ids) + more, first=room, rest=room)):
        mark = "" if number else label
        yield f"{INDENT}{paint(f'{mark:>2}', 'rule')}{INDENT}{line}\n"


class _GroupComparison:
    """The fields that differ between groups, and their cell in each group."""

    def __init__(self, groups: Sequence[StoreGroup]) -> None:
        self.groups = groups
        first = groups[0].first
        self._differing = [
            {_key(difference): difference for difference in differences(first, group.first)} for group in groups
        ]
        known: dict[Key, Difference] = {}
        for differing in self._differing:
            for key, difference in differing.items():
                known.setdefault(key, difference)
        self.keys = sorted(known, key=lambda key: (TYPES.index(key[0]), key[1]))
        self._known = known

    def cells(self, key: Key) -> list[str]:
        """The cells of a field, one per group."""
        values = [self._value(key, number) for number in range(len(self.groups))]
        texts = [None if value is None else _cell(value[0]) for value in values]
        if any(text is not None and len(text) > MAX_CELL_WIDTH for text in texts):
            return self._number_values(values)
        return [UNSET if text is None else text for text in texts]

    def _number_values(self, values: Sequence[tuple[Any] | None]) -> list[str]:
        """Cells for long values: the number of the first group with an equal value."""
        first: dict[str, int] = {}
        texts = [None if value is None else equality_key(value[0]) for value in values]
        for number, text in enumerate(texts, 1):
            if text is not None:
                first.setdefault(text, number)
        return [UNSET if text is None else f"as {first[text]}" for text in texts]

    def _value(self, key: Key, number: int) -> tuple[Any] | None:
        """The value of a field in a group as a 1-tuple; None if it is not set."""
        kind, path = key
        mine = self._differing[number]
        if key in mine:
            pointer = mine[key].second_pointer
            return None if pointer is None else (value_at(self.groups[number].first, kind, pointer),)
        if any(
            (kind, path[:end]) in mine and mine[kind, path[:end]].second_pointer is None for end in range(1, len(path))
        ):
            return None
        first_pointer = self._known[key].first_pointer
        if first_pointer is not None:
            return (value_at(self.groups[0].first, kind, first_pointer),)
        within = any(other_kind == kind and other_path[: len(path)] == path for other_kind, other_path in mine)
        return ({"…": None},) if within else None


def _key(difference: Difference) -> Key:
    return difference.type, difference.path


def equality_key(value: Any) -> str:
    """A text that is equal for two values only if they are equal."""
    from trialrun.report.json_encoding import json_text

    return json_text(value)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return SET
    return short_value(value) if isinstance(value, list) else format_value(value)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the matrix: a field, or a message that contains fields and has no cells."""

    label: str
    cells: Sequence[str] = ()


def _table(compared: _GroupComparison, *, width: int, paint: Paint) -> Iterator[str]:
    """The matrix, split into as many blocks of columns as the width requires."""
    for kind in TYPES:
        lines = list(_lines(compared, kind))
        if not lines:
            continue
        label = min(max(width_of(line.label) for line in lines), max(24, width // 2))
        for columns in _blocks(lines, len(compared.groups), width - label):
            yield "\n"
            yield from _block(kind, lines, columns, label, paint)


def _lines(compared: _GroupComparison, kind: ResolvedType) -> Iterator[_Line]:
    above: tuple[str, ...] = ()
    for key in compared.keys:
        if key[0] != kind:
            continue
        path = key[1]
        shared = next(
            (at for at, (step, step_above) in enumerate(zip(path, above, strict=False)) if step != step_above),
            len(above),
        )
        for depth in range(min(shared, len(path) - 1), len(path) - 1):
            yield _Line(f"{INDENT * (depth + 1)}{path[depth]}")
        yield _Line(f"{INDENT * len(path)}{path[-1]}", compared.cells(key))
        above = path


def _blocks(lines: Sequence[_Line], count: int, room: int) -> Iterator[list[tuple[int, int]]]:
    """The columns of each block, as (index, width)."""
    widths = [max([width_of(line.cells[at]) for line in lines if line.cells] + [2]) for at in range(count)]
    block: list[tuple[int, int]] = []
    used = 0
    for at, wide in enumerate(widths):
        if block and used + 2 + wide > room:
            yield block
            block, used = [], 0
        block.append((at, wide))
        used += 2 + wide
    yield block


def _block(
    kind: str, lines: Sequence[_Line], columns: Sequence[tuple[int, int]], label: int, paint: Paint
) -> Iterator[str]:
    head = "".join(f"  {at + 1!s:<{wide}}" for at, wide in columns)
    yield f"{paint(f'{kind:<{label}}', 'rule')}{paint(head.rstrip(), 'rule')}\n"
    for line in lines:
        text = truncate(line.label, label)
        if not line.cells:
            yield f"{text}\n"
            continue
        cells = "".join(f"  {line.cells[at]}{' ' * (wide - width_of(line.cells[at]))}" for at, wide in columns)
        yield f"{text}{' ' * (label - width_of(text))}{paint(cells.rstrip(), 'place')}\n"
