"""`trialrun resolve STORE`: the effective configuration of a store, with the origin of each value, or of all stores."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from trialrun.cli.options import AT
from trialrun.cli.output import write_utf8
from trialrun.cli.resolve_text import field_text, short_value, store_text
from trialrun.cli.stores import active_stores
from trialrun.cli.workspace_options import page_layout, workspace_options
from trialrun.errors import UsageError
from trialrun.outputs.origin import errors_object, store_titles
from trialrun.outputs.resolve import (
    field_matrix_object,
    field_object,
    group_by_value,
    matrix_object,
    store_object,
    types_setting,
)
from trialrun.report.color import Paint
from trialrun.report.format_value import format_value, truncate
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.equivalence import Difference, differences, group_stores
from trialrun.runtime.channel_config.field_path import UnknownFieldError, UnsetField, find_field
from trialrun.runtime.channel_config.layers import TYPES, ResolvedType
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean

INDENT = "  "
MAX_NAMES = 10
MAX_GROUPS = 24
"""Number of groups shown, largest first; JSON has all."""
MAX_STORES = 12
MAX_CELL_WIDTH = 14
SET, UNSET = "●", "·"
LEGEND = f"{SET} is set, {UNSET} is not; as 2: a long value, the same as in group 2"
Key = tuple[ResolvedType, tuple[str, ...]]


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
    stores = active_stores(store, options)
    configs = stores.active_configs
    if field is not None:
        _require_field(configs, field)
    if options["output_format"] == "json":
        if store is None:
            content = matrix_object(configs) if field is None else field_matrix_object(configs, field)
        else:
            content = store_object(configs[0]) if field is None else field_object(configs[0], field)
        write_utf8([json_text({**content, "errors": errors_object(stores.errors)}), "\n"])
        return stores.report_errors(options["color"])
    width, paint = page_layout(options["color"])
    if store is None and field is None:
        lines = _matrix(configs, width=width, paint=paint)
    elif store is None:
        lines = _field_matrix(configs, field or "", width=width, paint=paint)
    else:
        title = store_titles(stores.catalog.stores)[configs[0].store.name]
        if field is None:
            lines = store_text(title, configs[0], width=width, paint=paint)
        else:
            lines = field_text(title, configs[0], field, width=width, paint=paint)
    sys.stdout.writelines(lines)
    return stores.report_errors(options["color"])


def _require_field(stores: Sequence[ActiveConfig], field: str) -> None:
    """Raise UsageError for a field that no config has, or for an item that no store has."""
    try:
        results = [find_field(effective.value, field) for store in stores for effective in store.types.values()]
    except UnknownFieldError as error:
        raise UsageError(f"--field: {error}") from error
    missing = [result for result in results if isinstance(result, UnsetField)]
    known = list(dict.fromkeys(name for unset in missing for name in unset.item_names))
    if len(missing) == len(results) and known:
        name = next(unset.missing for unset in missing if unset.item_names)
        listed = f"; there are {', '.join(known[:MAX_NAMES])}{', …' if len(known) > MAX_NAMES else ''}"
        raise UsageError(f'--field: there is no "{name}"{did_you_mean(name, known) or listed}')


def _matrix(stores: Sequence[ActiveConfig], *, width: int, paint: Paint) -> Iterator[str]:
    """The groups of equal stores, then a table of the fields that differ: a column for each group."""
    groups = group_stores(stores)
    summary = "all stores are equal" if len(groups) == 1 else f"{pluralize(len(groups), 'group')} of equal stores"
    yield f"{paint(pluralize(len(stores), 'store'), 'rule')}  {summary}\n\n"
    shown_groups = groups[:MAX_GROUPS]
    for number, group in enumerate(shown_groups, 1):
        yield from _stores_text(str(number), group, width=width, paint=paint)
    if rest := groups[MAX_GROUPS:]:
        store_count = pluralize(sum(map(len, rest)), "store")
        omitted = f"and {pluralize(len(rest), 'group')} more, of {store_count}"
        omitted += "; --output-format json shows all, --field one field"
        yield from (f"{paint(line, 'gutter')}\n" for line in wrap_text(omitted, first=width, rest=width))
    if len(groups) > 1:
        yield from _table(_GroupComparison(shown_groups), width=width, paint=paint)
        yield from ("\n", *(f"{paint(line, 'gutter')}\n" for line in wrap_text(LEGEND, first=width, rest=width)))


def _field_matrix(stores: Sequence[ActiveConfig], field: str, *, width: int, paint: Paint) -> Iterator[str]:
    """The values of a field, each with the stores that have it."""
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

    def __init__(self, groups: Sequence[Sequence[ActiveConfig]]) -> None:
        self.groups = groups
        first = groups[0][0]
        self._differing: list[dict[Key, Difference]] = [
            {(difference.type, difference.path): difference for difference in differences(first, group[0])}
            for group in groups
        ]
        self._known: dict[Key, Difference] = {}
        for differing in self._differing:
            self._known = {**differing, **self._known}
        self.keys = sorted(self._known, key=lambda key: (TYPES.index(key[0]), key[1]))

    def cells(self, key: Key) -> list[str]:
        """The cells of a field, one per group; of long values, the number of the first group with an equal one."""
        values = [self._value(key, number) for number in range(len(self.groups))]
        texts = [None if value is None else _cell(value[0]) for value in values]
        if any(text is not None and len(text) > MAX_CELL_WIDTH for text in texts):
            texts = [None if value is None else json_text(value[0]) for value in values]
            return [UNSET if text is None else f"as {texts.index(text) + 1}" for text in texts]
        return [UNSET if text is None else text for text in texts]

    def _value(self, key: Key, number: int) -> tuple[Any] | None:
        """The value of a field in a group as a 1-tuple; None if it is not set."""
        kind, path = key
        mine = self._differing[number]
        if key in mine:
            return None if mine[key].second_pointer is None else (mine[key].after,)
        around = [mine.get((kind, path[:end])) for end in range(1, len(path))]
        if any(difference and difference.second_pointer is None for difference in around):
            return None
        if self._known[key].first_pointer is not None:
            return (self._known[key].before,)
        within = any(other_kind == kind and other_path[: len(path)] == path for other_kind, other_path in mine)
        return ({"…": None},) if within else None


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return SET
    return short_value(value) if isinstance(value, list) else format_value(value)


def _table(compared: _GroupComparison, *, width: int, paint: Paint) -> Iterator[str]:
    """The matrix, split into as many blocks of columns as the width requires."""
    for kind in TYPES:
        lines = list(_lines(compared, kind))
        if not lines:
            continue
        label = min(max(width_of(text) for text, _ in lines), max(24, width // 2))
        for columns in _blocks([cells for _, cells in lines if cells], len(compared.groups), width - label):
            head = "".join(f"  {at + 1!s:<{wide}}" for at, wide in columns)
            yield f"\n{paint(f'{kind:<{label}}', 'rule')}{paint(head.rstrip(), 'rule')}\n"
            for full_text, cells in lines:
                text = truncate(full_text, label)
                if not cells:
                    yield f"{text}\n"
                    continue
                row = "".join(f"  {cells[at]}{' ' * (wide - width_of(cells[at]))}" for at, wide in columns)
                yield f"{text}{' ' * (label - width_of(text))}{paint(row.rstrip(), 'place')}\n"


def _lines(compared: _GroupComparison, kind: ResolvedType) -> Iterator[tuple[str, Sequence[str]]]:
    """The labels and cells of the fields of a type; a message that contains fields has no cells."""
    above: tuple[str, ...] = ()
    for key in compared.keys:
        if key[0] != kind:
            continue
        path = key[1]
        steps = enumerate(zip(path, above, strict=False))
        shared = next((at for at, (step, step_above) in steps if step != step_above), len(above))
        for depth in range(min(shared, len(path) - 1), len(path) - 1):
            yield f"{INDENT * (depth + 1)}{path[depth]}", ()
        yield f"{INDENT * len(path)}{path[-1]}", compared.cells(key)
        above = path


def _blocks(rows: Sequence[Sequence[str]], count: int, room: int) -> Iterator[list[tuple[int, int]]]:
    """The columns of each block, as (index, width)."""
    block: list[tuple[int, int]] = []
    used = 0
    for at in range(count):
        wide = max([width_of(cells[at]) for cells in rows] + [2])
        if block and used + 2 + wide > room:
            yield block
            block, used = [], 0
        block.append((at, wide))
        used += 2 + wide
    yield block
