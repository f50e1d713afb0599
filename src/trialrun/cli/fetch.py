"""`trialrun fetch VIEW ID…`: the values that are served for entities."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.entity_ids import entity_id, shown_id
from trialrun.cli.notes import Page, asides, rows_text
from trialrun.cli.output import write_utf8
from trialrun.cli.served_values import Serving, serving
from trialrun.cli.workspace_options import (
    THEN_HELP,
    Blamed,
    name_of,
    page,
    refused,
    stored,
    title_of,
    trial_of,
    trial_options,
    view_called,
)
from trialrun.outputs.serving import fetch_object
from trialrun.report.color import Paint
from trialrun.report.format_value import brief, cut, shown, z_form
from trialrun.report.json_encoding import json_text
from trialrun.report.table import joined, listed, numeric, table
from trialrun.report.terminal_width import visible

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.interface import EntityId, Served

INDENT = "  "


@click.command("fetch")
@click.argument("view", metavar="VIEW")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--at", metavar="TIME", help=THEN_HELP)
@trial_options
def command(view: str, ids: tuple[str, ...], **options: Any) -> int:
    """Show the values that a view serves for entities, as its last sync left them.

    A VIEW is a resource name or the end of one, such as its id. An ID is the value of the entity id column; for several
    columns their values with commas, or a JSON array such as '["a", 7]'; write -- before one that begins with a hyphen.
    Exit code 1: an entity is not served.
    """
    trial = trial_of(options)
    declared = view_called(view, trial)
    try:
        source = serving(declared, trial, options["at"], ids=ids)
    except Blamed as error:
        return refused(declared, error, trial, options)
    asked = list(dict.fromkeys(entity_id(text, source.snapshot.layout.keys) for text in ids))
    with stored():
        found = source.store.fetch(name_of(declared), asked)
    missing = [id for id, one in zip(asked, found, strict=True) if one is None]
    served = [one for one in found if one is not None]
    if options["output_format"] == "json":
        write_utf8([json_text(fetch_object(name_of(declared), served, missing)), "\n"])
    else:
        width, paint = page(options["color"])
        sys.stdout.writelines(_text(title_of(declared, trial), source, served, missing, width, paint))
    return int(bool(missing))


def _text(
    title: str, source: Serving, served: Sequence[Served], missing: Sequence[EntityId], width: int, paint: Paint
) -> Iterator[str]:
    yield f"{paint(visible(title), 'rule')}  {paint(source.origin, 'gutter')}\n"
    yield from entities_text(served, width=width, paint=paint)
    for id in missing:
        yield f"{paint('missing', 'warning')}  {cut(shown_id(id), width - len('missing  '))}\n"
    yield from asides(source.findings, (), Page(width, paint))
    yield from rows_text(source.assumptions, width=width, paint=paint)


def entities_text(served: Sequence[Served], *, width: int, paint: Paint) -> Iterator[str]:
    """One entity as a list of its values; several as a table where it fits, else each as a list."""
    rows = len(served) > 1 and table(_rows(served), width=width, right=_numbers(served), head=True)
    if not rows:
        for one in served:
            yield from entity_text(one, width=width, paint=paint)
        return
    yield paint(joined(rows[0]), "help") + "\n"
    yield from (f"{joined(cells)}\n" for cells in rows[1:])


def _rows(served: Sequence[Served]) -> list[list[str]]:
    """The table of several entities, with a line of names above."""
    names = list(served[0].values)
    timed = any(one.timestamp for one in served)
    rows = [["id", *names, *(["as of"] if timed else [])]]
    for one in served:
        at = [z_form(one.timestamp) if one.timestamp else ""] if timed else []
        rows.append([shown_id(one.id), *(brief(one.values[name]) for name in names), *at])
    return rows


def _numbers(served: Sequence[Served]) -> list[int]:
    """The columns of the table that have numbers and nothing else."""
    return numeric([list(one.values.values()) for one in served], first=1)


def entity_text(one: Served, *, width: int, paint: Paint) -> Iterator[str]:
    """The id of an entity, and its values below each other."""
    yield paint(cut(shown_id(one.id), width), "place") + "\n"
    values = [[name, shown(value)] for name, value in one.values.items()]
    if one.timestamp:
        values.append(["as of", z_form(one.timestamp)])
    for name, value in listed(values, width=width - len(INDENT)) if values else ():
        yield f"{INDENT}{paint(name, 'help')}  {value}\n"
