"""`trialrun fetch VIEW ID…`: the values that are served for entities."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.notes import LabelledLines, assumption_rows, result_notes
from trialrun.cli.output import write_utf8
from trialrun.cli.views import (
    DocumentError,
    ServedSource,
    find_view,
    format_entity_id,
    parse_entity_id,
    report_view_errors,
    served_source,
    store_errors_as_usage,
    view_name,
    view_title,
)
from trialrun.cli.workspace_options import (
    ENGINE,
    STORE,
    THEN_HELP,
    dry_run_from_options,
    page_layout,
    workspace_options,
)
from trialrun.outputs.views import fetch_object
from trialrun.report.color import Paint
from trialrun.report.format_value import (
    align_columns,
    align_if_wide_enough,
    format_cell,
    format_value,
    join_cells,
    numeric_columns,
    truncate,
)
from trialrun.report.json import json_text
from trialrun.report.terminal_width import escape_controls
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.interface import EntityId, ServedEntity

INDENT = "  "


@click.command("fetch")
@click.argument("view", metavar="VIEW")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--at", metavar="TIME", help=THEN_HELP)
@ENGINE
@STORE
@workspace_options
def command(view: str, ids: tuple[str, ...], **options: Any) -> int:
    """Show the values that a view serves for entities since its last sync.

    A VIEW is a resource name or the end of one, such as its id. An ID is the value of the entity id column; for several
    columns, the values separated by commas or a JSON array such as '["a", 7]'. Write -- before an ID that starts with a
    hyphen. Exit code 1: an entity is not served.
    """
    trial = dry_run_from_options(options)
    declared = find_view(view, trial)
    try:
        source = served_source(declared, trial, options["at"], ids=ids)
    except DocumentError as error:
        return report_view_errors(declared, error, trial, options)
    asked = list(dict.fromkeys(parse_entity_id(text, source.snapshot.layout.keys) for text in ids))
    with store_errors_as_usage():
        found = source.trial.fetch(declared, asked)
    missing = [id for id, one in zip(asked, found, strict=True) if one is None]
    served = [file for file in found if file is not None]
    if options["output_format"] == "json":
        write_utf8([json_text(fetch_object(view_name(declared), served, missing)), "\n"])
    else:
        width, paint = page_layout(options["color"])
        sys.stdout.writelines(_text(view_title(declared, trial), source, served, missing, width, paint))
    return int(bool(missing))


def _text(
    title: str,
    source: ServedSource,
    served: Sequence[ServedEntity],
    missing: Sequence[EntityId],
    width: int,
    paint: Paint,
) -> Iterator[str]:
    yield f"{paint(escape_controls(title), 'rule')}  {paint(source.origin, 'gutter')}\n"
    yield from entities_text(served, width=width, paint=paint)
    for id in missing:
        yield f"{paint('missing', 'warning')}  {truncate(format_entity_id(id), width - len('missing  '))}\n"
    yield from result_notes(source.findings, (), LabelledLines(width, paint))
    yield from assumption_rows(source.assumptions, width=width, paint=paint)


def entities_text(served: Sequence[ServedEntity], *, width: int, paint: Paint) -> Iterator[str]:
    """One entity as a list of its values; several as a table where it fits, else each as a list."""
    rows = None
    if len(served) > 1:
        names, timed = list(served[0].values), any(entity.timestamp for entity in served)
        cells = [["id", *names, *(["as of"] if timed else [])]]
        for entity in served:
            at = [format_timestamp(entity.timestamp) if entity.timestamp else ""] if timed else []
            cells.append([format_entity_id(entity.id), *(format_cell(entity.values[name]) for name in names), *at])
        numbers = numeric_columns([list(entity.values.values()) for entity in served], first=1)
        rows = align_columns(cells, width=width, right=numbers, head=True)
    if not rows:
        for entity in served:
            yield from entity_text(entity, width=width, paint=paint)
        return
    yield paint(join_cells(rows[0]), "help") + "\n"
    yield from (f"{join_cells(line)}\n" for line in rows[1:])


def entity_text(served_entity: ServedEntity, *, width: int, paint: Paint) -> Iterator[str]:
    """The id of an entity, and its values below each other."""
    yield paint(truncate(format_entity_id(served_entity.id), width), "place") + "\n"
    values = [[name, format_value(value)] for name, value in served_entity.values.items()]
    if served_entity.timestamp:
        values.append(["as of", format_timestamp(served_entity.timestamp)])
    for name, value in align_if_wide_enough(values, width=width - len(INDENT)) if values else ():
        yield f"{INDENT}{paint(name, 'help')}  {value}\n"
