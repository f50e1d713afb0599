"""A snapshot of a table of Iceberg: its columns and its data files, as pyiceberg reads them from the metadata.

pyiceberg parses; it opens no file and makes no connection: every file comes through `TableFiles`. Its own settings,
which it would also read from the working directory, are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trialrun.extras import missing_libraries
from trialrun.guarded_path import allowed_folders
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.iceberg.metadata_file import (
    MAX_TOTAL_BYTES,
    IcebergField,
    TableFiles,
    iceberg_field,
    metadata_file,
    read_metadata,
    table_files,
)
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile as ManifestDataFile
    from pyiceberg.manifest import ManifestFile
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot

NAME_MAPPING = "schema.name-mapping.default"
MAX_MANIFESTS = 10_000
MAX_DATA_FILES = 100_000
MAX_REASON_LENGTH = 200
NUMBER_BYTES = 8
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DataFile:
    """A Parquet file of a table: its rows and bytes, and the values of columns that only its partition has.

    `never_null` are the ids of columns without a null, `bounds` the least and greatest values of columns by their ids.
    """

    path: str
    row_count: int
    size: int
    constants: tuple[tuple[int, Any], ...]
    never_null: frozenset[int]
    bounds: Mapping[int, tuple[bytes, bytes]]


@dataclass(frozen=True)
class IcebergTable:
    """A snapshot of a table: its columns, its files in the order of their paths, and the ids of columns by name.

    The names are for files that have no ids of columns; None where the table has no such mapping.
    """

    fields: tuple[IcebergField, ...]
    files: tuple[DataFile, ...]
    ids_by_name: Mapping[str, int] | None

    @property
    def row_count(self) -> int:
        """How many rows it has."""
        return sum(file.row_count for file in self.files)

    @property
    def size(self) -> int:
        """How many bytes its files have."""
        return sum(file.size for file in self.files)

    def integer_span(self, name: str) -> float | None:
        """How many whole numbers lie between the least and the greatest of a column, None where nothing says so."""
        column = next((column for column in self.fields if column.name == name), None)
        if column is None or column.type not in ("INTEGER", "BIGINT") or not self.files:
            return None
        bounds = [file.bounds.get(column.id) for file in self.files]
        known = [tuple(int.from_bytes(end, "little", signed=True) for end in ends) for ends in bounds if ends]
        if len(known) < len(bounds):
            return None
        return float(max(most for _, most in known) - min(least for least, _ in known) + 1)

    def never_null(self) -> frozenset[str]:
        """The columns without a null in any file."""
        common = frozenset[int].intersection(*(file.never_null for file in self.files)) if self.files else frozenset()
        return frozenset(field.name for field in self.fields if field.id in common)


def read_table(place: TableLocation) -> IcebergTable:
    """The snapshot of a table that was current at the moment of the place, or now. Raises Unreadable."""
    file = metadata_file(place)
    try:
        status = os.stat(file)
    except OSError as error:
        raise Unreadable(f'"{place.files}" cannot be read: {error.strerror}') from error
    return _read_table(place, file, allowed_folders(), (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=4)
def _read_table(place: TableLocation, file: str, allowed: tuple[str, ...], state: tuple[int, int]) -> IcebergTable:
    """The table of a file, which never changes: a plan opens its sources several times."""
    import_pyiceberg()
    name = os.path.basename(file)
    data = read_metadata(table_files(place, file).guard, file, name)
    with _refuse_damage(name):
        metadata = _parse_metadata(data)
        snapshot = _snapshot_at(metadata, place.as_of)
        fields = _fields(metadata, snapshot)
        ids_by_name = _ids_by_name(metadata.properties)
        files = table_files(place, file, metadata.location)
    data_files = tuple(sorted(_data_files(metadata, snapshot, files), key=lambda data_file: data_file.path))
    _refuse_repeated(data_files)
    return IcebergTable(fields, data_files, ids_by_name)


def import_pyiceberg() -> None:
    """Import pyiceberg, which would read `.pyiceberg.yaml` of the working directory meanwhile. Raises Unreadable."""
    if missing := missing_libraries("a table of Iceberg", "iceberg", "pyiceberg"):
        raise Unreadable(missing)
    from pyiceberg.utils.config import Config

    original = Config.__dict__["_from_configuration_files"]
    try:
        Config._from_configuration_files = staticmethod(dict)
        import pyiceberg.manifest
        import pyiceberg.table.metadata  # noqa: F401
    finally:
        Config._from_configuration_files = original


@contextmanager
def _refuse_damage(name: str) -> Iterator[None]:
    """Make Unreadable of what pyiceberg raises for a file that is not as it should be, which is any error."""
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        lines = (line.strip() for line in str(error).splitlines())
        reason = next(filter(None, lines), type(error).__name__)[:MAX_REASON_LENGTH]
        raise Unreadable(f'"{name}" of the table is damaged: {reason}') from error


def _parse_metadata(data: bytes) -> TableMetadata:
    from pyiceberg.table.metadata import TableMetadataUtil

    return TableMetadataUtil.parse_raw(data.decode())


def _snapshot_at(metadata: TableMetadata, moment: datetime | None) -> Snapshot | None:
    """The snapshot that was current at a moment, now if that is None; None for a table without any."""
    current = metadata.current_snapshot()
    if current is None and metadata.current_snapshot_id is not None:
        raise Unreadable(f"the table has no snapshot {metadata.current_snapshot_id}, which is current; copy it again")
    if current is None or moment is None:
        return current
    most = (moment - EPOCH) // timedelta(milliseconds=1)
    log = [(entry.timestamp_ms, entry.snapshot_id) for entry in metadata.snapshot_log]
    log = log or [(ancestor.timestamp_ms, ancestor.snapshot_id) for ancestor in _ancestors(metadata, current)]
    earlier = [entry for entry in log if entry[0] <= most]
    if not earlier:
        first = EPOCH + timedelta(milliseconds=min(at for at, _ in log))
        wanted, earliest = format_timestamp(moment), format_timestamp(first)
        raise Unreadable(f"the table has no snapshot of {wanted}, its first is of {earliest}; take a later time")
    at, id = max(reversed(earlier), key=lambda entry: entry[0])
    snapshot = metadata.snapshot_by_id(id)
    if snapshot is None:
        then = EPOCH + timedelta(milliseconds=at)
        raise Unreadable(f"the snapshot of {format_timestamp(then)} was expired from the table; take a later time")
    return snapshot


def _ancestors(metadata: TableMetadata, snapshot: Snapshot) -> Iterator[Snapshot]:
    """A snapshot and those that it was made from, the oldest first; metadata may lead in a circle."""
    chain: dict[int, Snapshot] = {}
    here: Snapshot | None = snapshot
    while here is not None and here.snapshot_id not in chain:
        chain[here.snapshot_id] = here
        here = metadata.snapshot_by_id(here.parent_snapshot_id) if here.parent_snapshot_id is not None else None
    return reversed(chain.values())


def _fields(metadata: TableMetadata, snapshot: Snapshot | None) -> tuple[IcebergField, ...]:
    """The columns that the table has now, or had at an older snapshot."""
    is_current = snapshot is None or snapshot.snapshot_id == metadata.current_snapshot_id
    schema = metadata.schema()
    if snapshot is not None and not is_current and snapshot.schema_id is not None:
        schema = next(other for other in metadata.schemas if other.schema_id == snapshot.schema_id)
    fields = tuple(map(iceberg_field, schema.fields))
    names: dict[str, str] = {}
    for field in fields:
        if (earlier := names.setdefault(field.name.casefold(), field.name)) != field.name:
            raise Unreadable(f'the columns "{earlier}" and "{field.name}" differ in capitals alone; rename one')
    if not fields:
        raise Unreadable("the table has no columns; add some")
    return fields


def _ids_by_name(properties: Mapping[str, str]) -> Mapping[str, int] | None:
    """The ids of columns by the names that they have in files without ids."""
    if NAME_MAPPING not in properties:
        return None
    fields = json.loads(properties[NAME_MAPPING])
    return {str(name): int(field["field-id"]) for field in fields if "field-id" in field for name in field["names"]}


def _data_files(metadata: TableMetadata, snapshot: Snapshot | None, files: TableFiles) -> Iterator[DataFile]:
    if snapshot is None:
        return
    specs, left, count = metadata.specs(), MAX_TOTAL_BYTES, 0
    for manifest in _manifests(snapshot, files):
        left -= manifest.manifest_length
        if left < 0:
            raise Unreadable(f"the manifests of the table have more than {MAX_TOTAL_BYTES:,} bytes; rewrite them")
        with _refuse_damage(manifest.manifest_path):
            identities = _identity_columns(specs[manifest.partition_spec_id])
        for data_file in _entries(manifest, files):
            count += 1
            if count > MAX_DATA_FILES:
                raise Unreadable(f"the table has more than {MAX_DATA_FILES:,} data files; compact it")
            yield _data_file(data_file, identities, files)


def _manifests(snapshot: Snapshot, files: TableFiles) -> Sequence[ManifestFile]:
    """The manifests of a snapshot that list data files. Raises Unreadable where there are deletes.

    A manifest of which all files are said to be deleted is read as well: the numbers have no checksum.
    """
    from pyiceberg.manifest import ManifestContent

    from trialrun.runtime.feature_view.source.iceberg.avro import read_manifest_list

    path = snapshot.manifest_list
    data = _whole_avro(files.read(path), path, MAX_MANIFESTS, "manifests")
    with _refuse_damage(path):
        manifests = read_manifest_list(data)
    for manifest in manifests:
        if manifest.content != ManifestContent.DATA and _entries(manifest, files):
            raise Unreadable(
                "the table has delete files, which are not applied; rewrite its data files (rewrite_data_files, then "
                "rewrite_position_delete_files), or write it copy-on-write"
            )
        if manifest.key_metadata is not None:
            raise Unreadable("the table is encrypted; copy its rows into one that is not")
    return [manifest for manifest in manifests if manifest.content == ManifestContent.DATA]


def _entries(manifest: ManifestFile, files: TableFiles) -> Sequence[ManifestDataFile]:
    """The data files that a manifest lists and that are not deleted. Raises Unreadable."""
    from trialrun.runtime.feature_view.source.iceberg.avro import read_live_entries

    path = manifest.manifest_path
    data = files.read(path)
    _require_count(len(data), manifest.manifest_length, path)
    _whole_avro(data, path, 10 * MAX_DATA_FILES, "entries")
    with _refuse_damage(path):
        entries = read_live_entries(data)
    counts = (manifest.added_files_count, manifest.existing_files_count)
    if None not in counts:
        _require_count(len(entries), sum(count or 0 for count in counts), path)
    return [entry.data_file for entry in entries]


def _data_file(file: ManifestDataFile, identities: Mapping[int, int], files: TableFiles) -> DataFile:
    written = file.file_path
    if str(getattr(file.file_format, "value", file.file_format)).upper() != "PARQUET":
        raise Unreadable(f'the data file "{written}" is {file.file_format}; write the table as Parquet')
    if getattr(file.content, "value", file.content) != 0:
        raise Unreadable(f'the table has the delete file "{written}", which is not applied; rewrite its data files')
    if file.key_metadata is not None:
        raise Unreadable(f'the data file "{written}" is encrypted; copy the rows into a table that is not')
    path = files.resolve(written)
    size = os.path.getsize(path)
    if size != file.file_size_in_bytes:
        raise Unreadable(
            f'the data file "{written}" has {size:,} bytes, where the table says {file.file_size_in_bytes:,}; '
            "copy the table again"
        )
    constants = tuple((column, file.partition[place]) for column, place in identities.items())
    never_null = frozenset(id for id, nulls in (file.null_value_counts or {}).items() if nulls == 0)
    lower, upper = file.lower_bounds or {}, file.upper_bounds or {}
    bounds = {id: (least, upper[id]) for id, least in lower.items() if id in upper and len(least) <= NUMBER_BYTES}
    return DataFile(path, file.record_count, size, constants, never_null, bounds)


def _identity_columns(spec: Any) -> Mapping[int, int]:
    """The columns by whose very values a table is partitioned, and their places in the partition."""
    from pyiceberg.transforms import IdentityTransform

    return {
        field.source_id: place
        for place, field in enumerate(spec.fields)
        if isinstance(field.transform, IdentityTransform)
    }


def _whole_avro(data: bytes, written: str, most: int, what: str) -> bytes:
    from trialrun.runtime.feature_view.source.iceberg.avro import DamagedAvro, avro_blocks

    try:
        count = sum(block.count for block in avro_blocks(data))
    except DamagedAvro as error:
        raise Unreadable(f'"{written}" is damaged: {error}; copy the table again') from error
    if count > most:
        raise Unreadable(f'"{written}" has more than {most:,} {what}; rewrite the manifests of the table')
    return data


def _require_count(count: int, expected: int, written: str) -> None:
    if count != expected:
        raise Unreadable(f'"{written}" is not whole: {count:,} where the table says {expected:,}; copy the table again')


def _refuse_repeated(files: Sequence[DataFile]) -> None:
    for file, following in pairwise(files):
        if file.path == following.path:
            raise Unreadable(f'the table lists the data file "{os.path.basename(file.path)}" twice; rewrite it')
