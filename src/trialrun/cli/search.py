"""`trialrun search VIEW`: the entities that are nearest to one of them, or to a vector."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.entity_ids import entity_id, shown_id
from trialrun.cli.notes import rows_text
from trialrun.cli.output import write_utf8
from trialrun.cli.search_filters import filters
from trialrun.cli.served_values import Serving, serving
from trialrun.cli.workspace_options import (
    THEN_HELP,
    Blamed,
    blamed,
    name_of,
    page,
    refused,
    stored,
    title_of,
    trial_of,
    trial_options,
    view_called,
)
from trialrun.errors import UsageError, system_reason
from trialrun.guarded_path import resolve_target
from trialrun.outputs.serving import search_object
from trialrun.report.color import Paint
from trialrun.report.format_value import brief, shown
from trialrun.report.json_encoding import json_text
from trialrun.report.table import joined, listed, numeric, table
from trialrun.report.terminal_width import visible

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.search import Answer, Question
    from trialrun.runtime.feature_view.store.interface import Snapshot


@click.command("search")
@click.argument("view", metavar="VIEW")
@click.option("--entity", metavar="ID", help="Search what is near this entity.")
@click.option("--vector", metavar="JSON|@FILE", help="Search what is near this vector, a JSON array of numbers.")
@click.option("--count", type=click.IntRange(min=1), default=10, show_default=True, help="How many, at most.")
@click.option(
    "--filter",
    "filter_texts",
    multiple=True,
    metavar="FILTER",
    help="COLUMN=TOKEN,TOKEN or COLUMN!=TOKEN for text, COLUMN<NUMBER and the like for numbers; may be repeated.",
)
@click.option("--crowding", type=click.IntRange(min=1), metavar="K", help="At most K with one crowding attribute.")
@click.option("--full", is_flag=True, help="Show the values of what is found.")
@click.option("--recall", is_flag=True, help="Measure the answer by exact search.")
@click.option("--at", metavar="TIME", help=THEN_HELP)
@trial_options
def command(view: str, **options: Any) -> int:
    """Search the entities of a view that are nearest to one of them, or to a vector.

    A VIEW is a resource name or the end of one, such as its id. Smaller distances are nearer. Exit code 1: the
    index config of the view does not go with what is asked, and is shown.
    """
    from trialrun.cli.runtime_extra import require

    if (options["entity"] is None) == (options["vector"] is None):
        raise UsageError("a search is by an entity or by a vector; give one of --entity and --vector")
    require("search", "numpy")
    trial = trial_of(options)
    declared = view_called(view, trial)
    try:
        source = serving(declared, trial, options["at"], search=True)
        answer = _answer(declared, source, options)
    except Blamed as error:
        return refused(declared, error, trial, options)
    if options["output_format"] == "json":
        write_utf8([json_text(search_object(name_of(declared), answer)), "\n"])
    else:
        width, paint = page(options["color"])
        sys.stdout.writelines(_text(title_of(declared, trial), source, answer, options, width, paint))
    return 0


def _answer(view: Declared[FeatureView], source: Serving, options: dict[str, Any]) -> Answer:
    """The answer to the question of the options. Raises UsageError, and Blamed where the index config is to blame."""
    from trialrun.runtime.feature_view.index.interface import NotSearchable
    from trialrun.runtime.feature_view.search import index_of, search

    assert source.indexes is not None
    try:
        with stored():
            return search(view, source.store, source.indexes, _question(view, source.snapshot, options))
    except NotSearchable as error:
        steps = error.steps if index_of(view.node) else ("name",)
        if not steps:
            raise UsageError(str(error)) from error
        raise Blamed(blamed(view, "not-searchable", str(error), steps)) from error


def _question(view: Declared[FeatureView], snapshot: Snapshot, options: dict[str, Any]) -> Question:
    from trialrun.runtime.feature_view.search import Question

    strings, numbers = filters(options["filter_texts"], _filter_columns(view, snapshot))
    entity, vector = options["entity"], options["vector"]
    return Question(
        entity=None if entity is None else entity_id(entity, snapshot.layout.keys),
        vector=None if vector is None else _vector(vector),
        count=options["count"],
        strings=tuple(strings),
        numbers=tuple(numbers),
        per_crowding_attribute=options["crowding"],
        returns_values=options["full"],
        measures_recall=options["recall"],
    )


def _filter_columns(view: Declared[FeatureView], snapshot: Snapshot) -> list[Column]:
    from trialrun.runtime.feature_view.search import index_of

    config = index_of(view.node)
    names = (config and config.filterColumns) or []
    return [one for one in (*snapshot.layout.keys, *snapshot.layout.features) if one.name in names]


def _vector(text: str) -> list[float]:
    """The numbers of a JSON array, or of a file that has one. Raises UsageError."""
    if text.startswith("@"):
        try:
            resolve_target(text[1:], named_in=os.getcwd())
            with open(text[1:], encoding="utf-8") as stream:
                text = stream.read()
        except (OSError, UnicodeDecodeError) as error:
            reason = system_reason(error) if isinstance(error, OSError) else "it is no text in UTF-8"
            raise UsageError(f"--vector: {text[1:]} cannot be read: {reason}") from error
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--vector: it is no JSON: {error}; write an array such as [0.1, 0.2], or @FILE") from error
    if not isinstance(value, list) or not all(_is_number(one) for one in value):
        raise UsageError("--vector: it is no array of numbers; write one such as [0.1, 0.2]")
    return [float(one) for one in value]


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def _text(
    title: str, source: Serving, answer: Answer, options: dict[str, Any], width: int, paint: Paint
) -> Iterator[str]:
    what = f"near {options['entity']}" if options["entity"] is not None else "near the vector"
    aside = f"{what}, of {source.snapshot.entities:,} entities; {source.origin}"
    yield f"{paint(visible(title), 'rule')}  {paint(visible(aside), 'gutter')}\n"
    if answer.neighbors:
        yield from _neighbors(answer, width, paint)
    else:
        yield "nothing is found\n"
    if answer.recall is not None:
        yield f"{paint('recall', 'help')}  {answer.recall:.3g} of what exact search finds\n"
    rows = tuple(dict.fromkeys((*answer.assumptions, *source.assumptions)))
    yield from rows_text(rows, width=width, paint=paint)


def _neighbors(answer: Answer, width: int, paint: Paint) -> Iterator[str]:
    """The neighbors as a table, their values beside them where they fit, else below each other."""
    head = ["", "id", "distance"]
    plain = [[str(rank), shown_id(one.id), _distance(one.distance)] for rank, one in enumerate(answer.neighbors, 1)]
    full = [_values(one.values) for one in answer.neighbors]
    names = list(answer.neighbors[0].values or ())
    right = [0, 2, *numeric([list((one.values or {}).values()) for one in answer.neighbors], first=len(head))]
    both = [[*head, *names], *(one + values for one, values in zip(plain, full, strict=True))]
    wide = table(both, width=width, right=right, head=True)
    rows = wide or listed([head, *plain], width=width, right=right)
    yield paint(joined(rows[0]), "help") + "\n"
    for cells, one in zip(rows[1:], answer.neighbors, strict=True):
        yield f"{joined(cells)}\n"
        if wide is None:
            values = [[name, shown(value)] for name, value in (one.values or {}).items()]
            for line in listed(values, width=width - 4) if values else ():
                yield f"    {joined(line)}\n"


def _distance(distance: float) -> str:
    """A distance to six digits, those of one size below each other."""
    return f"{distance:.6f}" if 1e-3 <= abs(distance) < 1000 or not distance else f"{distance:.6g}"


def _values(values: Any) -> list[str]:
    return [brief(value) for value in (values or {}).values()]
