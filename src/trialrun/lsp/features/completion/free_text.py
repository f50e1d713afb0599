"""Values of free text fields: session types, column types, timestamps and file paths."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from trialrun.guarded_path import Boundary
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import Candidate
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.partial_tree import Mapping as MappingNode
from trialrun.model.node import TextFormat
from trialrun.values.cel.type_schema import SCALARS
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace

TABLES = (".parquet", ".csv", ".json", ".jsonl", ".ndjson")
DATABASES = (".duckdb", ".db", ".sqlite", ".sqlite3")
COLUMN_TYPES = {
    "STRING": "text",
    "INT64": "a whole number",
    "FLOAT64": "a number",
    "BOOL": "true or false",
    "TIMESTAMP": "a moment",
    "BYTES": "bytes",
}
ENDINGS: Final[Mapping[TextFormat | None, tuple[str, ...]]] = {"file-glob": TABLES, "file-path": DATABASES}


def free_text_candidates(workspace: OpenWorkspace, cursor: Cursor, expected_type: ExpectedType) -> Iterator[Candidate]:
    """The candidates for a text, by its field."""
    if expected_type.text_format == "cel-type":
        yield from _session_types(expected_type)
    elif expected_type.text_format == "column-type":
        yield from (Candidate(name, "value", words) for name, words in COLUMN_TYPES.items())
    elif expected_type.text_format in ENDINGS:
        folder = os.path.dirname(absolute_path(cursor.source.path))
        for path, what in paths(folder, cursor.word, ENDINGS[expected_type.text_format]):
            yield Candidate(path, "file", what)
    elif expected_type.text_format == "timestamp" and expected_type.kind == "Scenario":
        for form, words in (("%Y-%m-%dT%H:%M:00Z", "now"), ("%Y-%m-%dT00:00:00Z", "today")):
            yield Candidate(workspace.request.now.strftime(form), "value", words)


def _session_types(expected_type: ExpectedType) -> Iterator[Candidate]:
    """The types of a session: messages of the schema, and CEL types."""
    types = expected_type.root.get("types")
    own = [entry.key.text for entry in types.entries] if isinstance(types, MappingNode) else []
    for name in own:
        yield Candidate(name, "value", "a type of the schema", rank=1)
        yield Candidate(f"list({name})", "value", "a list of these", rank=2)
    for name in SCALARS:
        yield Candidate(name, "value", rank=3)
    yield Candidate("list(string)", "value", "a list", rank=4)
    yield Candidate("map(string, string)", "value", "a map", rank=4)


MAX_ITEMS = 2_000
"""How many entries of a folder are looked at."""


def paths(folder: str, written: str, endings: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The paths from a folder on that begin like what is written, each with what it is; folders lead on.

    Without `endings`, all files. Folders outside of the workspace are not listed.
    """
    above = written.rpartition("/")[0]
    try:
        here = Boundary.around(folder).resolve(os.path.join(folder, above))
        with os.scandir(here) as listed:
            entries = [(entry.name, entry.is_dir()) for entry, _ in zip(listed, range(MAX_ITEMS), strict=False)]
    except (OSError, ValueError):
        return
    for name, is_folder in sorted(entries):
        path = f"{above}/{name}" if above else name
        if name.startswith("."):
            continue
        if is_folder:
            yield path + "/", "a folder"
        elif not endings or name.endswith(endings):
            yield path, "a file"
