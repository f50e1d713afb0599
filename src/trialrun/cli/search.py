"""`trialrun search VIEW`: the entities that are nearest to one of them, or to a vector."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.notes import assumption_rows
from trialrun.cli.output import write_utf8
from trialrun.cli.views import (
    DocumentError,
    ServedSource,
    document_error,
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
    require_libraries,
    workspace_options,
)
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.outputs.views import search_object
from trialrun.report.color import Paint
from trialrun.report.format_value import (
    align_columns,
    align_if_wide_enough,
    format_cell,
    format_value,
    join_cells,
    numeric_columns,
)
from trialrun.report.json import json_text
from trialrun.report.terminal_width import escape_controls
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, SearchRequest, StringFilter
from trialrun.runtime.feature_view.search import index_config
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.index.interface import Operator
    from trialrun.runtime.feature_view.search import SearchResult

QUOTED = r'"(?:[^"\\]|\\.)*"'
FILTER = re.compile(rf"\s*(?P<column>{QUOTED}|[^=!<>\"]+?)\s*(?P<sign>==|!=|<=|>=|=|<|>)(?P<value>.*)", re.DOTALL)
TOKEN = re.compile(rf"\s*(?:(?P<quoted>{QUOTED})|(?P<plain>[^,\"]*))\s*(?:,|$)", re.DOTALL)
NUMBER = re.compile(r"\s*[-+]?\d{1,300}(?P<rest>(\.\d+)?([eE][-+]?\d{1,3})?)\s*", re.ASCII)
OPERATORS: Mapping[str, Operator] = {
    "<": "LESS",
    "<=": "LESS_EQUAL",
    "=": "EQUAL",
    "==": "EQUAL",
    ">=": "GREATER_EQUAL",
    ">": "GREATER",
    "!=": "NOT_EQUAL",
}
SYNTAX_HINT = "write COLUMN=TOKEN,TOKEN or COLUMN!=TOKEN for text, COLUMN<NUMBER (or <=, =, >=, >, !=) for numbers"


def parse_filters(texts: Iterable[str], columns: Iterable[Column]) -> tuple[list[StringFilter], list[NumericFilter]]:
    """The filters that texts mean, by the types of the columns that can be filtered. Raises UsageError."""
    by_name = {column.name: column for column in columns}
    found = [_parse_filter(text, by_name) for text in texts]
    strings = [file for file in found if isinstance(file, StringFilter)]
    return strings, [file for file in found if not isinstance(file, StringFilter)]


def _parse_filter(text: str, columns: Mapping[str, Column]) -> StringFilter | NumericFilter:
    match = FILTER.fullmatch(text)
    if match is None:
        raise _error(text, f"it has no comparison; {SYNTAX_HINT}")
    name, sign, value = _unquote(match["column"]), match["sign"], match["value"]
    if name not in columns:
        known = f"; the filter columns are {', '.join(columns)}" if columns else "; the view has no filter columns"
        raise _error(text, f'"{name}" is not a filter column of the view{did_you_mean(name, columns) or known}')
    if columns[name].type == "STRING":
        if sign not in ("=", "==", "!="):
            raise _error(text, f"{name} is text; compare it with = or !=")
        tokens = tuple(_tokens(text, value))
        return StringFilter(name, deny=tokens) if sign == "!=" else StringFilter(name, allow=tokens)
    return _number_filter(text, columns[name], sign, value)


def _tokens(text: str, value: str) -> Iterator[str]:
    position = 0
    while True:
        match = TOKEN.match(value, position)
        if match is None:
            raise _error(text, 'unmatched quote; write "…" around a token that contains commas or quotes')
        if match["quoted"] is None and not match["plain"].strip():
            raise _error(text, 'empty token; write "" for the empty text')
        yield _unquote(match["quoted"]) if match["quoted"] is not None else match["plain"].strip()
        position = match.end()
        if not match[0].endswith(","):
            return


def _number_filter(text: str, column: Column, sign: str, value: str) -> NumericFilter:
    if column.type not in ("INT64", "DOUBLE") or column.repeated:
        raise _error(text, f"{column.name} is {column.type_text}, which cannot be filtered; only text and numbers can")
    match = NUMBER.fullmatch(value)
    if match is None:
        raise _error(text, f'{column.name} is {column.type_text} and "{value.strip()}" is not a number')
    number = float(value) if match["rest"] else int(value)
    return NumericFilter(column.name, OPERATORS[sign], number)


def _unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise UsageError(f'--filter: {text} is quoted wrongly; inside quotes, write \\" and \\\\') from error


def _error(text: str, problem: str) -> UsageError:
    return UsageError(f"--filter {text}: {problem}")


@click.command("search")
@click.argument("view", metavar="VIEW")
@click.option("--entity", metavar="ID", help="Search near this entity.")
@click.option("--vector", metavar="JSON|@FILE", help="Search near this vector, a JSON array of numbers.")
@click.option("--count", type=click.IntRange(min=1), default=10, show_default=True, help="Maximum number of results.")
@click.option(
    "--filter",
    "filter_texts",
    multiple=True,
    metavar="FILTER",
    help="COLUMN=TOKEN,TOKEN or COLUMN!=TOKEN for text; COLUMN<NUMBER (or <=, =, >=, >, !=) for numbers; repeatable.",
)
@click.option("--crowding", type=click.IntRange(min=1), metavar="K", help="At most K results per crowding attribute.")
@click.option("--full", is_flag=True, help="Show the values of the results.")
@click.option("--recall", is_flag=True, help="Compare the results with an exact search.")
@click.option("--at", metavar="TIME", help=THEN_HELP)
@ENGINE
@STORE
@workspace_options
def command(view: str, **options: Any) -> int:
    """Find the entities of a view that are nearest to an entity or a vector.

    A VIEW is a resource name or the end of one, such as its id. Smaller distances are nearer. Exit code 1: the index
    config of the view does not support the search (the reason is shown).
    """
    if (options["entity"] is None) == (options["vector"] is None):
        raise UsageError("give exactly one of --entity and --vector")
    require_libraries("search", "runtime", "numpy")
    trial = dry_run_from_options(options)
    declared = find_view(view, trial)
    try:
        source = served_source(declared, trial, options["at"], search=True)
        answer = _run_query(declared, source, options)
    except DocumentError as error:
        return report_view_errors(declared, error, trial, options)
    if options["output_format"] == "json":
        write_utf8([json_text(search_object(view_name(declared), answer)), "\n"])
    else:
        width, paint = page_layout(options["color"])
        sys.stdout.writelines(_text(view_title(declared, trial), source, answer, options, width, paint))
    return 0


def _run_query(view: DeclaredResource[FeatureView], source: ServedSource, options: dict[str, Any]) -> SearchResult:
    """Run the search that the options describe.

    Raises UsageError, and DocumentError if the index config does not allow the search.
    """
    config, layout = index_config(view.node), source.snapshot.layout
    names = (config and config.filterColumns) or []
    columns = [key for key in (*layout.keys, *layout.features) if key.name in names]
    strings, numbers = parse_filters(options["filter_texts"], columns)
    entity, vector = options["entity"], options["vector"]
    request = SearchRequest(
        entity=None if entity is None else parse_entity_id(entity, layout.keys),
        vector=None if vector is None else _parse_vector(vector),
        count=options["count"],
        strings=tuple(strings),
        numbers=tuple(numbers),
        per_crowding_attribute=options["crowding"],
        returns_values=options["full"],
        measures_recall=options["recall"],
    )
    try:
        with store_errors_as_usage():
            return source.trial.search(view, request)
    except NotSearchable as error:
        steps = error.steps if config else ("name",)
        if not steps:
            raise UsageError(str(error)) from error
        raise DocumentError(document_error(view, "not-searchable", str(error), steps)) from error


def _parse_vector(text: str) -> list[float]:
    """The numbers of a JSON array, or of a file that has one. Raises UsageError."""
    if text.startswith("@"):
        try:
            resolve_target(text[1:], named_in=os.getcwd())
            with open(text[1:], encoding="utf-8") as stream:
                text = stream.read()
        except (OSError, UnicodeDecodeError) as error:
            reason = os_error_reason(error) if isinstance(error, OSError) else "it is not UTF-8 text"
            raise UsageError(f"--vector: {text[1:]} cannot be read: {reason}") from error
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--vector: invalid JSON: {error}; write an array such as [0.1, 0.2], or @FILE") from error
    try:
        if isinstance(value, list) and all(type(one) in (int, float) and math.isfinite(one) for one in value):
            return [float(one) for one in value]
    except OverflowError:  # a whole number beyond all floats
        pass
    raise UsageError("--vector: must be an array of numbers, such as [0.1, 0.2]")


def _text(
    title: str, source: ServedSource, answer: SearchResult, options: dict[str, Any], width: int, paint: Paint
) -> Iterator[str]:
    what = f"near {options['entity']}" if options["entity"] is not None else "near the vector"
    aside = f"{what}, of {source.snapshot.entities:,} entities; {source.origin}"
    yield f"{paint(escape_controls(title), 'rule')}  {paint(escape_controls(aside), 'gutter')}\n"
    if answer.neighbors:
        yield from _neighbors(answer, width, paint)
    else:
        yield "no results\n"
    if answer.recall is not None:
        yield f"{paint('recall', 'help')}  {answer.recall:.3g} of the results of an exact search\n"
    rows = tuple(dict.fromkeys((*answer.assumptions, *source.assumptions)))
    yield from assumption_rows(rows, width=width, paint=paint)


def _neighbors(answer: SearchResult, width: int, paint: Paint) -> Iterator[str]:
    """The neighbors as a table, their values beside them where they fit, else below each other."""
    head = ["", "id", "distance"]
    values = [dict(neighbor.values or {}) for neighbor in answer.neighbors]
    plain = []
    for rank, neighbor in enumerate(answer.neighbors, 1):
        distance = neighbor.distance  # to six digits, those of one size below each other
        plain_number = 1e-3 <= abs(distance) < 1000 or not distance
        shown = f"{distance:.6f}" if plain_number else f"{distance:.6g}"
        plain.append([str(rank), format_entity_id(neighbor.id), shown])
    right = [0, 2, *numeric_columns([list(of_one.values()) for of_one in values], first=len(head))]
    full = [[*one, *map(format_cell, of_one.values())] for one, of_one in zip(plain, values, strict=True)]
    wide = align_columns([[*head, *values[0]], *full], width=width, right=right, head=True)
    rows = wide or align_if_wide_enough([head, *plain], width=width, right=right)
    yield paint(join_cells(rows[0]), "help") + "\n"
    for cells, of_one in zip(rows[1:], values, strict=True):
        yield f"{join_cells(cells)}\n"
        if wide is None and of_one:
            listed = [[name, format_value(value)] for name, value in of_one.items()]
            for line in align_if_wide_enough(listed, width=width - 4):
                yield f"    {join_cells(line)}\n"
