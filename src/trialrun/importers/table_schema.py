"""Schemas of tables as Sources with columns: of `bq show` and of dbt's `manifest.json`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trialrun.diagnostic import Path
from trialrun.errors import UsageError
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import (
    Imported,
    ImportedDocument,
    ImportOptions,
    InputPlace,
    Note,
    complete,
    repeated_key_notes,
)

STANDARD_TYPES = {"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT", "DECIMAL": "NUMERIC"}
"""The names of standard SQL for the older ones that bq prints."""
BIGQUERY_TYPES = frozenset(
    ("STRING", "BYTES", "INT64", "FLOAT64", "NUMERIC", "BIGNUMERIC", "BIGDECIMAL", "BOOL", "TIMESTAMP", "DATE", "TIME",
     "DATETIME", "INTERVAL", "GEOGRAPHY", "JSON", "RANGE", "STRUCT", *STANDARD_TYPES)
)  # fmt: skip
MODES = ("NULLABLE", "REQUIRED", "REPEATED")
COLUMN_ATTRIBUTES = ("name", "type", "mode", "fields")
TABLE_STATES = (
    "expirationTime", "view", "materializedView", "externalDataConfiguration", "snapshotDefinition",
    "requirePartitionFilter",
)  # fmt: skip
"""What `bq show` says of a table that decides whether its rows can be read."""
NO_ROWS = "where the rows of the table are; set files, or database and table"
DISABLED = "a node that is disabled"
DBT_TABLES = ("model", "seed", "snapshot", "source")
_relation_part = re.compile(r'[`"\[]?([^`"\[\].]+)[`"\]]?(?:\.|\Z)')


def import_schema(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The Sources of schemas. Raises InputError, and UsageError for a uri that several tables would have."""
    notes: list[Note] = []
    drafts: list[ImportedDocument] = []
    for file in files:
        notes += repeated_key_notes(file)
        for number, value in enumerate(file.documents):
            place = InputPlace(file.name, document=number)
            if is_dbt_manifest(value):
                drafts += _dbt_sources(value, place, notes)
            else:
                drafts += _bigquery_source(value, place, options, notes)
    if options.uri is not None and sum(draft.value.get("uri") == options.uri for draft in drafts) > 1:
        raise UsageError("--uri is that of one table; import several schemas one by one")
    return complete(drafts, notes)


def is_schema(file: InputFile) -> bool:
    """Whether a file has the schema of a table, or is a manifest of dbt."""
    return any(is_dbt_manifest(value) or _fields(value) is not None for value in file.documents)


def is_dbt_manifest(value: Any) -> bool:
    """Whether a value is a manifest of dbt."""
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    return isinstance(metadata, Mapping) and isinstance(metadata.get("dbt_schema_version"), str)


def _fields(value: Any) -> tuple[Path, list[Any]] | None:
    """The fields of a table, with their path; None if a value is no schema."""
    for path in ((), ("fields",), ("schema", "fields")):
        fields = value
        for key in path:
            fields = fields.get(key) if isinstance(fields, Mapping) else None
        if isinstance(fields, list) and fields and all(_is_field(field) for field in fields):
            return path, fields
    return None


def _is_field(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        return False
    type_ = value.get("type")
    return isinstance(type_, str) and re.split(r"[(<]", type_.upper())[0].strip() in BIGQUERY_TYPES


def _bigquery_source(
    value: Any, place: InputPlace, options: ImportOptions, notes: list[Note]
) -> Iterator[ImportedDocument]:
    found = _fields(value)
    if found is None:
        notes.append(Note("dropped", "what is no schema of a table", place))
        return
    path, fields = found
    uri = _table_uri(value) or options.uri
    if uri is None:
        notes.append(Note("unresolved", "the uri of the table; give it with --uri", place))
    for name in TABLE_STATES if isinstance(value, Mapping) else ():
        if value.get(name):
            notes.append(Note("dropped", f"{name}, which a Source does not have", place.below(name)))
    columns = [_column(field, place.below(*path, index), notes) for index, field in enumerate(fields)]
    uri_place = place.below("tableReference") if _table_uri(value) else place
    places: dict[Path, InputPlace] = {(): place, ("uri",): uri_place, ("columns",): place.below(*path)}
    notes.append(Note("unresolved", NO_ROWS, place))
    yield source_draft(uri, os.path.basename(place.file).partition(".")[0], columns, places)


def source_draft(
    uri: str | None, name: str, columns: Sequence[Mapping[str, Any]], places: Mapping[Path, InputPlace]
) -> ImportedDocument:
    """A Source of a uri; one without a uri has a name alone."""
    table = re.split(r"[./:]", uri)[-1] if uri else name
    value = {"name": table, **({"uri": uri} if uri else {}), "columns": list(columns)}
    return ImportedDocument("Source", uri or table, value, places, file_id=table)


def _table_uri(value: Any) -> str | None:
    """The uri of the table that `bq show` tells of."""
    reference = value.get("tableReference") if isinstance(value, Mapping) else None
    if not isinstance(reference, Mapping):
        return None
    parts = [reference.get(key) for key in ("projectId", "datasetId", "tableId")]
    return f"bq://{'.'.join(map(str, parts))}" if all(isinstance(part, str) and part for part in parts) else None


def _column(field: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> dict[str, Any]:
    """The column of a field; attributes that columns do not have become notes."""
    column = {"name": field["name"], "type": _type_text(field)}
    mode = field.get("mode")
    if isinstance(mode, str) and mode.upper() in MODES and mode.upper() != "NULLABLE":
        column["mode"] = mode.upper()
    elif mode is not None and not (isinstance(mode, str) and mode.upper() in MODES):
        notes.append(Note("dropped", "mode, which is not one of NULLABLE, REQUIRED, REPEATED", place.below("mode")))
    _note_attributes(field, place, notes)
    return column


def _note_attributes(field: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> None:
    """Note what columns do not have, also of the fields of a record."""
    for name in field:
        if name not in COLUMN_ATTRIBUTES and field[name] not in (None, "", [], {}):
            notes.append(Note("dropped", "what columns do not have", place.below(name)))
    inner = field.get("fields")
    for index, part in enumerate(inner if isinstance(inner, list) else ()):
        if _is_field(part):
            _note_attributes(part, place.below("fields", index), notes)
        else:
            notes.append(Note("dropped", "what is no field", place.below("fields", index)))


def _type_text(field: Mapping[str, Any]) -> str:
    """The type of a field in standard SQL; that of a record has the types of its fields."""
    word = str(field["type"]).upper()
    type_ = STANDARD_TYPES.get(word, word)
    inner = field.get("fields")
    if type_ != "STRUCT" or not isinstance(inner, list):
        return type_
    parts = []
    for part in filter(_is_field, inner):
        is_repeated = str(part.get("mode")).upper() == "REPEATED"
        parts.append(f"{part['name']} {f'ARRAY<{_type_text(part)}>' if is_repeated else _type_text(part)}")
    return f"STRUCT<{', '.join(parts)}>"


def _dbt_sources(manifest: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> Iterator[ImportedDocument]:
    adapter = manifest["metadata"].get("adapter_type")
    scheme = "bq" if adapter in (None, "bigquery") else adapter
    scheme = scheme if isinstance(scheme, str) and re.fullmatch(r"[a-z][a-z0-9]{0,30}", scheme) else "bq"
    disabled = manifest.get("disabled")
    for key in disabled if isinstance(disabled, Mapping) else ():
        if key.partition(".")[0] in DBT_TABLES:
            notes.append(Note("dropped", DISABLED, place.below("disabled", key)))
    for collection in ("nodes", "sources"):
        nodes = manifest.get(collection)
        for key, node in nodes.items() if isinstance(nodes, Mapping) else ():
            if not isinstance(node, Mapping) or node.get("resource_type", "source") not in DBT_TABLES:
                continue
            config = node.get("config")
            if isinstance(config, Mapping) and config.get("enabled") is False:
                notes.append(Note("dropped", DISABLED, place.below(collection, key)))
            else:
                yield from _dbt_source(node, scheme, place.below(collection, key), notes)


def _dbt_source(
    node: Mapping[str, Any], scheme: str, place: InputPlace, notes: list[Note]
) -> Iterator[ImportedDocument]:
    """The Source of a node that has a relation and columns; notes on one that has not."""
    relation, columns = node.get("relation_name"), node.get("columns")
    if not isinstance(relation, str) or not relation:
        notes.append(Note("dropped", "a node without a relation in the database", place))
        return
    given = columns.items() if isinstance(columns, Mapping) else ()
    types = {name: column.get("data_type") if isinstance(column, Mapping) else None for name, column in given}
    if not any(isinstance(type_, str) and type_ for type_ in types.values()):
        notes.append(Note("unresolved", "the columns of a table, whose types dbt does not know", place))
        return
    notes.append(Note("unresolved", NO_ROWS, place))
    places: dict[Path, InputPlace] = {(): place, ("uri",): place.below("relation_name")}
    entries: list[dict[str, Any]] = []
    for name, type_ in types.items():
        places[("columns", len(entries))] = place.below("columns", name)
        if isinstance(type_, str) and type_:
            entries.append({"name": name, "type": STANDARD_TYPES.get(type_.upper(), type_)})
        else:
            entries.append({"name": name})
            notes.append(Note("unresolved", "the type of a column", place.below("columns", name)))
    yield source_draft(f"{scheme}://{'.'.join(_relation_part.findall(relation))}", "", entries, places)
